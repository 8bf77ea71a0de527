"""The candidates of one topic: what was scored, up to the elbow, with places for each document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from leafmark.index import Snapshot
from leafmark.index.queries import AnyOf, Query
from leafmark.model import Candidate, Phase
from leafmark.query import Expression, Filter, iter_leaves
from leafmark.search.compile import CompiledTopic
from leafmark.search.fuse import Meaning, fuse_meaning
from leafmark.search.options import SearchOptions
from leafmark.search.order import Key, elbow_cutoff, key_of
from leafmark.search.score import Scored, score_topic
from leafmark.search.sections import section_filter
from leafmark.search.versions import language_family

__all__ = ["TopicMatches", "Trace", "find_in_topic", "names_documents"]

POOL_PER_DOCUMENT = 6
"""Matches of one document that are taken beyond its places, to be joined to their section."""

REFS_AT_ONCE = 25


class TopicMatches(NamedTuple):
    """The matches of one topic: those that were scored, and the candidates after the cutoff.

    `total` counts the matches before the cutoff, `complete` those of them with all words.
    """

    candidates: list[Candidate]
    scored: Mapping[Key, Scored]
    total: int
    complete: int
    phases: tuple[Phase, ...]
    beyond: Mapping[str, int] = MappingProxyType({})


class Trace(NamedTuple):
    """What each phase of a search left over.

    `compiled` and `found` are by topic. `ranked` are the results before the limit.
    """

    compiled: Sequence[Mapping[str | None, CompiledTopic]]
    found: Sequence[TopicMatches]
    joined: Sequence[Candidate]
    grained: Sequence[Candidate]
    ranked: Sequence[Candidate]
    kept: Sequence[Candidate]
    phases: tuple[Phase, ...]


def find_in_topic(
    snapshot: Snapshot,
    topic: Expression,
    compiled: Sequence[CompiledTopic],
    options: SearchOptions,
    *,
    number: int = 0,
    local_trees: Collection[str] = (),
    meaning: Meaning | None = None,
) -> TopicMatches:
    """Return the candidates of one topic, by meaning too if that is asked for and possible."""
    if compiled and compiled[0].filters_only:
        return _admitted(snapshot, compiled, options, number)
    scored = score_topic(snapshot, compiled, options, local_trees)
    if meaning is not None and options.mode != "lexical":
        scored = fuse_meaning(snapshot, topic, compiled, scored, options, meaning, local_trees)
    wide = scored[: options.candidates]
    kept = _before_elbow(wide, options)
    pool, beyond = _pool(snapshot, kept, options, is_open=names_documents(topic))
    entries = snapshot.entries([one.chunk for one in pool])
    candidates = [
        Candidate(
            entry,
            one.score,
            one.relaxed,
            (number,),
            one.score,
            whole=one.is_whole,
            named=one.name > 0,
        )
        for entry, one in zip(entries, pool, strict=True)
    ]
    complete = sum(not one.relaxed for one in scored)
    lacking = sum(one.relaxed for one in wide)
    note = f"{lacking} match some of the words only" if lacking else ""
    phases = (
        Phase(
            "candidates",
            len(scored),
            len(wide),
            "; ".join(filter(None, [note, *section_note(options)])),
        ),
        _cutoff_phase(len(wide), len(pool), options),
    )
    found = {key_of(entry): one for entry, one in zip(entries, pool, strict=True)}
    return TopicMatches(candidates, found, len(wide), complete, phases, beyond)


def _before_elbow(scored: Sequence[Scored], options: SearchOptions) -> list[Scored]:
    """Return the matches before the elbow; where these leave places, relaxed ones fill them.

    Tiers are cut each at an elbow of its own: relaxed matches that follow all others are one.
    """
    first = next((at for at, one in enumerate(scored) if one.relaxed), len(scored))
    is_tiered = all(one.relaxed for one in scored[first:])
    if not is_tiered:
        return list(scored[: _elbow(scored, options)])
    strict = scored[: _elbow(scored[:first], options)]
    if len(strict) >= options.limit + options.offset:
        return list(strict)
    rest = scored[first:]
    return [*strict, *rest[: _elbow(rest, options)]]


def _elbow(scored: Sequence[Scored], options: SearchOptions) -> int:
    return elbow_cutoff(
        [one.score for one in scored], ratio=options.cutoff_ratio, max_results=len(scored)
    )


def _pool(
    snapshot: Snapshot, scored: Sequence[Scored], options: SearchOptions, *, is_open: bool
) -> tuple[list[Scored], Counter[str]]:
    """Return the first matches that fill the places, and how many more each document has.

    A document takes `max_per_document` places, translations of it none beside it. Some more of
    its matches are taken to be joined to their section.
    """
    places = options.max_per_document if not is_open else 0
    most = places + POOL_PER_DOCUMENT if places else len(scored)
    taken: Counter[tuple[str, str]] = Counter()
    beyond: Counter[str] = Counter()
    pool: list[Scored] = []
    left: list[tuple[Scored, str]] = []
    filled = 0
    for start in range(0, len(scored), REFS_AT_ONCE):
        batch = scored[start : start + REFS_AT_ONCE]
        for one, (doc_id, _) in zip(batch, snapshot.refs([m.chunk for m in batch]), strict=True):
            if filled >= options.kept and (
                one.score < pool[-1].score or len(pool) >= 3 * options.kept
            ):
                return pool, beyond
            tree, _, path = doc_id.partition(":")
            family = (tree, language_family(path)[0]) if options.fold_versions else (tree, path)
            if taken[family] >= most:
                beyond[doc_id] += 1
                left.append((one, doc_id))
                continue
            taken[family] += 1
            filled += not places or taken[family] <= places
            pool.append(one)
    for one, doc_id in left[: max(0, options.kept - len(pool))]:
        pool.append(one)
        beyond[doc_id] -= 1
    return pool, beyond


def names_documents(topic: Expression) -> bool:
    """Whether a query names documents itself, so that one may take all places."""
    filters = (asked.leaf for asked in iter_leaves(topic) if isinstance(asked.leaf, Filter))
    return any(one.name in ("id", "under", "path") for one in filters)


def _admitted(
    snapshot: Snapshot, compiled: Sequence[CompiledTopic], options: SearchOptions, number: int
) -> TopicMatches:
    """Return the chunks that a topic of filters admits: each scores 1.0, in order of id."""
    query: Query = AnyOf(tuple(each.every_word for each in compiled))
    limit = options.candidates
    admits = section_filter(options.section)
    refs, total = snapshot.first(query, limit if admits is None else snapshot.chunk_count)
    entries = [entry for ref in refs if (entry := snapshot.entry(*ref)) is not None]
    if admits is not None:
        entries = [entry for entry in entries if admits(entry)]
        total = len(entries)
    kept = entries[: min(limit, options.kept)]
    candidates = [Candidate(entry, 1.0, False, (number,), 1.0) for entry in kept]
    matched = min(total, limit)
    phases = (
        Phase("candidates", total, matched, "".join(section_note(options))),
        _cutoff_phase(matched, len(kept), options),
    )
    return TopicMatches(candidates, {}, matched, matched, phases)


def section_note(options: SearchOptions) -> list[str]:
    patterns = " or ".join(f"“{one}”" for one in options.section)
    return [f"only sections like {patterns}"] if patterns else []


def _cutoff_phase(before: int, after: int, options: SearchOptions) -> Phase:
    note = (
        f"scores fall below {options.cutoff_ratio:g} of the one before, or {options.kept} are kept"
    )
    return Phase("cutoff", before, after, "" if before == after else note)
