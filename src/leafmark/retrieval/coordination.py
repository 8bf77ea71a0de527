"""Raise relaxed matches by how many of the words asked for they hold.

BM25 adds up words: a short section that says a rare one twice comes before a longer one that
has all words but one. So, if no chunk matches all the words, the score of each match is
multiplied by e to the power of `coordination` times the share of the words that it holds (its
*coordination level*): in its text, in its title, or in a title above it. (A text is indexed with
the titles of the sections around it; only the title of the document is looked for besides.) The
words are counted and not weighed, since BM25 has already weighed them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from leafmark.index import Handle, IndexReader, Match
from leafmark.index.queries import AllOf, AnyOf, Constant, Query, any_of, unscored
from leafmark.retrieval.filters import Filters
from leafmark.retrieval.hits import Hit, raisable, replace_first, rounded
from leafmark.retrieval.leaves import Looked
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.weights import COORDINATED_MATCHES

__all__ = ["raise_by_coordination"]

_AT_ONCE = 12
"""Words that one search looks for: each takes two of the 24 bits that a score holds exactly."""

_IN_TEXT = (1 << _AT_ONCE) - 1
"""The bits of words in a text or its title; those of words in the title follow."""

_MOST = 10_000
"""The most chunks that a search in whole documents returns."""


def raise_by_coordination(reader: IndexReader, hits: list[Hit], params: SearchParams) -> list[Hit]:
    """Return relaxed matches with their scores raised by the words that they hold, best first.

    `hits` are sorted best first. Only the first `COORDINATED_MATCHES` are raised, as far as they
    are `raisable`.
    """
    if not params.coordination:
        return hits
    first = raisable(hits, COORDINATED_MATCHES, params)
    counts = _count_held(reader, first)
    raised = []
    for hit in first:
        share = counts[hit.chunk] / len(hit.compiled.asked)
        factor = math.exp(params.coordination * share)
        raised.append(hit._replace(score=rounded(hit.score * factor), coordinated=factor))
    return replace_first(raised, hits)  # no score was lowered


def _count_held(reader: IndexReader, hits: Sequence[Hit]) -> dict[Handle, int]:
    """Return how many of the words each hit holds."""
    places = reader.refs([hit.chunk for hit in hits])
    counts: dict[Handle, int] = {}
    for compiled in {id(hit.compiled): hit.compiled for hit in hits}.values():
        own = {
            hit.chunk: place
            for hit, place in zip(hits, places, strict=True)
            if hit.compiled is compiled
        }
        words = [looked for looked, _ in compiled.asked if looked is not None]
        for start in range(0, len(words), _AT_ONCE):
            found = _Found.of(reader, words[start : start + _AT_ONCE], own.values())
            for chunk, (doc_id, _) in own.items():
                counts[chunk] = counts.get(chunk, 0) + found.held(chunk, doc_id)
    return counts


class _Found(NamedTuple):
    """Which of a few words chunks hold, each a bit of a number.

    `chunks` are the words in the text or title of a chunk, `titles` those in the title of a
    document.
    """

    chunks: Mapping[Handle, int]
    titles: Mapping[str, int]

    @classmethod
    def of(
        cls, reader: IndexReader, words: Sequence[Looked], places: Collection[tuple[str, int]]
    ) -> _Found:
        """Look for the words in the chunks at the places, and in their documents' titles."""
        matches = _search(reader, words, places)
        titled = [(int(score) >> _AT_ONCE, at) for score, at in matches if score > _IN_TEXT]
        columns = reader.columns([at for _, at in titled])
        first = [one for one, at in zip(titled, columns, strict=True) if at.position == 0]
        names = reader.refs([at for _, at in first])
        return cls(
            {at: int(score) & _IN_TEXT for score, at in matches},
            {doc_id: bits for (bits, _), (doc_id, _) in zip(first, names, strict=True)},
        )

    def held(self, chunk: Handle, doc_id: str) -> int:
        return (self.chunks.get(chunk, 0) | self.titles.get(doc_id, 0)).bit_count()


def _search(
    reader: IndexReader, words: Sequence[Looked], places: Collection[tuple[str, int]]
) -> list[Match]:
    """Return chunks that hold any of the words, with a score that has a bit for each.

    The chunks at the places are among them, and the first of their documents. In documents
    with a great many chunks only these are looked at: it takes twice as long as to look at all.
    """
    filters, bits = Filters(reader), list(_bits(words))
    documents = sorted({doc_id for doc_id, _ in places})
    found = _matches(reader, [filters.document(each) for each in documents], bits, _MOST)
    if len(found) < _MOST:
        return found
    chunks = sorted({*places, *((doc_id, 0) for doc_id in documents)})
    return _matches(reader, [filters.chunk(*each) for each in chunks], bits, len(chunks))


def _bits(words: Sequence[Looked]) -> Iterator[Query]:
    """Yield queries whose score is one bit: of a word in text or title, and in the title."""
    for number, looked in enumerate(words):
        by_field = dict(looked.queries)
        title = [by_field["title"]] if "title" in by_field else []
        text = [by_field["body"], *title] if "body" in by_field else title
        for bit, queries in ((number, text), (number + _AT_ONCE, title)):
            if queries:
                yield Constant(any_of(queries), float(1 << bit))


def _matches(
    reader: IndexReader, within: list[Query], bits: Iterable[Query], most: int
) -> list[Match]:
    query = AllOf((unscored(any_of(within)), AnyOf(tuple(bits))))
    return reader.search([(query, most)])[0]
