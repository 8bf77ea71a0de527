"""Embedded data in answers: no word of it is found or shown, and its bytes are kept."""

from __future__ import annotations

from support.embedded import ADDRESS, SIGN
from support.projects import Here

from leafmark.app import search_project
from leafmark.app.requests import SearchRequest
from leafmark.model import Answer

SOURCE = f"---\ntitle: Früh\n---\nZebra ![é]({ADDRESS}) giraffe.\n\n# One\n\nOkapi.\n"


def _search(here: Here, query: str) -> Answer:
    here.write("a.md", SOURCE)
    here.index()
    return search_project(here.project(), SearchRequest(queries=(query,)))


def test_data_is_not_found(here: Here) -> None:
    assert _search(here, "iVBORw0KGgo").results == ()


def test_words_around_data_are_found_and_marked_in_the_source(here: Here) -> None:
    (result,) = _search(here, "giraffe").results
    assert result.snippet.text == "Zebra ![é] giraffe."
    assert result.body is not None
    data = result.body.encode()
    assert [data[start:end] for start, end in result.match_ranges] == [b"giraffe"]
    assert data == SOURCE[: SOURCE.index("# One")].encode()


def test_what_is_shown_has_no_data_but_the_raw_bytes_do(here: Here) -> None:
    here.write("a.md", SOURCE)
    here.index()
    (shown,) = here.show("a.md").shown
    assert shown.readable == SOURCE.replace(ADDRESS, SIGN)
    assert shown.raw == SOURCE.encode()
