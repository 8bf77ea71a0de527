"""Each metric against numbers worked out by hand, and all of them against sets of bytes."""

from __future__ import annotations

import math

import pytest

from leafmark.evaluation import METRICS, Passage, Read, measure
from leafmark.evaluation.metrics import covers, overlaps

ANSWER = Passage("d", 100, 200)


def _read(start: int, end: int, tokens: int = 100, doc_id: str = "d") -> Read:
    return Read(doc_id, start, end, tokens)


def check(results: list[Read], passages: list[Passage], **expected: float) -> None:
    values = measure(results, passages)
    for name, value in expected.items():
        assert values[_METRIC[name]] == pytest.approx(value), name


_METRIC = {
    "mrr": "overlap-mrr@10",
    "rr500": "rr500",
    "cover": "cover-mrr@10",
    "ndcg": "ndcg@10",
    "first": "hit@1",
    "ten": "hit@10",
    "recall": "recall@10",
    "recall_2000t": "recall-2000t",
    "empty": "empty",
}


@pytest.mark.parametrize(
    ("start", "end", "is_overlap", "is_cover"),
    [
        (100, 200, True, True),
        (0, 1000, True, True),  # a whole document
        (140, 150, True, False),  # a line of the answer
        (150, 250, True, True),  # half of both
        (151, 251, False, False),  # a byte less than half
        (195, 205, True, False),  # half of the shorter one
        (196, 206, False, False),
        (200, 300, False, False),  # beside it
    ],
)
def test_relevance(start: int, end: int, is_overlap: bool, is_cover: bool) -> None:
    result = _read(start, end)
    assert overlaps(result, ANSWER) is is_overlap
    assert covers(result, ANSWER) is is_cover


def test_another_document_is_never_relevant() -> None:
    assert not overlaps(_read(100, 200, doc_id="e"), ANSWER)
    assert not covers(_read(100, 200, doc_id="e"), ANSWER)


def test_the_first_relevant_result_decides() -> None:
    results = [_read(500, 600), _read(140, 150), _read(90, 210)]
    check(results, [ANSWER], mrr=1 / 2, cover=1 / 3, first=0, ten=1)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([10], 1.0),
        ([500], 1.0),
        ([1000], 0.5),
        ([300, 300, 400], 0.5),
        ([2500, 2500], 0.1),
        ([5000, 1], 0.0),
    ],
)
def test_rr500_charges_for_all_that_is_read(tokens: list[int], expected: float) -> None:
    before = [_read(1000 + at, 1001 + at, count) for at, count in enumerate(tokens[:-1])]
    check([*before, _read(100, 200, tokens[-1])], [ANSWER], rr500=expected)


def test_rr500_wants_the_answer_covered() -> None:
    check([_read(140, 150, 10), _read(90, 210, 990)], [ANSWER], rr500=0.5, mrr=1)


def test_the_eleventh_result_does_not_count_for_mrr() -> None:
    results = [*(_read(1000 + at, 1001 + at, 1) for at in range(10)), _read(100, 200, 1)]
    check(results, [ANSWER], mrr=0, cover=0, ndcg=0, ten=0, recall=0, rr500=1)


def test_ndcg_counts_an_answer_once() -> None:
    other = Passage("d", 300, 400, grade=3.0)
    results = [_read(100, 150), _read(150, 200), _read(300, 400)]
    ideal = 3 + 1 / math.log2(3)
    check(results, [ANSWER, other], ndcg=(1 + 3 / math.log2(4)) / ideal)


def test_ndcg_of_a_result_that_holds_all_answers_is_one() -> None:
    check([_read(0, 1000)], [ANSWER, Passage("d", 300, 400)], ndcg=1, first=1, recall=1)


def test_ndcg_asks_for_no_more_answers_than_results_count() -> None:
    answers = [Passage("d", 100 * at, 100 * at + 50) for at in range(12)]
    check([_read(one.start, one.end) for one in answers], answers, ndcg=1)


def test_recall_by_tokens_reads_a_part_of_what_no_longer_fits() -> None:
    results = [_read(500, 600, 1800), _read(100, 200, 400)]
    check(results, [ANSWER], recall_2000t=0.5)


def test_recall_by_tokens_is_the_mean_over_answers() -> None:
    check([_read(100, 200)], [ANSWER, Passage("d", 300, 400)], recall_2000t=0.5, recall=0.5)


def test_bytes_shown_twice_count_once() -> None:
    check([_read(100, 180), _read(120, 180)], [ANSWER], recall_2000t=0.8)


def test_nothing_found() -> None:
    check([], [ANSWER], mrr=0, rr500=0, cover=0, ndcg=0, first=0, ten=0, empty=1)


def test_a_query_without_an_answer_is_judged_by_silence_alone() -> None:
    assert measure([], []) == {"empty-unanswerable": 1, "doubt-unanswerable": 1}
    assert measure([_read(0, 1)], []) == {"empty-unanswerable": 0, "doubt-unanswerable": 0}
    assert measure([_read(0, 1)], [], doubtful=True) == {
        "empty-unanswerable": 0,
        "doubt-unanswerable": 1,
    }


def test_every_metric_is_listed() -> None:
    measured = [*measure([], [ANSWER]), *measure([], [])]
    assert measured == list(METRICS)
