"""The grain of results: matches are merged into sections, or the user fixes the grain.

In: candidates after the cutoff. Out: a list in which no result lies below another. Merged
candidates are kept in `constituents`, so that nothing is lost.

`auto` merges children into their parents; a section that is too large to read whole
stands for its own text, before its subsections. `piece` leaves every chunk as it matched.
`section` gives the sections of pieces and merges sections as `auto` does, but never into a
whole document: a document with sections is a result only for its own text, or if none of
its sections is a result. `document` gives whole documents.

Positions number the chunks of a document in pre-order, so the descendants of a chunk have
the positions up to its `last_position`. Parents are taken by falling position: everything
below a parent is merged before it, and its record is read only if it takes in its children.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from leafmark.model import Candidate, DocumentKey, Entry, Phase, whole_range
from leafmark.namedtuples import NamedTuple
from leafmark.search.options import SearchOptions
from leafmark.search.order import (
    ChunkKey,
    document_of,
    key_of,
    sort_candidates,
    topics_of,
)

STANDS_ABOVE = 0.7
"""A chunk that is too large stays a result if all matches below it score less than this share.

Chosen by `leafmark eval` among 0.7, 1 and always giving way (docs/decisions/grain.md).
"""

FindParent = Callable[[Entry], Entry]
"""Returns the entry of a chunk's parent; never called for a document."""

MeasureText = Callable[[Entry], int]
"""Returns the tokens of a chunk's whole text, with all that is below it."""


def aggregate(
    candidates: Sequence[Candidate],
    options: SearchOptions,
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
        if len(document) == 1 and not _is_enough(document, options):  # most of them
            done += document
            continue
        merger = _Merger(options, find_parent, measure_text, may_stand)
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
) -> tuple[list[Candidate], Phase]:
    """Drop matches of more than `limit` tokens if a match below them is about as good.

    Such a chunk would take in all that is below it, and a reader would have to read it
    whole. It stays if it scores clearly best, or if it is strict and the matches below are
    not. So does a document whose parts score as it does: they match by what they share, its
    titles, path or tags. An introduction is what is read of a large one already.

    One of any size gives way to a section that alone bears the name asked for.
    """
    dropped: set[ChunkKey] = set()
    for document in _by_document(candidates):
        if len(document) == 1:
            continue
        document.sort(key=lambda candidate: candidate.entry.position)
        positions = [candidate.entry.position for candidate in document]
        for at, candidate in enumerate(document):
            below = document[at + 1 : bisect_right(positions, candidate.entry.last_position)]
            if candidate.introduction:
                continue
            if _is_asked_below(below, candidate) or (
                _gives_way(candidate, below) and measure_text(candidate.entry) > limit
            ):
                dropped.add(key_of(candidate.entry))
    remaining = list(candidates)
    if dropped:
        remaining = [
            candidate for candidate in candidates if key_of(candidate.entry) not in dropped
        ]
    note = f"{len(dropped)} gave way to parts of them" if dropped else ""
    return remaining, Phase("large", len(candidates), len(remaining), note)


def _gives_way(candidate: Candidate, below: Sequence[Candidate]) -> bool:
    """Whether a match below a candidate is about as good or better."""
    alike = [part for part in below if part.relaxed == candidate.relaxed]
    if candidate.relaxed and len(alike) < len(below):
        return True
    good = [
        alike_part for alike_part in alike if alike_part.score >= STANDS_ABOVE * candidate.score
    ]
    if candidate.entry.kind != "document":
        return bool(good)
    return any(alike_part.score != candidate.score for alike_part in good)


def _by_document(candidates: Iterable[Candidate]) -> Iterable[list[Candidate]]:
    documents: dict[DocumentKey, list[Candidate]] = {}
    for candidate in candidates:
        documents.setdefault(document_of(candidate.entry), []).append(candidate)
    return documents.values()


class _Merger:
    """The candidates of one document while children are merged."""

    def __init__(
        self,
        options: SearchOptions,
        find_parent: FindParent,
        measure_text: MeasureText,
        may_stand: Callable[[Entry], bool] | None = None,
    ):
        self.options = options
        self.find_parent = find_parent
        self.measure_text = measure_text
        self.may_stand = may_stand
        self.merges = 0
        self.active: dict[int, Candidate] = {}
        self.children: dict[int, list[int]] = {}
        self.waiting: list[int] = []

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
        children = [self.active[position] for position in positions]
        if not _is_enough(children, self.options):
            return
        own = self.active.get(parent_position)
        if _is_asked_below(children, own):
            return
        parent = own.entry if own else self.find_parent(children[0].entry)
        if not self._may_stand(parent):
            return
        for position in positions:
            del self.active[position]
        self.merges += 1
        self._add(merge_into(parent, children, own, self.options.merge_bonus))

    def _may_stand(self, parent: Entry) -> bool:
        if parent.depth < self.options.max_merge_depth:
            return False
        if self.may_stand is not None and not self.may_stand(parent):
            return False
        most = self.options.aggregation_max_tokens
        return not most or self.measure_text(parent) <= most


def _is_asked_below(below: Iterable[Candidate], above: Candidate | None) -> bool:
    """Whether exactly one section has the requested name, and its parent does not."""
    named = [
        candidate_below
        for candidate_below in below
        if candidate_below.named and candidate_below.entry.kind != "piece"
    ]
    return (
        len(named) == 1
        and len(named[0].entry.section_path) > 1  # else it is called as its document
        and not (above and above.named)
    )


def _is_enough(children: Sequence[Candidate], options: SearchOptions) -> bool:
    """Whether enough of a parent's children match for it to stand for them."""
    share = len(children) / children[0].entry.sibling_count
    enough = len(children) >= options.aggregation_min_matches
    return enough and share >= options.aggregation_threshold


def merge_into(
    parent: Entry, children: Sequence[Candidate], own: Candidate | None, bonus: float = 0.0
) -> Candidate:
    """Return the parent as a candidate that holds `children`; `own` is its own match, if any.

    The constituents of `own` and its flag `named` are kept. The parent is relaxed only if all
    of these matches are; otherwise only the strict ones count. It scores as the best that counts,
    times 1 plus `bonus` for each child that counts.
    """
    held_before = own.constituents if own else ()
    parts = [*children, own] if own else list(children)
    counted = [part for part in parts if not part.relaxed] or parts
    matches = sum(1 for part in counted if part is not own)
    return Candidate(
        entry=parent,
        score=max(part.score for part in counted) * (1 + bonus * matches),
        relaxed=counted[0].relaxed,
        topics=topics_of(parts),
        direct_score=own.direct_score if own else None,
        constituents=tuple(sort_candidates((*held_before, *children))),
        factors=own.factors if own else (),
        named=own.named if own else False,
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
    ancestors: list[int | None] = []
    open_entries: list[int] = []
    for at, entry in enumerate(entries):
        while open_entries and entries[open_entries[-1]].last_position < entry.position:
            open_entries.pop()
        ancestors.append(open_entries[-1] if open_entries else None)
        if above(entry):
            open_entries.append(at)
    return ancestors


class Introduce(NamedTuple):
    """Makes introductions; `find_next` returns the next chunk of a document.

    It is never called for the last one.
    """

    find_next: Callable[[Entry], Entry]

    def alone(self, candidate: Candidate) -> Candidate | None:
        """Return a candidate narrowed to its own text, None if it has none or nothing else."""
        whole = candidate.entry
        if candidate.whole or whole.last_position == whole.position:
            return None
        if whole.content_type == "empty":
            return self._with_first_text(candidate) if candidate.named else None
        first_below = self.find_next(whole)
        entry = introduction_of(whole, first_below)
        longest = max(map(_length, whole.body_spans), default=0)
        if entry is not None and longest > BEHIND * sum(map(_length, entry.body_spans)):
            entry = self._behind(whole, first_below)
        return None if entry is None else candidate._replace(entry=entry, introduction=True)

    def _behind(self, whole: Entry, first_below: Entry) -> Entry:
        """Return a chunk narrowed to the longest of its texts between the chunks below it."""
        start, end = max(whole.body_spans, key=_length)
        line_start, line_end = whole.line_start, whole.line_end
        below = first_below
        while whole_range(below)[0] < end:
            line_start = below.line_end
            if below.last_position >= whole.last_position:
                break
            below = self.find_next(below._replace(position=below.last_position))
        else:
            line_end = below.line_start
        return whole._replace(
            last_position=whole.position,
            body_spans=((start, end),),
            heading_start=None,
            heading_end=None,
            byte_start=start,
            byte_end=end,
            line_start=line_start,
            line_end=line_end,
        )

    def _with_first_text(self, candidate: Candidate) -> Candidate | None:
        """Return a candidate without text of its own, narrowed to the first text below it."""
        last = candidate.entry
        while last.position < candidate.entry.last_position and last.content_type == "empty":
            last = self.find_next(last)
        if last.content_type == "empty" or not last.body_spans:
            return None
        first = last.body_spans[0]
        entry = candidate.entry._replace(
            last_position=last.position,
            body_spans=(*candidate.entry.body_spans, first),
            byte_end=first[1],
            line_end=last.line_end,
            content_type=last.content_type,
            block_types=last.block_types,
        )
        return candidate._replace(entry=entry, introduction=True)

    def with_pieces(self, candidate: Candidate) -> Candidate:
        """Return a candidate narrowed to its pieces, before its first section."""
        last = candidate.entry
        while last.position < candidate.entry.last_position:
            following = self.find_next(last)
            if following.kind != "piece":
                entry = _ending_before(candidate.entry, following, last_position=last.position)
                return candidate._replace(entry=entry, introduction=True)
            last = following
        return candidate


def give_introductions(
    candidates: Sequence[Candidate],
    limit: int,
    measure_text: MeasureText,
    introduce: Introduce,
) -> tuple[list[Candidate], Phase]:
    """Narrow chunks of more than `limit` tokens to their own text.

    Such a candidate has no descendants any more, so it absorbs no other result.
    """

    def narrowed(candidate: Candidate) -> Candidate:
        is_empty = candidate.named and candidate.entry.content_type == "empty"
        if not is_empty and not may_introduce(candidate.entry, limit, measure_text):
            return candidate
        if is_empty and measure_text(candidate.entry) <= limit:
            return candidate
        return introduce.alone(candidate) or candidate

    introduced = [narrowed(candidate) for candidate in candidates]
    count = sum(candidate.introduction for candidate in introduced)
    stand = "stands for its" if count == 1 else "stand for their"
    note = f"{count} of over {limit} tokens {stand} own text" if count else ""
    return introduced, Phase("introductions", len(candidates), len(introduced), note)


def may_introduce(entry: Entry, limit: int, measure_text: MeasureText) -> bool:
    """Whether a chunk of more than `limit` tokens has something below it, and text of its own."""
    return (
        entry.last_position > entry.position
        and entry.content_type != "empty"
        and measure_text(entry) > limit
    )


def _length(span: tuple[int, int]) -> int:
    return span[1] - span[0]


BEHIND = 8
"""By what factor a text behind the first chunk below is longer than what stands before that, where
it is the chunk's text: an entry of a manual may stand above its section's text."""


def introduction_of(entry: Entry, first_below: Entry) -> Entry | None:
    """Return a chunk as it would be if it ended where the first one below it begins.

    None if it has no text before that. Text between the chunks below (such as blank lines
    between the methods of a class) is left out.
    """
    before = _ending_before(entry, first_below, last_position=entry.position)
    return before if before.body_spans else None


def _ending_before(entry: Entry, below: Entry, *, last_position: int) -> Entry:
    """Return a chunk as it would be if it ended where one below it begins."""
    end, _ = whole_range(below)
    return entry._replace(
        last_position=last_position,
        body_spans=tuple(span for span in entry.body_spans if span[0] < end),
        byte_end=max(entry.byte_start, end),
        line_end=max(entry.line_start, below.line_start - 1),
    )


def bring_to_grain(
    candidates: Sequence[Candidate],
    options: SearchOptions,
    *,
    find_parent: FindParent,
    measure_text: MeasureText,
    introduce: Introduce,
    may_stand: Callable[[Entry], bool] | None = None,
) -> tuple[list[Candidate], list[Phase]]:
    """Return the results at the requested grain, best first, and the phases.

    Nothing is merged into a parent unless `may_stand` holds for it. At the grain `auto`, a
    chunk that is too large becomes a result for its own text.
    """
    if not options.aggregation or options.grain == "piece":
        return sort_candidates(candidates), []
    at_grain, phases = list(candidates), []
    if options.grain != "auto":
        at_grain, phase = _lift(at_grain, _NODE_OF[options.grain], find_parent)
        phases.append(phase)
    if options.grain == "section":
        options = options._replace(max_merge_depth=max(1, options.max_merge_depth))
    at_grain, phase = aggregate(
        at_grain, options, find_parent=find_parent, measure_text=measure_text, may_stand=may_stand
    )
    phases.append(phase)
    limit = options.aggregation_max_tokens
    if limit and options.grain == "auto":
        at_grain, phase = give_introductions(at_grain, limit, measure_text, introduce)
        phases.append(phase)
    if limit and options.grain != "document":
        at_grain, phase = drop_large(at_grain, limit, measure_text)
        phases.append(phase)
    sections_only = options.grain == "section"
    if sections_only:
        at_grain, phase = _part_from_sections(at_grain, introduce)
        phases.append(phase)
    at_grain, phase = filter_ancestors(
        at_grain, above=lambda entry: not (sections_only and entry.kind == "document")
    )
    return at_grain, [*phases, phase]


_NODE_OF: dict[str, Callable[[Entry], bool]] = {
    "section": lambda entry: entry.kind != "piece",
    "document": lambda entry: entry.kind == "document",
}


def _part_from_sections(
    candidates: Sequence[Candidate], introduce: Introduce
) -> tuple[list[Candidate], Phase]:
    """Narrow documents to their own text; drop documents without any.

    A document with merged pieces of its own text keeps them, and ends before its sections.
    """
    of_sections = {
        document_of(candidate.entry)
        for candidate in candidates
        if candidate.entry.kind == "section"
    }
    remaining = []
    for candidate in candidates:
        if candidate.entry.kind == "document" and candidate.constituents:
            candidate = introduce.with_pieces(candidate)
        elif candidate.entry.kind == "document":
            alone = introduce.alone(candidate)
            if alone is None and document_of(candidate.entry) in of_sections:
                continue
            candidate = alone or candidate
        remaining.append(candidate)
    gone = len(candidates) - len(remaining)
    note = f"{gone} gave way to {'its' if gone == 1 else 'their'} sections" if gone else ""
    return remaining, Phase("documents", len(candidates), len(remaining), note)


def _lift(
    candidates: Sequence[Candidate], is_node: Callable[[Entry], bool], find_parent: FindParent
) -> tuple[list[Candidate], Phase]:
    """Replace every candidate by the nearest node for which `is_node` holds: itself or above."""
    nodes: dict[tuple[str, str, int], tuple[Entry, list[Candidate]]] = {}
    matched = {key_of(candidate.entry): candidate for candidate in candidates}
    for candidate in candidates:
        entry = candidate.entry
        while not is_node(entry):
            entry = find_parent(entry)
        nodes.setdefault(key_of(entry), (entry, []))[1].append(candidate)
    lifted = []
    for key, (entry, members) in nodes.items():
        below = [candidate for candidate in members if key_of(candidate.entry) != key]
        lifted.append(merge_into(entry, below, matched.get(key)) if below else members[0])
    return sort_candidates(lifted), Phase("grain", len(candidates), len(lifted))
