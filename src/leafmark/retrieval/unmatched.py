"""Tell which parts of a query a chunk does not match, and which filters leave it out.

Each part is searched for by itself, in the chunk and those below it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Literal

from leafmark.index import IndexReader
from leafmark.index.queries import AllOf, Query, unscored
from leafmark.likeness import MOST_SUGGESTED, nearest
from leafmark.model import Entry, UnmatchedPart
from leafmark.query import (
    Expression,
    Filter,
    Not,
    Term,
    filters_only,
    format_query,
    iter_terms,
    parts_of,
)
from leafmark.retrieval.compiler import Compiled, compile_for_languages
from leafmark.retrieval.filters import Filters
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.remedies import PARAM_FILTERS, unfiltered
from leafmark.retrieval.sections import section_filter
from leafmark.retrieval.segmentation import frequency_in, take_apart
from leafmark.retrieval.stopwords import asked_in, stop_words
from leafmark.retrieval.texts import Texts

__all__ = ["Demands"]

MOST_READ = 200_000
"""Characters of a chunk that are searched for similar words."""


class Demands:
    """What the search for a topic asks of `target`, or of a chunk below it."""

    def __init__(self, reader: IndexReader, target: Entry, params: SearchParams):
        self._reader = reader
        self._target = target
        self._params = params
        self._language = reader.language_of(target.tree)
        self._below = Filters(reader).compile(Filter("under", target.id))

    def is_matched(
        self,
        compiled: Mapping[str | None, Compiled],
        name: Literal["strict", "relaxed", "required"],
    ) -> bool:
        """Whether the topic's query of this name matches."""
        own = None if self._language is None else compiled.get(self._language.name)
        query: Query | None = getattr(own, name, None)
        return query is not None and bool(self._positions(query))

    def refusing_filters(self) -> list[str]:
        """Return the names of the parameters that leave the chunk out."""
        found = []
        for name, each in PARAM_FILTERS.items():
            value = getattr(self._params, name)
            if value == each.everything:
                continue
            if not self._admits(SearchParams(**{name: value})):
                found.append(name)
        return found

    def _admits(self, params: SearchParams) -> bool:
        """Whether the filters admit the target or a chunk below it."""
        queries = Filters(self._reader).of_params(params)
        admits = section_filter(params.section)
        chunks = self._reader.chunks_of(self._target.doc_id)
        below = chunks[self._target.position : self._target.last_position + 1]
        in_section = admits is None or any(map(admits, below))
        return in_section and all(map(self._positions, queries))

    def unmet(self, topic: Expression) -> tuple[Entry, list[Expression]]:
        """Return the chunk that matches most parts, preferably the target, and those it lacks."""
        met = [(part, self._meeting(part)) for part in self._required(topic)]
        first, last = self._target.position, self._target.last_position
        best = max(
            range(first, last + 1),
            key=lambda position: (sum(position in each for _, each in met), -position),
        )
        entry = self._reader.entry(self._target.doc_id, best) or self._target
        return entry, [part for part, each in met if best not in each]

    def lacking(self, entry: Entry, part: Expression) -> list[Expression]:
        """Return what `entry` lacks of an unmet part; of text without spaces, the words."""
        if not isinstance(part, Term) or part.text.isascii() or self._language is None:
            return [part]
        pieces = take_apart(part.text, self._language.analyzer, frequency_in(self._reader))
        words = [Term(piece.text) for piece in pieces if not piece.asks]
        return [word for word in words if entry.position not in self._meeting(word)] or [part]

    def describe(self, entry: Entry, part: Expression, texts: Texts) -> UnmatchedPart:
        """Describe a part that `entry` does not match."""
        inner = part.operand if isinstance(part, Not) else part
        query = self._query_of(inner)
        chunks = 0 if query is None else self._reader.count([query])[0]
        near: list[str] = []
        if not isinstance(part, Not):
            words = self._words(entry, texts)
            for asked in iter_terms(inner):
                typed = "" if isinstance(asked.leaf, Filter) else asked.leaf.text.lower()
                near += nearest(typed, words, MOST_SUGGESTED)
        return UnmatchedPart(format_query(inner), isinstance(part, Not), chunks, tuple(near))

    def _required(self, topic: Expression) -> list[Expression]:
        """Return the parts that have to match: stop words only if there is nothing else."""
        parts = [*parts_of(topic)]
        said = {one.text.lower() for one in parts if isinstance(one, Term)}
        spoken = asked_in(said, [language.name for language in self._reader.languages])
        own = self._language.name if self._language else None
        stops = stop_words(own) | stop_words(spoken)
        kept = [one for one in parts if not (isinstance(one, Term) and one.text.lower() in stops)]
        return kept if any(not filters_only(one) for one in kept) else parts

    def _meeting(self, part: Expression) -> Collection[int]:
        """Return the positions of the chunks that match a part; all of them if it asks nothing."""
        every = range(self._target.position, self._target.last_position + 1)
        negated = isinstance(part, Not)
        query = self._query_of(part.operand if isinstance(part, Not) else part, exact=negated)
        if query is None:
            return every
        found = self._positions(query)
        return [each for each in every if each not in found] if negated else found

    def _query_of(self, part: Expression, *, exact: bool = False) -> Query | None:
        """Return the query for a part alone, without filters; None if it asks for nothing."""
        params = replace(unfiltered(self._params), strict=True)
        if exact:
            params = replace(params, fuzzy_distance=0)
        compiled = compile_for_languages(self._reader, part, params)
        own = None if self._language is None else compiled.get(self._language.name)
        return None if own is None else own.strict

    def _positions(self, query: Query) -> set[int]:
        """Return the positions of the target and the chunks below it that match."""
        both = AllOf((unscored(query), unscored(self._below)))
        most = self._target.last_position - self._target.position + 1
        (found,) = self._reader.search([(both, most)])
        return {column.position for column in self._reader.columns([at for _, at in found])}

    def _words(self, entry: Entry, texts: Texts) -> list[str]:
        """Return the words of a chunk's title and unchanged body, in lower case."""
        body = texts.body(entry)
        text = f"{entry.title}\n{body.shown if body else ''}"[:MOST_READ]
        return list(dict.fromkeys(re.findall(r"\w+", text.lower())))
