"""Each tool's answer: one use case, rendered as text and as data, ready to be cut to a budget."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leafmark.app import (
    Project,
    find_context,
    list_documents,
    list_trees,
    search_project,
    show_chunks,
    verify_texts,
)
from leafmark.app.folders import is_encodable
from leafmark.app.requests import (
    ContextRequest,
    ListRequest,
    SearchRequest,
    ShowRequest,
    VerifyRequest,
)
from leafmark.errors import ForbiddenError, NotFoundError
from leafmark.mcp_server.replies import Draft, Reply, fence, list_draft, new_mark
from leafmark.model import (
    Answer,
    DocumentEntry,
    Entry,
    Hint,
    Omission,
    Shown,
    ShowReport,
    TreeStatus,
    Verified,
    whole_range,
)
from leafmark.render.counts import count_of
from leafmark.render.fitting import Texts, TextsShown
from leafmark.render.hints import hints_for_programs
from leafmark.render.marks import omissions_of
from leafmark.render.outlines import outline_order
from leafmark.render.packed import packed_result_record, packed_shown_record
from leafmark.render.places import Places
from leafmark.render.records import hint_records
from leafmark.render.searchtext import render_full
from leafmark.render.show import render_show
from leafmark.render.terminal import PLAIN, clean_line
from leafmark.render.verification import render_verification, summarise
from leafmark.serving.workspace import Freshness

__all__ = ["Request", "context", "get", "list_sources", "outline", "search", "verify"]

_MOST_FOLDERS = 12
"""Top folders listed of a tree; chosen by eye."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call: the project, its checked arguments, and how fresh the index is.

    `mark` sets the text of documents apart; it is another one in every answer.
    """

    project: Project
    arguments: Mapping[str, Any]
    freshness: Freshness
    mark: str = field(default_factory=new_mark)

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def fence(self, text: str) -> str:
        return fence(text, self.mark)

    def names(self, name: str) -> tuple[Any, ...]:
        return tuple(self.arguments[name] or ())

    def reply(self, text: str, data: dict[str, Any], more: str) -> Reply:
        """Return the answer with what every answer holds; `more` says what to ask for next."""
        state, note = self.freshness, self.freshness.note
        index = {"state": state.state, "done": state.done, "total": state.total, "message": note}
        common = {"truncated": bool(more), "next": more, "index": index}
        lines = [
            text.rstrip("\n"),
            *([f"(more: {more})"] if more else []),
            *([note] if note else []),
        ]
        return Reply("\n".join(lines), data | common)


def search(request: Request) -> Draft:
    """Raises what `search_project` does."""
    found = search_project(
        request.project,
        SearchRequest(
            queries=(request["query"], *request.names("topics")),
            limit=request["limit"],
            trees=request.names("trees"),
            tags=request.names("tags"),
            since=request["since"],
            grain=request["grain"],
            strict=request["strict"],
            section=() if request["section"] is None else (request["section"],),
            expand=request.names("expand"),
            refresh=False,
            packed=True,
        ),
    )
    return _answer_draft(request, found)


def _answer_draft(request: Request, found: Answer) -> Draft:
    texts = Texts(found)

    def make(steps: int, marks: bool) -> Reply:
        answer = texts.answer(steps, marks)
        data = {
            "query": answer.query,
            "results": [packed_result_record(result) for result in answer.results],
            "hints": hint_records(_hints(answer)),
        }
        return request.reply(_search_text(request, answer), data, _more(omissions_of(answer)))

    return Draft(texts.size, make)


def _search_text(request: Request, answer: Answer) -> str:
    hints = "".join(f"\nhint: {clean_line(hint.message)}" for hint in _hints(answer))
    if not answer.results:
        return f"Nothing was found in the documents.{hints}"
    places = Places({}, "")
    return request.fence(render_full(answer, places, PLAIN)) + hints


def _hints(answer: Answer) -> tuple[Hint, ...]:
    """The hints of an answer, with the arguments that a program has in place of options.

    Whoever gives topics has named them so, and needs no hint that words were taken for some.
    """
    told = (hint for hint in answer.hints if hint.code != "topics")
    return hints_for_programs(told)


def _more(left_out: Sequence[Omission], asked: Shown | None = None) -> str:
    """Say what to ask for, from what was left out first: of what was `asked` for, its parts.

    The one section that a document consists of is what was asked for as well.
    """
    if not left_out:
        return ""
    name, tokens = left_out[0].id, sum(each.tokens for each in left_out)
    whole = [] if asked is None else [asked.entry, *asked.children[: len(asked.children) == 1]]
    entry = next((each for each in whole if each.id == name), None)
    if entry is None:
        way = f"get {name}, or "
    elif entry.last_position > entry.position:
        way = f"get parts of it, which outline {name} lists, or "
    else:
        way = ""
    return f"{way}a larger max_tokens; {tokens} tokens were left out"


def context(request: Request) -> Draft:
    """Raises what `find_context` does; files outside of the project are none."""
    files = [_inside(request.project, name) for name in request.names("files")]
    found = find_context(
        request.project,
        ContextRequest(
            tuple(files),
            SearchRequest(
                (),
                limit=request["limit"],
                trees=request.names("trees"),
                refresh=False,
                packed=True,
            ),
        ),
    )
    return _answer_draft(request, found)


def _inside(project: Project, name: str) -> str:
    """Return the file's path; a program may have this server read the project's files alone."""
    if not is_encodable(name):
        raise NotFoundError(f"there is no file {name!r}")
    path = os.path.realpath(project.directory / name)
    roots = [project.configuration.project, *(tree.root for tree in project.trees)]
    if not any(Path(path).is_relative_to(os.path.realpath(root)) for root in roots):
        raise ForbiddenError(f"the file is not in the project: {name}")
    return path


def get(request: Request) -> Draft:
    """Raises what `show_chunks` does; unknown ids are part of the answer."""
    found = show_chunks(
        request.project,
        ShowRequest(
            ids=request.names("ids"),
            own=request["own"],
            full_document=request["full_document"],
            expand=request.names("expand"),
            packed=True,
            records=False,
            refresh=False,
        ),
    )
    if not found.shown:
        raise _nothing(request, found)
    texts = TextsShown(found)
    alone = found.shown[0] if len(found.shown) == 1 else None

    def make(steps: int, marks: bool) -> Reply:
        report = texts.report(steps, marks)
        data = {
            "results": [packed_shown_record(shown) for shown in report.shown],
            "not_found": [
                {"id": name, "did_you_mean": list(near)} for name, near in report.not_found
            ],
        }
        text = request.fence(render_show(report, PLAIN)) + _cited(report) + _missing(report)
        return request.reply(text, data, _more(omissions_of(report), alone))

    return Draft(texts.size, make)


def _nothing(request: Request, report: ShowReport) -> NotFoundError:
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


def _missing(report: ShowReport) -> str:
    return "".join(
        f"\nnot found: {clean_line(name)}"
        + (f"; the nearest: {', '.join(map(clean_line, near))}" if near else "")
        for name, near in report.not_found
    )


def _cited(report: ShowReport) -> str:
    """The citations of what is shown, which `render_show` does not print."""
    found = [
        each.citation
        for shown in report.shown
        for each in shown.passages or ()
        if not isinstance(each, Omission) and each.citation is not None
    ]
    return "".join(f"\ncite as: [{clean_line(citation)}]" for citation in found)


def outline(request: Request) -> Draft:
    """Raises what `show_chunks` and `list_documents` do."""
    if request["id"] is None:
        return _documents(request)
    found = show_chunks(
        request.project,
        ShowRequest(ids=(request["id"],), outline=True, records=False, refresh=False),
    )
    if not found.shown:
        raise _nothing(request, found)
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
    folders: dict[str, list[str]] = {}
    for entry in documents:
        top = entry.path.partition("/")[0] + "/" * ("/" in entry.path)
        known = folders.setdefault(entry.tree, [])
        if top not in known:
            known.append(top)
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


def verify(request: Request) -> Draft:
    """Raises what `verify_texts` does."""
    (report,) = verify_texts(
        request.project, VerifyRequest(texts=(("text", request["text"]),), refresh=False)
    )
    counts = dict(report.counts)
    found = sorted(report.citations, key=lambda one: one.status == "ok")

    def make(kept: Sequence[Verified], left_out: int) -> Reply:
        more = f"a larger max_tokens; {left_out} citations left out" if left_out else ""
        cut = report._replace(citations=tuple(kept))
        lines = render_verification([cut], PLAIN, everything=True)
        data = {
            "ok": report.holds,
            "counts": counts,
            "citations": [
                {
                    "citation": one.citation,
                    "status": one.status,
                    "line": one.line,
                    "column": one.column,
                    "current": one.current,
                }
                for one in kept
            ],
        }
        return request.reply(f"{summarise([report])}\n{lines}", data, more)

    return list_draft(found, make)
