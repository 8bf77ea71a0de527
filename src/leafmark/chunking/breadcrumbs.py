"""Breadcrumbs as `text` has them: cut from the left where they would break the bound."""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.chunking.graphemes import next_boundary
from leafmark.chunking.tokens import Count
from leafmark.chunking.tree import SectionTree
from leafmark.model import format_breadcrumb

__all__ = ["BREADCRUMB_SHARE", "GAP", "path_of", "under_breadcrumb"]

BREADCRUMB_SHARE = 4
"""A breadcrumb keeps at least one in this many of `max_tokens` when it is shortened."""

GAP = "\n\n"
"""What parts a breadcrumb from the text below it."""


def under_breadcrumb(path: Sequence[str], rest: str, *, limit: int | None, count: Count) -> str:
    """Return `rest` below its breadcrumb, cut from the left as far as `limit` tokens ask for it.

    >>> under_breadcrumb(("Guide", "Installation"), "Body.", limit=29, count=len)
    '> Guide › Installation\\n\\nBody.'
    >>> under_breadcrumb(("Guide", "Installation"), "Body.", limit=28, count=len)
    '> … › Installation\\n\\nBody.'
    >>> under_breadcrumb(("Guide", "Installation"), "Body.", limit=24, count=len)
    '> …lation\\n\\nBody.'
    """
    text = _above(format_breadcrumb(path), rest)
    if limit is None or len(text) * 4 <= limit or count(text) <= limit:
        return text
    allowed = max(limit // BREADCRUMB_SHARE - count(GAP), limit - count(GAP + rest))
    return _above(_shortened(path, allowed, count), rest)


def _above(breadcrumb: str, rest: str) -> str:
    return breadcrumb + GAP + rest if rest else breadcrumb


def _shortened(path: Sequence[str], allowed: int, count: Count) -> str:
    breadcrumb = format_breadcrumb(path)
    while count(breadcrumb) > allowed and len(path) > 1:
        path = path[1:]
        breadcrumb = format_breadcrumb(("…", *path))
    title = path[-1]
    while count(breadcrumb) > allowed and len(title) > 1:
        title = title[next_boundary(title, (len(title) + 1) // 2) :]
        breadcrumb = f"> …{title}"
    return breadcrumb


def path_of(tree: SectionTree, node: int) -> tuple[str, ...]:
    """The section path of a node that is not a piece, as `ChunkedDocument.section_paths` has it."""
    titles: list[str] = []
    folded = tree.folded
    while node:
        if node != folded and tree.titles[node]:
            titles.append(tree.titles[node])
        node = tree.parents[node]
    titles.append(tree.titles[0])
    return tuple(reversed(titles))
