"""The list: places per document, how many more there are, offset, and its first lines of doubt."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from support.library import Library

SECTIONS = "".join(
    f"## Part {n}\n\nThe valve number {n}, and {'more of it ' * n}.\n\n" for n in range(9)
)
SOURCES = {
    "big.md": f"# Manual\n\n{SECTIONS}",
    **{f"{n}.md": f"# Chapter\n\nText {'and text ' * 30}of a valve, {n}.\n" for n in range(4)},
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("index"), t=SOURCES)


FLAT: dict[str, Any] = {"aggregation": False, "cutoff_ratio": 0.0}


def test_a_document_takes_a_few_of_the_first_places(library: Library) -> None:
    results = library.search("valve", **FLAT, limit=7).results
    paths = [one.entry.path for one in results]
    assert paths.count("big.md") == 3
    assert len(set(paths)) == 5
    more = [one.more for one in results if one.entry.path == "big.md"]
    assert more[:-1] == [0, 0]
    assert more[-1] == 6


def test_what_has_no_place_stands_behind_all_others(library: Library) -> None:
    results = library.search("valve", **FLAT, limit=13, max_results=50).results
    paths = [one.entry.path for one in results]
    assert paths[7:] == ["big.md"] * 6
    assert {one.more for one in results} == {0}


@pytest.mark.parametrize("places", [1, 2, 5])
def test_the_places_are_a_setting(library: Library, places: int) -> None:
    results = library.search("valve", **FLAT, limit=4 + places, max_per_document=places).results
    assert [one.entry.path for one in results].count("big.md") == places


@pytest.mark.parametrize(
    "query", ["valve path:big", "valve under:big.md", "valve id:big.md#part-1"]
)
def test_a_query_that_names_documents_gives_them_all_places(library: Library, query: str) -> None:
    results = library.search(query, **FLAT, limit=20).results
    scores = [one.score for one in results]
    assert scores == sorted(scores, reverse=True)
    assert {one.entry.path for one in results} == {"big.md"}


def test_without_such_a_limit_scores_decide(library: Library) -> None:
    results = library.search("valve", **FLAT, limit=9, max_per_document=0).results
    scores = [one.score for one in results]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_an_offset_goes_on_where_the_page_before_ended(library: Library, size: int) -> None:
    wishes: dict[str, Any] = {"max_results": 50, "cutoff_ratio": 0.0}
    whole = [one.entry.id for one in library.search("valve", **wishes, limit=50).results]
    pages: list[str] = []
    ranks: list[int] = []
    while True:
        page = library.search("valve", **wishes, limit=size, offset=len(pages)).results
        if not page:
            break
        pages += [one.entry.id for one in page]
        ranks += [one.rank for one in page]
    assert pages == whole
    assert ranks == [*range(1, len(whole) + 1)]


def test_what_follows_is_counted(library: Library) -> None:
    answer = library.search("valve", **FLAT, limit=2)
    (hint,) = (hint for hint in answer.hints if hint.code == "more")
    assert hint.values == {"count": answer.counts["ranked"] - 2, "offset": 2}
    assert "more" not in [hint.code for hint in library.search("valve", **FLAT, limit=50).hints]


def test_what_the_cutoff_left_is_counted(tmp_path: Path) -> None:
    texts = {"a.txt": "valve " * 5, "b.txt": "other words " * 200 + "a valve"}
    library = Library(tmp_path, t=texts)
    (hint,) = library.search("valve", cutoff_ratio=0.9).hints
    assert (hint.code, hint.values) == ("cut", {"count": 1})


def test_doubt_is_the_first_hint(library: Library) -> None:
    answer = library.search("chapter about zeppelins and submarines in winter")
    assert answer.hints[0].code == "doubtful"
    assert len(answer.hints) > 1


def test_the_order_in_which_sources_are_indexed_changes_nothing(tmp_path: Path) -> None:
    """Not the results, not the scores, and not what is said of them."""
    words = ["valve", "pump", "hose", "crank", "gear", "wheel"]
    draw = random.Random(7)
    sources = {
        f"{n:02}.md": f"# {draw.choice(words)}\n\n{' '.join(draw.choices(words, k=9))}\n\n"
        f"## {draw.choice(words)}\n\n{' '.join(draw.choices(words, k=5))}\n"
        for n in range(40)
    }
    queries = ("valve", "valve pump", '"pump hose"', "what is the gear of a wheel", "val*", "crnak")
    answers = set()
    for number in range(3):
        names = draw.sample(sorted(sources), len(sources))
        library = Library(tmp_path / str(number), t={})
        for at in range(0, len(names), 10):
            library.put("t", {name: sources[name] for name in names[at : at + 10]})
        found = []
        for query in queries:
            answer = library.search(query, limit=15)
            found += [(one.entry.id, one.score, one.relaxed, one.more) for one in answer.results]
            found += [(hint.code, 0.0, False, 0) for hint in answer.hints]
        answers.add(tuple(found))
    assert len(answers) == 1
