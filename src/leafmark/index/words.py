"""The words of an index: the words of stems, words with a beginning, and parts of words.

An index contains stems. People read and type words: a hint names `configuration`, not `configur`,
and `config` begins it. The words of a stem are read from a few texts that have it: to record
them would cost 5 % of the source (measured 2026-11 on 20 MB of Markdown), and few are needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from leafmark.index.analysis import Analyzer

MIN_PART = 2
"""The fewest letters of each of two parts of a word; of three parts, one more."""

MIN_COMPOUND_PART = 4
"""The fewest letters of a part of a compound: shorter ones occur in any long word."""

SHORTER_STEMS = 4
"""How many letters a stem may be shorter than the typed beginning."""

MAX_STEMS = 12
"""How many of the most frequent stems are considered for one beginning."""

MIN_NAME = 6
"""The fewest letters of the stem of a name to search for inside others."""

MIN_BEGINNING = 3
"""The fewest letters of a beginning; fewer begin too many words."""

_LINKING = ("s", "es", "n", "en", "er", "e", "")
"""The letters that German and similar languages put between the parts of a compound."""


class Vocabulary:
    """The words in the texts of one language of an index.

    `count` returns the number of chunks with a term in their texts; `listed` the terms that begin
    with a text, each with its number of chunks; `texts` the readable texts of a few chunks with a
    term; `holding` the terms that contain a text.
    """

    def __init__(
        self,
        analyzer: Analyzer,
        count: Callable[[str], int],
        listed: Callable[[str], Iterable[tuple[str, int]]],
        texts: Callable[[str], Iterable[str]] = lambda _: (),
        holding: Callable[[str], Iterable[str]] = lambda _: (),
    ):
        self._analyzer = analyzer
        self._count = count
        self._listed = listed
        self._texts = texts
        self._holding = holding

    def words_of(self, term: str) -> list[str]:
        """Return the words of a few texts that have the stem `term`, the most frequent first.

        They are in lower case; an empty list if no text has the stem.
        """
        words = [word for text in self._texts(term) for word in self._analyzer.words_of(term, text)]
        return [word for word, _ in Counter(words).most_common()]

    def word_of(self, term: str) -> str:
        """Return the most frequent word of a stem; the stem itself if no text has it."""
        return next(iter(self.words_of(term)), term)

    def beginnings(self, typed: str, most: int = 8) -> list[str]:
        """Return words that begin with `typed`, those of the most frequent stems first.

        A stem may be shorter: `configurati` begins `configuration`, with the stem `configur`.
        """
        lower = typed.lower()
        shortest = max(min(len(lower), MIN_BEGINNING), len(lower) - SHORTER_STEMS)
        stems = {
            lower[:length]: self._count(lower[:length]) for length in range(shortest, len(lower))
        }
        stems |= dict(self._listed(lower))
        ranked = sorted((stem for stem in stems if stems[stem]), key=lambda s: (-stems[s], s))
        words = (word for stem in ranked[:MAX_STEMS] for word in self.words_of(stem)[:1])
        begun = [word for word in words if word.startswith(lower) and word != lower]
        return list(dict.fromkeys(begun))[:most]

    def names_with(self, name: str, most: int = 8) -> list[str]:
        """Return the longer terms that contain a name: `sendrawtransact` for `RawTransaction`.

        The most frequent come first. None for short names, which are in too many words.
        """
        stem = self.inner_stem(name)
        if not stem:
            return []
        # a stem that was shortened is only the end of terms, as of the words that it ends
        is_stem = stem != "".join(filter(str.isalnum, name)).lower()
        counts = {
            term: count
            for term in self._holding(stem)
            if term != stem
            and (not is_stem or term.endswith(stem))
            and (count := self._count(term))
        }
        return sorted(counts, key=lambda term: (-counts[term], term))[:most]

    def inner_stem(self, name: str) -> str:
        """Return the stem that `names_with` searches for inside terms, "" if there is none."""
        typed = "".join(filter(str.isalnum, name))
        (stem, *others) = self._analyzer.terms(typed) or [""]
        return "" if others or len(stem) < MIN_NAME else stem

    def splits(self, word: str) -> Iterator[tuple[str, ...]]:
        """Yield the terms of the words that `word` may be split into, if all of them occur.

        `dropdown` may be `drop down`, and `sendrawtransaction` three words. The caller must check
        whether they are adjacent anywhere. The fewest and most even parts come first.
        """
        lower = word.lower()
        pairs = sorted(
            range(MIN_PART, len(lower) - MIN_PART + 1),
            key=lambda at: (abs(2 * at - len(lower)), at),
        )
        known = {text for at in pairs for text in (lower[:at], lower[at:]) if self._term(text)}
        for at in pairs:
            if lower[:at] in known and lower[at:] in known:
                yield self._term(lower[:at]), self._term(lower[at:])
        least = MIN_PART + 1
        for at in pairs:
            if lower[:at] not in known or at < least:
                continue
            for then in range(at + least, len(lower) - least + 1):
                if lower[then:] in known and (middle := self._term(lower[at:then])):
                    yield self._term(lower[:at]), middle, self._term(lower[then:])

    def parts_of(self, word: str) -> Iterator[str]:
        """Yield the stems whose counts `splits` may need, so that one call can fetch them."""
        lower = word.lower()
        ends = range(MIN_PART, len(lower) - MIN_PART + 1)
        texts = {part for at in ends for part in (lower[:at], lower[at:])}
        texts.update(lower[at:then] for at in ends for then in range(at + MIN_PART + 1, len(lower)))
        for text in sorted(texts):
            tokens = self._analyzer.tokens_of_word(text)
            if len(tokens) == 1:
                yield tokens[0].term

    def compound(self, word: str) -> tuple[str, ...]:
        """Return the words of a compound, () if they do not all occur.

        `Verbindungsfehler` is `verbindung fehler`. A long first part is preferred, then few parts.
        """
        return self._compound(word.lower(), 3)

    def _compound(self, word: str, most: int) -> tuple[str, ...]:
        for at in range(len(word) - MIN_COMPOUND_PART, MIN_COMPOUND_PART - 1, -1):
            for link in _LINKING:
                part = word[:at].removesuffix(link) if link else word[:at]
                if not word[:at].endswith(link) or len(part) < MIN_COMPOUND_PART:
                    continue
                if not self._term(part):
                    continue
                if self._term(word[at:]):
                    return part, word[at:]
                rest = self._compound(word[at:], most - 1) if most > 2 else ()
                if rest:
                    return part, *rest
        return ()

    def _term(self, word: str) -> str:
        """Return the stem of a word if it occurs, else ""; also "" for several words or none."""
        terms = self._analyzer.tokens_of_word(word)
        return terms[0].term if len(terms) == 1 and self._count(terms[0].term) else ""
