"""Questions about an expression that retrieval asks: its leaves, its words, its filters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from leafmark.query.ast import (
    And,
    Boost,
    Expression,
    Field,
    Filter,
    Fuzzy,
    Not,
    Or,
    Phrase,
    Prefix,
    Term,
)

__all__ = [
    "Asked",
    "Leaf",
    "iter_leaves",
    "iter_terms",
    "parts_of",
    "plain_words",
]

Leaf: TypeAlias = Term | Phrase | Prefix | Filter


class Asked(NamedTuple):
    """A leaf, the text field that it is asked for in (None: all), and whether it is negated."""

    leaf: Leaf
    field: str | None = None
    negated: bool = False


def iter_leaves(expression: Expression) -> Iterator[Asked]:
    """Yield every term, phrase, prefix and filter, negated ones too, from left to right."""
    stack: list[tuple[Expression, str | None, bool]] = [(expression, None, False)]
    while stack:
        node, field, negated = stack.pop()
        match node:
            case And(operands=operands) | Or(operands=operands):
                stack.extend((operand, field, negated) for operand in reversed(operands))
            case Not(operand=operand):
                stack.append((operand, field, True))
            case Field(name=name, operand=operand):
                stack.append((operand, name, negated))
            case Boost(operand=operand) | Fuzzy(operand=operand):
                stack.append((operand, field, negated))
            case _:
                yield Asked(node, field, negated)


def iter_terms(expression: Expression) -> Iterator[Asked]:
    """Yield the leaves that score, from left to right: all but filters and negated ones."""
    for asked in iter_leaves(expression):
        if not asked.negated and not isinstance(asked.leaf, Filter):
            yield asked


def plain_words(expression: Expression) -> tuple[Term, ...]:
    """Return the plain words of an expression, in order.

    They are not quoted, fielded, marked, negated or under OR or a written AND. Only plain
    words may be left out as stop words, corrected or relaxed.
    """
    if isinstance(expression, And) and expression.explicit:
        return ()
    return tuple(part for part in parts_of(expression) if isinstance(part, Term))


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """Return the operands of an And, or any other expression itself."""
    return expression.operands if isinstance(expression, And) else (expression,)
