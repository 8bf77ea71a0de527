"""Laws of whole answers: pages join, limits append, filters and strictness only take away."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.library import Library

from leafmark.index import IndexReader
from leafmark.model import Result
from leafmark.query import Expression, parse_plain, parse_query
from leafmark.search import SearchOptions, search

WORDS = ["harbor", "ship", "rope", "anchor", "sail", "harbors", "shipping", "C++", "max_rate", "x"]
LARGEST = SearchOptions().max_results


@cache
def _library() -> Library:
    rng = random.Random(11)

    def some(most: int) -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(1, most)))

    def section() -> str:
        return f"{'#' * rng.randint(1, 3)} {some(3)}\n\n{some(12)}\n\n"

    sources = {
        f"{rng.choice(['', 'a/', 'a/b/'])}{number}.md": (
            f"---\ntags: [{rng.choice(WORDS[:5])}]\nn: {number % 3}\n---\n{some(5)}\n\n"
            + "".join(section() for _ in range(rng.randint(0, 6)))
        )
        for number in range(30)
    }
    return Library(Path(tempfile.mkdtemp()), t=sources)


@cache
def _reader() -> IndexReader:
    return _library().reader


def _results(expression: Expression, **params: Any) -> Sequence[Result]:
    options = SearchOptions(**params)
    return search(_reader(), [expression], options, read_source=_library().read).results


def _ids(query: str, **params: Any) -> list[str]:
    return [one.entry.id for one in _results(parse_query(query), **params)]


def _all_ids(query: str, **params: Any) -> set[str]:
    """Return the ids of all matches, those that are shown once with others too."""
    results = _results(parse_query(query), **params)
    return {name for one in results for name in (one.entry.id, *one.also_in)}


queries = st.lists(
    st.sampled_from([*WORDS, '"ship rope"', "-sail", "title:rope"]), min_size=1, max_size=4
)
queries = queries.filter(lambda words: any(word != "-sail" for word in words))
texts = queries.map(" ".join)
filters = st.sampled_from(["path:a/", "tags:ship", "meta.n:1", "has:list", "meta.n:0..1"])
flat: dict[str, Any] = {
    "aggregation": False, "cutoff_ratio": 0.0, "max_per_document": 0, "fold_versions": False,
    "limit": 500, "candidate_limit": 1000, "all_words_first": False,
}  # fmt: skip


@given(texts, st.integers(3, 7))
@settings(max_examples=25)
def test_pages_join_to_the_whole(query: str, size: int) -> None:
    whole = _ids(query, limit=LARGEST)
    pages: list[str] = []
    for offset in range(0, LARGEST - size, size):
        pages += _ids(query, limit=size, offset=offset)
    assert pages == whole[: len(pages)]
    assert len(pages) >= min(len(whole), LARGEST - size)


@given(texts, st.integers(1, LARGEST), st.integers(1, LARGEST))
@settings(max_examples=25)
def test_a_larger_limit_only_appends(query: str, one: int, other: int) -> None:
    least, most = sorted((one, other))
    assert _ids(query, limit=least) == _ids(query, limit=most)[:least]


@given(texts)
@settings(max_examples=25)
def test_strict_results_are_among_the_others(query: str) -> None:
    assert set(_ids(query, strict=True, **flat)) <= _all_ids(query, **flat)


@given(texts, filters)
@settings(max_examples=25)
def test_a_filter_only_takes_away(query: str, condition: str) -> None:
    assert set(_ids(f"{query} {condition}", **flat)) <= _all_ids(query, **flat)


@given(st.text(max_size=60) | st.text(alphabet='"()-^~*:| ab\\', max_size=30))
def test_any_text_can_be_searched_as_it_is(text: str) -> None:
    if not text.strip():
        return
    assert len(_results(parse_plain(text))) <= SearchOptions().limit
