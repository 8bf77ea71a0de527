"""Factors make the score, for every kind of query, result and setting."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from support.library import Library

from leafmark.model import Factor, Result

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
_WORDS = """
backup restore snapshots harbor share server api tokens password install upgrade mirror the how do I
is disk data folder settings lock error sign access files upload download linux
"""
WORDS = _WORDS.split()
TYPOS = ["bakcup", "harbr", "snapshts", "instal", "psasword", "uplod", "tken", "configuraton"]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    sources = {
        path.relative_to(HANDBOOK).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(HANDBOOK.rglob("*"))
        if path.is_file()
    }
    half = len(sources) // 2
    names = sorted(sources)
    one = {name: sources[name] for name in names[:half]}
    other = {name: sources[name] for name in names[half:]}
    # what was deleted since still counts in the engine's own statistics
    library = Library(tmp_path_factory.mktemp("index"), one=one | {"x.md": "# X\n\nBackup.\n"})
    library.put("one", {}, remove=("x.md",))
    library.settings = type(library.settings)("library", {"one": "english", "two": "english"})
    library.put("one", one)
    library.put("two", other)
    return library


def query(rng: random.Random) -> str:
    def word() -> str:
        return rng.choice(TYPOS if rng.random() < 0.2 else WORDS)

    def part() -> str:
        kinds: list[Callable[[], str]] = [
            word,
            word,
            lambda: f'"{word()} {word()}"',
            lambda: f"{word()[:4]}*",
            lambda: f"{word()}~{rng.randint(0, 2)}",
            lambda: f"title:{word()}",
            lambda: f"({word()} OR {word()})^{rng.choice(['0.5', '2', '3.25'])}",
            lambda: f"({word()} OR tags:{word()} OR {word()})",
            lambda: f"{word()} -{word()}",
            lambda: f"({word()} OR path:guides)",
            lambda: f"{word()} has:code",
        ]
        return rng.choice(kinds)()

    return " ".join(part() for _ in range(rng.randint(1, 5)))


def combined(factors: Sequence[Factor]) -> float:
    """The score that factors make, each of them made of its parts."""
    total = 0.0
    for factor in factors:
        if factor.parts:
            assert factor.value == pytest.approx(combined(factor.parts), rel=1e-6)
        if factor.operation == "add":
            total += factor.value
    for factor in factors:
        if factor.operation == "multiply":
            total *= factor.value
    return total


def every_factor(factors: Sequence[Factor]) -> Iterator[Factor]:
    for factor in factors:
        yield factor
        yield from every_factor(factor.parts)


@pytest.mark.parametrize("seed", range(60))
def test_factors_make_the_score(library: Library, seed: int) -> None:
    rng = random.Random(seed)
    queries = [query(rng) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
    answer = library.search(
        *queries,
        local=rng.choice([(), ("one",), ("one", "two")]),
        explain=True,
        limit=50,
        cutoff_ratio=rng.choice([0.0, 0.5]),
        merge_bonus=rng.choice([0.0, 0.1]),
        aggregation=rng.random() < 0.7,
        grain=rng.choice(["auto", "auto", "section", "document"]),
        relax_share=rng.choice([0.1, 0.3]),
    )
    for result in answer.results:
        _check(result, queries)


def _check(result: Result, queries: Sequence[str]) -> None:
    assert combined(result.factors) == pytest.approx(result.score, rel=1e-6), queries
    for factor in every_factor(result.factors):
        if factor.name == "rounding":
            assert factor.value == pytest.approx(1, abs=5.1e-4)
        if factor.name == "filters":
            assert any("path:" in query or "has:" in query for query in queries), queries
        if factor.name not in ("rounding", "corrected"):
            assert factor.value > 0
