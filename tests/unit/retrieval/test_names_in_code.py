"""Names in source code are found by their parts, which is said of the name itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import Library

CODE = """package queue

// Tell how long it is.
func (q *SendQueue) NumQueued() int { return q.lenLocked() }

// Take one.
func popOne(newest bool) error { return nil }
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path, t={"queue.go": CODE, "notes.md": "# Notes\n\nSee `NumQueued`.\n"})


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("num queued", {"queue.go#SendQueue.NumQueued"}),
        ("body:queued", {"queue.go#SendQueue.NumQueued"}),
        ("body:locked", {"queue.go#SendQueue.NumQueued"}),
        ("numqueued", {"queue.go#SendQueue.NumQueued", "notes.md#notes"}),
        ('"num queued"', {"queue.go#SendQueue.NumQueued"}),
        ('"queued len"', set()),
        ('"one newest"', set()),
        ('body:"newest bool"', {"queue.go#popOne"}),
    ],
)
def test_which_code_is_found(library: Library, query: str, expected: set[str]) -> None:
    assert set(library.find(query, fuzzy_distance=0)) == expected


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("num queued", ["NumQueued"]),
        ("body:locked", ["Locked"]),
        ('body:"len locked"', ["lenLocked"]),
        ("lock*", ["Locked"]),
        ("send long", ["long", "Send"]),
    ],
)
def test_the_parts_are_marked_in_their_names(
    library: Library, query: str, marked: list[str]
) -> None:
    answer = library.search(query, aggregation=False, fuzzy_distance=0)
    (result,) = [one for one in answer.results if one.entry.slug == "SendQueue.NumQueued"]
    body = (result.body or "").encode()
    assert [body[start:end].decode() for start, end in result.match_ranges] == marked
