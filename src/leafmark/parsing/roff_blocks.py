"""The lines of manual pages in roff (`man` and `mdoc`) to headings and blocks.

A heading ends whatever stands open above it. A tag and its text are an item; so is a short
paragraph above lines that are set in, as DocBook writes terms. Lines that are not filled are
code. Nothing is included, and no macro of the page's own is looked into.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from itertools import pairwise

from leafmark.model import BlockKind
from leafmark.parsing.lined_document import LeadingLineScanner, Title
from leafmark.parsing.roff_escapes import arguments, pieces, words_of
from leafmark.parsing.roff_lines import HUNG, TEXT, UNREAD, classified
from leafmark.parsing.roff_text import line_pieces
from leafmark.parsing.source_lines import SourceLines

__all__ = ["RoffScanner"]

_LEVELS = {"SH": 1, "Sh": 1, "SS": 2, "Ss": 2}
_HEADS = frozenset(("TH", "Dt"))
_PARAGRAPHS = frozenset(("PP", "LP", "P", "HP", "Pp", "sp", "Sp"))
_ENDS_LIST = frozenset(("PP", "LP", "P", "HP", "RE"))
_CLOSERS = {"RS": "RE", "Bl": "El", "Bd": "Ed", "TS": "TE"}
_OPENERS = {closer: opener for opener, closer in _CLOSERS.items()}
_LITERAL = {"nf": "fi", "EX": "EE", "Vb": "Ve", "DS": "DE", "PS": "PE", "EQ": "EN"}
_NOT_FILLED = ("-literal", "-unfilled")
_BEHIND_NAMES = re.compile(r"(?<!\s)\s++[-\u2013\u2014\u2212]++\s+")
"""What parts the names of a page from its summary."""

_LONGEST_TERM = 4
"""Lines of a paragraph that may be the term of what is set in below it."""


class RoffScanner(LeadingLineScanner):
    """Knows what each line calls, and what closes what is open."""

    _alone = "thematic_break"

    def __init__(self, lines: SourceLines) -> None:
        super().__init__(lines)
        self._rows = classified(lines.text)
        self._ends: dict[int, int] = {}
        self._places: dict[str, list[int]] = {}
        opened: list[int] = []
        for at, row in enumerate(self._rows):
            if row.macro in _CLOSERS:
                opened.append(at)
            elif row.macro in _LEVELS:
                self._ends.update(dict.fromkeys(opened, at))
                opened = []
                self._places.setdefault("SH", []).append(at)
            elif row.macro in _OPENERS:
                self._close(opened, at)
            elif row.macro in _CLOSED_LITERALS:
                self._places.setdefault(row.macro, []).append(at)
        self._ends.update(dict.fromkeys(opened, len(lines)))

    def _close(self, opened: list[int], at: int) -> None:
        """Note that line `at` closes the last line that opens the same, and what is in it."""
        wanted = _OPENERS[self._rows[at].macro]
        if any(self._rows[one].macro == wanted for one in opened[-8:]):
            while self._rows[opened[-1]].macro != wanted:
                self._ends[opened.pop()] = at
            self._ends[opened.pop()] = at

    def scan(self) -> None:
        headings = self._places.get("SH", [])
        at, size = 0, len(self.lines)
        for heading in (*headings, size):
            self._stop = heading
            while at < heading:
                at = self._next(at, 0)
            self._flush(heading, 0)
            if heading < size:
                self._stop = size
                at = max(self._heading(heading), at)
        self.title = self._page_title(headings)

    # -- words ---------------------------------------------------------------------------

    def _encoded(self, at: int) -> tuple[bytes, int]:
        """A line, and the byte at which what its macro takes begins."""
        line = self.lines.text[at]
        return line.encode(), len(line[: self._rows[at].at].encode())

    def _said(self, at: int) -> str:
        """The words of a line."""
        data, first = self._encoded(at)
        return words_of(data, line_pieces(data, self._rows[at].macro, first, len(data)))

    def _arguments(self, at: int) -> list[str]:
        data, first = self._encoded(at)
        return [words_of(data, pieces(data, *one)) for one in arguments(data, first, len(data))]

    def _heading(self, at: int) -> int:
        """A heading, whose words may be in the next line."""
        level, words, after = _LEVELS[self._rows[at].macro], self._said(at), at + 1
        if not words and after < self._stop and self._is_words(after):
            words, after = self._said(after), after + 1
        self.titles.append(Title(level, words, at, after, ""))
        return after

    def _page_title(self, headings: list[int]) -> str:
        """`tar(1) - an archiving utility`, by the head of the page and its first section."""
        first = headings[0] if headings else len(self.lines)
        heads = (at for at in range(first) if self._rows[at].macro in _HEADS)
        head = next(iter(heads), -1)
        called = self._arguments(head)[:2] if head >= 0 else []
        stop = headings[1] if len(headings) > 1 else min(first + 40, len(self.lines))
        inside = range(first + 1, min(stop, first + 40))
        said = " ".join(self._said(at) for at in inside if self._is_words(at))
        found = _BEHIND_NAMES.search(said)
        names = [name.strip() for name in said[: found.start()].split(",")] if found else []
        name = called[0] if called else ""
        same = (one for one in names if one.lower() == name.lower())
        name = next(
            same, name.lower() if name.isupper() and not names else names[0] if names else name
        )
        section = f"({called[1]})" if len(called) > 1 and called[1] else ""
        summary = f" - {said[found.end() :]}" if found else ""
        return f"{name}{section}{summary}" if name else ""

    # -- lines ---------------------------------------------------------------------------

    def _is_words(self, at: int) -> bool:
        """Whether a line is text, or calls what stands in text."""
        macro = self._rows[at].macro
        if macro == TEXT:
            return bool(self.lines.text[at])
        return macro != UNREAD and macro not in _PARTING

    def _is_tag(self, at: int) -> bool:
        """Whether a line begins an item."""
        macro = self._rows[at].macro
        return macro in ("TP", HUNG) or (macro == "IP" and bool(self._arguments(at)[:1]))

    def _after_text(self, at: int) -> int:
        """The first line from `at` on that does not go on with a paragraph."""
        while at < self._stop:
            if not self._is_words(at) and self._rows[at].macro not in (UNREAD, "br", "TQ"):
                break
            at += 1
        return at

    def _flush(self, at: int, level: int) -> None:
        """Note lines that part nothing, without the blank ones below them."""
        while 0 <= self._lead < at - 1 and not self.lines.text[at - 1]:
            at -= 1
        super()._flush(at, level)

    # -- blocks --------------------------------------------------------------------------

    def _next(self, at: int, level: int) -> int:
        macro = self._rows[at].macro
        if macro == TEXT and not self.lines.text[at]:
            return at + 1
        if self._is_words(at):
            return self._paragraph(at, level)
        if macro == "IP" and not self._is_tag(at):
            macro = "PP"
        take = _TAKERS.get(macro)
        if take is not None:
            return take(self, at, level)
        return self._keep(at)

    def _paragraph(self, at: int, level: int) -> int:
        after = self._term_end(at)
        if after:
            return self._terms(at, level)
        return self._add("paragraph", at, self._after_text(at + 1), level)

    def _until(self, at: int) -> tuple[int, int]:
        """Where what opens on line `at` ends: its closing line, and the line after that."""
        end = min(self._ends[at], self._stop)
        closes = end < self._stop and self._rows[end].macro == _CLOSERS[self._rows[at].macro]
        return end, end + closes

    def _literal(self, at: int, level: int) -> int:
        end = self._literal_end(at)
        return self._add("code", at, end, level)

    def _literal_end(self, at: int) -> int:
        places = self._places.get(_LITERAL[self._rows[at].macro], [])
        found = bisect_left(places, at)
        return min(places[found] + 1 if found < len(places) else self._stop, self._stop)

    def _display(self, at: int, level: int) -> int:
        """Lines as they are, or text that is set in."""
        end, after = self._until(at)
        is_code = any(mark in self.lines.text[at] for mark in _NOT_FILLED)
        return self._holder("code" if is_code else "quote", at, end, after, level)

    def _set_in(self, at: int, level: int) -> int:
        return self._holder("quote", at, *self._until(at), level)

    def _holder(self, kind: BlockKind, at: int, end: int, after: int, level: int) -> int:
        self._add(kind, at, after, level)
        if kind != "code":
            self._inside(at + 1, end, level + 1)
        return after

    def _table(self, at: int, level: int) -> int:
        """A table: up to a line with a full stop it says how it looks."""
        end, after = self._until(at)
        first = at + 1
        while first < end and not self.lines.text[first].endswith("."):
            first += 1
        self._add("table", at, after, level)
        starts = [*self._rows_of(first + 1, end)]
        for row, following in pairwise([*starts, max(end, first + 1)]):
            self._add("table_row", row, following, level + 1)
        return after

    def _rows_of(self, at: int, end: int) -> list[int]:
        """The lines that begin rows; a cell of several lines begins none."""
        rows: list[int] = []
        in_cell = False
        while at < end:
            line = self.lines.text[at]
            if not in_cell and line and self._rows[at].macro == TEXT and line.strip("_=-"):
                rows.append(at)
            in_cell = line.endswith("T{") or (in_cell and not line.startswith("T}"))
            at += 1
        return rows

    # -- lists ---------------------------------------------------------------------------

    def _tags(self, at: int, level: int) -> int:
        """Tags with their texts, one after another."""
        starts, end = [at], at + 1
        while end < self._stop and self._rows[end].macro not in _ENDS_LIST:
            if self._is_tag(end):
                starts.append(end)
            end = self._past(end)
        return self._items(starts, end, level)

    def _past(self, at: int) -> int:
        """The line after what stands on line `at`, with all that it opens."""
        if at in self._ends:
            return max(self._until(at)[1], at + 1)
        return self._literal_end(at) if self._rows[at].macro in _LITERAL else at + 1

    def _term_end(self, at: int) -> int:
        """Where an item ends that is a term above lines that are set in; 0 where none is."""
        after = self._after_text(at + 1)
        if after - at > _LONGEST_TERM or after >= self._stop or self._rows[after].macro != "RS":
            return 0
        words = self._said(after - 1).rstrip()
        return 0 if words.endswith((".", ":")) and not words.endswith("...") else self._past(after)

    def _terms(self, at: int, level: int) -> int:
        """Terms with their texts, one after another."""
        starts, after, end = [], 0, at
        while end < self._stop:
            begin = end
            while end < self._stop and self._parts(end):
                end += 1
            following = self._term_end(end) if end < self._stop and self._is_words(end) else 0
            if not following:
                break
            starts.append(begin)
            after = end = following
        return self._items(starts, after, level)

    def _parts(self, at: int) -> bool:
        """Whether a line only stands between blocks."""
        row = self._rows[at].macro
        return row in (UNREAD, *_PARAGRAPHS) or (row == TEXT and not self.lines.text[at])

    def _items(self, starts: list[int], end: int, level: int) -> int:
        while end > starts[-1] + 1 and self._parts(end - 1):
            end -= 1
        self._add("list", starts[0], end, level)
        for first, stop in pairwise([*starts, end]):
            self._item(first, stop, level + 1)
        return end

    def _item(self, first: int, stop: int, level: int) -> None:
        """An item: its tag with the text right below, then what else it holds."""
        self._add("list_item", first, stop, level)
        kept, self._stop = self._stop, stop
        after = first + 1
        while after < stop and self._rows[first].macro in _PARAGRAPHS and self._parts(after):
            after += 1
        after = self._after_text(after)
        self._stop = kept
        self._add("paragraph", first, after, level + 1)
        if after < stop:
            self._inside(after, stop, level + 1)

    def _bl(self, at: int, level: int) -> int:
        """A list of mdoc; one of columns is a table."""
        end, after = self._until(at)
        starts, line = list[int](), at + 1
        while line < end:
            if self._rows[line].macro == "It":
                starts.append(line)
            line = self._past(line)
        is_table = "-column" in self.lines.text[at]
        self._add("table" if is_table else "list" if starts else "quote", at, after, level)
        for first, stop in pairwise([*starts, end]):
            if is_table:
                self._add("table_row", first, stop, level + 1)
            else:
                self._item(first, stop, level + 1)
        return after


_CLOSED_LITERALS = frozenset(_LITERAL.values())
_PARTING = (
    _LEVELS.keys() | _HEADS | _PARAGRAPHS | _CLOSERS.keys() | _OPENERS.keys() | _LITERAL.keys()
    | _CLOSED_LITERALS | {"TP", "TQ", HUNG, "IP", "It", "br", "T&", "Rs", "Re"}
)  # fmt: skip
_Taker = Callable[[RoffScanner, int, int], int]
_TAKERS: dict[str, _Taker] = {
    **dict.fromkeys(_LITERAL, RoffScanner._literal),
    "Bd": RoffScanner._display,
    "RS": RoffScanner._set_in,
    "TS": RoffScanner._table,
    "TP": RoffScanner._tags,
    HUNG: RoffScanner._tags,
    "IP": RoffScanner._tags,
    "Bl": RoffScanner._bl,
}
