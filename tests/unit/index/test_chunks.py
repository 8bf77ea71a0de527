"""Where chunks lie, in segments merged in any order, and the sources that hold some words."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tantivy
from hypothesis import example, given
from hypothesis import strategies as st
from support.library import Library

from leafmark.index.embedded.chunks import Recent, Runs, scan_records

Chunk = tuple[str, int]
"""Document id and position."""


class _Searcher:
    """Segments of chunks, asked as the engine is."""

    def __init__(self, segments: list[list[Chunk]]):
        self._segments = segments

    def _at(self, address: tantivy.DocAddress) -> Chunk:
        segment = self._segments[address.segment_ord]
        if address.doc >= len(segment):
            raise ValueError(f"Failed to lookup Doc #{address.doc}.")
        return segment[address.doc]

    def doc(self, address: tantivy.DocAddress) -> Any:
        return SimpleNamespace(get_first=lambda _field: self._at(address)[0])

    def fast_field_values(self, _field: str, addresses: list[tantivy.DocAddress]) -> list[int]:
        return [self._at(address)[1] for address in addresses]


def _stored(doc_id: str, count: int) -> Any:
    return SimpleNamespace(entry=SimpleNamespace(doc_id=doc_id, chunk_count=count))


@st.composite
def layouts(draw: st.DrawFn) -> tuple[dict[str, int], list[list[Chunk]]]:
    """Sources with their counts, written in a row that segments cut, and these merged."""
    counts = draw(st.lists(st.integers(1, 4), min_size=1, max_size=8))
    row = [(str(number), at) for number, count in enumerate(counts) for at in range(count)]
    cuts = sorted(draw(st.sets(st.integers(1, len(row)), max_size=5)) | {0, len(row)})
    segments = [row[start:end] for start, end in pairwise(cuts)]
    merged = draw(st.permutations(segments))
    joined = draw(st.integers(0, len(merged)))
    first = [chunk for segment in merged[:joined] for chunk in segment]
    return {str(number): count for number, count in enumerate(counts)}, [first, *merged[joined:]]


@given(layouts())
@example(
    ({"0": 2, "1": 3}, [[("0", 0), ("1", 0), ("0", 1), ("1", 2)], [("1", 1)]]),
).via("a source that segments part twice, with another's chunk in its place")
def test_a_known_source_is_the_one_of_the_chunk(
    layout: tuple[dict[str, int], list[list[Chunk]]],
) -> None:
    counts, segments = layout
    searcher: Any = _Searcher(segments)
    runs = Runs(searcher, 100)
    places = [
        (tantivy.DocAddress(number, at), chunk)
        for number, segment in enumerate(segments)
        for at, chunk in enumerate(segment)
    ]
    for address, (doc_id, position) in places:
        runs.learn(address, position, _stored(doc_id, counts[doc_id]))
    for address, (doc_id, position) in places:
        found = runs.find(address, position)
        first = address.doc - position
        run = [(doc_id, at) for at in range(counts[doc_id])]
        beside = first >= 0 and segments[address.segment_ord][first : first + len(run)] == run
        assert (None if found is None else found.entry.doc_id) == (doc_id if beside else None)


def test_what_was_put_first_is_forgotten_first() -> None:
    recent: Recent[str, int] = Recent(2)
    for number, name in enumerate("abc"):
        recent.put(name, number)
    assert [recent.get(name) for name in "abc"] == [None, 1, 2]
    assert len(recent) == 2


TEXTS = {
    "a.md": "# Guide\n\n## Straße nach É\n\nx\n",
    "b.md": '# "Quoted" Guide\n\n## B\\C\n\nx\n',
    "c.md": "# 日本\n\n## ＡＢＣ\n\nx\n",
    "empty.md": "",
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path, t=TEXTS)


@pytest.mark.parametrize(
    ("wanted", "paths"),
    [
        ([["guide"]], ["a.md", "b.md"]),
        ([["guide", "strasse"]], ["a.md"]),
        ([["strasse"], ["abc"]], ["a.md", "c.md"]),
        ([["é"]], ["a.md"]),
        ([["日"]], ["c.md"]),
        ([["quoted"], ["nowhere"]], ["b.md"]),
        ([["nowhere"]], []),
        ([], []),
        ([[]], ["a.md", "b.md", "c.md"]),
    ],
)
def test_all_words_of_one_collection_in_any_case_and_spelling(
    library: Library, wanted: list[list[str]], paths: list[str]
) -> None:
    reader = library.reader
    found = scan_records(reader.engine, reader.searcher, wanted)
    assert sorted(stored.entry.path for stored in found) == paths
