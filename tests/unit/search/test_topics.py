"""The union of topics."""

from __future__ import annotations

from support.candidates import make_entry, match

from leafmark.model import Phase
from leafmark.search.order import join_topics

A, B, C = (make_entry(path=path) for path in "abc")


def test_a_chunk_appears_once_with_its_best_score() -> None:
    topics = [
        [match(A, 3.0), match(B, 2.0)],
        [match(B, 5.0, topic=1), match(C, 1.0, topic=1)],
    ]
    found, phase = join_topics(topics)
    assert [(one.entry.path, one.score, one.topics) for one in found] == [
        ("b", 5.0, (0, 1)),
        ("a", 3.0, (0,)),
        ("c", 1.0, (1,)),
    ]
    assert phase == Phase("topics", 4, 3)


def test_a_strict_match_counts_before_a_relaxed_one() -> None:
    found, _ = join_topics([[match(A, 9.0, relaxed=True)], [match(A, 1.0, topic=1)]])
    assert [(one.score, one.relaxed, one.topics) for one in found] == [(1.0, False, (0, 1))]
