"""The pages of what changed, of one document, and of the state of the index; each by its address.

Names in the address of what changed are revisions and never folders: no path of a request is read.
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
"""Blocks of one section that are shown beside each other."""

MAX_LISTED = 200
"""Documents in the list beside them, and names and links that broke."""

MAX_REVISIONS = 100
"""Tags and branches that are offered, and as many commits; any other can be typed."""


class ChangedDocument(NamedTuple):
    """A document with those of its changed sections that the page shows."""

    change: DocumentChange
    sections: Sequence[ChangedSection]
    number: int


class ChangedSection(NamedTuple):
    """A section on both sides, as HTML; `left` blocks are not shown."""

    change: SectionChange
    said: str
    blocks: Sequence[Markup]
    left: int


def changes_request(old: str, new: str, trees: Sequence[str], *, links: bool) -> DiffRequest:
    """Return the comparison of two revisions; "" is the last commit, then the working files."""
    first = old or ("HEAD" if new else None)
    return DiffRequest(first, new or None, tuple(trees), links=links, revisions_only=True)


def changes_page(visit: Visit) -> str:
    """Return the page; what is wrong with a revision is told on it."""
    address = visit.address
    problem: LeafmarkError | None = None
    report: DiffReport | None = None
    revisions = RevisionList()
    try:
        revisions = _offered(visit)
        wanted = changes_request(address["old"], address["new"], address.all("tree"), links=True)
        report = diff_project(visit.project, wanted)
    except (NotFoundError, UsageError) as error:
        problem = error
    return render_page(
        "changes.html",
        visit,
        problem=problem,
        report=report,
        revisions=revisions,
        **(_shown(report, address) if report is not None else {}),
    )


def _offered(visit: Visit) -> RevisionList:
    """Return tags and branches, and the last commits of the main line where there are any."""
    references = list_revisions(visit.project, limit=MAX_REVISIONS).references
    try:
        commits = list_revisions(visit.project, "..HEAD", limit=MAX_REVISIONS).commits
    except NotFoundError:  # nothing is committed yet: the comparison says so
        commits = ()
    return RevisionList(references, commits)


def _shown(report: DiffReport, address: Address) -> dict[str, Any]:
    documents = report.comparison.documents
    fate = address["fate"] if address["fate"] in FATES else ""
    kept = [one for one in documents if not fate or any(map(_has(fate), one.changes))]
    total = sum(_number(one, fate) for one in kept)
    offset = min(address.number("offset", 0), max(0, total - 1))
    counts = Counter(each for one in documents for change in one.changes for each in change.fates)
    following = offset + PAGE_SECTIONS
    return {
        "fate": fate,
        "fates": [(name, counts[name]) for name in FATES if counts[name]],
        "listed": [(one, _number(one, fate)) for one in kept[:MAX_LISTED]],
        "more_documents": max(0, len(kept) - MAX_LISTED),
        "documents": list(_page(kept, fate, offset)),
        "total": total,
        "offset": offset,
        "following": following if following < total else None,
        "broken": report.broken[:MAX_LISTED],
        "links": report.links[:MAX_LISTED],
        "starts": _starts(kept, fate),
        "numbers": {one.document.id: place for place, one in enumerate(kept, start=1)},
        "page_sections": PAGE_SECTIONS,
    }


def _has(fate: str) -> Callable[[SectionChange], bool]:
    return lambda change: not fate or fate in change.fates


def _number(document: DocumentChange, fate: str) -> int:
    """Return how many places a document takes: one for itself where no section differs."""
    return max(1, sum(map(_has(fate), document.changes)))


def _starts(documents: Sequence[DocumentChange], fate: str) -> dict[str, int]:
    """Return by document id the offset of the page that it is on."""
    found, at = {}, 0
    for one in documents:
        found[one.document.id] = at // PAGE_SECTIONS * PAGE_SECTIONS
        at += _number(one, fate)
    return found


def _page(documents: Sequence[DocumentChange], fate: str, offset: int) -> Iterator[ChangedDocument]:
    """Yield the documents of which a section is among those from `offset` on."""
    at = 0
    for one in documents:
        number = _number(one, fate)
        first, last = max(0, offset - at), min(number, offset + PAGE_SECTIONS - at)
        at += number
        if first < last:
            changes = filter(_has(fate), one.changes)
            yield ChangedDocument(one, [*map(_section, islice(changes, first, last))], number)


def _section(change: SectionChange) -> ChangedSection:
    blocks = shown_blocks(change)
    shown = [Markup(sides(block)) for block in blocks[:MAX_BLOCKS]]
    return ChangedSection(change, describe_change(change), shown, len(blocks) - len(shown))


# One document: its tree beside its text.


VIEWS = ("rendered", "source")


def document_page(visit: Visit) -> str:
    """Raises what `read_document` does."""
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
    asked = address.number("part", 0)
    part = min(asked - 1, text.count - 1) if asked else text.part_of(at)
    shown = text.count > 0
    fragments = text.shown(part, view) if shown else ()
    return render_page(
        "document.html",
        visit,
        text=text,
        part=part,
        fragments=fragments,
        span=text.lines(part) if shown else (1, 1),
        pane=open_pane(visit, reading, "none", mark, None),
        **common,
    )


def status_page(visit: Visit, activity: Activity) -> str:
    """Raises what `project_status` does."""
    report = project_status(visit.project)
    return render_page(
        "status.html",
        visit,
        report=report,
        activity=activity,
        reasons=Counter(one.reason for one in report.skipped).most_common(),
        skipped=report.skipped[:_MAX_LISTED],
        diagnostics=report.diagnostics[:_MAX_LISTED],
    )


_MAX_LISTED = 200
"""Skipped sources and diagnostics on the page; the API has all of them."""


def help_page(visit: Visit) -> str:
    return render_page("help.html", visit, editors=EDITORS)
