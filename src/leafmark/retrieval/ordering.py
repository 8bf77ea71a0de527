"""The order of candidates, and what only looks at it: duplicates, sorting, limit.

Not relaxed ones first, then by score, then by id: one order, whatever the
segments of the index, so that the same documents give the same answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from leafmark.model import Candidate, Entry, Phase, Sort

__all__ = [
    "DocumentKey",
    "Key",
    "document_of",
    "join_duplicates",
    "key_of",
    "limit_results",
    "rank_order",
    "sort_candidates",
    "sort_results",
    "sort_with_ties",
    "topics_of",
]

T = TypeVar("T")

Key = tuple[str, str, int]
"""What identifies a chunk: tree, path, position. Cheaper to make than its id."""

DocumentKey = tuple[str, str]
"""What identifies its document: tree and path."""


def key_of(entry: Entry) -> Key:
    return entry.tree, entry.path, entry.position


def document_of(entry: Entry) -> DocumentKey:
    return entry.tree, entry.path


def rank_order(candidate: Candidate) -> tuple[bool, float, str]:
    """Sort key: best first."""
    return candidate.relaxed, -candidate.score, candidate.entry.id


def sort_candidates(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates in the order of `rank_order`, making ids only for ties."""
    found = list(candidates)
    if len(found) < 2:
        return found
    orders = [(one.relaxed, -one.score) for one in found]
    return sort_with_ties(found, orders, lambda one: one.entry.id)


def sort_with_ties(values: Sequence[T], orders: Sequence[Any], tie: Callable[[T], str]) -> list[T]:
    """Return the values by their `orders`, equals by `tie`, which is asked only about these."""
    places = sorted(range(len(values)), key=orders.__getitem__)
    first = 0
    for last in range(1, len(places) + 1):
        if last < len(places) and orders[places[last]] == orders[places[first]]:
            continue
        if last - first > 1:
            places[first:last] = sorted(places[first:last], key=lambda at: tie(values[at]))
        first = last
    return [values[at] for at in places]


def join_duplicates(
    candidates: Sequence[Candidate], digest: Callable[[Entry], str | None]
) -> list[Candidate]:
    """Show results whose whole spans have the same bytes once, with the others' ids in `also_in`.

    `digest` gives the hash of a whole span, or None for one that is blank or
    cannot be read, which is nobody's duplicate. It is asked only about spans of
    the same length as another's. The first of a group stays.
    """
    sizes = [candidate.entry.byte_end - candidate.entry.byte_start for candidate in candidates]
    counts = Counter(sizes)
    kept: list[Candidate] = []
    first: dict[str, int] = {}
    others: dict[int, list[Candidate]] = {}
    for candidate, size in zip(candidates, sizes, strict=True):
        name = digest(candidate.entry) if size and counts[size] > 1 else None
        if name is not None and name in first:
            others.setdefault(first[name], []).append(candidate)
            continue
        if name is not None:
            first[name] = len(kept)
        kept.append(candidate)
    for at, copies in others.items():
        kept[at] = _with_copies(kept[at], copies)
    return kept


def _with_copies(shown: Candidate, copies: Sequence[Candidate]) -> Candidate:
    ids = [id for copy in copies for id in (copy.entry.id, *copy.also_in)]
    others = [entry for copy in copies for entry in copy.other_versions]
    return shown._replace(
        topics=topics_of((shown, *copies)),
        also_in=(*shown.also_in, *ids),
        other_versions=(*shown.other_versions, *others),
    )


def topics_of(candidates: Iterable[Candidate]) -> tuple[int, ...]:
    """Return the topics that one of the candidates matched."""
    return tuple(sorted({topic for one in candidates for topic in one.topics}))


def sort_results(
    candidates: Sequence[Candidate], sort: Sort, modified_ns: Callable[[Entry], int]
) -> list[Candidate]:
    """Return results in the order asked for; equals stay in order of rank.

    In any order those that match some of the words only come last: they fill up behind
    the others, and must not take their places at the limit.
    """
    if sort == "mtime":
        return sorted(candidates, key=lambda one: (one.relaxed, -modified_ns(one.entry)))
    if sort == "path":
        return sorted(candidates, key=lambda one: (one.relaxed, key_of(one.entry)))
    return list(candidates)


def limit_results(candidates: Sequence[Candidate], limit: int) -> tuple[list[Candidate], Phase]:
    kept = list(candidates[:limit])
    cut = len(kept) < len(candidates)
    best = "best one is" if limit == 1 else f"{limit} best are"
    note = f"the {best} shown; a larger limit shows more" if cut else ""
    return kept, Phase("limit", len(candidates), len(kept), note)
