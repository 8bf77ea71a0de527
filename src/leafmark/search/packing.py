"""The order in which the bytes of an answer are added when it must fit a budget.

First comes the place of every result, by rank: its breadcrumb and id. Then, result by
result, its heading and lead, and its other units by score until it is whole. An answer
within a budget is the longest beginning of that order that fits; `render.fitting` knows
what printing it costs.

A unit is a block with the heading before it: a paragraph, a list item, a term with what
explains it, a table, a code block. Long paragraphs are cut at the ends of lines and
sentences, so that there is always something small to show.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial

from leafmark.model import (
    PREAMBLE,
    Chunk,
    Document,
    Entry,
    Extent,
    Item,
    Omission,
    Packing,
    Passage,
    ReadableText,
    Relation,
    Result,
    Span,
    Step,
    Unit,
    heading_and_span,
    merge,
    whole_range,
)
from leafmark.namedtuples import NamedTuple
from leafmark.search.citations import format_citation
from leafmark.search.order import key_of

UNIT_BYTES = 800
"""Longer paragraphs are cut; about 200 tokens of English. Chosen by eye: a long paragraph."""

_WHOLE = frozenset({"code", "table", "front_matter"})
"""Blocks that are never cut: a part of one means nothing."""

_CUT = re.compile(rb"[\r\n]+|(?<=[.!?])[ \t]+|\xe3\x80\x82")
"""Where a long paragraph may be cut: after a line, a sentence, an ideographic full stop."""


class Structure(NamedTuple):
    """A parsed document, all its chunks in order, and its slugs."""

    document: Document
    chunks: Sequence[Chunk | Entry]
    slugs: Container[str | None]


def own_ranges(chunk: Chunk | Entry) -> list[tuple[int, int]]:
    """Return the ranges of a chunk's heading and own body; adjoining ones are joined."""
    *heading, _ = heading_and_span(chunk)
    return merge([*heading, *chunk.body_spans])


def own_passages(entry: Entry, source: bytes, reading: ReadableText | None) -> tuple[Passage, ...]:
    """Return the heading and own body of a chunk, with citations, without blank parts.

    If the bytes are markup, `reading` is the text that a person reads in them.
    """
    item = Item(entry.id, source, (entry.byte_start, entry.byte_end), reading=reading)
    all_passages = [_passage(item, [Unit(*span, 0)]) for span in own_ranges(entry)]
    return tuple(passage for passage in all_passages if passage.text.strip())


def make_item(
    chunk: Chunk | Entry,
    owner: Structure,
    ranges: Sequence[tuple[int, int]],
    count: Callable[[str], int],
    result: Result | None = None,
    reading: ReadableText | None = None,
) -> Item:
    """Return a chunk for packing: the parts of the source in `ranges`, sorted and disjoint.

    With the chunk's `result`, the units that matched best come first. If the bytes are
    markup, `reading` is the text that a person reads in them.
    """
    data = owner.document.data
    text_of = partial(_text, data, reading)
    below = owner.chunks[chunk.position : chunk.last_position + 1]
    extents = _extents(below)
    cuts = _cuts(owner.document, below)
    units = tuple(
        Unit(start, end, count(text_of(start, end)))
        for first, last in ranges
        for start, end in _between(cuts, first, last, text_of)
    )
    return Item(
        id=chunk.id,
        source=data,
        span=(chunk.byte_start, chunk.byte_end),
        units=units,
        order=_order(units, extents, owner.document.front_matter, result),
        extents=extents,
        reading=reading,
        preamble=_preamble(below, owner.slugs),
    )


def _extents(chunks: Sequence[Chunk | Entry]) -> tuple[Extent, ...]:
    """Return the extents of consecutive chunks, in order."""
    extents = []
    section_start = whole_range(chunks[0])[1]
    for chunk in reversed(chunks):
        start, end = whole_range(chunk)
        extents.append(Extent(start, end, chunk.id, min(end, section_start)))
        if _holds_sections(chunk):
            section_start = start
    return tuple(reversed(extents))


def _holds_sections(chunk: Chunk | Entry) -> bool:
    """Whether a chunk is a section, or a piece that covers sections."""
    return chunk.kind != "piece" or bool(chunk.covers)


def _preamble(chunks: Sequence[Chunk | Entry], slugs: Container[str | None]) -> Extent | None:
    """Return the extent before a document's sections; None if it has no id of its own."""
    document = chunks[0]
    end = next((whole_range(chunk)[0] for chunk in chunks[1:] if _holds_sections(chunk)), None)
    if document.kind != "document" or end is None or PREAMBLE in slugs:
        return None
    return Extent(document.byte_start, end, f"{document.id}#{PREAMBLE}", end)


def _text(data: bytes, reading: ReadableText | None, start: int, end: int) -> str:
    """Return the readable text of bytes."""
    if reading is not None:
        return reading.shown(*reading.text_range(start, end))
    return data[start:end].decode("utf-8", "replace")


def _cuts(document: Document, chunks: Sequence[Chunk | Entry]) -> list[int]:
    """Return where units begin, sorted: at headings, and at all blocks but the first below one.

    Units also begin where chunks begin and end.
    """
    start, end = whole_range(chunks[0])
    data = document.data
    heads = {
        whole_range(chunk)[0]: chunk.heading_end or chunk.byte_start
        for chunk in chunks
        if chunk.kind != "piece"
    }
    edges = {at for chunk in chunks for at in whole_range(chunk) if start < at < end}
    blocks = [block for block in document.blocks if start <= block.start < end]
    starts = {
        block.start
        for block in blocks
        if block.level == 0
        or (block.level == 1 and block.kind == "list_item")
        or block.kind == "definition"
    }
    cuts: list[int] = []
    for at in sorted({start, *heads, *starts, *edges}):
        text_start = heads.get(cuts[-1]) if cuts else None
        if at in heads or text_start is None or data[text_start:at].strip():
            cuts.append(at)
    whole_blocks = _outermost((block.start, block.end) for block in blocks if block.kind in _WHOLE)
    return sorted({*cuts, *_finer(cuts, end, data, whole_blocks)})


def _finer(
    cuts: Sequence[int], end: int, data: bytes, whole_blocks: Sequence[tuple[int, int]]
) -> Iterator[int]:
    """Yield further cuts in long stretches between cuts, outside of blocks that are kept whole."""
    for start, stop in zip(cuts, (*cuts[1:], end), strict=True):
        if stop - start <= UNIT_BYTES:
            continue
        last = start
        for cut in _CUT.finditer(data, start, stop):
            at = cut.end()
            if at - last >= UNIT_BYTES and at < stop and not _inside(whole_blocks, at):
                yield at
                last = at


def _outermost(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans that lie in no other span, sorted; spans are nested or disjoint."""
    outermost: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not outermost or start >= outermost[-1][1]:
            outermost.append((start, end))
    return outermost


def _inside(spans: Sequence[tuple[int, int]], at: int) -> bool:
    """Whether a place lies inside one of the sorted spans, not at its start or end."""
    before = bisect_left(spans, (at,)) - 1
    return before >= 0 and spans[before][0] < at < spans[before][1]


def _between(
    cuts: Sequence[int], first: int, last: int, text_of: Callable[[int, int], str]
) -> Iterator[tuple[int, int]]:
    """Yield the ranges that the cuts make of `[first, last)`.

    Blank text belongs to the range after it; at the end, to the range before it.
    """
    start = first
    ends = [*cuts[bisect_right(cuts, first) : bisect_left(cuts, last)], last]
    while len(ends) > 1 and not text_of(ends[-2], last).strip():
        del ends[-2]
    for end in ends:
        if text_of(start, end).strip():
            yield start, end
            start = end


def _order(
    units: Sequence[Unit],
    extents: Sequence[Extent],
    front_matter: Span | None,
    result: Result | None,
) -> tuple[int, ...]:
    """Return the order in which units are added: the lead, then by score, front matter last.

    A unit has the score of the chunk that it ends in, since it may begin with the heading of
    the section above. Among the units of one chunk, those with matches come first.
    """
    scores, matches = _matched(result) if result else ({}, [])

    def key(at: int) -> tuple[bool, float, bool, int]:
        unit = units[at]
        is_front = front_matter is not None and unit.start < front_matter.end
        owner = _narrowest(extents, unit.end - 1, unit.end).id
        matched = any(unit.start <= start < unit.end for start in matches)
        return is_front, -scores.get(owner, 0.0), not matched, at

    def is_text(at: int) -> bool:
        return front_matter is None or units[at].start >= front_matter.end

    lead = next(filter(is_text, range(len(units))), None)
    rest = sorted((at for at in range(len(units)) if at != lead), key=key)
    return tuple(rest if lead is None else (lead, *rest))


def _matched(result: Result) -> tuple[dict[str, float], list[int]]:
    """Return the score of each chunk that matched in its own text, and where matches begin."""
    scores: dict[str, float] = {}
    matches: list[int] = []
    for part in result.with_constituents():
        ranges = part.file_ranges
        matches += [start for start, _ in ranges]
        if ranges or not part.constituents:
            scores[part.entry.id] = part.score
    return scores, matches


def _narrowest(extents: Sequence[Extent], start: int, end: int) -> Extent:
    """Return the deepest chunk that holds `[start, end)`; if none does, the outermost."""
    before = bisect_right(extents, start, key=lambda extent: extent.start)
    holding = (extent for extent in reversed(extents[:before]) if end <= extent.end)
    return next(holding, extents[0])


def pack(results: Sequence[Item], added: Sequence[Item] = ()) -> Packing:
    """Return the packing order of an answer's results and of the chunks added by expansion."""
    steps = [Step(at) for at in range(len(results))]
    for at, item in enumerate(results):
        steps += [Step(at, unit) for unit in item.order]
    for at, item in enumerate(added, start=len(results)):
        steps += [Step(at), *(Step(at, unit) for unit in item.order)]
    return Packing((*results, *added), tuple(steps))


def passages(item: Item, shown: Iterable[int]) -> tuple[Passage | Omission, ...]:
    """Return an item's units in order of the text: passages `shown`, and omissions between."""
    shown_places = set(shown)
    runs: list[tuple[bool, list[Unit]]] = []
    for at, unit in enumerate(item.units):
        is_shown = at in shown_places
        if runs and runs[-1][0] == is_shown and (not is_shown or runs[-1][1][-1].end == unit.start):
            runs[-1][1].append(unit)
        else:
            runs.append((is_shown, [unit]))
    return tuple(
        _passage(item, run) if is_shown else _omission(item, run) for is_shown, run in runs
    )


def _omission(item: Item, run: Sequence[Unit]) -> Omission:
    whole, end = _narrowest(item.extents, run[0].start, run[-1].end), run[-1].end
    if item.preamble and whole.id == item.id and end <= item.preamble.end:
        whole = item.preamble
    is_own = end <= whole.own_end < whole.end
    return Omission(whole.id, sum(unit.tokens for unit in run), own=is_own)


def _passage(item: Item, run: Sequence[Unit]) -> Passage:
    start, end = run[0].start, run[-1].end
    first, last = max(start, item.span[0]), min(end, item.span[1])
    citation = None
    if first < last:  # not only a heading
        digest = hashlib.sha256(item.source[first:last]).hexdigest()
        citation = format_citation(item.id, digest, first, last)
    if item.reading is None:
        return Passage(start, end, item.source[start:end].decode("utf-8", "replace"), citation)
    first, last = item.reading.text_range(start, end)
    text = item.reading.shown(first, last)
    first += len(text) - len(text.lstrip("\n"))
    return Passage(start, end, text.strip("\n") + "\n", citation, item.reading, first)


ChunksOf = Callable[[Entry], Sequence[Entry]]
"""Returns all chunks of a chunk's document, by position."""


def expand(
    shown: Sequence[Sequence[Entry]],
    relations: Sequence[Relation],
    chunks_of: ChunksOf,
    *,
    whole: bool,
) -> list[list[tuple[Relation, Entry]]]:
    """Return the chunks that are added to each result, in the order of `relations`.

    Each of `shown` is a result followed by what was merged into it. With `whole`, a result's
    text holds all that is below it: none of that is added, and the next chunk is the one
    after all of it.
    """
    known = {key_of(entry) for group in shown for entry in group}
    if whole:
        known |= {
            (result.tree, result.path, position)
            for result, *_ in shown
            for position in range(result.position, result.last_position + 1)
        }
    added = []
    for result, *_ in shown:
        related = []
        chunks = chunks_of(result)
        for relation in relations:
            for entry in _related(result, relation, chunks, whole):
                if key_of(entry) not in known:
                    known.add(key_of(entry))
                    related.append((relation, entry))
        added.append(related)
    return added


def _related(
    entry: Entry, relation: Relation, chunks: Sequence[Entry], whole: bool
) -> Iterator[Entry]:
    if relation == "parent":
        yield from _at(chunks, entry.parent_position)
    elif relation == "siblings":
        if entry.parent_position >= 0:
            siblings = (chunk for chunk in chunks if chunk.parent_position == entry.parent_position)
            yield from (chunk for chunk in siblings if chunk.position != entry.position)
    elif relation == "children":
        yield from (chunk for chunk in chunks if chunk.parent_position == entry.position)
    elif relation == "prev":
        yield from _at(chunks, entry.position - 1)
    else:
        yield from _at(chunks, (entry.last_position if whole else entry.position) + 1)


def _at(chunks: Sequence[Entry], position: int) -> Iterator[Entry]:
    if 0 <= position < len(chunks):
        yield chunks[position]
