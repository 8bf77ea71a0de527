"""Text for terminals: untrusted text made harmless, widths in columns, colours and links.

Every string that comes from a document, a file name or a query passes `clean`
or `clean_line` before it is printed in any format but JSON, on a terminal or
not: output is piped into files that are looked at on terminals later. What
could move the cursor, change colours, or reorder the line becomes visible.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

__all__ = ["PLAIN", "Style", "clean", "clean_line", "display_width", "fold", "shorten", "wrap"]

# Control characters (C0, DEL, C1), line separators that only some programs break lines at,
# all twelve characters of Unicode's Bidi_Control property, and lone surrogates.
_BIDI = "\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_BIDI}]")
_UNSAFE_IN_LINE = re.compile(f"[\x00-\x1f\x7f-\x9f{_BIDI}]")
_LINE_END = re.compile("\r\n?")

_Cleaner = Callable[[str], str]


def clean(text: str) -> str:
    """Return `text` with what could control a terminal made visible; lines and tabs are kept.

    CRLF and a lone CR end a line in the documents we read, so they become LF.

    >>> clean("a\\x1b[31mb\\r\\n\\u202ec")
    'a\\\\x1b[31mb\\n\\\\u202ec'
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_visible, _LINE_END.sub("\n", text))


def clean_line(text: str) -> str:
    """Return `text` on one line: as `clean`, with tabs and line ends made visible too.

    A byte of a file name that is not UTF-8 (a surrogate escape) is shown as that byte.

    >>> clean_line("a\\nb\\udce9")
    'a\\\\x0ab\\\\xe9'
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE_IN_LINE.sub(_visible, text)


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def fold(text: str) -> str:
    """Return `text` with every run of white space made one space, and cleaned."""
    return clean_line(" ".join(text.split()))


def display_width(text: str) -> int:
    """Return how many terminal columns `text` takes: two for wide characters, none for marks.

    >>> display_width("日本e\\u0301")
    5
    """
    if text.isascii():
        return len(text)
    return sum(map(_char_width, text))


def _char_width(char: str) -> int:
    if char < "\u0300":
        return 1
    import unicodedata

    if unicodedata.category(char) in ("Mn", "Me", "Cf") or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def shorten(text: str, width: int) -> str:
    """Return `text` cut to at most `width` columns, an ellipsis at its end where it was cut.

    >>> shorten("日本語の文書", 7)
    '日本語…'
    """
    if display_width(text) <= width:
        return text
    used = 0
    for at, char in enumerate(text):
        used += _char_width(char)
        if used > width - 1:
            return text[:at] + "…" if width > 0 else ""
    return text


def wrap(text: str, width: int) -> list[tuple[int, int]]:
    """Return the lines of `text`, one paragraph, as character ranges of at most `width` columns.

    Lines break at spaces, which belong to no line, and beside Chinese characters and kana,
    but not before what closes (。) and after what opens (「); a longer word is cut.
    """
    lines: list[tuple[int, int]] = []
    start, used = 0, 0
    for word in re.finditer(r"\S+" if text.isascii() else _WORD_OR_CHARACTER, text):
        needed = display_width(text[start : word.end()])
        if needed > width and word.start() > start:
            lines.append((start, used))
            start = word.start()
        start = _cut_long_word(text, start, word.end(), width, lines)
        used = word.end()
    if used > start:
        lines.append((start, used))
    return lines


def _cut_long_word(
    text: str, start: int, end: int, width: int, lines: list[tuple[int, int]]
) -> int:
    """Append full lines while `text[start:end]` is too wide; return where the last one starts."""
    column = 0
    for at in range(start, end):
        column += _char_width(text[at])
        if column > max(width, 2):
            lines.append((start, at))
            start, column = at, _char_width(text[at])
    return start


_SOLID = "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_OPENS = "「『（【〈《〔［｛"
_CLOSES = "、。，．・：；？！」』）】〉》〕］｝ー々"
_WORD_OR_CHARACTER = rf"[{_OPENS}]*(?:[{_SOLID}]|[^\s{_SOLID}{_OPENS}{_CLOSES}]+)[{_CLOSES}]*|\S"
"""What a line may end behind: in Chinese and Japanese a character, with the signs around it.

It is compiled when it is used, which takes a hundredth of a start.
"""


class Style(NamedTuple):
    """How to print: `color` with escape codes, `links` as OSC 8, `width` in columns (None: any)."""

    color: bool = False
    links: bool = False
    width: int | None = None

    @property
    def is_terminal(self) -> bool:
        """Whether somebody looks at it: only a terminal has a width."""
        return self.width is not None

    @property
    def can_redraw(self) -> bool:
        """Whether a line can be drawn over again: on a terminal that obeys escape codes."""
        return self.links

    def bold(self, text: str) -> str:
        return self._wrapped("1", text)

    def dim(self, text: str) -> str:
        return self._wrapped("2", text)

    def red(self, text: str) -> str:
        return self._wrapped("1;31", text)

    def yellow(self, text: str) -> str:
        return self._wrapped("33", text)

    def cyan(self, text: str) -> str:
        return self._wrapped("36", text)

    def _wrapped(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text

    def link(self, text: str, path: str | None, line: int | None = None) -> str:
        """Return `text` linked to the file at the absolute `path`, where that can be written."""
        if not self.links or not path or not text:
            return text
        from urllib.parse import quote

        try:
            name = path.replace(os.sep, "/").encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return text
        anchor = f"#L{line}" if line else ""
        root = "" if name.startswith(b"/") else "/"
        address = f"file://{root}{quote(name, safe='/:')}{anchor}"
        return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"

    def highlight(self, text: str, ranges: Iterable[tuple[int, int]]) -> str:
        """Return `text` cleaned, its sorted, disjoint character `ranges` marked; lines are kept."""
        return self._marked(text, ranges, clean)

    def highlight_line(self, text: str, ranges: Sequence[tuple[int, int]]) -> str:
        """As `highlight`, for text that must stay on one line."""
        return self._marked(text, ranges, clean_line)

    def _marked(self, text: str, ranges: Iterable[tuple[int, int]], made_safe: _Cleaner) -> str:
        parts, at = [], 0
        for start, end in ranges:
            parts.append(made_safe(text[at:start]))
            lines = made_safe(text[start:end]).split("\n")
            parts.append("\n".join(self.red(line) for line in lines))
            at = end
        return "".join(parts) + made_safe(text[at:])


PLAIN = Style()
"""No colour, no links, no limit of width."""
