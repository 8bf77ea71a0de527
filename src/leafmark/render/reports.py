"""Reports on a project and its runs: lists, status, indexing, trust, agent files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from leafmark.model import (
    GENERATED,
    LEFT_OUT,
    AgentFile,
    AgentsReport,
    Check,
    ClusterState,
    CompressedList,
    DoctorReport,
    DocumentEntry,
    Entry,
    IndexReport,
    LlmsReport,
    Migration,
    SettingOrigin,
    StatusReport,
    TreeStatus,
    TrustedFile,
    TrustReport,
    WatchEvent,
    age_in_words,
    count_of,
)
from leafmark.render.hint_texts import word_remedy
from leafmark.render.json_objects import diagnostic_records, entry_record
from leafmark.render.jsontext import SCHEMA_VERSION, as_json, fields_of
from leafmark.render.terminal import (
    Style,
    clean_line,
    display_width,
    error_record,
    fold,
    joined_titles,
    shorten,
    size_in_words,
    version_and_tags,
)

_WIDE = 48
"""Columns from which on a cell is unusually wide; chosen by eye."""

_BESIDE_ID = 16
"""Columns kept for the cells behind an id, with the gaps; chosen by eye."""


def _iter_table(rows: Iterable[Sequence[str]], style: Style, wide: int = _WIDE) -> Iterator[str]:
    """Yield rows in columns, aligned by display width; the last column is not aligned.

    A cell of more than `wide` columns shifts its own row only.
    """
    cells = CompressedList[tuple[str, ...]]()
    columns: list[Counter[int]] = []
    for row in rows:
        cells.append(tuple(row))
        columns = columns or [Counter() for _ in row[:-1]]
        for counted, cell in zip(columns, row, strict=False):
            counted[display_width(cell)] += 1
    # the widest cell among those that are not unusually wide
    widths = [
        max([width for width in column if width <= wide], default=min(column)) for column in columns
    ]
    for row in cells:
        yield _table_line(row, widths, style)


def _table_line(row: Sequence[str], widths: Sequence[int], style: Style) -> str:
    cells = [
        cell + " " * max(0, width - display_width(cell))
        for cell, width in zip(row[:-1], widths, strict=True)
    ]
    return "  ".join([*cells, style.dim(row[-1])]).rstrip() + "\n"


def iter_tree_lines(trees: Iterable[TreeStatus], style: Style) -> Iterator[str]:
    return _iter_table(
        (
            (
                clean_line(tree.name),
                count_of(tree.documents, "document"),
                count_of(tree.chunks, "chunk"),
                tree.scope,
                (clean_line(tree.path) or "(elsewhere)") + (" (missing)" if tree.missing else ""),
            )
            for tree in trees
        ),
        style,
    )


def iter_document_lines(documents: Iterable[DocumentEntry], style: Style) -> Iterator[str]:
    rows = (
        (
            joined_titles([document.title]) + version_and_tags(document),
            clean_line(document.doc_id),
            count_of(document.chunk_count, "chunk"),
        )
        for document in documents
    )
    return _iter_titled(rows, style)


def iter_chunk_lines(chunks: Iterable[Entry], style: Style) -> Iterator[str]:
    rows = (
        (
            joined_titles(entry.section_path),
            clean_line(entry.id),
            f".{entry.position}",
            f"{entry.line_start}–{entry.line_end}",
        )
        for entry in chunks
    )
    return _iter_titled(rows, style)


def _iter_titled(rows: Iterable[Sequence[str]], style: Style) -> Iterator[str]:
    """Yield rows of a title, an id and more: the title first on a terminal, else the id.

    Where a row does not fit, the title stands above the rest: ids are pasted, so never cut.
    """
    if style.width is None:
        yield from _iter_table(((*row[1:], row[0]) for row in rows), style)
        return
    stored_rows = CompressedList[tuple[str, ...]](map(tuple, rows))
    room = style.width * 3 // 8
    wide = min(_WIDE, style.width - room - _BESIDE_ID)
    lines = _iter_table(((shorten(row[0], room), *row[1:]) for row in stored_rows), style, wide)
    for row, line in zip(stored_rows, lines, strict=True):
        codes = display_width(style.dim(row[-1])) - display_width(row[-1])
        if display_width(line.rstrip()) - codes > style.width:
            yield shorten(row[0], style.width) + "\n"
            yield "  " + _table_line(row[1:], [0] * len(row[2:]), style)
        else:
            yield line


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
        **fields_of(document, "doc_id", "tree", "path", "title", "format", "encoding", "version"),
        "tags": list(document.tags),
        "chunks": document.chunk_count,
        "bytes": document.state.size,
        "degraded": document.degraded,
    }


def render_status(report: StatusReport, style: Style) -> str:
    """Return the place, the contents and the faults of the index."""
    index_dir = clean_line(report.index_dir)
    if not report.exists:
        does = "does it" if report.cluster else "or any search does it"
        index_dir += f" (nothing is indexed yet: `leafmark index` {does})"
    lines = [f"{style.bold('index')}   {index_dir}"]
    if report.exists:
        lines.append(f"{style.bold('size')}    {size_in_words(report.bytes)}")
    if report.cluster is not None:
        lines.append(f"{style.bold('cluster')} {_cluster_in_words(report.cluster)}")
    if report.age_s is not None:
        lines.append(f"{style.bold('looked')}  at all sources {age_in_words(report.age_s)}")
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


def _cluster_in_words(cluster: ClusterState) -> str:
    """Return the state of a cluster in words."""
    missing = f", {cluster.missing_shards} missing" if cluster.missing_shards else ""
    nodes, shards = count_of(cluster.nodes, "node"), count_of(cluster.shards, "shard")
    about = f"{clean_line(cluster.name)}, {clean_line(cluster.version)}"
    return f"{about}: {nodes}, {shards}{missing}, {clean_line(cluster.status)}"


def status_record(report: StatusReport) -> dict[str, Any]:
    """Return the status object."""
    return {
        "schema_version": SCHEMA_VERSION,
        **fields_of(report, "config_files", "index_dir", "trees", "pending_vectors", "warnings"),
        **fields_of(report, "exists", "bytes", "lock_holder", "skipped"),
        "diagnostics": diagnostic_records(report.diagnostics),
        "cluster": None if report.cluster is None else as_json(report.cluster),
        "age_s": report.age_s,
    }


def render_settings(settings: Sequence[SettingOrigin], style: Style, *, origin: bool) -> str:
    """Return the settings as TOML; with `origin`, the source of each.

    A setting without a value, which TOML does not have, is null.
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
    return {"schema_version": SCHEMA_VERSION, "settings": as_json(settings)}


def render_index(report: IndexReport, style: Style, *, verbose: bool = False) -> str:
    """Return the summary of a run; with `verbose`, the changed documents come before it."""
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
    generated = sum(skipped.reason == LEFT_OUT[GENERATED] for skipped in report.skipped)
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
        **fields_of(report, "added", "modified", "removed", "unchanged", "skipped"),
        "diagnostics": diagnostic_records(report.diagnostics),
        **fields_of(report, "documents", "chunks"),
        "seconds": round(report.seconds, 3),
        **fields_of(report, "rebuilt", "dry_run", "interrupted", "vectors", "pending_vectors"),
        "warnings": list(report.warnings),
        "failure": None if report.failure is None else error_record(report.failure)["error"],
    }


def render_migration(report: Migration) -> str:
    """Return the result of a migration, and how similar both indexes are."""
    size = f"{count_of(report.target_documents, 'document')}, "
    size += count_of(report.target_chunks, "chunk")
    lines = [
        f"{clean_line(report.source)} to {clean_line(report.target)}",
        f"  {size} of {report.documents:,} and {report.chunks:,}",
        f"  {report.overlap:.1%} of the first ten results are the same",
    ]
    lines += [f"  {clean_line(missing)}: its source has changed" for missing in report.missing]
    return "\n".join(lines) + "\n"


def migration_record(report: Migration) -> dict[str, Any]:
    """Return the JSON object of a migration."""
    return {"schema_version": SCHEMA_VERSION, **report._asdict(), "equal": report.is_equal}


_SHOWN = 3
"""Documents that are named for one kind of change; chosen by eye."""


def render_event(event: WatchEvent, style: Style) -> str:
    """Return one line."""
    if event.report is not None:
        return _event_changes(event.report, style)
    return f"{event.kind}: {clean_line(event.message)}\n"


def _event_changes(report: IndexReport, style: Style) -> str:
    changes = [
        *(f"+{clean_line(name)}" for name in report.added),
        *(f"~{clean_line(name)}" for name in report.modified),
        *(f"-{clean_line(name)}" for name in report.removed),
    ]
    more = f" and {len(changes) - _SHOWN:,} more" if len(changes) > _SHOWN else ""
    why = f" ({clean_line(report.rebuilt)})" if report.rebuilt else ""
    took = style.dim(f"in {report.seconds:.2f} s")
    return f"indexed{why} {' '.join(changes[:_SHOWN])}{more} {took}\n"


def event_record(event: WatchEvent) -> dict[str, Any]:
    """Return `{schema_version, event, message, report, error}`."""
    failed = None if event.error is None else error_record(event.error)["error"]
    return {
        "schema_version": SCHEMA_VERSION,
        "event": event.kind,
        "message": event.message,
        "report": None if event.report is None else index_record(event.report),
        "error": failed,
    }


_STATE_WIDTH = len("warning")
_AREA_WIDTH = len("configuration")


def render_doctor(report: DoctorReport, style: Style) -> str:
    """Return a line for each check, its remedy below it, and a summary."""
    lines = [line for check in report.checks for line in _lines(check, style)]
    return "".join(f"{line}\n" for line in (*lines, _sum(report)))


def _lines(check: Check, style: Style) -> list[str]:
    colour = {"ok": style.dim, "warning": style.yellow, "problem": style.red}[check.state]
    state = colour(check.state) + " " * (_STATE_WIDTH - len(check.state))
    lines = [f"{state}  {check.area:{_AREA_WIDTH}}  {clean_line(check.message)}"]
    if check.hint:
        lines.append(
            " " * (_STATE_WIDTH + _AREA_WIDTH + 4) + style.dim(clean_line(word_remedy(check.hint)))
        )
    return lines


def _sum(report: DoctorReport) -> str:
    counts = {
        word: sum(check.state == word for check in report.checks) for word in ("problem", "warning")
    }
    if not any(counts.values()):
        return "nothing is wrong"
    return ", ".join(count_of(number, word) for word, number in counts.items() if number)


def doctor_record(report: DoctorReport) -> dict[str, Any]:
    return {"schema_version": SCHEMA_VERSION, "ok": report.ok, "checks": as_json(report.checks)}


_STATES = {
    "pending": "not trusted",
    "changed": "not trusted: it asks for other permissions than those that were trusted",
    "trusted": "trusted",
    "recorded": "trusted as it was; its own folder says whether that still holds",
    "gone": "trusted, but the file is gone",
}


def render_trust(report: TrustReport, style: Style) -> str:
    """Return each file with its state and its permissions; a sentence if there is no file."""
    if not report.files:
        return "no configuration asks for trust, and none was given\n"
    return "".join(
        f"{clean_line(file.path)}  {style.dim(_STATES[file.state])}\n{render_permissions([file])}"
        for file in report.files
    )


def render_permissions(files: Iterable[TrustedFile]) -> str:
    """Return a line for each permission: its place, its key, and why it needs trust."""
    return "".join(
        f"  {clean_line(gated.location)}: {clean_line(gated.key)} {clean_line(gated.why)}\n"
        for file in files
        for gated in file.permissions
    )


def trust_record(report: TrustReport, changed: Sequence[str]) -> dict[str, Any]:
    """Return `{schema_version, changed, files: [{path, state, wishes}]}`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "changed": list(changed),
        "files": [
            {**fields_of(file, "path", "state"), "wishes": as_json(file.permissions)}
            for file in report.files
        ],
    }


def render_agents(report: AgentsReport, *, written: bool) -> str:
    """Return a line for each file."""
    return "".join(
        f"{clean_line(file.path)}: {_file_state(file, written)}\n" for file in report.files
    )


def _file_state(file: AgentFile, written: bool) -> str:
    if file.state == "fresh":
        return "up to date"
    if written:
        return "made" if file.state == "missing" else "updated"
    return "does not exist" if file.state == "missing" else "not up to date"


def render_diff(report: AgentsReport, style: Style) -> str:
    """Return a unified diff of all files that writing would change; empty if there are none."""
    import difflib  # late: slow to load

    lines: list[str] = []
    for file in report.files:
        name = clean_line(file.path)
        source = "/dev/null" if file.state == "missing" else f"a/{name}"
        before, after = (
            [clean_line(line) for line in data.decode("utf-8", "replace").splitlines()]
            for data in (file.before, file.after)
        )
        lines.extend(difflib.unified_diff(before, after, source, f"b/{name}", lineterm=""))
    return "".join(_coloured(line, style) + "\n" for line in lines)


def _coloured(line: str, style: Style) -> str:
    if line.startswith(("+++", "---", "@@")):
        return style.bold(line)
    if line.startswith("-"):
        return style.dim(line)
    return line


def agents_record(report: AgentsReport, *, written: bool) -> dict[str, Any]:
    """Return `{schema_version, block, files: [{path, state, written}]}`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "block": report.block,
        "files": [
            {**fields_of(file, "path", "state"), "written": written and file.state != "fresh"}
            for file in report.files
        ],
    }


def render_llms(report: LlmsReport) -> str:
    """Return the written files, and the documents that changed meanwhile."""
    lines = [f"wrote {clean_line(path)}" for path in report.paths]
    lines.append(f"{count_of(report.documents, 'document')} linked")
    lines.extend(f"changed while it was read: {clean_line(doc_id)}" for doc_id in report.stale)
    return "".join(f"{line}\n" for line in lines)


def llms_record(report: LlmsReport) -> dict[str, Any]:
    """Return `{schema_version, paths, documents, stale}`."""
    return {"schema_version": SCHEMA_VERSION, **as_json(report)}
