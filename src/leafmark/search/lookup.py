"""Find the chunks that a name means: an id, an ordinal or a citation, with or without a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from leafmark.index import Snapshot
from leafmark.index.folding import id_spellings
from leafmark.model import PREAMBLE, DocumentEntry, Entry, encode_path
from leafmark.search.citations import cited_ids

_OWN_TEXT = f"#{PREAMBLE}"


class Lookup(Protocol):
    """The part of an index snapshot that chunks are looked up in."""

    def document(self, doc_id: str) -> DocumentEntry | None: ...
    def entry(self, doc_id: str, position: int) -> Entry | None: ...
    def find(self, doc_id: str, slug: str | None, piece: int = 0) -> Entry | None: ...


def find_chunks(snapshot: Snapshot, name: str) -> list[Entry]:
    """Return the chunk with this id; if there is none, the chunks that it names in any tree.

    A citation names the chunk that it cites. A `#preamble` is the document, cut where its
    sections begin.
    """
    written = name.removeprefix("./")
    forms = (written, *cited_ids(written), with_slashes(name))
    names = dict.fromkeys(spelling for form in forms for spelling in id_spellings(form))
    for chunk_id in names:
        entry = find_chunk(snapshot, chunk_id)
        if entry is not None:
            return [_without_sections(snapshot, entry, chunk_id)]
    trees = sorted(snapshot.tree_names)
    return [
        _without_sections(snapshot, entry, chunk_id)
        for tree in trees
        for chunk_id in names
        if (entry := find_chunk(snapshot, f"{tree}:{chunk_id}")) is not None
    ]


def _without_sections(snapshot: Snapshot, entry: Entry, chunk_id: str) -> Entry:
    """Return the entry; for a preamble (`#preamble`), narrowed to end where the sections begin."""
    if entry.kind != "document" or not chunk_id.endswith(_OWN_TEXT):
        return entry
    last = entry.position
    for chunk in snapshot.chunks_of(entry.doc_id)[1:]:
        if chunk.kind != "piece" or chunk.covers:
            break
        last = chunk.position
    return entry._replace(last_position=last)


def find_chunk(lookup: Lookup, chunk_id: str) -> Entry | None:
    """Return the chunk with a whole id or ordinal id; None if there is none."""
    entries = (chunk_in_document(lookup, *reading) for reading in readings(chunk_id))
    return next((chunk for chunk in entries if chunk is not None), None)


def with_slashes(name: str) -> str:
    r"""Return a name with `/` for the `\` of Windows paths, as ids have it.

    >>> with_slashes(r".\guides\install.md#setup")
    'guides/install.md#setup'
    """
    return name.replace("\\", "/").removeprefix("./")


def readings(name: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to read `name` as a document and the rest; first, all of it as a document.

    Each path is tried as it is, and encoded as in ids.
    """
    readings = [(name, "")]
    for sign in "#~":
        head, separator, rest = name.partition(sign)
        if separator:
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


def chunk_in_document(lookup: Lookup, doc_id: str, rest: str) -> Entry | None:
    """Return the chunk that `rest` names in a document: nothing, `#slug`, `~k`, both or `.N`."""
    if rest.startswith("."):
        return lookup.entry(doc_id, int(rest[1:]))
    slug = rest[1:] if rest.startswith("#") else None
    head, tilde, piece = rest.rpartition("~")
    if tilde and piece.isascii() and piece.isdecimal() and len(piece) < 10:
        entry = lookup.find(doc_id, head[1:] if head else None, int(piece))
        if entry is not None or slug is None:
            return entry
    if rest and slug is None:
        return None
    entry = chunk_with_slug(lookup, doc_id, slug)
    return lookup.entry(doc_id, 0) if entry is None and slug == PREAMBLE else entry


def chunk_with_slug(lookup: Lookup, doc_id: str, slug: str | None) -> Entry | None:
    """Return the chunk with a slug (None: the document), or the one that holds that heading.

    Discarded headings have slugs too, but no chunk of their own.
    """
    entry = lookup.find(doc_id, slug)
    if entry is not None or slug is None:
        return entry
    document = lookup.document(doc_id)
    position = None if document is None else document.slugs.get(slug)
    return None if position is None else lookup.entry(doc_id, position)
