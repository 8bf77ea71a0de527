"""What an indexing run did, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leafmark.model import GENERATED, LEFT_OUT, IndexReport, count_of
from leafmark.render.errors import error_record
from leafmark.render.jsontext import SCHEMA_VERSION
from leafmark.render.records import diagnostic_record, skipped_records
from leafmark.render.terminal import Style, clean_line

__all__ = ["index_record", "render_index"]


def render_index(report: IndexReport, style: Style, *, verbose: bool = False) -> str:
    """Return the summary of a run; with `verbose`, the documents that it touched before it."""
    lines = []
    if verbose:
        lines += _changes("+", report.added) + _changes("~", report.modified)
        lines += _changes("-", report.removed)
        lines += [
            f"  {clean_line(skipped.path)}: skipped, {clean_line(skipped.reason)}"
            for skipped in report.skipped
        ]
    if report.rebuilt:
        lines.append(f"rebuilt: {clean_line(report.rebuilt)}")
    size = f"{count_of(report.documents, 'document')}, {count_of(report.chunks, 'chunk')}"
    done = f"indexed {style.bold(size)} in {report.seconds:.1f} s"
    lines.append("nothing was changed; a run would see" if report.dry_run else done)
    lines.append(f"  {_counts(report)}")
    generated = sum(one.reason == LEFT_OUT[GENERATED] for one in report.skipped)
    if generated:
        lines.append(
            f"  {count_of(generated, 'file')} {'is' if generated == 1 else 'are'} generated code "
            "(minified, bundled, a search index, or of a built site) and left out; -v lists them"
        )
    return "\n".join(lines) + "\n"


def _counts(report: IndexReport) -> str:
    counts = [
        f"{len(report.added):,} added",
        f"{len(report.modified):,} modified",
        f"{len(report.removed):,} removed",
        f"{report.unchanged:,} unchanged",
    ]
    if report.skipped:
        counts.append(f"{len(report.skipped):,} skipped")
    if report.vectors:
        counts.append(f"{count_of(report.vectors, 'vector')} made")
    if report.diagnostics:
        counts.append(count_of(len(report.diagnostics), "diagnostic"))
    return ", ".join(counts)


def _changes(mark: str, ids: Sequence[str]) -> list[str]:
    return [f"  {mark} {clean_line(name)}" for name in ids]


def index_record(report: IndexReport) -> dict[str, Any]:
    """Return the index object."""
    return {
        "schema_version": SCHEMA_VERSION,
        "added": list(report.added),
        "modified": list(report.modified),
        "removed": list(report.removed),
        "unchanged": report.unchanged,
        "skipped": skipped_records(report.skipped),
        "diagnostics": [diagnostic_record(diagnostic) for diagnostic in report.diagnostics],
        "documents": report.documents,
        "chunks": report.chunks,
        "seconds": round(report.seconds, 3),
        "rebuilt": report.rebuilt,
        "dry_run": report.dry_run,
        "interrupted": report.interrupted,
        "vectors": report.vectors,
        "pending_vectors": report.pending_vectors,
        "warnings": list(report.warnings),
        "failure": None if report.failure is None else error_record(report.failure)["error"],
    }
