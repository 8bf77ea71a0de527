"""Bring matches to the right grain: merge children into parents, and results into ancestors.

In: candidates after the cutoff. Out: a list in which no result lies below another. Merged
candidates are kept in `constituents`, so that nothing is lost.

Positions number the chunks of a document in pre-order, so the descendants of a chunk have
the positions up to its `last_position`. Parents are taken by falling position: everything
below a parent is done before it, and its record is read only if it takes its children in.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from leafmark.model import Candidate, Entry, Phase
from leafmark.retrieval.ordering import (
    DocumentKey,
    Key,
    document_of,
    key_of,
    sort_candidates,
    topics_of,
)
from leafmark.retrieval.params import SearchParams

__all__ = ["FindParent", "MeasureText", "aggregate", "drop_large", "filter_ancestors", "merge_into"]

STANDS_ABOVE = 0.7
"""A chunk that is too large stays a result if all below it score less than this share of it.

Chosen by `leafmark eval` (2026-11-21) among 0.7, 1 and always giving way; see docs/DECISIONS.md.
"""

FindParent = Callable[[Entry], Entry]
"""Returns the entry of a chunk's parent; never called for a document."""

MeasureText = Callable[[Entry], int]
"""Returns the tokens of a chunk's whole text, with all that is below it."""


def aggregate(
    candidates: Sequence[Candidate],
    params: SearchParams,
    *,
    find_parent: FindParent,
    measure_text: MeasureText,
    may_stand: Callable[[Entry], bool] | None = None,
) -> tuple[list[Candidate], Phase]:
    """Replace children by their parent if enough of them match, deepest parents first.

    See `merge_into` for the parent's score. `measure_text` is called only if there is a
    limit. A parent takes nothing in unless `may_stand` holds for it.
    """
    done: list[Candidate] = []
    merges = 0
    for document in _by_document(candidates):
        if len(document) == 1 and not _is_enough(document, params):  # most of them
            done += document
            continue
        merger = _Merger(params, find_parent, measure_text, may_stand)
        done += merger.merge(document)
        merges += merger.merges
    times = "once" if merges == 1 else f"{merges} times"
    note = f"{times} children gave way to their parent" if merges else ""
    return sort_candidates(done), Phase("aggregation", len(candidates), len(done), note)


def filter_ancestors(
    candidates: Sequence[Candidate], *, above: Callable[[Entry], bool] = lambda _entry: True
) -> tuple[list[Candidate], Phase]:
    """Move every result into the constituents of its nearest ancestor among the results.

    Only ancestors for which `above` holds count.
    """
    done: list[Candidate] = []
    for document in _by_document(candidates):
        done += document if len(document) == 1 else _fold_document(document, above)
    taken = len(candidates) - len(done)
    stand = "stands" if taken == 1 else "stand"
    note = f"{taken} {stand} below another result" if taken else ""
    return sort_candidates(done), Phase("ancestors", len(candidates), len(done), note)


def drop_large(
    candidates: Sequence[Candidate],
    limit: int,
    measure_text: MeasureText,
    stands_out: Callable[[Candidate], bool] = lambda _candidate: True,
) -> tuple[list[Candidate], Phase]:
    """Leave out matches of more than `limit` tokens if a match below them is about as good.

    Such a chunk would take in all that is below it, and a reader would have to read it
    whole. It stays if it scores clearly best, or if it is strict and the matches below are
    not. So does a document whose parts match only by its path or tags, which they share: they
    score the same, and do not stand out.
    """
    dropped: set[Key] = set()
    for document in _by_document(candidates):
        if len(document) == 1:
            continue
        document.sort(key=lambda candidate: candidate.entry.position)
        positions = [candidate.entry.position for candidate in document]
        for at, candidate in enumerate(document):
            below = document[at + 1 : bisect_right(positions, candidate.entry.last_position)]
            if _gives_way(candidate, below, stands_out) and measure_text(candidate.entry) > limit:
                dropped.add(key_of(candidate.entry))
    kept = list(candidates)
    if dropped:
        kept = [candidate for candidate in candidates if key_of(candidate.entry) not in dropped]
    note = f"{len(dropped)} of over {limit} tokens gave way to parts of them" if dropped else ""
    return kept, Phase("large", len(candidates), len(kept), note)


def _gives_way(
    candidate: Candidate, below: Sequence[Candidate], stands_out: Callable[[Candidate], bool]
) -> bool:
    """Whether a match below a candidate is about as good or better."""
    alike = [one for one in below if one.relaxed == candidate.relaxed]
    if candidate.relaxed and len(alike) < len(below):
        return True
    good = [one for one in alike if one.score >= STANDS_ABOVE * candidate.score]
    if candidate.entry.kind != "document":
        return bool(good)
    return any(one.score != candidate.score or stands_out(one) for one in good)


def _by_document(candidates: Iterable[Candidate]) -> Iterable[list[Candidate]]:
    documents: dict[DocumentKey, list[Candidate]] = {}
    for candidate in candidates:
        documents.setdefault(document_of(candidate.entry), []).append(candidate)
    return documents.values()


@dataclass(slots=True)
class _Merger:
    """The candidates of one document while children are merged."""

    params: SearchParams
    find_parent: FindParent
    measure_text: MeasureText
    may_stand: Callable[[Entry], bool] | None = None
    merges: int = 0
    active: dict[int, Candidate] = field(default_factory=dict)
    children: dict[int, list[int]] = field(default_factory=dict)
    waiting: list[int] = field(default_factory=list)

    def merge(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        for candidate in candidates:
            self._add(candidate)
        while self.waiting:
            parent_position = -heapq.heappop(self.waiting)
            positions = self.children.pop(parent_position)
            self._try(parent_position, positions)
        return list(self.active.values())

    def _add(self, candidate: Candidate) -> None:
        entry = candidate.entry
        self.active[entry.position] = candidate
        if entry.parent_position < 0:
            return
        if entry.parent_position not in self.children:
            heapq.heappush(self.waiting, -entry.parent_position)
        siblings = self.children.setdefault(entry.parent_position, [])
        if entry.position not in siblings:
            siblings.append(entry.position)

    def _try(self, parent_position: int, positions: list[int]) -> None:
        held = [self.active[position] for position in positions]
        if not _is_enough(held, self.params):
            return
        own = self.active.get(parent_position)
        parent = own.entry if own else self.find_parent(held[0].entry)
        if not self._may_stand(parent):
            return
        for position in positions:
            del self.active[position]
        self.merges += 1
        self._add(merge_into(parent, held, own, self.params.merge_bonus))

    def _may_stand(self, parent: Entry) -> bool:
        if parent.depth < self.params.max_merge_depth:
            return False
        if self.may_stand is not None and not self.may_stand(parent):
            return False
        most = self.params.aggregation_max_tokens
        return not most or self.measure_text(parent) <= most


def _is_enough(held: Sequence[Candidate], params: SearchParams) -> bool:
    """Whether enough of a parent's children match for it to stand for them."""
    share = len(held) / held[0].entry.sibling_count
    enough = len(held) >= params.aggregation_min_matches
    return enough and share >= params.aggregation_threshold


def merge_into(
    parent: Entry, children: Sequence[Candidate], own: Candidate | None, bonus: float = 0.0
) -> Candidate:
    """Return the parent as a candidate that holds `children`; `own` is its own match, if any.

    Constituents of `own` are kept. The parent is relaxed only if all of these matches are;
    otherwise only the strict ones count. It scores as the best that counts, times 1 plus
    `bonus` for each child that counts.
    """
    held_before = own.constituents if own else ()
    held = [*children, own] if own else list(children)
    counted = [one for one in held if not one.relaxed] or held
    matches = sum(1 for one in counted if one is not own)
    return Candidate(
        entry=parent,
        score=max(one.score for one in counted) * (1 + bonus * matches),
        relaxed=counted[0].relaxed,
        topics=topics_of(held),
        direct_score=own.direct_score if own else None,
        constituents=tuple(sort_candidates((*held_before, *children))),
        factors=own.factors if own else (),
    )


def _fold_document(
    candidates: list[Candidate], above: Callable[[Entry], bool]
) -> Iterable[Candidate]:
    """Merge each candidate of a document into its nearest ancestor, the last position first."""
    candidates.sort(key=lambda candidate: candidate.entry.position)
    ancestors = _nearest_ancestors([candidate.entry for candidate in candidates], above)
    below: dict[int, list[Candidate]] = {}
    done = []
    for at in range(len(candidates) - 1, -1, -1):
        candidate = candidates[at]
        if at in below:
            candidate = merge_into(candidate.entry, below[at], candidate)
        nearest = ancestors[at]
        if nearest is None:
            done.append(candidate)
        else:
            below.setdefault(nearest, []).append(candidate)
    return done


def _nearest_ancestors(
    entries: Sequence[Entry], above: Callable[[Entry], bool]
) -> list[int | None]:
    """Return the index of each entry's nearest ancestor among them; entries are by position."""
    found: list[int | None] = []
    open_entries: list[int] = []
    for at, entry in enumerate(entries):
        while open_entries and entries[open_entries[-1]].last_position < entry.position:
            open_entries.pop()
        found.append(open_entries[-1] if open_entries else None)
        if above(entry):
            open_entries.append(at)
    return found
