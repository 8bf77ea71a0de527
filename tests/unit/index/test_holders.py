"""The sources whose records hold some words, and where their chunks lie."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tantivy
from support.library import Library

from leafmark.index.embedded.holders import Holder, chunk_addresses, iter_holders

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
    found = iter_holders(reader.engine, reader.searcher, wanted)
    assert sorted(holder.stored.entry.path for holder in found) == paths


class _Segments:
    """Segments of chunks (document id and position), asked as the engine is."""

    def __init__(self, *segments: list[tuple[str, int]]):
        self._segments = segments

    def doc(self, address: tantivy.DocAddress) -> Any:
        segment = self._segments[address.segment_ord]
        if address.doc >= len(segment):
            raise ValueError("past the end")
        return SimpleNamespace(get_first=lambda _field: segment[address.doc][0])

    def fast_field_values(self, _field: str, addresses: list[tantivy.DocAddress]) -> list[int]:
        return [self._segments[at.segment_ord][at.doc][1] for at in addresses]

    def search(self, doc_id: str, _limit: int, *, count: bool) -> Any:
        places = [
            tantivy.DocAddress(number, at)
            for number, segment in enumerate(self._segments)
            for at, chunk in enumerate(segment)
            if chunk[0] == doc_id
        ]
        return SimpleNamespace(hits=[(1.0, place) for place in places])


class _Three:
    """What is stored of a source with three chunks."""

    entry = SimpleNamespace(doc_id="a")

    def __len__(self) -> int:
        return 3


@pytest.mark.parametrize(
    "segments",
    [
        [[("x", 0), ("a", 0), ("a", 1), ("a", 2)]],
        [[("x", 0), ("a", 0), ("a", 1)], [("a", 2)]],
        [[("x", 0), ("a", 0), ("b", 0), ("a", 2)], [("a", 1)]],
        [[("x", 0), ("a", 0), ("a", 2), ("a", 1)]],
    ],
)
def test_chunks_are_found_where_they_lie(
    segments: list[list[tuple[str, int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    searcher: Any = _Segments(*segments)
    query = SimpleNamespace(term_query=lambda _schema, _field, doc_id, _option: doc_id)
    monkeypatch.setattr("leafmark.index.embedded.holders.tantivy.Query", query)
    index: Any = SimpleNamespace(schema=None)
    stored: Any = _Three()
    holder = Holder(tantivy.DocAddress(0, 1), stored)
    for positions in ([], [0], [1], [2], [0, 2], [0, 1, 2]):
        found = chunk_addresses(index, searcher, holder, positions)
        assert [segments[at.segment_ord][at.doc] for at in found] == [("a", at) for at in positions]
