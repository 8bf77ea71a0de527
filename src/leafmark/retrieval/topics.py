"""Join the candidates of several topics: a chunk appears once, with its best score."""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.model import Candidate, Phase
from leafmark.retrieval.ordering import Key, key_of, rank_order, sort_candidates

__all__ = ["join_topics"]


def join_topics(topics: Sequence[Sequence[Candidate]]) -> tuple[list[Candidate], Phase]:
    """Join the candidates of each topic, best first.

    A chunk that matched several topics keeps its best match: a strict one before a relaxed
    one, then by score. Its `topics` are all that it matched.
    """
    if len(topics) == 1:
        found = sort_candidates(topics[0])
        return found, Phase("topics", len(found), len(found))
    best: dict[Key, Candidate] = {}
    matched: dict[Key, set[int]] = {}
    total = 0
    for candidates in topics:
        total += len(candidates)
        for candidate in candidates:
            key = key_of(candidate.entry)
            matched.setdefault(key, set()).update(candidate.topics)
            if key not in best or rank_order(candidate) < rank_order(best[key]):
                best[key] = candidate
    joined = [one._replace(topics=tuple(sorted(matched[key]))) for key, one in best.items()]
    return sort_candidates(joined), Phase("topics", total, len(joined))
