"""Expressions as one line for human eyes, spelled unlike queries so that no test is circular."""

from __future__ import annotations

import json

from leafmark.query import (
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
    Range,
    Term,
)


def outline(expression: Expression) -> str:
    """`(and a (not "b c"))`: words as they are, quotes around phrases and values."""
    match expression:
        case Field(name=name, operand=operand):
            return f"(in {name} {outline(operand)})"
        case Boost(operand=operand, factor=factor):
            return f"(boost {factor:g} {outline(operand)})"
        case Fuzzy(operand=operand, distance=distance):
            return f"(fuzzy {distance} {outline(operand)})"
        case Not(operand=operand):
            return f"(not {outline(operand)})"
        case And(operands=operands, explicit=explicit):
            return f"({'AND' if explicit else 'and'} {' '.join(map(outline, operands))})"
        case Or(operands=operands):
            return f"(or {' '.join(map(outline, operands))})"
        case Filter(name=name, value=Range() as held):
            return f"(range {name} {_interval(held)})"
    return _leaf(expression)


def _leaf(leaf: Expression) -> str:
    match leaf:
        case Term(text=text):
            return text
        case Phrase(text=text):
            return json.dumps(text, ensure_ascii=False)
        case Prefix(text=text):
            return f"(prefix {text})"
        case Filter(name=name, value=value):
            return f"(only {name} {json.dumps(value, ensure_ascii=False)})"
    raise AssertionError(leaf)


def _interval(held: Range) -> str:
    """`[3, 7]`, `(3, ]`: square where the bound belongs to the range."""
    opening, closing = "(["[held.include_low], ")]"[held.include_high]
    return f"{opening}{held.low or ''}, {held.high or ''}{closing}"
