"""The words of what is typed without spaces: 如何配置路由, 作業中のタスクを差し戻す.

In: a word of a query, and how many chunks have some characters beside each other. Out: the
words that it is taken apart to, each a text of its own. No dictionary is asked, the index is:

- Where the script changes, a word ends. Kana in katakana are one word, Chinese characters
  and Hangul are words of two, each pair of neighbours one.
- A pair that lies across the border of two words is dropped: its characters are covered by
  pairs that are much more frequent (`MORE_FREQUENT`), or by no word at all (的).
- Hiragana, and the words of `stopwords.txt` for questions, ask and say nothing of what is
  asked about.

Text that is quoted or fielded is never taken apart.
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
"""How many times as frequent a pair beside it must be for one to be no word. Measured."""

LONG_VOWEL = "ー"
SHORTEST_LENGTHENED = 4
"""From this many kana on, a long vowel at the end may be left out: ユーザー and ユーザ."""

_SCRIPTS = (
    ("hiragana", re.compile("[\u3041-\u309f]")),
    ("katakana", re.compile("[\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f]")),
)

Frequency = Callable[[Sequence[str]], int]
"""In how many chunks some terms stand beside each other."""


def frequency_in(reader: IndexReader) -> Frequency:
    """Count bodies or titles of any language, so that all take the same text apart alike."""
    count = statistics_of(reader).phrase_frequency
    fields = [(each.body, each.title) for each in reader.languages]
    return lambda terms: sum(max(count(name, terms) for name in pair) for pair in fields)


class Piece(NamedTuple):
    """A word of its own; one that `asks` says nothing of what is asked about."""

    text: str
    asks: bool = False


def take_apart(text: str, analyzer: Analyzer, frequency: Frequency) -> list[Piece]:
    """Return the words of a text in which nobody has put spaces; one where it is a word."""
    tokens = analyzer.tokens_of_word(text)
    if not any(is_solid(token.term) for token in tokens):
        return [Piece(text)]
    return [
        piece
        for script, run in _runs(text, tokens)
        for piece in _pieces(text, script, run, frequency)
    ]


def _runs(text: str, tokens: Sequence[Token]) -> Iterator[tuple[str, list[Token]]]:
    """Yield tokens of one script that touch each other; of others those with none between."""
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
    """Return the name of a script without spaces; empty for the others."""
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
        """Whether a character is in another pair that is kept, or need not be in any."""
        other = character - 1 if character == without else character
        often = other in kept and counts[other] >= MORE_FREQUENT * counts[without]
        return often or run[character].term in _joining()

    for at in sorted(kept, key=counts.__getitem__):
        if is_covered(at, at) and is_covered(at + 1, at):
            kept.remove(at)
    if run and not kept:  # words that join others, and nothing that they join
        yield Piece(_text_of(text, run), asks=True)
    yield from (Piece(_text_of(text, pairs[at])) for at in sorted(kept))


def _text_of(text: str, run: Sequence[Token]) -> str:
    return text[run[0].start : run[-1].end]


@cache
def _asking() -> re.Pattern[str]:
    """Words that a question is put with; the longest first."""
    words = sorted(asking_words("unspaced"), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, words)))


@cache
def _joining() -> frozenset[str]:
    """Characters that are mostly words of their own, and join others."""
    return stop_words("unspaced")
