"""Sort the best results by a model that reads query and text together.

The scores of the list stay the same, but are dealt out anew: the most relevant result gets
the best score, and so on. So the results that the model does not read keep their places,
and a result's factors still combine to its score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TypeAlias

from leafmark.model import Candidate, Entry, Factor, Phase

__all__ = ["Rerank", "rerank_candidates"]

Rerank: TypeAlias = Callable[[Sequence[str]], Sequence[float] | None]
"""Returns how relevant each text is to the query, higher is better; None if it cannot tell."""

MOST_CHARACTERS = 4000
"""Characters of a result's text that are given to the model: more than models read."""


def rerank_candidates(
    candidates: Sequence[Candidate],
    count: int,
    rerank: Rerank,
    read_text: Callable[[Entry], str | None],
) -> tuple[list[Candidate], Phase]:
    """Return the candidates with the first `count` in order of relevance; ties keep theirs.

    A result whose source has changed has no text, and is judged by its titles. From the first
    score of 0 on, all keep their places: no factor turns 0 into another score.
    """
    first = list(takewhile(lambda one: one.score > 0, candidates[:count]))
    rest = candidates[len(first) :]
    relevance = None
    if len(first) > 1:
        relevance = rerank([_text_of(one.entry, read_text(one.entry)) for one in first])
    if relevance is None:
        return list(candidates), Phase("rerank", len(candidates), len(candidates), "as it was")
    order = sorted(range(len(first)), key=lambda at: -relevance[at])
    scores = sorted((one.score for one in first), reverse=True)
    done = [
        _rescored(first[at], score, f"relevance {relevance[at]:.3f}, as the model reads it")
        for at, score in zip(order, scores, strict=True)
    ]
    moved = sum(at != place for place, at in enumerate(order))
    note = f"{moved} of the first {len(first)} changed places" if moved else ""
    return [*done, *rest], Phase("rerank", len(candidates), len(candidates), note)


def _text_of(entry: Entry, text: str | None) -> str:
    return "\n\n".join(part for part in (entry.breadcrumb, (text or "")[:MOST_CHARACTERS]) if part)


def _rescored(candidate: Candidate, score: float, how: str) -> Candidate:
    factor = Factor("rerank", score / candidate.score, "multiply", how)
    return candidate._replace(score=score, factors=(*candidate.factors, factor))
