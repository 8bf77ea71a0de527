"""Documents of many parts that all match leave places to others."""

from __future__ import annotations

import pytest
from support.library import Library

COLOURS = ("amber", "blue", "coral", "drab", "ecru", "fawn", "gold", "hazel", "indigo", "jade")


def _source(at: int) -> str:
    name = COLOURS[at]
    parts = "".join(
        f"## {name} {word}\n\n{name * 2} ships with {word} {' '.join([word + name] * 40)}.\n\n"
        for word in (f"{a}{b}" for a in COLOURS for b in "klmnop")
    )
    return f"---\ntags: [harbor]\nstatus: draft\n---\n# All of {name}\n\n{parts}"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    sources = {f"deep/{name}.md": _source(at) for at, name in enumerate(COLOURS)}
    return Library(tmp_path_factory.mktemp("index"), t=sources | {"o.md": "# Other\n\nships\n"})


@pytest.mark.parametrize(
    "query", ["tags:harbor", "meta.status:draft", "path:deep/", "has:list OR path:deep/"]
)
def test_what_all_parts_have_gives_whole_documents(library: Library, query: str) -> None:
    results = library.search(query).results
    assert [one.entry.path for one in results] == [f"deep/{name}.md" for name in COLOURS]


@pytest.mark.parametrize("query", ["tags:harbor ships", "meta.status:draft ships", "ships with"])
def test_no_document_takes_all_candidates(library: Library, query: str) -> None:

    results = library.search(query, limit=100).results
    assert {one.entry.path for one in results} >= {f"deep/{name}.md" for name in COLOURS}


def test_each_match_is_shown_if_parts_are_not_joined(library: Library) -> None:
    found = library.find("meta.status:draft", limit=200, max_results=200)
    assert found[:3] == [
        "deep/amber.md",
        "deep/amber.md#all-of-amber",
        "deep/amber.md#amber-amberk",
    ]


def test_the_others_are_counted(library: Library) -> None:
    results = library.search("tags:harbor ships", limit=30).results
    more = {one.entry.path: one.more for one in results if one.more}
    assert sum(more.values()) > 100
