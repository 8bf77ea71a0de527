"""Statistics of a run: how many chunks, of what sizes, and how far from the estimate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from leafmark.chunking.options import ChunkingOptions
from leafmark.model import ChunkedDocument

__all__ = ["Deviation", "Statistics", "gather_statistics"]


@dataclass(frozen=True, slots=True)
class Deviation:
    """A document whose number of chunks is not near its estimate."""

    doc_id: str
    estimate: int
    actual: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Numbers of one run. Sizes are body tokens of the chunks that have any.

    `chunks` are all; `empty` those with a body that has no token. `estimate` is
    `ceil(total / target)` summed over the documents, to be compared with the
    chunks that are not empty. `size_bytes` are the sources'.
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


def gather_statistics(
    documents: Iterable[ChunkedDocument], *, options: ChunkingOptions, seconds: float = 0.0
) -> Statistics:
    """Return the statistics of `documents`, which are taken one at a time and not kept.

    `seconds` is how long chunking them took.
    """
    sizes: list[int] = []
    deviations: list[Deviation] = []
    count = chunks = estimates = size_bytes = 0
    for document in documents:
        own = [tokens for chunk in document.chunks if (tokens := chunk.body_tokens)]
        estimate = -(-sum(own) // options.target_tokens)
        if abs(len(own) - estimate) > options.tolerance * max(1, estimate):
            deviations.append(Deviation(document.doc_id, estimate, len(own)))
        sizes += own
        count += 1
        chunks += len(document.chunks)
        estimates += estimate
        size_bytes += len(document.document.data)
    return Statistics(
        documents=count,
        chunks=chunks,
        empty=chunks - len(sizes),
        total_tokens=sum(sizes),
        min_tokens=min(sizes, default=0),
        mean_tokens=sum(sizes) / len(sizes) if sizes else 0.0,
        median_tokens=float(median(sizes)) if sizes else 0.0,
        max_tokens=max(sizes, default=0),
        estimate=estimates,
        deviations=tuple(deviations),
        size_bytes=size_bytes,
        seconds=seconds,
    )
