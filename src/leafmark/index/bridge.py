"""Temporary: the algebra over the embedded reader."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import tantivy

from leafmark.index import queries as q
from leafmark.index.generation import count_matches, every_chunk

MUST, SHOULD, NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
NUM = tantivy.FieldType.Unsigned


class Match(NamedTuple):
    score: float
    chunk: tuple[int, int]


class Columns(NamedTuple):
    """`cut` is the hash of the section that a piece was cut from (see `cut_fact`), 0 for others."""
    position: int
    cut: int
    size: int
    role: int


class EngineSearcher:
    def __init__(self, searcher, schema, counts, chunk_count):
        self.searcher = searcher
        self.schema = schema
        self.counts = counts
        self.chunk_count = chunk_count
        self._made: dict[Any, tantivy.Query] = {}
        self._addresses: dict[tuple[int, int], tantivy.DocAddress] = {}

    def compile(self, query: q.Query) -> tantivy.Query:
        found = self._made.get(query)
        if found is None:
            found = self._made[query] = self._compile(query)
        return found

    def _compile(self, query: q.Query) -> tantivy.Query:
        Q, schema = tantivy.Query, self.schema
        match query:
            case q.NoChunk(): return Q.empty_query()
            case q.AllChunks(): return every_chunk()
            case q.HasTerm(f, t, idf):
                return self._with_idf(Q.term_query(schema, f, t, "freq"), f, [t], idf)
            case q.HasPhrase(f, t, s, idf):
                return self._with_idf(Q.phrase_query(schema, f, list(t), s), f, t, idf)
            case q.HasAny(f, t): return Q.term_set_query(schema, f, list(t))
            case q.HasMatch(f, p): return Q.regex_query(schema, f, p)
            case q.HasPhraseMatch(f, p): return Q.regex_phrase_query(schema, f, list(p))
            case q.InRange(f, a, b): return Q.range_query(schema, f, NUM, a, b)
            case q.Scaled(x, f): return Q.boost_query(self.compile(x), f)
            case q.Constant(x, s): return Q.const_score_query(self.compile(x), s)
            case q.AnyOf(xs, least):
                if len(xs) == 1: return self.compile(xs[0])
                return Q.boolean_query([(SHOULD, self.compile(x)) for x in xs], minimum_number_should_match=least)
            case q.AllOf(must, should, without):
                return Q.boolean_query([*((MUST, self.compile(x)) for x in must), *((SHOULD, self.compile(x)) for x in should), *((NOT, self.compile(x)) for x in without)])
            case q.BestOf(xs): return Q.disjunction_max_query([self.compile(x) for x in xs])

    def _with_idf(self, query, field, terms, idf):
        import math
        stored = self.counts.stored
        own = 0.0
        for t in terms:
            n = self.searcher.doc_freq(field, t)
            own += math.log(1 + max(0.5, stored - n + 0.5) / (n + 0.5))
        if idf is None:
            if not self.counts.deleted:
                return query
            live = self.counts.live
            idf = 0.0
            for t in terms:
                n = self.frequencies([(field, t)])[0]
                idf += math.log(1 + max(0.5, live - n + 0.5) / (n + 0.5))
        return tantivy.Query.boost_query(query, idf / own)

    def search(self, requests: Sequence[tuple[q.Query, int]]) -> list[list[Match]]:
        every = max(1, self.searcher.num_docs)
        out = []
        for query, limit in requests:
            hits = self.searcher.search(self.compile(query), max(1, min(limit, every)), count=False).hits
            found = []
            for score, address in hits:
                key = (address.segment_ord, address.doc)
                self._addresses[key] = address
                found.append(Match(score, key))
            out.append(found)
        return out

    def count(self, queries: Sequence[q.Query]) -> list[int]:
        return [count_matches(self.searcher, self.compile(x)) for x in queries]

    def addresses(self, chunks):
        return [self._addresses[c] for c in chunks]

    def columns(self, chunks) -> list[Columns]:
        at = self.addresses(chunks)
        cols = [self.searcher.fast_field_values(n, at) for n in Columns._fields]
        return [Columns(*(v or 0 for v in row)) for row in zip(*cols, strict=True)]

    def frequencies(self, terms):
        out = []
        for f, t in terms:
            n = self.searcher.doc_freq(f, t)
            if n and self.counts.deleted:
                n = count_matches(self.searcher, tantivy.Query.term_query(self.schema, f, t, "basic"))
            out.append(n)
        return out

    def terms(self, field, prefix, *, limit=None, within=None):
        return self.searcher.terms_with_prefix(field, prefix, filter_query=None if within is None else self.compile(within), limit=limit)


class Snapshot:
    """Mixin of the reader."""
    @property
    def _es(self) -> EngineSearcher:
        found = self.__dict__.get("_bridge")
        if found is None:
            found = self.__dict__["_bridge"] = EngineSearcher(self.searcher, self.schema, self.counts, self.meta.chunks)
        return found

    @property
    def chunk_count(self):
        return self.meta.chunks

    def without_owner(self):
        return self._es

    def __getattr__(self, name):
        if name in ("search", "count", "columns", "frequencies", "terms", "compile", "addresses"):
            return getattr(self._es, name)
        raise AttributeError(name)

    def refs(self, chunks):
        return self.places(self._es.addresses(chunks))

    def entries(self, chunks):
        return self.entries_at(self._es.addresses(chunks))

    def paths_at(self, chunks):
        return self.section_paths(self._es.addresses(chunks))

    def first(self, query, limit):
        found = self.count([query])[0]
        (hits,) = self.search([(query, max(1, found))])
        refs = self.refs([h.chunk for h in hits])
        ids = sorted(refs, key=lambda ref: (ref[0], ref[1]))
        return ids[:limit], found

    def scores(self, queries, chunks):
        out = []
        chunks = list(chunks)
        docs = tuple(dict.fromkeys(d for d, _ in self.refs(chunks)))
        wanted = {c: n for n, c in enumerate(chunks)}
        scope = q.Constant(q.HasAny("doc_id", docs), 0.0)
        for query in queries:
            row = [None] * len(chunks)
            (found,) = self.search([(q.AllOf((query, scope)), 100_000)])
            for m in found:
                n = wanted.get(m.chunk)
                if n is not None: row[n] = m.score
            out.append(row)
        return out

