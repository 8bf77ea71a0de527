"""Which sections judged passages stand for."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.projects import Here

from leafmark.evaluation import Library, Passage
from leafmark.evaluation.references import sections_of

GUIDE = """Before.

# Guide

Intro. More.

## Set up

First make.

Then wait.

### Again

Twice.

## Use

Run it.
"""
SCRIPT = '''"""Doc."""

class Clock:
    """Tells the time."""

    def now(self):
        """It is now."""
        return 1

    zone = "here"
'''


@pytest.fixture
def library(tmp_path: Path) -> Library:
    here = Here(tmp_path / "docs", tmp_path)
    here.write("guide.md", GUIDE)
    here.write("notes.txt", "first line\n\nsecond line\n")
    here.write("clock.py", SCRIPT)
    here.write("page.html", "<body><h1>One</h1><p>a b</p><h2>Two</h2><p>c d</p></body>")
    return Library(here.project())


def _bytes(library: Library, path: str, begins: str, ends: str) -> str:
    owner = library.document(f"docs:{path}")
    assert owner is not None
    text = owner.document.data.decode()
    start = text.index(begins)
    end = text.index(ends, start) + len(ends)
    (found,) = sections_of(library, [Passage(owner.doc_id, start, end)])
    return text[found.start : found.end]


@pytest.mark.parametrize(
    ("begins", "ends", "section"),
    [
        ("Then", "wait.", ("## Set up", "Then wait.\n\n")),
        ("First", "wait.", ("## Set up", "Then wait.\n\n")),
        ("More.", "More.", ("# Guide", "More.\n\n")),
        ("## Use", "Run", ("## Use", "it.\n")),
        ("wait", "Twice.", ("## Set up", "Twice.\n\n")),
        ("Twice.", "Run", ("### Again", "it.\n")),
        ("# Guide", "Run it.\n", ("# Guide", "Run it.\n")),
        ("Before.", "Before.", ("Before.", "\n\n")),
    ],
)
def test_a_passage_stands_for_the_text_under_its_heading(
    library: Library, begins: str, ends: str, section: tuple[str, str]
) -> None:
    found = _bytes(library, "guide.md", begins, ends)
    assert (found[: len(section[0])], found[-len(section[1]) :]) == section


def test_definitions_and_pages_have_sections(library: Library) -> None:
    assert "class Clock" in _bytes(library, "clock.py", "Tells", "time")
    assert "def now" not in _bytes(library, "clock.py", "Tells", "time")
    assert _bytes(library, "clock.py", "It is", "now").strip().endswith("return 1")
    assert _bytes(library, "page.html", "a b", "b") == "<h1>One</h1><p>a b</p>"


def test_a_document_without_sections_keeps_its_passages(library: Library) -> None:
    assert _bytes(library, "notes.txt", "second", "line") == "second line"


def test_passages_of_one_section_are_one_with_the_best_grade(library: Library) -> None:
    start = GUIDE.index("First")
    passages = [
        Passage("docs:guide.md", start, start + 5),
        Passage("docs:guide.md", start + 6, start + 10, 3.0),
        Passage("docs:guide.md", 0, 6, 2.0),
    ]
    found = sections_of(library, passages)
    assert [(each.start, each.grade) for each in found] == [
        (GUIDE.index("## Set up"), 3.0),
        (0, 2.0),
    ]
