"""Markdown (CommonMark and GFM) to a `Document`.

The parser gets a text of exactly the length of the source, in which only what
would shift or hide structure is replaced: a byte order mark and front matter by
line feeds, a lone carriage return by a line feed, bad bytes by control
characters. So every offset that it reports is an offset into the source.
"""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.model import Anchor, Block, Document, Headings, Link, Span
from leafmark.model.deferred import Deferred
from leafmark.parsing.decoding import BOM, Decoded, decode
from leafmark.parsing.frontmatter import find_front_matter
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.markdown_dialects import read_dialect
from leafmark.parsing.markdown_limits import find_excess
from leafmark.parsing.markdown_names import anchors_of, may_have_anchors, with_names
from leafmark.parsing.markdown_portions import MarkdownBlocks, PortionedText
from leafmark.parsing.markdown_text import find_html_title, markdown_reader, read_markdown
from leafmark.parsing.text import degraded_document
from leafmark.parsing.titles import file_title, fold

__all__ = ["parse_markdown"]


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
    content = _Content(decoded, raw, front.span, start, is_mdx=path.lower().endswith(".mdx"))
    return Document(
        path,
        decoded.data,
        "markdown",
        front.title or content.first_title or file_title(path),
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


class _Content:
    """What follows the front matter, which ends at byte `start`. Headings are read at once."""

    def __init__(
        self, decoded: Decoded, raw: bytes, front: Span | None, start: int, *, is_mdx: bool
    ) -> None:
        self._decoded, self._raw, self._start = decoded, raw, start
        self.reader = markdown_reader(decoded.data)
        self._dialect = dialect = read_dialect(raw, start, is_mdx=is_mdx)
        self._text = PortionedText(dialect.text if dialect else raw, start)
        self.blocks = MarkdownBlocks(self._text, front, dialect)
        columns = self._text.headings
        if dialect is not None:
            columns = dialect.limited(columns)
        columns = with_names(columns, raw)
        if decoded.stand_in or b"\0" in raw:
            titles = [fold(decoded.shown(title)) for title in columns.titles]
            columns = columns._replace(
                titles=titles, slug_texts=[*map(decoded.shown, columns.slug_texts)]
            )
        self.headings = Headings(columns)

    @property
    def first_title(self) -> str:
        """The title of the first h1, be it written in HTML."""
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
        return find_html_title(self._raw, self._start, end) or title

    def links(self) -> tuple[Link, ...]:
        shown, place = self._decoded.shown, _same if self._dialect is None else self._dialect.place
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


def _same(at: int) -> int:
    return at
