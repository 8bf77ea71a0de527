"""Phrases across inline markup, and addresses that texts link to."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import Library

SOURCES = {
    "bold.md": "# One\n\nHold the **red** lever down.\n",
    "link.md": "# Two\n\nOpen the [blue](https://docs.example/api/v2) door now.\n",
    "ref.md": "# Three\n\n## Part\n\nTake the [green][g] stairs.\n\n## Last\n\n[g]: https://docs.example/api/v3\n",
    "entity.md": "# Four\n\nPush the grey&nbsp;knob.\n",
    "tag.md": "# Five\n\nTurn the <b>pink</b> wheel<br>twice.\n",
    "page.html": (
        "<html><head><title>Six</title></head><body><main><h1>Six</h1><p>See "
        '<a href="https://docs.example/api/v4">the <i>brown</i> book</a> of it.</p></main></body>'
        "</html>"
    ),
    "text.rst": "Seven\n=====\n\nRead the `white book <https://docs.example/api/v5>`_ first.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("index"), t=SOURCES)


@pytest.mark.parametrize(
    ("phrase", "path", "marked"),
    [
        ("the red lever down", "bold.md", ["the", "red", "lever", "down"]),
        ("blue door now", "link.md", ["blue", "door", "now"]),
        ("green stairs", "ref.md", ["green", "stairs"]),
        ("grey knob", "entity.md", ["grey", "knob"]),
        ("the pink wheel twice", "tag.md", ["the", "pink", "wheel", "twice"]),
        ("docs example api v2", "link.md", ["docs", "example", "api", "v2"]),
    ],
)
def test_a_phrase_is_found_as_it_is_read(
    library: Library, phrase: str, path: str, marked: list[str]
) -> None:
    (result,) = library.search(f'"{phrase}"', aggregation=False).results
    assert result.entry.path == path
    body = result.body or ""
    assert [body.encode()[start:end].decode() for start, end in result.match_ranges] == marked


@pytest.mark.parametrize("phrase", ["lever blue", "door docs", "example door", "knob nbsp"])
def test_what_is_not_read_together_is_no_phrase(library: Library, phrase: str) -> None:
    assert not library.search(f'"{phrase}"').results


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("docs.example/api/v2", "link.md#two"),
        ("https://docs.example/api/v3", "ref.md#part"),
        ("docs.example/api/v4", "page.html#six"),
        ("where is https://docs.example/api/v4 explained", "page.html#six"),
        ("docs.example/api/v5", "text.rst#seven"),
    ],
)
def test_an_address_finds_what_links_there(library: Library, query: str, found: str) -> None:
    assert found in library.find(query)[:2]


def test_an_address_that_nothing_links_to_is_taken_apart(library: Library, tmp_path: Path) -> None:
    answer = library.search("docs.example/api/v9")
    assert all(one.relaxed for one in answer.results)
