"""Read chunks by id: `leafmark show`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from leafmark.app.answering.opening import mending, open_reporting
from leafmark.app.answering.resolving import Named, Resolver
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import Sources
from leafmark.app.linking import KnownKeys, Links, indexed_place
from leafmark.app.requests import Progress, ShowRequest
from leafmark.errors import NotFoundError, UsageError
from leafmark.index import IndexReader
from leafmark.model import (
    PREAMBLE,
    Chunk,
    ChunkedDocument,
    DocumentEntry,
    Entry,
    Shown,
    ShowReport,
    Size,
    bytes_in,
    heading_and_span,
    merge,
)

_LINE_END = re.compile(rb"\r\n?|\n")


@mending
def show_chunks(
    project: Project, request: ShowRequest, *, progress: Progress | None = None
) -> ShowReport:
    """Return the chunks that the ids name, in their order, read from the sources.

    Raises:
        AmbiguousError: an id fits several chunks.
        NotFoundError: there is no index; unknown ids are in the report.
    """
    reader = open_reporting(project, request, progress)
    resolver = Resolver(reader, reader.manifest)
    sources = Sources(project)
    links = Links(indexed_place(reader), KnownKeys(reader.manifest))
    shown: list[Shown] = []
    missing: list[tuple[str, tuple[str, ...]]] = []
    for reference in request.ids:
        try:
            named = resolver.look_up(reference)
        except NotFoundError as error:
            missing.append((reference, error.did_you_mean))
            continue
        entry = named.entry
        if request.full_document:
            named = Named(reader.entry(entry.doc_id, 0) or entry, own=request.own)
        elif request.own or (reference.endswith(f"#{PREAMBLE}") and entry.kind == "document"):
            named = named._replace(own=True)
        item = _shown(reader, sources, named, request)
        if item.record:
            item = item._replace(record=links.resolve(item.record, item.document))
        shown.append(item)
    tokenizer = project.configuration.chunking.tokenizer
    report = ShowReport(tuple(shown), tuple(missing), tokenizer=tokenizer)
    return _completed(report, request, reader, sources)


def _completed(
    report: ShowReport, request: ShowRequest, reader: IndexReader, sources: Sources
) -> ShowReport:
    """Add the chunks that `expand` asks for, and the packing for a budget."""
    if request.expand:
        from leafmark.app.answering.budgeting import expand_found  # late: few ask for it

        shown = expand_found(report.shown, request.expand, reader, sources, whole=not request.own)
        report = report._replace(shown=shown)
    if request.packed:
        from leafmark.app.answering.budgeting import pack_found  # late: few ask for a budget

        packing = pack_found(report.shown, reader, sources, report.tokenizer)
        report = report._replace(packing=packing)
    return report


def _shown(reader: IndexReader, sources: Sources, named: Named, request: ShowRequest) -> Shown:
    """Read one chunk from its source; `own` text leaves out the sections below."""
    entry, slug, own = named
    document = reader.get_document(entry.doc_id)
    below = [
        other
        for other in reader.chunks_of(entry.doc_id)
        if entry.position < other.position <= entry.last_position
    ]
    children = [other for other in below if other.parent_position == entry.position]
    listed = tuple(below if request.outline else children)
    data = sources.data(document)
    if data is None:
        return Shown(entry, document, {}, None, None, None, None, children=listed, stale=True)
    section = None if slug is None else _section(entry, slug, sources.by_heading(document, reader))
    own_ranges = None
    if section is not None:
        heading, span = heading_and_span(section)
        own_ranges = tuple(merge([heading, *(section.body_spans if own else [span])]))
    elif own:
        own_ranges = _own_ranges(entry, children, lambda: sources.by_heading(document, reader))
    ranges = tuple(heading_and_span(entry)) if own_ranges is None else own_ranges
    lines = None
    if request.lines is not None:
        lines, own_ranges = _within_lines(data, ranges, request.lines)
        ranges = own_ranges
    raw = bytes_in(data, ranges)
    shown = Shown(
        entry,
        document,
        record={},
        heading=_heading(section or entry, data),
        body=_text(bytes_in(data, entry.body_spans)),
        full_text=_text(raw),
        raw=raw,
        children=listed,
        readable=_readable(sources, document, ranges),
        own_ranges=own_ranges,
        section=section,
        lines=lines,
    )
    return _with_details(shown, reader, sources, request)


def _within_lines(
    data: bytes, ranges: Iterable[tuple[int, int]], line_range: tuple[int, int | None]
) -> tuple[tuple[int, int], tuple[tuple[int, int], ...]]:
    """Return the requested lines that are in the ranges of a source, and their byte ranges.

    Raises:
        UsageError: there is none of them.
    """
    starts = [0, *(match.end() for match in _LINE_END.finditer(data))]
    first, last = line_range
    start = starts[first - 1] if first <= len(starts) else len(data)
    end = len(data) if last is None or last >= len(starts) else starts[last]
    ranges = list(ranges)
    parts = tuple((max(start, a), min(end, b)) for a, b in ranges if max(start, a) < min(end, b))
    if not parts:
        low, high = (bisect_right(starts, at) for at in (ranges[0][0], ranges[-1][1] - 1))
        raise UsageError(f"the text has no line {first}", hint=f"it has the lines {low} to {high}")
    lines = bisect_right(starts, parts[0][0]), bisect_right(starts, parts[-1][1] - 1)
    return lines, parts


def _with_details(
    shown: Shown, reader: IndexReader, sources: Sources, request: ShowRequest
) -> Shown:
    """Add the requested record and sizes, for which the document is chunked again."""
    document = shown.document
    chunked = sources.chunked(document, reader) if request.records or request.sizes else None
    if chunked is None:
        return shown
    chunk = chunked.chunks[shown.entry.position]
    return shown._replace(
        record=chunk.to_dict() if request.records else {},
        sizes=_sizes(chunk, sources, document) if request.sizes else {},
    )


def _section(entry: Entry, slug: str, by_heading: ChunkedDocument | None) -> Chunk | None:
    """Return the section with a heading that no chunk has, where `entry` holds more than it."""
    if by_heading is None:
        return None
    section = by_heading.chunks[by_heading.slugs[slug]]
    return None if section.slug in (None, entry.slug) else section


def _own_ranges(
    entry: Entry, children: Iterable[Entry], chunk_by_heading: Callable[[], ChunkedDocument | None]
) -> tuple[tuple[int, int], ...]:
    """Return the bytes of a chunk's own text: of its body, and of what was cut into pieces.

    Where a piece holds small sections, too, they are left out.
    """
    pieces = [child for child in children if child.kind == "piece"]
    if any(piece.covers for piece in pieces):
        by_heading = chunk_by_heading()
        if by_heading is not None:
            position = by_heading.slugs[entry.slug] if entry.slug else 0
            return by_heading.chunks[position].body_spans
    return tuple(
        merge([*entry.body_spans, *[(piece.byte_start, piece.byte_end) for piece in pieces]])
    )


def _readable(
    sources: Sources, document: DocumentEntry, ranges: Sequence[tuple[int, int]]
) -> str | None:
    """Return the readable text of ranges of a source, None unless it is markup."""
    reading = sources.reading(document, list(ranges))
    return None if reading is None else reading.all_shown


def _sizes(chunk: Chunk, sources: Sources, document: DocumentEntry) -> dict[int, Size]:
    """Return the sizes of the chunk and of each one below it, headings included.

    Bytes are those of the source, tokens those of what is shown of them.
    """
    sizes = {}
    for part in chunk.owner.chunks[chunk.position : chunk.last_position + 1]:
        ranges = heading_and_span(part)
        data = bytes_in(chunk.owner.document.data, ranges)
        readable = _readable(sources, document, ranges)
        text = _text(data) if readable is None else readable
        sizes[part.position] = Size(chunk.owner.count_tokens(text), len(data))
    return sizes


def _heading(chunk: Chunk | Entry, data: bytes) -> str | None:
    """Return the heading lines; a piece has none of its own."""
    if chunk.heading_start is None or chunk.heading_end is None:
        return None
    return _text(data[chunk.heading_start : chunk.heading_end])


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
