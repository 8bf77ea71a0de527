"""Statistics of a run: how many chunks, of what sizes, and how far from the estimate."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from leafmark.chunking.options import ChunkingOptions
from leafmark.model import ChunkedDocument

__all__ = [
    "Deviation",
    "DocumentSizes",
    "Statistics",
    "measure_document",
    "summarise",
]


@dataclass(frozen=True, slots=True)
class Deviation:
    """A document whose number of chunks is not near its estimate."""

    doc_id: str
    estimate: int
    actual: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Numbers of one run. Sizes are body tokens of the chunks that have anything to read.

    `chunks` are all; `empty` those with a body that is blank. `estimate` is
    `ceil(total / target)` summed over the documents, to be compared with the
    chunks that are not empty; the target of `fixed` is the size of its windows.
    `size_bytes` are the sources'.
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
        """Millions of source bytes a second; 0 where no time was given."""
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
                {"doc_id": found.doc_id, "estimate": found.estimate, "actual": found.actual}
                for found in self.deviations
            ],
            "size_bytes": self.size_bytes,
            "seconds": round(self.seconds, 3),
            "megabytes_per_second": round(self.megabytes_per_second, 1),
        }


@dataclass(frozen=True, slots=True)
class DocumentSizes:
    """What statistics need to know of one document, once it is gone.

    `tokens` are the body tokens of its chunks that are not blank. `seconds` is how
    long it took to make the chunks.
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
    for each in measured:
        if each.deviates:
            deviations.append(Deviation(each.doc_id, each.estimate, len(each.tokens)))
        sizes.update(each.tokens)
        count += 1
        chunks += each.chunks
        estimates += each.estimate
        size_bytes += each.size_bytes
        seconds += each.seconds
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
    """The median of numbers of which each is there so many times; 0 of none."""
    sizes = sorted(counts)
    ends = [*accumulate(counts[size] for size in sizes)]
    if not ends:
        return 0.0
    middle = (ends[-1] - 1) // 2, ends[-1] // 2
    return sum(sizes[bisect_right(ends, at)] for at in middle) / 2
