"""The readable text of HTML: the visible text of some bytes, and the place of each word.

In: a source and spans of it. Out: `ReadableText`. The source is read from left to right, without
a tree: markup out of order does not change which words are shown. White space is folded, blocks
begin lines (paragraphs after a blank one), a tab separates cells, images are their alternative
text. List items begin with `- ` or their number, and are indented as deep as they nest. Code stands
between fences with its language, except in tables. Raised or lowered text would run into the word
before it: the number of a footnote gets brackets, a power `^`, an index `_`. The text of a tab
panel begins with the label of its tab. Scripts, styles, templates and comments
are left out, and so are permalink signs.

Two things depend on bytes outside of a span: the number of an item whose list began before it, and
the label of a panel. They are determined for the whole source on demand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from leafmark.model import ReadableText
from leafmark.parsing.html.code import code_language, is_prose_pre, stands_in_cell
from leafmark.parsing.html.marks import Lists, items_of, labels_of_panels
from leafmark.parsing.html.page_words import is_permalink, lists_of
from leafmark.parsing.html.tokens import attribute, iter_tokens, unescape
from leafmark.parsing.readable import ReadableBuilder

_PIECE = re.compile(
    rb"([^ \t\n\r\f&\0]++(?: [^ \t\n\r\f&\0]++|(?!))*+)"
    rb"|([ \t\n\r\f]++)"
    rb"|\0|(?:&(?:#[0-9]++;?|#[xX][0-9a-fA-F]++;?|[A-Za-z][A-Za-z0-9]*+;?)|&)"
)
_PREFORMATTED = re.compile(rb"([^&\0\r]++)|(\r\n?)|\0|&[#A-Za-z][A-Za-z0-9]*+;?|&")

_BLANK = re.compile(rb"(?:[\s\0]|&nbsp;|&#160;|&#xa0;|\xc2\xa0|(?!))++", re.IGNORECASE)
_MAYBE_BLANK = 64
"""The longest text, in bytes, that is checked for being only space written as entities."""

_RAISED = re.compile(
    rb"<(su[pb])(?:\s[^<>]*+|(?!))?+>\s*+(<a\s[^<>]*+>\s*+|(?!))?+"
    rb"((?:[^<>]|</?(?:i|em|b|strong|var|span|tt|code|mrow|mi|mn)\b[^<>]*+>){1,160}?)"
    rb"(</a\s*+>\s*+|(?!))?+</\1\s*+>",
    re.IGNORECASE,
)
"""Raised or lowered text, in a link or not."""

_WORD_BEFORE = re.compile(
    rb"([^<>\s])(?:</?(?:i|em|b|strong|var|span|tt|code|a|mi|mn)\b[^<>]*+>|(?!))*+\Z", re.IGNORECASE
)
_BEFORE = 80
"""Bytes before raised text that are searched for a sign."""

_ORDINAL = re.compile(
    r"(?:st|nd|rd|th|e|er|re|[eè]re|[eè]me|nde?|os?|as?|ste?|de|TM|SM|MC|[®™*†‡§]+|\[.*\])"
)
"""Raised text that needs no sign: `4th`, trade marks, marks of notes."""

_SIMPLE = re.compile(r"[+\-\u2212]?(?:[0-9]+(?:[.,/][0-9]+)?|\w{1,3}|\*|[+\-\u2212])")

_TEX = re.compile(
    rb"(?:[^<]++|<(?!/math\b|annotation\b)|(?!))*+"
    rb"<annotation\s[^<>]*?\bencoding\s*+=\s*+[\"']?application/x-tex\b[^<>]*+>([^<]++)</annotation"
    rb"(?:[^<]++|<(?!/math\b)|(?!))*+</math\s*+>",
    re.IGNORECASE,
)
"""The content of a formula in MathML that says itself in TeX, too."""

_NOTE = re.compile(rb"([0-9]{1,4})</a\s*+>", re.IGNORECASE)
"""The number of a note in the link to it, which a style sheet raises."""

_MAX_FORMULA = 20_000
_COMPLETE = frozenset((b"a", b"sup", b"sub", b"math"))
"""Elements that are read at once if they are complete."""

_PARAGRAPH = 2
_LINE = 1
_BREAKS = dict.fromkeys(
    (
        b"address article aside body caption center dd details dialog dir div dt fieldset "
        b"figcaption footer form frameset header hgroup html legend li main nav noframes optgroup "
        b"option search section summary tbody tfoot thead tr"
    ).split(),
    _LINE,
) | dict.fromkeys(
    b"blockquote dl figure h1 h2 h3 h4 h5 h6 hr listing ol p plaintext pre table ul xmp".split(),
    _PARAGRAPH,
)
_HEADING_TAG = re.compile(rb"<(/?)h[1-6][\s/>]", re.IGNORECASE)
_HEADING_SIZE = 2000
"""Bytes in which the start of a heading is searched."""

_HEADINGS = frozenset((b"h1", b"h2", b"h3", b"h4", b"h5", b"h6"))
_PRE = frozenset((b"pre", b"textarea", b"listing", b"xmp", b"plaintext"))
_FENCED = frozenset((b"pre", b"listing", b"xmp"))
_PRE_END = re.compile(rb"</(?:pre|listing|xmp)\b", re.IGNORECASE)
_MAX_PRE = 6_000
"""Bytes of code that are searched for its end."""

_TICKS = re.compile(rb"`{3,}+")
_LISTS = frozenset((b"ul", b"ol", b"dir", b"menu"))
_CELLS = frozenset((b"td", b"th"))
BLOCK_TAGS = _BREAKS.keys() | _CELLS
"""Elements that begin and end a line of text, or a cell."""

_BOX_TAGS = frozenset((b"span", b"code"))
"""Elements in a line that a style sheet may set apart."""

UNREAD_TAGS = frozenset(
    (b"script", b"style", b"template", b"iframe", b"noembed", b"noframes", b"title")
)

CODE_LINE = re.compile(rb'<div class="line">(?!<a (?:name|id)=|<span class="lineno)')
"""A line of code in an element of its own, whose blanks a style sheet keeps; lines of a
whole file have anchors, and a number with blanks behind it."""

_LAST_BREAK = re.compile(rb"(?:</span\s*+>|(?!))*+</div\s*+>")
"""The markup behind a line of code that is a block and has a break at its end."""

_NEXT_WORDS = re.compile(rb"(?:\s++|<[^<>]*+>|(?!))*+([^<]*+)<")
"""The first text behind a tag."""

_NEXT_SIZE = 400
"""Bytes that are searched for it."""

DRAWN_DOT = b'<span class="sep"></span>'
"""The markup for the dots of a name, which a style sheet draws."""


def read_html(data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
    """Return the readable text of `spans` of `data`, in order.

    A span begins a line of its own, unless only `span` elements were left out before it, or in
    code a link or text.
    """
    reader = _Reader(data)
    after, inside = 0, False
    for start, end in spans:
        inside = _is_in_pre(data, after, start, inside)
        reader.begin_span(start, inside=inside)
        if not _is_inline(data, after, start, inside=inside):
            reader.end_line()
        inside = reader.read(start, end, preformatted=inside)
        after = end
    reader.end_code(after)
    return reader.out.build(spans)


def _is_inline(data: bytes, start: int, end: int, *, inside: bool) -> bool:
    """Whether omitted markup ends no line; `inside` says that it is in code."""
    if data.startswith(b"<span", start, end) and data.endswith(b"</span>", start, end):
        return True
    if not inside or start == end or data.find(b"<", start, end) < 0:
        return inside and start < end
    return data.startswith(b"<a ", start, end) and data.endswith(b"</a>", start, end)


_ANY_TAG = re.compile(rb"<[^<>]*+>")
_LISTED = re.compile(rb"\s*" + CODE_LINE.pattern)


def _fence_size(line: str) -> int:
    return len(line) - len(line.lstrip("`"))


def _mark_of(text: str, before: bytes, *, is_power: bool) -> tuple[str, str]:
    """Return the signs around raised or lowered text behind a sign; none if it needs none.

    >>> _mark_of("2", b"c", is_power=True), _mark_of("n+1", b"x", is_power=False)
    (('^', ''), ('_(', ')'))
    >>> _mark_of("2", b"H", is_power=False), _mark_of("th", b"n", is_power=True)
    (('', ''), ('', ''))
    """
    is_word = (
        before.isalnum() or before in (b")", b"]", b"}", b"|", b"'", b";") or before >= b"\x80"
    )
    if not text or not is_word or _ORDINAL.fullmatch(text):
        return "", ""
    if not is_power and text.isdigit():
        return "", ""
    if is_power and len(text) > 1 and text.isalpha() and len(text) > 3:
        return "", ""
    sign = "^" if is_power else "_"
    return (sign, "") if _SIMPLE.fullmatch(text) or text.isalnum() else (f"{sign}(", ")")


def _is_in_pre(data: bytes, after: int, start: int, inside: bool) -> bool:
    """Whether a `pre` is open at `start`; `inside` says so of `after`.

    The last tag between them decides, since a span may be a part of a long `pre`.
    """
    opened = _last_tag(data, b"<pre", after, start)
    closed = _last_tag(data, b"</pre", max(after, opened), start)
    return closed < 0 if opened >= 0 else inside and closed < 0


def _last_tag(data: bytes, begin: bytes, start: int, end: int) -> int:
    """Return the start of the last tag with this beginning, in any case; -1 for none."""
    at = data.rfind(begin, start, end)
    return max(at, data.rfind(begin.upper(), max(start, at), end))


def end_of_box(data: bytes, name: bytes, start: int, inner: int) -> int:
    """Return where the words of an element end if a style sheet sets them apart, else -1.

    Its class tells, and the element begins with `[start, inner)`, its start tag.
    """
    names = (attribute(data, start, inner, b"class") or "") if name in _BOX_TAGS else ""
    if "text.boxes" not in lists_of(tuple(names.split())):
        return -1
    end = data.find(b"<", inner)
    return end if end >= 0 else len(data)


class _Reader:
    """Reads spans in order; white space between words is pending until the next word."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.out = ReadableBuilder()
        self._breaks = 0
        self._row_breaks = 0
        """Line breaks that are due before the first word of a row, in any cell."""
        self._space: tuple[int, int] | None = None
        self._prefix = ""
        self._cells = 0
        """Cells that have begun in the row."""
        self._is_one_line = False
        """Whether all words of the row are in one line so far."""
        self._fresh = False
        self._lists = Lists()
        self._fence = ""
        """The closing fence of the code that is being read, once its fence was written."""

        self._pending: tuple[int, int] | None = None
        """The line ends behind the code so far, which are written if more code follows."""

        self._due_fence = ""
        """The opening fence that is due before the first word of code."""

        self._code_start = -1
        """The start of the element of the code that is being read, or was read last."""

        self._is_parted = False
        """Whether a heading interrupts the code, which continues behind it."""

        self._listing = 0
        """Open elements in code with an element for each line."""

        self._labels: Mapping[int, str] = labels_of_panels(data)
        self._pre = 0
        self._pre_start = -1
        self._in_code_line = False
        self._link_end = -1
        """The end of the last start tag of a link to a place in a page."""
        self._box_end = -1
        """The end tag of the last element that a style sheet sets apart."""
        self._after_control = False
        """Whether no text was read since a control ended: the next control begins a word."""

    def begin_span(self, start: int, *, inside: bool) -> None:
        """Prepare for a span that begins in a `pre` or not, perhaps in that of the span before."""
        if not inside:
            self.end_code(start)
            self._is_parted = False
        elif not self._is_fenced:
            opened = _last_tag(self.data, b"<pre", 0, start)
            tags = _HEADING_TAG.finditer(self.data, max(0, opened, start - _HEADING_SIZE), start)
            closings = [tag[1] for tag in tags]
            self._code_start, self._is_parted = opened, closings[-1:] == [b""]
            if not self._is_parted:
                self._open_fence(opened)

    def end_line(self) -> None:
        """Begin a new line before the next span."""
        self._line(_LINE)

    def end_code(self, at: int) -> None:
        """End code with its fence, if any of it was read."""
        self._pending = None
        if self._fence:  # a break, so that it is not parted from the code
            self.out.add_break(1, self._fence)
            self._line(_PARAGRAPH)
        self._fence = self._due_fence = ""

    def _open_fence(self, at: int) -> None:
        """Write a fence before the next word, if the `pre` at `at` holds code."""
        inner = self.data.find(b">", at) + 1
        if at < 0 or not inner or stands_in_cell(self.data, at):
            return
        match = _PRE_END.search(self.data, inner, inner + _MAX_PRE)
        close = match.start() if match else min(len(self.data), inner + _MAX_PRE)
        if is_prose_pre(self.data, at, inner, close):
            return
        ticks = max(map(len, _TICKS.findall(self.data, inner, close)), default=2)
        fence = "`" * (ticks + 1)
        self._due_fence = fence + code_language(self.data, at, inner)
        self._code_start = at

    def read(self, start: int, end: int, *, preformatted: bool = False) -> bool:
        """Read a span, which begins in a `pre` or not; return whether it ends in one."""
        data = self.data
        self._pre, self._in_code_line = int(preformatted), False
        skip_to = start
        unread: bytes | None = None
        for name, at, stop, closing in iter_tokens(data, start, end):
            if at < skip_to or name is None:
                continue
            if unread is not None:
                if closing and name == unread:
                    unread = None
            elif not name:
                self._text(at, stop)
            elif name in _COMPLETE:
                done = -1 if closing else self._reference(name, at, stop, end)
                skip_to = max(skip_to, done)
            elif name in UNREAD_TAGS:
                unread = None if closing else name
            else:
                handle = _HANDLERS.get(name)
                if handle is not None:
                    handle(self, name, at, stop, closing)
                if at in self._labels and not closing:
                    self._label(at)
        return self._pre > 0

    # -- text --------------------------------------------------------------------

    def _text(self, start: int, end: int) -> None:
        self._after_control = False
        if self._pre:
            self._preformatted(start, end)
            return
        data, out = self.data, self.out
        begins_line = self._breaks or self._fresh or not out
        if begins_line and end - start < _MAYBE_BLANK and _BLANK.fullmatch(data, start, end):
            return
        for piece in _PIECE.finditer(data, start, end):
            at, stop = piece.span()
            kind = piece.lastindex
            if kind == 2:
                self._space = self._space or (at, stop)
            elif kind == 1:
                self._begin(at)
                out.add_verbatim(data, at, stop)
            elif data[at]:
                self._begin(at)
                out.add(unescape(data[at:stop]), at, stop)

    def _preformatted(self, start: int, end: int) -> None:
        data, out = self.data, self.out
        if self._lists.is_between and not data[start:end].strip():
            return  # lines of code are the items of a list
        if start == self._pre_start:
            start += data[start : start + 1] == b"\r"
            start += data[start : start + 1] == b"\n"
        if data[start:end].strip(b"\0"):
            self._space = None
            if self._is_fenced and not data[start:end].strip(b"\r\n\0"):
                self._hold(start, end)
                return
            self._begin(start)
        if self._fence:
            last = start + len(data[start:end].rstrip(b"\r\n"))
            self._hold(last, end)
            end = last
        for piece in _PREFORMATTED.finditer(data, start, end):
            at, stop = piece.span()
            kind = piece.lastindex
            if kind == 1:
                out.add_verbatim(data, at, stop)
            elif kind == 2:
                out.add("\n", at, stop)
            elif data[at]:
                out.add(unescape(data[at:stop]), at, stop)

    @property
    def _is_fenced(self) -> bool:
        return bool(self._fence or self._due_fence)

    def _hold(self, start: int, end: int) -> None:
        """Hold back line ends until more of the code follows."""
        if start < end and self._fence:
            self._release()
            self._pending = (start, end)

    def _release(self) -> None:
        """Write the pending line ends."""
        if self._pending is not None:
            (start, end), self._pending = self._pending, None
            for piece in _PREFORMATTED.finditer(self.data, start, end):
                self.out.add("\n" if piece.lastindex == 2 else piece[0].decode(), *piece.span())

    def _begin(self, at: int) -> None:
        """Write what is pending before a word: line breaks, an item's mark, a fence, a space."""
        self._lists.is_between = False
        self._release()
        if self._due_fence:
            self._prefix += f"{self._due_fence}\n"
            self._fence = self._due_fence[: _fence_size(self._due_fence)]
            self._due_fence = ""
        if self._breaks or self._prefix or self._fresh:
            if self._breaks:
                self.out.add_break(self._breaks)
                self._is_one_line = self._row_breaks > 0
            self.out.add(self._prefix, at, at)
            self._breaks, self._prefix, self._fresh = 0, "", False
            self._row_breaks = 0
        elif self._space is not None and self.out:
            self.out.add(" ", *self._space)
        self._space = None

    def _line(self, breaks: int) -> None:
        """Begin a line before the next word, unless a cell or an item has just begun one."""
        if not self._fresh:
            self._breaks = max(self._breaks, breaks)
        self._space = None

    def _reference(self, name: bytes, at: int, stop: int, end: int) -> int:
        """Return the end of an element of `_COMPLETE` if it is complete: a permalink, a number."""
        if name == b"math":
            return self._formula(stop, end)
        if name != b"a":
            return self._raised(at, end)
        tag = self.data[at:stop]
        note = _NOTE.match(self.data, stop, end) if b"noteref" in tag else None
        if note is not None:
            self._begin(at)
            self.out.add(f"[{note[1].decode()}]", at, note.end())
            return note.end()
        self._link_end = stop if b"#" in tag else -1
        return is_permalink(self.data, at, stop)

    def _formula(self, at: int, end: int) -> int:
        """Write a formula as its annotation in TeX; return its end, -1 if it has none."""
        match = _TEX.match(self.data, at, min(end, at + _MAX_FORMULA))
        if match is None:
            return -1
        self._begin(at)
        self.out.add(" ".join(unescape(match[1]).split()), *match.span(1))
        return match.end()

    def _raised(self, at: int, end: int) -> int:
        """Write raised or lowered text so that it does not run into the word before it.

        Return the end of its element; -1 if it is long, or needs no sign.
        """
        data = self.data
        match = _RAISED.match(data, at, end)
        if match is None or self._pre:
            return -1
        text = " ".join(unescape(_ANY_TAG.sub(b"", match[3])).split())
        is_power = match[1].lower() == b"sup"
        is_note = bool(match[2]) or self._link_end == at
        if is_power and is_note and text.isdigit():
            mark, after = "[", "]"
        else:
            before = _WORD_BEFORE.search(data, max(0, at - _BEFORE), at)
            sign = before[1] if before and self._space is None else b""
            mark, after = _mark_of(text, sign, is_power=is_power)
            if not mark:
                return -1
        self._begin(at)
        start, stop = match.span(3)
        self.out.add(mark, start, start)
        self.out.add(text, start, stop)
        self.out.add(after, stop, stop)
        return match.end()

    # -- tags --------------------------------------------------------------------

    def _block(self, name: bytes, start: int, end: int, closing: bool) -> None:
        self._line(_BREAKS[name])
        if name == b"tr":
            if self._cells > 1 and self._is_one_line:  # a paragraph in the last cell parts no rows
                self._breaks = self._row_breaks
            self._prefix, self._fresh, self._cells = "", False, 0
            self._breaks = self._row_breaks = max(self._breaks, _LINE)
        elif name == b"table":
            self._is_one_line = False
        elif name in _PRE:
            self._preformat(name, start, end, closing)
        elif self._in_code_line:
            self._in_code_line = False
            self._preformat(name, start, end, True)
        elif name == b"div" and CODE_LINE.match(self.data, start):
            self._in_code_line = True
            self._preformat(name, start, end, False)

        if self._listing and name == b"div":
            self._listing += -1 if closing else 1
            if self._listing == 1:
                self._listing = 0
                self.end_code(start)
        elif name == b"div" and not closing and _LISTED.match(self.data, end):
            self._listing = 2
            self._open_fence(start)

    def _heading(self, name: bytes, start: int, end: int, closing: bool) -> None:
        """End code before a heading in it, which begins a section, and continue it behind."""
        self._block(name, start, end, closing)
        if not closing and self._is_fenced:
            self.end_code(start)
            self._is_parted = True
        elif closing and self._is_parted:
            self._open_fence(self._code_start)
            self._is_parted = False

    def _preformat(self, name: bytes, start: int, end: int, closing: bool) -> None:
        if name in _FENCED and not closing and not self._pre and not self._fence:
            self._open_fence(start)
        self._pre = max(0, self._pre + (-1 if closing else 1))
        self._is_one_line = False
        self._pre_start = -1 if closing else end
        if name in _FENCED and closing and not self._pre:
            self.end_code(start)
            self._is_parted = False

    def _list(self, name: bytes, start: int, end: int, closing: bool) -> None:
        if self._pre:
            self._lists.is_between = True
            return
        if closing:
            self._lists.close()
        self._line(_LINE if self._lists else _PARAGRAPH)
        if not closing:
            self._lists.open(self.data, start, end)

    def _item(self, name: bytes, start: int, end: int, closing: bool) -> None:
        self._fresh, self._prefix = False, ""
        self._line(_LINE)
        if self._pre:
            self._lists.is_between = True
        elif not closing:
            if not self._lists:
                self._lists = items_of(self.data).before(start)
            self._fresh, self._prefix = True, self._lists.mark(self.data, start, end)

    def _label(self, at: int) -> None:
        """Begin a panel with the label of its tab."""
        self._line(_PARAGRAPH)
        label = self._labels[at]
        self._begin(at)
        self.out.add(f"{label}:", at, at)
        self._line(_LINE)

    def _cell(self, name: bytes, start: int, end: int, closing: bool) -> None:
        if closing:
            return
        self._space = None
        follows_words = bool(self.out) and not self._breaks and not self._fresh
        if self._cells or follows_words:  # those of a cell that began before the span
            self._breaks, self._prefix = self._row_breaks, self._prefix + "\t"
        self._cells += 1
        self._fresh = True

    def _control(self, name: bytes, start: int, end: int, closing: bool) -> None:
        if self._after_control and not closing and not self._pre:
            self._space = self._space or (start, end)
        self._after_control = closing

    def _break(self, name: bytes, start: int, end: int, closing: bool) -> None:
        if self._pre:
            self._release()
            ends_block = not self._breaks and _LAST_BREAK.match(self.data, end)
            if not ends_block:  # which ends the line, too
                self.out.add("\n", start, end)
        elif not self._fresh:
            self._breaks = min(_PARAGRAPH, self._breaks + 1)
            self._space = None

    def _image(self, name: bytes, start: int, end: int, closing: bool) -> None:
        alt = attribute(self.data, start, end, b"alt")
        words = " ".join(alt.split()) if alt else ""
        if words and not self._is_said_next(words, end):
            self._begin(start)
            self.out.add(words, start, end)
        elif words and self._fresh and self._cells == 1:
            self._cells = 0  # a column of signs

    def _is_said_next(self, words: str, end: int) -> bool:
        """Whether the next text repeats a picture's alternative text, as DocBook's notes do."""
        match = _NEXT_WORDS.match(self.data, end, min(len(self.data), end + _NEXT_SIZE))
        shown = words.removeprefix("[").removesuffix("]")
        return match is not None and " ".join(unescape(match[1]).split()).rstrip(":") == shown

    def _span(self, name: bytes, start: int, end: int, closing: bool) -> None:
        if self.data.startswith(DRAWN_DOT, start):
            self._begin(start)
            self.out.add(".", start, end)
        elif closing:
            if start == self._box_end:
                self._space = self._space or (start, end)
        elif not self._pre and (box_end := end_of_box(self.data, name, start, end)) >= 0:
            self._space, self._box_end = self._space or (start, end), box_end

    def _input(self, name: bytes, start: int, end: int, closing: bool) -> None:
        """Mark the item of a list of tasks that begins with a box: is it done?"""
        kind = attribute(self.data, start, end, b"type") or ""
        if self._fresh and self._prefix.endswith("- ") and kind.lower() == "checkbox":
            is_done = attribute(self.data, start, end, b"checked") is not None
            self._prefix += "[x] " if is_done else "[ ] "


_Handler = Callable[[_Reader, bytes, int, int, bool], None]
_HANDLERS: dict[bytes, _Handler] = {
    **dict.fromkeys(_BREAKS, _Reader._block),
    **dict.fromkeys(_HEADINGS, _Reader._heading),
    **dict.fromkeys(_LISTS, _Reader._list),
    **dict.fromkeys(_CELLS, _Reader._cell),
    b"li": _Reader._item,
    b"br": _Reader._break,
    b"img": _Reader._image,
    b"image": _Reader._image,
    b"input": _Reader._input,
    **dict.fromkeys(_BOX_TAGS, _Reader._span),
    b"textarea": _Reader._preformat,
    b"label": _Reader._control,
    b"button": _Reader._control,
}
