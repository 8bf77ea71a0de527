"""POD to a `Document`, by a scanner of our own.

In: the bytes of a manual page of Perl, or of a module or program with its manual inside.
Out: its headings with exact lines, blocks, links and the names of items; the first words of
the section NAME name the document. Perl is code, separated at blank lines. Nothing is run.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from leafmark.model import Anchor, BlockKind, Document, Heading, Link, ReadableText
from leafmark.parsing.lined import LineScanner, Piece, SourceLines, Title, parse_lined, words_of
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.readable import ReadableBuilder, without_mark
from leafmark.parsing.titles import fold

# -- pod_inline ------------------------------------------------------------
# The shown text of POD's codes: `C<code>`, `L<text|page>`, `E<gt>` and the like.
#
# In: bytes and a range of them. Out: its pieces in order, each the bytes it stands for and
# its words, or None if the bytes are the words. A code ends with its paragraph at the latest.

_TOKEN = re.compile(rb"([A-Z])(<<+(?=\s)|<)|(>+)|(\|)")
_UNSHOWN = frozenset((b"X", b"Z"))
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^:\s]\S*\Z")
_SYMBOLS = {"verbar": "|", "sol": "/", "lchevron": "«", "rchevron": "»"}
_MAX_LINK = 1000


class Reference(NamedTuple):
    """A link in the bytes `[start, end)`, and its target, as shown."""

    start: int
    end: int
    target: str


class _Open(NamedTuple):
    """An open code that `width` marks close, with `first` pieces before it."""

    letter: bytes
    width: int
    first: int
    start: int
    inside: int


def shown(source: str) -> str:
    """Return the shown text of some words.

    >>> shown("The B<-x> and C<< $a->b >>, L<see this|perlop/Quote>, I<E<lt>x> X<index>")
    'The -x and $a->b, see this, <x '
    >>> shown('L<perlop/"Quote and C<q>">, L</Part>, L<perlop>, L<https://x.y/z>, a > b, B<open')
    '"Quote and q" in perlop, "Part", perlop, https://x.y/z, a > b, open'
    """
    data = source.encode("utf-8", "surrogatepass")
    return words_of(data, pieces(data, 0, len(data)))


def pieces(data: bytes, start: int, end: int) -> list[Piece]:
    """Return the pieces of `data[start:end]`, in order."""
    return _Inline(data, start, end).pieces


def references(data: bytes, start: int, end: int) -> list[Reference]:
    """Return the links in `data[start:end]`, in the order of their ends."""
    return _Inline(data, start, end).references


class _Inline:
    """Reads a range of bytes once; its end closes all open codes."""

    def __init__(self, data: bytes, start: int, end: int) -> None:
        self._data = data
        self._opened: list[_Open] = []
        self._bars: dict[int, int] = {}
        self._at = start
        self.pieces: list[Piece] = []
        self.references: list[Reference] = []
        for token in _TOKEN.finditer(data, start, end):
            if token[1]:
                self._text(token.start())
                place = len(self.pieces), token.start(), token.end()
                self._opened.append(_Open(token[1], len(token[2]), *place))
                self._at = token.end()
            elif token[3]:
                self._closing(*token.span())
            elif self._opened and self._opened[-1].letter == b"L":
                self._bars.setdefault(self._opened[-1].start, token.start())
        self._text(end)

    def _text(self, end: int) -> None:
        if self._at < end:
            self.pieces.append(Piece(self._at, end))

    def _closing(self, at: int, end: int) -> None:
        """Close as many codes as a run of `>` closes."""
        while at < end and self._opened:
            width = self._opened[-1].width
            if width > 1 and (end - at < width or not self._data[at - 1 : at].isspace()):
                return
            self._text(at)
            self._at = at + width
            self._close(self._opened.pop(), at)
            at += width

    def _close(self, code: _Open, stop: int) -> None:
        """Replace the pieces inside a code by its shown text."""
        pieces, end = self.pieces, stop + code.width
        if code.width > 1:
            _strip(self._data, pieces, code.first)
        if code.letter in _UNSHOWN:
            del pieces[code.first :]
        elif code.letter == b"E":
            name = self._data[code.inside : stop].decode("utf-8", "replace")
            pieces[code.first :] = [Piece(code.start, end, _symbol(name))]
        elif code.letter == b"L" and stop - code.inside <= _MAX_LINK:
            self._link(code, stop, end)

    def _link(self, code: _Open, stop: int, end: int) -> None:
        pieces, bar = self.pieces, self._bars.get(code.start, -1)
        inside = pieces[code.first :]
        del pieces[code.first :]
        if bar >= 0:
            before = [piece for piece in inside if piece.start < bar]
            behind = [piece for piece in inside if piece.end > bar]
            inside = [*before[:-1], *(_until(piece, bar) for piece in before[-1:])]
            target = words_of(self._data, [_from(piece, bar + 1) for piece in behind])
        else:
            target = words_of(self._data, inside)
            page, part = page_and_part(target)
            if part:
                words = f'"{part}"' + (f" in {page}" if page else "")
                inside = [Piece(code.start, end, words)]
        pieces += inside
        self.references.append(Reference(code.start, end, target))


def _until(piece: Piece, bar: int) -> Piece:
    return piece if piece.words is not None else Piece(piece.start, min(piece.end, bar))


def _from(piece: Piece, start: int) -> Piece:
    return piece if piece.words is not None else Piece(max(piece.start, start), piece.end)


def _strip(data: bytes, pieces: list[Piece], first: int) -> None:
    """Remove the white space at both edges of a code with several marks."""
    if len(pieces) > first and pieces[first].words is None:
        start, end, _ = pieces[first]
        pieces[first] = Piece(end - len(data[start:end].lstrip()), end)
    if len(pieces) > first and pieces[-1].words is None:
        start, end, _ = pieces[-1]
        pieces[-1] = Piece(start, start + len(data[start:end].rstrip()))


def page_and_part(target: str) -> tuple[str, str]:
    """Return the page and the part of it that a link names; either may be empty.

    >>> page_and_part('perlop/"Quote it"'), page_and_part("/Part"), page_and_part("a b")
    (('perlop', 'Quote it'), ('', 'Part'), ('', 'a b'))
    >>> page_and_part("https://x.y/z"), page_and_part("Foo::Bar"), page_and_part("ls(1)")
    (('https://x.y/z', ''), ('Foo::Bar', ''), ('ls(1)', ''))
    """
    target = " ".join(target.split())
    if _ADDRESS.match(target):
        return target, ""
    page, slash, part = target.partition("/")
    if not slash and (" " in page or page[:1] == '"'):
        page, part = "", page
    if len(part) > 1 and part[0] == part[-1] == '"':
        part = part[1:-1]
    return page.strip(), part.strip()


def _symbol(name: str) -> str:
    r"""Return the character of `E<name>`.

    >>> _symbol("gt"), _symbol("sol"), _symbol("233"), _symbol("0x263A"), _symbol("none")
    ('>', '/', 'é', '☺', 'E<none>')
    """
    name = name.strip()
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    digits = name[1:] if name[:1] == "0" and name[1:2] in "xX" else ""
    if digits or name.isdecimal():
        base = 16 if digits else 8 if name[:1] == "0" else 10
        try:
            return chr(int(digits.lstrip("xX") or name, base)).encode("utf-8").decode()
        except (ValueError, OverflowError):
            return f"E<{name}>"
    character = html.unescape(f"&{name};")
    return f"E<{name}>" if character == f"&{name};" else character


# -- pod_text ------------------------------------------------------------
# The readable text of POD: its words without commands and codes; code and Perl as they are.
#
# In: a source and spans of it. Out: `ReadableText`. The last command before a span decides what
# the span begins in, so that only the span itself is read.

_END = re.compile(rb"\n(?:[ \t\r]*+\n|(?!))++|^(=cut)(?=\s|\Z)[^\n]*+", re.MULTILINE)
"""The end of a paragraph: blank lines, or the end of POD."""

_COMMAND = re.compile(rb"=([a-zA-Z][a-zA-Z0-9]*+)(?:[ \t]++|(?=\s|\Z))")
_BEGINS_POD = re.compile(rb"^=(?!cut\b)[a-zA-Z][a-zA-Z0-9]*+(?=\s|\Z)", re.MULTILINE)
_MARK = re.compile(rb"\s*+(?:\*|[0-9]++\.?)(?=\s|\Z)")
_UNSHOWN_COMMANDS = frozenset((b"over", b"back", b"pod", b"cut", b"encoding", b"end"))

_LINE, _PARAGRAPH = 1, 2
_IN_PERL, _IN_POD, _IN_DATA = range(3)


def read(data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
    """Return the readable text of `spans` of `data`, in order."""
    reader = _Reader(without_lone_returns(without_mark(data)))
    for start, end in spans:
        reader.read(start, end)
    return reader.out.build(spans)


class _Reader:
    """Reads spans in order; writes pending line breaks before words."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.out = ReadableBuilder()
        self._breaks = _PARAGRAPH
        self._state = _IN_PERL

    def read(self, start: int, end: int) -> None:
        data = self.data
        self._state = self._state_at(start)
        self._breaks = max(self._breaks, _LINE)
        first = self.data.rfind(b"\n\n", 0, start)
        is_code = (
            self._state == _IN_POD
            and first >= 0
            and first + 2 < start
            and self.data[first + 2] in b" \t"
        )
        at = start
        while at < end:
            if self._state == _IN_PERL:
                command = _BEGINS_POD.search(data, at, end)
                stop = command.start() if command else end
                self._verbatim(at, stop)
                self._state = _IN_POD if command else _IN_PERL
                at = stop
                continue
            ending = _END.search(data, at, end)
            stop, after = ending.span() if ending else (end, end)
            self._paragraph(at, stop, is_code=is_code)
            if ending and ending[1]:
                self._state = _IN_PERL
            at, is_code = after, False

    def _state_at(self, at: int) -> int:
        """Return the state at the byte `at`, by the last command before it."""
        while at > 0:
            at = self.data.rfind(b"\n=", 0, at + 1) + 1
            command = _COMMAND.match(self.data, at)
            if command:
                return _state_behind(self.data, command)
            at -= 1
        return _IN_PERL

    def _paragraph(self, start: int, end: int, *, is_code: bool) -> None:
        data = self.data
        command = _COMMAND.match(data, start, end)
        if command and (self._state != _IN_DATA or command[1] == b"end"):
            self._command(command, end)
        elif self._state == _IN_DATA:
            return
        elif is_code or data[start : start + 1] in (b" ", b"\t"):
            self._verbatim(start, end)
        else:
            self._words(start, end)

    def _command(self, command: re.Match[bytes], end: int) -> None:
        name, at = command[1], command.end()
        if name == b"begin":
            self._state = _state_behind(self.data, command)
        elif name == b"end":
            self._state = _IN_POD
        elif name == b"for":
            if self.data.startswith(b":", at):
                self._words(self.data.find(b" ", at, end) % (end + 1), end)
        elif name == b"item":
            self._item(at, end)
        elif name not in _UNSHOWN_COMMANDS:
            self._words(at, end)

    def _item(self, start: int, end: int) -> None:
        """Write the mark of an item, before its text on the same line, or its term on a line."""
        mark = _MARK.match(self.data, start, end)
        if mark is None:
            self._words(start, end)
            self._breaks = _LINE
            return
        self._begin()
        if mark[0].strip() == b"*":
            self.out.add("-", mark.end() - 1, mark.end())
        else:
            self.out.add_verbatim(self.data, mark.end() - len(mark[0].strip()), mark.end())
        self.out.add(" ", mark.end(), mark.end())
        self._breaks = 0
        if self.data[mark.end() : end].strip():
            self._words(mark.end(), end)

    def _words(self, start: int, end: int) -> None:
        data = self.data
        stop = start + len(data[start:end].rstrip())
        start = stop - len(data[start:stop].lstrip())
        if start < stop:
            self._begin()
            for first, after, words in pieces(data, start, stop):
                if words is None:
                    self.out.add_verbatim(data, first, after)
                else:
                    self.out.add(words, first, after)

    def _verbatim(self, start: int, end: int) -> None:
        """Write lines as they are, without the blank ones around them."""
        data = self.data
        stop = start + len(data[start:end].rstrip())
        words = stop - len(data[start:stop].lstrip())
        first = max(start, data.rfind(b"\n", start, words) + 1)
        if first < stop:
            self._begin()
            self.out.add_verbatim(data, first, stop)

    def _begin(self) -> None:
        if self._breaks:
            self.out.add_break(self._breaks)
        self._breaks = _PARAGRAPH


def _state_behind(data: bytes, command: re.Match[bytes]) -> int:
    if command[1] == b"cut":
        return _IN_PERL
    has_data = command[1] == b"begin" and not data.startswith(b":", command.end())
    return _IN_DATA if has_data else _IN_POD


# -- pod_blocks ------------------------------------------------------------
# The lines of POD to headings and blocks.
#
# A paragraph that begins with `=` and a word is a command, one that begins with a blank is
# code. `=cut` ends POD and the next command begins it again, with Perl between them.
# As in Perl's own parser, a command follows a blank line, but in Perl may be on any line, and
# a heading closes the lists above it.

_COMMAND_LINE = re.compile(r"=([a-zA-Z][a-zA-Z0-9]*)(?:\s+|\Z)")
_LEVELS = {f"head{level}": level for level in range(1, 7)}
_ITEM_MARK = re.compile(r"(?:\*|\d+\.?)(?:\s|\Z)|\Z")
"""The beginning of an item that is not a term."""

_WITHOUT_WORDS = frozenset(("pod", "cut", "encoding", "back", "end"))

_TEXT = ""
_CODE = "a"
_PERL = "perl"
"""The kinds of paragraphs that are not commands, different from any command's name."""

_NAME = "NAME"
_DEEPEST = 6
"""The content of lists is read up to this level."""


class _Paragraph(NamedTuple):
    """Lines `[first, after)`, and their kind: a command's word, `_TEXT`, `_CODE` or `_PERL`."""

    kind: str
    first: int
    after: int


class PodScanner(LineScanner):
    """Scans POD by paragraphs; `items` are the words of items, and the bytes where they begin."""

    def __init__(self, lines: SourceLines) -> None:
        super().__init__(lines)
        self.items: list[tuple[str, int]] = []
        self._paragraphs = [*_paragraphs(lines.text)]
        self._ends = self._paired()

    def scan(self) -> None:
        self._between(0, len(self._paragraphs), 0)

    def _between(self, at: int, end: int, level: int) -> None:
        """Read the paragraphs with the numbers `[at, end)`."""
        while at < end:
            at = self._next(at, level)

    def _next(self, at: int, level: int) -> int:
        """Read paragraph number `at` with the block that it opens; return the number after it."""
        kind, first, after = self._paragraphs[at]
        if at in self._ends:
            return self._list(at, level) if kind == "over" else self._data(at, level)
        if kind in _LEVELS:
            self._heading(at, level)
        elif kind == _CODE:
            return self._verbatim(at, level)
        elif kind == _PERL:
            self._add("code", first, after, level, "perl")
        elif kind == "for":
            self._add(_kind_of(self._words(at)), first, after, level)
        else:
            self._add(
                "thematic_break" if kind in _WITHOUT_WORDS else "paragraph",
                first,
                after,
                level,
            )
        return at + 1

    def _words(self, at: int) -> str:
        """Return the words of a paragraph, without its command, on one line."""
        _, first, after = self._paragraphs[at]
        words = " ".join(self.lines.text[first:after])
        command = _COMMAND_LINE.match(words)
        return words[command.end() :] if command else words.strip()

    # -- what belongs together -----------------------------------------------------------

    def _paired(self) -> dict[int, int]:
        """Return the number of the closing paragraph by that of each opening one.

        For a list that is not closed it is the next heading, or the number of paragraphs.
        """
        ends: dict[int, int] = {}
        opened: list[int] = []
        paragraphs = self._paragraphs
        data = -1  # the opening of data for another program, without commands in it
        for at, (kind, _, _) in enumerate(paragraphs):
            if data >= 0:
                if kind == "end":
                    ends[data] = at
                    data = -1
            elif kind == "begin" and not self._words(at).startswith(":"):
                data = at
            elif kind in ("over", "begin"):
                opened.append(at)
            elif kind in _LEVELS or kind == "end":
                while opened and paragraphs[opened[-1]].kind == "over":
                    ends[opened.pop()] = at
                if opened and kind == "end":
                    ends[opened.pop()] = at
            elif kind == "back" and opened and paragraphs[opened[-1]].kind == "over":
                ends[opened.pop()] = at
        size = len(paragraphs)
        return {**dict.fromkeys(opened if data < 0 else [*opened, data], size), **ends}

    def _after(self, at: int) -> int:
        """Return the number after the block that paragraph `at` opens, with its closing command."""
        end = self._ends[at]
        closes = "back" if self._paragraphs[at].kind == "over" else "end"
        return end + (end < len(self._paragraphs) and self._paragraphs[end].kind == closes)

    def _cover(self, kind: BlockKind, at: int, after: int, level: int) -> None:
        """Add a block of the paragraphs with the numbers `[at, after)`."""
        lines = self._paragraphs[at].first, self._paragraphs[after - 1].after
        self._add(kind, *lines, level)

    # -- blocks ------------------------------------------------------------------------

    def _heading(self, at: int, level: int) -> None:
        kind, first, after = self._paragraphs[at]
        words = self._words(at)
        if level:
            self._add("heading", first, after, level)
        self.titles.append(Title(_LEVELS[kind], words, first, after, "", level > 0))
        if (
            shown(words).strip().upper() == _NAME
            and not self.title
            and at + 1 < len(self._paragraphs)
        ):
            named = self._paragraphs[at + 1].kind in (_TEXT, _CODE)
            self.title = self._words(at + 1) if named else ""

    def _verbatim(self, at: int, level: int) -> int:
        """Read code, including blank lines inside it."""
        after = at + 1
        while after < len(self._paragraphs) and self._paragraphs[after].kind == _CODE:
            after += 1
        self._cover("code", at, after, level)
        return after

    def _data(self, at: int, level: int) -> int:
        """Read data for other programs, or POD if the name begins with a colon."""
        after = self._after(at)
        words = self._words(at)
        self._cover(_kind_of(words), at, after, level)
        if words.startswith(":") and level < _DEEPEST:
            self._between(at + 1, self._ends[at], level + 1)
        return after

    def _list(self, at: int, level: int) -> int:
        """Read a list, or text that is only indented."""
        after, end = self._after(at), self._ends[at]
        items = [*self._items_of(at + 1, end)]
        for item in items:
            self.items.append((self._words(item), self.lines.starts[self._paragraphs[item].first]))
        self._cover("list" if items else "quote", at, after, level)
        if level > _DEEPEST:
            return after
        self._between(at + 1, items[0] if items else end, level + 1)
        for item, following in pairwise([*self._first_terms(items, end), end]):
            self._cover("list_item", item, following, level + 1)
            self._between(item, following, level + 2)
        return after

    def _first_terms(self, items: Sequence[int], end: int) -> Iterator[int]:
        """Yield the items without those that share the text of the item above them."""
        first = -1
        for item, following in pairwise([*items, end]):
            first = item if first < 0 else first
            if following > item + 1 or _ITEM_MARK.match(self._words(item)):
                yield first
                first = -1
            elif following == end:
                yield from (item for item in items if item >= first)

    def _items_of(self, at: int, end: int) -> Iterator[int]:
        """Yield the numbers of the items of a list, without those of lists inside it."""
        while at < end:
            if self._paragraphs[at].kind == "item":
                yield at
            at = self._after(at) if at in self._ends else at + 1


def _paragraphs(text: Sequence[str]) -> Iterator[_Paragraph]:
    at, in_pod, size = 0, False, len(text)
    while at < size:
        if not text[at]:
            at += 1
            continue
        command = _command(text[at])
        in_pod = command != "cut" and (in_pod or bool(command))
        after = at + 1
        while command != "cut" and after < size and text[after]:
            if text[after][0] == "=" and _ends(_command(text[after]), in_pod=in_pod):
                break
            after += 1
        kind = _CODE if text[at][0] == " " else command or _TEXT
        yield _Paragraph(kind if in_pod or command else _PERL, at, after)
        at = after


def _command(line: str) -> str:
    command = _COMMAND_LINE.match(line)
    return command[1] if command else ""


def _ends(command: str, *, in_pod: bool) -> bool:
    """Whether a command ends the paragraph right above it."""
    return command == "cut" if in_pod else bool(command)


def _kind_of(words: str) -> BlockKind:
    """Return the kind of block of another program's data, by the first word after `=begin`."""
    name = words.partition(" ")[0]
    if name.startswith(":"):
        return "quote"
    return "html" if name.lower() == "html" else "thematic_break"


_PAGE_NAME = re.compile(r"[$@%&*]?[\w:.-]++")
_WEB_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^:\s]")
_PAGE = re.compile(r"(\S+)\((\d\w*)\)\Z")
_MAX_NAME = 200


def parse(data: bytes, path: str) -> Document:
    """Return the document of a source that has POD."""
    items: list[tuple[str, int]] = []

    def links(source: bytes, _headings: Sequence[Heading], scanner: PodScanner) -> Iterator[Link]:
        items.extend(scanner.items)
        return _links(source, scanner)

    document = parse_lined(
        data,
        path,
        "pod",
        scanner=PodScanner,
        link_marks=b"<",
        title_text=_title_text,
        find_links=links,
    )
    if document.degraded:
        return document
    return document._replace(reader=read, anchors=tuple(_anchors(items)))


def _title_text(source: str) -> str:
    """Return the shown text of a heading, with white space folded, as index entries leave some.

    >>> _title_text("The C<open> function X<open> X<file>")
    'The open function'
    """
    return fold(shown(source))


def _anchors(items: Sequence[tuple[str, int]]) -> Iterator[Anchor]:
    """Yield the names of items for links: all their words, and the first one."""
    for source, at in items:
        words = _title_text(source)
        if not words or len(words) > _MAX_NAME or not words.strip("*-0123456789."):
            continue
        yield Anchor(words, at)
        first = _PAGE_NAME.match(words)
        if first and first[0] != words:
            yield Anchor(first[0], at)


def _links(data: bytes, scanner: PodScanner) -> Iterator[Link]:
    for block in scanner.blocks:
        if block.kind == "paragraph" and data.find(b"L<", block.start, block.end) >= 0:
            for start, end, reference in references(data, block.start, block.end):
                yield _link(start, end, reference)


def _link(start: int, end: int, reference: str) -> Link:
    page, part = page_and_part(reference)
    if _WEB_ADDRESS.match(page):
        return Link(start, end, page, "link")
    named = _PAGE.match(page)
    path = f"{named[1]}.{named[2]}" if named else page.replace("::", "/")
    return Link(start, end, f"{path}#{part}" if part else path, "wiki" if path else "link")
