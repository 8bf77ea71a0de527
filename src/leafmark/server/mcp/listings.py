"""What there is to read: sections of a document, documents and trees, a row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leafmark.app import Project, list_documents, list_trees, show_chunks
from leafmark.app.requests import ListRequest, ShowRequest
from leafmark.errors import NotFoundError
from leafmark.model import DocumentEntry, Entry, ShowReport, TreeStatus, count_of, whole_range
from leafmark.render.outlines import outline_order
from leafmark.render.terminal import clean_line
from leafmark.server.mcp.replies import Draft, Reply, list_draft
from leafmark.server.mcp.request import Request

__all__ = ["list_sources", "nothing_called", "outline"]

_MOST_FOLDERS = 12
"""Top folders listed of a tree; chosen by eye."""


def outline(request: Request) -> Draft:
    """Raises what `show_chunks` and `list_documents` do."""
    if request["id"] is None:
        return _documents(request)
    found = show_chunks(
        request.project,
        ShowRequest(ids=(request["id"],), outline=True, records=False, refresh=False),
    )
    if not found.shown:
        raise nothing_called(request, found)
    shown = found.shown[0]
    rows = {entry.position: _section_row(entry) for entry in (shown.entry, *shown.children)}
    added = [shown.entry.position, *outline_order(shown)]
    more = "outline of a section that is shown"
    return _rows(request, shown.entry.id, more, rows, added)


def _section_row(entry: Entry) -> dict[str, Any]:
    start, end = whole_range(entry)
    return {
        "id": entry.id,
        "title": entry.title,
        "depth": entry.depth,
        "bytes": end - start,
        "chunks": entry.last_position - entry.position + 1,
    }


def _documents(request: Request) -> Draft:
    found = list_documents(
        request.project,
        ListRequest(trees=request.names("trees"), under=request["under"], refresh=False),
    )
    rows = dict(enumerate(map(_document_row, found)))
    return _rows(request, None, "outline with `under` for one folder", rows, list(rows))


def _document_row(entry: DocumentEntry) -> dict[str, Any]:
    return {
        "id": entry.doc_id,
        "title": entry.title,
        "depth": 0,
        "bytes": entry.state.size,
        "chunks": entry.chunk_count,
    }


def _rows(
    request: Request,
    of: str | None,
    narrower: str,
    rows: Mapping[int, dict[str, Any]],
    added: Sequence[int],
) -> Draft:
    """Return the draft of an outline, whose rows stand by number and are `added` in an order."""

    def make(kept: Sequence[int], left_out: int) -> Reply:
        more = f"{narrower}, or a larger max_tokens; {left_out} left out" if left_out else ""
        shown = [rows[number] for number in sorted(kept)]
        lines = [
            f"{'  ' * row['depth']}{clean_line(row['id'])}  {clean_line(row['title'])}"
            f"  ({row['bytes']:,} bytes)"
            for row in shown
        ]
        data = {"of": of, "rows": shown, "total": len(rows)}
        text = request.fence("\n".join(lines)) if lines else "There are no documents here."
        return request.reply(text, data, more)

    return list_draft(added, make)


def list_sources(request: Request) -> Draft:
    """Raises what `list_trees` does."""
    trees = list_trees(request.project, ListRequest(refresh=False))
    documents = list_documents(request.project, ListRequest(refresh=False))
    folders: dict[str, set[str]] = {}
    for entry in documents:
        folder, slash, _ = entry.path.partition("/")
        folders.setdefault(entry.tree, set()).add(folder + slash)
    rows = [_tree_row(tree, sorted(folders.get(tree.name, ()))) for tree in trees]
    warnings = list(request.project.configuration.warnings)

    def make(kept: Sequence[dict[str, Any]], left_out: int) -> Reply:
        more = f"a larger max_tokens; {left_out} trees left out" if left_out else ""
        lines = [
            f"{row['name']}: {count_of(row['documents'], 'document')}, "
            f"{count_of(row['chunks'], 'chunk')}"
            f"{' (its folder is missing)' if row['missing'] else ''}: "
            f"{', '.join(map(clean_line, row['folders']))}"
            for row in kept
        ]
        told = [f"warning: {clean_line(warning)}" for warning in warnings]
        text = "\n".join([request.fence("\n".join(lines)) if lines else "There is no tree.", *told])
        return request.reply(text, {"trees": list(kept), "warnings": warnings}, more)

    return list_draft(rows, make)


def _tree_row(tree: TreeStatus, folders: Sequence[str]) -> dict[str, Any]:
    shown = list(folders[:_MOST_FOLDERS])
    return {
        "name": tree.name,
        "scope": tree.scope,
        "documents": tree.documents,
        "chunks": tree.chunks,
        "bytes": tree.bytes,
        "missing": tree.missing,
        "folders": shown + ["…"] * (len(folders) > _MOST_FOLDERS),
    }


def nothing_called(request: Request, report: ShowReport) -> NotFoundError:
    name, near = report.not_found[0]
    hint = "outline and search give the ids"
    if any(tree.name == name.removesuffix(":") for tree in request.project.trees):
        near, hint = (), "it is a tree: outline with it in `trees` lists its documents"
    elif _is_folder(request.project, name):
        near, hint = (), "it is a folder: outline with it as `under` lists its documents"
    return NotFoundError(f"there is no {name!r}", did_you_mean=near, hint=hint)


def _is_folder(project: Project, name: str) -> bool:
    under = name.removesuffix("/") + "/"
    return bool(list_documents(project, ListRequest(under=under, refresh=False)))
