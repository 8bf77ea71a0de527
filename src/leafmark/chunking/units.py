"""Units, what chunks are packed of, and how text without blocks is cut into them.

Such text is cut where sentences or lines begin, and what is still too large by tokens.
Code inside it is never cut unless that is asked for.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from leafmark.chunking.bodies import BodyReader
from leafmark.chunking.cutting import coalesce, line_starts, markup_starts, token_cuts
from leafmark.chunking.measuring import Meter
from leafmark.chunking.plain_code import is_inside_code
from leafmark.chunking.plain_text import item_starts
from leafmark.chunking.sentences import sentence_starts
from leafmark.chunking.tokens import least_tokens
from leafmark.model import Block

__all__ = ["Cutter", "Unit"]

_CRUMBS = 4
"""Neighbours that together have fewer bytes than the grain has tokens, over this, are one unit."""

_CRUMBS_OF_CHARACTERS = 16
"""The same where sizes are characters, of which a token has about four."""

_ROW_BYTES = 2
"""A row of HTML in Markdown is kept whole up to so many bytes for each token of the capacity."""

_SPACES = b" \t"
_PARTING = frozenset(b" \t\r\n")
_MARKS = frozenset(string.punctuation.encode())
_CONTINUED = range(0x80, 0xC0)
"""The bytes of a character in UTF-8 but its first one."""
_BLANK_LINES = re.compile(rb"(?:[ \t]*+(?:\r\n?|\n)|(?!))*+")


class Unit(NamedTuple):
    """A range with its tokens.

    `whole`: it is one block that cannot be cut, whatever its size. `inline`: it
    ends inside a line; then the tokens are those with the space before it and
    without the space at its end, because a word is counted with its space.
    `header`: the tokens of the table header that it repeats where it begins a
    piece.
    """

    start: int
    end: int
    tokens: int
    whole: bool = False
    inline: bool = False
    header: int = 0


class Cutter(NamedTuple):
    """Cuts ranges of one document into units of at most `capacity` tokens.

    What is over `grain` is cut already where there are blocks or sentences to cut it at.
    A table, or a row of one that is cut, stays whole while its text is within the tokens
    that `room` returns.
    """

    reader: BodyReader
    meter: Meter
    tokenizer: str
    capacity: int
    grain: int
    room: Callable[[], int]
    cut_code: bool = False

    def crumbs_joined(
        self, starts: Sequence[int], end: int, *, kept_starts: Container[int] = ()
    ) -> list[int]:
        """Return where units begin when neighbours that are too small to matter are joined.

        None is joined with what is before it that begins at one of `kept_starts`.
        """
        share = _CRUMBS_OF_CHARACTERS if self.tokenizer == "characters" else _CRUMBS
        return coalesce(starts, end, self.grain // share, kept_starts=kept_starts)

    def unit(self, start: int, end: int) -> Unit:
        """Return a range of whole lines as a unit."""
        return Unit(start, end, self.meter.tokens(start, end))

    def part(self, unit: Unit, start: int, end: int) -> Unit:
        """Return a part of a unit, each word counted with the space before it.

        A mark right behind another one makes a word with that, not with the letters behind it:
        then a part adds more tokens than it has.
        """
        tokens = self.meter.tokens(*self._counted(unit, start, end))
        before = self._mark_before(start) if start > unit.start else start
        if before < start:
            added = self.meter.tokens(before, end) - self.meter.tokens(before, start)
            tokens = max(tokens, added)
        is_inline = self.meter.document.data[end - 1] not in b"\n\r"
        return Unit(start, end, tokens, inline=is_inline)

    def _mark_before(self, start: int) -> int:
        """Where the character before a mark of ASCII begins; `start`, if there is no such."""
        data = self.meter.document.data
        if data[start] not in _MARKS or data[start - 1] in _PARTING:
            return start
        before = start - 1
        while before and data[before] in _CONTINUED:
            before -= 1
        return before

    def _counted(self, unit: Unit, start: int, end: int) -> tuple[int, int]:
        """The range that is counted of a part: with the space before it, not that at its end."""
        data = self.meter.document.data
        first = start - 1 if start > unit.start and data[start - 1] in _SPACES else start
        return first, end - 1 if data[end - 1] in _SPACES else end

    def is_within(self, unit: Unit, limit: int) -> bool:
        """Whether the unit's `text` has at most `limit` tokens; markup does not count."""
        if unit.tokens <= limit:
            return True
        span = unit.start, unit.end
        return self.meter.text_tokens(span, tokens=unit.tokens, bound=limit) <= limit

    def cut_prose(self, unit: Unit, capacity: int) -> Iterator[Unit]:
        """Cut at sentences what has no blocks, but not the code that lies deep inside it."""
        at = unit.start
        for block in self.reader.code_within(unit.start, unit.end):
            start, end = max(block.start, unit.start), min(self._below(block), unit.end)
            if start > at:
                yield from self._cut_at_sentences(at, start, capacity)
            yield from self.keep_code(self.unit(start, end))
            at = end
        if at < unit.end:
            yield from self._cut_at_sentences(at, unit.end, capacity)

    def _below(self, block: Block) -> int:
        """Where the next line with anything on it begins."""
        blank = _BLANK_LINES.match(self.meter.document.data, block.end)
        return block.end if blank is None else blank.end()

    def _cut_at_sentences(self, start: int, end: int, capacity: int) -> Iterator[Unit]:
        unit = Unit(start, end, end - start)  # its parts are counted
        return self._cut_at(unit, self._sentence_starts(unit, capacity), capacity)

    def _sentence_starts(self, unit: Unit, capacity: int) -> Sequence[int]:
        """Return where sentences begin, and in plain text items; not inside items that fit."""
        items = self._find(unit, item_starts) if self.reader.document.format == "text" else ()
        if not items:
            return self._find(unit, sentence_starts)
        starts: list[int] = []
        for first, end in _ranges(unit, items if items[0] == 0 else [0, *items]):
            at = first - unit.start
            if (at or items[0] == 0) and self.meter.fits(first, end, capacity):
                starts.append(at)
            else:
                part = Unit(first, end, end - first)
                starts += [at + inside for inside in self._find(part, sentence_starts)]
        return starts

    def keep_code(self, unit: Unit) -> Iterator[Unit]:
        """Keep code whole, or cut it at line ends if that is asked for."""
        if self.cut_code:
            return self._cut_at(unit, self._find(unit, line_starts), self.capacity)
        return iter((unit._replace(whole=True),))

    def cut_html(self, unit: Unit) -> Iterator[Unit]:
        """Cut HTML in Markdown at line ends that tear no tag apart."""
        raw = self.meter.document.data[unit.start : unit.end]  # of which tags are not read
        starts = markup_starts(raw, kept=self.capacity * _ROW_BYTES)
        return self._cut_at(unit, starts, self.capacity)

    def _cut_at(self, unit: Unit, starts: Sequence[int], capacity: int) -> Iterator[Unit]:
        """Cut at offsets into the unit, and, within what is still too large, anywhere.

        Heading lines, which only begin a unit, stay with what follows them.
        """
        headings, least = self.reader.headings_within(unit.start, unit.end), 0
        if headings:
            below = self.meter.document.data[headings[-1].end : unit.end]
            least = unit.end - unit.start - len(below.lstrip())
        starts = [0, *[at for at in starts if at > least]]
        starts = self.crumbs_joined(starts, unit.end - unit.start)
        for start, end in _ranges(unit, starts):
            part = self._fitting(unit, start, end, capacity=capacity)
            if part is None:
                yield from self._cut_finer(unit, Unit(start, end, end - start), capacity)
            else:
                yield part

    def _cut_finer(self, unit: Unit, part: Unit, capacity: int) -> Iterator[Unit]:
        """Cut a part that is still too large: plain text where lines begin, then anywhere."""
        starts: Sequence[int] = [0]
        if self.reader.document.format == "text":
            starts = self._line_starts(part, capacity)
        limit = min(capacity, self.grain)
        find = partial(token_cuts, limit=limit, tokenizer=self.tokenizer)
        for start, end in _ranges(part, starts):
            line = self._fitting(unit, start, end, capacity=capacity) if len(starts) > 1 else None
            if line is not None:
                yield line
                continue
            line = Unit(start, end, end - start)
            for cut, next_cut in _ranges(line, self._find(line, find)):
                yield self.part(unit, cut, next_cut)

    def _line_starts(self, part: Unit, capacity: int) -> Sequence[int]:
        """Return where lines of plain text begin; in code not inside a definition that fits."""
        document = self.reader.document
        is_inside = partial(is_inside_code, document.path, document.data[part.start : part.end])
        lines = self._find(part, line_starts)
        starts: list[int] = []
        for first, end in _ranges(part, [0, *[at for at in lines[1:] if not is_inside(at)]]):
            at, after = first - part.start, end - part.start
            starts.append(at)
            inside = lines[bisect_right(lines, at) : bisect_left(lines, after)]
            if inside and not self.meter.fits(first, end, capacity):
                starts += inside
        return self.crumbs_joined(starts, part.end - part.start)

    def _fitting(self, unit: Unit, start: int, end: int, *, capacity: int) -> Unit | None:
        """Return a part of a unit if it is within the capacity."""
        if least_tokens(self.meter.size_bytes(start, end) - 2, self.tokenizer) > capacity:
            return None
        part = self.part(unit, start, end)
        is_within = part.tokens <= capacity and self._is_counted_within(part, unit, capacity)
        return part if is_within else None

    def _is_counted_within(self, part: Unit, unit: Unit, capacity: int) -> bool:
        """Whether a part is within the capacity also with the space at its end."""
        start, end = part.start, part.end
        is_exact = self._counted(unit, start, end) == (start, end)
        return is_exact or self.meter.fits(start, end, capacity)

    def _find(self, unit: Unit, find: Callable[[bytes], Sequence[int]]) -> Sequence[int]:
        return self.reader.places(unit.start, unit.end, find)


def _ranges(unit: Unit, starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The ranges of the source that begin at offsets into the unit, the last one at its end."""
    return pairwise([*[unit.start + at for at in starts], unit.end])
