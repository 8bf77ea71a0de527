"""Lists and states: trees, documents, chunks, tags, the index, the settings in force."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from leafmark.model import (
    CompressedList,
    DocumentEntry,
    Entry,
    SettingOrigin,
    StatusReport,
    TreeStatus,
    count_of,
    decodable,
)
from leafmark.render.jsontext import SCHEMA_VERSION
from leafmark.render.names import joined_titles, version_and_tags
from leafmark.render.records import diagnostic_record, entry_record, skipped_records
from leafmark.render.terminal import Style, clean_line, display_width, fold

__all__ = [
    "iter_chunk_lines",
    "iter_document_lines",
    "iter_tag_lines",
    "iter_tree_lines",
    "listing_record",
    "listing_rows",
    "render_settings",
    "render_status",
    "settings_record",
    "status_record",
]


_WIDE = 48
"""Columns past which a cell is unusually wide; chosen by eye."""


def _iter_table(rows: Iterable[Sequence[str]], style: Style) -> Iterator[str]:
    """Yield rows in columns, aligned by what they take on a terminal; the last one as it comes.

    A cell that is wider than most would push all rows apart: it only pushes its own.
    """
    kept = CompressedList[tuple[str, ...]]()
    found: list[Counter[int]] = []
    for row in rows:
        kept.append(tuple(row))
        found = found or [Counter() for _ in row[:-1]]
        for counted, cell in zip(found, row, strict=False):
            counted[display_width(cell)] += 1
    widths = [_column_width(counted) for counted in found]
    for row in kept:
        cells = [
            cell + " " * max(0, width - display_width(cell))
            for cell, width in zip(row[:-1], widths, strict=True)
        ]
        yield "  ".join([*cells, style.dim(row[-1])]).rstrip() + "\n"


def _column_width(widths: Collection[int]) -> int:
    """The widest cell among those that are not unusually wide."""
    return max([width for width in widths if width <= _WIDE], default=min(widths))


def iter_tree_lines(trees: Iterable[TreeStatus], style: Style) -> Iterator[str]:
    return _iter_table(
        (
            (
                clean_line(tree.name),
                count_of(tree.documents, "document"),
                count_of(tree.chunks, "chunk"),
                tree.scope,
                clean_line(tree.path) + (" (missing)" if tree.missing else ""),
            )
            for tree in trees
        ),
        style,
    )


def iter_document_lines(documents: Iterable[DocumentEntry], style: Style) -> Iterator[str]:
    return _iter_table(
        (
            (
                clean_line(document.doc_id),
                count_of(document.chunk_count, "chunk"),
                fold(document.title) + version_and_tags(document),
            )
            for document in documents
        ),
        style,
    )


def iter_chunk_lines(chunks: Iterable[Entry], style: Style) -> Iterator[str]:
    return _iter_table(
        (
            (
                clean_line(entry.id),
                f".{entry.position}",
                f"{entry.line_start}–{entry.line_end}",
                joined_titles(entry.section_path),
            )
            for entry in chunks
        ),
        style,
    )


def iter_tag_lines(tags: Iterable[tuple[str, int]], style: Style) -> Iterator[str]:
    return _iter_table(((fold(tag), count_of(count, "document")) for tag, count in tags), style)


def listing_record(kind: str, items: Iterable[Any]) -> dict[str, Any]:
    """Return `{schema_version, <kind>: [...]}`; `kind` is trees, documents, chunks or tags."""
    return {"schema_version": SCHEMA_VERSION, kind: [*listing_rows(kind, items)]}


def listing_rows(kind: str, items: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects of the list in `listing_record`."""
    records: dict[str, Callable[[Any], dict[str, Any]]] = {
        "trees": TreeStatus._asdict,
        "documents": _document_record,
        "chunks": entry_record,
        "tags": lambda pair: {"tag": pair[0], "documents": pair[1]},
    }
    return map(records[kind], items)


def _document_record(document: DocumentEntry) -> dict[str, Any]:
    return {
        "doc_id": document.doc_id,
        "tree": document.tree,
        "path": decodable(document.path),
        "title": document.title,
        "format": document.format,
        "encoding": document.encoding,
        "version": document.version,
        "tags": list(document.tags),
        "chunks": document.chunk_count,
        "bytes": document.state.size,
        "degraded": document.degraded,
    }


def render_status(report: StatusReport, style: Style) -> str:
    """Return where the index is, what it holds and what is wrong with it."""
    index_dir = clean_line(report.index_dir)
    if not report.exists:
        index_dir += " (nothing is indexed yet: `leafmark index` or any search does it)"
    lines = [f"{style.bold('index')}   {index_dir}"]
    if report.exists:
        lines.append(f"{style.bold('size')}    {_size(report.bytes)}")
    lines += [f"{style.bold('config')}  {clean_line(path)}" for path in report.config_files]
    if report.lock_holder:
        lines.append(f"{style.bold('lock')}    {clean_line(report.lock_holder)}")
    if report.pending_vectors:
        lines.append(f"{style.bold('vectors')} {count_of(report.pending_vectors, 'chunk')} to go")
    if report.skipped:
        lines.append(f"{style.bold('skipped')} {count_of(len(report.skipped), 'source')}")
    if report.diagnostics:
        lines.append(f"{style.bold('notes')}   {count_of(len(report.diagnostics), 'diagnostic')}")
    table = "".join(iter_tree_lines(report.trees, style))
    return "\n".join(lines) + "\n" + (f"\n{table}" if table else "")


def _size(number: int) -> str:
    """Bytes for people.

    >>> _size(512), _size(2_340_000)
    ('512 bytes', '2.3 MB')
    """
    if number < 1000:
        return count_of(number, "byte")
    for unit, size in (("GB", 10**9), ("MB", 10**6)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number / 1000:.1f} kB"


def status_record(report: StatusReport) -> dict[str, Any]:
    """Return the status object."""
    return {
        "schema_version": SCHEMA_VERSION,
        "config_files": list(report.config_files),
        "index_dir": report.index_dir,
        "trees": [tree._asdict() for tree in report.trees],
        "pending_vectors": report.pending_vectors,
        "warnings": list(report.warnings),
        "exists": report.exists,
        "bytes": report.bytes,
        "lock_holder": report.lock_holder,
        "skipped": skipped_records(report.skipped),
        "diagnostics": [diagnostic_record(diagnostic) for diagnostic in report.diagnostics],
    }


def render_settings(settings: Sequence[SettingOrigin], style: Style, *, origin: bool) -> str:
    """Return the settings as TOML would have them; with `origin`, where each comes from.

    What was not chosen, which TOML cannot say, is null.
    """
    if not origin:
        return "".join(f"{_assignment(setting)}\n" for setting in settings)
    rows = []
    for setting in settings:
        note = f" ({clean_line(setting.note)})" if setting.note else ""
        rows.append((_assignment(setting), f"# {clean_line(setting.origin)}{note}"))
    return "".join(_iter_table(rows, style))


def _assignment(setting: SettingOrigin) -> str:
    value = json.dumps(setting.value, ensure_ascii=False, default=str)
    return f"{clean_line(setting.name)} = {clean_line(value)}"


def settings_record(settings: Sequence[SettingOrigin]) -> dict[str, Any]:
    """Return `{schema_version, settings: [{name, value, origin, note}]}`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "settings": [setting._asdict() for setting in settings],
    }
