"""Why nothing was found, and what would be: hints for an empty answer.

Everything that is said was tried: a filter is named when there are matches
without it, a word when the index has it. Asked only of empty answers, so it may
cost a few searches more.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from leafmark.index import TEXT_FIELDS, IndexReader, fact
from leafmark.model import Hint
from leafmark.model.ids import encode_path
from leafmark.query import (
    And,
    Expression,
    Filter,
    Not,
    all_of,
    filters_only,
    format_query,
    iter_leaves,
)
from leafmark.retrieval.candidates import find_candidates
from leafmark.retrieval.compiler import Compiled, compile_for_languages
from leafmark.retrieval.corrections import Corrector
from leafmark.retrieval.filters import find_chunks
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.statistics import statistics_of
from leafmark.retrieval.unmatched import FILTERS

__all__ = ["explain_nothing"]

NEAREST = 3
"""Names that are suggested in one hint at most."""

LIKENESS = 0.6
"""Names less alike than this are not suggested: difflib's own measure of a close match."""

_OPTIONS = {"trees": "--tree", "tags": "--tag", "since": "--since", "section": "--section"}


class _Wish(NamedTuple):
    """A filter, as it was written, and the search without it."""

    label: str
    topics: tuple[Expression, ...]
    params: SearchParams


def explain_nothing(
    reader: IndexReader, topics: Sequence[Expression], params: SearchParams
) -> tuple[Hint, ...]:
    """Return what emptied the answer to the topics, and what would show more."""
    if not any(counts.chunks for counts in reader.trees.values()):
        return (Hint("nothing-indexed", "there is nothing in what was searched"),)
    inquiry = _Inquiry(reader, tuple(topics), params)
    unknown = list(inquiry.unknown_names())
    found = [*unknown, *inquiry.spellings(), *inquiry.narrow_filters(), *inquiry.strictness()]
    return tuple(found or inquiry.apart())


class _Inquiry:
    def __init__(self, reader: IndexReader, topics: tuple[Expression, ...], params: SearchParams):
        self._reader = reader
        self._topics = topics
        self._params = params

    # -- names that there are not ----------------------------------------------------

    def unknown_names(self) -> Iterator[Hint]:
        """Yield tags, trees, paths and ids that nothing has, each with the nearest."""
        tags = self._tags()
        for tag in self._params.tags:
            if tag.casefold() not in tags:
                yield _unknown("unknown-tag", f"no document has the tag {tag}", tag, tags)
        for topic in self._topics:
            for asked in iter_leaves(topic):
                if isinstance(asked.leaf, Filter) and not asked.negated:
                    yield from self._unknown_value(asked.leaf)

    def _unknown_value(self, node: Filter) -> Iterator[Hint]:
        value = str(node.value)
        if node.name == "tree" and value not in self._reader.trees:
            message = f"there is no tree named {value}"
            yield _unknown("unknown-tree", message, value, self._reader.trees)
        paths = [path for _, path in self._reader.manifest]
        if node.name == "path" and not any(
            encode_path(path).startswith(encode_path(value)) for path in paths
        ):
            near = {*paths, *(f"{path.rpartition('/')[0]}/" for path in paths if "/" in path)}
            yield _unknown("unknown-path", f"no path begins with {value}", value, near)
        if node.name in ("id", "under") and not find_chunks(self._reader, value):
            names = [f"{tree}:{encode_path(path)}" for tree, path in self._reader.manifest]
            yield _unknown("unknown-id", f"nothing indexed is called {value}", value, names)

    def _tags(self) -> list[str]:
        begin = fact("tag", "")
        terms = self._reader.searcher.terms_with_prefix("facts", begin)
        return [term[len(begin) :] for term, _ in terms]

    # -- words that there are not ------------------------------------------------------

    def spellings(self) -> Iterator[Hint]:
        """Yield words of the index that are like those which occur nowhere."""
        for topic in self._topics:
            compiled = compile_for_languages(self._reader, topic, self._params)
            looked = [one for each in compiled.values() for one in each.looked]
            known = {one.label for one in looked if one.queries}
            for word in dict.fromkeys(one.label for one in looked):
                near = [] if word in known else self._near(word, compiled.values())
                if near:
                    message = f"the index has words like “{word}”: {', '.join(near)}"
                    yield Hint("spelling", message)

    def _near(self, word: str, compiled: Iterable[Compiled]) -> list[str]:
        """Return indexed words within two edits; within one of a short word."""
        found: dict[str, None] = {}
        for each in compiled:
            language = each.language
            names = [str(getattr(language, name)) for name in TEXT_FIELDS]
            terms = language.analyzer.terms(word)
            if len(terms) != 1:
                continue
            corrector = Corrector(statistics_of(self._reader), language)
            edits = 2 if len(word) > 4 else 1
            near = corrector.look_up(word, terms[0], names, edits, asked=True)
            found |= dict.fromkeys(one.word for one in near if one.kind == "corrected")
        return list(found)[:NEAREST]

    # -- what asks for too much --------------------------------------------------------

    def narrow_filters(self) -> Iterator[Hint]:
        """Yield the filters without which there are matches: alone, else all together."""
        wishes = [*self._of_params(), *self._of_topics()]
        alone = [(one, count) for one in wishes if (count := self._count(one.topics, one.params))]
        for wish, count in alone:
            yield Hint("filter", f"without {wish.label}, there would be {self._matches(count)}")
        if alone or len(wishes) < 2:
            return
        topics = [_unfiltered(topic) for topic in self._topics]
        kept = tuple(topic for topic in topics if topic is not None)
        count = self._count(kept, replace(self._params, **FILTERS))
        if count:
            labels = " and ".join(wish.label for wish in wishes)
            yield Hint("filter", f"without {labels}, there would be {self._matches(count)}")

    def _of_params(self) -> Iterator[_Wish]:
        for name, everything in FILTERS.items():
            value = getattr(self._params, name)
            if value != everything:
                values = value if isinstance(value, tuple) else ()
                label = " ".join([_OPTIONS[name], *values])
                params = replace(self._params, **{name: everything})
                yield _Wish(label, self._topics, params)

    def _of_topics(self) -> Iterator[_Wish]:
        for at, topic in enumerate(self._topics):
            parts = topic.operands if isinstance(topic, And) else ()
            for part in parts:
                if filters_only(part):
                    rest = all_of(other for other in parts if other is not part)
                    topics = (*self._topics[:at], rest, *self._topics[at + 1 :])
                    if not isinstance(rest, Not):
                        yield _Wish(format_query(part), topics, self._params)

    def strictness(self) -> Iterator[Hint]:
        if self._params.strict:
            count = self._count(self._topics, replace(self._params, strict=False))
            if count:
                message = (
                    f"without --strict, there would be {self._matches(count)} of some of the words"
                )
                yield Hint("strict", message)

    def apart(self) -> Iterator[Hint]:
        """Say that every part stands somewhere, where it is so."""
        for topic in self._topics:
            parts = topic.operands if isinstance(topic, And) else ()
            asked = [part for part in parts if not filters_only(part)]
            if len(asked) > 1 and all(self._count((part,), self._params) for part in asked):
                yield Hint("apart", "each part of the query stands somewhere, but never together")

    def _count(self, topics: Iterable[Expression], params: SearchParams) -> int:
        """Return how many chunks match one of the topics, at most as many as are considered."""
        total = 0
        for at, topic in enumerate(topics):
            compiled = compile_for_languages(self._reader, topic, params)
            found = find_candidates(
                self._reader, list(compiled.values()), params, topic=at, local_trees=()
            )
            total += found.matched
        return total

    def _matches(self, count: int) -> str:
        most = self._params.candidates
        if count >= most:
            return f"{most} matches or more"
        return "1 match" if count == 1 else f"{count} matches"


def _unknown(code: str, message: str, name: str, known: Iterable[str]) -> Hint:
    near = difflib.get_close_matches(name, list(known), NEAREST, LIKENESS)
    return Hint(code, f"{message}; the nearest: {', '.join(near)}" if near else message)


def _unfiltered(topic: Expression) -> Expression | None:
    """Return a topic without its filters and negations; None if nothing is left."""
    parts = topic.operands if isinstance(topic, And) else (topic,)
    kept = [part for part in parts if not filters_only(part)]
    return all_of(kept) if kept else None
