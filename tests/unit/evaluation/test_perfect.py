"""The best that any order of some chunks can do."""

from __future__ import annotations

import cProfile
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.evaluation import Passage, Read, measure, perfect_values
from leafmark.evaluation.perfect import PERFECT


@pytest.mark.parametrize(
    ("chunks", "passages", "values"),
    [
        ([Read("d", 0, 100, 30)], [Passage("d", 10, 20)], (1.0, 1.0, 1.0)),
        # half of it costs 1,000 tokens, all of it 4,000
        ([Read("d", 0, 50, 1000), Read("d", 0, 100, 4000)], [Passage("d", 0, 100)], (1, 0.5, 0.5)),
        # a quarter is too little to cover
        ([Read("d", 0, 25, 10)], [Passage("d", 0, 100)], (1.0, 0.0, 0.25)),
        # the two halves are dearer together than the document, which comes after neither
        (
            [Read("d", 0, 100, 2000), Read("d", 0, 50, 800), Read("d", 50, 100, 800)],
            [Passage("d", 0, 100)],
            (1.0, 0.625, 1.0),
        ),
        (  # too dear for recall, which the halves have
            [Read("d", 0, 100, 2100), Read("d", 0, 50, 800), Read("d", 50, 100, 800)],
            [Passage("d", 0, 100)],
            (1.0, 0.625, 1.0),
        ),
        (  # two small ones hold more for their tokens than the one that holds most
            [Read("d", 0, 40, 1950), Read("d", 40, 70, 100), Read("d", 70, 100, 100)],
            [Passage("d", 0, 100)],
            (1.0, 0.0, 0.96),
        ),
        (  # windows that overlap
            [Read("d", 0, 60, 1000), Read("d", 40, 100, 900)],
            [Passage("d", 0, 100)],
            (1.0, 0.5556, 1.0),
        ),
        (  # the share of an answer counts, not its bytes
            [Read("d", 0, 20000, 5000), Read("d", 19000, 19400, 100)],
            [Passage("d", 0, 20000), Passage("d", 19100, 19200)],
            (1.0, 1.0, 0.7),
        ),
        (  # of the last one the beginning is read
            [Read("d", 0, 9000, 1500), Read("e", 0, 9000, 4000)],
            [Passage("d", 4000, 5000), Passage("e", 0, 500)],
            (1.0, 1 / 3, 1.0),
        ),
        ([Read("e", 0, 100, 30)], [Passage("d", 10, 20)], None),
        ([Read("d", 0, 100, 30)], [], None),
    ],
)
def test_the_best_order(
    chunks: list[Read], passages: list[Passage], values: tuple[float, ...] | None
) -> None:
    expected = {} if values is None else dict(zip(PERFECT, values, strict=True))
    assert perfect_values(chunks, passages) == pytest.approx(expected, abs=1e-4)


_SPANS = st.tuples(st.integers(0, 60), st.integers(1, 40)).map(lambda one: (one[0], sum(one)))


_CHUNKS = st.lists(
    st.tuples(st.sampled_from("dde"), _SPANS, st.integers(0, 3000)).map(
        lambda one: Read(one[0], *one[1], one[2])
    ),
    min_size=1,
    max_size=4,
)
_PASSAGES = st.lists(_SPANS.map(lambda one: Passage("d", *one)), min_size=1, max_size=3)


@given(_CHUNKS, _PASSAGES)
def test_no_order_does_better_and_one_does_as_well(
    chunks: list[Read], passages: list[Passage]
) -> None:
    best = perfect_values(chunks, passages)
    orders = [measure(order, passages) for order in itertools.permutations(chunks)]
    for name in PERFECT:
        highest = max(each[name] for each in orders)
        assert best.get(name, 0.0) == pytest.approx(highest)


@given(st.lists(_CHUNKS, min_size=1, max_size=9), _PASSAGES)
def test_no_order_of_many_chunks_does_better(
    chunks: list[list[Read]], passages: list[Passage]
) -> None:
    order = list(itertools.chain.from_iterable(chunks))
    best, values = perfect_values(order, passages), measure(order, passages)
    assert all(best.get(name, 0.0) >= values[name] - 1e-9 for name in PERFECT)


def test_loads_that_are_not_tried_count_by_their_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = [Read("d", at * 100, at * 100 + 100, 501) for at in range(8)]
    passages = [Passage("d", at * 100 + 50, at * 100 + 60) for at in range(8)]
    exact = perfect_values(chunks, passages)["recall-2000t"]
    assert exact == 0.5
    monkeypatch.setattr("leafmark.evaluation.recallable.MOST_LOADS", 2)
    assert exact <= perfect_values(chunks, passages)["recall-2000t"] < 1


def test_the_cost_grows_with_the_chunks() -> None:
    def calls(count: int) -> int:
        chunks = [Read("d", at * 9, at * 9 + 9, 3) for at in range(count)]
        everything = [Passage("d", 0, count * 9)]
        profile = cProfile.Profile()
        profile.runcall(perfect_values, [*chunks, Read("d", 0, count * 9, count * 3)], everything)
        return sum(each.callcount for each in profile.getstats())

    few, many = calls(1000), calls(2000)
    assert many < 2.2 * few
