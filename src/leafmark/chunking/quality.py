"""Reports on a run: the quality of chunks, and statistics.

The quality report uses only finished chunks and the document's blocks, so that it judges all
strategies alike and trusts none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Literal

from leafmark.chunking.block_regions import BodyReader
from leafmark.chunking.options import ChunkingOptions
from leafmark.model import Block, Chunk, ChunkedDocument, rejoin, subtract

FindingKind = Literal[
    "undersize", "below_min", "above_bound", "split_code", "orphan_rows", "bare_heading"
]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a chunk. `excused`: the strategy flagged it as unavoidable."""

    kind: FindingKind
    chunk_id: str
    message: str

    @property
    def excused(self) -> bool:
        return self.kind == "undersize"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "kind": self.kind,
            "id": self.chunk_id,
            "message": self.message,
            "excused": self.excused,
        }


@dataclass(frozen=True, slots=True)
class _Inspection:
    reader: BodyReader
    options: ChunkingOptions
    several: bool

    def is_solid(self, code: Block) -> bool:
        """Whether code is one block: code of a script may have blocks, and cuts between them."""
        return len(self.reader.blocks_within(code.start, code.end)) == 1

    def solid_bound(self, chunk: Chunk, tokens: int) -> int:
        """Return the bound of a chunk of `tokens`, from its largest block, headings and context.

        A body in many ranges, and code of a script, are not judged: their bound is `tokens`.
        """
        reader, count = self.reader, chunk.owner.count_tokens
        if len(_joined(self, chunk)) > 1 or chunk.owner.document.format == "script":
            return tokens
        start, end = chunk.byte_start, chunk.byte_end
        blocks = (*reader.blocks_within(start, end), *reader.code_within(start, end))
        headings = reader.headings_within(start, end)
        largest = max([count(reader.normalise(((b.start, b.end),))) for b in blocks], default=0)
        largest += sum(count(reader.normalise(((h.start, h.end),))) + 1 for h in headings)
        rest = tokens - count(reader.normalise(chunk.body_spans))
        return max(self.options.max_tokens, largest + rest)


def inspect_quality(document: ChunkedDocument, *, options: ChunkingOptions) -> list[Finding]:
    """Return the findings of one document, by chunk in order of position."""
    inspection = _Inspection(BodyReader(document.document), options, len(document.chunks) > 1)
    return [
        finding
        for chunk in document.chunks
        for check in _CHECKS
        for finding in check(inspection, chunk)
    ]


def _joined(inspection: _Inspection, chunk: Chunk) -> Sequence[tuple[int, int]]:
    """Return the ranges of the body, joined if only dropped bytes separate them."""
    return rejoin(chunk.body_spans, inspection.reader.dropped)


def _find_small(inspection: _Inspection, chunk: Chunk) -> Iterator[Finding]:
    tokens, least = chunk.body_tokens, inspection.options.min_tokens
    if not inspection.several or tokens >= least or not chunk.has_content:
        return
    kind: FindingKind = "undersize" if chunk.undersize else "below_min"
    yield Finding(kind, chunk.id, f"{tokens} tokens; the least is {least}")


def _find_large(inspection: _Inspection, chunk: Chunk) -> Iterator[Finding]:
    options = inspection.options
    tokens, slack = chunk.tokens, max(1, options.min_tokens)
    if tokens < options.max_tokens + slack:
        return
    if not chunk.oversize or tokens >= inspection.solid_bound(chunk, tokens) + 2 * slack:
        yield Finding("above_bound", chunk.id, f"{tokens} tokens; the most is {options.max_tokens}")


def _find_split_code(inspection: _Inspection, chunk: Chunk) -> Iterator[Finding]:
    if inspection.options.oversize_code == "split":
        return
    for start, end in _joined(inspection, chunk):
        for block in inspection.reader.code_within(start, end):
            if (block.start < start or block.end > end) and inspection.is_solid(block):
                line = chunk.owner.line_of(block.start)
                yield Finding("split_code", chunk.id, f"cuts the code block on line {line}")


def _find_orphan_rows(inspection: _Inspection, chunk: Chunk) -> Iterator[Finding]:
    for start, _ in _joined(inspection, chunk):
        table = inspection.reader.table_around(start)
        if table is not None and table.content_start is not None and not chunk.context_spans:
            line = chunk.owner.line_of(table.start)
            yield Finding("orphan_rows", chunk.id, f"has rows of the table on line {line} only")


def _find_bare_headings(inspection: _Inspection, chunk: Chunk) -> Iterator[Finding]:
    """Yield a finding for headings at the end of a body with their content in the next chunk."""
    data = chunk.owner.document.data
    for start, end in _joined(inspection, chunk):
        headings = inspection.reader.headings_within(start, end)
        if not headings or data[headings[-1].end : end].strip():
            continue
        following = inspection.reader.heading_after(headings[-1].start)
        limit = len(data) if following is None else following.start
        below = subtract(headings[-1].end, limit, inspection.reader.dropped)
        if any(data[first:last].strip() for first, last in below):
            message = f"ends with the heading {headings[-1].title!r} and nothing below it"
            yield Finding("bare_heading", chunk.id, message)


_CHECKS: tuple[Callable[[_Inspection, Chunk], Iterator[Finding]], ...] = (
    _find_small,
    _find_large,
    _find_split_code,
    _find_orphan_rows,
    _find_bare_headings,
)


@dataclass(frozen=True, slots=True)
class Deviation:
    """A document whose number of chunks is far from its estimate."""

    doc_id: str
    estimate: int
    actual: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of one run. Sizes are body tokens of the chunks with readable text.

    `chunks` counts all chunks, `empty` those with a blank body. `estimate` is
    `ceil(total / target)` summed over the documents, for comparison with the
    chunks that are not empty; the target of `fixed` is the size of its windows.
    `size_bytes` counts the sources' bytes.
    """

    documents: int
    chunks: int
    empty: int
    total_tokens: int
    min_tokens: int
    mean_tokens: float
    median_tokens: float
    max_tokens: int
    estimate: int
    deviations: tuple[Deviation, ...] = field(repr=False)
    size_bytes: int
    seconds: float

    @property
    def megabytes_per_second(self) -> float:
        """Millions of source bytes per second; 0 if no time is known."""
        return self.size_bytes / 1e6 / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "documents": self.documents,
            "chunks": self.chunks,
            "empty": self.empty,
            "total_tokens": self.total_tokens,
            "min_tokens": self.min_tokens,
            "mean_tokens": round(self.mean_tokens, 1),
            "median_tokens": self.median_tokens,
            "max_tokens": self.max_tokens,
            "estimate": self.estimate,
            "actual": self.chunks - self.empty,
            "deviations": [
                {
                    "doc_id": deviation.doc_id,
                    "estimate": deviation.estimate,
                    "actual": deviation.actual,
                }
                for deviation in self.deviations
            ],
            "size_bytes": self.size_bytes,
            "seconds": round(self.seconds, 3),
            "megabytes_per_second": round(self.megabytes_per_second, 1),
        }


@dataclass(frozen=True, slots=True)
class DocumentSizes:
    """The sizes of one document for statistics, without the document.

    `tokens` are the body tokens of its chunks that are not blank. `seconds` is the time
    of making the chunks.
    """

    doc_id: str
    chunks: int
    tokens: tuple[int, ...]
    estimate: int
    deviates: bool
    size_bytes: int
    seconds: float = 0.0


def measure_document(
    document: ChunkedDocument, *, options: ChunkingOptions, seconds: float = 0.0
) -> DocumentSizes:
    """Return the sizes of one document's chunks."""
    bodies = [body for chunk in document.chunks if (body := chunk.readable_body).strip()]
    own = tuple(map(document.count_tokens, bodies))
    is_fixed = options.strategy == "fixed"
    estimate = -(-sum(own) // (options.fixed_tokens if is_fixed else options.target_tokens))
    return DocumentSizes(
        doc_id=document.doc_id,
        chunks=len(document.chunks),
        tokens=own,
        estimate=estimate,
        deviates=abs(len(own) - estimate) > options.tolerance * max(1, estimate),
        size_bytes=len(document.document.data),
        seconds=seconds,
    )


def summarise(measured: Iterable[DocumentSizes]) -> Statistics:
    """Return the statistics of a run."""
    sizes: Counter[int] = Counter()
    deviations: list[Deviation] = []
    count = chunks = estimates = size_bytes = 0
    seconds = 0.0
    for document in measured:
        if document.deviates:
            deviations.append(Deviation(document.doc_id, document.estimate, len(document.tokens)))
        sizes.update(document.tokens)
        count += 1
        chunks += document.chunks
        estimates += document.estimate
        size_bytes += document.size_bytes
        seconds += document.seconds
    filled = sizes.total()
    total = sum(size * chunks_of_it for size, chunks_of_it in sizes.items())
    return Statistics(
        documents=count,
        chunks=chunks,
        empty=chunks - filled,
        total_tokens=total,
        min_tokens=min(sizes, default=0),
        mean_tokens=total / filled if filled else 0.0,
        median_tokens=_median(sizes),
        max_tokens=max(sizes, default=0),
        estimate=estimates,
        deviations=tuple(deviations),
        size_bytes=size_bytes,
        seconds=seconds,
    )


def _median(counts: Mapping[int, int]) -> float:
    """Return the median of numbers, given how often each occurs; 0 for none."""
    sizes = sorted(counts)
    ends = [*accumulate(counts[size] for size in sizes)]
    if not ends:
        return 0.0
    middle = (ends[-1] - 1) // 2, ends[-1] // 2
    return sum(sizes[bisect_right(ends, at)] for at in middle) / 2
