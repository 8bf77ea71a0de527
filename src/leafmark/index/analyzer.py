"""The text pipeline: split, lower-case, drop long tokens, stem; the same for text and queries.

In: text, and a language or none. Out: terms, with their places if asked for. Tantivy's own
pipeline makes the term of each word; it is remembered, since words repeat. An index is given
terms, not text. Three things happen to text before Tantivy sees it; the places in `tokens`
are still those in the text as given:

- Spellings that are read as the same become the same (`folding`).
- In scripts written without spaces, every character becomes a token (spaces are put around
  it), and a run of them in a query is a phrase.
- Tokens of more than `MAX_TOKEN_CHARS` characters are replaced by spaces. (Tantivy counts
  bytes, and would drop words of 14 letters in Tamil.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

import tantivy

from leafmark.index.folding import Places, fold

__all__ = [
    "LANGUAGES",
    "MAX_TOKEN_CHARS",
    "Analyzer",
    "Token",
    "analyzer_for",
    "is_solid",
]

LANGUAGES = frozenset(
    {
        "arabic",
        "danish",
        "dutch",
        "english",
        "finnish",
        "french",
        "german",
        "greek",
        "hungarian",
        "italian",
        "norwegian",
        "portuguese",
        "romanian",
        "russian",
        "spanish",
        "swedish",
        "tamil",
        "turkish",
    }
)
"""The languages that have a stemmer."""

MAX_TOKEN_CHARS = 40
"""Longer tokens are dropped: hashes and base64 lines, not words (a default of Tantivy's)."""

_MEMO_LIMIT = 100_000
"""Words whose terms an analyzer remembers; about 10 MB."""

# Scripts that run words together; the astral part holds Kana supplements, Tangut,
# Khitan, Nushu and the Han extensions.
_SOLID = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf"
    "\u1b00-\u1b7f\u3005-\u3007\u3021-\u302f\u3031-\u318f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua9ff\uaa60-\uaadf"
    "\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U00016fe0-\U0001b2ff\U00020000-\U0003ffff"
)
# All bytes that do not begin such a character, or a surrogate, in UTF-8. Deleting them tells
# whether there is one, five times faster than a search.
_USUAL_BYTES = bytes(byte for byte in range(256) if not 0xE0 <= byte < 0xF5 or byte == 0xE2)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ASCII_WORD = re.compile("[0-9A-Za-z]+")
_LOWER_WORD_BYTES = bytes(
    byte if byte >= 0x80 else ord(chr(byte).lower() if chr(byte).isalnum() else " ")
    for byte in range(256)
)
_LONG_RUN = re.compile(rf"\S{{{MAX_TOKEN_CHARS + 1},}}")
_PORTION_CHARS = 250_000
"""Longer texts are analysed in portions: analysing takes about ten times their size."""

_SPACE = re.compile(r"[ \n]")
_FINAL_SIGMA = re.compile("(?<=[\u0370-\u03ff\u1f00-\u1fff])Σ(?![\u0370-\u03ff\u1f00-\u1fff])")
"""Tantivy lowers it to a sigma within a word."""


class Token(NamedTuple):
    """A term, its characters `[start, end)`, and its position among the tokens."""

    term: str
    start: int
    end: int
    position: int


class _Memo(dict[str, str]):
    """The terms of runs of text, joined by spaces; made when first asked for."""

    def __init__(self, analyze: Callable[[str], list[str]]):
        self._analyze = analyze

    def __missing__(self, run: str) -> str:
        if len(run) > MAX_TOKEN_CHARS:  # no word, or many words, which hardly come together again
            return "" if run.isascii() else " ".join(self._analyze(run))
        if len(self) > _MEMO_LIMIT:
            self.clear()
        terms = " ".join(self._analyze(run))
        if terms == run:  # as for half of all words: only one of the two texts is kept
            terms = run
        self[run] = terms
        return terms


class Analyzer:
    """The pipeline of one language (None: no stemming). Use `analyzer_for`."""

    def __init__(self, language: str | None):
        """Raises ValueError for a language that is not one of `LANGUAGES`."""
        if language is not None and language not in LANGUAGES:
            raise ValueError(f"no stemmer for {language!r}: one of {', '.join(sorted(LANGUAGES))}")
        self.language = language
        filters = tantivy.Filter
        builder = tantivy.TextAnalyzerBuilder(_tokenizer(language)).filter(filters.lowercase())
        if language is not None:
            builder = builder.filter(filters.stemmer(language))
        self.engine = builder.build()
        self._splitter = tantivy.TextAnalyzerBuilder(_tokenizer(language)).build()
        self._memo = _Memo(self._analyze)

    @property
    def name(self) -> str:
        """The name under which indexes know this pipeline."""
        return f"leafmark_{self.language or 'none'}"

    def for_index(self, text: str) -> str:
        """Return the text as its field in the index takes it: its terms."""
        return " ".join(self.terms(text))

    def _analyze(self, text: str) -> list[str]:
        return self.engine.analyze(self._without_long_tokens(text))

    def _without_long_tokens(self, text: str) -> str:
        """Replace every token that is too long by as many spaces. No token has white space."""
        if (
            len(text) <= MAX_TOKEN_CHARS
            or max(map(len, text.split()), default=0) <= MAX_TOKEN_CHARS
        ):
            return text
        return _LONG_RUN.sub(lambda run: self._blank_in_run(run[0]), text)

    def _blank_in_run(self, run: str) -> str:
        parts: list[str] = []
        at = 0
        for token in self._splitter.pre_tokenize(run).tokens:
            start, end = token.char_offset_from, token.char_offset_to
            if end - start > MAX_TOKEN_CHARS:
                parts += (run[at:start], " " * (end - start))
                at = end
        return "".join((*parts, run[at:]))

    def terms(self, text: str) -> list[str]:
        """Return the terms of `text`, in order; remembers the terms of its words."""
        if len(text) <= _PORTION_CHARS:
            return self._terms(text)
        found: list[str] = []
        known: dict[str, str] = {}  # so that a term that repeats is kept once
        for portion in _portions(text):
            terms = self._terms(portion)
            found += map(known.setdefault, terms, terms)
        return found

    def _terms(self, text: str) -> list[str]:
        memo = self._memo
        if text.isascii():
            found = list(map(memo.__getitem__, _runs(text)))
            return [term for term in found if term] if "" in found else found
        return " ".join(map(memo.__getitem__, _runs(_spread(fold(text))))).split()

    def terms_without(self, text: str, words: Collection[str]) -> list[str]:
        """Return the terms of `text`, except those of `words`, which are folded and lower-case."""
        if text.isascii():
            memo = self._memo
            return [term for word in _runs(text) if word not in words and (term := memo[word])]
        tokens = self._any_tokens(text)
        return [one.term for one in tokens if fold(text[one.start : one.end]).lower() not in words]

    def terms_once(self, text: str) -> list[str]:
        """Return what `terms` does, without remembering: for words that are not seen again."""
        return self._analyze(_spread(fold(text)))

    def tokens(self, text: str) -> list[Token]:
        """Return the tokens of `text`, in order; offsets count characters of `text` as given."""
        return list(self.iter_tokens(text))

    def tokens_of_word(self, word: str) -> tuple[Token, ...]:
        """Return the tokens of a short text, remembered: for the words of a query."""
        return _tokens(self, word)

    def iter_tokens(self, text: str) -> Iterator[Token]:
        """Yield what `tokens` lists."""
        return self._ascii_tokens(text) if text.isascii() else self._any_tokens(text)

    def find(self, text: str, wanted: Callable[[str], bool]) -> list[Token]:
        """Return the tokens whose term is `wanted`, several times faster than by `tokens`.

        `wanted`, such as `set.__contains__`, is called once per distinct term.
        """
        if not text.isascii():
            return [token for token in self._any_tokens(text) if wanted(token.term)]
        kept = {term for term in set(self.terms(text)) if wanted(term)}
        return [t for t in self._ascii_tokens(text) if t.term in kept] if kept else []

    def _ascii_tokens(self, text: str) -> Iterator[Token]:
        """In ASCII a word is a run of letters and digits, and gives one term."""
        words = (word for word in _ASCII_WORD.finditer(text) if len(word[0]) <= MAX_TOKEN_CHARS)
        for position, (word, term) in enumerate(zip(words, self.terms(text), strict=True)):
            yield Token(term, word.start(), word.end(), position)

    def _any_tokens(self, text: str) -> Iterator[Token]:
        """Yield the tokens of any text as Tantivy makes them, at their places in `text`."""
        folded = fold(text)
        if folded == text:
            yield from self._folded_tokens(text)
            return
        places = Places(text)
        for token in self._folded_tokens(folded):
            start, end = places.given(token.start, token.end)
            yield Token(token.term, start, end, token.position)

    def _folded_tokens(self, text: str) -> Iterator[Token]:
        """Yield the tokens of a folded text, at their places without the added spaces."""
        prepared = self._without_long_tokens(_spread(text))
        added = _added_spaces(text) if len(prepared) != len(text) else []
        before = 0
        for token in self.engine.pre_tokenize(prepared).tokens:
            start = token.char_offset_from
            while before < len(added) and added[before] < start:
                before += 1
            shift = start - before
            yield Token(token.text, shift, shift + token.char_offset_to - start, token.position)


@lru_cache(maxsize=2_000)
def _tokens(analyzer: Analyzer, word: str) -> tuple[Token, ...]:
    return tuple(analyzer.iter_tokens(word))


def is_solid(term: str) -> bool:
    """Whether a term is a character of a script that is written without spaces."""
    return not term.isascii() and _solid_runs().fullmatch(term) is not None


def _portions(text: str) -> Iterator[str]:
    """Cut a text after white space, which is in no token."""
    at = 0
    while at < len(text):
        space = _SPACE.search(text, at + _PORTION_CHARS)
        end = space.end() if space else len(text)
        yield text[at:end]
        at = end


def _runs(text: str) -> list[str]:
    """Cut a text at ASCII characters that are in no token, and lower its ASCII letters.

    Of ASCII text, the runs are its words.
    """
    data = text.encode("utf-8", "surrogatepass").translate(_LOWER_WORD_BYTES)
    return data.decode("utf-8", "surrogatepass").split()


def _tokenizer(language: str | None) -> tantivy.Tokenizer:
    """Return the tokenizer: words are runs of letters and digits; in Tamil, of marks too.

    The fast tokenizer ends a word at marks that are not alphabetic, such as the one that
    removes a Tamil consonant's vowel; but the stemmer needs whole words.
    """
    if language == "tamil":
        return tantivy.Tokenizer.regex(r"[\p{L}\p{M}\p{N}]+")
    return tantivy.Tokenizer.simple()


@cache
def analyzer_for(language: str | None) -> Analyzer:
    """Return the analyzer of `language`, the same one every time."""
    return Analyzer(language)


@cache
def _solid_runs() -> re.Pattern[str]:
    """Compiled when first needed: that takes as long as the rest of this module in a search."""
    return re.compile(f"([{_SOLID}]+)")


@cache
def _unusual() -> re.Pattern[str]:
    """A solid character, or half of one."""
    return re.compile(f"[{_SOLID}\ud800-\udfff]")


def _spread(text: str) -> str:
    """Put spaces around every solid character of a folded text, and a sign for half of one.

    A capital sigma at the end of a Greek word becomes the final one, as it is in small letters.
    """
    if "Σ" in text:
        text = _FINAL_SIGMA.sub("ς", text)
    if text.isascii() or not _is_unusual(text):
        return text
    parts = _solid_runs().split(_SURROGATE.sub("\ufffd", text))
    parts[1::2] = map(" ".join, parts[1::2])
    return " ".join(parts)


def _added_spaces(text: str) -> list[int]:
    """Return the places in the prepared text of the spaces put around solid characters."""
    places: list[int] = []
    for run in _solid_runs().finditer(text):
        first = run.start() + len(places)
        places += range(first, first + 2 * (run.end() - run.start()) + 1, 2)
    return places


def _is_unusual(text: str) -> bool:
    """Whether there is a solid character, or half of one."""
    leads = text.encode("utf-8", "surrogatepass").translate(None, _USUAL_BYTES)
    return bool(leads) and _unusual().search(text) is not None
