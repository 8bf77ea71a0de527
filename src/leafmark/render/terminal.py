"""Text for a terminal: widths, wrapping, colours and links, names, progress, errors.

Nothing that comes from a document reaches a terminal as a control character.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from leafmark.errors import AmbiguousError, LeafmarkError, NotFoundError, QueryError
from leafmark.model import (
    BETWEEN_TITLES,
    Answer,
    Chunk,
    Document,
    DocumentEntry,
    Entry,
    Omission,
    Passage,
    Relation,
    ShowReport,
    count_of,
    format_breadcrumb,
    plural,
)
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern
from leafmark.render.hint_texts import COMMAND_LINE, Terms, word_remedy
from leafmark.render.jsontext import SCHEMA_VERSION

if TYPE_CHECKING:
    from leafmark.model import Diagnostic

# Control characters (C0, DEL, C1), line separators that only some programs break lines at,
# all twelve characters of Unicode's Bidi_Control property, and lone surrogates.
_BIDI = "\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_UNSAFE = lazy_pattern(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_BIDI}]")
_UNSAFE_IN_LINE = lazy_pattern(f"[\x00-\x1f\x7f-\x9f{_BIDI}]")
_LINE_END = lazy_pattern("\r\n?")

_Cleaner = Callable[[str], str]


def clean(text: str) -> str:
    """Return `text` with terminal control characters made visible; lines and tabs are kept.

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
    has_characters = max(text, default="") >= _FIRST_CHARACTER
    for word in re.finditer(_WORD_OR_CHARACTER if has_characters else r"\S+", text):
        needed = display_width(text[start : word.end()])
        if needed > width and word.start() > start:
            lines.append((start, used))
            start = word.start()
        start = _cut_long_word(text, start, word.end(), width, lines)
        used = word.end()
    if used > start:
        lines.append((start, used))
    return lines


_HANGING = lazy_pattern(r"\s*(?:(?:[-*+>]|\d{1,3}[.)])\s+)*")
_FENCE = lazy_pattern(r"\s{0,3}(`{3,}|~{3,})")


def wrap_prose(text: str, width: int | None) -> str:
    """Return a text for reading: long lines of prose wrapped at words, code and rows as they are.

    >>> print(wrap_prose("- one two three four five\\n\\n    code_that_is_not_wrapped()", 22))
    - one two three four
      five
    <BLANKLINE>
        code_that_is_not_wrapped()
    """
    if width is None:
        return text
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        is_prose = not (fence or mark or line.lstrip()[:1] == "|" or line[:4].isspace())
        if not is_prose or display_width(line) <= width:
            lines.append(line)
            continue
        marker = _HANGING.match(line)
        hanging = " " * (marker.end() if marker else 0)
        first = len(line) - len(line.lstrip())
        room = max(20, width - len(hanging))
        body = line[first:]
        for number, (start, end) in enumerate(wrap(body, room)):
            lines.append((line[:first] if not number else hanging) + body[start:end])
    return "\n".join(lines)


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


_FIRST_CHARACTER = "\u3001"
"""Below this code point there are only words, none of the characters and signs listed here."""

_SOLID = "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_OPENS = "「『（【〈《〔［｛"
_CLOSES = "、。，．・：；？！」』）】〉》〕］｝ー々"
_WORD_OR_CHARACTER = rf"[{_OPENS}]*(?:[{_SOLID}]|[^\s{_SOLID}{_OPENS}{_CLOSES}]+)[{_CLOSES}]*|\S"
"""A unit behind which a line may break: in Chinese and Japanese a character with its signs.

It is compiled when it is used, which takes a hundredth of a start.
"""


class Style(NamedTuple):
    """How to print: `color` with escape codes, `links` as OSC 8, `width` in columns (None: any)."""

    color: bool = False
    links: bool = False
    width: int | None = None

    @property
    def is_terminal(self) -> bool:
        """Whether a person reads the output: only a terminal has a width."""
        return self.width is not None

    @property
    def can_redraw(self) -> bool:
        """Whether a line can be redrawn: on a terminal that obeys escape codes."""
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
        for start, end in join_names(text, ranges):
            parts.append(made_safe(text[at:start]))
            lines = made_safe(text[start:end]).split("\n")
            parts.append("\n".join(self.red(line) for line in lines))
            at = end
        return "".join(parts) + made_safe(text[at:])


_JOINTS = "_-.:/"
"""The signs between the words of one name."""


def join_names(text: str, ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the sorted, disjoint ranges of a text, with the words of one name as one range.

    >>> join_names("max_connections of a", [(0, 3), (4, 15), (19, 20)])
    [(0, 15), (19, 20)]
    """
    spans: list[tuple[int, int]] = []
    for start, end in ranges:
        if spans and not text[spans[-1][1] : start].strip(_JOINTS):
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return spans


PLAIN = Style()
"""No colour, no links, no limit of width."""


MAX_TITLE = 200
"""Columns of one title, and of an id in a list: a paragraph with a line below it is a heading, too.

Chosen by eye.
"""


def joined_titles(titles: Iterable[str], width: int | None = None) -> str:
    """Return the titles of a section path on one line, cut from the left if it is too wide.

    >>> joined_titles(["Guide", "Set\\nup"]), joined_titles(["Guide", "Set up"], 12)
    ('Guide › Set up', '… › Set up')
    """
    folded = [shorten(fold(title), MAX_TITLE) for title in titles]
    line = BETWEEN_TITLES.join(folded)
    while width is not None and display_width(line) > width and len(folded) > 1:
        del folded[0]
        line = BETWEEN_TITLES.join(["…", *folded])
    return line if width is None else shorten(line, width)


def breadcrumb_of(entry: Chunk | Entry) -> str:
    """Return the breadcrumb on one line; `Entry.breadcrumb` is as the source has it."""
    return format_breadcrumb(map(fold, entry.section_path))


def version_and_tags(document: Document | DocumentEntry) -> str:
    """Return ` (v3) [jira, api]`, to stand behind a title, without the parts that are not there.

    A version in words stands as it is: ` (legacy)`.
    """
    name = fold(document.version or "")
    version = f" ({'v' if name[:1].isdigit() else ''}{name})" if name else ""
    tags = f" [{', '.join(fold(tag) for tag in document.tags)}]" if document.tags else ""
    return version + tags


def line_range(first: int, last: int) -> str:
    """Return the name of some lines, 1-based and inclusive.

    >>> line_range(3, 3), line_range(3, 5)
    ('line 3', 'lines 3–5')
    """
    return f"line {first}" if first == last else f"lines {first}–{last}"


def size_in_words(number: int) -> str:
    """Return bytes for people.

    >>> size_in_words(512), size_in_words(2_340_000)
    ('512 bytes', '2.3 MB')
    """
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return count_of(number, "byte")


def unit_of(tokenizer: str) -> str:
    """Return the noun for what a tokenizer counts."""
    return "character" if tokenizer == "characters" else "token"


def size_flags(chunk: Chunk) -> list[str]:
    """Return the flags of a chunk's size."""
    return [name for name in ("oversize", "undersize") if getattr(chunk, name)]


INTERVAL_S = 0.1
"""The least time between two drawings; chosen by eye."""


class ProgressLine:
    """Draws `reading 120 of 800` with `write`; `clock` returns monotonic seconds."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float], style: Style):
        self._write = write
        self._clock = clock
        self._width = (style.width or 80) - 1
        self._due = clock() + INTERVAL_S
        self._drawn = False

    def __call__(self, doing: str, done: int, total: int) -> None:
        """Draw, unless the last drawing is too recent: short runs never draw."""
        now = self._clock()
        if now < self._due:
            return
        self._due = now + INTERVAL_S
        count = f"{done:,} of {total:,}" if total else f"{done:,}"
        self._write("\r\x1b[K" + shorten(f"{clean_line(doing)} {count}", self._width))
        self._drawn = True

    def clear(self) -> None:
        """Clear the line, so that the next output starts on an empty one."""
        if self._drawn:
            self._write("\r\x1b[K")
            self._drawn = False


_EXCERPT = 72
"""Columns of a query shown around the place at fault."""


def render_error(error: LeafmarkError, style: Style) -> str:
    """Return the whole message, with a line end."""
    lines = [_labelled("error:", style.red, error.message, style)]
    if error.location:
        lines.append(f"  {style.dim('-->')} {clean_line(error.location)}")
    if isinstance(error, QueryError):
        lines += _caret_block(error, style)
    hint = _hint_of(error)
    return "\n".join(lines) + "\n" + (render_hint(hint, style) if hint else "")


def render_hint(message: str, style: Style) -> str:
    return _labelled("hint:", style.cyan, message, style) + "\n"


def render_warning(message: str, style: Style, location: str | None = None) -> str:
    where = f"  {style.dim('-->')} {clean_line(location)}\n" if location else ""
    return _labelled("warning:", style.yellow, word_remedy(message), style) + f"\n{where}"


def render_diagnostic(diagnostic: Diagnostic, style: Style) -> str:
    line = "" if diagnostic.line is None else f":{diagnostic.line}"
    return render_warning(diagnostic.message, style, f"{diagnostic.path}{line}")


def error_record(error: LeafmarkError, terms: Terms = COMMAND_LINE) -> dict[str, Any]:
    """Return `{schema_version, error: {kind, message, location, hint}}`, with the nearest names."""
    record: dict[str, Any] = {
        "kind": error.kind,
        "message": error.message,
        "location": error.location,
        "hint": _hint_of(error, terms),
    }
    if isinstance(error, QueryError):
        record |= {"query": error.query, "start": error.start, "end": error.end}
    if isinstance(error, NotFoundError):
        record["did_you_mean"] = list(error.did_you_mean)
    if isinstance(error, AmbiguousError):
        record["candidates"] = list(error.candidates)
    return {"schema_version": SCHEMA_VERSION, "error": record}


def _hint_of(error: LeafmarkError, terms: Terms = COMMAND_LINE) -> str | None:
    """Return the error's own hint, or one made from the names that it carries."""
    if error.hint is not None and (remedy := word_remedy(error.hint, terms)):
        return remedy
    if isinstance(error, NotFoundError) and error.did_you_mean:
        return f"did you mean {' or '.join(error.did_you_mean)}?"
    if isinstance(error, AmbiguousError) and error.candidates:
        return f"it could be {', '.join(error.candidates)}"
    return None


def _labelled(label: str, coloured: Callable[[str], str], message: str, style: Style) -> str:
    """Return a message behind a label, with its further lines indented.

    On a terminal, lines are wrapped, but not within text to copy.

    >>> _labelled("hint:", str, "run it all the same: `leafmark index`", Style(width=30))
    'hint: run it all the same:\\n  `leafmark index`'
    """
    lines: list[str] = []
    for line in f"{label} {clean(message)}".rstrip("\n").split("\n"):
        folded = (
            line if style.width is None else _CODE.sub(lambda code: code[0].replace(" ", "_"), line)
        )
        spans = [(0, len(line))] if style.width is None else wrap(folded, max(style.width - 2, 20))
        lines += [line[start:end] for start, end in spans] or [""]
    lines[0] = coloured(label) + lines[0].removeprefix(label)
    return "\n  ".join(lines)


_CODE = lazy_pattern("`[^`]+`")


def _caret_block(error: QueryError, style: Style) -> list[str]:
    """Return the query, or its part around the fault, with carets under the fault."""
    query, start = error.query, error.start
    begin = max(0, start - _EXCERPT // 2) if len(query) > _EXCERPT else 0
    finish = begin + _EXCERPT if len(query) > _EXCERPT else len(query)
    before = ("…" if begin else "") + clean_line(query[begin:start])
    faulty = clean_line(query[start : min(error.end, finish)])
    after = clean_line(query[max(start, min(error.end, finish)) : finish])
    after += "…" if finish < len(query) else ""
    carets = "^" * max(1, display_width(faulty))
    bar = style.dim("|")
    return [
        f"   {bar} {before}{faulty}{after}",
        f"   {bar} {' ' * display_width(before)}{style.red(carets)}",
    ]


CHANGED = "(changed since it was indexed)"
"""Replaces the text of a stale result, or stands beside its titles, which are the former ones."""


def render_omission(omission: Omission) -> str:
    """Return the mark of an omission.

    >>> render_omission(Omission("docs:a.md#setup", 120))
    '[120 tokens left out: docs:a.md#setup]'
    >>> render_omission(Omission("docs:a.md#setup", 20, own=True))
    '[20 tokens of its own text left out: docs:a.md#setup]'
    >>> render_omission(Omission("docs:a.md", 1, results=2))
    '[2 more left out, 1 token, from docs:a.md on]'
    """
    name = clean_line(omission.id)
    if omission.results:
        return f"[{omission.results} more left out, {_tokens(omission)}, from {name} on]"
    return f"[{tokens_left_out(omission)}: {name}]"


def tokens_left_out(omission: Omission) -> str:
    own = " of its own text" if omission.own else ""
    return f"{_tokens(omission)}{own} left out"


def _tokens(omission: Omission) -> str:
    return f"{omission.tokens} {plural('token', omission.tokens)}"


def omissions_in(passages: Iterable[Passage | Omission] | None) -> list[Omission]:
    """Return the omissions among some passages."""
    return [passage for passage in passages or () if isinstance(passage, Omission)]


def omissions_of(answer: Answer | ShowReport) -> list[Omission]:
    """Return the omissions of an answer or a report: within its parts, and of whole parts."""
    parts = answer.results if isinstance(answer, Answer) else answer.shown
    inside = [omission for part in parts for omission in omissions_in(part.passages)]
    return inside if answer.omission is None else [*inside, answer.omission]


def relation_name(relation: Relation) -> str:
    """Return the name of one added chunk's relation to the result.

    >>> relation_name("siblings")
    'sibling'
    """
    return {"siblings": "sibling", "children": "child"}.get(relation, relation)
