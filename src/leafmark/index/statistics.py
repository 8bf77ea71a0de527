"""Live statistics: what BM25 would count if nothing had been deleted.

The engine's document counts and frequencies include deleted records until their
segment is merged, so that an index that was edited scores a little otherwise
than a fresh one: a rare word's weight is off by several per cent. A boost of
`idf_correction` puts the weight of a term right. What remains is the mean field
length, whose error is the share of the deleted times how far their length is
from the mean, and the writer begins a new generation before that share is large.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import tantivy

from leafmark.index.generation import count_matches

__all__ = ["RecordCounts", "Statistics", "read_counts"]


@dataclass(frozen=True, slots=True)
class RecordCounts:
    """How many records the engine's files hold, and how many of them are deleted."""

    stored: int
    deleted: int

    @property
    def deleted_share(self) -> float:
        """The deleted records per live one."""
        live = self.stored - self.deleted
        return self.deleted / live if live else float(self.deleted)


def read_counts(folder: Path) -> RecordCounts:
    """Count the records in the engine's own list of segments.

    Raises:
        OSError, ValueError: the list cannot be read.
    """
    try:
        segments = json.loads((folder / "meta.json").read_bytes())["segments"]
        stored = sum(int(segment["max_doc"]) for segment in segments)
        deletes = [segment.get("deletes") or {"num_deleted_docs": 0} for segment in segments]
        return RecordCounts(stored, sum(int(each["num_deleted_docs"]) for each in deletes))
    except (KeyError, TypeError, AttributeError) as err:
        raise ValueError("the engine's list of segments cannot be read") from err


class Statistics:
    """The statistics of one commit. Frequencies are remembered, as queries repeat terms."""

    def __init__(self, schema: tantivy.Schema, searcher: tantivy.Searcher, counts: RecordCounts):
        self._schema = schema
        self._searcher = searcher
        self._counts = counts
        self._live: dict[tuple[str, str], int] = {}

    @property
    def exact(self) -> bool:
        """Whether the engine's own statistics are right: nothing in its files is deleted."""
        return not self._counts.deleted

    @property
    def records(self) -> int:
        """The number of live records, which is BM25's N."""
        return self._counts.stored - self._counts.deleted

    def doc_freq(self, field: str, term: str) -> int:
        """Return how many live chunks have `term` in `field`: linear in them after deletions."""
        stored = self._searcher.doc_freq(field, term)
        if self.exact or not stored:
            return stored
        found = self._live.get((field, term))
        if found is None:
            query = tantivy.Query.term_query(self._schema, field, term, "basic")
            found = self._live[field, term] = count_matches(self._searcher, query)
        return found

    def idf_correction(self, field: str, term: str) -> float:
        """Return by what to boost a term's query for the weight it has in a fresh index.

        1.0 where nothing is deleted, or no live chunk has the term.
        """
        if self.exact:
            return 1.0
        live = self.doc_freq(field, term)
        if not live:
            return 1.0
        stored = self._searcher.doc_freq(field, term)
        return _idf(live, self.records) / _idf(stored, self._counts.stored)


def _idf(doc_freq: int, records: int) -> float:
    """The engine's inverse document frequency."""
    return math.log(1.0 + (records - doc_freq + 0.5) / (doc_freq + 0.5))
