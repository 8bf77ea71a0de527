"""Resolve what a user writes as an id: id, bare path, `path#slug`, `path.N`, `path:LINE`, citation.

The forms are tried in that order; one that fits several documents is an error that lists them. No
file is opened by its path: only what is indexed exists.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from posixpath import normpath
from typing import Protocol

from leafmark.app.configuration.project import Project
from leafmark.app.sources.contents import refuse_contents
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.folders import Tree, is_encodable
from leafmark.app.sources.walk import EMPTY, SPECIAL, why_left_out
from leafmark.errors import AmbiguousError, NotFoundError, Remedy, reason_of
from leafmark.index.folding import id_spellings
from leafmark.model import LEFT_OUT, Entry, Skipped, document_id, encode_path, ordinal_id
from leafmark.namedtuples import NamedTuple
from leafmark.search import lookup
from leafmark.search.citations import cited_ids
from leafmark.suggest import MAX_SUGGESTED

LIKENESS = 0.6
"""The least similarity of a suggested id: difflib's own measure of a close match."""

MIN_PART = 3
"""The least number of characters of a part of an id that suggests the id; chosen by eye."""

SAME_NAME = 0.3
"""Added to the similarity if the file or section name is the same; chosen by eye."""


_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4}))")
"""How a character that could change a terminal is printed in an id."""

_LINES = re.compile(r"(.+?):([0-9]{1,9})(?:-([0-9]{1,9}))?(?::[0-9]{1,9})?:?")
"""A place as `grep`, compilers and editors print it: a line or several, perhaps a column."""

_SHORT_ORDINAL = re.compile(r"\.[0-9]+")


class Lookup(lookup.Lookup, Protocol):
    """The part of an index reader that a resolver needs."""

    def chunks_of(self, doc_id: str) -> list[Entry]: ...


class Named(NamedTuple):
    """The chunk that an id names.

    `slug` is that of a further heading in the chunk, if the id names one; `own` says that the id
    names lines of the chunk's own text.
    """

    entry: Entry
    slug: str | None = None
    own: bool = False


class Resolver:
    """Looks ids up in one snapshot of the index; `documents` are the (tree, path) of all."""

    def __init__(self, lookup: Lookup, documents: Iterable[tuple[str, str]]):
        self._lookup = lookup
        self._doc_ids: dict[str, None] = {}
        self._by_path: dict[str, list[str]] = {}
        for tree, path in documents:
            doc_id = document_id(tree, path)
            self._doc_ids[doc_id] = None
            self._by_path.setdefault(doc_id[len(tree) + 1 :], []).append(doc_id)

    def look_up(self, reference: str) -> Named:
        """Return the chunk that `reference` names, with the slug or own text if it names these.

        Raises as `resolve` does.
        """
        entry = self.resolve(reference)
        names = tuple(_spellings(reference))
        slug = self._slug_within(names, entry)
        return Named(entry, slug, any(self._is_in_own_text(name, entry) for name in names))

    def resolve(self, reference: str) -> Entry:
        """Return the chunk that `reference` names.

        Raises:
            AmbiguousError: it fits several chunks; the error lists their ids.
            NotFoundError: it fits none; `did_you_mean` has the nearest ids.
        """
        for name in _spellings(reference):
            for entries in self._forms(name):
                if len(entries) > 1:
                    ids = tuple(entry.id for entry in entries)
                    raise AmbiguousError(
                        f"{reference!r} fits {len(ids)} chunks",
                        candidates=ids,
                        hint="name one of them: " + ", ".join(ids),
                    )
                if entries:
                    return entries[0]
        nearest = self.nearest(reference)
        raise NotFoundError(
            f"nothing indexed is called {reference!r}",
            did_you_mean=nearest,
            hint=None if nearest else hint_for(reference),
            exit_code=1,
        )

    def _forms(self, name: str) -> Iterator[list[Entry]]:
        """Yield the chunks that each form of `name` fits, in the order of the forms."""
        for doc_id, rest in lookup.readings(name):
            if doc_id in self._doc_ids:
                yield self._in_documents([doc_id], rest)
        for path, rest in lookup.readings(name):
            if path in self._by_path:
                yield self._in_documents(self._by_path[path], rest)
        for doc_ids, first, last in self._lines(name):
            entries = (self._at_lines(doc_id, first, last) for doc_id in doc_ids)
            yield [entry for entry in entries if entry is not None]

    def _lines(self, name: str) -> Iterator[tuple[list[str], int, int]]:
        """Yield the documents, first and last lines that `name` may mean."""
        place = _LINES.fullmatch(name)
        if place is None:
            return
        for path in dict.fromkeys((place[1], encode_path(place[1]))):
            doc_ids = [path] if path in self._doc_ids else self._by_path.get(path, [])
            yield doc_ids, int(place[2]), int(place[3] or place[2])

    def _at_lines(self, doc_id: str, first: int, last: int) -> Entry | None:
        """Return the smallest chunk with these lines, up to the document's last line, else None."""
        chunks = self._lookup.chunks_of(doc_id)
        end = min(last, chunks[0].line_end) if chunks else 0
        if not 0 < first <= end:
            return None
        holding = [chunk for chunk in chunks if chunk.line_start <= first and end <= chunk.line_end]
        return max(holding, key=lambda chunk: (chunk.depth, -chunk.position), default=None)

    def _is_in_own_text(self, name: str, entry: Entry) -> bool:
        """Say whether `name` is a place in a chunk's own text, outside the chunks below it."""
        below = self._lookup.chunks_of(entry.doc_id)[entry.position + 1 : entry.last_position + 1]
        return any(
            entry.line_start < first or entry.heading_start is None
            for doc_ids, first, last in self._lines(name)
            if below and entry.doc_id in doc_ids
            if all(last < chunk.line_start or chunk.line_end < first for chunk in below)
        )

    def _in_documents(self, doc_ids: list[str], rest: str) -> list[Entry]:
        entries = (lookup.chunk_in_document(self._lookup, doc_id, rest) for doc_id in doc_ids)
        return [entry for entry in entries if entry is not None]

    def _slug_within(self, names: Iterable[str], entry: Entry) -> str | None:
        """Return the further slug of a chunk that one of the names has, else None."""
        document = self._lookup.document(entry.doc_id)
        others = {} if document is None else document.slugs
        for name in names:
            for _, rest in lookup.readings(name):
                if rest.startswith("#") and others.get(rest[1:]) == entry.position:
                    return rest[1:]
        return None

    def nearest(self, name: str) -> tuple[str, ...]:
        """Return the ids most like `name`, best first: of its document, else among documents."""
        name = name.strip().removeprefix("./")
        place = _LINES.fullmatch(name)
        if place is not None:
            name = place[1]
        for form in dict.fromkeys((name, lookup.with_slashes(name))):
            for head, _ in lookup.readings(form):
                named = [head] if head in self._doc_ids else self._by_path.get(head, [])
                if named:
                    return _closest(form, self._chunk_ids(named, pieces="~" in form))
        name = lookup.with_slashes(name)
        documents = _closest(name.partition("#")[0], list(self._doc_ids))
        if "#" in name:
            return _closest(name, self._chunk_ids(documents, pieces="~" in name)) or documents
        # `tcp.7` is part of `tcp.7.txt`
        if any(name.lower() in doc_id.lower() for doc_id in documents):
            return documents
        return self._at_ordinal(name) or documents

    def _at_ordinal(self, name: str) -> tuple[str, ...]:
        """Return the ordinal ids with the number of `path.N`, in documents like that path."""
        stem, _, number = name.rpartition(".")
        if not (stem and number.isascii() and number.isdecimal() and len(number) < 10):
            return ()
        documents = _closest(stem, list(self._doc_ids))
        return tuple(
            ordinal_id(doc_id, int(number))
            for doc_id in documents
            if self._lookup.entry(doc_id, int(number))
        )

    def _chunk_ids(self, doc_ids: Iterable[str], *, pieces: bool) -> list[str]:
        """Return the ids in documents; without `pieces` only of whole sections."""
        return [
            entry.id
            for doc_id in doc_ids
            for entry in self._lookup.chunks_of(doc_id)
            if pieces or not entry.piece
        ]


def hint_for(reference: str) -> str:
    """Return a hint for a reference without any similar id."""
    if _SHORT_ORDINAL.fullmatch(reference):
        return f"write the document before it: path{reference}"
    return Remedy("list-ids", "give an id as answers show it")


def _spellings(reference: str) -> Iterator[str]:
    """Yield the spellings of a reference to try: unchanged first, as a file name may have spaces.

    Then stripped, and with the escapes resolved that stand for control characters in output; with
    letters and their marks in other Unicode forms; the ids of a citation; and with `/` for `\\`,
    which Windows writes but a file name elsewhere may contain.
    """
    plain = reference.strip().removeprefix("./")
    unescaped = _ESCAPE.sub(lambda code: chr(int(code[1] or code[2], 16)), plain)
    yield from dict.fromkeys((reference, plain, unescaped))
    if not plain.isascii():
        yield from id_spellings(plain)
    for cited in cited_ids(plain):
        yield from id_spellings(cited)
    if "\\" in plain:
        yield from id_spellings(lookup.with_slashes(plain))


def _closest(name: str, ids: list[str]) -> tuple[str, ...]:
    """Return the ids with `name` as a part, the shortest first; else the most similar ids.

    A name without a tree is compared with the part of each id after its tree. The cheap tests
    come first, so that many ids cost little.
    """
    lowered = name.lower()
    if len(lowered) >= MIN_PART:
        whole = [chunk_id for chunk_id in ids if lowered in chunk_id.lower()]
        if whole:
            return tuple(sorted(whole, key=lambda name: (len(name), name))[:MAX_SUGGESTED])
    tail = lowered.rpartition("/")[2]
    letters = set(tail)
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(lowered)
    scored = []
    for candidate in ids:
        low = candidate.lower()
        if ":" not in lowered:
            low = low.partition(":")[2]
        end = low.rpartition("/")[2]
        if len(letters & set(end)) * 2 < len(letters):
            continue
        matcher.set_seq1(low)
        if matcher.real_quick_ratio() < LIKENESS or matcher.quick_ratio() < LIKENESS:
            continue
        ratio = matcher.ratio() + (SAME_NAME if tail and tail in end else 0)
        if ratio >= LIKENESS:
            scored.append((-ratio, candidate))
    return tuple(candidate for _, candidate in sorted(scored)[:MAX_SUGGESTED])


# Explain why an existing file is not indexed, when a user names it by its path.


_LINE_SUFFIX = re.compile(r":[0-9]+(-[0-9]+)?$")
_LASTING = ("special", "broken", "link", "binary", EMPTY, "permission", ".")
"""Beginnings of reasons that also hold for a named file; `.` begins the suffix of a format."""


def explain_unread(project: Project, reference: str) -> NotFoundError | None:
    """Return an explanation for an id or path of which nothing is indexed.

    None unless it is a folder in the project's trees or a file that is left out.
    """
    if not is_encodable(reference):
        return None
    name = _LINE_SUFFIX.sub("", reference.strip().removeprefix("./").partition("#")[0])
    for tree in project.trees:
        path = name.removeprefix(f"{tree.name}:").replace(os.sep, "/")
        if os.path.isabs(path):
            path = os.path.relpath(path, tree.root).replace(os.sep, "/")
        if not path or ".." in path.split("/"):
            continue
        path = normpath(path)
        left_out = None if path == "." else why_left_out(tree, path) or _refused(tree, path)
        is_open = left_out is None or left_out.reason == SPECIAL
        if is_open and os.path.isdir(os.path.join(tree.root, path)):
            return NotFoundError(
                f"`{reference}` is a folder",
                hint=Remedy("folder", "name a document in it", path=path),
                exit_code=1,
            )
        if left_out is None:
            continue
        holder = "" if left_out.path == path else f" (its folder `{left_out.path}`)"
        reason = left_out.reason
        is_told = reason.startswith(".")  # the reason itself says that its format is not read
        return NotFoundError(
            f"`{reference}` is there, but {'' if is_told else 'is not read: '}{reason}{holder}",
            hint=_hint(reason, path),
            exit_code=1,
        )
    return None


def _refused(tree: Tree, path: str) -> Skipped | None:
    """Return why the content of a file is refused or unreadable, else None."""
    try:
        data = read_beneath(tree, path)[0]
    except OSError as error:
        is_there = os.path.isfile(os.path.join(tree.root, path))
        return Skipped(path, reason_of(error)) if is_there else None
    note = refuse_contents(tree, path, data)
    if note is not None:
        return Skipped(path, LEFT_OUT[note.code])
    return None if data.strip() else Skipped(path, EMPTY)


def _hint(reason: str, path: str) -> str | None:
    if reason.startswith("larger"):
        return "a larger index.max_file_bytes includes it"
    if reason == "secret":
        return "only a pattern with `!` in your own configuration includes possible secrets"
    if reason.startswith(_LASTING):
        return None
    return Remedy("take-in", "name it, and it is indexed", path=path)
