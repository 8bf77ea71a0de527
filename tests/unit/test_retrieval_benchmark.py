"""The retrievers side by side: what each finds is judged where it stands."""

from __future__ import annotations

import pytest

from benchmarks.retrieval import Places
from benchmarks.retrievers import Placing, RetrievedPlace, Source, snippet_place

TEXT = "# Käse\n\nGelb.\n\n# Käse\n\nGelb.\n"


def test_parts_with_the_same_text_stand_one_after_the_other() -> None:
    placing = Placing([Source("a.md", TEXT)])
    assert [placing.place("a.md", "Gelb.") for _ in range(3)] == [
        RetrievedPlace("a.md", 8, 13),
        RetrievedPlace("a.md", 23, 28),
        RetrievedPlace("a.md", 0, 0),  # there is no third one
    ]


def test_a_result_is_read_in_bytes_of_its_document() -> None:
    read = Places("t", [Source("a.md", TEXT)]).read(RetrievedPlace("a.md", 8, 13))
    data = TEXT.encode()
    assert (read.doc_id, data[read.start : read.end]) == ("t:a.md", b"Gelb.")
    assert read.tokens > 0


@pytest.mark.parametrize(
    ("snippet", "lines"),
    [("@@ -3,1 (2 before, 4 after)\nGelb.", "Gelb.\n"), ("@@ -5,3 @@", "# Käse\n\nGelb.\n")],
)
def test_a_snippet_is_its_lines(snippet: str, lines: str) -> None:
    found = snippet_place("a.md", TEXT, snippet)
    assert TEXT[found.start : found.end] == lines


def test_what_is_no_snippet_stands_nowhere() -> None:
    assert snippet_place("a.md", TEXT, "Gelb.") == RetrievedPlace("a.md", 0, 0)
