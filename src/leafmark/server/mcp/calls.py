"""What is found, read and checked: one use case each, as text and as data, ready for a budget.

The tools that list what there is are in `listings`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from leafmark.app import (
    Project,
    find_context,
    search_project,
    show_chunks,
    verify_texts,
)
from leafmark.app.requests import (
    ContextRequest,
    SearchRequest,
    ShowRequest,
    VerifyRequest,
)
from leafmark.app.sources.folders import is_encodable
from leafmark.errors import ForbiddenError, NotFoundError
from leafmark.model import (
    Answer,
    Hint,
    Omission,
    Shown,
    ShowReport,
    Verified,
)
from leafmark.render.fitting import Texts
from leafmark.render.hints import PROGRAMS, word_hint
from leafmark.render.marks import omissions_of
from leafmark.render.packed import packed_result_record, packed_shown_record
from leafmark.render.places import Places
from leafmark.render.records import hint_records
from leafmark.render.searchtext import render_full
from leafmark.render.show import not_found_records, render_show
from leafmark.render.terminal import PLAIN, clean_line
from leafmark.render.verification import render_verification, summarise
from leafmark.server.mcp.listings import nothing_called
from leafmark.server.mcp.replies import Draft, Reply, list_draft
from leafmark.server.mcp.request import Request

__all__ = ["context", "get", "search", "verify"]


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
        answer = texts.at(steps, marks)
        data = {
            "query": answer.query,
            "results": [packed_result_record(result) for result in answer.results],
            "hints": hint_records(_hints(answer), PROGRAMS),
        }
        more = _more(omissions_of(answer), fewer=_only_places(answer))
        return request.reply(_search_text(request, answer), data, more)

    return Draft(texts.size, make)


def _search_text(request: Request, answer: Answer) -> str:
    hints = "".join(f"\nhint: {clean_line(word_hint(hint, PROGRAMS))}" for hint in _hints(answer))
    if not answer.results:
        return f"Nothing was found in the documents.{hints}"
    places = Places({}, "")
    return request.fence(render_full(answer, places, PLAIN)) + hints


def _hints(answer: Answer) -> tuple[Hint, ...]:
    """The hints of an answer that a program needs.

    Whoever gives topics has named them so, and needs no hint that words were taken for some.
    """
    return tuple(hint for hint in answer.hints if hint.code != "topics")


def _only_places(answer: Answer) -> bool:
    """Whether the places of several results took the room of all texts."""
    passages = (one for result in answer.results for one in result.passages or ())
    return len(answer.results) > 1 and all(isinstance(one, Omission) for one in passages)


def _more(left_out: Sequence[Omission], asked: Shown | None = None, *, fewer: bool = False) -> str:
    """Say what to ask for, from what was left out first: of what was `asked` for, its parts.

    The one section that a document consists of is what was asked for as well. With `fewer`
    results, the same budget would have texts.
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
    way += "a smaller limit, or " if fewer else ""
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
        raise nothing_called(request, found)
    texts = Texts(found)
    alone = found.shown[0] if len(found.shown) == 1 else None

    def make(steps: int, marks: bool) -> Reply:
        report = texts.at(steps, marks)
        data = {
            "results": [packed_shown_record(shown) for shown in report.shown],
            "not_found": not_found_records(report),
        }
        text = request.fence(render_show(report, PLAIN)) + _cited(report) + _missing(report)
        return request.reply(text, data, _more(omissions_of(report), alone))

    return Draft(texts.size, make)


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


def verify(request: Request) -> Draft:
    """Raises what `verify_texts` does."""
    (report,) = verify_texts(
        request.project, VerifyRequest(texts=(("-", request["text"]),), refresh=False)
    )
    report = report._replace(name="text")
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
