"""The best that any order of some chunks can do."""

from __future__ import annotations

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


@given(
    st.lists(st.tuples(_SPANS, st.integers(1, 3000)), min_size=1, max_size=4),
    st.lists(_SPANS, min_size=1, max_size=2),
)
def test_no_order_does_better_at_ranks(
    spans: list[tuple[tuple[int, int], int]], wanted: list[tuple[int, int]]
) -> None:
    """Against all orders; recall is bounded from below alone, as its order is a greedy one."""
    chunks = [Read("d", *span, tokens) for span, tokens in spans]
    passages = [Passage("d", *span) for span in wanted]
    best = perfect_values(chunks, passages)
    orders = [measure(order, passages) for order in itertools.permutations(chunks)]
    for name in ("overlap-mrr@10", "rr500"):
        highest = max(each[name] for each in orders)
        assert best.get(name, 0.0) == pytest.approx(highest)
