r"""The bytes of a manual page or of POD that are bold, slanted or code: `\fB\-x\fR`, `.Ar file`.

The readable text of these formats has lost its fonts; a page shows them again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class FontRange(NamedTuple):
    """The bytes `[start, end)` in a font, which has the name of an HTML element."""

    start: int
    end: int
    name: str


_NAMES = {b"B": "strong", b"I": "em", b"3": "strong", b"2": "em", b"BI": "strong", b"4": "strong"}
_FONT = re.compile(rb"\\f(?:\((\S\S)|\[([^\]\n]{0,60})\]|(\S))")
_CONTROL = re.compile(rb"[.'][ \t]*([A-Za-z]\w*)[ \t]*")
_ARGUMENT = re.compile(rb"\"((?:[^\"\n]|\"\")*)\"?|((?:\\.|[^\s\\])+)")
_LINE_FONTS = frozenset((b"B", b"I", b"SB", b"BI", b"BR", b"IB", b"IR", b"RB", b"RI"))
_BEGINS_PARAGRAPH = frozenset((b"PP", b"LP", b"P", b"TP", b"TQ", b"IP", b"HP", b"SH", b"SS"))
_MDOC = {
    **dict.fromkeys((b"Fl", b"Cm", b"Ic", b"Nm", b"Sy", b"Fn", b"Cd"), "strong"),
    **dict.fromkeys((b"Ar", b"Em", b"Va", b"Fa", b"Ft", b"Pa", b"Vt"), "em"),
}
_MACRO = re.compile(rb"[A-Z][a-z]\Z")
_SIGNS = re.compile(rb"[.,:;()\[\]?!|]\Z")
_POD = re.compile(rb"([BICF])(?:<([^<>\n]{1,300})>|<<+\s([^\n]{1,300}?)\s>>+)")
_POD_NAMES = {b"B": "strong", b"I": "em", b"F": "em", b"C": "code"}


def font_ranges(data: bytes, format_name: str, start: int, end: int) -> Iterable[FontRange]:
    """Return the ranges of `data[start:end]` that stand in a font of their own, in order."""
    return FONT_FORMATS[format_name](data, start, end) if format_name in FONT_FORMATS else ()


def _roff(data: bytes, start: int, end: int) -> Iterator[FontRange]:
    font, next_line = "", ""
    at = start
    while at < end:
        stop = data.find(b"\n", at, end)
        stop = end if stop < 0 else stop
        control = _CONTROL.match(data, at, stop)
        if control is not None:
            macro = control[1]
            matches = _ARGUMENT.finditer(data, control.end(), stop)
            arguments = [match.span(match.lastindex or 0) for match in matches]
            yield from _macro(data, macro, arguments)
            font = "" if macro in _BEGINS_PARAGRAPH else font
            next_line = _NAMES.get(macro[-1:], "") if macro in _LINE_FONTS and not arguments else ""
        elif next_line:
            yield from _inline(data, at, stop, next_line)[0]
            next_line = ""
        else:
            ranges, font = _inline(data, at, stop, font)
            yield from ranges
        at = stop + 1


def _macro(data: bytes, macro: bytes, arguments: Sequence[tuple[int, int]]) -> Iterator[FontRange]:
    """Yield the fonts of a macro's arguments: `.B` has one for all, `.BR` alternates two."""
    if _MACRO.match(macro):
        yield from _mdoc(data, macro, arguments)
        return
    letters = macro if len(macro) == 2 and macro != b"SB" else macro[-1:] * 2
    for number, (start, end) in enumerate(arguments):
        letter = letters[number % 2 :][:1] if macro in _LINE_FONTS else b""
        yield from _inline(data, start, end, _NAMES.get(letter, ""))[0]


def _inline(data: bytes, start: int, end: int, font: str) -> tuple[list[FontRange], str]:
    """Return the ranges of a line that begins in `font`, and the font at its end."""
    ranges: list[FontRange] = []
    before = ""
    at = start
    for escape in _FONT.finditer(data, start, end):
        if font:
            ranges.append(FontRange(at, escape.start(), font))
        name = escape[escape.lastindex or 0]
        font, before = before if name in (b"P", b"") else _NAMES.get(name, ""), font
        at = escape.end()
    if font:
        ranges.append(FontRange(at, end, font))
    return ranges, font


def _mdoc(data: bytes, macro: bytes, arguments: Sequence[tuple[int, int]]) -> Iterator[FontRange]:
    """Yield the arguments of macros that set a font; an argument can be a macro itself."""
    name = _MDOC.get(macro, "")
    for start, end in arguments:
        word = data[start:end]
        if _MACRO.match(word):
            name = _MDOC.get(word, "")
        elif name and not _SIGNS.match(word):
            yield FontRange(start, end, name)


def _pod(data: bytes, start: int, end: int) -> Iterator[FontRange]:
    for match in _POD.finditer(data, start, end):
        yield FontRange(*match.span(match.lastindex or 0), _POD_NAMES[match[1]])


FONT_FORMATS = {"roff": _roff, "pod": _pod}
"""The function that yields the fonts, by format."""

_MARKS = {
    "strong": ("\ue010", "\ue011"),
    "em": ("\ue012", "\ue013"),
    "code": ("\ue014", "\ue015"),
}
_SHOWN = str.maketrans(
    {
        **{opening: f"<{name}>" for name, (opening, _) in _MARKS.items()},
        **{closing: f"</{name}>" for name, (_, closing) in _MARKS.items()},
    }
)


def mark_fonts(text: str, ranges: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with marks around `ranges` of its characters, which are in order."""
    parts: list[str] = []
    at, last = 0, ""
    for start, end, name in ranges:
        words = text[start:end]
        start, end = start + len(words) - len(words.lstrip()), start + len(words.rstrip())
        if not at <= start < end:
            continue
        opening, closing = _MARKS[name]
        if name == last and text[at:start] == " ":
            parts[-1:] = [" "]
        else:
            parts += [text[at:start], opening]
        parts += [text[start:end], closing]
        at, last = end, name
    return "".join((*parts, text[at:]))


def show_fonts(markup: str) -> str:
    """Return HTML with elements in place of the marks."""
    return markup.translate(_SHOWN)
