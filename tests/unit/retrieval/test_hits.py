"""What the engine gave, best first: with others in the place of the first, without some."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from leafmark.retrieval.compiler import compile_for_languages
from leafmark.retrieval.hits import Finder, Hit, replace_first, with_ties, without
from leafmark.retrieval.params import SearchParams
from support.library import Library

from leafmark.index import IndexReader
from leafmark.query import parse_query

PARTS = 8


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    """A document of parts, with one word in each of them."""
    sections = "".join(f"## Part {at}\n\n{'harbor ' * at}crane.\n\n" for at in range(1, PARTS + 1))
    return Library(tmp_path_factory.mktemp("hits"), t={"a.md": "# Guide\n\n" + sections}).reader


@pytest.fixture(scope="module")
def hits(reader: IndexReader) -> list[Hit]:
    """The hits of the word, as the engine gave them."""
    found = find(reader, 50)
    assert len(found) == PARTS
    return found


def find(reader: IndexReader, limit: int, *, ties: bool = False) -> list[Hit]:
    compiled = compile_for_languages(reader, parse_query("harbor"), SearchParams())
    return Finder(reader, SearchParams(), ()).strict(compiled.values(), limit, ties=ties)


@pytest.mark.parametrize("ties", [False, True])
def test_more_wanted_than_memory_could_hold(
    reader: IndexReader, hits: list[Hit], ties: bool
) -> None:
    """The engine makes room for all that it may give, and ends the process where it cannot."""
    every = find(reader, 10**15, ties=ties)
    assert [(hit.chunk, hit.score) for hit in every] == [(hit.chunk, hit.score) for hit in hits]


@pytest.mark.parametrize("count", [0, 1, 3, PARTS])
def test_others_in_the_place_of_the_first(hits: list[Hit], count: int) -> None:
    others = [hit._replace(score=20.0 + at) for at, hit in enumerate(hits[:count])]
    assert replace_first(others, hits) == [*reversed(others), *hits[count:]]


@pytest.mark.parametrize("count", range(PARTS + 1))
def test_others_in_the_place_of_the_first_once_more(hits: list[Hit], count: int) -> None:
    """Titles raise fewer hits than surroundings have put in another order before."""
    led = replace_first([hit._replace(score=20.0 + at) for at, hit in enumerate(hits[:6])], hits)
    titled = [hit._replace(score=40.0 + at) for at, hit in enumerate(led[:count])]
    again = replace_first(titled, led)
    assert again == [*reversed(titled), *led[count:]]
    assert {hit.chunk for hit in again} == {hit.chunk for hit in hits}


@pytest.mark.parametrize("gone", [[0], [1, 2], [2, 5], [6, 7], range(PARTS)])
def test_hits_of_chunks_that_none_of_the_others_is_of(hits: list[Hit], gone: Sequence[int]) -> None:
    left = without(hits, [hits[at]._replace(score=20.0) for at in gone])
    assert left == [hit for at, hit in enumerate(hits) if at not in gone]


@pytest.mark.parametrize(
    ("scores", "count", "expected"),
    [
        ([3, 2, 2, 2, 1], 2, 4),
        ([3, 2, 2, 2, 1], 1, 1),
        ([3, 2, 2, 2, 1], 0, 0),
        ([2, 2], 1, 2),
        ([2], 5, 1),
        ([], 3, 0),
    ],
)
def test_all_that_tie_with_the_last(
    hits: list[Hit], scores: Sequence[float], count: int, expected: int
) -> None:
    scored = [hit._replace(score=score) for hit, score in zip(hits, scores, strict=False)]
    assert with_ties(scored, count) == scored[:expected]
