"""The text pipeline: split, lower-case, drop long tokens, stem; the same for text and queries.

In: text, and a language or none. Out: terms, with their offsets on request. Tantivy's pipeline
analyzes each distinct word once; a cache of words gives the terms of a text. An index receives
terms, not text. Before Tantivy sees a text, it is changed (but the offsets in `tokens` refer to
the original text):

- Equivalent spellings become one (`folding`).
- In scripts written without spaces, every character becomes a token (spaces are put around
  it), and a run of them in a query is a phrase.
- Tokens of more than `MAX_TOKEN_CHARS` characters are replaced by spaces. (Tantivy counts
  bytes, and would drop words of 14 letters in Tamil.)

Some signs belong to names. `C++`, `C#` and `F#` are terms of their own, without a term `c`;
`.NET`, `.gitignore`, `HEAD^` and `2^32` give both the whole and the part as terms. Names in
camel case are indexed whole; in titles and in source code, whose words are names, their parts
follow the text, once per chunk. `Analyzer.readings` and `words.Vocabulary` define how a word of a
query is searched. A word that is hyphenated at a line break, as in manual pages, is indexed whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise

import tantivy

from leafmark.environment import memo, register_memo
from leafmark.index.folding import Places, fold
from leafmark.model.option_types import LANGUAGES
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern

__all__ = [
    "BETWEEN",
    "HYPHENATING_FORMATS",
    "LANGUAGES",
    "MAX_TOKEN_CHARS",
    "Analyzer",
    "Token",
    "analyzer_for",
    "has_signs",
    "is_solid",
    "iter_hyphenated",
    "iter_names",
    "split_names",
    "split_words",
    "terms_of_hyphenated",
    "terms_of_names",
    "with_parts",
]

MAX_TOKEN_CHARS = 40
"""Longer tokens are dropped: hashes and base64 lines, not words (a default of Tantivy's)."""

_MAX_WORDS = 50_000
"""How many words an analyzer caches, in some ten megabytes."""

_MAX_WORD_BYTES = 3 * MAX_TOKEN_CHARS
"""Longer runs are sentences of scripts without spaces, which do not repeat."""

_TO_WORDS = bytes(
    byte if byte >= 0x80 or chr(byte).isalnum() else 0x20 for byte in bytes(range(256)).lower()
)
"""Byte table: ASCII letters become lower case, ASCII signs spaces; other bytes stay."""

# Scripts that run words together; the astral part holds Kana supplements, Tangut,
# Khitan, Nushu and the Han extensions.
_SOLID = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf"
    "\u1b00-\u1b7f\u3005-\u3007\u3021-\u302f\u3031-\u318f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua9ff\uaa60-\uaadf"
    "\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U00016fe0-\U0001b2ff\U00020000-\U0003ffff"
)
# All bytes that do not begin such a character, or a surrogate, in UTF-8. If any byte is left
# after deleting these, a text may have one: five times faster than a search.
_USUAL_BYTES = bytes(byte for byte in range(256) if not 0xE0 <= byte < 0xF5 or byte == 0xE2)
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_ASCII_WORD = lazy_pattern("[0-9A-Za-z]+")
_LONG_RUN = lazy_pattern(rf"\S{{{MAX_TOKEN_CHARS + 1},}}")
PORTION_CHARS = 250_000
"""Longer texts are analyzed in portions: analysis takes about ten times their size in memory."""


_SPACE = lazy_pattern(r"[ \n]")
_FINAL_SIGMA = lazy_pattern("(?<=[\u0370-\u03ff\u1f00-\u1fff])Σ(?![\u0370-\u03ff\u1f00-\u1fff])")
"""Tantivy lower-cases it to the sigma for the middle of a word."""


BETWEEN = "\U00010280"
"""Separates texts that are indexed as one: a letter (Lycian) that nobody types, so that no
phrase matches across it."""

HYPHENATING_FORMATS = ("text", "html")
"""Formats whose line breaks may split words: in others, only code is preformatted."""

_INSIDE = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
"""Where a part of a name begins; the two lower-case letters keep `URLs` one word."""

_WORD = lazy_pattern(r"[^\W_]+")
_HYPHENATED = lazy_pattern(r"(?<![^\W_])([^\W\d_]+)[-\u2010\u00ad]\r?\n[ \t]*+(?=([^\W\d_]+))")
"""A word that continues on the next line, after a hyphen."""

_SIGNED = lazy_pattern(r"(?<![^\W_])([A-Za-z])(\+\+|#)(?![A-Za-z_+#])")
"""One letter with the sign that makes it a name: `C++`, `g++`, `C#`; not `page#c`, `c++filt`."""

_SIGN = lazy_pattern(r"(?:#|\+\+)(?:(?<=[A-Za-z]#)|(?<=[A-Za-z]\+\+))")
"""The sign after a letter, as in such a name: far faster than a search for the name itself."""

_DOTTED = lazy_pattern(r"\.(?<![\w.)\]}]\.)(?=[A-Za-z])(?!\w*\()")
"""The dot that begins a name: `.NET`, `/.gitignore`; not `a.b`, `...and` or a call."""

_RAISED = lazy_pattern(r"[\^~](?<=[^\W_].)(?![^\W\d_]|~)")
"""A sign after a name or a number: `HEAD^`, `HEAD~3`, `2^32`; not `a^b` or `~~old~~`."""

_MARKS = {"++": "\ufdd0", "#": "\ufdd1", ".": "\ufdd2", "^": "\ufdd3", "~": "\ufdd4"}
"""Marks that replace the signs of names: code points that are not characters and in no text."""
_SIGNS = {mark: sign for sign, mark in _MARKS.items()}
_MARK = lazy_pattern("[\ufdd0-\ufdd4]")
_MARKED = lazy_pattern("(?<![^\\W_])((?:[^\\W_]*+[\ufdd0-\ufdd4]|(?!))++[^\\W_]*+)")
"""A word with these marks."""

_NUMBERED = lazy_pattern(r"(?<=[^\W\d_]{2})(?=[0-9])|(?<=[0-9])(?=[^\W\d_]{2})")
"""Where a number begins or ends in a name: `utf8`, `sha256sum`; not in `v1` and `i18n`."""


class Token(NamedTuple):
    """A term, its characters `[start, end)`, and its position among the tokens."""

    term: str
    start: int
    end: int
    position: int


class _Words(dict[bytes, str]):
    """A cache of the terms of words, computed on look-up, joined by spaces.

    A run of a script without spaces may have several terms; a dropped word has none.
    """

    def __init__(self, analyze: Callable[[str], list[str]]):
        super().__init__()
        self._analyze = analyze
        register_memo(self.clear)

    def __missing__(self, word: bytes) -> str:
        terms = " ".join(self._analyze(word.decode("utf-8", "surrogatepass")))
        if len(self) >= _MAX_WORDS:
            self.clear()
        if len(word) <= _MAX_WORD_BYTES:
            self[word] = terms
        return terms


class Analyzer:
    """The pipeline of one language (None: no stemming). Use `analyzer_for`."""

    def __init__(self, language: str | None):
        """Raises ValueError for a language that is not one of `LANGUAGES`."""
        if language is not None and language not in LANGUAGES:
            raise ValueError(f"no stemmer for {language!r}: one of {', '.join(sorted(LANGUAGES))}")
        self.language = language
        filters = [tantivy.Filter.lowercase()]
        if language is not None:
            filters.append(tantivy.Filter.stemmer(language))
        self.engine = _build_engine(language, filters)
        self._splitter = _build_engine(language, [])
        self._words = _Words(self._analyze_word)

    @property
    def name(self) -> str:
        """The name of this pipeline in indexes."""
        return f"leafmark_{self.language or 'none'}"

    def for_index(self, text: str) -> str:
        """Return the text in the form of an index field: its terms, joined by spaces."""
        if len(text) > PORTION_CHARS:
            return " ".join(self.terms(text))
        return self.of_words(split_words(text))

    def of_words(self, words: Iterable[bytes]) -> str:
        """Return the terms of the words of a text (see `split_words`), joined by spaces."""
        return " ".join(filter(None, map(self._words.__getitem__, words)))

    def _analyze(self, text: str) -> list[str]:
        """Return the terms of a folded text, in which marks replace the signs of names."""
        terms = self._lookup(text)
        return [*terms] if text.isascii() else " ".join(terms).split()

    def _lookup(self, text: str) -> Iterator[str]:
        """Return the terms of such a text; outside ASCII, one string may hold several terms."""
        return filter(None, map(self._words.__getitem__, _word_bytes(text)))

    def _analyze_word(self, word: str) -> list[str]:
        if word.isascii():  # letters and digits alone: one token, of a length that is known
            if len(word) > MAX_TOKEN_CHARS:
                return []
            return [word] if self.language is None else self.engine.analyze(word)
        if _MARK.search(word) is None:
            return self._analyze_plain(word)
        parts = _MARKED.split(word)
        terms = self._analyze_plain(parts[0])
        for marked, plain in zip(parts[1::2], parts[2::2], strict=True):
            terms += self._analyze_marked(marked)
            terms += self._analyze_plain(plain)
        return terms

    def _analyze_plain(self, text: str) -> list[str]:
        return self.engine.analyze(self._without_long_tokens(_spread(text)))

    def _without_long_tokens(self, text: str) -> str:
        """Replace every token that is too long by as many spaces; tokens have no white space."""
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
        """Return the terms of `text`, in order."""
        if len(text) <= PORTION_CHARS:
            return self._terms(text)
        collected: list[str] = []
        known: dict[str, str] = {}  # keeps one string for each distinct term
        for portion in _portions(text):
            terms = self._terms(portion)
            collected += map(known.setdefault, terms, terms)
        return collected

    def _terms(self, text: str) -> list[str]:
        return self._analyze(_mark_signs(fold(text)))

    def _analyze_marked(self, word: str) -> list[str]:
        sign = _SIGNS.get(word[-1], "")
        if len(word) == 2 and sign in ("++", "#"):
            return [word[0].lower() + sign]
        terms = self._analyze_plain(word)
        if terms and word[0] == _MARKS["."]:
            terms.insert(0, f".{terms[0]}")
        if terms and sign in ("^", "~"):
            terms.insert(-1, terms[-1] + sign)
        return terms

    def words_of(self, term: str, text: str) -> list[str]:
        """Return the words of a text with the term, in lower case, the most frequent first."""
        words = (
            text[token.start : token.end].lower() for token in self.find(text, {term}.__contains__)
        )
        return [word for word, _ in Counter(words).most_common()]

    def readings(self, word: str) -> list[tuple[str, ...]]:
        """Return the forms that a word of a query may have in a text, best first.

        Each form is a sequence of adjacent terms. First comes the word as typed; then its parts
        joined (`UTF-8` is `utf8`); then the parts of a name (`readCsv` is `read csv`, `utf8` is
        `utf 8`); for a name with a sign, a shorter form is last. The parts of a number are never
        joined: `1.4` is not 14. A caller searches for the first form that occurs, or for any.

        >>> analyzer_for(None).readings("UTF-8"), analyzer_for(None).readings("sha256")
        ([('utf', '8'), ('utf8',)], [('sha256',), ('sha', '256')])
        >>> analyzer_for(None).readings("1.4")
        [('1', '4')]
        >>> analyzer_for(None).readings("RawTransaction"), analyzer_for(None).readings(".NET")
        ([('rawtransaction',), ('raw', 'transaction')], [('.net', 'net'), ('net',)])
        """
        if word.isascii() and word.isalpha() and word.islower():  # as most are
            return [terms] if (terms := tuple(t.term for t in self.tokens_of_word(word))) else []
        texts = [word]
        if not has_signs(word) and any(map(str.isalpha, word)):
            texts.append("".join(filter(str.isalnum, word)))
        if raised := _RAISED.search(word):  # `HEAD~1`, if a text has only `HEAD~3`
            texts.append(word[: raised.end()])
        parts = _NUMBERED.sub(" ", split_names(word))
        texts.append(word.lstrip(".") if parts == word else parts)
        readings = dict.fromkeys(tuple(t.term for t in self.tokens_of_word(text)) for text in texts)
        return [terms for terms in readings if terms]

    def plain_terms(self, text: str) -> list[str]:
        """Return the terms of `text`, without regard to signs of names."""
        return self._analyze(fold(text))

    def tokens(self, text: str) -> list[Token]:
        """Return the tokens of `text`, in order; offsets count characters of the original text."""
        return list(self.iter_tokens(text))

    def tokens_of_word(self, word: str) -> tuple[Token, ...]:
        """Return the tokens of a short text, such as a word of a query; cached."""
        return _tokens(self, word)

    def iter_tokens(self, text: str) -> Iterator[Token]:
        """Yield the tokens of `text`: see `tokens`."""
        simple = text.isascii() and not has_signs(text)
        return self._ascii_tokens(text) if simple else self._any_tokens(text)

    def find(self, text: str, accepts: Callable[[str], bool]) -> list[Token]:
        """Return the tokens whose term `accepts` admits, several times faster than `tokens`.

        `accepts`, such as `set.__contains__`, is called once per distinct term.
        """
        accepted = {term for term in set(self.terms(text)) if accepts(term)}
        return (
            [token for token in self.iter_tokens(text) if token.term in accepted]
            if accepted
            else []
        )

    def _ascii_tokens(self, text: str) -> Iterator[Token]:
        """Yield the tokens of an ASCII text: each run of letters and digits is one term."""
        words = (word for word in _ASCII_WORD.finditer(text) if len(word[0]) <= MAX_TOKEN_CHARS)
        for position, (word, term) in enumerate(zip(words, self.terms(text), strict=True)):
            yield Token(term, word.start(), word.end(), position)

    def _any_tokens(self, text: str) -> Iterator[Token]:
        """Yield the tokens of any text as Tantivy splits it, with offsets in `text`."""
        folded = fold(text)
        if folded == text:
            yield from self._folded_tokens(text)
            return
        places = Places(text)
        for token in self._folded_tokens(folded):
            start, end = places.original(token.start, token.end)
            yield Token(token.term, start, end, token.position)

    def _folded_tokens(self, text: str) -> Iterator[Token]:
        """Yield the tokens of a folded text, with offsets that do not count added spaces."""
        prepared = self._without_long_tokens(_spread(text))
        added = _added_spaces(text) if len(prepared) != len(text) else []
        signed = {sign.start(): sign for sign in _SIGNED.finditer(text)}
        dots = {dot.end() for dot in _DOTTED.finditer(text)}
        raised = {sign.start() for sign in _RAISED.finditer(text)}
        before = more = 0
        for token in self.engine.pre_tokenize(prepared).tokens:
            at, term = token.char_offset_from, token.text
            while before < len(added) and added[before] < at:
                before += 1
            start, end = at - before, token.char_offset_to - before
            if start in dots:
                yield Token(f".{term}", start - 1, end, token.position + more)
                more += 1
            if end in raised:
                yield Token(term + text[end], start, end + 1, token.position + more)
                more += 1
            if start in signed:
                term, end = term + signed[start][2], signed[start].end()
            yield Token(term, start, end, token.position + more)


@memo(2_000)
def _tokens(analyzer: Analyzer, word: str) -> tuple[Token, ...]:
    return tuple(analyzer.iter_tokens(word))


def is_solid(term: str) -> bool:
    """Whether a term is a character of a script that is written without spaces."""
    return not term.isascii() and _solid_runs().fullmatch(term) is not None


def _portions(text: str) -> Iterator[str]:
    """Yield a text in portions, cut after white space, so that no token is cut."""
    at = 0
    while at < len(text):
        space = _SPACE.search(text, at + PORTION_CHARS)
        end = space.end() if space else len(text)
        yield text[at:end]
        at = end


def has_signs(text: str) -> bool:
    """Whether a sign is part of a name in `text`: `C++`, `C#`, `.NET`."""
    if _DOTTED.search(text) is not None:
        return True
    if ("^" in text or "~" in text) and _RAISED.search(text) is not None:
        return True
    return ("#" in text or "++" in text) and _SIGN.search(text) is not None


def terms_of_names(analyzer: Analyzer, code: str) -> list[str]:
    """Return the terms of the parts of each name in source code, each after a `BETWEEN`.

    Each name counts once: ten uses do not make the code more relevant for it.
    """
    terms: list[str] = []
    for word in dict.fromkeys(_WORD.findall(code)):
        if not word.islower():
            terms += _terms_of_name(analyzer, word)
    return terms


@memo(4096)
def _terms_of_name(analyzer: Analyzer, word: str) -> tuple[str, ...]:
    """Return `BETWEEN` and the terms of a name's parts; nothing for a word without parts."""
    return (BETWEEN, *analyzer.terms(_INSIDE.sub(" ", word))) if _INSIDE.search(word) else ()


def split_words(text: str) -> list[bytes]:
    """Return the words of a text, in UTF-8, before any language's analysis."""
    return _word_bytes(_mark_signs(fold(text)))


def _word_bytes(text: str) -> list[bytes]:
    return text.encode("utf-8", "surrogatepass").translate(_TO_WORDS).split()


def _mark_signs(text: str) -> str:
    """Return a text with a mark for each sign that is part of a name, and spaces around names."""
    if not has_signs(text):
        return text
    if ("#" in text or "++" in text) and _SIGN.search(text):
        text = _SIGNED.sub(lambda name: f" {name[1]}{_MARKS[name[2]]} ", text)
    if "^" in text or "~" in text:
        text = _RAISED.sub(lambda sign: f"{_MARKS[sign[0]]} ", text)
    return _DOTTED.sub(f" {_MARKS['.']}", text)


def _build_engine(language: str | None, filters: Sequence[tantivy.Filter]) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(_tokenizer(language))
    for filter_ in filters:
        builder = builder.filter(filter_)
    return builder.build()


def _tokenizer(language: str | None) -> tantivy.Tokenizer:
    """Return the tokenizer: words are runs of letters and digits; in Tamil, also of marks.

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
    """Compile on first use: that takes as long as everything else that a search does here."""
    return re.compile(f"([{_SOLID}]+)")


@cache
def _unusual() -> re.Pattern[str]:
    """Return the pattern of a solid character or a surrogate."""
    return re.compile(f"[{_SOLID}\ud800-\udfff]")


def _spread(text: str) -> str:
    """Put spaces around every solid character of a folded text, and replace surrogates.

    A capital sigma at the end of a Greek word becomes the lower-case final sigma.
    """
    if "Σ" in text:
        text = _FINAL_SIGMA.sub("ς", text)
    if text.isascii() or not _is_unusual(text):
        return text
    parts = _solid_runs().split(_SURROGATE.sub("\ufffd", text))
    parts[1::2] = map(" ".join, parts[1::2])
    return " ".join(parts)


def _added_spaces(text: str) -> list[int]:
    """Return the offsets, in the prepared text, of the spaces put around solid characters."""
    places: list[int] = []
    for run in _solid_runs().finditer(text):
        first = run.start() + len(places)
        places += range(first, first + 2 * (run.end() - run.start()) + 1, 2)
    return places


def _is_unusual(text: str) -> bool:
    """Whether the text has a solid character or a surrogate."""
    leads = text.encode("utf-8", "surrogatepass").translate(None, _USUAL_BYTES)
    return bool(leads) and _unusual().search(text) is not None


def with_parts(title: str) -> str:
    """Return a title, followed by the parts of its names.

    >>> with_parts("printRoutes() of HTTPServer"), with_parts("List of URLs")
    ('printRoutes() of HTTPServer print Routes HTTP Server', 'List of URLs')
    """
    if title[1:].islower() or not _INSIDE.search(title):
        return title
    names = (word for word in _WORD.findall(title) if _INSIDE.search(word))
    return " ".join([title, *(_INSIDE.sub(" ", name) for name in names)])


def split_names(title: str) -> str:
    """Return a title with its names split into parts.

    >>> split_names("printRoutes() of HTTPServer")
    'print Routes() of HTTP Server'
    """
    return _INSIDE.sub(" ", title)


def iter_names(code: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the parts of each name in a text, each part with its start.

    >>> list(iter_names("go printRoutes"))
    [[(3, 'print'), (8, 'Routes')]]
    """
    inside = [at.start() for at in _INSIDE.finditer(code)]
    if not inside:
        return
    at = 0
    for word in _WORD.finditer(code):
        start, end = word.span()
        cuts = [start]
        while at < len(inside) and inside[at] < end:
            if inside[at] > start:
                cuts.append(inside[at])
            at += 1
        if len(cuts) > 1:
            yield [(first, code[first:last]) for first, last in pairwise([*cuts, end])]
        if at == len(inside):
            return


def terms_of_hyphenated(analyzer: Analyzer, text: str) -> list[str]:
    """Return the terms of the words that line breaks split, each word once, after `BETWEEN`."""
    words = dict.fromkeys("".join(part for _, part in parts) for parts in iter_hyphenated(text))
    return [term for word in words for term in (BETWEEN, *analyzer.terms(word))]


def iter_hyphenated(text: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the two parts of each word that a line break splits, with their starts.

    >>> list(iter_hyphenated("exam-\\n  ple, re-\\n\\nset 1-\\n2"))
    [[(0, 'exam'), (8, 'ple')]]
    """
    if "-\n" in text or "\u2010" in text or "\u00ad" in text or "-\r" in text:
        for match in _HYPHENATED.finditer(text):
            yield [(match.start(1), match[1]), (match.end(), match[2])]
