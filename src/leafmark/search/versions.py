"""Join results that are versions, translations, formats or repeats of one another.

Two results are *versions* of one another if their trees and folders have the same names except for
versions, their files and titles have the same names, and nearly all words of their texts are the
same. The result is the newest of those that score as well as the best, and names the others: those
with the same bytes in `also_in`, the others in `other_versions`. Versions that differ more stay
separate results, the newer first.

Names alone identify versions: numbers (`13`, `v5.6.x`, `version-4`, and the differing part of
`llvm-15`), `latest` and the like. A misleading name does little harm, since only nearly equal texts
are joined.

*Translations* of a document are in folders with names of languages (`de`, `pt-BR`). Of all matches
in several languages, only those in the language of the query stay, or else those in the main one.

Two files are *formats* of one document (`git-add.txt`, `git-add.html`) if they and their sections
have the same names. A section of both is shown once.

A section *repeats* another if their titles are equal except for numbers and their texts nearly
equal, as in a page of all pages, or in the notes of each release. It is shown once, in the document
that has its name, or else in the smallest.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import compress, islice
from posixpath import splitext
from types import MappingProxyType

from leafmark.environment import memo
from leafmark.index.chunk_names import without_number
from leafmark.index.roles import language_family
from leafmark.model import Candidate, Entry
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern
from leafmark.query import Filter, format_query
from leafmark.search.order import sort_candidates, topics_of, with_copies

NEARLY_ALL = 0.9
"""Share of their different words that two texts have in common, to be nearly the same.

Measured on manuals of Fastify, Click, Django and LLVM in three or four versions each: of pairs
of one page among ten results more than half have this share, and a third less than 0.6.
"""

AS_GOOD = 0.95
"""Share of the best score by which a newer version, or a smaller document, is shown in its place.

Nine in ten pairs of nearly the same texts are within 2 %, most of them equal (measured as
above). One that the query names by its version is further ahead, or alone matches all words.
"""

NEARLY_AS_GOOD = 0.7
"""Versions whose scores differ by more than this are about different things (chosen by eye)."""

MIN_WORDS = 10
"""Different words that a text has at least that another repeats."""

SAME_SIZE = 0.8
"""Share of the bytes of one text that another has at least that is read: markup differs, too."""

MAX_COMPARED = 65_536
"""Bytes of a text past which it is not compared; 1 ms for so much prose."""

SAME_TITLES = 0.8
"""Share of the titles in the shorter of two documents that the other has, too: a page as published
has more of them than its source."""

MIN_TITLES = 3
"""Different titles that two documents have in common at least, to be one in two formats."""

Version = tuple[tuple[float, ...], ...]
"""The numbers of a path, folder by folder; newer is greater, and none at all is the newest."""

_NUMBERS = lazy_pattern(r"[0-9]+(?:[._-][0-9]+)*")
_ONLY_A_VERSION = lazy_pattern(r"(?:v|version|release|r)?[-_.]?#[-_.]?x?", re.IGNORECASE)
_NAMED = {
    "latest": math.inf,
    "stable": math.inf,
    "current": math.inf,
    "next": -1.0,
    "dev": -1.0,
}
_UNFINISHED = lazy_pattern(
    r"alpha|beta|rc(?![a-z])|preview|nightly|unstable|dev(?![a-z])", re.IGNORECASE
)
"""Names of unreleased versions, which come after released ones."""

LANGUAGE_CODES: Mapping[str, str] = MappingProxyType(
    {
        "arabic": "ar", "danish": "da", "dutch": "nl", "english": "en", "finnish": "fi",
        "french": "fr", "german": "de", "greek": "el", "hungarian": "hu", "italian": "it",
        "norwegian": "no", "portuguese": "pt", "romanian": "ro", "russian": "ru",
        "spanish": "es", "swedish": "sv", "tamil": "ta", "turkish": "tr",
    }
)  # fmt: skip


class _Member(NamedTuple):
    """A result, its rank from 0, its version and language, and the common name of its page."""

    rank: int
    candidate: Candidate
    version: Version
    language: str
    page: tuple[str, str]

    @property
    def edition(self) -> tuple[Version, str]:
        return self.version, self.language

    @property
    def newness(self) -> tuple[bool, Version]:
        return not self.version, self.version


def join_versions(
    candidates: Sequence[Candidate],
    read: Callable[[Entry], str | None],
    digest: Callable[[Entry], str | None],
) -> list[Candidate]:
    """Return results, best first, with versions of one another joined.

    `read` returns the readable text of a whole span, `digest` the hash of its bytes; None if it
    cannot be read. Only results with the same names are read.
    """
    called_alike: dict[tuple[str, str, str | None], list[int]] = defaultdict(list)
    for rank, (entry, *_) in enumerate(candidates):
        folders, _, name = entry.path.rpartition("/")
        kind, _ = _kind_and_version(f"{entry.tree}/{folders}")
        called_alike[kind, name, entry.title if entry.slug is not None else None].append(rank)
    groups = [_members(candidates, ranks) for ranks in called_alike.values() if len(ranks) > 1]
    if not groups:
        return sort_candidates(candidates)
    shown_candidates: list[Candidate | None] = list(candidates)
    for members in groups:
        texts = _Texts(read, digest)
        while len({member.version for member in members}) > 1:
            shown, same = _first_versions(members, texts)
            for member in same:
                shown_candidates[member.rank] = None
            if same:
                shown_candidates[shown.rank] = _joined(shown, same, texts)
            taken = {shown.rank, *(member.rank for member in same)}
            members = [member for member in members if member.rank not in taken]
    for members in groups:
        _order_by_newness(members, shown_candidates)
    return sort_candidates([candidate for candidate in shown_candidates if candidate is not None])


def _members(candidates: Sequence[Candidate], ranks: Iterable[int]) -> list[_Member]:
    return [_member(rank, candidates[rank]) for rank in ranks]


def _member(rank: int, candidate: Candidate) -> _Member:
    family, code = language_family(candidate.entry.path)
    folders, _, file = family.rpartition("/")
    kind, version = _kind_and_version(f"{candidate.entry.tree}/{folders}")
    return _Member(rank, candidate, version, code, (kind, file))


def _order_by_newness(members: Sequence[_Member], by_rank: list[Candidate | None]) -> None:
    """Reassign the scores of versions that stay separate: the newest gets the best score."""
    left = [
        member
        for member in members
        if (candidate := by_rank[member.rank]) is not None
        and candidate.entry is member.candidate.entry
    ]
    if len({member.version for member in left}) < 2:
        return
    newest = sorted(
        left,
        key=lambda member: (
            not member.newness[0],
            *(-n for numbers in member.version for n in numbers),
        ),
    )
    scores = sorted((member.candidate.score for member in left), reverse=True)
    if scores[-1] < NEARLY_AS_GOOD * scores[0]:
        return
    for member, score in zip(newest, scores, strict=True):
        candidate = by_rank[member.rank]
        assert candidate is not None, "only those that are kept are left"
        by_rank[member.rank] = candidate._replace(score=score)


def fold_translations(
    candidates: Sequence[Candidate], asked_in: Callable[[], str | None]
) -> list[Candidate]:
    """Return results, best first, each document in only one language.

    `asked_in` returns the language of the query, None if it is not clear.
    """
    families: dict[tuple[str, str], dict[str, list[Candidate]]] = {}
    for candidate in candidates:
        family, code = language_family(candidate.entry.path)
        families.setdefault((candidate.entry.tree, family), {}).setdefault(code, []).append(
            candidate
        )
    dropped: set[int] = set()
    shown: dict[int, Candidate] = {}
    for languages in families.values():
        if len(languages) < 2:
            continue
        chosen = _chosen_language(languages, LANGUAGE_CODES.get(asked_in() or "", ""))
        others = [
            candidate
            for code, translations in languages.items()
            if code != chosen
            for candidate in translations
        ]
        best = languages[chosen][0]
        dropped |= {id(candidate) for candidate in others}
        shown[id(best)] = _replacing(best, others, _firsts(others))
    if not dropped:
        return list(candidates)
    return sort_candidates(
        shown.get(id(candidate), candidate)
        for candidate in candidates
        if id(candidate) not in dropped
    )


def _chosen_language(languages: Mapping[str, Sequence[Candidate]], language: str) -> str:
    """Return the language in which a document is shown: that of the query, or else the main one.

    If the query's language is unclear, its matches decide: a title that only one language has, or
    all words in one language and some in another.
    """
    code_wanted = next(
        (code for code in languages if language and code[:2].lower() == language), None
    )
    if code_wanted is not None:
        return code_wanted
    best = min(_tier(translations[0]) for translations in languages.values())
    likely = [code for code, translations in languages.items() if _tier(translations[0]) == best]
    return "" if "" in likely else likely[0]


def _tier(candidate: Candidate) -> tuple[bool, bool]:
    return not candidate.named, candidate.relaxed


def are_of_one_page(first: Entry, other: Entry) -> bool:
    """Whether two results are of one page in several versions or languages."""
    names = [language_family(entry.path)[0].rpartition("/")[2] for entry in (first, other)]
    return names[0] == names[1]


def other_version_filter(shown: Entry, other: Entry) -> str:
    """Return the filter for the version of `other`: `path:docs/v1.2/`."""
    if shown.tree != other.tree:
        return format_query(Filter("tree", other.tree))
    known, folders = shown.path.split("/")[:-1], other.path.split("/")[:-1]
    last = next(
        (at for at, name in enumerate(folders) if known[at : at + 1] != [name]), len(folders)
    )
    if last == len(folders) and shown.path.rpartition("/")[2] != other.path.rpartition("/")[2]:
        return format_query(Filter("path", other.path))
    folder = "".join(f"{name}/" for name in folders[: last + 1])
    return format_query(Filter("path", folder or other.path))


def fold_formats(
    candidates: Sequence[Candidate], read_titles: Callable[[Entry], Iterable[str]]
) -> list[Candidate]:
    """Return results, best first, with sections of one document in several formats once.

    Of documents in which a section matches about as well, that with the fewest titles is shown,
    with all its matches there. `read_titles` gives the titles of an entry's document.
    """
    if len({splitext(candidate.entry.path)[1] for candidate in candidates}) < 2:
        return list(candidates)
    titles = _Titles(read_titles)
    sections: dict[tuple[str, str], dict[str, list[Candidate]]] = defaultdict(dict)
    for candidate in candidates:
        sections[_name_key(candidate)].setdefault(candidate.entry.path, []).append(candidate)
    by_identity = {id(candidate): candidate for candidate in candidates}
    for documents in sections.values():
        left = [*documents.values()] if len(documents) > 1 else []
        while left:
            first = left[0][0]
            are_one = [titles.are_formats(first, format_[0]) for format_ in left]
            alike = [*compress(left, are_one)]
            left = [format_ for format_, is_one in zip(left, are_one, strict=True) if not is_one]
            shown = titles.first_format(alike)
            others = [
                candidate for format_ in alike if format_ is not shown for candidate in format_
            ]
            for candidate in others:
                del by_identity[id(candidate)]
            if others:
                by_identity[id(shown[0])] = _replacing(shown[0], others, _firsts(others))
    return sort_candidates(by_identity.values())


def _firsts(candidates: Iterable[Candidate]) -> list[Entry]:
    """Return the first result of each document, with the results that are joined to it."""
    first: dict[str, Candidate] = {}
    for candidate in candidates:
        first.setdefault(candidate.entry.path, candidate)
    return [
        entry
        for candidate in first.values()
        for entry in (candidate.entry, *candidate.other_versions)
    ]


class _Titles:
    """Compares documents by their titles, which are read once, and chooses one format."""

    def __init__(self, read: Callable[[Entry], Iterable[str]]):
        self._read = read
        self._cache: dict[str, Set[str]] = {}
        self._shown: set[str] = set()

    def first_format(self, alike: Sequence[list[Candidate]]) -> list[Candidate]:
        """Return the matches to show among those in several formats of a document, best first."""
        best = alike[0][0]
        as_good = [
            format_
            for format_ in alike
            if format_[0].relaxed == best.relaxed and format_[0].score >= AS_GOOD * best.score
        ]
        shown = min(as_good, key=lambda format_: self._order(format_[0].entry))
        self._shown.add(shown[0].entry.path)
        return shown

    def _order(self, entry: Entry) -> tuple[bool, int]:
        return entry.path not in self._shown, len(self.of(entry))

    def of(self, entry: Entry) -> Set[str]:
        if entry.doc_id not in self._cache:
            self._cache[entry.doc_id] = frozenset(map(without_number, self._read(entry)))
        return self._cache[entry.doc_id]

    def are_formats(self, candidate: Candidate, other: Candidate) -> bool:
        """Whether two results are of one document, or of one version of it in two formats."""
        left, right = candidate.entry, other.entry
        if left.path == right.path:
            return True
        (stem, suffix), (stem_of_other, suffix_of_other) = map(splitext, (left.path, right.path))
        if suffix == suffix_of_other or _member(0, candidate).edition != _member(0, other).edition:
            return False
        if stem != stem_of_other and left.section_path[0] != right.section_path[0]:
            return False
        shared = len(self.of(left) & self.of(right))
        fewest = min(len(self.of(left)), len(self.of(right)))
        return shared >= max(MIN_TITLES, SAME_TITLES * fewest)


def fold_repeats(
    candidates: Sequence[Candidate],
    read: Callable[[Entry], str | None],
    digest: Callable[[Entry], str | None],
    count_chunks: Callable[[Entry], int],
) -> list[Candidate]:
    """Return results, best first, with similar sections folded into one.

    That of a document with the same title is shown, else that of the smallest: lists and pages of
    all pages repeat it. A part of another result stands for its repetitions. `read` and `digest`
    are as for `join_versions`; `count_chunks` counts those of an entry's document.
    """

    def place(member: _Member) -> tuple[bool, int]:
        entry = member.candidate.entry
        return entry.section_path[0] != entry.title, count_chunks(entry)

    called_alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for rank, candidate in enumerate(candidates):
        called_alike[_name_key(candidate)].append(rank)
    texts = _Texts(read, digest)
    by_rank = dict(enumerate(candidates))
    for ranks in called_alike.values():
        members = _members(candidates, ranks) if len(ranks) > 1 else []
        while len(members) > 1:
            first, *others = members
            alike = [first, *(other for other in others if texts.are_repeats(first, other))]
            members = [other for other in others if other not in alike]
            if len(alike) > 1:
                score = max(member.candidate.score for member in alike)
                as_good = [member for member in alike if member.candidate.score >= AS_GOOD * score]
                shown = min(as_good, key=place)
                same = [member for member in alike if member is not shown]
                for other in same:
                    del by_rank[other.rank]
                by_rank[shown.rank] = _joined(shown, same, texts)._replace(score=score)
    _fold_into_others(by_rank, texts)
    return sort_candidates(by_rank.values())


def _name_key(candidate: Candidate) -> tuple[str, str]:
    return candidate.entry.tree, without_number(candidate.entry.title)


def _fold_into_others(by_rank: dict[int, Candidate], texts: _Texts) -> None:
    """Fold each result that repeats a part of another one into that, if it scores as well."""
    holders: dict[tuple[str, str], list[tuple[int, Candidate]]] = defaultdict(list)
    for rank, whole in by_rank.items():
        for part in islice(whole.with_constituents(), 1, None):
            holders[_name_key(part)].append((rank, part))
    for rank, candidate in list(by_rank.items()) if holders else ():
        for at, part in holders.get(_name_key(candidate), ()):
            holder = by_rank.get(at)
            if holder is None or at == rank or holder.score < AS_GOOD * candidate.score:
                continue
            repeated, repeating = _member(at, part), _member(rank, candidate)
            if texts.are_repeats(repeated, repeating):
                by_rank[at] = _joined(_member(at, holder), [repeating], texts)
                del by_rank[rank]
                break


def _replacing(shown: Candidate, others: Sequence[Candidate], named: Iterable[Entry]) -> Candidate:
    """Return a result that replaces others; it lists the `named` ones."""
    return shown._replace(
        score=max(candidate.score for candidate in (shown, *others)),
        topics=topics_of((shown, *others)),
        other_versions=(*shown.other_versions, *named),
    )


def _first_versions(members: Sequence[_Member], texts: _Texts) -> tuple[_Member, list[_Member]]:
    """Return the version to show for the best match, and the others."""
    best = members[0]
    least = AS_GOOD * best.candidate.score
    as_good = [
        member
        for member in members
        if member.candidate.relaxed == best.candidate.relaxed
        and member.candidate.score >= least
        and texts.are_versions(best, member)
    ]
    shown = max([best, *as_good], key=lambda member: member.newness)
    return shown, [member for member in members if texts.are_versions(shown, member)]


def _joined(shown: _Member, same: Sequence[_Member], texts: _Texts) -> Candidate:
    """Return the result to show, with its copies and other versions."""
    copies = [member.candidate for member in same if texts.are_copies(shown, member)]
    others = [member.candidate for member in same if member.candidate not in copies]
    entries = (
        entry for candidate in others for entry in (candidate.entry, *candidate.other_versions)
    )
    joined = shown.candidate._replace(
        topics=topics_of((shown.candidate, *others)),
        other_versions=(*shown.candidate.other_versions, *entries),
    )
    return with_copies(joined, copies)


class _Texts:
    """Compares texts; each is read and split into words once."""

    def __init__(self, read: Callable[[Entry], str | None], digest: Callable[[Entry], str | None]):
        self._read = read
        self._digest = digest
        self._split: dict[Entry, frozenset[str]] = {}

    def are_versions(self, member: _Member, other: _Member) -> bool:
        if member.version == other.version:
            return False
        return self.are_copies(member, other) or self._are_nearly_the_same(member, other)

    def are_repeats(self, member: _Member, other: _Member) -> bool:
        """Whether two results have the same text, or nearly the same and more than a few words.

        Versions and translations of a page are others: of these one is chosen. In one document,
        pieces of a section go on, and a section is in that above it. What says the same scores
        about the same, and has the same kinds of blocks.
        """
        left, right = member.candidate.entry, other.candidate.entry
        if left.path == right.path and (left.slug == right.slug or _holds(left, right)):
            return False
        if member.page == other.page and member.edition != other.edition:
            return False
        if self.are_copies(member, other):
            return True
        if other.candidate.score < NEARLY_AS_GOOD * member.candidate.score:
            return False
        if left.block_types != right.block_types:
            return False
        sizes = [entry.byte_end - entry.byte_start for entry in (left, right)]
        if min(sizes) < SAME_SIZE * max(sizes) or len(self._words(member)) < MIN_WORDS:
            return False
        return self._are_nearly_the_same(member, other)

    def are_copies(self, member: _Member, other: _Member) -> bool:
        left, right = member.candidate.entry, other.candidate.entry
        if left.byte_end - left.byte_start != right.byte_end - right.byte_start:
            return False
        digest = self._digest(left)
        return digest is not None and digest == self._digest(right)

    def _are_nearly_the_same(self, member: _Member, other: _Member) -> bool:
        left, right = self._words(member), self._words(other)
        total = len(left) + len(right)
        return total > 0 and 2 * len(left & right) >= NEARLY_ALL * total

    def _words(self, member: _Member) -> frozenset[str]:
        entry = member.candidate.entry
        if entry not in self._split:
            short = entry.byte_end - entry.byte_start <= MAX_COMPARED
            text = (self._read(entry) if short else None) or ""
            self._split[entry] = frozenset(text.split())
        return self._split[entry]


def _holds(entry: Entry, other: Entry) -> bool:
    """Whether one of two chunks of a document is below the other."""
    first, last = sorted((entry, other), key=lambda entry: entry.position)
    return last.position <= first.last_position


@memo(4096)
def _kind_and_version(folders: str) -> tuple[str, Version]:
    """Return the names of folders without their versions, and the versions.

    >>> _kind_and_version("fastify/docs/v5.6.x"), _kind_and_version("apt/llvm-15/latest")
    (('fastify/docs', ((5.0, 6.0),)), ('apt/llvm-#', ((15.0,), (inf,))))
    """
    kinds, version = [], []
    for name in folders.split("/"):
        kind, numbers = _read_name(name)
        if kind:
            kinds.append(kind)
        if numbers:
            version.append(numbers)
    return "/".join(kinds), tuple(version)


def _read_name(name: str) -> tuple[str, tuple[float, ...]]:
    """Return a folder's name without its version ("" if it is one), and the version's numbers.

    Docusaurus keeps the versions of `docs` in `versioned_docs`.
    """
    named = _NAMED.get(name.lower())
    if named is not None:
        return "", (named,)
    kind = _NUMBERS.sub("#", name)
    if kind == name:
        return name.removeprefix("versioned_"), ()
    numbers = re.findall("[0-9]+", name)
    if _UNFINISHED.search(name):
        return "", (-1.0, *map(float, numbers))
    return "" if _ONLY_A_VERSION.fullmatch(kind) else kind, tuple(map(float, numbers))
