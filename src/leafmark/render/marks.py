"""Marks beside texts: what a budget left out, and what an added chunk is to its result."""

from __future__ import annotations

from leafmark.model import Answer, Omission, Relation
from leafmark.render.terminal import clean_line

__all__ = [
    "CHANGED",
    "count_of",
    "omissions_of",
    "relation_name",
    "render_omission",
    "tokens_left_out",
]

CHANGED = "(changed since it was indexed)"
"""In place of the text of a stale result, or beside its titles, which are those of then."""


def render_omission(omission: Omission) -> str:
    """Return the mark that stands where something was left out.

    >>> render_omission(Omission("docs:a.md#setup", 120))
    '[120 tokens left out: docs:a.md#setup]'
    >>> render_omission(Omission("docs:a.md", 1, results=2))
    '[2 more left out, 1 token, from docs:a.md on]'
    """
    name = clean_line(omission.id)
    if omission.results:
        tokens = count_of(omission.tokens, "token")
        return f"[{omission.results} more left out, {tokens}, from {name} on]"
    return f"[{tokens_left_out(omission)}: {name}]"


def tokens_left_out(omission: Omission) -> str:
    return f"{count_of(omission.tokens, 'token')} left out"


def count_of(number: int, noun: str) -> str:
    """Return how many of something there are.

    >>> count_of(1, "token"), count_of(12, "byte")
    ('1 token', '12 bytes')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def omissions_of(answer: Answer) -> list[Omission]:
    """Return what was left out of an answer: of its results, and whole results."""
    found = [
        one
        for result in answer.results
        for one in result.passages or ()
        if isinstance(one, Omission)
    ]
    return [*found, answer.omission] if answer.omission is not None else found


def relation_name(relation: Relation) -> str:
    """Return what one added chunk is to the result.

    >>> relation_name("siblings")
    'sibling'
    """
    return {"siblings": "sibling", "children": "child"}.get(relation, relation)
