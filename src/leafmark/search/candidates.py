"""The candidates of one topic: matches up to the elbow, with a number of places per document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from leafmark.index import Snapshot
from leafmark.index.queries import AllOf, AnyOf, HasAny, InRange, Query
from leafmark.index.roles import language_family
from leafmark.index.snapshot import ChunkRef, Handle
from leafmark.model import Candidate, Entry, Phase
from leafmark.namedtuples import NamedTuple
from leafmark.query import Expression, Filter, iter_leaves
from leafmark.search.compile import CompiledTopic
from leafmark.search.options import SearchOptions
from leafmark.search.order import ChunkKey, elbow_cutoff, key_of
from leafmark.search.score import Scored, order_matches, score_topic
from leafmark.search.sections import section_filter

if TYPE_CHECKING:
    from leafmark.search.fuse import Meaning

POOL_PER_DOCUMENT = 6
"""Matches that a document may have beyond its places; they may be merged into their section."""

MAX_ROUNDS = 4
"""The most repeated searches of a topic, each without the documents that crowd out the others."""

REFS_AT_ONCE = 25


class TopicMatches(NamedTuple):
    """The matches of one topic: the scored ones, and the candidates after the cutoff.

    `total` counts the matches before the cutoff, `complete` those with all words. `is_cut` is true
    if more places would give more candidates.
    """

    candidates: list[Candidate]
    scored: Mapping[ChunkKey, Scored]
    total: int
    complete: int
    phases: tuple[Phase, ...]
    beyond: Mapping[str, int] = MappingProxyType({})
    is_cut: bool = False


FindCandidates = Callable[[int], TopicMatches]
"""Returns the matches of a topic with the candidates for a number of places."""


class Trace(NamedTuple):
    """The results of each phase of a search.

    `compiled` and `matches` are by topic. `ranked` are the results before the limit.
    """

    compiled: Sequence[Mapping[str | None, CompiledTopic]]
    matches: Sequence[TopicMatches]
    joined: Sequence[Candidate]
    grained: Sequence[Candidate]
    ranked: Sequence[Candidate]
    shown: Sequence[Candidate]
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
) -> FindCandidates:
    """Search for one topic, by words and, if requested and possible, by meaning."""
    if compiled and compiled[0].filters_only:
        return partial(_admitted, snapshot, compiled, options, number)
    is_open = names_documents(topic)
    scored, total, hidden = _by_words(snapshot, compiled, options, local_trees, is_open=is_open)
    if meaning is not None and options.mode != "lexical":
        from leafmark.search.fuse import fuse_meaning  # late: searches by words need none of it

        scored = fuse_meaning(snapshot, topic, compiled, scored, options, meaning, local_trees)
    wide = scored[: options.candidates]
    leading = _before_elbow(wide, options)
    most = 0 if is_open else options.max_per_document
    complete = len(scored) - _relaxed(scored)
    lacking = _relaxed(wide)
    note = f"{lacking} match some of the words only" if lacking else ""
    notes = "; ".join(filter(None, [note, *section_note(options)]))

    def find_candidates(needed: int) -> TopicMatches:
        places = _Places(needed, most, options.fold_versions)
        pool, beyond = _pool(snapshot, leading, places)
        beyond.update(hidden)
        entries = snapshot.entries([match.chunk for match in pool])
        phases = (
            Phase("candidates", total, len(wide), notes),
            _cutoff_phase(len(wide), len(pool), options.cutoff_ratio, needed),
        )
        return TopicMatches(
            [_candidate(*pair, number) for pair in zip(entries, pool, strict=True)],
            {key_of(entry): match for entry, match in zip(entries, pool, strict=True)},
            len(wide),
            complete,
            phases,
            beyond,
            len(pool) < len(leading),
        )

    return find_candidates


def _candidate(entry: Entry, match: Scored, topic: int) -> Candidate:
    return Candidate(
        entry,
        match.score,
        match.relaxed,
        (topic,),
        match.score,
        whole=match.is_whole,
        named=match.name > 0,
    )


def _relaxed(matches: Sequence[Scored]) -> int:
    return [match.relaxed for match in matches].count(True)


def _by_words(
    snapshot: Snapshot,
    compiled: Sequence[CompiledTopic],
    options: SearchOptions,
    local_trees: Collection[str],
    *,
    is_open: bool,
) -> tuple[list[Scored], int, Counter[str]]:
    """Return the matches of the words, best first, the number of all that were looked at, and how
    many of each document are left out.

    Where a few documents would take the places of all candidates, since each of their parts
    matches, they keep their best parts, and the other documents are searched.
    """
    best, others = score_topic(snapshot, compiled, options, local_trees)
    hidden: Counter[str] = Counter()
    scored = order_matches(snapshot, best, compiled, options)
    left_out: set[str] = set()
    for _ in range(0 if is_open or not options.max_per_document else MAX_ROUNDS):
        crowding = _crowding(snapshot, scored[: options.candidates], options)
        if len(scored) < options.candidates or left_out.issuperset(crowding):
            break
        left_out.update(crowding)
        thinned, more_hidden = _thinned(snapshot, scored, others, options, crowding)
        hidden += more_hidden
        more = score_topic(snapshot, compiled, options, local_trees, without=left_out)
        named = [match for match in best if match.name]  # names are looked for once
        by_chunk = {match.chunk: match for match in (*best, *more.best, *named)}
        best = [by_chunk[chunk] for chunk in {*thinned, *(match.chunk for match in more.best)}]
        others = (others | more.others).difference(match.chunk for match in best)
        scored = order_matches(snapshot, best, compiled, options)
    return scored, len(scored) + len(others), hidden


def _crowding(snapshot: Snapshot, wide: Sequence[Scored], options: SearchOptions) -> list[str]:
    """Return the documents with more matches than places, if other places stay empty."""
    taken: Counter[str] = Counter()
    for start in range(0, len(wide), REFS_AT_ONCE):
        refs = snapshot.refs([match.chunk for match in wide[start : start + REFS_AT_ONCE]])
        taken.update([doc_id for doc_id, _ in refs])
        if (
            sum([min(count, options.max_per_document) for count in taken.values()])
            >= options.keep_count
        ):
            return []
    most = options.max_per_document + POOL_PER_DOCUMENT
    return [doc_id for doc_id, count in taken.items() if count > most]


def _thinned(
    snapshot: Snapshot,
    scored: Sequence[Scored],
    others: Collection[Handle],
    options: SearchOptions,
    documents: Collection[str],
) -> tuple[list[Handle], Counter[str]]:
    """Return the chunks, of some documents only the best ones, and the number left out by document.

    `others` are counted, too.
    """
    most = options.max_per_document + POOL_PER_DOCUMENT
    taken: Counter[str] = Counter()
    kept_chunks = []
    chunks = [scored_match.chunk for scored_match in scored]
    for chunk, (doc_id, _) in zip(chunks, snapshot.refs(chunks), strict=True):
        taken[doc_id] += 1
        if doc_id not in documents or taken[doc_id] <= most:
            kept_chunks.append(chunk)
    taken.update(doc_id for doc_id, _ in snapshot.refs(list(others)))
    return kept_chunks, Counter(
        {doc_id: n - most for doc_id in documents if (n := taken[doc_id]) > most}
    )


def _before_elbow(scored: Sequence[Scored], options: SearchOptions) -> list[Scored]:
    """Return the matches before the elbow; relaxed ones fill the places that these leave.

    Each tier has an elbow of its own; relaxed matches behind all others are a tier.
    """
    first = len(scored) - _relaxed(scored)
    if _relaxed(scored[:first]):  # they are among the others
        return list(scored[: _elbow(scored, options)])
    strict = scored[: _elbow(scored[:first], options)]
    if len(strict) >= options.keep_count:
        return list(strict)
    rest = scored[first:]
    return [*strict, *rest[: _elbow(rest, options)]]


def _elbow(scored: Sequence[Scored], options: SearchOptions) -> int:
    return elbow_cutoff(
        [match.score for match in scored], ratio=options.cutoff_ratio, max_results=len(scored)
    )


class _Places(NamedTuple):
    """How many places there are, and how many of them a document may take (0: all)."""

    needed: int
    most: int
    is_shared: bool
    """Whether a document shares its places with its translations."""


def _pool(
    snapshot: Snapshot, scored: Sequence[Scored], places: _Places
) -> tuple[list[Scored], Counter[str]]:
    """Return the first matches that fill the places, and the number of others by document.

    A few more of a document's matches are taken to be joined to their section.
    """
    needed = places.needed
    most = places.most + POOL_PER_DOCUMENT if places.most else len(scored)
    taken: dict[tuple[str, str], int] = {}
    beyond: Counter[str] = Counter()
    pool: list[Scored] = []
    left: list[tuple[Scored, str]] = []
    filled = 0
    for start in range(0, len(scored), REFS_AT_ONCE):
        batch = scored[start : start + REFS_AT_ONCE]
        for match, (doc_id, _) in zip(batch, snapshot.refs([m.chunk for m in batch]), strict=True):
            if filled >= needed and (match.score < pool[-1].score or len(pool) >= 3 * needed):
                return pool, beyond
            tree, _, path = doc_id.partition(":")
            family = (tree, language_family(path)[0]) if places.is_shared else (tree, path)
            before = taken.get(family, 0)
            if before >= most:
                beyond[doc_id] += 1
                left.append((match, doc_id))
                continue
            taken[family] = before + 1
            filled += not places.most or before < places.most
            pool.append(match)
    for match, doc_id in left[: max(0, needed - len(pool))]:
        pool.append(match)
        beyond[doc_id] -= 1
    return pool, beyond


def names_documents(topic: Expression) -> bool:
    """Whether a query names documents, so that one of them may take all places."""
    filters = (node.leaf for node in iter_leaves(topic) if isinstance(node.leaf, Filter))
    return any(match.name in ("id", "under", "path") for match in filters)


def _admitted(
    snapshot: Snapshot,
    compiled: Sequence[CompiledTopic],
    options: SearchOptions,
    number: int,
    needed: int,
) -> TopicMatches:
    """Return the chunks that a topic of filters admits: each scores 1.0, in order of id."""
    query: Query = AnyOf(tuple(compiled.every_word for compiled in compiled))
    limit = options.candidates
    admits = section_filter(options.section)
    if admits is None:
        refs, total = _first(snapshot, query, limit, whole=options.joins_documents)
    else:
        refs, total = snapshot.first(query, snapshot.chunk_count)
    entries = [entry for ref in refs if (entry := snapshot.entry(*ref)) is not None]
    if admits is not None:
        entries = [entry for entry in entries if admits(entry)]
        total = len(entries)
    shown = entries[: min(limit, needed)]
    candidates = [Candidate(entry, 1.0, False, (number,), 1.0) for entry in shown]
    matched = min(total, limit)
    phases = (
        Phase("candidates", total, matched, "".join(section_note(options))),
        _cutoff_phase(matched, len(shown), options.cutoff_ratio, needed),
    )
    is_cut = len(shown) < min(limit, len(entries))
    return TopicMatches(candidates, {}, matched, matched, phases, is_cut=is_cut)


def _first(
    snapshot: Snapshot, query: Query, limit: int, *, whole: bool
) -> tuple[list[ChunkRef], int]:
    """Return the first matches of a filter, and the number of all matches.

    With `whole`, a document that matches stands for its parts, which are left out.
    """
    if not whole:
        return snapshot.first(query, limit)
    head = AllOf((query, InRange("position", 0, 0)))
    heads, _ = snapshot.first(head, limit)
    (total,) = snapshot.count([query])
    documents = HasAny("doc_id", tuple(doc_id for doc_id, _ in heads))
    rest, _ = snapshot.first(AllOf((query,), without=(documents, head)), limit)
    last = heads[-1:] if len(heads) >= limit else []
    others = [ref for ref in rest if not last or ref < last[0]]
    return sorted([*heads, *others])[:limit], total


def section_note(options: SearchOptions) -> list[str]:
    patterns = " or ".join(f"“{pattern}”" for pattern in options.section)
    return [f"only sections like {patterns}"] if patterns else []


def _cutoff_phase(before: int, after: int, ratio: float, needed: int) -> Phase:
    note = f"scores fall below {ratio:g} of the one before, or {needed} are kept"
    return Phase("cutoff", before, after, "" if before == after else note)
