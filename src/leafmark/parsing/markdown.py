"""Markdown (CommonMark and GFM) to a `Document`.

The parser gets a text of exactly the length of the source, in which only what
would shift or hide structure is replaced: a byte order mark and front matter by
line feeds, a lone carriage return by a line feed, bad bytes by control
characters. So every offset that it reports is an offset into the source.

Read as a whole, a source of fifty megabytes takes ten times its size in memory. So it is cut
before headings at the top level: what stands before one does not depend on what follows.
Only definitions of links and notes hold everywhere. Those of other portions that a portion may
use are written before and behind it, in the order of the portions, since the first definition
of a label counts.

The parser takes time linear in any source, but some fifty bytes for a piece of inline markup or
a line, and five hundred for a container. No document for people comes near these limits; a file
made to do harm, or data under a wrong name, does. It is read as plain text instead.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import NamedTuple, TypeVar

import pyromark

from leafmark.model import (
    Anchor,
    Block,
    BlockRegion,
    BlockRegions,
    Deferred,
    Document,
    Heading,
    HeadingColumns,
    Headings,
    Link,
    Span,
)
from leafmark.parsing.decoding import BOM, decode
from leafmark.parsing.frontmatter import find_front_matter
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.markdown_dialects import Dialect, read_dialect
from leafmark.parsing.markdown_links import anchors_of, links_of, may_have_anchors, with_names
from leafmark.parsing.markdown_text import find_html_title, markdown_reader, read_markdown
from leafmark.parsing.markdown_walk import OPTIONS, Walked, blocks_of, scan_headings, walk
from leafmark.parsing.text import degraded_document
from leafmark.parsing.titles import file_title, fold
from leafmark.patterns import lazy_pattern

LARGE_BYTES = 2_500_000
"""A source of this size is read by portions; more would cost a smaller one time."""

_PORTION_BYTES = 1_000_000
_REMEMBERED = 2
"""Portions that are remembered: blocks are read in order."""

_CUT = lazy_pattern(rb"\n[ \t]*\r?\n(?=#{1,6} )")
"""A blank line before a heading, unless it is within code or HTML."""

_NOTE = lazy_pattern(rb"^[ \t>]*\[(\^[^\]\s]+)\]:", re.MULTILINE)
_LABEL = lazy_pattern(rb"\\.|\[((?:[^\[\]\\]|\\.|(?!))++)\]", re.DOTALL)
"""A possible label, or an escape, which begins none."""

_LINE_END = lazy_pattern(rb"\r?\n[ \t>]*")
"""A line end within a label, also in a quote."""

_new = tuple.__new__  # half the cost of calling a named tuple's class

_SIGN = lazy_pattern(r"[!-/:-@\[-`{-~]|[\x00-\x1f\x7f]")


class _Portion(NamedTuple):
    """Bytes `[start, end)` of a source, and the definitions around them when they are read."""

    start: int
    end: int
    before: bytes = b""
    behind: bytes = b""


class PortionedText:
    """The text of `raw`, UTF-8 whose lines end in LF or CRLF; content begins at byte `start`.

    A large source is cut into portions of `size` bytes or more.
    """

    def __init__(
        self, raw: bytes, start: int, *, large: int = LARGE_BYTES, size: int = _PORTION_BYTES
    ) -> None:
        self._raw, self._start = raw, start
        self._size = size if len(raw) >= large else len(raw)
        self._walked: Walked | None = None

    @cached_property
    def headings(self) -> HeadingColumns:
        """All headings: by their lines if these are certain, else by the walk."""
        scanned = scan_headings(self._raw, self._start)
        if scanned is not None:
            return scanned
        headings = chain.from_iterable(map(self._headings_of, self.portions))
        return HeadingColumns(*map(list, zip(*headings, strict=True)))

    @cached_property
    def portions(self) -> Sequence[_Portion]:
        if self._size >= len(self._raw) - self._start:
            return [_Portion(self._start, len(self._raw))]
        return self._with_definitions([*self._cut(self._size)])

    def links(self) -> Iterator[Link]:
        """Yield all links, in order."""
        for portion in self.portions:
            raw, moved = self._read(portion)
            for first, end, target, kind in links_of(self._walk(raw).rows, raw):
                start = first + moved
                if portion.start <= start < portion.end:
                    yield _new(Link, (start, end + moved, target, kind))

    def blocks(self, number: int) -> Sequence[Block]:
        """Return the blocks of a portion, in order."""
        portion = self.portions[number]
        raw, moved = self._read(portion)
        walked = self._walk(raw)
        blocks = blocks_of(walked.rows, walked.headings, raw, moved)
        if len(raw) == portion.end - portion.start:
            return blocks
        return [block for block in blocks if portion.start <= block.start < portion.end]

    def _read(self, portion: _Portion) -> tuple[bytes, int]:
        """Return a portion with its definitions, and the shift of its offsets."""
        text = self._raw[portion.start : portion.end]
        if not portion.before and not portion.behind:
            return text, portion.start
        behind = b"\n\n" + portion.behind if portion.behind else b""
        return b"".join((portion.before, text, behind)), portion.start - len(portion.before)

    def _walk(self, raw: bytes) -> Walked:
        """Walk a portion; the walk of a source of one portion is remembered."""
        if self._walked is not None:
            return self._walked
        walked = walk(raw)
        if len(self.portions) == 1:
            self._walked = walked
        return walked

    def _headings_of(self, portion: _Portion) -> Iterator[Heading]:
        raw, moved = self._read(portion)
        for heading in self._walk(raw).headings:
            start = heading.start + moved
            if portion.start <= start < portion.end:
                yield heading._replace(start=start, end=heading.end + moved, limit=len(self._raw))

    def _cut(self, size: int) -> Iterator[_Portion]:
        """Yield portions; one that would end within code or HTML becomes larger."""
        raw, start, size_wanted = self._raw, self._start, size
        while start < len(raw):
            cut = _CUT.search(raw, start + size_wanted)
            end = cut.end() if cut else len(raw)
            if cut is not None and not self._begins_heading(start, end):
                size_wanted = 2 * (end - start)
                continue
            yield _Portion(start, end)
            start, size_wanted = end, size

    def _begins_heading(self, start: int, at: int) -> bool:
        """Whether a heading of the top level begins at a place, if a portion begins at `start`."""
        line_end = self._raw.find(b"\n", at) + 1 or len(self._raw)
        portion = self._raw[start:line_end]
        last = walk(portion).headings[-1:]
        return bool(last) and last[0].start == at - start and not last[0].nested

    def _with_definitions(self, portions: Sequence[_Portion]) -> list[_Portion]:
        """Return the portions with the definitions from others for the labels in them."""
        defined: dict[bytes, tuple[int, bytes]] = {}
        for number, portion in enumerate(portions):
            for label, source in _definitions(self._raw[portion.start : portion.end]):
                defined.setdefault(_key(label), (number, source))
        if not defined:
            return [*portions]
        portions_defined = []
        for number, portion in enumerate(portions):
            labels = _LABEL.findall(self._raw, portion.start, portion.end)
            used = sorted(defined[key] for key in defined.keys() & {*map(_key, labels)})
            before = b"".join([source for at, source in used if at < number])
            behind = b"".join([source for at, source in used if at > number])
            portions_defined.append(portion._replace(before=before, behind=behind))
        return portions_defined


def _definitions(portion: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the labels that a portion defines, each with an equivalent definition."""
    if b"]:" not in portion:
        return
    for label, definition in pyromark.reference_definitions(portion.decode()).items():
        written = f"[{label}]: <{_SIGN.sub(_written, definition['dest'])}>\n\n"
        yield label.encode(), _LINE_END.sub(b" ", written[:-2].encode()) + b"\n\n"
    if _NOTE.search(portion) is None:
        return
    for event in pyromark.events(portion.decode(), options=OPTIONS):
        begun = event.get("Start") if isinstance(event, dict) else None
        if isinstance(begun, dict) and "FootnoteDefinition" in begun:
            note = f"^{begun['FootnoteDefinition']}".encode()
            yield note, b"[%b]: x\n\n" % note


def _key(label: bytes) -> bytes:
    """Return the normalised form of a label, by which the parser compares labels."""
    return b" ".join(_LINE_END.sub(b" ", label).decode().casefold().encode().split())


def _written(sign: re.Match[str]) -> str:
    """Return a character escaped for a definition's target."""
    return f"&#{ord(sign[0])};" if sign[0] < " " or sign[0] == "\x7f" else f"\\{sign[0]}"


_end_of: Callable[[_Portion], int] = itemgetter(1)


_ONLY = range(1)
"""The numbers of the portions of nearly every source: one."""


class MarkdownBlocks(Deferred[Block], BlockRegions):
    """All blocks, or those of one portion, made on access."""

    __slots__ = ("_dialect", "_front", "_seen", "_text")

    def __init__(
        self, text: PortionedText, front: Span | None = None, dialect: Dialect | None = None
    ) -> None:
        super().__init__(tuple)
        self._text, self._front, self._dialect = text, front, dialect
        self._seen: dict[int, BlockRegion] = {}

    def _all(self) -> tuple[Block, ...]:
        if self._make is not None:
            numbers = range(len(self._text.portions))
            parts = [self.region(number).blocks for number in numbers]
            self._items = tuple(chain.from_iterable(parts))
            self._make = None
        return self._items

    def region(self, number: int) -> BlockRegion:
        region = self._seen.get(number)
        if region is None:
            while len(self._seen) >= _REMEMBERED:
                self._seen.pop(next(iter(self._seen)))
            region = self._seen[number] = self._read(number)
        return region

    def _read(self, number: int) -> BlockRegion:
        blocks = self._text.blocks(number)
        if self._dialect is not None:
            blocks = self._dialect.kinds(blocks)
        if self._front is not None and not number:
            blocks = [Block("front_matter", self._front.start, self._front.end), *blocks]
        return BlockRegion(blocks)

    def regions_of(self, start: int, end: int) -> range:
        """Return the numbers of the portions with bytes in `[start, end)`."""
        portions = self._text.portions
        last = len(portions) - 1
        if not last:
            return _ONLY
        first = bisect_right(portions, start, 0, last, key=_end_of)
        return range(first, max(first, bisect_left(portions, end, 0, last, key=_end_of)) + 1)


MAX_MARKS = 8_000_000
"""Marks (line ends and characters of markup); 50 MB of real Markdown have some 3.5 million."""

_MARKS_ALWAYS = 500_000
_MARKS_IN_TEN_BYTES = 4
"""A source may have `_MARKS_ALWAYS`, and so many more in ten bytes: tables of numbers, the densest
real texts, have four in ten bytes, other Markdown less than one."""

MAX_DEPTH = 1000
"""The most containers that one line may open; people hardly write more than ten."""

LARGE = 1_000_000
"""Smaller sources are not checked: they cannot take more than half a gigabyte of memory."""

_PORTION = 1_000_000

_START = 16 * MAX_DEPTH  # bytes enough for the first line to be too deep
_MARKS = b"\n*_`[]<>&!~\\|."
_DEEP_LINE = lazy_pattern(
    rb"\n(?:[ \t]*(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t])){%d}" % (MAX_DEPTH + 1)
)


def find_excess(raw: bytes) -> str:
    """Return why `raw` cannot be parsed within limits, "" if it can."""
    if len(raw) <= LARGE:
        return ""
    if _DEEP_LINE.search(raw) or _DEEP_LINE.match(b"\n" + raw[:_START]):
        return f"a line is nested more than {MAX_DEPTH} levels deep"
    limit = min(MAX_MARKS, _MARKS_ALWAYS + len(raw) * _MARKS_IN_TEN_BYTES // 10)
    portions = (raw[at : at + _PORTION] for at in range(0, len(raw), _PORTION))
    if sum(len(portion) - len(portion.translate(None, _MARKS)) for portion in portions) > limit:
        return f"it has more than {limit} line ends and characters of markup"
    return ""


T = TypeVar("T")

_FIRST_PAGE = lazy_pattern(r"(?:^|/)(?:readme|index)\b[^/]*$", re.IGNORECASE)


def parse_markdown(data: bytes, path: str) -> Document:
    """Return the document of a Markdown source."""
    decoded = decode(data, path)
    excess = find_excess(decoded.data)
    if excess:
        return degraded_document(decoded, path, "markdown", excess)
    raw = without_lone_returns(decoded.encoded)
    start = len(BOM) if raw.startswith(BOM) else 0
    shown = decoded.shown if decoded.stand_in or b"\0" in raw else None
    front = find_front_matter(raw, start, path, shown=shown)
    start = front.span.end if front.span else start
    is_mdx = path.lower().endswith(".mdx")
    content = MarkdownContent(raw, start, front.span, shown=shown, is_mdx=is_mdx)
    return Document(
        path,
        decoded.data,
        "markdown",
        front.title or content.find_title(path) or file_title(path),
        decoded.encoding,
        content.headings,
        content.blocks,
        Deferred(content.links),
        front.span,
        front.metadata,
        front.tags,
        front.version,
        diagnostics=decoded.diagnostics + front.diagnostics,
        anchors=Deferred(content.anchors),
        reader=content.reader,
    )


class MarkdownContent:
    """The contents of `raw`, UTF-8 whose lines end in LF or CRLF, from byte `start` on.

    `shown` converts text from the parser to readable text, where the two differ.
    Headings are read at once.
    """

    def __init__(
        self,
        raw: bytes,
        start: int,
        front: Span | None = None,
        *,
        shown: Callable[[str], str] | None = None,
        is_mdx: bool = False,
    ) -> None:
        self._raw, self._start, self._shown = raw, start, shown
        self.reader = markdown_reader(raw)
        self._dialect = dialect = read_dialect(raw, start, is_mdx=is_mdx)
        self._text = PortionedText(dialect.text if dialect else raw, start)
        self.blocks = MarkdownBlocks(self._text, front, dialect)
        columns = self._text.headings
        if dialect is not None:
            columns = dialect.limited(columns)
        columns = with_names(columns, raw)
        if shown is not None:
            texts = [*map(shown, columns.slug_texts)]
            titles = [fold(shown(title)) for title in columns.titles]
            columns = columns._replace(titles=titles, slug_texts=texts)
        self.headings = Headings(columns)

    def find_title(self, path: str) -> str:
        """Return the title of the first h1, in Markdown or HTML; "" if there is none.

        One in HTML with nothing but a heading below it is a banner, as all pages of a site
        have; on a first page it is the title.
        """
        columns = self.headings.columns
        rows = zip(columns.levels, columns.titles, columns.nested, columns.starts, strict=True)
        title, end = next(
            (
                (title, at)
                for level, title, nested, at in rows
                if level == 1 and title and not nested
            ),
            ("", len(self._raw)),
        )
        if self.reader is not read_markdown:
            return title
        banners = frozenset() if _FIRST_PAGE.search(path) else frozenset(columns.starts)
        return find_html_title(self._raw, self._start, end, banners) or title

    def links(self) -> tuple[Link, ...]:
        if self._shown is None and self._dialect is None:
            return tuple(self._text.links())
        shown = _same if self._shown is None else self._shown
        place = _same if self._dialect is None else self._dialect.place
        return tuple(
            [
                link._replace(
                    start=place(link.start), end=place(link.end), target=shown(link.target)
                )
                for link in self._text.links()
            ]
        )

    def anchors(self) -> tuple[Anchor, ...]:
        if not may_have_anchors(self._raw):
            return ()
        code: Sequence[Block] = [block for block in self.blocks if block.kind == "code"]
        return tuple(anchors_of(self._raw, self.headings.columns, code))


def _same(value: T) -> T:
    return value
