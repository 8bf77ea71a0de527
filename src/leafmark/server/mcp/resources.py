"""Documents and sections as resources: listed in pages, read by address, completed.

An address, `leafmark://tree/path#slug`, is an id with what a URI may not hold percent-encoded
once more; it is decoded to an id and looked up, never joined to a path. With a query,
`leafmark://tree/path?at=REV#slug`, it names what the id named at a revision.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

from leafmark.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from leafmark.app import Project
    from leafmark.model import DocumentEntry

SCHEME = "leafmark://"
TEMPLATE = SCHEME + "{tree}/{+path}"

PAGE = 100
"""Documents on one page of the list."""

MAX_BYTES = 262_144
"""Of a resource no more is read at once; a section has an address of its own."""

MAX_VALUES = 100
"""As many completions as the protocol allows."""

_AT = re.compile(r"\?at=([^#&]+)")
_SAFE = "/-._~!$&'()*+,;=:@"


def address_of(chunk_id: str) -> str:
    """
    >>> address_of("docs:a b/ü%23.md#über-uns~2")
    'leafmark://docs/a%20b/%C3%BC%2523.md#%C3%BCber-uns~2'
    """
    tree, _, rest = chunk_id.partition(":")
    path, sharp, fragment = rest.partition("#")
    return f"{SCHEME}{tree}/{quote(path, safe=_SAFE)}{sharp}{quote(fragment, safe=_SAFE)}"


def id_of(address: str) -> str | None:
    """Return the id that an address names, None where it is none of ours.

    >>> id_of("leafmark://docs/a%20b/%C3%BC%2523.md#%C3%BCber-uns~2")
    'docs:a b/ü%23.md#über-uns~2'
    >>> id_of("file:///etc/passwd") is None
    True
    """
    if not address.startswith(SCHEME):
        return None
    tree, slash, rest = address.removeprefix(SCHEME).partition("/")
    return f"{tree}:{unquote(rest)}" if tree and slash and rest else None


def split_revision(address: str) -> tuple[str, str | None]:
    """Return the address without its query, and the revision that this names.

    >>> split_revision("leafmark://docs/a.md?at=v1.0#b")
    ('leafmark://docs/a.md#b', 'v1.0')
    """
    found = _AT.search(address)
    if found is None:
        return address, None
    return address[: found.start()] + address[found.end() :], unquote(found[1])


class Page(NamedTuple):
    """Documents, and the cursor of the next page, None on the last one."""

    documents: Sequence[DocumentEntry]
    cursor: str | None


def list_page(project: Project, cursor: str | None) -> Page:
    """Return a page of documents, by id.

    Raises:
        UsageError: the cursor is none that was given.
    """
    from leafmark.app import list_documents
    from leafmark.app.requests import ListRequest

    found = list_documents(project, ListRequest(refresh=False))
    start = 0
    if cursor is not None:
        if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
            raise no_cursor(cursor)
        start = int(cursor)
    end = start + PAGE
    return Page(tuple(found[start:end]), str(end) if end < len(found) else None)


def no_cursor(cursor: str) -> UsageError:
    """Say that no list gave this cursor."""
    return UsageError(f"there is no cursor {cursor[:40]!r}")


def read(project: Project, address: str) -> str:
    """Return the text that an address names; what is left out of a long one is said at its end.

    Raises:
        NotFoundError: it names nothing, or its source has changed since it was indexed.
    """
    from leafmark.app import show_chunks
    from leafmark.app.requests import ShowRequest
    from leafmark.render.terminal import clean, clean_line

    plain, revision = split_revision(address)
    wanted = id_of(plain)
    if wanted is not None and revision is not None:
        from leafmark.app.history import project_at  # late: few ask for a revision

        project = project_at(project, revision)
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
    from leafmark.model import count_of

    data = text.encode("utf-8", "replace")
    if len(data) <= MAX_BYTES:
        return text
    kept = data[:MAX_BYTES].decode("utf-8", "ignore")
    left = len(data) - MAX_BYTES
    return f"{kept}\n[{count_of(left, 'byte')} left out: read its sections, see outline]"


def complete(
    project: Project, argument: str, value: str, tree: str | None
) -> tuple[list[str], int]:
    """Return trees or paths with `value` in them, at most a hundred, and how many there are.

    Those that begin with it come first, then those with a name that does, in any case.
    """
    if argument == "tree":
        names = [each.name for each in project.trees]
    elif argument == "path":
        from leafmark.app import list_documents
        from leafmark.app.requests import ListRequest

        trees = (tree,) if tree and project.tree(tree) else ()
        ids = list_documents(project, ListRequest(trees=trees, refresh=False)).ids
        names = sorted({doc_id.partition(":")[2] for doc_id in ids})
    else:
        names = []
    found = _matching(names, value)
    return found[:MAX_VALUES], len(found)


def _matching(names: Sequence[str], value: str) -> list[str]:
    wanted = value.casefold()
    begins_a_name = re.compile(r"(?:^|[^\w])" + re.escape(wanted))
    found = []
    for name in names:
        folded = name.casefold()
        if wanted in folded:
            rank = 0 if name.startswith(value) else 1 if begins_a_name.search(folded) else 2
            found.append((rank, name))
    return [name for _, name in sorted(found, key=lambda each: each[0])]
