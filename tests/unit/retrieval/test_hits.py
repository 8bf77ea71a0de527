"""Hits are made late, of what the engine gave; with others in the place of the first, too."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.library import Library

from leafmark.query import parse_query
from leafmark.retrieval.compiler import compile_for_languages
from leafmark.retrieval.hits import (
    Finder,
    Hit,
    led_by,
    scores_of,
    strict_matches,
    with_ties,
    without,
)
from leafmark.retrieval.params import SearchParams

PARTS = 8


@pytest.fixture(scope="module")
def hits(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Hit]:
    """The hits of a word that stands in every part, as the engine gave them."""
    sections = "".join(f"## Part {at}\n\n{'harbor ' * at}crane.\n\n" for at in range(1, PARTS + 1))
    reader = Library(tmp_path_factory.mktemp("hits"), t={"a.md": "# Guide\n\n" + sections}).reader
    compiled = compile_for_languages(reader, parse_query("harbor"), SearchParams())
    found = Finder(reader, SearchParams(), ()).tier(compiled.values(), strict_matches, 50)
    assert not isinstance(found, list)
    assert len(found) == PARTS
    return found


@pytest.mark.parametrize("count", [0, 1, 3, PARTS])
def test_others_in_the_place_of_the_first(hits: Sequence[Hit], count: int) -> None:
    others = [hit._replace(score=20.0 + at) for at, hit in enumerate(hits[:count])]
    expected = [*reversed(others), *list(hits)[count:]]
    led = led_by(others, hits)
    assert list(led) == expected
    assert led_by(others, list(hits)) == expected
    assert [led[at] for at in range(-PARTS, PARTS)] == expected * 2
    assert list(scores_of(led)) == [hit.score for hit in expected]
    assert with_ties(led, 4) == expected[:4]
    for start in range(PARTS):
        assert list(led[start : start + 3]) == expected[start : start + 3]
        assert list(led[start - PARTS :][1:]) == expected[start + 1 :]


@pytest.mark.parametrize("count", range(PARTS + 1))
def test_others_in_the_place_of_the_first_once_more(hits: Sequence[Hit], count: int) -> None:
    """Titles raise fewer hits than surroundings have put in another order before."""
    others = [hit._replace(score=20.0 + at) for at, hit in enumerate(hits[:6])]
    led = led_by(others, hits)
    titled = [hit._replace(score=40.0 + at) for at, hit in enumerate(led[:count])]
    again = led_by(titled, led)
    assert list(again) == [*reversed(titled), *list(led)[count:]]
    assert list(again[3:]) == list(again)[3:]
    assert sorted(hit.place for hit in again) == sorted(hit.place for hit in hits)


@pytest.mark.parametrize("gone", [[0], [1, 2], [2, 5], [6, 7], range(PARTS)])
def test_hits_that_are_none_of_some_places(hits: Sequence[Hit], gone: Sequence[int]) -> None:
    led = led_by([hit._replace(score=20.0) for hit in hits[:3]], hits)
    expected = [hit for at, hit in enumerate(led) if at not in gone]
    left = without(led, {led[at].place for at in gone})
    assert list(left) == expected
    assert list(scores_of(left)) == [hit.score for hit in expected]


def test_there_is_no_hit_past_the_end(hits: Sequence[Hit]) -> None:
    with pytest.raises(IndexError):
        hits[PARTS]
