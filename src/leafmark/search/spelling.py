"""The indexed words for a typed word: itself, corrections, completions.

The index holds stems, but the user types words. So the *typed* word is edited, each edit
is stemmed (all in one call of the analyzer), and the stems are looked up: of 360 typing
errors in English words only 61 % have a stem one edit from the right stem.

An edit is an insertion, a deletion, a substitution, or a transposition of two neighbours.
Letters come from the alphabet of the word's own script. In any language, a letter may also
be replaced by itself with a mark (`e` by `é`), since names have such letters everywhere.

"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Literal

from leafmark.index import Language
from leafmark.index.analysis import Analyzer
from leafmark.index.folding import bare, without_marks
from leafmark.index.snapshot import Lookup
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern
from leafmark.search.stop_words import stop_words
from leafmark.search.vocabulary import Vocabulary

EDIT_SHARE = 0.5
"""The factor of a correction of a word that itself occurs: it ranks below the typed word."""

MAX_CORRECTIONS = 8
"""The most indexed words that one typed word is corrected to."""

MAX_ASKED_FOR = 50
"""The same if the query asks for edits (`word~1`)."""

CORRECTED_FROM = 3
"""The least length of a word that is corrected, in characters."""

WIDENED_FROM = 7
"""The least length of a word that is corrected although it occurs.

Words of 7 letters and more have so few neighbours that this hardly adds matches (1.0 times
as many, against 40 times for 3 letters; measured on 188,000 chunks).
"""

WIDENED_UP_TO = 3
"""A word in more chunks than this is not a typing error (chosen by eye)."""

MAX_PREFIXED = 50
"""The most indexed words that a prefix scores one by one; rarer ones share one score."""

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_EXTRA = {
    "danish": "æøå",
    "dutch": "ëï",
    "finnish": "äöå",
    "french": "àâçèéêëîïôùûœ",
    "german": "äöüß",
    "hungarian": "áéíóöőúüű",
    "italian": "àèéìòù",
    "norwegian": "æøå",
    "portuguese": "áâãàçéêíóôõú",
    "romanian": "ăâîșşțţ",
    "spanish": "áéíñóúü",
    "swedish": "äöå",
    "turkish": "çğıöşü",
}
_DIGRAPHS = {"ae": "ä", "oe": "ö", "ue": "ü", "ss": "ß"}
_DIGRAPH = lazy_pattern("(ae|oe|ue|ss)")
_MAX_DIGRAPHS = 3

_PAGE = 0x80
"""Other scripts than Latin fill one Unicode block of this many characters, or a few of them."""
_MARKED = range(0xC0, 0x180)
"""The Unicode range of the marked Latin letters of European languages."""


@lru_cache(maxsize=256)
def alphabet_of(letter: str, language: str | None = None) -> str:
    """Return the lower-case letters of the script that `letter` belongs to.

    >>> alphabet_of("x"), alphabet_of("ж")[:3]
    ('abcdefghijklmnopqrstuvwxyz', 'абв')
    """
    if letter < "\u0250":
        return _LATIN + _EXTRA.get(language or "", "")
    first = ord(letter) // _PAGE * _PAGE
    if 0x0370 <= ord(letter) < 0x0530:  # Greek and Cyrillic: without their archaic letters
        first = 0x03AC if ord(letter) < 0x0400 else 0x0430
        return "".join(map(chr, range(first, first + (0x23 if first < 0x0400 else 0x30))))
    characters = (chr(number) for number in range(first, first + _PAGE))
    return "".join(  # vowel signs, too, as scripts of India have them
        character
        for character in characters
        if character.lower() == character
        and (character.isalpha() or unicodedata.category(character)[0] == "M")
    )


def respellings(word: str) -> list[str]:
    """Return a word with letters of German in place of the two that stand for them, and back.

    >>> respellings("groesse"), respellings("größe")
    (['groeße', 'grösse', 'größe'], ['groesse'])
    """
    parts = _DIGRAPH.split(word)
    if len(parts) > 2 * _MAX_DIGRAPHS + 1:
        return []
    choices = [(part, _DIGRAPHS[part]) if part in _DIGRAPHS else (part,) for part in parts]
    spellings = ["".join(choice) for choice in product(*choices)]
    for pair, letter in _DIGRAPHS.items():
        word = word.replace(letter, pair)
    return [*spellings[1:], word] if word != spellings[0] else spellings[1:]


@lru_cache(maxsize=256)
def _with_a_mark(letter: str) -> str:
    """Return the lower-case letters that consist of `letter` and a mark."""
    characters = (chr(number) for number in _MARKED)
    return "".join(
        character
        for character in characters
        if character != letter == without_marks(character) and character.lower() == character
    )


def edits_of(word: str, language: str | None = None) -> list[str]:
    """Return all words one edit from `word`, without it, in order and without repeats.

    There are about 57 per letter in Latin script. A word of one letter has no edits, and is
    no edit of another word: see `leafmark.index.within_distance`.
    """
    if len(word) == 1:
        return []
    letters = "".join(dict.fromkeys("".join(alphabet_of(letter, language) for letter in word)))
    edits: list[str] = []
    for at in range(len(word) + 1):
        left, right = word[:at], word[at:]
        rest = right[1:]
        if rest:
            edits.append(left + rest[0] + right[0] + rest[1:])
        if right:
            edits.append(left + rest)
            edits += [left + letter + rest for letter in letters + _with_a_mark(right[0])]
        edits += [left + letter + right for letter in letters]
    distinct = dict.fromkeys(edits)
    distinct.pop(word, None)
    return [edit for edit in distinct if len(edit) > 1]


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
    """One indexed term that a typed word may mean.

    `share` is the factor of its score; that of the typed word itself is 1. `word` is how
    it would be typed. Its `kind` is the typed word, a correction of it, or what is looked for
    in its place (`begun`).
    """

    term: str
    word: str
    share: float = 1.0
    kind: Literal["typed", "corrected", "begun"] = "typed"


class Begun(NamedTuple):
    """The terms of words that begin alike.

    `terms` are the most frequent ones, the best first, `rarer` all others by field of the index,
    and `beginnings` what they begin with, but for stems that are shorter than what was typed.
    """

    terms: list[Alternative]
    rarer: Mapping[str, Sequence[str]]
    beginnings: tuple[str, ...]


class Speller:
    """Looks words up in the fields of one language."""

    def __init__(self, vocabulary: Vocabulary, language: Language):
        self._vocabulary = vocabulary
        self.language = language
        self._analyzer: Analyzer = language.analyzer

    def frequency(self, term: str, fields: Iterable[str]) -> int:
        """Return the number of live chunks with `term`, in the field with the most."""
        frequency = self._vocabulary.frequency
        return max([frequency(name, term) for name in fields], default=0)

    def near(
        self, word: str, term: str, fields: Sequence[str], distance: int, *, is_asked: bool
    ) -> list[tuple[str, str]]:
        """Return the terms that `word`, whose stem is `term`, may be, with how each is written.

        `asked` says that the user asked for `distance` edits.
        """
        most = MAX_ASKED_FOR if is_asked else MAX_CORRECTIONS
        # a query is compiled up to three times, and asked about again when it found nothing
        near = self._vocabulary.remembered(
            (self.language.name, word, term, tuple(fields), distance, is_asked),
            lambda: self._near(word, term, fields, distance, is_asked=is_asked),
        )
        return near[:most]

    def _near(
        self, word: str, term: str, fields: Sequence[str], distance: int, *, is_asked: bool
    ) -> list[tuple[str, str]]:
        """Return the best terms within `distance` edits, each with the word that it comes from.

        First those that differ only in marks (`maria`, `maría`), in any number of them unless the
        user asked for so many edits, then those one edit away, then those with the same first
        letter, then the most frequent ones; at most `MAX_ASKED_FOR`.
        """
        typed = word.lower()
        unmarked = without_marks(typed)
        corrections = dict(
            self._vocabulary.remembered(
                (self.language.name, typed, tuple(fields)), lambda: self._one_edit(typed, fields)
            )
        )
        alike = {} if is_asked else self._alike(typed, term, fields)
        corrections = alike | corrections
        nearest = set(corrections)
        if distance > 1:
            near = self._vocabulary.near(fields, _forms(typed, term), distance)
            corrections |= {term: term for term in self._occurring(near, fields)}
        self._vocabulary.expect(itertools.product(fields, corrections))
        # `caed` is one edit from `baed`, but nobody who typed that meant `ca`
        ranked = [
            (
                without_marks(how) != unmarked and near_term not in alike,
                near_term not in nearest,
                how[0] != typed[0],
                -count,
                near_term,
                how,
            )
            for near_term, how in corrections.items()
            if near_term != term and (len(near_term) >= CORRECTED_FROM or near_term == how)
            if (count := self.frequency(near_term, fields))
        ]
        return [(term, how) for *_, term, how in sorted(ranked)[:MAX_ASKED_FOR]]

    def _alike(self, typed: str, term: str, fields: Sequence[str]) -> dict[str, str]:
        """Return the terms that differ from a word only in marks, each with how it is written.

        `huong` and `hướng`, `strasse` and `straße`, `groesse` and `größe`.
        """
        listed = self._vocabulary.alike(fields, [bare(typed), bare(term)])
        if typed.isascii():
            listed = [listed_term for listed_term in listed if not listed_term.isascii()]
        stems = self._stems(respellings(typed))
        occurring = {term: stems[term] for term in self._occurring(stems, fields)}
        return {term: term for term in listed} | occurring

    def _one_edit(self, typed: str, fields: Sequence[str]) -> dict[str, str]:
        """Return the terms one edit away, each with the word that it comes from.

        Of several words that have one stem, it is one with a letter that was left out, the most
        usual error: `enviroment` is `environment`, not `environent`.
        """
        stems = self._edit_stems(typed)
        occurring = self._occurring(stems, fields, beginning=_intact(typed))
        return {term: stems[term] for term in occurring}

    def _edit_stems(self, typed: str) -> dict[str, str]:
        """Return the stems of all words one edit away, each with the likeliest of its words."""

        def make() -> dict[str, str]:
            edits = edits_of(typed, self.language.name)
            return self._stems(sorted(edits, key=lambda word: _unlikeliness(word, typed)))

        return self._vocabulary.remembered((self.language.name, typed), make)

    def expected_terms(self, word: str) -> Iterator[str]:
        """Yield the terms that `near` and `begun` will count if a word occurs nowhere."""
        typed = word.lower()
        beginning = _intact(typed)
        for stem in self._edit_stems(typed):
            if not beginning or not stem.startswith(beginning):
                yield stem
        yield from self._stems(respellings(typed))
        yield from self._stems([typed + ending for ending in self._endings])

    def expected_lookups(
        self, word: str, term: str, fields: Sequence[str], distance: int
    ) -> Iterator[Lookup]:
        """Yield the look-ups of `near` if a word occurs nowhere."""
        typed, names = word.lower(), tuple(fields)
        yield Lookup("alike", names, (bare(typed), bare(term)))
        if distance > 1:
            yield Lookup("near", names, _forms(typed, term), distance)
        if beginning := _intact(typed):
            yield Lookup("begins", names[:1], (beginning,))
        for beginning in self._beginnings(typed):
            yield Lookup("begins", names[:1], (beginning,))

    def expected_of_beginning(
        self, typed: str, fields: Sequence[str]
    ) -> tuple[Iterable[tuple[str, str]], list[Lookup]]:
        """Return the terms, with their fields, and the look-ups of `begun`."""
        if not typed:
            return (), []
        stems = self._stems([typed + ending for ending in self._endings])
        lookups = [
            Lookup("begins", (name,), (beginning,))
            for name in fields
            for beginning in self._beginnings(typed)
        ]
        return itertools.product(fields, stems), lookups

    def _occurring(
        self, terms: Collection[str], fields: Sequence[str], *, beginning: str = ""
    ) -> Iterable[str]:
        """Return the terms that occur, if only in deleted chunks, each once."""
        alike = {term for term in terms if beginning and term.startswith(beginning)}
        others = [term for term in terms if term not in alike]
        self._vocabulary.expect(itertools.product(fields, others))
        return dict.fromkeys(
            term
            for name in fields
            for term in self._vocabulary.occurring(name, others, alike, beginning=beginning)
        )

    def _stems(self, words: Sequence[str]) -> dict[str, str]:
        """Return the stems of words that are one token each, with the first word of each.

        Stop words are left out: nobody mistypes a name as `for`.
        """
        stops = stop_words(self.language.name)
        kept_words = [word for word in words if word not in stops and word.isalnum()]
        stems = self._analyzer.plain_terms(" ".join(kept_words))
        if len(stems) != len(kept_words):  # a word of another number of tokens, or a dropped one
            pairs = [(self._analyzer.plain_terms(word), word) for word in kept_words]
            return {
                word_stems[0]: word for word_stems, word in reversed(pairs) if len(word_stems) == 1
            }
        return dict(zip(reversed(stems), reversed(kept_words), strict=True))

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
            counted = self._vocabulary.beginning_with(name, beginning, MAX_PREFIXED)
            full = full or len(counted) == MAX_PREFIXED
            for term, count in counted:
                counts[term] = max(counts.get(term, 0), count)
        counts = (
            self._counts(self._stems([typed + ending for ending in self._endings]), fields) | counts
        )
        if not counts:
            counts = self._counts(self._shorter_stems(typed), fields)
        ranked = sorted(counts, key=lambda term: (-counts[term], term))[:MAX_PREFIXED]
        terms = [Alternative(term, term, kind="begun") for term in ranked]
        if not full and len(counts) <= MAX_PREFIXED:
            return Begun(terms, {}, beginnings)
        listed = self._vocabulary.all_beginning_with
        every = {
            name: [t for beginning_ in beginnings for t in listed(name, beginning_)]
            for name in fields
        }
        rarer = {
            name: tuple(set(found_terms).difference(ranked)) for name, found_terms in every.items()
        }
        return Begun(terms, rarer, beginnings)

    @property
    def _endings(self) -> tuple[str, ...]:
        return ("", *_ENDINGS.get(self.language.name, ()))

    def _counts(self, terms: Collection[str], fields: Sequence[str]) -> dict[str, int]:
        """Return the terms that occur, each with its number of chunks."""
        self._vocabulary.expect(itertools.product(fields, terms))
        return {term: count for term in terms if (count := self.frequency(term, fields))}

    def _shorter_stems(self, typed: str) -> Collection[str]:
        """Return stems shorter than `typed` of words that begin with it.

        What one or two more letters of its script bring: `erforderlic` and `h` have the stem
        `erforder`.
        """
        if self.language.name is None:
            return []
        letters = alphabet_of(typed[-1], self.language.name)
        pairs = itertools.product(letters, repeat=2) if len(letters) <= _FEW_LETTERS else ()
        endings = [*letters, *map("".join, pairs)]
        stems = self._stems([typed + ending for ending in endings])
        return [stem for stem in stems if len(stem) < len(typed)]

    def _beginnings(self, typed: str) -> tuple[str, ...]:
        """Return the prefixes of terms whose words begin with `typed`.

        These are `typed`, and its form without marks if the stemmer removes them: `prüf*` must find
        the term `prufung`. The stem of a longer word shows whether it does.
        """
        longer = self._analyzer.plain_terms(typed + _LETTER)
        beginning = longer[0].removesuffix(_LETTER) if len(longer) == 1 else typed
        if beginning != typed and bare(beginning) == bare(typed):
            return typed, beginning
        return (typed,)


def _intact(typed: str) -> str:
    """Return the letters that most edits of a word keep, "" of a short one."""
    return typed[:INTACT] if len(typed) > INTACT + 2 else ""


def _forms(typed: str, term: str) -> tuple[str, ...]:
    """Return the forms to which terms may be near: a word, its stem, the word without an ending."""
    shorter = (
        typed[: -len(ending)]
        for ending in _ENGLISH_ENDINGS.split()
        if typed.endswith(ending) and len(typed) - len(ending) >= CORRECTED_FROM
    )
    return tuple(dict.fromkeys((term, typed, *shorter)))


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


def is_to_be_corrected(word: str, frequency: int) -> bool:
    """Whether to correct a word unasked: if it occurs nowhere, or is long and rare.

    Numbers, names with digits and very short words are never corrected.
    """
    if len(word) < CORRECTED_FROM or any(map(str.isnumeric, word)):
        return False
    return not frequency or (len(word) >= WIDENED_FROM and frequency <= WIDENED_UP_TO)
