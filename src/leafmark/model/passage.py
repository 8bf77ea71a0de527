"""What of a result is shown and what is left out, and the order in which a budget fills up.

An answer that must fit a number of tokens is the beginning of one fixed order of
bytes: see `Packing`. Offsets are bytes of the source, half-open.
"""

from typing import NamedTuple

from leafmark.model.readable import ReadableText

__all__ = ["Extent", "Item", "Omission", "Packing", "Passage", "Step", "Unit"]


class Passage(NamedTuple):
    """Consecutive bytes of a source, as text.

    `citation` covers those that lie in the result's span; it is None for a
    heading alone, which lies before the span. Where the bytes are markup, `text`
    is what a person reads in them: the part of `reading` from `text_start` on.
    """

    start: int
    end: int
    text: str
    citation: str | None = None
    reading: ReadableText | None = None
    text_start: int = 0


class Omission(NamedTuple):
    """What was left out: its cost, and the id to ask for.

    `results` counts whole results that have no place; `id` is the first one's then.
    `own` says that nothing of the sections below it is missing here, only its own text.
    """

    id: str
    tokens: int
    results: int = 0
    own: bool = False


class Unit(NamedTuple):
    """Bytes that are shown or left out together: a block of text, with a heading before it."""

    start: int
    end: int
    tokens: int


class Extent(NamedTuple):
    """Where a chunk lies, its heading included; `own_end` is where sections below it begin."""

    start: int
    end: int
    id: str
    own_end: int


class Item(NamedTuple):
    """One result as it is packed.

    `units` are in order of the text and disjoint; `order` holds their indexes in
    the order in which they are added. `span` is the chunk's own, without its
    heading. `extents` are those of the chunk and of all below it, each after
    its parent. An item whose source cannot be read has no units. `reading` is what
    a person reads in all of it where the bytes are markup. `preamble` is what stands
    in a document before its sections, which has an id of its own.
    """

    id: str
    source: bytes
    span: tuple[int, int]
    units: tuple[Unit, ...] = ()
    order: tuple[int, ...] = ()
    extents: tuple[Extent, ...] = ()
    reading: ReadableText | None = None
    preamble: Extent | None = None


class Step(NamedTuple):
    """One addition to an answer: an item's place (`unit` is None), or one of its units."""

    item: int
    unit: int | None = None


class Packing(NamedTuple):
    """The items of an answer and the order in which they are filled in.

    First the results, by rank, then what was added to each of them by expansion.
    The order depends on nothing but the answer, so that more room only adds to
    what is shown.
    """

    items: tuple[Item, ...]
    steps: tuple[Step, ...]
