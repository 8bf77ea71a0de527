"""The answers of the tools: one use case each, as text and as places.

`ANSWERS` has the tools by their names; each returns a draft that can be fitted into a budget.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from leafmark.app import (
    Project,
    explain_unread,
    find_context,
    list_folder,
    list_trees,
    search_project,
    show_chunks,
    verify_texts,
)
from leafmark.app.history import diff_project
from leafmark.app.requests import (
    ContextRequest,
    DiffRequest,
    ListRequest,
    SearchRequest,
    ShowRequest,
    VerifyRequest,
)
from leafmark.app.sources.folders import is_encodable
from leafmark.errors import ForbiddenError, NotFoundError, UsageError
from leafmark.history import BrokenName, SectionChange
from leafmark.model import (
    Answer,
    DocumentEntry,
    Entry,
    FolderEntry,
    Hint,
    Omission,
    Packing,
    Passage,
    Result,
    Shown,
    ShowReport,
    TreeStatus,
    Verified,
    count_of,
    whole_range,
)
from leafmark.render.budgets import Texts
from leafmark.render.changes import broken_line, section_line, summarise_changes
from leafmark.render.explaining import beyond_the_last
from leafmark.render.hint_texts import PROGRAMS, word_hint
from leafmark.render.reading import outline_order, render_show, render_verification, summarise
from leafmark.render.search_results import Places, render_full
from leafmark.render.terminal import PLAIN, breadcrumb_of, clean_line, omissions_in, omissions_of
from leafmark.server.mcp.replies import Draft, Reply, Request, list_draft

Row = SectionChange | BrokenName


def changes(request: Request) -> Draft:
    """Raises the errors of `diff_project`."""
    report = diff_project(
        request.project,
        DiffRequest(
            request["since"],
            request["until"],
            request.names("trees"),
            links=False,
            revisions_only=True,
        ),
    )
    rows: list[Row] = [
        change for document in report.comparison.documents for change in document.changes
    ]
    rows += report.broken
    summary = summarise_changes(report)

    def make(chosen: Sequence[Row], more: str) -> Reply:
        sections = [row for row in chosen if isinstance(row, SectionChange)]
        broken = [row for row in chosen if isinstance(row, BrokenName)]
        lines = [section_line(section, PLAIN) for section in sections]
        lines += [f"  broken: {broken_line(name)}" for name in broken]
        data = {
            "counts": report.comparison.counts(),
            "sections": [_change_row(section) for section in sections],
            "broken": [_broken_row(name) for name in broken],
        }
        return request.reply(f"{summary}\n{request.fence(''.join(lines))}", data, more)

    return list_draft(rows, request["offset"], make)


def _change_row(change: SectionChange) -> dict[str, Any]:
    row: dict[str, Any] = {"id": change.section.id, "fates": list(change.fates)}
    if change.old is not None and change.old.id != row["id"]:
        row["old_id"] = change.old.id
    if change.parts:
        row["parts"] = [part.id for part in change.parts]
    return row


def _broken_row(broken: BrokenName) -> dict[str, Any]:
    return {"name": broken.name, "now": [section.id for section in broken.now]}


DOUBTFUL = "doubtful"
"""The code of the hint that perhaps no result is about the query."""

_HIDDEN_HINTS = frozenset((DOUBTFUL, "topics", "late-vectors"))
"""Codes of hints that an answer expresses in another way, or that no program can act on."""


def search(request: Request) -> Draft:
    """Raises the errors of `search_project`."""
    answer = search_project(
        request.project,
        SearchRequest(
            queries=(request["query"], *request.names("topics")),
            **request.arguments.fields_for("search"),
            refresh=False,
            packed=True,
        ),
    )
    return _answer_draft(request, answer)


def context(request: Request) -> Draft:
    """Raises the errors of `find_context`; ForbiddenError for files outside of the project."""
    files = [_resolve_file(request.project, name) for name in request.names("files")]
    search = SearchRequest((), **request.arguments.fields_for("search"), refresh=False, packed=True)
    return _answer_draft(
        request, find_context(request.project, ContextRequest(tuple(files), search))
    )


def _resolve_file(project: Project, name: str) -> str:
    """Return the real path of a file in the project or in a tree.

    Raises:
        NotFoundError: no file can have the name.
        ForbiddenError: the file is elsewhere; a client may read only files of the project.
    """
    if not is_encodable(name):
        raise NotFoundError(f"there is no file {name!r}")
    path = os.path.realpath(project.directory / name)
    roots = [project.configuration.project, *(tree.root for tree in project.trees)]
    if not any(Path(path).is_relative_to(os.path.realpath(root)) for root in roots):
        raise ForbiddenError(f"the file is not in the project: {name}")
    return path


def _answer_draft(request: Request, full: Answer) -> Draft:
    """Return the draft of results; a doubtful answer has their places without texts."""
    hints = [word_hint(hint, PROGRAMS) for hint in full.hints if hint.code not in _HIDDEN_HINTS]
    doubt = next((hint for hint in full.hints if hint.code == DOUBTFUL), None)
    texts = Texts(full)

    def make(steps: int, marks: bool) -> Reply:
        answer = texts.at(steps, marks)
        data: dict[str, Any] = {} if doubt is None else {"doubtful": True}
        data["results"] = [_result_row(result) for result in answer.results]
        if doubt is None:
            more = _suggest_next(omissions_of(answer), fewer=_only_places(answer))
        else:
            left = 0 if answer.omission is None else answer.omission.results
            more = f"a larger max_tokens; {left} left out" if left else ""
        return request.reply(_answer_text(request, answer, doubt), data, more, hints)

    return Draft(texts.size if doubt is None else len(full.results), make)


def _answer_text(request: Request, answer: Answer, doubt: Hint | None) -> str:
    if not answer.results:
        beyond = beyond_the_last(answer)
        return f"T{beyond[1:]}." if beyond else "Nothing was found in the documents."
    if doubt is None:
        return request.fence(render_full(answer, Places({}, ""), PLAIN, lean=True))
    places = "\n".join(_place_line(result) for result in answer.results)
    words = clean_line(word_hint(doubt, PROGRAMS))
    return f"doubtful: {words}. `get` reads a place.\n{request.fence(places)}"


def _place_line(result: Result) -> str:
    tokens = count_of(sum(omission.tokens for omission in omissions_in(result.passages)), "token")
    return f"{clean_line(result.id)}  {clean_line(breadcrumb_of(result.entry))}  ({tokens})"


def _result_row(result: Result) -> dict[str, Any]:
    """Return the id, score and lines of a result, and its marks if they are set."""
    row = _place(result.entry) | {"score": round(result.score, 2)}
    row |= {mark: True for mark in ("relaxed", "stale") if getattr(result, mark)}
    expanded = [_place(part.entry) for part in result.expanded]
    return row | {"expanded": expanded} if expanded else row


def _place(entry: Entry) -> dict[str, Any]:
    return {"id": entry.id, "lines": [entry.line_start, entry.line_end]}


def _only_places(answer: Answer) -> bool:
    """Whether there are several results and no room for any text."""
    passages = (passage for result in answer.results for passage in result.passages or ())
    return len(answer.results) > 1 and all(isinstance(passage, Omission) for passage in passages)


def _suggest_next(left_out: Sequence[Omission], *, fewer: bool = False) -> str:
    """Return what to ask for next, from the first omission; with `fewer` also fewer results."""
    if not left_out:
        return ""
    tokens = sum(omission.tokens for omission in left_out)
    way = "a smaller limit, or " if fewer else ""
    return f"get {left_out[0].id}, or {way}a larger max_tokens; {tokens:,} tokens were left out"


def get(request: Request) -> Draft:
    """Raises the errors of `show_chunks`; unknown ids are part of the answer."""
    full = show_chunks(
        request.project,
        ShowRequest(
            ids=request.names("ids")[request["offset"] :],
            **request.arguments.fields_for("show"),
            lines=_line_range(request["lines"]),
            packed=True,
            records=False,
            refresh=False,
        ),
    )
    if not full.shown:
        raise not_found_error(request, full)
    texts, missing = Texts(full), _missing_text(request.project, full)

    def make(steps: int, marks: bool) -> Reply:
        report = texts.at(steps, marks)
        data: dict[str, Any] = {"results": [_shown_row(shown) for shown in report.shown]}
        if report.not_found:
            data["not_found"] = [name for name, _ in report.not_found]
        text = request.fence(render_show(report, PLAIN)) + _citation_lines(report) + missing
        return request.reply(text, data, _suggest_rest(report, full.packing))

    return Draft(texts.size, make)


_LINES = re.compile(
    r"\s*\[?\s*(?:lines?|L)?\s*(\d{1,9})\s*(?:([-–:,]|\.\.|to)\s*L?(\d{1,9})?\s*)?\]?\s*",
    re.IGNORECASE,
)
"""Line ranges as documented, and in other usual forms: `L12-L40`, `12:40`, `[12, 40]`."""


def _line_range(text: str | None) -> tuple[int, int | None] | None:
    """Return the first and the last line of a range, counted from 1; None is the end.

    Raises:
        UsageError: it is not a range.
    """
    if text is None:
        return None
    match = _LINES.fullmatch(text)
    if match is None:
        raise UsageError(f"`lines` got {text!r}", hint="lines are 12-40, 12- or 12")
    first = int(match[1])
    last = first if match[2] is None else int(match[3]) if match[3] else None
    if first < 1 or (last is not None and last < first):
        raise UsageError(f"`lines` got {text!r}", hint="lines count from 1, upwards")
    return first, last


def _shown_row(shown: Shown) -> dict[str, Any]:
    row = _place(shown.entry) | ({"stale": True} if shown.stale else {})
    row |= {} if shown.lines is None else {"lines": list(shown.lines)}
    expanded = [_place(part.entry) for part in shown.expanded]
    return row | {"expanded": expanded} if expanded else row


def _suggest_rest(report: ShowReport, packing: Packing | None) -> str:
    """Return what to ask for next: the lines after the shown text, else the first omission."""
    left_out = omissions_of(report)
    if not left_out:
        return ""
    tokens = sum(omission.tokens for omission in left_out)
    way = ""
    for shown, item in zip(report.shown, packing.items if packing else (), strict=False):
        if omissions_in(shown.passages):
            ends = [passage.end for passage in shown.passages or () if isinstance(passage, Passage)]
            line = 1 + item.source.count(b"\n", 0, max(ends, default=item.units[0].start))
            way = f"get {shown.id} with lines {line}-, or "
            break
    else:
        way = f"get {left_out[0].id}, or "
    return f"{way}a larger max_tokens; {tokens:,} tokens were left out"


def _missing_text(project: Project, report: ShowReport) -> str:
    message = ""
    for name, near in report.not_found:
        unread = explain_unread(project, name)
        message += f"\nnot found: {clean_line(name if unread is None else unread.message)}"
        message += (
            f"; the nearest: {', '.join(map(clean_line, near))}" if near and not unread else ""
        )
    return message


def _citation_lines(report: ShowReport) -> str:
    """Return a line for each citation of the shown passages; `render_show` omits them."""
    citations = [
        passage.citation
        for shown in report.shown
        for passage in shown.passages or ()
        if not isinstance(passage, Omission) and passage.citation is not None
    ]
    return "".join(f"\ncite as: [{clean_line(citation)}]" for citation in citations)


def verify(request: Request) -> Draft:
    """Raises the errors of `verify_texts`."""
    (report,) = verify_texts(
        request.project, VerifyRequest(texts=(("-", request["text"]),), refresh=False)
    )
    report = report._replace(name="text")
    counts = {status: number for status, number in report.counts.items() if number}
    citations = sorted(report.citations, key=lambda citation: citation.status == "ok")

    def make(chosen: Sequence[Verified], more: str) -> Reply:
        cut = report._replace(citations=tuple(chosen))
        lines = render_verification([cut], PLAIN, everything=True)
        rows = [_citation_row(citation) for citation in chosen]
        data = {"ok": report.holds, "counts": counts, "citations": rows}
        return request.reply(f"{summarise([report])}\n{lines}", data, more)

    return list_draft(citations, request["offset"], make)


def _citation_row(citation: Verified) -> dict[str, Any]:
    """Return the place of a citation in the text, its status, and its new place if it moved."""
    row = {"line": citation.line, "column": citation.column, "status": citation.status}
    return row | ({"current": citation.current} if citation.status == "moved" else {})


# Lists of what there is to read, a row each: sections of a document, documents and folders, trees.


MAX_DOCUMENTS = 50
"""Beyond it, folders stand for the documents in them; about a page of rows."""

_MAX_FOLDERS = 12
"""Most top folders listed for a tree; chosen by eye."""


class _Row(NamedTuple):
    """A line of the text, and its data."""

    line: str
    place: dict[str, Any]


def outline(request: Request) -> Draft:
    """Raises the errors of `show_chunks` and `list_folder`."""
    if request["id"] is None:
        return _documents(request, request["under"])
    report = show_chunks(
        request.project,
        ShowRequest(ids=(request["id"],), outline=True, records=False, refresh=False),
    )
    if not report.shown:
        folder = request["id"].removesuffix("/") + "/"
        if not _is_folder(request.project, folder):
            raise not_found_error(request, report)
        return _documents(request, folder)
    shown = report.shown[0]
    rows = {entry.position: _section_row(entry) for entry in (shown.entry, *shown.children)}
    order = [shown.entry.position, *outline_order(shown)]

    def make(chosen: Sequence[int], more: str) -> Reply:
        hint = f"outline of a section that is shown, or {more}" if more else ""
        return _rows_reply(request, [rows[at] for at in sorted(chosen)], len(rows), hint)

    return list_draft(order, request["offset"], make)


def _section_row(entry: Entry) -> _Row:
    start, end = whole_range(entry)
    return _Row(
        f"{'  ' * entry.depth}{_name_and_title(entry.id, entry.title)}  ({end - start:,} bytes)",
        {"id": entry.id, "depth": entry.depth, "bytes": end - start},
    )


def _name_and_title(name: str, title: str) -> str:
    return f"{clean_line(name)}  {clean_line(title)}"


def _documents(request: Request, under: str | None) -> Draft:
    listing = ListRequest(trees=request.names("trees"), under=under, refresh=False)
    rows = [_row(entry) for entry in list_folder(request.project, listing, most=MAX_DOCUMENTS)]

    def make(chosen: Sequence[_Row], more: str) -> Reply:
        hint = f"outline with `under` for one folder, or {more}" if more else ""
        return _rows_reply(request, chosen, len(rows), hint)

    return list_draft(rows, request["offset"], make)


def _row(entry: DocumentEntry | FolderEntry) -> _Row:
    if isinstance(entry, FolderEntry):
        line = f"{clean_line(entry.id)}  ({count_of(entry.documents, 'document')})"
        return _Row(line, {"id": entry.id, "documents": entry.documents})
    size = entry.state.size
    return _Row(
        f"{_name_and_title(entry.doc_id, entry.title)}  ({size:,} bytes)",
        {"id": entry.doc_id, "bytes": size},
    )


def _rows_reply(request: Request, rows: Sequence[_Row], total: int, more: str) -> Reply:
    data = {"rows": [row.place for row in rows], "total": total}
    text = "There are no documents here."
    if rows:
        text = request.fence("\n".join(row.line for row in rows))
    elif total:
        text = f"There are {total} rows, and none from `offset` {request['offset']} on."
    return request.reply(text, data, more)


def list_sources(request: Request) -> Draft:
    """Raises the errors of `list_trees`."""
    trees = list_trees(request.project, ListRequest(refresh=False))
    folders = _top_folders(request.project, [tree.name for tree in trees])
    rows = [_tree_row(tree, folders(tree.name)) for tree in trees]
    warnings = list(request.project.configuration.warnings)

    def make(chosen: Sequence[_Row], more: str) -> Reply:
        warned = [f"warning: {clean_line(warning)}" for warning in warnings]
        lines = "\n".join(row.line for row in chosen)
        listed = request.fence(lines) if chosen else "There is no tree."
        data: dict[str, Any] = {"trees": [row.place for row in chosen]}
        data |= {"warnings": warnings} if warnings else {}
        return request.reply("\n".join([listed, *warned]), data, more)

    return list_draft(rows, request["offset"], make)


def _top_folders(project: Project, trees: Sequence[str]) -> Callable[[str], Sequence[str]]:
    def of(tree: str) -> Sequence[str]:
        listing = ListRequest(trees=(tree,), refresh=False)
        entries = list_folder(project, listing, most=0)
        ids = (entry.id if isinstance(entry, FolderEntry) else entry.doc_id for entry in entries)
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


def not_found_error(request: Request, report: ShowReport) -> NotFoundError:
    """Return the error for ids that name nothing; its hint tells if it is a tree or a folder."""
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


ANSWERS: Mapping[str, Callable[[Request], Draft]] = MappingProxyType(
    {
        "search": search,
        "get": get,
        "outline": outline,
        "context": context,
        "list_sources": list_sources,
        "verify": verify,
        "changes": changes,
    }
)
