"""The pages of changes, of one document, and of the state of the index; each by its address.

Names in the address of the changes are revisions and never folders: no path of a request is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from markupsafe import Markup

from leafmark.app import project_status, read_document, text_marker
from leafmark.app.history import diff_project, list_revisions
from leafmark.app.requests import DiffRequest
from leafmark.errors import LeafmarkError, NotFoundError, UsageError
from leafmark.history import FATES, DiffReport, DocumentChange, RevisionList, SectionChange
from leafmark.render.changes import describe_change, shown_blocks, sides
from leafmark.server.web.document_parts import outline
from leafmark.server.web.search_page import open_pane, section_text
from leafmark.server.web.visits import EDITORS, Address, Visit, render_page
from leafmark.server.workspace import Activity

PAGE_SECTIONS = 60
"""Changed sections on a page; more follow on request."""

MAX_BLOCKS = 30
"""Most blocks of one section that are shown side by side."""

MAX_LISTED = 200
"""Most documents in the side list, and most broken names and links."""

MAX_REVISIONS = 100
"""Most tags and branches to choose from, and as many commits; any other can be typed."""


class ChangedDocument(NamedTuple):
    """A document with its changed sections on this page; `number` is how many places it takes."""

    change: DocumentChange
    sections: Sequence[ChangedSection]
    number: int


class ChangedSection(NamedTuple):
    """The two sides of a section as HTML; `left` counts the blocks that are not shown."""

    change: SectionChange
    description: str
    blocks: Sequence[Markup]
    left: int


def changes_page(visit: Visit) -> str:
    """Return the page, with the error if something is wrong with a revision."""
    address = visit.address
    problem: LeafmarkError | None = None
    report: DiffReport | None = None
    revisions = RevisionList()
    try:
        revisions = _list_choices(visit)
        request = _request(address)
        report = diff_project(visit.project, request)
    except (NotFoundError, UsageError) as error:
        problem = error
    return render_page(
        "changes.html",
        visit,
        problem=problem,
        report=report,
        revisions=revisions,
        **(_page_values(report, address) if report is not None else {}),
    )


def _request(address: Address) -> DiffRequest:
    """Return the comparison of two revisions; by default the last commit and the working files."""
    old, new = address["old"] or ("HEAD" if address["new"] else None), address["new"] or None
    return DiffRequest(old, new, address.all("tree"), revisions_only=True)


def _list_choices(visit: Visit) -> RevisionList:
    """Return tags and branches, and the last commits of the main line if there are any."""
    references = list_revisions(visit.project, limit=MAX_REVISIONS).references
    try:
        commits = list_revisions(visit.project, "..HEAD", limit=MAX_REVISIONS).commits
    except NotFoundError:  # nothing is committed yet: the comparison says so
        commits = ()
    return RevisionList(references, commits)


def _page_values(report: DiffReport, address: Address) -> dict[str, Any]:
    documents = report.comparison.documents
    fate = address["fate"] if address["fate"] in FATES else ""
    listed = [change for change in documents if not fate or any(map(_has(fate), change.changes))]
    total = sum(_number(document, fate) for document in listed)
    offset = min(address.number("offset", 0), max(0, total - 1))
    counts = Counter(
        name for document in documents for change in document.changes for name in change.fates
    )
    following = offset + PAGE_SECTIONS
    return {
        "fate": fate,
        "fates": [(name, counts[name]) for name in FATES if counts[name]],
        "listed": [(document, _number(document, fate)) for document in listed[:MAX_LISTED]],
        "more_documents": max(0, len(listed) - MAX_LISTED),
        "documents": list(_page(listed, fate, offset)),
        "total": total,
        "offset": offset,
        "following": following if following < total else None,
        "broken": report.broken[:MAX_LISTED],
        "links": report.links[:MAX_LISTED],
        "starts": _starts(listed, fate),
        "numbers": {document.document.id: place for place, document in enumerate(listed, start=1)},
        "page_sections": PAGE_SECTIONS,
    }


def _has(fate: str) -> Callable[[SectionChange], bool]:
    return lambda change: not fate or fate in change.fates


def _number(document: DocumentChange, fate: str) -> int:
    """Return how many places a document takes: its changed sections, or one without any."""
    return max(1, sum(map(_has(fate), document.changes)))


def _starts(documents: Sequence[DocumentChange], fate: str) -> dict[str, int]:
    """Return the offset of the page that each document begins on, by document id."""
    offsets, at = {}, 0
    for change in documents:
        offsets[change.document.id] = at // PAGE_SECTIONS * PAGE_SECTIONS
        at += _number(change, fate)
    return offsets


def _page(documents: Sequence[DocumentChange], fate: str, offset: int) -> Iterator[ChangedDocument]:
    """Yield the documents on the page that begins at `offset`, with their sections on it."""
    at = 0
    for document in documents:
        number = _number(document, fate)
        first, last = max(0, offset - at), min(number, offset + PAGE_SECTIONS - at)
        at += number
        if first < last:
            changes = filter(_has(fate), document.changes)
            yield ChangedDocument(document, [*map(_section, islice(changes, first, last))], number)


def _section(change: SectionChange) -> ChangedSection:
    blocks = shown_blocks(change)
    shown = [Markup(sides(block)) for block in blocks[:MAX_BLOCKS]]
    return ChangedSection(change, describe_change(change), shown, len(blocks) - len(shown))


# One document: its tree beside its text.


VIEWS = ("rendered", "source")


def document_page(visit: Visit) -> str:
    """Raises the errors of `read_document`."""
    address = visit.address
    reading = read_document(visit.project, address["id"])
    view = address["view"] if address["view"] in VIEWS else "rendered"
    entry = reading.entry
    common: dict[str, Any] = {
        "reading": reading,
        "view": view,
        "views": VIEWS,
        "nodes": () if address["bare"] else outline(reading.chunks, entry.position),
        "pieces": Counter(c.parent_position for c in reading.chunks if c.kind == "piece"),
    }
    if reading.data is None:
        return render_page("document.html", visit, text=None, part=0, fragments=(), **common)
    mark = text_marker(visit.project, address["q"])
    text = section_text(visit, reading, None, mark)
    at = entry.byte_start if entry.heading_start is None else entry.heading_start
    number = address.number("part", 0)
    part = min(number - 1, text.count - 1) if number else text.part_of(at)
    has_text = text.count > 0
    fragments = text.shown(part, view) if has_text else ()
    return render_page(
        "document.html",
        visit,
        text=text,
        part=part,
        fragments=fragments,
        span=text.lines(part) if has_text else (1, 1),
        pane=open_pane(visit, reading, "none", mark, None),
        **common,
    )


def status_page(visit: Visit, activity: Activity) -> str:
    """Raises the errors of `project_status`."""
    report = project_status(visit.project)
    return render_page(
        "status.html",
        visit,
        report=report,
        activity=activity,
        reasons=Counter(source.reason for source in report.skipped).most_common(),
        skipped=report.skipped[:_MAX_LISTED],
        diagnostics=report.diagnostics[:_MAX_LISTED],
    )


_MAX_LISTED = 200
"""Most skipped sources and diagnostics on the page; the API returns all of them."""


def help_page(visit: Visit) -> str:
    return render_page("help.html", visit, editors=EDITORS)
