"""What is remembered, and the sources that hold some words."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import Library

from leafmark.index.embedded.chunks import scan_records
from leafmark.model import Recent


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
