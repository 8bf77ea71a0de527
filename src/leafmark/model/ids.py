"""Ids of chunks: `tree:path`, `tree:path#slug`, `…~k`, the alias `tree:path.N`; breadcrumbs.

Ids are compared whole. No code derives an ancestor from the spelling of an id: ancestry
comes from parent links. Only the document part is read from an id: it is
unambiguous because a path inside an id holds no `#` and no `~`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from leafmark.environment import memo
from leafmark.errors import UsageError
from leafmark.patterns import lazy_pattern

BETWEEN_TITLES = " › "

DocumentKey = tuple[str, str]
"""The identity of a document or its source: tree and path."""


def format_breadcrumb(section_path: Iterable[str]) -> str:
    """Return the breadcrumb of a section path.

    >>> format_breadcrumb(["Guide", "Setup"])
    '> Guide › Setup'
    """
    return "> " + BETWEEN_TITLES.join(section_path)


TREE_NAME = lazy_pattern(r"[A-Za-z0-9._-]+")
"""The valid names of trees."""

PREAMBLE = "preamble"
"""The slug that selects a document's own body: `path#preamble`."""

_RESERVED = lazy_pattern(r"[%#~\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UNDECODABLE = lazy_pattern("[\udc80-\udcff]")


def check_tree_name(name: str) -> None:
    """Raise a UsageError if `name` is not a valid name for a tree."""
    if not TREE_NAME.fullmatch(name):
        raise UsageError(
            f"a tree cannot be called {name!r}", hint="use letters, digits, `.`, `_` and `-`"
        )


def encode_path(path: str) -> str:
    """Return `path` as it stands in ids: `%`, `#`, `~`, controls and undecodable bytes escaped.

    `path` uses `/`; bytes that are not UTF-8 are surrogate escapes, as `os.fsdecode` gives them.

    >>> encode_path("a b/100%~#1.md")
    'a b/100%25%7E%231.md'
    >>> encode_path("caf\\udce9.md")
    'caf%E9.md'
    """
    return _RESERVED.sub(_escape, path)


def decodable(path: str) -> str:
    """Return `path` with its undecodable bytes escaped as in ids, and nothing else.

    >>> decodable("100%/caf\\udce9.md")
    '100%/caf%E9.md'
    """
    return _UNDECODABLE.sub(_escape, path)


def _escape(match: re.Match[str]) -> str:
    raw = match[0].encode("utf-8", "surrogateescape" if _is_byte(match[0]) else "surrogatepass")
    return "".join(f"%{byte:02X}" for byte in raw)


def _is_byte(char: str) -> bool:
    """Whether a character stands for an undecodable byte; other surrogates are Windows' own."""
    return "\udc80" <= char <= "\udcff"


@memo(4096)  # a search computes the ids of the same documents again and again
def document_id(tree: str, path: str) -> str:
    return f"{tree}:{encode_path(path)}"


def fragment(slug: str | None, piece: int) -> str:
    """Return the part of an id after the document's id: `#slug`, `~k`, both or nothing.

    >>> fragment("setup", 2)
    '#setup~2'
    """
    name = "" if slug is None else f"#{slug}"
    return f"{name}~{piece}" if piece else name


def ordinal_id(doc_id: str, position: int) -> str:
    return f"{doc_id}.{position}"


def document_part(chunk_id: str) -> str:
    """Return the id of the document that a slug or piece id belongs to.

    >>> document_part("docs:a/b.md#setup~2")
    'docs:a/b.md'
    """
    return chunk_id.partition("#")[0].partition("~")[0]


def tree_name(folder: str) -> str:
    """Return `folder`'s name with `-` for every character that a tree name cannot hold.

    >>> tree_name("my docs (v2)")
    'my-docs--v2-'
    """
    return re.sub(r"[^A-Za-z0-9._-]", "-", folder) or "root"
