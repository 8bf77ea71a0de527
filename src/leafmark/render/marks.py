"""Marks beside texts: what a budget left out, and what an added chunk is to its result."""

from __future__ import annotations

from collections.abc import Iterable

from leafmark.model import Answer, Omission, Passage, Relation, ShowReport, plural
from leafmark.render.terminal import clean_line

__all__ = [
    "CHANGED",
    "omissions_in",
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
    >>> render_omission(Omission("docs:a.md#setup", 20, own=True))
    '[20 tokens of its own text left out: docs:a.md#setup]'
    >>> render_omission(Omission("docs:a.md", 1, results=2))
    '[2 more left out, 1 token, from docs:a.md on]'
    """
    name = clean_line(omission.id)
    if omission.results:
        return f"[{omission.results} more left out, {_tokens(omission)}, from {name} on]"
    return f"[{tokens_left_out(omission)}: {name}]"


def tokens_left_out(omission: Omission) -> str:
    own = " of its own text" if omission.own else ""
    return f"{_tokens(omission)}{own} left out"


def _tokens(omission: Omission) -> str:
    return f"{omission.tokens} {plural('token', omission.tokens)}"


def omissions_in(passages: Iterable[Passage | Omission] | None) -> list[Omission]:
    """Return what was left out among some passages."""
    return [one for one in passages or () if isinstance(one, Omission)]


def omissions_of(found: Answer | ShowReport) -> list[Omission]:
    """Return what was left out of an answer or a report: of what it holds, and of it as a whole."""
    parts = found.results if isinstance(found, Answer) else found.shown
    inside = [one for part in parts for one in omissions_in(part.passages)]
    return inside if found.omission is None else [*inside, found.omission]


def relation_name(relation: Relation) -> str:
    """Return what one added chunk is to the result.

    >>> relation_name("siblings")
    'sibling'
    """
    return {"siblings": "sibling", "children": "child"}.get(relation, relation)
