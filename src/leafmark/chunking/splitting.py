"""Splitting: a range of a body into units that are small enough to be packed.

Block, then the blocks inside it (items, rows, paragraphs of a quote), then
sentences, then a hard cut; each only where the level above is too large. Units
tile the range: white space belongs to the unit before it. A code block is never
cut unless that is asked for, and a table only between rows; what a script's
parser says of the blocks inside a block of it is no cut but a place between two.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from operator import itemgetter

from leafmark.chunking.lone_tags import are_opening_tags
from leafmark.chunking.markup_tables import MarkupTable
from leafmark.chunking.table_units import split_table
from leafmark.chunking.unit_places import along_headings, along_rows
from leafmark.chunking.units import Cutter, Unit
from leafmark.model import Block, Document, TopBlocks

__all__ = ["split"]

_DEEPEST = 8
"""Containers in containers that are looked into before sentences are; code is kept at any depth."""

_SURELY_LARGE = 8
"""A block of more bytes than this for each token of the capacity is split without being counted."""

_SOLID = frozenset(("code", "table", "list_item"))
"""What is not split while it fits."""

_ITEM = Block("list_item", 0, 0, 1)
"""An item of a list at the top, as far as splitting asks: where it stands, its unit says."""

_new = tuple.__new__  # half the cost of calling a named tuple's class
_start_of: Callable[[Block], int] = itemgetter(1)


def split(cutter: Cutter, start: int, end: int) -> list[Unit]:
    """Return the units of `[start, end)`, which begins and ends between blocks."""
    reader = cutter.reader
    blocks, headings = reader.top_within(start, end), reader.headings_within(start, end)
    found: Sequence[MarkupTable] = ()
    opening: Container[int] = ()
    if "html" in blocks.kinds:
        found = reader.markup_tables(start, end)
        opening = _opening_tags(reader.document, blocks)
    tables = [table for table in found if start <= table.start and table.end <= end]
    if tables or headings or not blocks or "heading" in blocks.kinds:
        places = along_headings(start, headings, blocks)
        if tables:
            fits = partial(cutter.meter.fits, limit=cutter.capacity)
            places = along_rows(places, tables, fits=fits, row=_ITEM)
        starts, placed = [at for at, _ in places], [block for _, block in places]
        return _split_at(cutter, starts, placed, end=end, opening=opening)
    return _split_at(cutter, [start, *blocks.starts[1:]], blocks, end=end, opening=opening)


def _opening_tags(document: Document, blocks: TopBlocks) -> set[int]:
    """Where blocks of Markdown begin that are tags that open what follows."""
    if document.format != "markdown":
        return set()
    data, columns = document.data, zip(blocks.kinds, blocks.starts, blocks.ends, strict=True)
    return {
        start
        for kind, start, end in columns
        if kind == "html" and are_opening_tags(data, start, end)
    }


def _split_at(
    cutter: Cutter,
    starts: Sequence[int],
    blocks: Sequence[Block | None],
    *,
    end: int,
    opening: Container[int] = (),
) -> list[Unit]:
    """Return units that begin at some of `starts`, each with the block that it is made of.

    One begins at each of `opening`.
    """
    places, starts = starts, cutter.crumbs_joined(starts, end, kept_starts=opening)
    ends = [*starts[1:], end]
    most = cutter.capacity * _SURELY_LARGE
    sizes = cutter.meter.sizes(starts, end, most_bytes=most)
    ranges = zip(starts, ends, sizes, strict=True)
    if max(sizes) <= cutter.grain:
        return [_new(Unit, (*extent, False, False, 0)) for extent in ranges]
    units: list[Unit] = []
    for start, after, tokens in ranges:
        if tokens <= cutter.grain:
            units.append(_new(Unit, (start, after, tokens, False, False, 0)))
            continue
        block = blocks[bisect_right(places, start) - 1]
        solid = block is not None and block.kind in _SOLID
        if solid and after - start > most:
            before = starts[max(0, starts.index(start) - 1)]
            tokens = cutter.meter.sizes([before, start], after, most_bytes=after)[-1]
        unit = Unit(start, after, tokens)
        if solid and tokens <= cutter.capacity:
            units.append(unit)
        else:
            units += _refine(cutter, unit, block)
    return units


def _refine(cutter: Cutter, unit: Unit, block: Block | None) -> Iterable[Unit]:
    """Split a unit that is too large one level down."""
    kind = None if block is None else block.kind
    if block is not None and kind == "table":
        return split_table(cutter, unit, block, split_at=_split_at)
    if kind == "html":
        return cutter.cut_html(unit)
    starts, nested = _nested(cutter, unit, block)
    if nested:
        return _split_at(cutter, [unit.start, *starts[1:]], nested, end=unit.end)
    if kind == "code":
        return cutter.keep_code(unit)
    return cutter.cut_prose(unit, cutter.capacity)


def _nested(cutter: Cutter, unit: Unit, block: Block | None) -> tuple[list[int], list[Block]]:
    """The blocks that the unit's block is made of, where there are several at some level.

    Or a table that is the only one. Before them, where they begin.
    """
    if block is None:
        return [], []
    if block.kind == "list" and not block.level:
        starts = cutter.reader.item_starts(block)
        starts = [at for at in starts if unit.start <= at < unit.end]
        if starts:
            return starts, [_ITEM] * len(starts)
    inside = cutter.reader.blocks_within(unit.start, unit.end)
    levels: list[list[Block]] = [[] for _ in range(block.level + 1, _DEEPEST)]
    for inner in inside:
        if block.level < inner.level < _DEEPEST:
            levels[inner.level - block.level - 1].append(inner)
    for nested in levels:
        if len(nested) > 1 or (nested and nested[0].kind == "table"):
            return [*map(_start_of, nested)], nested
    return [], []
