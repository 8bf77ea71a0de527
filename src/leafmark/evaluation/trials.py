"""One way to search, tried on one query after the other; and plain BM25, the measure of all.

A `Trial` searches as users do, through `search_index`. With a `PlainRanking` it ranks the
same chunks by that alone: it shares no line with the search, so that it stays what it is
whatever the ranking does.
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
from leafmark.evaluation.report import Outcome
from leafmark.index import IndexReader
from leafmark.model import Answer, Entry, whole_range

TOKENIZER = "o200k_base"
"""What a reader's tokens are counted in, whatever chunks are measured by."""

DOUBTFUL = "doubtful"
"""The code of the hint that marks an answer which may be none."""

WITHOUT_MODEL = {
    "provider": "by its meaning",
    "late-embedder": "by its meaning",
    "no-vectors": "by its meaning",
    "late-vectors": "by the meaning of its best matches",
    "pending-vectors": "by the meaning of all chunks",
    "reranker": "with the reranker",
}
"""Codes of the hints that say that an answer lacks what a model was to give, or some of it."""

DEAR_TOKENS = 1000
"""Reading more than this to come upon an answer is worth a word; chosen by eye."""

MAX_DIAGNOSED = 200
"""Matches among which a lost answer is looked for."""

K1, B = 1.2, 0.75
"""The usual parameters of BM25: how soon a word that repeats counts no more, and length."""

REFUSED = "refused: "
"""Begins what is said of a query that the search does not understand."""

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
    """What a reader reads: the tokens of spans, each counted once for all ways to search."""

    library: Library
    counts: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def read(self, of: Bytes) -> Read:
        """Return some bytes with the tokens of their text."""
        key = (of.doc_id, of.start, of.end)
        if key not in self.counts:
            self.counts[key] = token_counter(TOKENIZER)(self.library.text(*key))
        return Read(*key, self.counts[key])

    def entry(self, entry: Entry) -> Read:
        """Return a chunk with its heading and all that is below it."""
        return self.read(_bytes_of(entry))


class Found(NamedTuple):
    """What a search gave: chunks, each with the names of others of the same bytes.

    `kept` are how many the cutoff left. A `refused` query found nothing, for that reason.
    """

    results: Sequence[tuple[Entry, Sequence[str]]]
    doubtful: bool = False
    kept: int = 0
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
        diagnose: bool = False,
        plain: PlainRanking | None = None,
    ):
        self._project = project
        self._reader = reader
        self._reading = reading
        self._limit = limit
        self._diagnose = diagnose and plain is None
        self._plain = plain
        self._sources = Sources(project)
        self._resolver = Resolver(reader, reader.manifest)

    @property
    def chunks(self) -> int:
        """How many chunks its index has."""
        return sum(counts.chunks for counts in self._reader.trees.values())

    @property
    def limit(self) -> int:
        """How many results of a query are judged: where nothing else is said, all that are kept.

        Metrics by rank look at the first ten of them. Those by tokens go on to 5,000, which ten
        small results do not reach.
        """
        search = self._project.configuration.search
        return self._limit or max(search.limit, search.max_results)

    def run(self, query: JudgedQuery, passages: tuple[Passage, ...]) -> Outcome:
        """Return what the query comes to."""
        found = self._find(query)
        results = [self._read(*result, passages) for result in found.results]
        cover_rank = rank_of(results, passages, covers)
        answering = dict.fromkeys(passage.doc_id for passage in passages)
        about = [_bytes_of(entry) for one in answering for entry in self._reader.chunks_of(one)]
        outcome = Outcome(
            query,
            measure(results, passages, doubtful=found.doubtful),
            tuple(entry.id for entry, _ in found.results),
            rank_of(results, passages, overlaps),
            cover_rank,
            tokens_to(results, cover_rank),
            found.doubtful,
            lost=found.refused and REFUSED + found.refused,
            perfect=perfect_values([*about, *results], passages, self._reading.read),
        )
        if not (self._diagnose and passages) or found.refused:
            return outcome
        return outcome._replace(lost=self._lost(outcome, passages, results, found))

    def _find(self, query: JudgedQuery) -> Found:
        if self._plain is not None:
            ranked = self._plain.rank(query.query, query.tree, self.limit)
            return Found([(entry, ()) for entry in ranked])
        try:
            answer = self._search(self._project, query)
        except QueryError as error:
            return Found((), refused=error.message)
        return Found(
            [(result.entry, result.also_in) for result in answer.results],
            any(hint.code == DOUBTFUL for hint in answer.hints),
            answer.counts["after_cutoff"],
        )

    def _search(self, project: Project, query: JudgedQuery) -> Answer:
        request = SearchRequest(
            queries=(query.query,),
            limit=self.limit if project is self._project else None,
            trees=(query.tree,) if query.tree else (),
        )
        answer = search_index(project, self._reader, request, self._sources)
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
        """Return a result as it is read; of places with the same bytes the one that answers."""
        others = [self._reading.entry(self._resolver.resolve(name)) for name in also_in]
        return max(
            [self._reading.entry(entry), *others],
            key=lambda read: max((shared_bytes(read, each) for each in passages), default=0),
        )

    def _lost(
        self,
        outcome: Outcome,
        passages: Sequence[Passage],
        results: Sequence[Read],
        found: Found,
    ) -> str:
        """Say why the answer was not found, or was found dear; empty where nothing is wrong."""
        if outcome.rank is None:
            return self._lost_before(outcome.query, passages, found)
        if outcome.tokens is None:
            return "cut up: no result covers half of it"
        if outcome.tokens <= DEAR_TOKENS:
            return ""
        itself = results[(outcome.cover_rank or 1) - 1].tokens
        where = "its own" if 2 * itself > outcome.tokens else "of results before it"
        return f"dear: {outcome.tokens:,} tokens, most of them {where}"

    def _lost_before(self, query: JudgedQuery, passages: Sequence[Passage], found: Found) -> str:
        """Say which phase lost an answer that no result overlaps."""
        matched = self._search(self._lenient(), query)
        shown = [(one.entry, one.also_in) for one in matched.results]
        rank = rank_of([self._read(*one, passages) for one in shown], passages, overlaps)
        if rank is None:
            return _not_among(matched)
        partly = " and matches some of the words only" if matched.results[rank - 1].relaxed else ""
        if rank > found.kept:
            return f"cut off: ranks {rank} of the matches{partly}, of which {found.kept} were kept"
        return f"crowded out: ranks {rank} of the matches{partly}"

    def _lenient(self) -> Project:
        """Return the project with settings under which nothing is cut off or merged."""
        configuration = self._project.configuration
        most = MAX_DIAGNOSED
        search = configuration.search._replace(
            limit=most,
            max_results=most,
            candidate_limit=most,
            cutoff_ratio=0,
            aggregation_min_matches=most + 1,
        )
        return self._project._replace(configuration=configuration._replace(search=search))


def _bytes_of(entry: Entry) -> Passage:
    return Passage(entry.doc_id, *whole_range(entry))


def _not_among(matched: Answer) -> str:
    """Say that what answers a query is not among its matches, or not among the first of them."""
    shown, counts = len(matched.results), matched.counts
    if not shown:
        return "nothing matches"
    seen = shown if shown < counts["ranked"] else counts["after_cutoff"]
    if seen < counts["candidates"]:
        return f"not found: not among the first {seen} matches, and there are more"
    return f"not matched: not among {shown} match{'' if shown == 1 else 'es'}"


def check_tree(project: Project, query: JudgedQuery) -> None:
    """Refuse a query whose tree is not of this project.

    Raises:
        UsageError: it is such a query; it is named with its place.
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
    """BM25 over the chunks of an index, each read as one text with the titles above it.

    Any of the words may match, but for stop words. Nothing else counts.
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
        """Return the best chunks for a query, of one tree if any is named."""
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

    Scripts without spaces between words give pairs of letters.

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
    """Return an English word without the endings of number, tense and an e at its end."""
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
