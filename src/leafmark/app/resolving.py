"""What a user means by an id: exact id, bare path, `path#slug`, or `path.N`.

Ids are looked up whole, in that order; a form that fits several documents is an
error that lists them. Nothing is joined to a path and opened: what the index
does not know does not exist.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Protocol

from leafmark.errors import AmbiguousError, NotFoundError
from leafmark.model import DocumentEntry, Entry
from leafmark.model.ids import document_id, encode_path

__all__ = ["Lookup", "Resolver"]

PREAMBLE = "preamble"
NEAREST = 3
"""How many near ids an error names."""

LIKENESS = 0.6
"""Ids less alike than this are not named: difflib's own measure of a close match."""

SAME_NAME = 0.3
"""Added where the file or section name is the same in another place; chosen by eye."""


class Lookup(Protocol):
    """The part of an index reader that ids are looked up in."""

    def document(self, doc_id: str) -> DocumentEntry | None: ...
    def entry(self, doc_id: str, position: int) -> Entry | None: ...
    def find(self, doc_id: str, slug: str | None, piece: int = 0) -> Entry | None: ...
    def chunks_of(self, doc_id: str) -> list[Entry]: ...


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

    def resolve(self, wanted: str) -> Entry:
        """Return the chunk that `wanted` names.

        Raises:
            AmbiguousError: several chunks have that path; it lists their ids.
            NotFoundError: none has; `did_you_mean` holds the nearest ids.
        """
        name = wanted.strip().removeprefix("./")
        for found in self._forms(name):
            if len(found) > 1:
                ids = tuple(entry.id for entry in found)
                raise AmbiguousError(
                    f"{wanted!r} fits {len(ids)} chunks",
                    candidates=ids,
                    hint="name one of them: " + ", ".join(ids),
                )
            if found:
                return found[0]
        nearest = self.nearest(name)
        raise NotFoundError(
            f"nothing indexed is called {wanted!r}",
            did_you_mean=nearest,
            hint="did you mean " + " or ".join(nearest) + "?" if nearest else None,
            exit_code=1,
        )

    def _forms(self, name: str) -> Iterator[list[Entry]]:
        """What each reading of `name` fits, in the order in which readings are tried."""
        for doc_id, rest in _readings(name):
            if doc_id in self._doc_ids:
                yield self._in_documents([doc_id], rest)
        for path, rest in _readings(name):
            if path in self._by_path:
                yield self._in_documents(self._by_path[path], rest)

    def _in_documents(self, doc_ids: list[str], rest: str) -> list[Entry]:
        found = (self._in_document(doc_id, rest) for doc_id in doc_ids)
        return [entry for entry in found if entry is not None]

    def _in_document(self, doc_id: str, rest: str) -> Entry | None:
        """The chunk of one document that `rest` names: nothing, `#slug`, `~k`, both or `.N`."""
        if rest.startswith("."):
            return self._lookup.entry(doc_id, int(rest[1:]))
        slug = rest[1:] if rest.startswith("#") else None
        head, tilde, piece = rest.rpartition("~")
        if tilde and piece.isascii() and piece.isdecimal() and len(piece) < 10:
            found = self._lookup.find(doc_id, head[1:] if head else None, int(piece))
            if found is not None or slug is None:
                return found
        if rest and slug is None:
            return None
        return self._lookup.find(doc_id, slug) or self._by_other_slug(doc_id, slug)

    def _by_other_slug(self, doc_id: str, slug: str | None) -> Entry | None:
        """The chunk that a discarded heading's slug resolves to."""
        document = self._lookup.document(doc_id)
        if document is None or slug is None:
            return None
        position = document.slugs.get(slug)
        if position is None and slug == PREAMBLE:
            position = 0
        return None if position is None else self._lookup.entry(doc_id, position)

    def nearest(self, name: str) -> tuple[str, ...]:
        """The ids most like `name`, best first: in the document named, else among documents."""
        for head, _ in _readings(name):
            named = [head] if head in self._doc_ids else self._by_path.get(head, [])
            if named:
                return _closest(name, self._chunk_ids(named))
        documents = _closest(name.partition("#")[0], list(self._doc_ids))
        if "#" not in name:
            return documents
        return _closest(name, self._chunk_ids(documents)) or documents

    def _chunk_ids(self, doc_ids: Iterable[str]) -> list[str]:
        return [entry.id for doc_id in doc_ids for entry in self._lookup.chunks_of(doc_id)]


def _readings(name: str) -> Iterator[tuple[str, str]]:
    """Ways to read `name` as a document and what follows it, the whole as a document first.

    A path typed as it is on disk is tried in the form that ids have, too.
    """
    readings = [(name, "")]
    for sign in "#~":
        head, found, rest = name.partition(sign)
        if found:
            readings.append((head, sign + rest))
            head, _, rest = name.rpartition(sign)  # a path typed as it is may hold the sign, too
            readings.append((head, sign + rest))
            break
    stem, dot, number = name.rpartition(".")
    if dot and number.isascii() and number.isdecimal() and len(number) < 10:
        readings.append((stem, f".{number}"))
    for head, rest in readings:
        yield head, rest
        if encode_path(head) != head:
            yield encode_path(head), rest


def _closest(name: str, ids: list[str]) -> tuple[str, ...]:
    """The nearest of `ids`; the cheap tests come first, so many ids are no burden.

    A name without a tree is compared with what follows the tree in each id.
    """
    wanted = name.lower()
    tail = wanted.rpartition("/")[2]
    letters = set(tail)
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    scored = []
    for candidate in ids:
        low = candidate.lower()
        if ":" not in wanted:
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
    return tuple(candidate for _, candidate in sorted(scored)[:NEAREST])
