"""Stop words, the languages of queries, and texts written without spaces.

`data/stopwords.txt` has the stop words of each language: they form a question and do not name
its subject. A text in a script without spaces (如何配置路由) is split into words by what the
index holds; there is no dictionary:

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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from types import MappingProxyType

from leafmark.index import Snapshot
from leafmark.index.analysis import LANGUAGES, Analyzer, Token, is_solid
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern
from leafmark.query import Expression, Phrase, Prefix, Term, filters_only, iter_terms
from leafmark.search.vocabulary import vocabulary_of

MIN_STOPS = 2
"""The least number of stop words that shows a question's language: one may be a name (`die`)."""

_LISTS = Path(__file__).with_name("data") / "stopwords.txt"


def topic_text(topic: Expression, instead: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the words of a topic in order, without operators, filters and negated parts.

    `instead` maps words to replacements.
    """
    if filters_only(topic):
        return ""
    leaves = [node.leaf for node in iter_terms(topic)]
    texts = (leaf.text for leaf in leaves if isinstance(leaf, Term | Phrase | Prefix))
    return " ".join(instead.get(text, text) for text in texts)


def query_language(topics: Iterable[Expression]) -> str | None:
    """Return the language of the words of some topics; None if it is not clear."""
    words = [
        node.leaf.text.lower()
        for topic in topics
        for node in iter_terms(topic)
        if isinstance(node.leaf, Term | Phrase)
    ]
    return detect_language(words, sorted(LANGUAGES))


def stop_words(language: str | None) -> frozenset[str]:
    """Return the stop words of `language` in lower case; none without a language.

    >>> "how" in stop_words("english"), stop_words(None)
    (True, frozenset())
    """
    return frozenset() if language is None else _words(language)


def detect_language(words: Collection[str], languages: Iterable[str | None]) -> str | None:
    """Return the language of a question's words, given in lower case; None if it is not clear.

    It is the one of `languages` with the most stop words among them.

    >>> detect_language(["wie", "funktioniert", "die", "suche"], ["english", "german"])
    'german'
    >>> detect_language(["die", "cast"], ["english", "german"])
    """
    counts = {name: len(stop_words(name).intersection(words)) for name in languages}
    most = max(counts.values(), default=0)
    first = [name for name, count in counts.items() if count == most]
    return first[0] if most >= MIN_STOPS and len(first) == 1 else None


@cache
def _words(section: str) -> frozenset[str]:
    _, _, after = _LISTS.read_text("utf-8").partition(f"\n[{section}]\n")
    words, _, _ = after.partition("\n[")
    return frozenset(words.split()) - {"+"}


MORE_FREQUENT = 3
"""A pair is not a word if the pairs beside it are this many times as frequent. Measured."""

LONG_VOWEL = "ー"
SHORTEST_LENGTHENED = 4
"""In katakana words of at least this length, a final long vowel is dropped: ユーザー, ユーザ."""

_SCRIPTS = (
    ("hiragana", lazy_pattern("[\u3041-\u309f]")),
    ("katakana", lazy_pattern("[\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f]")),
)

Pair = tuple[str, str]
Counts = Mapping[Pair, int]
Frequencies = Callable[[Sequence[Pair]], Sequence[int]]
"""Returns for each pair of terms the number of chunks with the two beside each other."""


def frequencies_in(snapshot: Snapshot) -> Frequencies:
    """Return a count over the bodies or titles of all languages, so that all split a text alike."""
    fields = [field for language in snapshot.languages for field in (language.body, language.title)]
    count = vocabulary_of(snapshot).phrase_frequencies

    def frequencies(pairs: Sequence[Pair]) -> list[int]:
        counts = iter(count([(field, pair) for pair in pairs for field in fields]))
        return [sum(max(next(counts), next(counts)) for _ in snapshot.languages) for _ in pairs]

    return frequencies


class Piece(NamedTuple):
    """A word; one that `asks` does not name the question's subject."""

    text: str
    asks: bool = False


def split_words(text: str, analyzer: Analyzer, frequencies: Frequencies) -> list[Piece]:
    """Return the words of a text without spaces; the text itself if it is in another script."""
    tokens = analyzer.tokens_of_word(text)
    if not any(is_solid(token.term) for token in tokens):
        return [Piece(text)]
    runs = list(_runs(text, tokens))
    paired = {
        (token.term, other.term): 0
        for script, run in runs
        if script == "pairs"
        for token, other in pairwise(run)
    }
    counts = dict(zip(paired, frequencies([*paired]), strict=True)) if paired else paired
    return [piece for script, run in runs for piece in _pieces(text, script, run, counts)]


def _runs(text: str, tokens: Sequence[Token]) -> Iterator[tuple[str, list[Token]]]:
    """Yield the runs of tokens: of one script without spaces that touch, or of other scripts."""
    scripts: list[str] = []
    number, numbers = 0, []
    for at, token in enumerate(tokens):
        script = ""
        if is_solid(token.term):
            named = (name for name, letters in _SCRIPTS if letters.match(token.term))
            script = next(named, "pairs")
        touches = at > 0 and tokens[at - 1].end == token.start
        if token.term == LONG_VOWEL and touches:
            script = scripts[-1]
        if not scripts or script != scripts[-1] or (script and not touches):
            number += 1
        scripts.append(script)
        numbers.append(number)
    for _, run in groupby(
        zip(numbers, scripts, tokens, strict=True), key=lambda numbered: numbered[0]
    ):
        members = list(run)
        yield members[0][1], [token for _, _, token in members]


def _pieces(text: str, script: str, run: Sequence[Token], counts: Counts) -> Iterator[Piece]:
    if script == "pairs":
        yield from _of_pairs(text, run, counts)
        return
    if script == "katakana" and len(run) >= SHORTEST_LENGTHENED and run[-1].term == LONG_VOWEL:
        run = run[:-1]
    yield Piece(_text_of(text, run), script == "hiragana")


def _of_pairs(text: str, run: Sequence[Token], counts: Counts) -> Iterator[Piece]:
    """Yield the words of a run of Chinese characters, or of another script without spaces."""
    terms = "".join(token.term for token in run)
    at = 0
    for match in _asking().finditer(terms):
        yield from _pairs(text, run[at : match.start()], counts)
        yield Piece(_text_of(text, run[match.start() : match.end()]), asks=True)
        at = match.end()
    yield from _pairs(text, run[at:], counts)


def _pairs(text: str, run: Sequence[Token], known: Counts) -> Iterator[Piece]:
    if len(run) < 2:
        yield from (Piece(_text_of(text, [token]), token.term in _joining()) for token in run)
        return
    pairs = list(pairwise(run))
    counts = [known[token.term, other.term] for token, other in pairs]
    kept_pairs = set(range(len(pairs)))

    def is_covered(character: int, without: int) -> bool:
        """Whether a character is in another, frequent pair that is kept, or joins other words."""
        other = character - 1 if character == without else character
        often = other in kept_pairs and counts[other] >= MORE_FREQUENT * counts[without]
        return often or run[character].term in _joining()

    for at in sorted(kept_pairs, key=counts.__getitem__):
        if is_covered(at, at) and is_covered(at + 1, at):
            kept_pairs.remove(at)
    if run and not kept_pairs:  # only words that join others, with nothing to join
        yield Piece(_text_of(text, run), asks=True)
    yield from (Piece(_text_of(text, pairs[at])) for at in sorted(kept_pairs))


def _text_of(text: str, run: Sequence[Token]) -> str:
    return text[run[0].start : run[-1].end]


@cache
def _asking() -> re.Pattern[str]:
    """A pattern for the words that ask a question; the longest first."""
    words = sorted(_words("unspaced questions"), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, words)))


@cache
def _joining() -> frozenset[str]:
    """Characters that are mostly words by themselves, and join other words."""
    return stop_words("unspaced")
