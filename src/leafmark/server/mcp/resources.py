"""Documents and sections as resources: listed in pages, read by address, completed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leafmark.app import Project, list_documents, show_chunks
from leafmark.app.requests import ListRequest, ShowRequest
from leafmark.errors import NotFoundError, UsageError
from leafmark.model import DocumentEntry, count_of
from leafmark.render.terminal import clean, clean_line
from leafmark.server.mcp.addresses import address_of, id_of

__all__ = ["Page", "complete", "list_page", "no_cursor", "read"]

PAGE = 100
"""Documents on one page of the list."""

MOST_BYTES = 262_144
"""Of a resource no more is read at once; a section has an address of its own."""

MOST_VALUES = 100
"""As many completions as the protocol allows."""


class Page(NamedTuple):
    """Documents, and the cursor of the next page, None on the last one."""

    documents: Sequence[DocumentEntry]
    cursor: str | None


def list_page(project: Project, cursor: str | None) -> Page:
    """Return a page of documents, by id.

    Raises:
        UsageError: the cursor is none that was given.
    """
    found = list_documents(project, ListRequest(refresh=False))
    start = 0
    if cursor is not None:
        if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
            raise no_cursor(cursor)
        start = int(cursor)
    end = start + PAGE
    return Page(found[start:end], str(end) if end < len(found) else None)


def no_cursor(cursor: str) -> UsageError:
    """Say that no list gave this cursor."""
    return UsageError(f"there is no cursor {cursor[:40]!r}")


def read(project: Project, address: str) -> str:
    """Return the text that an address names; what is left out of a long one is said at its end.

    Raises:
        NotFoundError: it names nothing, or its source has changed since it was indexed.
    """
    wanted = id_of(address)
    if wanted is None:
        raise NotFoundError(
            f"there is no resource {clean_line(address[:200])}",
            hint="an address looks like leafmark://tree/path#section",
        )
    report = show_chunks(project, ShowRequest(ids=(wanted,), records=False, refresh=False))
    if not report.shown:
        near = tuple(address_of(each) for each in report.not_found[0][1])
        raise NotFoundError(f"there is no resource {clean_line(address)}", did_you_mean=near)
    text = report.shown[0].read_text
    if text is None:
        raise NotFoundError(
            f"{clean_line(address)} has changed since it was indexed", hint="ask again"
        )
    return _bounded(clean(text))


def _bounded(text: str) -> str:
    data = text.encode("utf-8", "replace")
    if len(data) <= MOST_BYTES:
        return text
    kept = data[:MOST_BYTES].decode("utf-8", "ignore")
    left = len(data) - MOST_BYTES
    return f"{kept}\n[{count_of(left, 'byte')} left out: read its sections, see outline]"


def complete(
    project: Project, argument: str, value: str, tree: str | None
) -> tuple[list[str], int]:
    """Return trees or paths that begin with `value`, at most a hundred, and how many there are."""
    if argument == "tree":
        found = [each.name for each in project.trees if each.name.startswith(value)]
    elif argument == "path":
        trees = (tree,) if tree and project.tree(tree) else ()
        documents = list_documents(project, ListRequest(trees=trees, refresh=False))
        paths = (each.doc_id.partition(":")[2] for each in documents)
        found = sorted({path for path in paths if path.startswith(value)})
    else:
        found = []
    return found[:MOST_VALUES], len(found)
