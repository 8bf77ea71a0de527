"""The order that a model gives the best results, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Sequence

from support.candidates import make_entry

from leafmark.model import Candidate
from leafmark.search.order import rerank_candidates


def reranked(scores: Sequence[float], relevance: Sequence[float], count: int = 9) -> list[str]:
    found = [
        Candidate(
            make_entry(path=f"{at}.md", title=str(at), section_path=(str(at),)),
            score,
            False,
            (0,),
            score,
        )
        for at, score in enumerate(scores)
    ]

    def rerank(texts: Sequence[str]) -> list[float]:
        return [relevance[int(text.split()[-1])] for text in texts]

    done, _ = rerank_candidates(found, count, rerank, lambda _entry: None)
    assert [one.score for one in done] == list(scores)
    return [one.entry.title for one in done]


def test_the_first_come_in_order_of_relevance_and_the_scores_stay() -> None:
    assert reranked([5, 4, 3, 2], [0, 1, 2, 3]) == ["3", "2", "1", "0"]
    assert reranked([5, 4, 3, 2], [0, 1, 2, 3], count=2) == ["1", "0", "2", "3"]
    assert reranked([5, 4, 3], [1, 1, 1]) == ["0", "1", "2"]


def test_what_scores_nothing_stays_where_it_is() -> None:
    assert reranked([5, 4, 0], [0, 1, 2]) == ["1", "0", "2"]
    assert reranked([5, 0], [0, 1]) == ["0", "1"]
