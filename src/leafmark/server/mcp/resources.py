"""Documents and sections as resources: listed in pages, read by address, completed.

An address, `leafmark://tree/path#slug`, is an id whose characters that a URI may not hold are
percent-encoded once more; it is decoded to an id and looked up, never joined to a path. With a
query, `leafmark://tree/path?at=REV#slug`, it names the text of the id at a revision.
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
"""Most bytes of a resource that one read returns; a section has an address of its own."""

MAX_VALUES = 100
"""Most completions that the protocol allows."""

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
    """Return the id that an address names, None for an address of another kind.

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
    """Return the address without its query, and the revision that the query names.

    >>> split_revision("leafmark://docs/a.md?at=v1.0#b")
    ('leafmark://docs/a.md#b', 'v1.0')
    """
    match = _AT.search(address)
    if match is None:
        return address, None
    return address[: match.start()] + address[match.end() :], unquote(match[1])


class Page(NamedTuple):
    """Documents, and the cursor of the next page, None on the last one."""

    documents: Sequence[DocumentEntry]
    cursor: str | None


def list_page(project: Project, cursor: str | None) -> Page:
    """Return a page of documents, by id.

    Raises:
        UsageError: no page has given this cursor.
    """
    from leafmark.app import list_documents
    from leafmark.app.requests import ListRequest

    documents = list_documents(project, ListRequest(refresh=False))
    start = 0
    if cursor is not None:
        if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
            raise cursor_error(cursor)
        start = int(cursor)
    end = start + PAGE
    return Page(tuple(documents[start:end]), str(end) if end < len(documents) else None)


def cursor_error(cursor: str) -> UsageError:
    """Return the error for a cursor that no list has given."""
    return UsageError(f"there is no cursor {cursor[:40]!r}")


def read(project: Project, address: str) -> str:
    """Return the text of an address; a long text is cut, and its end says how much is left out.

    Raises:
        NotFoundError: it names nothing, or its source has changed since it was indexed.
    """
    from leafmark.app import show_chunks
    from leafmark.app.requests import ShowRequest
    from leafmark.render.terminal import clean, clean_line

    plain, revision = split_revision(address)
    chunk_id = id_of(plain)
    if chunk_id is not None and revision is not None:
        from leafmark.app.history import project_at  # late: revisions are rarely used

        project = project_at(project, revision)
    if chunk_id is None:
        raise NotFoundError(
            f"there is no resource {clean_line(address[:200])}",
            hint="an address looks like leafmark://tree/path#section",
        )
    report = show_chunks(project, ShowRequest(ids=(chunk_id,), records=False, refresh=False))
    if not report.shown:
        near = tuple(address_of(near_id) for near_id in report.not_found[0][1])
        raise NotFoundError(f"there is no resource {clean_line(address)}", did_you_mean=near)
    text = report.shown[0].read_text
    if text is None:
        raise NotFoundError(
            f"{clean_line(address)} has changed since it was indexed", hint="ask again"
        )
    return _shorten(clean(text))


def _shorten(text: str) -> str:
    from leafmark.model import count_of

    data = text.encode("utf-8", "replace")
    if len(data) <= MAX_BYTES:
        return text
    shown = data[:MAX_BYTES].decode("utf-8", "ignore")
    left = len(data) - MAX_BYTES
    return f"{shown}\n[{count_of(left, 'byte')} left out: read its sections, see outline]"


def complete(
    project: Project, argument: str, value: str, tree: str | None
) -> tuple[list[str], int]:
    """Return trees or paths that contain `value`, at most `MAX_VALUES`, and their total number.

    First come those that begin with it, then, ignoring case, those with a word that does.
    """
    if argument == "tree":
        names = [item.name for item in project.trees]
    elif argument == "path":
        from leafmark.app import list_documents
        from leafmark.app.requests import ListRequest

        trees = (tree,) if tree and project.tree(tree) else ()
        ids = list_documents(project, ListRequest(trees=trees, refresh=False)).ids
        names = sorted({doc_id.partition(":")[2] for doc_id in ids})
    else:
        names = []
    matches = _rank_matches(names, value)
    return matches[:MAX_VALUES], len(matches)


def _rank_matches(names: Sequence[str], value: str) -> list[str]:
    folded_value = value.casefold()
    begins_a_name = re.compile(r"(?:^|[^\w])" + re.escape(folded_value))
    ranked = []
    for name in names:
        folded = name.casefold()
        if folded_value in folded:
            rank = 0 if name.startswith(value) else 1 if begins_a_name.search(folded) else 2
            ranked.append((rank, name))
    return [name for _, name in sorted(ranked, key=lambda match: match[0])]
