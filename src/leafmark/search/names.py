"""Names in queries, and their bearers.

A query that is a name, alone or in a frame (`what is X`, `X module`), asks for its bearer. Exact
names come before names that share only stems, and documents before their sections. In a
manual whose files begin alike (`git-add`, `git-commit`), the common word may be left out. A name
may also say where it belongs: `git commit --amend` is `--amend` in the document `git commit`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from leafmark.index import Language, Snapshot
from leafmark.index.analysis import analyzer_for
from leafmark.index.chunk_names import (
    ARTICLES,
    CHUNK,
    DOCUMENT,
    FILE_TAIL,
    MAX_NAME_WORDS,
    WHOLE_TREE,
    count_words,
    exact_name,
    is_qualified,
    path_stem,
    stemmed_name,
    symbol_names,
    without_articles,
)
from leafmark.index.queries import AllOf, HasAny, HasMatch, Query
from leafmark.index.roles import CODE
from leafmark.index.snapshot import Handle
from leafmark.namedtuples import NamedTuple
from leafmark.search.vocabulary import vocabulary_of

MAX_PLACED_WORDS = 8
"""The most words of a name together with the name of its parent (chosen by eye)."""

MAX_BEARERS = 20
"""The most bearers of a name that are considered."""

MIN_SAME_PREFIX = 10
"""A prefix is usual if the names of so many documents, and of this share, begin with it."""

SAME_PREFIX_SHARE = 0.2

EXACT_DOCUMENT, EXACT_CHUNK, DOCUMENT_BY_STEMS, CHUNK_BY_STEMS = 4.0, 3.0, 2.0, 1.0
"""The levels of bearers; higher ones come first."""

MAX_DIGITS = 4
"""The most digits that a number is filled up to in names of files: `0008` (chosen by eye)."""

WHOLE_STEP = 4
"""Added for the bearer of a whole name, over that of a name without the kind of thing."""

DOCUMENT_LEVELS = frozenset(
    level + step for level in (EXACT_DOCUMENT, DOCUMENT_BY_STEMS) for step in (0, WHOLE_STEP)
)

OTHER_LETTERS = 1.5
"""Subtracted for a bearer whose name has small letters in place of capitals within words."""

_BEFORE_NAMES = (("what", "is", "the"), ("what", "is", "a"), ("what", "is", "an"), ("what", "is"),
    ("what", "are"), ("what", "doe"), ("how", "to"), ("how", "do", "i"), ("how", "do", "you"),
    ("how", "can", "i"), ("how", "doe"), ("how", "do"), ("defin",), ("man",), ("the",), ("a",),
    ("an",))  # fmt: skip
_ASKING = frozenset(("what", "defin"))
_AFTER_NAMES = frozenset(
    """modul packag command function class method set option page file document refer manual
    paramet variabl directiv type definit mean keyword statement api librari do trait struct enum
    macro event interfac constant properti attribut namespac crate exampl guid tutori header
    tag filter lookup flag hook widget compon decor signal except error oper rule element plugin
    work
    """.split()
)
"""Stems of words around a name that only give its kind."""


_WHOLES = frozenset(
    """app book code codebase collection course docs documentation guide handbook library list
    manual package program project repo repository site software tool tutorial website wiki
    """.split()
)
"""What people call all documents of a tree together."""

_AROUND_WHOLES = frozenset(
    """about an are at describe do does explain for is me of overview purpose s summary tell the
    what
    """.split()
)
"""Words that ask what such a whole is, around `this book`."""

_KINDS_OF_SIGNS = {"!": "macro"}
"""The kind of thing that a sign behind a name stands for."""

_BEFORE = frozenset(("", *" .:/>#|"))
_BEHIND = frozenset(("", *" :,.!|"))
_BEHIND_ENTRY = _BEHIND | {"("}
"""Signs around a name in a title that do not belong to it."""


class NameWord(NamedTuple):
    """A word of a query for comparison with names: in small letters, its stem, and as typed."""

    exact: str
    stem: str
    typed: str


Name = tuple[NameWord, ...]
Search = Callable[[Sequence[Query]], Sequence[Sequence[Handle]]]
"""Returns the best matches of queries, within what the search admits, at most `MAX_BEARERS`."""


def query_name(language: Language, words: Iterable[str]) -> Name:
    """Return the words of a query as a name; () if they are too long for one."""
    typed = list(words)
    parts = [(t, word) for word in typed for t in analyzer_for(None).tokens_of_word(word)]
    stems = [t.term for word in typed for t in language.analyzer.tokens_of_word(word)]
    if len(parts) != len(stems) or not 0 < count_words(stems) <= MAX_NAME_WORDS:
        return ()
    return tuple(
        NameWord(token.term, stem, word[token.start : token.end])
        for (token, word), stem in zip(parts, stems, strict=True)
    )


def name_levels(snapshot: Snapshot, name: Name) -> list[tuple[float, Query]]:
    """Return the queries for bearers of the name, alone or in a frame, the highest level first."""
    levels: list[tuple[float, Iterable[str]]] = []
    for forms, step in zip(_forms(name), (WHOLE_STEP, 0), strict=True):
        documents = [_both(DOCUMENT, form) for form in forms]
        chunks = [_both(CHUNK, form) for form in forms]
        levels += (
            (EXACT_DOCUMENT + step, [exact for exact, *_ in documents]),
            (EXACT_CHUNK + step, [exact for exact, *_ in chunks]),
            (DOCUMENT_BY_STEMS + step, chain.from_iterable(documents)),
            (CHUNK_BY_STEMS + step, chain.from_iterable(chunks)),
        )
    levels_asked = [(level, tuple(dict.fromkeys(terms))) for level, terms in levels]
    known = set(_known(snapshot, chain.from_iterable(terms for _, terms in levels_asked)))
    return [
        (level, HasAny("names", known_terms))
        for level, terms in levels_asked
        if (known_terms := tuple(filter(known.__contains__, terms)))
    ]


def find_bearers(
    snapshot: Snapshot,
    language: Language,
    name: Name,
    written: str,
    by_level: Iterable[tuple[float, Sequence[Handle]]],
    search: Search,
) -> dict[Handle, float]:
    """Return the bearers of a name or of the name in a frame, with their levels: higher is better.

    `by_level` are the matches at each of `name_levels`. If the name is `written` as one
    that belongs to another (`Lamp.dim`), it may stand beside the definition of the other.
    """
    naming = _Naming(snapshot, search)
    levels_by_chunk: dict[Handle, float] = {}
    for level, matches in by_level:
        for chunk in matches:
            levels_by_chunk.setdefault(chunk, level)
    if DOCUMENT_LEVELS.isdisjoint(levels_by_chunk.values()):
        behind = naming.behind_usual_prefix(name)
        levels_by_chunk = {**dict.fromkeys(behind, EXACT_DOCUMENT + WHOLE_STEP), **levels_by_chunk}
    if not levels_by_chunk:
        within = naming.within(_all_forms(name), language, written)
        levels_by_chunk = dict.fromkeys(within, EXACT_CHUNK)
    return levels_by_chunk


def is_borne(snapshot: Snapshot, name: Name) -> bool:
    """Whether anything has this name or its stems, ignoring the first word of files."""
    frequency = vocabulary_of(snapshot).frequency
    return any(frequency("names", term) for form in _all_forms(name) for term in _of_any(form))


def name_terms(name: Name) -> Iterator[str]:
    """Yield all terms of names whose frequencies `find_bearers` may ask for."""
    if not name:
        return
    for form in _all_forms(name):
        yield from _of_any(form)
        for at in _parting(form):
            yield from _both(CHUNK, form[at:])
            yield from _both(DOCUMENT, form[:at])
            yield from _both(FILE_TAIL, form[:at])


def title_fits(
    snapshot: Snapshot,
    language: Language,
    name: Name,
    written: str,
    bearers: Mapping[Handle, float],
) -> dict[Handle, tuple[float, int]]:
    """Return the level of each bearer, and the fit of its titles to the name, compared with others.

    `Hasher trait` asks for a section among traits; `Option` rather for `Option` than for
    `option`, and `DATABASES` for a setting before the page `Databases`. One small word is typed in
    a hurry, and says nothing of its letters. Of what is left, that comes first which has the name
    as it is `written`, signs and all, or at least the `end` of one that says what holds it.
    """
    *_, end = symbol_names(written)
    kind = name[-1].stem if len(name) > 1 and name[-1].stem in _AFTER_NAMES else ""
    words = [word.typed for word in (name[:-1] if kind else name)]
    kind = kind or _KINDS_OF_SIGNS.get(written[-1:], "")
    says_letters = len(words) > 1 or not words[0].islower()
    is_spelt = any(word[1:] != word[1:].lower() for word in words)
    fits = {}
    for (chunk, level), path in zip(
        bearers.items(), snapshot.section_paths(list(bearers)), strict=True
    ):
        is_of_kind = bool(kind) and any(kind in language.analyzer.terms(title) for title in path)
        title = path[-1]
        folded = title.lower()
        is_other = says_letters and any(
            word not in title and word.lower() in folded for word in words
        )
        is_document = level in DOCUMENT_LEVELS
        is_same = _is_same(title, written, is_document=is_document)
        is_end = is_same or _is_same(title, end, is_document=is_document)
        spelt = level - OTHER_LETTERS if is_other and is_spelt else level
        fits[chunk] = spelt, 8 * is_of_kind - 4 * is_other + 2 * is_same + is_end
    return fits


def _is_same(title: str, name: str, *, is_document: bool) -> bool:
    """Whether a title contains a name with exactly its signs: `set`, but not `~set`.

    An entry has parameters behind its name; documents that differ in these are different.

    >>> titles = ("Struct std::set", "std::set(int)", "std::~set", "operator=", "operator==")
    >>> [_is_same(title, "set", is_document=True) for title in titles]
    [True, False, False, False, False]
    >>> [_is_same(title, "operator=", is_document=False) for title in titles]
    [False, False, False, True, False]
    """
    letters = name.casefold().rstrip("!()")
    before, same, after = title.casefold().rpartition(letters) if letters else ("", "", "")
    if not same or before[-1:] not in _BEFORE:
        return False
    return after[:1] in (_BEHIND if is_document else _BEHIND_ENTRY)


def _forms(name: Name) -> tuple[list[Name], list[Name]]:
    """Return a query's name without question words, and these names without the kind of thing.

    A question about one thing (`what is a trait`) also asks for titles in the plural.
    """
    stems = tuple(word.stem for word in name)
    if len(name) > 2 and stems[0] == "man" and stems[1][0].isdigit():
        return [name, (*name[2:], name[1])], []  # `man 2 open` is the page `open(2)`
    frames = [frame for frame in _BEFORE_NAMES if frame == stems[: len(frame)] and frame != stems]
    whole = [name, *(name[len(frame) :] for frame in frames)]
    bare = [
        form[:-1]
        for form in whole
        if len(form) > 1 and form[-1].stem in _AFTER_NAMES and form[-2].stem not in ARTICLES
    ]
    many = whole[1:] if stems and stems[0] in _ASKING else []
    if _asks_for_whole([word.exact for word in name]):
        whole.append(tuple(NameWord(word, word, word) for word in WHOLE_TREE.split()))
    numbered = (other for form in whole for other in _numbered(form))
    return [*whole, *numbered, *(plural for form in many for plural in _plurals(form))], bare


def _asks_for_whole(words: Sequence[str]) -> bool:
    """Whether a query asks what the documents are all about.

    >>> _asks_for_whole("what is this book about".split()), _asks_for_whole("this reader".split())
    (True, False)
    """
    before, _, after = " ".join(words).partition("this ")
    whole, _, rest = after.partition(" ")
    return whole in _WHOLES and _AROUND_WHOLES.issuperset(f"{before}{rest}".split())


def _plurals(name: Name) -> Iterator[Name]:
    last = name[-1].exact
    for plural in (f"{last}s", f"{last}es", f"{last[:-1]}ies"):
        yield (*name[:-1], name[-1]._replace(exact=plural))


def _numbered(name: Name) -> Iterator[Name]:
    """Yield a name with other numbers of zeros before its numbers, as files have them."""
    numbers = {word.exact for word in name if word.exact.isdecimal()}
    for digits in range(1, MAX_DIGITS + 1) if numbers else ():
        filled = {number: number.lstrip("0").zfill(digits) for number in numbers}
        form = tuple(
            word._replace(exact=filled[word.exact], stem=filled[word.exact])
            if word.exact in filled
            else word
            for word in name
        )
        if form != name:
            yield form


def _all_forms(name: Name) -> list[Name]:
    return [form for forms in _forms(name) for form in forms]


def _parting(name: Name) -> range:
    """Return the indexes at which a name may split into the name of a parent and its own."""
    return range(1, len(name) if len(name) <= MAX_PLACED_WORDS else 0)


def _exact(kind: str, name: Name) -> str:
    return exact_name(kind, " ".join(word.exact for word in name))


def _both(kind: str, name: Name) -> tuple[str, str, str]:
    """Return the terms of a name, exact and by stems: some names are stems."""
    stems = " ".join(without_articles([word.stem for word in name]))
    return _exact(kind, name), stemmed_name(kind, stems), exact_name(kind, stems)


def _of_any(name: Name) -> Iterator[str]:
    """Yield the terms of a name for each kind of bearer."""
    for kind in (DOCUMENT, CHUNK, FILE_TAIL):
        yield from _both(kind, name)


def chunk_terms(name: Name) -> tuple[str, ...]:
    """Return the terms of a section or definition with this name, or with its stems."""
    return tuple(dict.fromkeys(_both(CHUNK, name))) if name else ()


def _known(snapshot: Snapshot, terms: Iterable[str]) -> list[str]:
    """Return the terms that occur: few queries are names."""
    distinct = list(dict.fromkeys(terms))
    counts = vocabulary_of(snapshot).frequencies("names", distinct)
    return [term for term, count in zip(distinct, counts, strict=True) if count]


class _Naming:
    """Looks up names in one index: first in its list of terms, since few queries are names."""

    def __init__(self, snapshot: Snapshot, search: Search):
        self._snapshot = snapshot
        self._search = search

    def behind_usual_prefix(self, name: Name) -> list[Handle]:
        """Return the documents with this name behind a usual prefix.

        Tests and copies are named after other files: `test_lamp.py` is no bearer of `lamp`.
        """
        terms = _known(self._snapshot, _both(FILE_TAIL, name))
        if not terms:
            return []
        (matches,) = self._search([HasAny("names", tuple(terms))])
        roles = self._snapshot.roles(matches)
        bearers = [chunk for chunk, role in zip(matches, roles, strict=True) if role in (0, CODE)]
        words = analyzer_for(None).terms
        prefixes = [
            words(path_stem(doc_id.partition(":")[2]))[0]
            for doc_id, _ in self._snapshot.refs(bearers)
        ]
        least = max(MIN_SAME_PREFIX, SAME_PREFIX_SHARE * len(self._snapshot.manifest))
        prefixes_asked = [prefix for prefix in dict.fromkeys(prefixes) if prefix.isalnum()]
        begins = [
            HasMatch("names", exact_name(DOCUMENT, f"{prefix} .*")) for prefix in prefixes_asked
        ]
        counts = self._snapshot.count(begins)
        usual = {
            prefix for prefix, count in zip(prefixes_asked, counts, strict=True) if count >= least
        }
        return [chunk for chunk, prefix in zip(bearers, prefixes, strict=True) if prefix in usual]

    def within(self, forms: Sequence[Name], language: Language, written: str) -> list[Handle]:
        """Return the bearers of the end of a name below a bearer of its beginning.

        That is a document with this name, or a path or titles with its words.
        """
        beside = is_qualified(written)
        for form in forms:
            ends = {at: _both(CHUNK, form[at:]) for at in _parting(form)}
            known = set(_known(self._snapshot, chain.from_iterable(ends.values())))
            for at, terms in ends.items():
                if known.isdisjoint(terms):
                    continue
                bears_end = HasAny("names", tuple(term for term in terms if term in known))
                for below in self._below(form[:at], language, beside=beside):
                    (named,) = self._search([AllOf((bears_end, *below))])
                    if named:
                        return list(named)
        return []

    def _below(
        self, head: Name, language: Language, *, beside: bool
    ) -> Iterator[tuple[Query, ...]]:
        """Yield the queries for chunks below a bearer of the name.

        With `beside`, also for chunks in its folder, and beside its definition.
        """
        yield from self._in_documents(chain(_both(DOCUMENT, head), _both(FILE_TAIL, head)))
        for field in (language.path, language.titles) if beside else (language.titles,):
            yield tuple(HasAny(field, (word.stem,)) for word in head)
        if beside:
            yield from self._in_documents(_both(CHUNK, head))

    def _in_documents(self, names: Iterable[str]) -> Iterator[tuple[Query, ...]]:
        """Yield the query for the chunks in the documents with these names."""
        heads = _known(self._snapshot, names)
        if heads:
            (matches,) = self._search([HasAny("names", tuple(heads))])
            refs = self._snapshot.refs(matches)
            yield (HasAny("doc_id", tuple(dict.fromkeys(doc_id for doc_id, _ in refs))),)
