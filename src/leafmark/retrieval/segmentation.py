"""Split what is typed without spaces into words: 如何配置路由, 作業中のタスクを差し戻す.

In: a word of a query, and in how many chunks given characters stand beside each other. Out:
the words in it. There is no dictionary; the index decides:

- A word ends where the script changes. A run of katakana is one word. In runs of Chinese
  characters or Hangul, each pair of neighbours is a word.
- A pair across the border of two words is dropped: each of its characters is also in a much
  more frequent pair (`MORE_FREQUENT`), or is a word that joins others (的).
- Hiragana, and the question words in `stopwords.txt`, ask a question and say nothing of its
  subject.

Text in quotes, after a field or with an operator is never split.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

from leafmark.index import Analyzer, IndexReader, Token, is_solid
from leafmark.retrieval.statistics import statistics_of
from leafmark.retrieval.stopwords import asking_words, stop_words

__all__ = ["Piece", "frequency_in", "take_apart"]

MORE_FREQUENT = 3
"""A pair is no word if the pairs beside it are this many times as frequent. Measured."""

LONG_VOWEL = "ー"
SHORTEST_LENGTHENED = 4
"""In katakana words of at least this length, a final long vowel is dropped: ユーザー, ユーザ."""

_SCRIPTS = (
    ("hiragana", re.compile("[\u3041-\u309f]")),
    ("katakana", re.compile("[\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f]")),
)

Frequency = Callable[[Sequence[str]], int]
"""Returns in how many chunks the terms stand beside each other."""


def frequency_in(reader: IndexReader) -> Frequency:
    """Return a count over the bodies or titles of all languages, so that all split a text alike."""
    count = statistics_of(reader).phrase_frequency
    fields = [(each.body, each.title) for each in reader.languages]
    return lambda terms: sum(max(count(name, terms) for name in pair) for pair in fields)


class Piece(NamedTuple):
    """A word; one that `asks` says nothing of the question's subject."""

    text: str
    asks: bool = False


def take_apart(text: str, analyzer: Analyzer, frequency: Frequency) -> list[Piece]:
    """Return the words of a text without spaces; the text itself if it is in another script."""
    tokens = analyzer.tokens_of_word(text)
    if not any(is_solid(token.term) for token in tokens):
        return [Piece(text)]
    return [
        piece
        for script, run in _runs(text, tokens)
        for piece in _pieces(text, script, run, frequency)
    ]


def _runs(text: str, tokens: Sequence[Token]) -> Iterator[tuple[str, list[Token]]]:
    """Yield the runs of tokens: of one script without spaces that touch, or of other scripts."""
    scripts: list[str] = []
    number, numbers = 0, []
    for at, token in enumerate(tokens):
        script = _script_of(token.term)
        touches = at > 0 and tokens[at - 1].end == token.start
        if token.term == LONG_VOWEL and touches:
            script = scripts[-1]
        if not scripts or script != scripts[-1] or (script and not touches):
            number += 1
        scripts.append(script)
        numbers.append(number)
    for _, run in groupby(zip(numbers, scripts, tokens, strict=True), key=lambda each: each[0]):
        members = list(run)
        yield members[0][1], [token for _, _, token in members]


def _script_of(term: str) -> str:
    """Return the name of a term's script, if that is written without spaces, else ""."""
    if not is_solid(term):
        return ""
    return next((name for name, letters in _SCRIPTS if letters.match(term)), "pairs")


def _pieces(text: str, script: str, run: Sequence[Token], frequency: Frequency) -> Iterator[Piece]:
    if script == "pairs":
        yield from _of_pairs(text, run, frequency)
        return
    if script == "katakana" and len(run) >= SHORTEST_LENGTHENED and run[-1].term == LONG_VOWEL:
        run = run[:-1]
    yield Piece(_text_of(text, run), script == "hiragana")


def _of_pairs(text: str, run: Sequence[Token], frequency: Frequency) -> Iterator[Piece]:
    """Yield the words of a run of Chinese characters, or of another script without spaces."""
    terms = "".join(token.term for token in run)
    at = 0
    for match in _asking().finditer(terms):
        yield from _pairs(text, run[at : match.start()], frequency)
        yield Piece(_text_of(text, run[match.start() : match.end()]), asks=True)
        at = match.end()
    yield from _pairs(text, run[at:], frequency)


def _pairs(text: str, run: Sequence[Token], frequency: Frequency) -> Iterator[Piece]:
    if len(run) < 2:
        yield from (Piece(_text_of(text, [one]), one.term in _joining()) for one in run)
        return
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    counts = [frequency([one.term for one in pair]) for pair in pairs]
    kept = set(range(len(pairs)))

    def is_covered(character: int, without: int) -> bool:
        """Whether a character is in another, frequent pair that is kept, or joins other words."""
        other = character - 1 if character == without else character
        often = other in kept and counts[other] >= MORE_FREQUENT * counts[without]
        return often or run[character].term in _joining()

    for at in sorted(kept, key=counts.__getitem__):
        if is_covered(at, at) and is_covered(at + 1, at):
            kept.remove(at)
    if run and not kept:  # only words that join others, with nothing to join
        yield Piece(_text_of(text, run), asks=True)
    yield from (Piece(_text_of(text, pairs[at])) for at in sorted(kept))


def _text_of(text: str, run: Sequence[Token]) -> str:
    return text[run[0].start : run[-1].end]


@cache
def _asking() -> re.Pattern[str]:
    """A pattern for the words that ask a question; the longest first."""
    words = sorted(asking_words("unspaced"), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, words)))


@cache
def _joining() -> frozenset[str]:
    """Characters that are mostly words by themselves, and join other words."""
    return stop_words("unspaced")
