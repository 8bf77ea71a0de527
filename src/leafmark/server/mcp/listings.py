"""What there is to read: sections of a document, documents and folders, trees; a row each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from leafmark.app import Project, explain_unread, list_folder, list_trees, show_chunks
from leafmark.app.requests import ListRequest, ShowRequest
from leafmark.errors import NotFoundError
from leafmark.model import (
    DocumentEntry,
    Entry,
    FolderEntry,
    ShowReport,
    TreeStatus,
    count_of,
    whole_range,
)
from leafmark.render.reading import outline_order
from leafmark.render.terminal import clean_line
from leafmark.server.mcp.replies import Draft, Reply, Request, list_draft

MAX_DOCUMENTS = 50
"""Where there are more, folders stand for the documents in them; about a page of rows."""

_MAX_FOLDERS = 12
"""Top folders listed of a tree; chosen by eye."""


class _Row(NamedTuple):
    """A line of the text, and the place that it tells."""

    line: str
    place: dict[str, Any]


def outline(request: Request) -> Draft:
    """Raises what `show_chunks` and `list_folder` do."""
    if request["id"] is None:
        return _documents(request, request["under"])
    found = show_chunks(
        request.project,
        ShowRequest(ids=(request["id"],), outline=True, records=False, refresh=False),
    )
    if not found.shown:
        folder = request["id"].removesuffix("/") + "/"
        if not _is_folder(request.project, folder):
            raise nothing_called(request, found)
        return _documents(request, folder)
    shown = found.shown[0]
    rows = {entry.position: _section_row(entry) for entry in (shown.entry, *shown.children)}
    order = [shown.entry.position, *outline_order(shown)]

    def make(kept: Sequence[int], more: str) -> Reply:
        hint = f"outline of a section that is shown, or {more}" if more else ""
        return _listed(request, [rows[position] for position in sorted(kept)], len(rows), hint)

    return list_draft(order, request["offset"], make)


def _section_row(entry: Entry) -> _Row:
    start, end = whole_range(entry)
    return _Row(
        f"{'  ' * entry.depth}{_named(entry.id, entry.title)}  ({end - start:,} bytes)",
        {"id": entry.id, "depth": entry.depth, "bytes": end - start},
    )


def _named(name: str, title: str) -> str:
    return f"{clean_line(name)}  {clean_line(title)}"


def _documents(request: Request, under: str | None) -> Draft:
    asked = ListRequest(trees=request.names("trees"), under=under, refresh=False)
    rows = [_row(entry) for entry in list_folder(request.project, asked, most=MAX_DOCUMENTS)]

    def make(kept: Sequence[_Row], more: str) -> Reply:
        hint = f"outline with `under` for one folder, or {more}" if more else ""
        return _listed(request, kept, len(rows), hint)

    return list_draft(rows, request["offset"], make)


def _row(entry: DocumentEntry | FolderEntry) -> _Row:
    if isinstance(entry, FolderEntry):
        line = f"{clean_line(entry.id)}  ({count_of(entry.documents, 'document')})"
        return _Row(line, {"id": entry.id, "documents": entry.documents})
    size = entry.state.size
    return _Row(
        f"{_named(entry.doc_id, entry.title)}  ({size:,} bytes)",
        {"id": entry.doc_id, "bytes": size},
    )


def _listed(request: Request, rows: Sequence[_Row], total: int, more: str) -> Reply:
    data = {"rows": [row.place for row in rows], "total": total}
    text = "There are no documents here."
    if rows:
        text = request.fence("\n".join(row.line for row in rows))
    elif total:
        text = f"There are {total} rows, and none from `offset` {request['offset']} on."
    return request.reply(text, data, more)


def list_sources(request: Request) -> Draft:
    """Raises what `list_trees` does."""
    trees = list_trees(request.project, ListRequest(refresh=False))
    folders = _top_folders(request.project, [tree.name for tree in trees])
    rows = [_tree_row(tree, folders(tree.name)) for tree in trees]
    warnings = list(request.project.configuration.warnings)

    def make(kept: Sequence[_Row], more: str) -> Reply:
        warned = [f"warning: {clean_line(warning)}" for warning in warnings]
        listed = request.fence("\n".join(row.line for row in kept)) if kept else "There is no tree."
        data: dict[str, Any] = {"trees": [row.place for row in kept]}
        data |= {"warnings": warnings} if warnings else {}
        return request.reply("\n".join([listed, *warned]), data, more)

    return list_draft(rows, request["offset"], make)


def _top_folders(project: Project, trees: Sequence[str]) -> Callable[[str], Sequence[str]]:
    def of(tree: str) -> Sequence[str]:
        asked = ListRequest(trees=(tree,), refresh=False)
        found = list_folder(project, asked, most=0)
        ids = (one.id if isinstance(one, FolderEntry) else one.doc_id for one in found)
        return [name.partition(":")[2] for name in ids]

    return of


def _tree_row(tree: TreeStatus, folders: Sequence[str]) -> _Row:
    shown = [*folders[:_MAX_FOLDERS], *["…"] * (len(folders) > _MAX_FOLDERS)]
    counts = f"{count_of(tree.documents, 'document')}, {count_of(tree.chunks, 'chunk')}"
    missing = " (its folder is missing)" if tree.missing else ""
    place: dict[str, Any] = {"name": tree.name, "documents": tree.documents, "chunks": tree.chunks}
    return _Row(
        f"{tree.name}: {counts}{missing}: {', '.join(map(clean_line, shown))}",
        place | ({"missing": True} if tree.missing else {}),
    )


def nothing_called(request: Request, report: ShowReport) -> NotFoundError:
    """Return what to say of ids that name nothing; a tree or a folder is said to be one."""
    if not report.not_found:
        return NotFoundError("there are no ids from this `offset` on")
    name, near = report.not_found[0]
    unread = explain_unread(request.project, name)
    hint = "outline and search give the ids"
    if any(tree.name == name.removesuffix(":") for tree in request.project.trees):
        near, hint = (), "it is a tree: outline with it in `trees` lists its documents"
    elif _is_folder(request.project, name.removesuffix("/") + "/"):
        near, hint = (), "it is a folder: outline with it as `under` lists its documents"
    elif unread is not None:
        return unread
    return NotFoundError(f"there is no {name!r}", did_you_mean=near, hint=hint)


def _is_folder(project: Project, under: str) -> bool:
    return bool(list_folder(project, ListRequest(under=under, refresh=False), most=0))
