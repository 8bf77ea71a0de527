"""Write an expression as a query string, for `--explain` and for storing.

`parse_query(format_query(e)) == e` for every expression that a query can mean. An OR inside
an AND gets parentheses: the grammar does not need them, but readers do.
"""

from __future__ import annotations

from collections.abc import Iterable

from leafmark.errors import QueryError
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
from leafmark.query.fields import QUOTES
from leafmark.query.lexer import tokenize
from leafmark.query.limits import Limits
from leafmark.query.ranges import Range, parse_range
from leafmark.query.tokens import OPERATORS, Kind, escape, negates

__all__ = ["format_query"]


def format_query(expression: Expression) -> str:
    """Return the shortest spelling that reads back as `expression`.

    >>> from leafmark.query import And, Not, Or, Term
    >>> format_query(And((Or((Term("rust"), Term("go"))), Not(Term("legacy")))))
    '(rust OR go) -legacy'
    """
    match expression:
        case And(operands=operands, explicit=explicit):
            return (" AND " if explicit else " ").join(_enclosed(operands, Or))
        case Or(operands=operands):
            return " OR ".join(_enclosed(operands, And))
        case Not(operand=operand):
            inner = _enclose(operand, And, Or)
            return f"-{inner}" if negates(f"-{inner}", 0) else f"NOT {inner}"
        case Field(name=name, operand=operand):
            return f"{name}:{_field_value(operand)}"
        case Boost(operand=operand, factor=factor):
            return f"{_marked(operand, Boost)}^{_number(factor)}"
        case Fuzzy(operand=operand, distance=distance):
            return f"{_marked(operand, Fuzzy)}~{distance}"
        case _:
            return _leaf(expression)


def _enclosed(operands: Iterable[Expression], looser: type) -> Iterable[str]:
    return (_enclose(operand, looser) for operand in operands)


def _enclose(expression: Expression, *looser: type) -> str:
    text = format_query(expression)
    return f"({text})" if isinstance(expression, looser) else text


def _marked(operand: Expression, mark: type) -> str:
    """Return the operand of a mark; a second mark of the same kind needs parentheses."""
    marked = operand
    while isinstance(marked, Boost | Fuzzy) and not isinstance(marked, mark):
        marked = marked.operand
    if isinstance(marked, mark):
        return f"({format_query(operand)})"
    if isinstance(operand, Term):
        # A lone minus would negate the mark, and `titel:` make it the value of a field.
        return _word(operand.text, before="^1")
    return _enclose(operand, And, Or, Not)


def _field_value(operand: Expression) -> str:
    """Return the value of a field, in parentheses if the colon could be part of a word.

    So is the word `()`, which would be an empty value.
    """
    text = _enclose(operand, And, Or, Not, Boost, Fuzzy)
    safe = (text[0] in '"(' and text != "()") or text[0].isalnum() or text[0] == "_"
    return text if safe else f"({text})"


def _leaf(leaf: Expression) -> str:
    match leaf:
        case Term(text=text):
            return _word(text)
        case Prefix(text=text):
            return f"{_prefix(text)}*"
        case Phrase(text=text):
            return _quoted(text)
        case Filter(name=name, value=value):
            return f"{name}:{_value(name, value)}"
    raise AssertionError(f"no expression: {leaf!r}")


def _word(text: str, before: str = "") -> str:
    """Return the word as typed if it reads back as itself `before` a mark, else escaped."""
    if text in OPERATORS:
        return f"\\{text}"
    if text.isalnum() or _reads_as(text, Kind.WORD, text, before):
        return text
    return escape(text)


def _prefix(text: str) -> str:
    return text if _reads_as(f"{text}*", Kind.PREFIX, text) else escape(text)


def _reads_as(written: str, kind: Kind, text: str, before: str = "") -> bool:
    if written.endswith("\\"):  # it would escape what comes next
        return False
    try:
        first, *rest = tokenize(written + before, _NO_LIMITS)
    except QueryError:
        return False
    return (first.kind, first.text, len(rest)) == (kind, text, 2 if before else 1)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _value(name: str, value: str | Range) -> str:
    if isinstance(value, Range):
        return str(value)
    plain = (
        value[0] not in QUOTES + "("
        and not any(map(str.isspace, value))
        and _is_balanced(value)
        and not (name == "path" and value.endswith("*"))
        and parse_range(value) is None
        and value not in (">", "<", ">=", "<=", "..")
    )
    # After a colon, these characters would make the whole a word: `title::x`.
    return value if plain and value[0] not in ":/\\)" else _quoted(value)


def _is_balanced(value: str) -> bool:
    """Whether the parentheses in `value` are balanced."""
    depth = 0
    for char in value:
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth < 0:
            return False
    return depth == 0


def _number(factor: float) -> str:
    return repr(float(factor)).removesuffix(".0")


_NO_LIMITS = Limits(length=1 << 62, depth=1 << 62, terms=1 << 62)
