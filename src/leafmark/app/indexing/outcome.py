"""The outcome of a run of the index, and the notes about its sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leafmark.app.indexing.scanning import Scan, grammar_notes, is_below
from leafmark.app.indexing.source_changes import EMPTIED
from leafmark.app.sources.walk import EMPTY
from leafmark.index import IndexReader, Manifest
from leafmark.model import (
    LEFT_OUT,
    CompressedList,
    Diagnostic,
    DocumentKey,
    IndexReport,
    Skipped,
    document_id,
)


class Outcome:
    """The outcome of a run so far; lists hold ids of documents, `unchanged` counts them.

    `unread` has diagnostics for documents that are kept although their files cannot be read.
    """

    def __init__(self, unchanged: int = 0):
        self.added = CompressedList[str]()
        self.modified = CompressedList[str]()
        self.removed = CompressedList[str]()
        self.unchanged = unchanged
        self.unread: list[Diagnostic] = []


def is_document(manifest: Manifest, key: DocumentKey) -> bool:
    """Say whether a source is in the index with chunks; one without text has only a row."""
    return key in manifest and manifest[key].chunks > 0


def report_of(
    outcome: Outcome, scan: Scan, reader: IndexReader | None, *, dry_run: bool = False
) -> IndexReport:
    """Return the report of an outcome, with the notes about all sources."""
    skipped, diagnostics = source_notes(scan, reader)
    return IndexReport(
        added=tuple(sorted(outcome.added)),
        modified=tuple(sorted(outcome.modified)),
        removed=tuple(sorted(outcome.removed)),
        unchanged=outcome.unchanged,
        skipped=skipped,
        diagnostics=(*outcome.unread, *diagnostics),
        documents=reader.meta.documents if reader is not None else 0,
        chunks=reader.meta.chunks if reader is not None else 0,
        dry_run=dry_run,
    )


def source_notes(
    scan: Scan, reader: IndexReader | None
) -> tuple[tuple[Skipped, ...], tuple[Diagnostic, ...]]:
    """Return the sources left out of the scan, and the diagnostics of all sources.

    Both come from the scan and the index. A file that a walk leaves out is not among the former if
    it is indexed because the user named it once.
    """
    skipped = list(scan.notes.skipped)
    left_out = {skip.path: skip for skip in skipped}
    diagnostics = [*grammar_notes(scan.sources), *scan.notes.diagnostics]
    diagnostics += [_with_fate(name, note, reader) for name, note in scan.missing.items()]
    if reader is None:
        return tuple(skipped), tuple(diagnostics)
    for key, row in reader.manifest.items():
        if key[1] in left_out and row.chunks and _was_named(reader, key):
            skipped.remove(left_out.pop(key[1]))
        if row.chunks and not row.noted:
            continue
        notes = _notes(reader, key) if row.noted else ()
        diagnostics += [note for note in notes if note.code not in LEFT_OUT]
        if scan.scope is None or is_below(*key, scan.scope):
            skipped += _skipped(notes) if row.noted else [Skipped(key[1], EMPTY)]
    return tuple(skipped), tuple(diagnostics)


def _skipped(notes: Iterable[Diagnostic]) -> list[Skipped]:
    """Return the reasons in the notes of an indexed source why it has no chunks."""
    return [Skipped(note.path, LEFT_OUT[note.code]) for note in notes if note.code in LEFT_OUT]


def _with_fate(tree: str, note: Diagnostic, reader: IndexReader | None) -> Diagnostic:
    """Return a note about a missing tree that says what happens to its documents.

    If the index was rebuilt without the tree, there are none to keep.
    """
    if note.code == EMPTIED:
        return note
    is_kept = reader is not None and tree in reader.trees
    fate = "its documents are kept" if is_kept else "its documents are indexed when it is back"
    return note._replace(message=f"{note.message}; {fate}")


def _was_named(reader: IndexReader, key: DocumentKey) -> bool:
    entry = reader.document(document_id(*key))
    return entry is not None and entry.named


def _notes(reader: IndexReader, key: DocumentKey) -> Sequence[Diagnostic]:
    entry = reader.document(document_id(*key))
    return () if entry is None else entry.diagnostics
