"""Explain an empty answer: hints why nothing was found, and what would find more.

Everything that a hint says was tried: it names a filter if there are matches without it, and
a word if the index has it. That takes a few more searches, but only for empty answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from leafmark.index import TEXT_FIELDS, IndexReader
from leafmark.likeness import MOST_SUGGESTED, nearest
from leafmark.model import Hint
from leafmark.query import (
    And,
    Boost,
    Expression,
    Field,
    Or,
    Phrase,
    Term,
    all_of,
    filters_only,
    format_query,
    iter_terms,
    parts_of,
    plain_words,
)
from leafmark.retrieval.candidates import TopicCandidates, TopicSearch
from leafmark.retrieval.compiler import Compiled, compile_for_languages
from leafmark.retrieval.corrections import Corrector
from leafmark.retrieval.hints import NOWHERE, as_named
from leafmark.retrieval.hybrid import find_in_topic
from leafmark.retrieval.meaning import Meaning, topic_text
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.remedies import PARAM_FILTERS, unfiltered, without_parts
from leafmark.retrieval.statistics import statistics_of
from leafmark.retrieval.unknown import unknown_names

__all__ = ["explain_nothing"]

FAR = "the meaning of no chunk is near enough; `--mode hybrid` counts words, too"

SHORTEST = 3
"""Shorter words resemble too many others."""

MOST_ENDINGS = 8
"""So many ends of one name are tried: each is a search."""

_BEFORE_ENDING = re.compile(r"\A[vV](?=[0-9])|(?:[.:/#\\]|->|(?!))++(?=[^\W\d])")
"""What ends the part of a name that documents may lack: `v` of `v2.1`, `conn.` of `conn.close`."""


class _Wish(NamedTuple):
    """A filter, as it was written, and the search without it."""

    label: str
    topics: tuple[Expression, ...]
    params: SearchParams


def explain_nothing(
    reader: IndexReader,
    topics: Sequence[Expression],
    params: SearchParams,
    meaning: Meaning | None,
) -> tuple[Hint, ...]:
    """Return hints what emptied the answer to the topics, and what would find more.

    `meaning` is what the search used, if it went by meaning too.
    """
    if not any(counts.chunks for counts in reader.trees.values()):
        return (Hint("nothing-indexed", "there are no documents in what was searched"),)
    inquiry = _Inquiry(reader, tuple(topics), params, meaning)
    if meaning is not None and params.mode == "semantic":  # words do not count
        found = [*unknown_names(reader, topics, params), *inquiry.without()]
        return tuple(found or ([] if meaning.damaged else [Hint("far", FAR)]))
    found = [
        *unknown_names(reader, topics, params),
        *inquiry.spellings(),
        *inquiry.torn(),
        *inquiry.endings(),
        *inquiry.without(),
        *inquiry.strictness(),
    ]
    return tuple(found or inquiry.apart())


class _Inquiry:
    def __init__(
        self,
        reader: IndexReader,
        topics: tuple[Expression, ...],
        params: SearchParams,
        meaning: Meaning | None,
    ):
        self._reader = reader
        self._topics = topics
        self._params = params
        self._meaning = meaning
        self._texts = {"", *map(topic_text, topics)}

    @cached_property
    def _compiled(self) -> list[list[Compiled]]:
        """Each topic in each language."""
        made = (compile_for_languages(self._reader, topic, self._params) for topic in self._topics)
        return [list(each.values()) for each in made]

    # -- words that do not occur -------------------------------------------------------

    def spellings(self) -> Iterator[Hint]:
        """Yield words of the index that resemble those that occur nowhere."""
        for compiled in self._compiled:
            known = _occurring(compiled)
            looked = (one for each in compiled for one in each.looked)
            asked = dict.fromkeys((one.label, one.field) for one in looked if not one.prefix)
            for word, field in asked:
                if (word, field) in known or len(word) < SHORTEST:
                    continue
                near = self._near(word, field, compiled)
                if near:
                    message = f"the index has words like “{as_named(word)}”: {', '.join(near)}"
                    yield Hint("spelling", message)

    def _near(self, word: str, field: str | None, compiled: Iterable[Compiled]) -> list[str]:
        """Return words of a field (None: of any) within two edits; within one of a short word."""
        found: dict[str, None] = {}
        for each in compiled:
            language = each.language
            names = [str(getattr(language, name)) for name in ([field] if field else TEXT_FIELDS)]
            terms = language.analyzer.terms(word)
            if len(terms) != 1:
                continue
            corrector = Corrector(statistics_of(self._reader), language)
            edits = 2 if len(word) > 4 else 1
            near = corrector.look_up(word, terms[0], names, edits, asked=True)
            found |= dict.fromkeys(one.word for one in near if one.kind == "corrected")
        return list(nearest(word, found, MOST_SUGGESTED))

    def torn(self) -> Iterator[Hint]:
        """Yield phrases and words of several parts that occur nowhere, though their parts do."""
        for at, (topic, compiled) in enumerate(zip(self._topics, self._compiled, strict=True)):
            known = _occurring(compiled)
            for asked in iter_terms(topic):
                leaf = asked.leaf
                if not isinstance(leaf, Phrase | Term) or (leaf.text, asked.field) not in known:
                    continue
                tokens = compiled[0].language.analyzer.tokens(leaf.text)
                words = [leaf.text[token.start : token.end] for token in tokens]
                if len(words) > 1 and not self._is_anywhere(leaf, asked.field):
                    where = NOWHERE[asked.field]
                    yield self._torn(at, leaf, words, where)

    def _torn(self, at: int, leaf: Phrase | Term, words: Sequence[str], where: str) -> Hint:
        """Return the hint for one of them, with what its words would find separately."""
        is_phrase = isinstance(leaf, Phrase)
        what = "words" if is_phrase else "parts"
        message = f"the {what} of “{as_named(leaf.text)}” stand next to each other {where}"
        loose = _replaced(self._topics[at], leaf, all_of(Term(word) for word in words))
        topics = self._with(at, loose)
        by_words = replace(self._params, strict=True)
        matches = self._would_match(topics, by_words if self._meaning is None else self._params)
        if matches:
            how = "without the quotes" if is_phrase else "as words of their own"
            message += f"; {how}, there would be {matches}"
        return Hint("phrase", message)

    def endings(self) -> Iterator[Hint]:
        """Yield the longest end of a name that would find something, where the whole is nowhere.

        Programs name things by what holds them: `conn.close` is `close` in the manual.
        """
        for at, topic in enumerate(self._topics):
            for asked in iter_terms(topic):
                leaf, field = asked.leaf, asked.field
                if not isinstance(leaf, Term) or self._is_anywhere(leaf, field):
                    continue
                begun = islice(_BEFORE_ENDING.finditer(leaf.text), MOST_ENDINGS)
                endings = (Term(leaf.text[match.end() :]) for match in begun)
                ending = next((one for one in endings if self._is_anywhere(one, field)), None)
                if ending is not None:
                    yield from self._with_ending(at, leaf, ending)

    def _with_ending(self, at: int, leaf: Term, ending: Term) -> Iterator[Hint]:
        """Yield the hint for the end of a name in a topic, if that finds something."""
        topics = self._with(at, _replaced(self._topics[at], leaf, ending))
        matches = self._would_match(topics, self._params)
        if matches:
            short, name = as_named(ending.text), as_named(leaf.text)
            message = f"with “{short}” in place of “{name}”, there would be {matches}"
            yield Hint("phrase", message)

    def _is_anywhere(self, leaf: Phrase | Term, field: str | None) -> bool:
        """Whether a leaf matches somewhere by its words, whatever the filters admit."""
        alone = Field(field, leaf) if field else leaf
        return bool(self._found(alone, unfiltered(self._params), None).matched)

    # -- what asks for too much --------------------------------------------------------

    def without(self) -> Iterator[Hint]:
        """Yield the parts without which there are matches.

        First what the query states and no chunk has, then filters: each alone, or if that is
        not enough, all together.
        """
        for wish in self._of_stated():
            matches = self._would_match(wish.topics, wish.params)
            if matches:
                yield Hint("filter", f"without {wish.label}, there would be {matches}")
        yield from self._below()
        wishes = [*self._of_params(), *self._of_topics()]
        alone = [
            (one, matches)
            for one in wishes
            if (matches := self._would_match(one.topics, one.params))
        ]
        for wish, matches in alone:
            yield Hint("filter", f"without {wish.label}, there would be {matches}")
        if alone or len(wishes) < 2:
            return
        topics = [
            without_parts(topic, filter(filters_only, parts_of(topic))) for topic in self._topics
        ]
        kept = tuple(topic for topic in topics if topic is not None)
        matches = self._would_match(kept, unfiltered(self._params))
        if matches:
            labels = " and ".join(wish.label for wish in wishes)
            yield Hint("filter", f"without {labels}, there would be {matches}")

    def _below(self) -> Iterator[Hint]:
        """Yield the patterns of `--section` made deeper, if that gives matches."""
        patterns = self._params.section
        deeper = tuple(f"{each} > **" for each in patterns)
        matches = deeper and self._would_match(self._topics, replace(self._params, section=deeper))
        if matches:
            label = " ".join(f"--section '{each}'" for each in deeper)
            message = f"with {label}, which takes in what is below, there would be {matches}"
            yield Hint("filter", message)

    def _of_params(self) -> Iterator[_Wish]:
        for name, each in PARAM_FILTERS.items():
            value = getattr(self._params, name)
            if value != each.everything:
                values = value if isinstance(value, tuple) else ()
                label = " ".join([each.option, *values])
                params = replace(self._params, **{name: each.everything})
                yield _Wish(label, self._topics, params)

    def _of_topics(self) -> Iterator[_Wish]:
        return self._of_parts(lambda topic, part: filters_only(part))

    def _of_stated(self) -> Iterator[_Wish]:
        def is_dead(topic: Expression, part: Expression) -> bool:
            if filters_only(part) or any(part is word for word in plain_words(topic)):
                return False
            return not self._stands(part)

        return self._of_parts(is_dead)

    def _of_parts(self, is_meant: Callable[[Expression, Expression], bool]) -> Iterator[_Wish]:
        """Yield the search without each part for which `is_meant` holds, topic by topic."""
        for at, topic in enumerate(self._topics):
            for part in parts_of(topic):
                rest = without_parts(topic, [part])
                if rest is not None and is_meant(topic, part):
                    topics = self._with(at, rest)
                    yield _Wish(format_query(part), topics, self._params)

    def strictness(self) -> Iterator[Hint]:
        if self._params.strict:
            matches = self._would_match(self._topics, replace(self._params, strict=False))
            if matches:
                of_what = " of some of the words" if self._meaning is None else ""
                message = f"without --strict, there would be {matches}{of_what}"
                yield Hint("strict", message)

    def apart(self) -> Iterator[Hint]:
        """Say so if every part occurs somewhere, but not together."""
        for topic in self._topics:
            asked = [part for part in parts_of(topic) if not filters_only(part)]
            if len(asked) > 1 and all(map(self._stands, asked)):
                yield Hint("apart", "each part of the query stands somewhere, but never together")

    def _stands(self, part: Expression) -> bool:
        """Whether a part matches by its words somewhere in what the filters admit."""
        return bool(self._found(part, self._params, None).matched)

    def _with(self, at: int, topic: Expression) -> tuple[Expression, ...]:
        """Return the topics with another one in place of one of them."""
        return (*self._topics[:at], topic, *self._topics[at + 1 :])

    def _would_match(self, topics: Sequence[Expression], params: SearchParams) -> str:
        """Say how many chunks match one of the topics; "" if none does or it is unknown.

        Only the words that were asked have a vector. Other words are searched without meaning,
        which gives a lower bound; in the mode `semantic`, where words do not count, the number
        is unknown.
        """
        known = [self._meaning is None or topic_text(one) in self._texts for one in topics]
        if not all(known) and params.mode == "semantic":
            return ""
        total = sum(
            self._found(topic, params, self._meaning if is_known else None).matched
            for topic, is_known in zip(topics, known, strict=True)
        )
        most = min(total, params.candidates)
        matches = "1 match" if most == 1 else f"{most} matches"
        more = "" if all(known) and total < params.candidates else " or more"
        return matches + more if total else ""

    def _found(
        self, topic: Expression, params: SearchParams, meaning: Meaning | None
    ) -> TopicCandidates:
        return find_in_topic(TopicSearch.of(self._reader, topic, params), meaning)


def _occurring(compiled: Iterable[Compiled]) -> set[tuple[str, str | None]]:
    """Return what was looked for and occurs, each with the field that it was asked for in."""
    return {(one.label, one.field) for each in compiled for one in each.looked if one.queries}


def _replaced(topic: Expression, leaf: Expression, other: Expression) -> Expression:
    """Return a topic with a leaf replaced, except below a negation."""
    if topic is leaf:
        return other
    if isinstance(topic, And | Or):
        operands = [_replaced(each, leaf, other) for each in topic.operands]
        return all_of(operands) if isinstance(topic, And) else Or(tuple(operands))
    if isinstance(topic, Field | Boost):
        return replace(topic, operand=_replaced(topic.operand, leaf, other))
    return topic
