"""The readable text of manual pages in roff: what `man` shows, but for the width of its lines.

In: a source and spans of it. Out: `ReadableText`. A paragraph is one line, what is not filled has
its own. Tags stand above their text, which is indented, so that a list reads as one. Comments,
requests and definitions are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from leafmark.model import ReadableText
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.readable import ReadableBuilder, without_mark
from leafmark.parsing.roff_escapes import Argument, Piece, arguments, pieces, words_of
from leafmark.parsing.roff_lines import HUNG, TEXT, UNREAD, classified
from leafmark.parsing.roff_mdoc import MDOC, mdoc_pieces

__all__ = ["line_pieces", "name_of", "read_roff"]

_ALTERNATING = frozenset(("BI", "BR", "IB", "IR", "RB", "RI"))
_PARAGRAPHS = frozenset(("PP", "LP", "P", "HP", "SH", "SS", "Sh", "Ss"))
_NO_FILL = frozenset(("nf", "EX", "Vb", "DS", "PS", "EQ"))
_FILL = frozenset(("fi", "EE", "Ve", "DE", "Ed", "PE", "EN"))
_BEGINS_LITERAL = (b"\n.nf", b"\n.EX", b"\n.Vb", b"\n.DS", b"\n.Bd -l", b"\n.Bd -u")
_ENDS_LITERAL = (b"\n.fi", b"\n.EE", b"\n.Ve", b"\n.DE", b"\n.Ed", b"\n.SH", b"\n.SS", b"\n.Sh")
_BULLETS = frozenset(("•", "*", "-", "o", "·", "–", "—", "+", "○", "−"))
_NAMED = re.compile(rb"^\.[ \t]*Nm[ \t]+\"?([^\s\"]+)", re.MULTILINE)
_INDENT = "    "
_BLANKS = " \t\r\v\f"
"""Of ASCII alone: each byte is a character where lines are told apart."""

_SHORT_TAG = 3
_DEEPEST = 8


def read_roff(data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
    """Return the readable text of `spans` of `data`, in order."""
    reader = _Reader(without_lone_returns(without_mark(data)))
    for start, end in spans:
        reader.read(start, end)
    return reader.out.build(spans)


def name_of(data: bytes) -> str:
    """The name that a page of mdoc gives itself."""
    found = _NAMED.search(data)
    return words_of(data, pieces(data, *found.span(1))) if found else ""


def line_pieces(data: bytes, macro: str, start: int, end: int, name: str = "") -> list[Piece]:
    """Return what a line shows whose arguments are `data[start:end]`; all of it is text if none."""
    if not macro:
        return [*pieces(data, start, end)]
    found = arguments(data, start, end)
    if macro in MDOC:
        return [*mdoc_pieces(data, macro, found, start, name)]
    if macro in ("Sh", "Ss", "It", "D1", "Dl") and found:
        return [*mdoc_pieces(data, "No", found, start, name)]
    between = "" if macro in _ALTERNATING else " "
    around = ("[", "]") if macro == "OP" else ("", "")
    return _joined(data, found, between, around)


def _joined(
    data: bytes, found: Sequence[Argument], between: str, around: tuple[str, str]
) -> list[Piece]:
    out: list[Piece] = []
    for start, end in found:
        said = between if out else around[0]
        out += [Piece(start, start, said)] if said else []
        out += pieces(data, start, end)
    if out and around[1]:
        out.append(Piece(out[-1].end, out[-1].end, around[1]))
    return out


class _Reader:
    """Reads spans line by line; before words it writes the breaks or the blank that are due."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.out = ReadableBuilder()
        self._name: str | None = None
        self._breaks = 0
        self._last = 0  # where the words before end
        self._is_joined = False  # nothing stands between them and the next ones
        self._literal = False
        self._indents = 0
        self._in_item = False
        self._is_tag = False
        self._is_below_tag = False
        self._is_hung = False  # a break ends the tag
        self._address = Argument(0, 0)
        self._lists: list[bool] = []  # of mdoc: whether items have no tag
        self._table = 0
        self._in_cell = False

    def read(self, start: int, end: int) -> None:
        data = self.data
        self._breaks = max(self._breaks, 1)
        self._literal = self._is_literal(start)
        self._indents, self._in_item, self._is_tag = 0, False, False
        self._table, self._in_cell = 0, False
        text = data[start:end].decode("latin-1").split("\n")
        at = start
        for row, line in zip(classified(text), text, strict=True):
            stop = at + len(line)
            if row.macro == TEXT:
                self._text(at, at + len(line.rstrip(_BLANKS)))
            elif row.macro != UNREAD:
                self._macro(row.macro, at + row.at, stop)
            at = stop + 1

    def _is_literal(self, at: int) -> bool:
        data = self.data
        begins = max(data.rfind(mark, 0, at) for mark in _BEGINS_LITERAL)
        return begins >= 0 and begins > max(data.rfind(mark, 0, at) for mark in _ENDS_LITERAL)

    # -- words ---------------------------------------------------------------------------

    def _text(self, start: int, end: int) -> None:
        data = self.data
        if self._table:
            self._row(start, end)
            return
        if start >= end:
            self._breaks = self._breaks if self._is_below_tag else max(self._breaks, 2)
            return
        if data[start : start + 1] in (b" ", b"\t"):
            self._breaks = max(self._breaks, 1)
        self._write(pieces(data, start, end))
        self._is_joined = data.endswith(b"\\c", start, end) or data.endswith(b"\\", start, end)

    def _write(self, found: Iterable[Piece]) -> None:
        is_first = True
        for start, end, words in found:
            if is_first:
                self._begin(start)
                is_first = False
            if words is None:
                self.out.add_verbatim(self.data, start, end)
            else:
                self.out.add(words, start, end)
            self._last = max(self._last, end)
        if not is_first:
            self._breaks, self._is_below_tag = int(self._literal), False
            if self._is_tag:
                self._is_tag, self._in_item, self._breaks = False, True, 1
                self._is_below_tag = True

    def _begin(self, at: int) -> None:
        if not self.out:
            return
        indent = _INDENT * min(self._indents + self._in_item, _DEEPEST)
        if self._is_joined and self._breaks < 2:
            self._is_joined = False
        elif self._breaks:
            self.out.add_break(self._breaks)
            self.out.add(indent, at, at)
        else:
            self.out.add(" ", min(self._last, at), at)

    def _shown(self, macro: str, start: int, end: int) -> None:
        if self._name is None:
            self._name = name_of(self.data)
        if macro in ("Ns", "Ap") or (macro in _CLOSED and not self._breaks):
            self._is_joined = True
        self._write(line_pieces(self.data, macro, start, end, self._name))
        self._is_joined = (
            self.data[start:end].rstrip().endswith((b"\\c", b" Ns")) or macro in _OPENED
        )

    # -- macros --------------------------------------------------------------------------

    def _macro(self, macro: str, start: int, end: int) -> None:
        handle = _HANDLERS.get(macro)
        if handle is not None:
            handle(self, macro, start, end)
        elif macro in _PARAGRAPHS:
            self._breaks, self._in_item, self._is_tag = 2, False, False
            if macro in ("SH", "SS", "Sh", "Ss"):
                self._literal, self._indents = False, 0
                self._shown(macro, start, end)
                self._breaks = 2
        elif macro in _NO_FILL or macro in _FILL:
            self._literal = macro in _NO_FILL
            self._breaks = max(self._breaks, 2)
        else:
            self._shown(macro, start, end)

    def _unread(self, macro: str, start: int, end: int) -> None:
        """The head of a page is in its title."""

    def _break(self, macro: str, start: int, end: int) -> None:
        self._breaks = max(self._breaks, 1 if macro == "br" else 2)
        self._in_item, self._is_hung = self._in_item or self._is_hung, False

    def _hung(self, macro: str, start: int, end: int) -> None:
        self._breaks, self._in_item, self._is_tag = 2, False, False
        self._is_hung = True

    def _tagged(self, macro: str, start: int, end: int) -> None:
        self._breaks = max(self._breaks, 1 if macro == "TQ" else 2)
        self._in_item, self._is_tag = False, True

    def _indented(self, macro: str, start: int, end: int) -> None:
        found = arguments(self.data, start, end)[:1]
        self._breaks = 2
        words = [*pieces(self.data, *found[0])] if found else []
        if words:
            self._tag(words)

    def _tag(self, found: list[Piece]) -> None:
        """Write a tag; short ones, as bullets and numbers are, stand in the line of their text."""
        said = words_of(self.data, found).strip()
        if said in _BULLETS:
            found = [Piece(found[0].start, found[-1].end, "-")]
        self._in_item = False
        self._write(found)
        is_short = len(said) <= _SHORT_TAG and (said in _BULLETS or said[:1] not in "-+")
        self._in_item, self._breaks = True, 0 if is_short else 1

    def _shift(self, macro: str, start: int, end: int) -> None:
        self._indents = max(0, self._indents + (1 if macro == "RS" else -1))
        self._breaks = max(self._breaks, 1)
        self._in_item = self._is_tag = False

    def _display(self, macro: str, start: int, end: int) -> None:
        words = self.data[start:end]
        self._literal = b"-literal" in words or b"-unfilled" in words
        self._breaks = max(self._breaks, 2)

    def _bl(self, macro: str, start: int, end: int) -> None:
        kinds = (b"-bullet", b"-dash", b"-hyphen", b"-enum", b"-item")
        self._indents += bool(self._lists) and self._in_item
        self._lists.append(any(kind in self.data[start:end] for kind in kinds))
        self._breaks = max(self._breaks, 1)

    def _el(self, macro: str, start: int, end: int) -> None:
        if self._lists:
            self._lists.pop()
        self._indents = max(0, min(self._indents, len(self._lists) - 1))
        self._breaks, self._in_item = 2, bool(self._lists)

    def _it(self, macro: str, start: int, end: int) -> None:
        self._breaks, self._in_item = max(self._breaks, 1), False
        if self._lists and self._lists[-1]:
            self._tag([Piece(start, start, "-")])
            return
        self._shown(macro, start, end)
        self._is_joined = False
        self._breaks, self._in_item = 1, True

    def _link(self, macro: str, start: int, end: int) -> None:
        found = arguments(self.data, start, end)
        if macro in ("UR", "MT"):
            self._address = found[0] if found else Argument(0, 0)
            return
        first, after = self._address
        if first < after <= start:
            at = self.data.find(b"\n", after)
            said = words_of(self.data, pieces(self.data, first, after))
            self._write([Piece(max(at, self._last), max(at, self._last), f"<{said}>")])
        if found:
            self._is_joined = True
            self._write(pieces(self.data, *found[0]))
        self._address = Argument(0, 0)

    def _line(self, macro: str, start: int, end: int) -> None:
        self._breaks = max(self._breaks, 1)
        self._shown(macro, start, end)
        self._breaks = 1

    def _synopsis(self, macro: str, start: int, end: int) -> None:
        self._breaks = max(self._breaks, 1 if macro == "SY" else 2)
        self._shown(macro, start, end)

    def _bounds(self, macro: str, start: int, end: int) -> None:
        """A table: up to a line with a full stop it says how it looks."""
        self._table = 1 if macro in ("TS", "T&") else 0
        self._breaks = 2

    def _row(self, start: int, end: int) -> None:
        data = self.data
        if self._table == 1:
            self._table += data.endswith(b".", start, end)
            return
        if not data[start:end].strip(b"_=- \t"):
            return
        self._breaks = max(self._breaks, not self._in_cell)
        is_closed = data.startswith(b"T}", start)
        start += 2 * is_closed
        self._in_cell = data.endswith(b"T{", start, end) or (self._in_cell and not is_closed)
        end -= 2 * data.endswith(b"T{", start, end)
        if start < end:
            self._write(pieces(data, start, end))
            self._breaks = 0


_OPENED = frozenset(("Oo", "Bo", "Po", "Bro", "Ao", "Do", "Qo", "So", "Fo"))
_CLOSED = frozenset(("Oc", "Bc", "Pc", "Brc", "Ac", "Dc", "Qc", "Sc", "Fc"))
_Handler = Callable[[_Reader, str, int, int], None]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("br", "sp", "Sp", "Pp"), _Reader._break),
    **dict.fromkeys(("TP", "TQ"), _Reader._tagged),
    **dict.fromkeys(("UR", "UE", "MT", "ME"), _Reader._link),
    **dict.fromkeys(("TS", "TE", "T&"), _Reader._bounds),
    **dict.fromkeys(("SY", "YS"), _Reader._synopsis),
    **dict.fromkeys(("RS", "RE"), _Reader._shift),
    **dict.fromkeys(("D1", "Dl"), _Reader._line),
    HUNG: _Reader._hung,
    "IP": _Reader._indented,
    "Bd": _Reader._display,
    "Bl": _Reader._bl,
    "El": _Reader._el,
    "It": _Reader._it,
    **dict.fromkeys(("TH", "Dt"), _Reader._unread),
    "Rs": _Reader._break,
    "Re": _Reader._break,
}
"""What macros do that are neither paragraphs nor words."""
