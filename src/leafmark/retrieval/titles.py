"""How well titles say what was asked, and a match under such a title before others.

BM25 of a title counts the words of the query that stand in it, rare ones most. A title
that says all of the query and nothing else is more than these: who called a section so
wrote it about that. So a match gains by the share of the query that its title says,
times the share of the title that the query says, squared, times `title_agreement`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leafmark.index import IndexReader, fold, split_names
from leafmark.retrieval.compiler import Compiled
from leafmark.retrieval.hits import Hit, best_first, rounded, sure_of
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.stopwords import stop_words
from leafmark.retrieval.weights import RAISED_MATCHES

__all__ = ["agreement", "raise_by_titles"]

_BRACKET = re.compile(r"\s*\(.*", re.DOTALL)
"""Where the name of a function ends; in other titles, what only explains them."""

_KEYWORDS = re.compile(
    r"(?:(?:abstract|async|class|def|enum|export|final|fn|func|function|interface|module"
    r"|namespace|pub|public|static|struct|trait|type)\s+)+"
)
"""What stands before the name of a definition."""


def raise_by_titles(
    reader: IndexReader, hits: Sequence[Hit], params: SearchParams
) -> Sequence[Hit]:
    """Return matches in the order that their titles give them, best first.

    `hits` are best first. Those that tie at the end of the first `RAISED_MATCHES` are left
    as they are, so that the answer does not depend on the segments of the index, and so
    are matches that rest on a correction: they stay behind the exact ones.
    """
    weight = params.title_agreement
    if not weight or not hits:
        return hits
    first = hits[: sure_of(hits, RAISED_MATCHES)]
    factors = _factors(reader, first, weight)
    if all(factor == 1 for factor in factors):
        return hits
    raised = [
        hit._replace(score=rounded(hit.score * factor), titled=factor) if factor != 1 else hit
        for hit, factor in zip(first, factors, strict=True)
    ]
    return best_first([*raised, *hits[len(first) :]])


def _factors(reader: IndexReader, hits: Sequence[Hit], weight: float) -> list[float]:
    """Return what the score of each of the hits is multiplied by."""
    known: dict[tuple[int, str], float] = {}
    factors = []
    paths = reader.section_paths(hit.address for hit in hits)
    for hit, path in zip(hits, paths, strict=True):
        compiled, title = hit.compiled, path[-1]
        key = (id(compiled), title)
        if key not in known:
            known[key] = 1 + weight * agreement(compiled, title)
        may = hit.exact or compiled.exact is None
        factors.append(known[key] if may else 1.0)
    return factors


def agreement(compiled: Compiled, title: str) -> float:
    """Return how well a title says what the plain words of a query ask for: 0 to 1.

    A title is also read up to its first bracket, without the keywords of a definition,
    and with the names in it taken apart; the best of these readings counts.
    """
    asked = [looked.sequences for looked, _ in compiled.asked if looked]
    if not asked:
        return 0.0
    return max(_share(compiled, asked, reading) for reading in _readings(title)) ** 2


def _share(compiled: Compiled, asked: Sequence[frozenset[tuple[str, ...]]], title: str) -> float:
    """Return the share of the query that a title says, times that of it which the query says."""
    terms = _terms(compiled, title)
    places = [{at for each in sequences for at in _places(terms, each)} for sequences in asked]
    said = sum(1 for each in places if each)
    if not said:
        return 0.0
    return said / compiled.word_count * len(set[int]().union(*places)) / len(terms)


def _readings(title: str) -> list[str]:
    name = _BRACKET.sub("", title) or title
    plain = dict.fromkeys((title, name, _KEYWORDS.sub("", name, count=1) or name))
    return list(dict.fromkeys((*plain, *map(split_names, plain))))


def _terms(compiled: Compiled, title: str) -> list[str]:
    """Return the terms of a title, without stop words."""
    stops = stop_words(compiled.language.name)
    tokens = compiled.language.analyzer.tokens(title)
    return [one.term for one in tokens if fold(title[one.start : one.end]).lower() not in stops]


def _places(terms: Sequence[str], sequence: tuple[str, ...]) -> Iterator[int]:
    """Yield where terms stand that are a sequence of them, one after the other."""
    length = len(sequence)
    if not length or sequence[0] not in terms:
        return
    for at in range(len(terms) - length + 1):
        if tuple(terms[at : at + length]) == sequence:
            yield from range(at, at + length)
