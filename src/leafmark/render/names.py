"""What documents and chunks are called in texts for people: titles, versions, tags."""

from __future__ import annotations

from collections.abc import Iterable

from leafmark.model import BETWEEN_TITLES, Chunk, Document, DocumentEntry, Entry, format_breadcrumb
from leafmark.render.terminal import fold

__all__ = [
    "breadcrumb_of",
    "joined_titles",
    "line_range",
    "size_flags",
    "unit_of",
    "version_and_tags",
]


def joined_titles(titles: Iterable[str]) -> str:
    """Return the titles of a section path on one line.

    >>> joined_titles(["Guide", "Set\\nup"])
    'Guide › Set up'
    """
    return BETWEEN_TITLES.join(fold(title) for title in titles)


def breadcrumb_of(entry: Chunk | Entry) -> str:
    """Return the breadcrumb on one line; `Entry.breadcrumb` is as the source has it."""
    return format_breadcrumb(map(fold, entry.section_path))


def version_and_tags(document: Document | DocumentEntry) -> str:
    """Return ` (v3) [jira, api]`, to stand behind a title; nothing for what it does not have."""
    version = f" (v{fold(document.version).removeprefix('v')})" if document.version else ""
    tags = f" [{', '.join(fold(tag) for tag in document.tags)}]" if document.tags else ""
    return version + tags


def line_range(first: int, last: int) -> str:
    """Return the name of some lines, 1-based and inclusive.

    >>> line_range(3, 3), line_range(3, 5)
    ('line 3', 'lines 3–5')
    """
    return f"line {first}" if first == last else f"lines {first}–{last}"


def unit_of(tokenizer: str) -> str:
    """Return the noun for what a tokenizer counts."""
    return "character" if tokenizer == "characters" else "token"


def size_flags(chunk: Chunk) -> list[str]:
    """Return what is to be said of a chunk's size, if anything is."""
    return [name for name in ("oversize", "undersize") if getattr(chunk, name)]
