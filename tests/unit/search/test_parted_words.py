"""Words that a line parts at a hyphen are found whole, and by their parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import Library

MANUAL = """The kernel looks up the congestion con\u2010
       trol algo\u2010
       rithm of the socket, as in main-
cf. A well-known exam-
	ple, 10-
20 and re-

set.
"""
PAGE = "<body><pre>Of the mas-\n    ter &amp; the algo\u00ad\nrithm.</pre><p>all-\nother</p></body>"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    sources = {"tcp.7.txt": MANUAL, "page.html": PAGE, "notes.md": "Say exam-\nple.\n"}
    return Library(tmp_path, t=sources)


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("control", {"tcp.7.txt": ["con\u2010\n       trol"]}),
        (
            "algorithms",
            {"tcp.7.txt": ["algo\u2010\n       rithm"], "page.html": ["algo\u00ad\nrithm"]},
        ),
        ("examples", {"tcp.7.txt": ["exam-\n\tple"]}),
        ("master", {"page.html": ["mas-\n    ter"]}),
        ("maincf", {"tcp.7.txt": ["main-\ncf"]}),
        ("trol", {"tcp.7.txt": ["trol"]}),
        ("reset", {}),
        ("1020", {}),
        ("allother", {}),
        ('"control algorithm"', {}),  # a phrase is what stands there
    ],
)
def test_a_word_that_a_line_parts(
    library: Library, query: str, marked: dict[str, list[str]]
) -> None:
    answer = library.search(query, fuzzy_distance=0, cutoff_ratio=0.0)
    found = {}
    for result in answer.results:
        body = result.body_bytes or b""
        ranges = [body[start:end].decode() for start, end in result.match_ranges]
        found[result.entry.path] = ranges
    assert found == marked
