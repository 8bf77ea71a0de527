"""The best that any order of some chunks can do."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.evaluation import Passage, Read, measure
from leafmark.evaluation.metrics import PERFECT, Bytes, perfect_values


def _perfect(chunks: list[Read], passages: list[Passage]) -> dict[str, float]:
    known = {(one.doc_id, one.start, one.end): one for one in chunks}

    def read(of: Bytes) -> Read:
        return known[of.doc_id, of.start, of.end]

    return perfect_values(chunks, passages, read)


@pytest.mark.parametrize(
    ("chunks", "passages", "values"),
    [
        ([Read("d", 0, 100, 30)], [Passage("d", 10, 20)], (1.0, 1.0)),
        # half of it costs 1,000 tokens, all of it 4,000
        ([Read("d", 0, 50, 1000), Read("d", 0, 100, 4000)], [Passage("d", 0, 100)], (1, 0.5)),
        # a quarter is too little to cover
        ([Read("d", 0, 25, 10)], [Passage("d", 0, 100)], (1.0, 0.0)),
        ([Read("e", 0, 100, 30)], [Passage("d", 10, 20)], None),
        ([Read("d", 0, 100, 30)], [], None),
    ],
)
def test_the_best_order(
    chunks: list[Read], passages: list[Passage], values: tuple[float, ...] | None
) -> None:
    expected = {} if values is None else dict(zip(PERFECT, values, strict=True))
    assert _perfect(chunks, passages) == pytest.approx(expected, abs=1e-4)


_SPANS = st.tuples(st.integers(0, 60), st.integers(1, 40)).map(lambda one: (one[0], sum(one)))
_CHUNKS = st.lists(
    st.tuples(st.sampled_from("dde"), _SPANS, st.integers(0, 3000)).map(
        lambda one: Read(one[0], *one[1], one[2])
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda one: one[:3],
)
_PASSAGES = st.lists(_SPANS.map(lambda one: Passage("d", *one)), min_size=1, max_size=3)


@given(_CHUNKS, _PASSAGES)
def test_no_order_does_better_and_one_does_as_well(
    chunks: list[Read], passages: list[Passage]
) -> None:
    best = _perfect(chunks, passages)
    orders = [measure(order, passages) for order in itertools.permutations(chunks)]
    for name in PERFECT:
        highest = max(each[name] for each in orders)
        assert best.get(name, 0.0) == pytest.approx(highest)
