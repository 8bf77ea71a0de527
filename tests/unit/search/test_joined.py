"""Words joined by punctuation that stand nowhere as they were typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import Library

from leafmark.render.hint_texts import word_hint

FILLER = "Words of other things stand here, so that rare words are rare.\n"
TEXT = (
    "# Manual\n\n## Limits\n\n- `--bwlimit=RATE`: how fast files are sent.\n\n"
    "## Owners\n\nThe user and the group of a file are kept.\n\n"
    "## Backends\n\nSwitch to plotly here, and to bokeh there.\n\n"
    + "".join(f"## Part {number}\n\n{FILLER}\n" for number in range(8))
)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path, t={"a.md": TEXT})


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("send files --bwlimit=500", "Limits"),
        ("--bwlimit=500", "Limits"),
        ("keep user.group", "Owners"),
        ("switch plotly/bokeh backend", "Backends"),
    ],
)
def test_a_match_of_some_words_may_rest_on_the_parts(
    library: Library, query: str, title: str
) -> None:
    answer = library.search(query)
    assert answer.results[0].entry.title == title
    assert answer.results[0].relaxed
    unknown = [word_hint(hint) for hint in answer.hints if hint.code == "unknown-word"]
    assert len(unknown) <= 1  # the word, and none of its parts
    assert not library.search(query, strict=True).results


def test_a_word_that_occurs_is_not_taken_apart(library: Library) -> None:
    (first, *_) = library.search("sent --bwlimit=RATE").results
    assert first.entry.title == "Limits"
    assert not first.relaxed


def test_a_name_that_is_all_that_was_asked_may_rest_on_its_parts(library: Library) -> None:
    assert [one.relaxed for one in library.search("user.group").results] == [True]
    assert not library.search("user.group", strict=True).results
    assert not library.search("how about zz.yy").results


def test_a_number_that_stands_nowhere_is_not_taken_for_another(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"a.md": "# Decision\n\nSee DEC-0054.\n", "b.md": "More.\n"})
    assert [one.relaxed for one in library.search("DEC-0054").results] == [False]
    assert all(one.relaxed for one in library.search("DEC-0055").results)
    assert not library.search("DEC-0055", strict=True).results
