"""Raise matches whose title says what was asked.

BM25 counts which words of the query a title has, and how rare they are. But a title that
says the whole query and nothing else means more: the section is about just that. So a
match gains by its *agreement*, times `title_agreement`: the share of the query that its
title says, times the share of the title that the query says, squared. A match whose title
is exactly the query comes before all others, which only mention it; of the pieces of one
section, the first one comes first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from leafmark.index import Analyzer, IndexReader, Language, split_names
from leafmark.retrieval.compiler import Compiled
from leafmark.retrieval.hits import Hit, raisable, replace_first, rounded
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.stopwords import stop_words
from leafmark.retrieval.weights import NAMED_AHEAD, TITLED_MATCHES

__all__ = ["raise_by_titles"]

_BRACKET = re.compile(r"\s*\(.*", re.DOTALL)
"""Where the name of a function ends; in other titles, what only explains them."""

_KEYWORDS = re.compile(
    r"(?:(?:abstract|async|class|def|enum|export|final|fn|func|function|interface|module"
    r"|namespace|pub|public|static|struct|trait|type)\s+)+"
)
"""What stands before the name of a definition."""


def raise_by_titles(reader: IndexReader, hits: list[Hit], params: SearchParams) -> list[Hit]:
    """Return matches with their scores raised by their titles, best first.

    `hits` are sorted best first. Only the first `TITLED_MATCHES` are raised, as far as they are
    `raisable`, and none that needs a correction: these stay behind exact ones.
    """
    weight = params.title_agreement
    if not weight or not hits:
        return hits
    first = raisable(hits, TITLED_MATCHES, params)
    agreements = _agreements(reader, first)
    if not any(agreements):
        return hits
    factors = _factors(first, agreements, weight)
    _lead_by_first_pieces(reader, first, agreements, factors)
    raised = [
        hit._replace(score=rounded(hit.score * factor), titled=factor) if factor != 1 else hit
        for hit, factor in zip(first, factors, strict=True)
    ]
    return replace_first(raised, hits)  # no score was lowered


def _factors(hits: Sequence[Hit], agreements: Sequence[float], weight: float) -> list[float]:
    """Return the factor of each hit's score.

    Hits whose title is exactly the query share one factor, so that they keep their order. It
    is just large enough to put the best of them first: with a larger one, the other matches
    would fall below the cutoff.
    """
    factors = [1 + weight * agreement for agreement in agreements]
    named = [hit.score for hit, agreement in zip(hits, agreements, strict=True) if agreement == 1]
    others = [
        hit.score * factor
        for hit, factor, agreement in zip(hits, factors, agreements, strict=True)
        if agreement != 1
    ]
    if not others or not named or max(named) <= 0:
        return factors
    ahead = max(1 + weight, NAMED_AHEAD * max(others) / max(named))
    return [
        ahead if agreement == 1 else factor
        for factor, agreement in zip(factors, agreements, strict=True)
    ]


def _lead_by_first_pieces(
    reader: IndexReader, hits: Sequence[Hit], agreements: Sequence[float], factors: list[float]
) -> None:
    """Put the first piece of a section that is called what was asked before its other pieces.

    They have the same title, and the first one says what the section is about; which of them
    repeats the words of its title most says little.
    """
    named = [number for number, agreement in enumerate(agreements) if agreement == 1]
    if len(named) < 2:
        return
    sections: dict[tuple[str, int], dict[int, int]] = {}
    for number, entry in zip(named, reader.entries([hits[n].chunk for n in named]), strict=True):
        if entry.piece:
            section = sections.setdefault((entry.doc_id, entry.parent_position), {})
            section[entry.piece] = number
    for section in sections.values():
        best = max(hits[number].score * factors[number] for number in section.values())
        first = section.get(1)
        if first is not None and 0 < hits[first].score * factors[first] < best:
            factors[first] = NAMED_AHEAD * best / hits[first].score


def _agreements(reader: IndexReader, hits: Sequence[Hit]) -> list[float]:
    """Return the agreement of each hit's title with the query; 0 if it needs a correction."""
    asked: dict[int, _Asked] = {}
    agreements = []
    titles = reader.titles([hit.chunk for hit in hits])
    for hit, title in zip(hits, titles, strict=True):
        compiled = hit.compiled
        if not (hit.exact or compiled.exact is None):
            agreements.append(0.0)
            continue
        if id(compiled) not in asked:
            asked[id(compiled)] = _asked_by(compiled)
        agreements.append(_agreement(asked[id(compiled)], title))
    return agreements


class _Asked(NamedTuple):
    """What a query asks for.

    `sequences` are the terms that match a word, with its number, by the first of the terms.
    """

    language: Language
    sequences: Mapping[str, Sequence[tuple[int, tuple[str, ...]]]]
    word_count: int


def _asked_by(compiled: Compiled) -> _Asked:
    sequences: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
    for word, (looked, _) in enumerate(compiled.asked):
        for sequence in looked.sequences if looked else ():
            if sequence:
                sequences.setdefault(sequence[0], []).append((word, sequence))
    return _Asked(compiled.language, sequences, compiled.word_count)


def _agreement(asked: _Asked, title: str) -> float:
    """Return the agreement of a title with the plain words of a query, from 0 to 1.

    The title is also read up to its first bracket, without the keywords of a definition,
    and with the names in it split; the best of these readings counts.
    """
    analyzer, stops = asked.language.analyzer, stop_words(asked.language.name)
    if _terms_in(analyzer, stops, title).isdisjoint(asked.sequences):  # most of them
        return 0.0
    readings = _readings(analyzer, stops, title)
    return max([_share(asked, terms) for terms in readings]) ** 2


def _share(asked: _Asked, terms: tuple[str, ...]) -> float:
    """Return the share of the query that a title says, times the share of it the query says."""
    words: set[int] = set()
    places: set[int] = set()
    for at, term in enumerate(terms):
        for word, sequence in asked.sequences.get(term, ()):
            after = at + len(sequence)
            if terms[at:after] == sequence:
                words.add(word)
                places.update(range(at, after))
    return len(words) / asked.word_count * len(places) / len(terms) if words else 0.0


@lru_cache(20_000)
def _terms_in(analyzer: Analyzer, stops: frozenset[str], title: str) -> frozenset[str]:
    """Return the terms of a title and of the parts of names in it, without stop words."""
    terms, parts = analyzer.terms_without(title, stops), split_names(title)
    return frozenset(terms if parts == title else terms + analyzer.terms_without(parts, stops))


@lru_cache(2_000)
def _readings(analyzer: Analyzer, stops: frozenset[str], title: str) -> tuple[tuple[str, ...], ...]:
    """Return the terms of each way to read a title, without stop words."""
    name = _BRACKET.sub("", title) or title
    plain = dict.fromkeys((title, name, _KEYWORDS.sub("", name, count=1) or name))
    texts = dict.fromkeys((*plain, *map(split_names, plain)))
    return tuple(dict.fromkeys(tuple(analyzer.terms_without(text, stops)) for text in texts))
