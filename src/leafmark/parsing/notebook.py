"""Jupyter notebooks (nbformat 3 and 4) to a `Document` whose spans are bytes of the `.ipynb` file.

Markdown cells are read one by one, as Jupyter shows them, and their headings
make one tree over all cells. Code cells are code blocks, raw cells text. What is
between the quotes of the cells' sources is kept, escapes and all; everything
else in the file (keys, outputs, attachments) is in `dropped_spans`. Outputs that
are text are kept when asked for; the file has them before their cell's source.
A source is one JSON string, or a list of them. What is read of code has a fence
around it, which names its language.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise
from operator import attrgetter
from typing import NamedTuple

from leafmark.model import (
    Block,
    Document,
    Heading,
    Link,
    ReadableText,
    Reader,
    Span,
    merge,
    subtract,
)
from leafmark.parsing.decoding import BOM, Decoded, decode
from leafmark.parsing.frontmatter import FrontMatter, find_front_matter
from leafmark.parsing.json_text import (
    BadJsonError,
    SourceMap,
    add_json_text,
    elements,
    is_continued,
    line_ends,
    members,
    string_value,
    value_end,
)
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.markdown import MarkdownContent, find_excess
from leafmark.parsing.markdown_text import read_markdown
from leafmark.parsing.readable import ReadableBuilder, add_without_data
from leafmark.parsing.text import degraded_document, paragraphs
from leafmark.parsing.titles import file_title, first_title, fold

MAX_ESCAPES = 1_000_000
"""Escapes in the sources of all cells; each takes some two hundred bytes of memory."""

_QUOTE = b'"'
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_TICKS = re.compile("`{3,}")
_MAGIC = re.compile(r"\s*%%(\w+)")
_MAGIC_NAMES = """
bash cython html javascript latex markdown perl python ruby sh sql svg
R=r js=javascript pypy=python python2=python python3=python script=sh
"""
_MAGICS = {
    name: language or name
    for name, _, language in (pair.partition("=") for pair in _MAGIC_NAMES.split())
}
"""The language of a code cell that begins with a magic of this name."""


def parse_notebook(data: bytes, path: str, *, outputs: bool = False) -> Document:
    """Return the document of a notebook; with `outputs`, what its cells printed is content."""
    decoded = decode(data, path)
    raw = decoded.data
    try:
        notebook = read_cells(raw, len(BOM) if raw.startswith(BOM) else 0)
    except BadJsonError as error:
        line = raw.count(b"\n", 0, error.at) + 1
        reason = f"it is not valid JSON: {error.reason}"
        return degraded_document(decoded, path, "text", reason, line)
    if not notebook.is_one:
        return degraded_document(decoded, path, "text", "it has no list of cells")
    excess = notebook.excess or _find_excess(raw, notebook)
    if excess:
        return degraded_document(decoded, path, "text", excess)
    return _document(decoded, path, notebook, outputs)


def _find_excess(raw: bytes, notebook: Notebook) -> str:
    """Return what the sources of the cells have too much of, empty where they can be read."""
    sources = b"\n".join([raw[a:b] for cell in notebook.cells for a, b in cell.source])
    if sources.count(b"\\") > MAX_ESCAPES:
        return f"its cells have more than {MAX_ESCAPES} escapes"
    return find_excess(sources)


def _document(decoded: Decoded, path: str, notebook: Notebook, outputs: bool) -> Document:
    parts = _Parts(decoded.data, path, notebook.language, notebook.is_old)
    for cell in notebook.cells:
        if outputs:
            parts.add_outputs(cell)
        parts.add(cell)
    front = parts.front
    size = len(decoded.data)
    named = {"kernel": notebook.kernel, "language": notebook.language}
    return Document(
        path,
        decoded.data,
        "notebook",
        front.title or fold(notebook.title) or first_title(parts.headings) or file_title(path),
        encoding=decoded.encoding,
        headings=tuple(parts.headings),
        blocks=tuple(sorted(parts.blocks, key=attrgetter("start", "level"))),
        links=tuple(parts.links),
        metadata={name: value for name, value in named.items() if value} | dict(front.metadata),
        tags=front.tags,
        version=front.version,
        dropped_spans=tuple(Span(*gap) for gap in subtract(0, size, merge(parts.content))),
        diagnostics=decoded.diagnostics + front.diagnostics,
        reader=parts.reader(),
    )


class _Edit(NamedTuple):
    """Markup of a cell in Markdown, and what is read in its place."""

    start: int
    end: int
    text: str


class _Code(NamedTuple):
    """Where code begins and ends, how long its fence is, and its language."""

    start: int
    end: int
    ticks: int
    info: str


def notebook_reader(data: bytes) -> Reader:
    """Return what reads the notebook `data`: its code between fences, without embedded data."""
    try:
        notebook = read_cells(data, len(BOM) if data.startswith(BOM) else 0)
    except BadJsonError:
        notebook = Notebook()
    parts = _Parts(data, "", notebook.language, notebook.is_old)
    for cell in notebook.cells:
        parts.add_outputs(cell)
        if cell.source and (cell.kind == "code" or parts.has_markup(cell)):
            parts.add(cell)
    return parts.reader()


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads spans, each inside one string; a cell ends a paragraph."""

    code: tuple[_Code, ...]
    edits: tuple[_Edit, ...]
    is_old: bool

    def __call__(self, data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
        out = ReadableBuilder()
        opened: _Code | None = None
        for (start, end), (following, _) in pairwise((*spans, _NOWHERE)):
            at = bisect_right(self.code, start, key=_start_of) - 1
            inside = self.code[at] if at >= 0 and start < self.code[at].end else None
            if inside is not None and inside is not opened:
                out.add("`" * inside.ticks + inside.info + "\n", start, start)
            is_last = inside is not None and not start < following < inside.end
            opened = None if is_last else inside
            stop = end - 2 if is_last and _ends_line(data, start, end) else end
            self._add(out, data, start, stop)
            if inside is not None and is_last:  # the last line end is that before the fence
                out.add("\n" + "`" * inside.ticks + "\n\n", stop, end)
            elif self.is_old and (ends := line_ends(data, start, end)):
                out.add(ends, end, end)
            elif data[end : end + 1] == _QUOTE and not is_continued(data, end):
                out.add("\n\n", end, end)
        return out.build(spans)

    def _add(self, out: ReadableBuilder, data: bytes, at: int, stop: int) -> None:
        """Append a range of one string; of markup that goes over several the first has the text."""
        add = partial(add_json_text, out, data)
        first = bisect_right(self.edits, at, key=_end_of)
        for start, end, text in self.edits[first : bisect_left(self.edits, stop, key=_start_of)]:
            if at <= start:
                add_without_data(out, data, at, start, add)
                out.add(text, start, min(end, stop))
            at = min(end, stop)
        add_without_data(out, data, at, stop, add)


_NOWHERE = (-1, -1)


def _ends_line(data: bytes, start: int, end: int) -> bool:
    text = data[start : end - 1]
    return data[end - 1 : end] == b"n" and (len(text) - len(text.rstrip(b"\\"))) % 2 == 1


_start_of, _end_of = attrgetter("start"), attrgetter("end")


def _read(data: bytes, source: Ranges, *, is_old: bool) -> ReadableText:
    """Return the text of one cell as it is parsed, with embedded data."""
    out = ReadableBuilder()
    for start, end in source:
        add_json_text(out, data, start, end)
        if is_old and (ends := line_ends(data, start, end)):
            out.add(ends, end, end)
    return out.build(source)


@dataclass(slots=True)
class _Parts:
    """What is found cell by cell; `content` are the ranges that are content."""

    data: bytes
    path: str
    language: str
    is_old: bool
    headings: list[Heading] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    code: list[_Code] = field(default_factory=list)
    edits: list[_Edit] = field(default_factory=list)
    content: list[tuple[int, int]] = field(default_factory=list)
    front: FrontMatter = field(default_factory=FrontMatter)
    begun: bool = False

    def add(self, cell: Cell) -> None:
        if not cell.source:
            return
        first, self.begun = not self.begun, True
        self.content += cell.source
        read = _read(self.data, cell.source, is_old=self.is_old)
        if cell.kind == "heading":
            self._add_heading(cell, read.text)
        elif cell.kind == "code":
            self._add_code(cell, read.text)
        else:
            self._add_text(cell, read, first=first)

    def add_outputs(self, cell: Cell) -> None:
        self.content += cell.outputs
        if cell.outputs:
            text = _read(self.data, cell.outputs, is_old=self.is_old).text
            self._add_block(cell.outputs, text, "")

    def reader(self) -> Reader:
        return _Reader(tuple(sorted(self.code)), tuple(self.edits), self.is_old)

    def has_markup(self, cell: Cell) -> bool:
        """Whether a cell is Markdown that may have tags."""
        is_markdown = cell.kind == "markdown"
        return is_markdown and any(self.data.find(b"<", *place) >= 0 for place in cell.source)

    def _add_block(self, ranges: Ranges, text: str, info: str) -> None:
        start, end = ranges[0][0], ranges[-1][1]
        info = info if _LANGUAGE.fullmatch(info) else ""
        self.blocks.append(Block("code", start, end, info=info))
        ticks = max(map(len, _TICKS.findall(text)), default=2)
        self.code.append(_Code(start, end, ticks + 1, info))

    def _add_heading(self, cell: Cell, text: str) -> None:
        start, end = cell.source[0][0], cell.source[-1][1]
        words = text.strip().replace("\n", " ")
        limit = len(self.data)
        self.headings.append(Heading(cell.level, fold(words), words, start, end, limit))

    def _add_code(self, cell: Cell, text: str) -> None:
        if not text.strip():
            return
        magic = _MAGIC.match(text)
        named = _MAGICS.get(magic[1], "") if magic else ""
        self._add_block(cell.source, text, named or cell.language or self.language)

    def _add_text(self, cell: Cell, read: ReadableText, *, first: bool) -> None:
        text = without_lone_returns(read.text)
        raw, places, start = text.encode(), SourceMap(read), 0
        if first:
            self.front = find_front_matter(raw, 0, self.path)
            start = self._drop_front_matter(places)
        if cell.kind != "markdown":
            texts = paragraphs(b"\n" * start + raw[start:])
            self.blocks += [_place_block(block, places) for block in texts]
            return
        content = MarkdownContent(raw, start, shown=_shown)
        size = len(raw)
        if content.reader is read_markdown:
            self.edits += [
                _Edit(places.start_of(first), places.end_of(after), text)
                for first, after, text in read_markdown(raw, [(start, size)]).edits()
            ]
        self.headings += [
            _place_heading(heading, places, len(self.data) if heading.limit == size else None)
            for heading in content.headings
        ]
        self.blocks += [_place_block(block, places) for block in content.blocks]
        self.links += [
            link._replace(start=places.start_of(link.start), end=places.end_of(link.end))
            for link in content.links()
        ]

    def _drop_front_matter(self, places: SourceMap) -> int:
        """Take the front matter's bytes out of what is kept; return where it ends in the text."""
        span = self.front.span
        if span is None:
            return 0
        end = places.end_of(span.end)
        self.content = [(max(first, end), last) for first, last in self.content if last > end]
        return span.end


def _shown(text: str) -> str:
    return text.replace("\0", "\ufffd")


def _place_heading(heading: Heading, places: SourceMap, limit: int | None) -> Heading:
    """A heading of a cell in the source; its section ends at `limit`, else as in the cell."""
    return heading._replace(
        start=places.start_of(heading.start),
        end=places.end_of(heading.end),
        limit=places.end_of(heading.limit) if limit is None else limit,
    )


def _place_block(block: Block, places: SourceMap) -> Block:
    content = block.content_start
    return block._replace(
        start=places.start_of(block.start),
        end=places.end_of(block.end),
        content_start=None if content is None else places.start_of(content),
    )


MAX_STRINGS = 500_000
"""Strings that the sources of all cells have, a line each as a rule, before no more are read."""

Ranges = tuple[tuple[int, int], ...]

_SPACE = b" \t\n\r"
_TITLE_KEYS = ("title", "name")


class Cell(NamedTuple):
    """One cell. `source` are the ranges of its text, `outputs` those of what it printed.

    `level` is that of a heading cell, which nbformat 3 has.
    """

    kind: str
    source: Ranges
    outputs: Ranges = ()
    level: int = 0
    language: str = ""


@dataclass(slots=True)
class Notebook:
    """The content of a notebook file.

    `is_one` says whether it has a list of cells at all, `is_old` whether they are in worksheets, as
    before nbformat 4.
    """

    cells: list[Cell] = field(default_factory=list)
    title: str = ""
    language: str = ""
    kernel: str = ""
    is_one: bool = False
    is_old: bool = False

    @property
    def excess(self) -> str:
        """What there is too much of, empty where the notebook is read whole."""
        lines = sum(len(cell.source) + len(cell.outputs) for cell in self.cells)
        return f"its cells have more than {MAX_STRINGS} lines" if lines > MAX_STRINGS else ""


def read_cells(data: bytes, start: int) -> Notebook:
    """Return the notebook that begins at byte `start`.

    Raises:
        BadJsonError: it is not well-formed.
    """
    start += len(data[start:]) - len(data[start:].lstrip(_SPACE))
    end = value_end(data, start)
    if data[end:].strip(_SPACE):
        raise BadJsonError(end, "there is more after its end")
    notebook = Notebook()
    for name, (at, _) in members(data, start):
        if name == "metadata":
            _read_metadata(data, at, notebook)
        elif name == "cells":
            notebook.cells = list(_cells(data, at))
            notebook.is_one = data[at : at + 1] == b"["
        elif name == "worksheets":
            sheets = [dict(members(data, sheet)) for sheet, _ in elements(data, at)]
            sheets_cells = [sheet["cells"][0] for sheet in sheets if "cells" in sheet]
            notebook.cells = [cell for place in sheets_cells for cell in _cells(data, place)]
            notebook.is_one = notebook.is_old = True
    return notebook


def _read_metadata(data: bytes, at: int, notebook: Notebook) -> None:
    values = dict(members(data, at))
    kernel = _strings_of(data, values.get("kernelspec"))
    language = _strings_of(data, values.get("language_info"))
    notebook.language = (language.get("name") or kernel.get("language", "")).lower()
    notebook.kernel = kernel.get("name", "")
    titles = (string_value(data, *values[key]) for key in _TITLE_KEYS if key in values)
    notebook.title = next((title for title in titles if title.strip()), "")


def _strings_of(data: bytes, place: tuple[int, int] | None) -> dict[str, str]:
    if place is None:
        return {}
    return {name: string_value(data, *value) for name, value in members(data, place[0])}


def _cells(data: bytes, at: int) -> Iterator[Cell]:
    for start, _ in elements(data, at):
        values = dict(members(data, start))
        kind = string_value(data, *values.get("cell_type", (0, 0)))
        source = values.get("source") or values.get("input")
        outputs = values.get("outputs")
        yield Cell(
            kind,
            _texts(data, source) if source else (),
            tuple(_outputs(data, outputs[0])) if outputs else (),
            _level(data, values.get("level")) if kind == "heading" else 0,
            string_value(data, *values.get("language", (0, 0))).lower(),
        )


def _level(data: bytes, place: tuple[int, int] | None) -> int:
    text = data[slice(*place)] if place else b""
    return int(text) if text in (b"1", b"2", b"3", b"4", b"5", b"6") else 1


def _texts(data: bytes, place: tuple[int, int]) -> Ranges:
    """The ranges between the quotes of a string, or of the strings of a list; none empty."""
    start = place[0]
    strings = [place] if data[start : start + 1] == _QUOTE else elements(data, start)
    texts = (
        (first + 1, last - 1)
        for first, last in strings
        if data[first : first + 1] == _QUOTE and last - first > 2
    )
    return tuple(islice(texts, MAX_STRINGS + 1))


def _outputs(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """What a cell printed, and results that are plain text; no images, no markup."""
    for start, _ in elements(data, at):
        values = dict(members(data, start))
        shown = dict(members(data, values["data"][0])) if "data" in values else values
        place = shown.get("text/plain") or shown.get("text")
        if place:
            yield from _texts(data, place)
