"""What a run of the index did, and what is known of the sources that have a note."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from leafmark.app.grammars import grammar_notes
from leafmark.app.scanning import Scan
from leafmark.index import IndexReader
from leafmark.model import LEFT_OUT, Diagnostic, IndexReport, Packed, Skipped
from leafmark.model.ids import document_id

__all__ = ["Outcome", "report_of", "source_notes"]


@dataclass(slots=True)
class Outcome:
    """What a run has done so far; lists hold document ids."""

    added: Packed[str] = field(default_factory=Packed)
    modified: Packed[str] = field(default_factory=Packed)
    removed: Packed[str] = field(default_factory=Packed)
    unchanged: int = 0


def report_of(
    outcome: Outcome, found: Scan, reader: IndexReader | None, *, dry_run: bool = False
) -> IndexReport:
    """Put what was done together with what is known of every source that has a note."""
    skipped, diagnostics = source_notes(found, reader)
    return IndexReport(
        added=tuple(sorted(outcome.added)),
        modified=tuple(sorted(outcome.modified)),
        removed=tuple(sorted(outcome.removed)),
        unchanged=outcome.unchanged,
        skipped=skipped,
        diagnostics=diagnostics,
        documents=reader.meta.documents if reader is not None else 0,
        chunks=reader.meta.chunks if reader is not None else 0,
        dry_run=dry_run,
    )


def source_notes(
    found: Scan, reader: IndexReader | None
) -> tuple[tuple[Skipped, ...], tuple[Diagnostic, ...]]:
    """Return what was left out, and what is known of sources, by this scan and by the index."""
    notes = list(_noted(reader)) if reader is not None else []
    left_out = [Skipped(note.path, LEFT_OUT[note.code]) for note in notes if note.code in LEFT_OUT]
    told = [note for note in notes if note.code not in LEFT_OUT]
    told = [*grammar_notes(found.found), *found.notes.diagnostics, *told]
    return (*found.notes.skipped, *left_out), tuple(told)


def _noted(reader: IndexReader) -> Iterable[Diagnostic]:
    for (tree, path), row in reader.manifest.items():
        if row.noted:
            entry = reader.document(document_id(tree, path))
            if entry is not None:
                yield from entry.diagnostics
