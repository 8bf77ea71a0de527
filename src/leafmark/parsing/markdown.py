"""Markdown (CommonMark and GFM) to a `Document`.

The parser gets a text of exactly the length of the source, in which only what
would shift or hide structure is replaced: a byte order mark and front matter by
line feeds, a lone carriage return by a line feed, bad bytes by control
characters. So every offset that it reports is an offset into the source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from leafmark.model import Anchor, Block, Deferred, Document, Headings, Link, Span
from leafmark.parsing.decoding import BOM, decode
from leafmark.parsing.frontmatter import find_front_matter
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.markdown_dialects import read_dialect
from leafmark.parsing.markdown_links import anchors_of, may_have_anchors, with_names
from leafmark.parsing.markdown_portions import MarkdownBlocks, PortionedText, find_excess
from leafmark.parsing.markdown_text import find_html_title, markdown_reader, read_markdown
from leafmark.parsing.text import degraded_document
from leafmark.parsing.titles import file_title, fold

__all__ = ["MarkdownContent", "parse_markdown"]

T = TypeVar("T")

_FIRST_PAGE = re.compile(r"(?:^|/)(?:readme|index)\b[^/]*$", re.IGNORECASE)


def parse_markdown(data: bytes, path: str) -> Document:
    """Return the document of a Markdown source."""
    decoded = decode(data, path)
    excess = find_excess(decoded.data)
    if excess:
        return degraded_document(decoded, path, "markdown", excess)
    raw = without_lone_returns(decoded.encoded)
    start = len(BOM) if raw.startswith(BOM) else 0
    front = find_front_matter(raw, start, path)
    start = front.span.end if front.span else start
    is_mdx = path.lower().endswith(".mdx")
    shown = decoded.shown if decoded.stand_in or b"\0" in raw else None
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
    """What is in `raw`, UTF-8 whose lines end in LF or CRLF, from byte `start` on.

    `shown` makes what is to be read of text that the parser returns, if that is something else.
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
        """Return the title of the first h1, be it written in HTML; "" where there is none.

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


def _same(each: T) -> T:
    return each
