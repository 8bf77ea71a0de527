"""The shape of a topic: its plain words, which of them need not match, and its kind.

In: an expression, and a language of the index. Out: a `Shape`, which decides what must match
and how the fields are weighted. Lists of words tell which words say nothing; the words of a
question tell its language.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, NamedTuple

from leafmark.index import Analyzer, IndexReader, Language, fold
from leafmark.query import Expression, Phrase, Term, filters_only, parts_of, plain_words
from leafmark.retrieval.segmentation import frequency_in, take_apart
from leafmark.retrieval.stopwords import asked_in, asking_words, stop_words
from leafmark.retrieval.weights import LONG_QUERY_WORDS, QUESTION_WORDS

__all__ = ["Shape", "shape_of"]


class Shape(NamedTuple):
    """A topic as one language reads it.

    `plain` are the words that should match, `stops` words that need not, `stated` the other
    parts. `word_count` counts the plain words and those that only ask ("want", "use").
    """

    kind: Literal["keyword", "question"]
    plain: Sequence[Term]
    stops: Sequence[Term]
    stated: Sequence[Expression]
    word_count: int


def shape_of(
    reader: IndexReader, topic: Expression, language: Language, *, asking_count: bool
) -> Shape:
    """Return the shape of a topic; with `asking_count`, words that only ask are plain words."""
    written = plain_words(topic)
    stated = _beside(written, topic)
    quoted = sum(isinstance(part, Phrase) for part in stated)
    words, asking = _taken_apart(written, language.analyzer, reader)
    plain = _distinct(words, language.analyzer)
    lists = _Lists(language.analyzer, _languages_of(plain, language, reader))
    stops = [word for word in plain if word in asking or lists.have(word, stop_words)]
    content = [word for word in plain if word not in stops]
    if not content and all(map(filters_only, stated)):
        content, stops = plain, []
    is_question = bool(stops) and len(content) + len(stops) + quoted >= QUESTION_WORDS
    if not is_question and len(content) < LONG_QUERY_WORDS:
        return Shape("keyword", content, stops, stated, len(content))
    said = content
    if is_question and not asking_count:
        said = [word for word in content if not lists.have(word, asking_words)]
    return Shape("question", said if said or quoted else content, [], stated, len(content))


def _beside(words: Iterable[Term], topic: Expression) -> list[Expression]:
    """Return the parts of a topic that are not plain words."""
    plain = {id(word) for word in words}
    return [part for part in parts_of(topic) if id(part) not in plain]


def _taken_apart(
    written: Sequence[Term], analyzer: Analyzer, reader: IndexReader
) -> tuple[list[Term], list[Term]]:
    """Return the words, those that hold several split, and which of them only ask."""
    words: list[Term] = []
    asking: list[Term] = []
    if all(word.text.isascii() for word in written):
        return [*written], asking
    frequency = frequency_in(reader)
    for word in written:
        pieces = take_apart(word.text, analyzer, frequency)
        apart = [word if one.text == word.text else Term(one.text) for one in pieces]
        words += apart
        asking += [term for term, piece in zip(apart, pieces, strict=True) if piece.asks]
    return words, asking


def _distinct(words: Sequence[Term], analyzer: Analyzer) -> list[Term]:
    """Return the words without repeats, each at the place of its last one.

    Words are the same if their terms are; words without terms are left out.
    """
    found: dict[tuple[str, ...], Term] = {}
    for word in reversed(words):
        terms = tuple([token.term for token in analyzer.tokens_of_word(word.text)])
        if terms:
            found[terms] = word
    return list(reversed(found.values()))


def _languages_of(
    plain: Iterable[Term], language: Language, reader: IndexReader
) -> set[str | None]:
    """Return the languages whose stop words count: the one searched, and the question's own.

    The stop words of a German question are rare in English texts, and would weigh much.
    """
    names = [each.name for each in reader.languages]
    if len(names) < 2:
        return {language.name}
    said = {part for word in plain for part in _parts_of(word, language.analyzer)}
    return {language.name, asked_in(said, names)}


class _Lists(NamedTuple):
    """Lists of words in some languages."""

    analyzer: Analyzer
    languages: Collection[str | None]

    def have(self, word: Term, words: Callable[[str | None], frozenset[str]]) -> bool:
        """Whether all parts of a word are on the list of one of the languages."""
        parts = _parts_of(word, self.analyzer)
        return any(all(part in words(name) for part in parts) for name in self.languages)


def _parts_of(word: Term, analyzer: Analyzer) -> list[str]:
    tokens = analyzer.tokens_of_word(word.text)
    return [fold(word.text[token.start : token.end]).lower() for token in tokens]
