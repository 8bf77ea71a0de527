"""Find the indexed words that a typed word stands for: itself, other forms, corrections.

The index holds stems, but the user types words. So the *typed* word is edited, each edit
is stemmed (all in one call of the analyzer), and the stems are looked up: of 360 typing
errors in English words only 61 % have a stem one edit from the right stem. Tantivy's own
fuzzy query does not help: it gives every match the same score and nothing to highlight.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from leafmark.index import Analyzer, Language, bare, without_marks
from leafmark.retrieval.derivations import derived_terms
from leafmark.retrieval.edits import (
    alphabet_of,
    edits_of,
    respellings,
)
from leafmark.retrieval.statistics import Statistics
from leafmark.retrieval.stopwords import stop_words
from leafmark.retrieval.weights import (
    CORRECTED_FROM,
    DERIVED_SHARE,
    EDIT_SHARE,
    MOST_ASKED_FOR,
    MOST_CORRECTIONS,
    MOST_PREFIXED,
    WIDENED_FROM,
    WIDENED_UP_TO,
)

__all__ = ["Alternative", "Begun", "Corrector"]

INTACT = 4
"""Most edits of a long word keep its first letters: the terms with these are listed at once.

That saves a look-up for each edit of the other letters, about 57 per letter. Few terms
share four letters (measured: 163 of 113,000 begin with `conf`), many share three.
"""

_ENGLISH_ENDINGS = """
s e es ed ing ings ion ions ation ations ive al ally able ment ments er ers or ors ly y ies ity
ities ness ance ence ant ent ic ical ize ized izes izing t te ted ting tion tions tor tors tive
d n on r l ble g ng
"""
_ENDINGS: dict[str | None, tuple[str, ...]] = {"english": tuple(_ENGLISH_ENDINGS.split())}
"""Endings added to a prefix, to find stems that are shorter than it (`configura*`)."""

_VOWELS = frozenset("aeiou")

_FEW_LETTERS = 60
"""An alphabet of more has too many pairs of letters to try them all as an ending."""

_LETTER = "w"
"""No stemmer takes it away from the end of a word, or changes it there (checked on all 18)."""


class Alternative(NamedTuple):
    """One indexed term that a typed word stands for.

    `share` is the factor of its score; that of the typed word itself is 1. `word` is how
    it would be typed. Its `kind` is the typed word, a correction of it, a word that begins
    with it, or another form of it with another stem (`derived`).
    """

    term: str
    word: str
    share: float = 1.0
    kind: Literal["typed", "corrected", "begun", "derived"] = "typed"

    @property
    def widens(self) -> bool:
        """Whether it corrects a word that occurs: such matches rank below exact ones."""
        return self.kind == "corrected" and self.share < 1


class Begun(NamedTuple):
    """The terms of words that begin alike.

    `terms` are the most frequent ones, the best first, `rarer` all others by field of the index,
    and `beginnings` what they begin with, but for stems that are shorter than what was typed.
    """

    terms: list[Alternative]
    rarer: Mapping[str, Sequence[str]]
    beginnings: tuple[str, ...]


class Corrector:
    """Looks words up in the fields of one language; with `derives`, other forms of them too."""

    def __init__(self, statistics: Statistics, language: Language, *, derives: bool = True):
        self._derives = derives
        self._statistics = statistics
        self._language = language
        self._analyzer: Analyzer = language.analyzer

    def frequency(self, term: str, fields: Iterable[str]) -> int:
        """Return in how many live chunks `term` stands, in the field where they are most."""
        frequency = self._statistics.frequency
        return max([frequency(name, term) for name in fields], default=0)

    def look_up(
        self, word: str, term: str, fields: Sequence[str], distance: int, *, asked: bool
    ) -> list[Alternative]:
        """Return the terms that `word`, whose stem is `term`, stands for: first `term` itself.

        `asked` says that the user asked for `distance` edits. If not, a word is corrected
        only if neither it nor another form of it occurs, or if it is long and rare.
        """
        exact = Alternative(term, word)
        found = self.frequency(term, fields)
        if not distance:
            return [exact]
        forms = [] if asked else self._derived(word, fields, DERIVED_SHARE if found else 1.0)
        if not (asked or _is_to_be_corrected(word, found)) or (forms and not found):
            return [exact, *forms]
        share = EDIT_SHARE if found else 1.0
        most = MOST_ASKED_FOR if asked else MOST_CORRECTIONS
        # a query is compiled up to three times, and asked about again when it found nothing
        near = self._statistics.remembered(
            (self._language.name, word, term, tuple(fields), distance, asked),
            lambda: self._near(word, term, fields, distance, asked=asked),
        )
        edited = [Alternative(each, how, share, "corrected") for each, how in near[:most]]
        return [exact, *forms, *edited]

    def _derived(self, word: str, fields: Sequence[str], share: float) -> list[Alternative]:
        """Return the other forms of a word that occur in the first of the fields."""
        if not self._derives:
            return []
        frequency = self._statistics.frequency
        forms = derived_terms(word, self._language.name)
        return [
            Alternative(term, form, share, "derived")
            for term, form in forms
            if frequency(fields[0], term)
        ]

    def _near(
        self, word: str, term: str, fields: Sequence[str], distance: int, *, asked: bool
    ) -> list[tuple[str, str]]:
        """Return the best terms within `distance` edits, each with the word that it comes from.

        First those that differ only in marks (`maria`, `maría`), in any number of them unless the
        user asked for so many edits, then those one edit away, then those with the same first
        letter, then the most frequent ones; at most `MOST_ASKED_FOR`.
        """
        typed = word.lower()
        unmarked = without_marks(typed)
        found = dict(
            self._statistics.remembered(
                (self._language.name, typed, tuple(fields)), lambda: self._one_edit(typed, fields)
            )
        )
        alike = {} if asked else self._alike(typed, term, fields)
        found = alike | found
        nearest = set(found)
        if distance > 1:
            forms = {term, typed, *_without_endings(typed)}
            near = {
                each for form in forms for each in self._statistics.near(fields, form, distance)
            }
            found |= {each: each for each in self._occurring(near, fields)}
        # `caed` is one edit from `baed`, but nobody who typed that meant `ca`
        ranked = [
            (
                without_marks(how) != unmarked and each not in alike,
                each not in nearest,
                how[0] != typed[0],
                -count,
                each,
                how,
            )
            for each, how in found.items()
            if each != term and (len(each) >= CORRECTED_FROM or each == how)
            if (count := self.frequency(each, fields))
        ]
        return [(each, how) for *_, each, how in sorted(ranked)[:MOST_ASKED_FOR]]

    def _alike(self, typed: str, term: str, fields: Sequence[str]) -> dict[str, str]:
        """Return the terms that differ from a word only in marks, each with how it is written.

        `huong` and `hướng`, `strasse` and `straße`, `groesse` and `größe`.
        """
        listed = self._statistics.alike(fields, [bare(typed), bare(term)])
        if typed.isascii():
            listed = [each for each in listed if not each.isascii()]
        stems = self._stems(respellings(typed))
        found = {each: stems[each] for each in self._occurring(stems, fields)}
        return {each: each for each in listed} | found

    def _one_edit(self, typed: str, fields: Sequence[str]) -> dict[str, str]:
        """Return the terms one edit away, each with the word that it comes from.

        Of several words that have one stem, it is one with a letter that was left out, the most
        usual error: `enviroment` is `environment`, not `environent`.
        """
        edits = edits_of(typed, self._language.name)
        stems = self._stems(sorted(edits, key=lambda word: _unlikeliness(word, typed)))
        beginning = typed[:INTACT] if len(typed) > INTACT + 2 else ""
        return {each: stems[each] for each in self._occurring(stems, fields, beginning=beginning)}

    def _occurring(
        self, terms: Collection[str], fields: Iterable[str], *, beginning: str = ""
    ) -> Iterable[str]:
        """Return the terms that occur, if only in deleted chunks, each once."""
        alike = {each for each in terms if beginning and each.startswith(beginning)}
        others = [each for each in terms if each not in alike]
        return dict.fromkeys(
            each
            for name in fields
            for each in self._statistics.occurring(name, others, alike, beginning=beginning)
        )

    def _stems(self, words: Sequence[str]) -> dict[str, str]:
        """Return the stems of words that are one token each, with the first word of each.

        Stop words are left out: nobody mistypes a name as `for`.
        """
        stops = stop_words(self._language.name)
        kept = [word for word in words if word not in stops and word.isalnum()]
        stems = self._analyzer.terms_once(" ".join(kept))
        if len(stems) != len(kept):  # a word of another number of tokens, or a dropped one
            pairs = [(self._analyzer.terms_once(word), word) for word in kept]
            return {found[0]: word for found, word in reversed(pairs) if len(found) == 1}
        return dict(zip(reversed(stems), reversed(kept), strict=True))

    def begun(self, prefix: str, fields: Sequence[str]) -> Begun:
        """Return the terms of words that begin with `prefix`.

        A stem may be shorter than the prefix: `configura*` finds the stem of `configuration`
        by trying usual endings, and with it all words of that stem. Where that finds nothing,
        as in languages without a list of endings, any letters are tried.
        """
        typed = prefix.lower()
        beginnings = self._beginnings(typed)
        counts: dict[str, int] = {}
        full = False
        for name, beginning in itertools.product(fields, beginnings):
            found = self._statistics.beginning_with(name, beginning, MOST_PREFIXED)
            full = full or len(found) == MOST_PREFIXED
            for term, count in found:
                counts[term] = max(counts.get(term, 0), count)
        endings = ("", *_ENDINGS.get(self._language.name, ()))
        counts = self._counts(self._stems([typed + ending for ending in endings]), fields) | counts
        if not counts:
            counts = self._counts(self._shorter_stems(typed), fields)
        ranked = sorted(counts, key=lambda term: (-counts[term], term))[:MOST_PREFIXED]
        terms = [Alternative(term, term, kind="begun") for term in ranked]
        if not full and len(counts) <= MOST_PREFIXED:
            return Begun(terms, {}, beginnings)
        listed = self._statistics.all_beginning_with
        every = {name: [t for each in beginnings for t in listed(name, each)] for name in fields}
        rarer = {name: tuple(set(found).difference(ranked)) for name, found in every.items()}
        return Begun(terms, rarer, beginnings)

    def _counts(self, terms: Iterable[str], fields: Sequence[str]) -> dict[str, int]:
        """Return the terms that occur, each with its number of chunks."""
        return {term: count for term in terms if (count := self.frequency(term, fields))}

    def _shorter_stems(self, typed: str) -> Iterable[str]:
        """Return stems shorter than `typed` of words that begin with it.

        What one or two more letters of its script bring: `erforderlic` and `h` have the stem
        `erforder`.
        """
        if self._language.name is None:
            return []
        letters = alphabet_of(typed[-1], self._language.name)
        pairs = itertools.product(letters, repeat=2) if len(letters) <= _FEW_LETTERS else ()
        endings = [*letters, *map("".join, pairs)]
        stems = self._stems([typed + ending for ending in endings])
        return [stem for stem in stems if len(stem) < len(typed)]

    def _beginnings(self, typed: str) -> tuple[str, ...]:
        """Return what terms begin with whose words begin with `typed`.

        That is `typed`, and what is left of it where the stemmer takes marks away: `prüf*`
        has to find the term `prufung`. What the stemmer makes of a longer word tells.
        """
        longer = self._analyzer.terms_once(typed + _LETTER)
        beginning = longer[0].removesuffix(_LETTER) if len(longer) == 1 else typed
        if beginning != typed and bare(beginning) == bare(typed):
            return typed, beginning
        return (typed,)


def _unlikeliness(word: str, typed: str) -> int:
    """Rank a word one edit away: first one with a doubled letter, a vowel, any letter more.

    At the end of a word letters are added by other forms, too.
    """
    if len(word) <= len(typed) or word.startswith(typed):
        return 3
    at = next(at for at, letter in enumerate(typed) if word[at] != letter)
    if at and word[at] == word[at - 1]:
        return 0
    return 1 if word[at] in _VOWELS else 2


def _is_to_be_corrected(word: str, frequency: int) -> bool:
    """Whether to correct a word unasked: if it occurs nowhere, or is long and rare.

    Numbers, names with digits and very short words are never corrected.
    """
    if len(word) < CORRECTED_FROM or any(map(str.isnumeric, word)):
        return False
    return not frequency or (len(word) >= WIDENED_FROM and frequency <= WIDENED_UP_TO)


def _without_endings(word: str) -> list[str]:
    """Return the word without each of the endings that it has: nearly its stem."""
    return [
        word[: -len(ending)]
        for ending in _ENGLISH_ENDINGS.split()
        if word.endswith(ending) and len(word) - len(ending) >= CORRECTED_FROM
    ]
