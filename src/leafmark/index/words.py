"""The words of an index: what they are called, begin with and are made of.

An index holds stems. People read and type words: a hint names `configuration`, not `configur`,
and `config` begins it. The words of a stem are read from a few texts that have it: to record
them would cost 5 % of the source (measured 2026-11 on 20 MB of Markdown), and few are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from leafmark.index.analysis import Analyzer

MIN_PART = 2
"""The fewest letters of one of two parts of a word; of three parts, one more."""

MIN_COMPOUND_PART = 4
"""The fewest letters of a part of a compound: shorter ones are found in any long word."""

SHORTER_STEMS = 4
"""By how many letters a stem may be shorter than the beginning that was typed."""

MAX_STEMS = 12
"""The most frequent stems whose words are looked at for one beginning."""

MIN_NAME = 6
"""The fewest letters of the stem of a name that is looked for inside others."""

MIN_BEGINNING = 3
"""Fewer letters begin too many words to mean one of them."""

_LINKS = ("s", "es", "n", "en", "er", "e", "")
"""What German and its like put between the parts of a compound."""


class Vocabulary:
    """The words in the texts of one language of an index.

    `count` returns how many chunks have a term in their texts; `listed` the terms that begin
    with a text, each with the number of its chunks; `texts` the readable texts of a few chunks
    that have a term; `holding` the terms that have a text inside.
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
        """Return the words of a few texts that have the stem `term`, the most usual first.

        In lower case, as documents write them. Empty if no text has it.
        """
        found = [word for text in self._texts(term) for word in self._analyzer.words_of(term, text)]
        return [word for word, _ in Counter(found).most_common()]

    def word_of(self, term: str) -> str:
        """Return the most usual word of a stem; of a stem that no text has, the stem."""
        return next(iter(self.words_of(term)), term)

    def beginnings(self, typed: str, most: int = 8) -> list[str]:
        """Return the words that begin with `typed`, those of the most usual stems first.

        A stem may be shorter: `configurati` begins `configuration`, with the stem `configur`.
        """
        lower = typed.lower()
        shortest = max(min(len(lower), MIN_BEGINNING), len(lower) - SHORTER_STEMS)
        stems = {
            lower[:length]: self._count(lower[:length]) for length in range(shortest, len(lower))
        }
        stems |= dict(self._listed(lower))
        ranked = sorted((stem for stem in stems if stems[stem]), key=lambda s: (-stems[s], s))
        found = (word for stem in ranked[:MAX_STEMS] for word in self.words_of(stem)[:1])
        begun = [word for word in found if word.startswith(lower) and word != lower]
        return list(dict.fromkeys(begun))[:most]

    def names_with(self, name: str, most: int = 8) -> list[str]:
        """Return the terms that hold a name: `sendrawtransact` for `RawTransaction`.

        The most frequent first; no term of the name itself. Short names are in too many words.
        """
        held = self.held_by_names(name)
        if not held:
            return []
        is_stem = (
            held != "".join(filter(str.isalnum, name)).lower()
        )  # its end is that of the word that it ends
        found = {
            term: count
            for term in self._holding(held)
            if term != held
            and (not is_stem or term.endswith(held))
            and (count := self._count(term))
        }
        return sorted(found, key=lambda term: (-found[term], term))[:most]

    def held_by_names(self, name: str) -> str:
        """Return the stem that `names_with` looks for inside terms, "" for none."""
        typed = "".join(filter(str.isalnum, name))
        (held, *others) = self._analyzer.terms(typed) or [""]
        return "" if others or len(held) < MIN_NAME else held

    def splits(self, word: str) -> Iterator[tuple[str, ...]]:
        """Yield the terms of the words that `word` may be written as, where all of them occur.

        `dropdown` may be `drop down`, and `sendrawtransaction` three words. Whether they stand
        beside each other anywhere is for the caller to ask. The fewest and most even first.
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
        """Yield the stems whose counts `splits` may ask for, so that they are asked for at once."""
        lower = word.lower()
        ends = range(MIN_PART, len(lower) - MIN_PART + 1)
        texts = {part for at in ends for part in (lower[:at], lower[at:])}
        texts.update(lower[at:then] for at in ends for then in range(at + MIN_PART + 1, len(lower)))
        for text in sorted(texts):
            tokens = self._analyzer.tokens_of_word(text)
            if len(tokens) == 1:
                yield tokens[0].term

    def compound(self, word: str) -> tuple[str, ...]:
        """Return the words that make up a compound, () if they do not all occur.

        `Verbindungsfehler` is `verbindung fehler`. The fewest parts, the longest first.
        """
        return self._compound(word.lower(), 3)

    def _compound(self, word: str, most: int) -> tuple[str, ...]:
        for at in range(len(word) - MIN_COMPOUND_PART, MIN_COMPOUND_PART - 1, -1):
            for link in _LINKS:
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
        """Return the stem of a word if it occurs, else "" (of a text without it, or no word)."""
        terms = self._analyzer.tokens_of_word(word)
        return terms[0].term if len(terms) == 1 and self._count(terms[0].term) else ""
