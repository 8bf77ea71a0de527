"""The engine against an evaluator of queries that is slow and obvious, over little indexes."""

from __future__ import annotations

import json
import math
import random
import re
import tempfile
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.indexes import state_of

from leafmark.index import IndexOptions, Snapshot, open_reader, open_writer
from leafmark.index.queries import (
    AllChunks,
    AllOf,
    AnyOf,
    BestOf,
    Constant,
    HasAny,
    HasMatch,
    HasPhrase,
    HasPhraseMatch,
    HasPhrasePrefix,
    HasTerm,
    InRange,
    NoChunk,
    Query,
    Scaled,
    unscored,
)
from leafmark.index.records import serialise_document
from leafmark.index.schema import FILLER
from leafmark.index.snapshot import Match
from leafmark.model import DocumentEntry

BODY, TITLE = "body_none", "title_none"
TERMS = ["a", "b", "c", "ab", "abc", "ba"]
FACTS = ["tree=t", "has=code", "tag=x"]
SETTINGS = IndexOptions("engine", {"t": None})
Ref = tuple[str, int]


class Chunk(NamedTuple):
    """The terms and numbers of a chunk."""

    body: list[str]
    title: list[str]
    facts: list[str]
    mtime: int

    def terms(self, field: str) -> list[str]:
        return {BODY: self.body, TITLE: self.title, "facts": self.facts}[field]


class Source(NamedTuple):
    """What the writer takes: a document whose chunks have given terms."""

    entry: DocumentEntry
    chunks: Sequence[Chunk]
    stemmer: str | None = None

    @property
    def rows(self) -> Sequence[Chunk]:
        return self.chunks

    def documents(self, others: str = "") -> Iterator[str]:
        for position, chunk in enumerate(self.chunks):
            record = b64encode(serialise_document(self.entry)).decode()
            first = {"source": record} if position == 0 else {}
            kind = ["kind=document"] if position == 0 else ["kind=section"]
            fields = json.dumps(
                {
                    "doc_id": self.entry.doc_id,
                    BODY: " ".join(chunk.body),
                    TITLE: " ".join(chunk.title),
                    "facts": [*kind, *chunk.facts],
                    "position": position,
                    "mtime": chunk.mtime,
                    **first,
                }
            )
            yield f"{{{others}{fields[1:]}"


def make(root: Path, documents: Mapping[str, Sequence[Chunk]], gone: Sequence[str] = ()) -> None:
    with open_writer(root, SETTINGS, timeout_s=0) as writer:
        for path in gone:
            writer.remove("t", path)
        for path, chunks in documents.items():
            entry = DocumentEntry("t", path, state_of(path), path, "markdown", "utf-8", 0)
            source: Any = Source(entry._replace(chunk_count=len(chunks)), chunks)
            writer.put_prepared(source)
        writer.commit(started_ns=1)


class Oracle:
    """Evaluates queries one chunk at a time; `records` is N of BM25."""

    def __init__(self, chunks: Mapping[Ref, Chunk], records: int):
        self.chunks = chunks
        self._records = records

    def score(self, query: Query, ref: Ref) -> float | None:
        """Return the score of a chunk, None if it does not match."""
        match query:
            case Scaled(inner, factor):
                score = self.score(inner, ref)
                return None if score is None else factor * score
            case Constant(inner, fixed):
                return None if self.score(inner, ref) is None else fixed
            case AnyOf(queries, least):
                scores = self._scores(queries, ref)
                return sum(scores) if len(scores) >= least else None
            case AllOf(must, should, without):
                scores = self._scores(must, ref)
                if len(scores) < len(must) or self._scores(without, ref):
                    return None
                return sum(scores) + sum(self._scores(should, ref))
            case BestOf(queries):
                return max(self._scores(queries, ref), default=None)
            case HasTerm(field, term):
                return self._bm25(field, (term,), ref)
            case HasPhrase(field, terms):
                return self._bm25(field, terms, ref)
        return 1.0 if self._is_admitted(query, ref) else None

    def _is_admitted(self, query: Query, ref: Ref) -> bool:
        match query:
            case HasAny(field, terms):
                return not set(terms).isdisjoint(self._terms(field, ref))
            case HasMatch(field, pattern):
                return any(re.fullmatch(pattern, term) for term in self._terms(field, ref))
            case HasPhraseMatch(field, patterns):
                return self._are_in_a_row(field, patterns, ref)
            case HasPhrasePrefix(field, terms, prefix):
                return self._are_in_a_row(field, (*terms, f"{prefix}.*"), ref)
            case InRange(field, first, last):
                number = ref[1] if field == "position" else self.chunks[ref].mtime
                return (first or 0) <= number <= (math.inf if last is None else last)
        return isinstance(query, AllChunks)

    def _scores(self, queries: Sequence[Query], ref: Ref) -> list[float]:
        scores = (self.score(query, ref) for query in queries)
        return [score for score in scores if score is not None]

    def _terms(self, field: str, ref: Ref) -> list[str]:
        return [ref[0]] if field == "doc_id" else self.chunks[ref].terms(field)

    def _are_in_a_row(self, field: str, patterns: Sequence[str], ref: Ref) -> bool:
        terms = self._terms(field, ref)
        rows = zip(*(terms[start:] for start in range(len(patterns))), strict=False)
        return any(all(map(re.fullmatch, patterns, row)) for row in rows)

    def _bm25(self, field: str, phrase: tuple[str, ...], ref: Ref) -> float | None:
        """BM25 as the books have it: a phrase counts as a word that is as rare as its terms."""
        texts = [chunk.terms(field) for chunk in self.chunks.values()]
        text, size = self.chunks[ref].terms(field), len(phrase)
        count = sum(tuple(text[at : at + size]) == phrase for at in range(len(text)))
        others = self._records - len(texts)  # of which each text is one word
        mean = (sum(map(len, texts)) + others) / self._records
        idf = 0.0
        for term in phrase:
            frequency = sum(term in other for other in texts)
            idf += math.log(1 + (self._records - frequency + 0.5) / (frequency + 0.5))
        length = 1 - 0.75 + 0.75 * len(text) / mean if mean else 1.0
        return idf * count * 2.2 / (count + 1.2 * length) if count else None


def _random_chunk(rng: random.Random) -> Chunk:
    return Chunk(
        rng.choices(TERMS, k=rng.randint(0, 8)),
        rng.choices(TERMS, k=rng.randint(0, 3)),
        rng.sample(FACTS, rng.randint(0, 3)),
        rng.randint(0, 9),
    )


@cache
def little_index(seed: int) -> tuple[Snapshot, Oracle]:
    """A random index: a commit takes too long to make one for each example."""
    rng = random.Random(seed)
    paths = rng.sample(["a.md", "a.md-b", "b.md", "c/d.md", "e.md"], rng.randint(1, 5))
    documents = {path: [_random_chunk(rng) for _ in range(rng.randint(1, 4))] for path in paths}
    root = Path(tempfile.mkdtemp())
    make(root, documents)
    every = {
        (f"t:{path}", position): chunk
        for path, chunks in documents.items()
        for position, chunk in enumerate(chunks)
    }
    return open_reader(root), Oracle(every, len(every) + 1)  # the index's own record counts, too


seeds = st.integers(1, 8)
words = st.sampled_from(TERMS)
fields = st.sampled_from([BODY, TITLE])
facts = st.sampled_from(FACTS)
ends = st.none() | st.integers(0, 9)
several_words = st.lists(words, min_size=2, max_size=3).map(tuple)
phrases = st.builds(HasPhrase, fields, several_words, st.just(0))
scored_leaves = st.one_of(st.builds(HasTerm, fields, words), phrases)
patterns = st.sampled_from(["a", "a.*", "(a|ba)b?", "[bc]", ".*b.*"])
beside = st.lists(words, min_size=1, max_size=2).map(tuple)
filters = st.one_of(
    st.just(NoChunk()),
    st.just(AllChunks()),
    st.builds(HasAny, fields, st.lists(words, max_size=4).map(tuple)),
    st.builds(HasAny, st.just("facts"), st.lists(facts, max_size=2).map(tuple)),
    st.builds(HasAny, st.just(BODY), st.just(("abc", *(f"x{n}" for n in range(200))))),
    st.builds(HasMatch, fields, patterns),
    st.builds(HasMatch, st.just("doc_id"), st.sampled_from(["t:a.*", "t:c/.*"])),
    st.builds(unscored, st.builds(HasTerm, st.just("facts"), facts)),
    st.builds(InRange, st.sampled_from(["position", "mtime"]), ends, ends),
)
# the score of these is the engine's own matter
unscored_only = st.one_of(
    st.builds(HasPhraseMatch, fields, st.lists(patterns, min_size=2, max_size=3).map(tuple)),
    st.builds(HasPhrasePrefix, fields, beside, st.sampled_from(["a", "b", "x"])),
).map(unscored)


def _combined(inner: st.SearchStrategy[Query]) -> st.SearchStrategy[Query]:
    several = st.lists(inner, min_size=0, max_size=3).map(tuple)
    numbers = st.sampled_from([0.25, 1.0, 3.0])
    return st.one_of(
        st.builds(Scaled, inner, numbers),
        st.builds(Constant, inner, st.sampled_from([0.0, 1.0, 2.5])),
        st.builds(AnyOf, several, st.integers(1, 3)),
        st.builds(AllOf, several, several, several),
        st.builds(BestOf, several),
    )


queries = st.recursive(st.one_of(scored_leaves, filters, unscored_only), _combined, max_leaves=8)


@given(seeds, queries)
def test_queries_match_and_score_as_they_say(seed: int, query: Query) -> None:
    reader, oracle = little_index(seed)
    ((every,), (matches,)) = reader.search([(AllChunks(), 10**9)]), reader.search([(query, 99)])
    chunks = [chunk for _, chunk in every]
    refs = reader.refs(chunks)
    assert sorted(refs) == sorted(oracle.chunks)
    own = {ref: oracle.score(query, ref) for ref in refs}
    expected = {ref: score for ref, score in own.items() if score is not None}
    scores = [score for score, _ in matches]
    assert scores == sorted(scores, reverse=True)
    assert dict(zip(refs_of(reader, matches), scores, strict=True)) == pytest.approx(
        expected, rel=1e-4
    )
    assert reader.count([query]) == [len(expected)]
    (explained,) = reader.scores([query], chunks)
    by_chunk = dict(zip(refs, explained, strict=True))
    assert {ref: score for ref, score in by_chunk.items() if score is not None} == pytest.approx(
        expected, rel=1e-4
    )
    for limit in (1, 3):
        first, total = reader.first(query, limit)
        assert total == len(expected)
        assert first[:limit] == sorted(expected)[:limit]
        assert set(first) <= set(expected)


def refs_of(reader: Snapshot, matches: Sequence[Match]) -> list[Ref]:
    return reader.refs([chunk for _, chunk in matches])


@given(seeds, queries, fields, st.sampled_from(["", "a", "ab", "x"]))
def test_terms_are_those_of_the_chunks(seed: int, within: Query, field: str, prefix: str) -> None:
    reader, oracle = little_index(seed)

    def counts(among: Sequence[Ref]) -> dict[str, int]:
        held = {t: sum(t in oracle.chunks[ref].terms(field) for ref in among) for t in TERMS}
        return {t: count for t, count in held.items() if count}

    every, some = (
        counts([*oracle.chunks]),
        counts([ref for ref in oracle.chunks if oracle.score(within, ref) is not None]),
    )
    assert reader.frequencies([(field, t) for t in TERMS]) == [every.get(t, 0) for t in TERMS]
    filled = every if field == "facts" else every | {FILLER: 1}
    begun = {t: count for t, count in filled.items() if t.startswith(prefix)}
    best = sorted(begun.items(), key=lambda pair: (-pair[1], pair[0]))
    for limit in (1, 2, 10, None):
        assert reader.terms(field, prefix, limit=limit) == best[:limit]
    held = {t: count for t, count in some.items() if t.startswith(prefix)}
    best = sorted(held.items(), key=lambda pair: (-pair[1], pair[0]))
    for limit in (1, None):
        assert reader.terms(field, prefix, within=within, limit=limit) == best[:limit]
    assert set(reader.near([field], ["abd"], 1)) == every.keys() & {"ab", "abc"}


def test_deleted_chunks_do_not_count(tmp_path: Path) -> None:
    """Where all texts are as long, a rarity that is off by them would show in the scores."""
    texts = {f"{n}.md": ["a", *("b" if n < 6 else "c", "c" if n < 3 else "b")] for n in range(9)}
    documents = {path: [Chunk(text, ["t"], ["x"], 1)] for path, text in texts.items()}
    make(tmp_path, documents)
    make(tmp_path, {}, gone=[f"{n}.md" for n in range(2, 7)])
    left = {(f"t:{n}.md", 0): documents[f"{n}.md"][0] for n in (0, 1, 7, 8)}
    reader, oracle = open_reader(tmp_path), Oracle(left, len(left) + 1)
    assert reader.counts.deleted
    assert (reader.chunk_count, reader.scored_count) == (4, 5)
    asked: list[Query] = [HasTerm(BODY, "a"), HasTerm(BODY, "b"), HasPhrase(BODY, ("a", "b"))]
    asked += [Scaled(query, 2.0) for query in asked]
    found = reader.search([(query, 99) for query in asked])
    assert reader.count(asked) == [len(matches) for matches in found] == [4, 4, 2, 4, 4, 2]
    assert reader.frequencies([(BODY, "a"), (BODY, "c"), (BODY, "x")]) == [4, 4, 0]
    shares = {
        round(score / (oracle.score(query, ref) or 0.0), 4)
        for query, matches in zip(asked, found, strict=True)
        for ref, (score, _) in zip(refs_of(reader, matches), matches, strict=True)
    }
    assert len(shares) == 1, "only the mean length of a text counts deleted ones"


def test_a_phrase_may_be_loose(tmp_path: Path) -> None:
    texts = {"a.md": ["a", "b"], "b.md": ["a", "c", "b"], "c.md": ["b", "a"], "d.md": ["b", "c"]}
    make(tmp_path, {path: [Chunk(text, ["t"], [], 1)] for path, text in texts.items()})
    reader = open_reader(tmp_path)
    found = [reader.search([(HasPhrase(BODY, ("a", "b"), slop), 9)])[0] for slop in (0, 1, 2)]
    assert [len(matches) for matches in found] == [1, 2, 3]
