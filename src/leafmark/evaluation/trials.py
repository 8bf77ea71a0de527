"""One way to search, tried on one query after the other; and plain BM25, the baseline.

A `Trial` searches as users do, through `search_index`. With a `PlainRanking` it ranks the same
chunks by that alone. The baseline shares no code with the search, so that it stays the same when
the ranking changes.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from leafmark.app.answering.resolving import Resolver
from leafmark.app.answering.searching import search_index
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import SearchRequest
from leafmark.chunking import token_counter
from leafmark.errors import NotFoundError, ProviderError, QueryError, UsageError
from leafmark.evaluation.judgments import JudgedQuery, abridged
from leafmark.evaluation.metrics import (
    Bytes,
    Passage,
    Read,
    covers,
    measure,
    overlaps,
    perfect_values,
    rank_of,
    shared_bytes,
    tokens_to,
)
from leafmark.evaluation.references import Library
from leafmark.evaluation.results import Outcome
from leafmark.index import IndexReader
from leafmark.model import Answer, Entry, whole_range

TOKENIZER = "o200k_base"
"""The tokenizer for a reader's tokens, independent of the one that measures chunks."""

DOUBTFUL = "doubtful"
"""The code of the hint on results that may not answer the query."""

WITHOUT_MODEL = {
    "provider": "by its meaning",
    "late-embedder": "by its meaning",
    "no-vectors": "by its meaning",
    "late-vectors": "by the meaning of its best matches",
    "pending-vectors": "by the meaning of all chunks",
    "reranker": "with the reranker",
}
"""Hints that results lack all or some of a model's contribution: by code, the missing part."""

K1, B = 1.2, 0.75
"""The usual parameters of BM25: the saturation of repeated words, and the weight of length."""


_STOPS = (
    "a about an and any are as at be been but by can could did do does for from get had has have "
    "how i if in into is it its me my no not of on or our should so some than that the their them "
    "then there these they this to was we were what when where which who why will with would you "
    "your"
)
_STOP_WORDS = frozenset(_STOPS.split())
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+|[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


@dataclass(slots=True)
class Reading:
    """The tokens of spans as a reader reads them, counted once for all ways to search."""

    library: Library
    counts: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def read(self, span: Bytes) -> Read:
        """Return a span with the number of tokens of its text."""
        key = (span.doc_id, span.start, span.end)
        if key not in self.counts:
            self.counts[key] = token_counter(TOKENIZER)(self.library.text(*key))
        return Read(*key, self.counts[key])

    def entry(self, entry: Entry) -> Read:
        """Return a chunk with its heading and its subsections."""
        return self.read(_bytes_of(entry))


class Retrieval(NamedTuple):
    """The results of a search: chunks, each with the names of others with the same bytes.

    `refused` says why a query was refused.
    """

    results: Sequence[tuple[Entry, Sequence[str]]]
    doubtful: bool = False
    refused: str = ""


class Trial:
    """One way to search: an index with its settings, or the plain ranking of its chunks."""

    def __init__(
        self,
        project: Project,
        reader: IndexReader,
        reading: Reading,
        *,
        limit: int | None = None,
        plain: PlainRanking | None = None,
    ):
        self._project = project
        self._reader = reader
        self._reading = reading
        self._limit = limit
        self._plain = plain
        self._sources = Sources(project)
        self._resolver = Resolver(reader, reader.manifest)

    @property
    def chunks(self) -> int:
        """The number of chunks in its index."""
        return sum(counts.chunks for counts in self._reader.trees.values())

    @property
    def limit(self) -> int:
        """The number of judged results of a query; by default, the most that a search returns.

        Metrics by rank use the first ten results. Metrics by tokens go on to 5,000 tokens, for
        which ten small results do not suffice.
        """
        search = self._project.configuration.search
        return self._limit or max(search.limit, search.max_results)

    def run(self, query: JudgedQuery, passages: tuple[Passage, ...]) -> Outcome:
        """Return the outcome of a query."""
        retrieval = self._find(query)
        results = [self._read(*result, passages) for result in retrieval.results]
        cover_rank = rank_of(results, passages, covers)
        answering = dict.fromkeys(passage.doc_id for passage in passages)
        entries = (entry for doc_id in answering for entry in self._reader.chunks_of(doc_id))
        chunks: list[Bytes] = [*map(_bytes_of, entries), *results]
        return Outcome(
            query,
            measure(results, passages, doubtful=retrieval.doubtful),
            tuple(entry.id for entry, _ in retrieval.results),
            rank_of(results, passages, overlaps),
            cover_rank,
            tokens_to(results, cover_rank),
            retrieval.doubtful,
            refused=retrieval.refused,
            perfect=perfect_values(chunks, passages, self._reading.read),
        )

    def _find(self, query: JudgedQuery) -> Retrieval:
        if self._plain is not None:
            ranked = self._plain.rank(query.query, query.tree, self.limit)
            return Retrieval([(entry, ()) for entry in ranked])
        try:
            answer = self._search(query)
        except QueryError as error:
            return Retrieval((), refused=error.message)
        return Retrieval(
            [(result.entry, result.also_in) for result in answer.results],
            any(hint.code == DOUBTFUL for hint in answer.hints),
        )

    def _search(self, query: JudgedQuery) -> Answer:
        request = SearchRequest(
            queries=(query.query,),
            limit=self.limit,
            trees=(query.tree,) if query.tree else (),
        )
        answer = search_index(self._project, self._reader, request, self._sources)
        for hint in answer.hints:
            if hint.code in WITHOUT_MODEL:
                raise ProviderError(
                    f"the query {abridged(query.query)} cannot be judged "
                    f"{WITHOUT_MODEL[hint.code]}: {hint.reason}",
                    location=query.location,
                    hint="without it the figures would be those of another search: evaluate again",
                )
        return answer

    def _read(self, entry: Entry, also_in: Sequence[str], passages: Sequence[Passage]) -> Read:
        """Return a result as it is read; of several with the same bytes, the one that answers."""
        others = [self._reading.entry(self._resolver.resolve(name)) for name in also_in]
        return max(
            [self._reading.entry(entry), *others],
            key=lambda read: max((shared_bytes(read, passage) for passage in passages), default=0),
        )


def _bytes_of(entry: Entry) -> Passage:
    return Passage(entry.doc_id, *whole_range(entry))


def check_tree(project: Project, query: JudgedQuery) -> None:
    """Refuse a query whose tree is not in this project.

    Raises:
        UsageError: its tree is unknown; the error has the query and its location.
    """
    try:
        if query.tree:
            project.get_tree(query.tree)
    except NotFoundError as error:
        trees = ", ".join(tree.name for tree in project.trees)
        known = f"there are: {trees}" if trees else None
        raise UsageError(
            f"the query {abridged(query.query)} cannot be searched: {error.message}",
            location=query.location,
            hint=error.hint or known,
        ) from error


class PlainRanking:
    """BM25 over the chunks of an index, each as one text with the titles above it.

    A chunk matches with any word of the query; stop words count only if there are no others.
    """

    def __init__(self, reader: IndexReader, library: Library):
        self._entries: list[Entry] = []
        self._postings: dict[str, tuple[array[int], array[int]]] = {}
        self._lengths = array("I")
        for document in reader.documents():
            chunks = reader.chunks_of(document.doc_id)
            texts = library.texts(document.doc_id, [chunk.body_spans for chunk in chunks])
            for chunk, text in zip(chunks, texts, strict=True):
                titles = dict.fromkeys((chunks[0].title, *chunk.section_path))
                self._add(chunk, " ".join([*titles, text]))
        self._mean = sum(self._lengths) / max(1, len(self._lengths)) or 1.0

    def _add(self, chunk: Entry, text: str) -> None:
        counts = Counter(plain_words(text))
        for word, count in counts.items():
            places, times = self._postings.setdefault(word, (array("I"), array("I")))
            places.append(len(self._entries))
            times.append(count)
        self._entries.append(chunk)
        self._lengths.append(counts.total())

    def rank(self, query: str, tree: str, limit: int) -> list[Entry]:
        """Return the best chunks for a query, of one tree unless `tree` is empty."""
        words = list(plain_words(query))
        content = [word for word in words if word not in _STOP_WORDS] or words
        scores: defaultdict[int, float] = defaultdict(float)
        for word in dict.fromkeys(content):
            for at, score in self._scores(word):
                scores[at] += score
        ranked = sorted(scores, key=lambda at: (-scores[at], at))
        entries = (self._entries[at] for at in ranked)
        admitted = (entry for entry in entries if not tree or entry.tree == tree)
        return [entry for entry, _ in zip(admitted, range(limit), strict=False)]

    def _scores(self, word: str) -> Iterator[tuple[int, float]]:
        places, times = self._postings.get(word, ((), ()))
        rarity = math.log(1 + (len(self._entries) - len(places) + 0.5) / (len(places) + 0.5))
        for at, count in zip(places, times, strict=True):
            length = 1 - B + B * self._lengths[at] / self._mean
            yield at, rarity * count * (K1 + 1) / (count + K1 * length)


def plain_words(text: str) -> Iterable[str]:
    """Yield the words of a text in lower case, without the usual English endings.

    A script without spaces between words gives pairs of letters.

    >>> list(plain_words("Caching cached_pages, 東京都"))
    ['cach', 'cach', 'pag', '東京', '京都']
    """
    for word in _WORD.findall(text.lower()):
        if not _UNSPACED.match(word):
            yield _stem(word)
        elif len(word) == 1:
            yield word
        else:
            yield from (word[at : at + 2] for at in range(len(word) - 1))


def _stem(word: str) -> str:
    """Return an English word without endings of number and tense, and without a final e."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha() or word in _STOP_WORDS:
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and any(vowel in rest for vowel in "aeiouy"):
            double = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            word = rest[:-1] if double else rest
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word
