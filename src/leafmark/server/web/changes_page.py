"""The page of what changed: two revisions, or one and the working files, section by section.

Everything that it shows is decided by its address. Names in it are revisions and never folders:
no path of a request is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from markupsafe import Markup

from leafmark.app.history import diff_project, list_revisions
from leafmark.app.requests import DiffRequest
from leafmark.errors import LeafmarkError, NotFoundError, UsageError
from leafmark.history import FATES, DiffReport, DocumentChange, RevisionList, SectionChange
from leafmark.render.changes import describe_change
from leafmark.render.changespage import shown_blocks, sides
from leafmark.server.web.visits import Address, Visit, render_page

__all__ = ["changes_page", "changes_request"]

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
