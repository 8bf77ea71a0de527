"""The best results in the order of a model that reads query and text together.

The results keep the scores of the list: the most relevant of them gets the best score
that any of them had, and so on. So what is not read by the model stays where it was,
and a result's factors still combine to its score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TypeAlias

from leafmark.model import Candidate, Entry, Factor, Phase

__all__ = ["Rerank", "rerank_candidates"]

Rerank: TypeAlias = Callable[[Sequence[str]], Sequence[float] | None]
"""Gives how relevant each text is to the query, higher is better; None where it cannot be told."""

MOST_CHARACTERS = 4000
"""Of a result's text: what the models read, and more."""


def rerank_candidates(
    candidates: Sequence[Candidate],
    count: int,
    rerank: Rerank,
    read_text: Callable[[Entry], str | None],
) -> tuple[list[Candidate], Phase]:
    """Return the candidates with the first `count` in order of relevance; ties keep theirs.

    A result without text, since its source is another now, is as relevant as its titles.
    From one on that scores 0, which no factor makes another score of, all stay where they are.
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
