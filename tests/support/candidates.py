"""Entries and candidates without an index: a tree of chunks as nested tuples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leafmark.model import Candidate, Entry
from leafmark.search.grain import Introduce
from leafmark.search.order import ChunkKey, key_of

Outline = Sequence[Any]
"""`[title, child, child, …]`, each child an outline; a title may be `(title, depth)`."""


def make_entry(**fields: Any) -> Entry:
    """An entry with defaults for what a test does not care about."""
    given: dict[str, Any] = {
        "tree": "t",
        "path": "a.md",
        "position": 0,
        "parent_position": -1,
        "parent_fragment": "",
        "last_position": 0,
        "kind": "document",
        "depth": 0,
        "title": "A",
        "slug": None,
        "piece": 0,
        "byte_start": 0,
        "byte_end": 10,
        "heading_start": None,
        "heading_end": None,
        "line_start": 1,
        "line_end": 1,
        "sibling_count": 1,
        "body_spans": ((0, 10),),
        "section_path": ("A",),
        "content_type": "prose",
        "block_types": (),
    }
    return Entry(**(given | fields))


@dataclass
class Forest:
    """Documents of chunks, found by key, by id, and by their children."""

    entries: dict[ChunkKey, Entry] = field(default_factory=dict)
    looked_up: list[str] = field(default_factory=list)

    def add(self, path: str, outline: Outline) -> None:
        rows: list[dict[str, Any]] = []
        _number(outline, -1, 0, 1, rows)
        for row in rows:
            start, end = 10 * row["position"], 10 * row["last_position"] + 10
            own = (start, start + 10)
            entry = make_entry(path=path, byte_start=start, byte_end=end, body_spans=(own,), **row)
            self.entries[key_of(entry)] = entry

    def find_parent(self, entry: Entry) -> Entry:
        assert entry.parent_position >= 0
        self.looked_up.append(entry.id)
        return self.entries[entry.tree, entry.path, entry.parent_position]

    def find_next(self, entry: Entry) -> Entry:
        return self.entries[entry.tree, entry.path, entry.position + 1]

    @property
    def introduce(self) -> Introduce:
        return Introduce(self.find_next)

    def by_id(self, chunk_id: str) -> Entry:
        return next(entry for entry in self.entries.values() if entry.id == chunk_id)

    def ancestors(self, entry: Entry) -> list[Entry]:
        found = []
        while entry.parent_position >= 0:
            entry = self.entries[entry.tree, entry.path, entry.parent_position]
            found.append(entry)
        return found


def _number(
    outline: Outline, parent: int, depth: int, siblings: int, rows: list[dict[str, Any]]
) -> None:
    title, *children = outline
    if isinstance(title, tuple):
        title, depth = title
    at = len(rows)
    row: dict[str, Any] = {
        "position": at,
        "parent_position": parent,
        "parent_fragment": f"#{rows[parent]['slug']}" if parent > 0 else "",
        "kind": "section" if depth else "document",
        "depth": depth,
        "title": title,
        "slug": title if depth else None,
        "sibling_count": siblings,
    }
    rows.append(row)
    for child in children:
        _number(child, at, depth + 1, len(children), rows)
    row["last_position"] = len(rows) - 1


def match(entry: Entry, score: float, *, relaxed: bool = False, topic: int = 0) -> Candidate:
    """A chunk that matched by itself."""
    return Candidate(entry, score, relaxed, (topic,), score)


def shape(candidates: Sequence[Candidate]) -> list[Any]:
    """Ids, with the constituents of each in a list after it."""
    found: list[Any] = []
    for one in candidates:
        found.append(one.entry.id)
        if one.constituents:
            found.append(shape(one.constituents))
    return found


def all_matched(candidates: Sequence[Candidate]) -> set[str]:
    """The ids of all that matched by itself, at any depth."""
    found: set[str] = set()
    for one in candidates:
        if one.direct_score is not None:
            found.add(one.entry.id)
        found |= all_matched(one.constituents)
    return found


def count_by(sizes: Mapping[str, int]) -> Callable[[Entry], int]:
    """A measure of texts that knows a size by id, 1 for others."""
    return lambda entry: sizes.get(entry.id, 1)
