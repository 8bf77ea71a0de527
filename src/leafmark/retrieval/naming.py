"""Names to chunks: an id, an ordinal, a citation, or one of them without its tree."""

from __future__ import annotations

import re

from leafmark.index import IndexReader, id_spellings
from leafmark.model import Entry
from leafmark.model.ids import document_part
from leafmark.retrieval.citations import cited_ids

__all__ = ["find_chunk", "find_chunks"]

_ORDINAL = re.compile(r"(.+)\.([0-9]{1,9})", re.DOTALL)


def find_chunks(reader: IndexReader, name: str) -> list[Entry]:
    """Return the chunk with a whole id, else those that it names without a tree.

    A citation names the chunk that it is of.
    """
    written = name.removeprefix("./")
    names = [each for form in (written, *cited_ids(written)) for each in id_spellings(form)]
    for wanted in names:
        found = find_chunk(reader, wanted)
        if found is not None:
            return [found]
    trees = sorted(reader.tree_names)
    named = (find_chunk(reader, f"{tree}:{wanted}") for tree in trees for wanted in names)
    return [entry for entry in named if entry is not None]


def find_chunk(reader: IndexReader, chunk_id: str) -> Entry | None:
    """Return the chunk with a whole id, slug or ordinal; None where there is none.

    A slug of a discarded heading gives the chunk that it resolves to.
    """
    found = _by_slug(reader, chunk_id)
    if found is not None:
        return found
    ordinal = _ORDINAL.fullmatch(chunk_id)
    return reader.entry(ordinal[1], int(ordinal[2])) if ordinal else None


def _by_slug(reader: IndexReader, chunk_id: str) -> Entry | None:
    doc_id = document_part(chunk_id)
    rest = chunk_id[len(doc_id) :]
    slug = rest[1:] if rest.startswith("#") else None
    if slug is not None and (found := reader.find(doc_id, slug)):
        return found
    name, mark, number = rest.rpartition("~")
    if mark and number.isdecimal() and len(number) < 10:
        return reader.find(doc_id, name[1:] if name else None, int(number))
    if not rest:
        return reader.entry(doc_id, 0)
    document = reader.document(doc_id)
    position = document.slugs.get(slug or "") if document else None
    return None if position is None else reader.entry(doc_id, position)
