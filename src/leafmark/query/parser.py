"""Parse tokens to an expression, by recursive descent.

Binding, tightest first: quotes, field, `^` and `~`, negation, parentheses, OR,
and then AND, written or not: `a OR b c` is `(a OR b) c`, and `a AND b OR c` is
`a AND (b OR c)`. The recursion is as deep as the parentheses, which the lexer
has limited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leafmark.query import problems
from leafmark.query.ast import (
    MAX_BOOST,
    MAX_DISTANCE,
    MIN_BOOST,
    Boost,
    Expression,
    Field,
    Filter,
    Fuzzy,
    Not,
    Phrase,
    Prefix,
    Term,
    all_of,
    any_of,
    filters_only,
    is_prefix,
    only_negates,
)
from leafmark.query.fields import HAS_VALUES, META_PREFIX, is_filter
from leafmark.query.lexer import count_terms, tokenize
from leafmark.query.limits import DEFAULT_LIMITS, Limits
from leafmark.query.ranges import Range, parse_range
from leafmark.query.tokens import Kind, Token

__all__ = ["parse_query", "parse_topics"]

_NO_BOUND = frozenset(("..", ">", "<", ">=", "<="))


def parse_query(text: str, *, limits: Limits = DEFAULT_LIMITS) -> Expression:
    """Return what `text` asks for; its words stay as they were typed.

    Raises:
        QueryError: `text` is empty, malformed or over a limit; the error tells the first
            problem from the left, and its place.

    >>> parse_query("title:rust OR go")
    Or(operands=(Field(name='title', operand=Term(text='rust')), Term(text='go')))
    """
    return _parse(text, tokenize(text, limits))


def parse_topics(
    arguments: Sequence[str], *, limits: Limits = DEFAULT_LIMITS
) -> tuple[Expression, ...]:
    """Return the expression of each argument; `limits` are for all of them together.

    Raises:
        QueryError: as for `parse_query`; its `query` is the argument with the problem.
    """
    if not arguments:
        raise problems.empty("")
    topics, length, terms = [], 0, 0
    for argument in arguments:
        if length + len(argument) > limits.length:
            start = max(0, limits.length - length)
            raise problems.too_long(argument, start, sum(map(len, arguments)), limits)
        tokens = tokenize(argument, limits, terms_before=terms)
        topics.append(_parse(argument, tokens))
        length, terms = length + len(argument), terms + count_terms(tokens)
    return tuple(topics)


def _parse(text: str, tokens: list[Token]) -> Expression:
    if tokens[0].kind is Kind.END:
        raise problems.empty(text)
    expression = _Parser(text, tokens).conjunction()
    if only_negates(expression):
        raise problems.only_negations(text, *expression.span)
    return expression


class _Parser:
    def __init__(self, query: str, tokens: list[Token]) -> None:
        self.query = query
        self.tokens = tokens
        self.at = 0
        self.inside: Token | None = None
        """The field whose value is being read."""

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def conjunction(self) -> Expression:
        parts, explicit = [self.disjunction()], False
        while self.token.kind not in (Kind.END, Kind.CLOSE):
            if self.token.kind is Kind.AND:
                explicit = True
                self._step_over_operator()
            parts.append(self.disjunction())
        return all_of(parts, explicit=explicit)

    def disjunction(self) -> Expression:
        parts = [self.unary()]
        while self.token.kind is Kind.OR:
            self._step_over_operator()
            parts.append(self.unary())
        return parts[0] if len(parts) == 1 else any_of(map(self._positive, parts))

    def unary(self) -> Expression:
        token = self.token
        if token.kind is not Kind.NOT:
            return self.marked()
        self._step_over_operator()
        if self.token.kind is Kind.NOT:
            raise problems.only_negations(self.query, self.token.start, self.token.end)
        operand = self._positive(self.marked())
        return Not(operand, span=(token.start, operand.span[1]))

    def marked(self) -> Expression:
        """Read an operand with the boost and the distance after it."""
        start = self.token.start
        operand, seen = self.primary(), set[Kind]()
        while self.token.kind in (Kind.BOOST, Kind.FUZZY):
            token = self._take()
            if token.kind in seen:
                raise problems.repeated_mark(self.query, token.start, token.end, token.kind.value)
            seen.add(token.kind)
            operand = self._mark(operand, token, (start, token.end))
        return operand

    def _mark(self, operand: Expression, token: Token, span: tuple[int, int]) -> Expression:
        place = (self.query, token.start, token.end)
        self._positive(operand)
        if filters_only(operand):
            raise problems.marked_filter(*place, token.kind.value)
        if token.kind is Kind.BOOST:
            return Boost(operand, self._factor(token), span=span)
        if is_prefix(operand):
            raise problems.fuzzy_prefix(*place)
        if token.text not in map(str, range(MAX_DISTANCE + 1)):
            raise problems.bad_distance(*place, token.text)
        return Fuzzy(operand, int(token.text), span=span)

    def _factor(self, token: Token) -> float:
        try:
            factor = float(token.text)
        except ValueError:
            factor = 0.0
        if MIN_BOOST <= factor <= MAX_BOOST:  # False for nan
            return factor
        place = (self.query, token.start, token.end)
        raise problems.bad_boost(*place, token.text, (MIN_BOOST, MAX_BOOST))

    def primary(self) -> Expression:
        token = self._take()
        span = (token.start, token.end)
        match token.kind:
            case Kind.WORD:
                return Term(token.text, span=span, no_field=token.no_field)
            case Kind.PREFIX:
                return Prefix(token.text, span=span, no_field=token.no_field)
            case Kind.PHRASE:
                return Phrase(token.text, span=span)
            case Kind.VALUE:
                return self._filter(token)
            case Kind.FIELD:
                return self._field(token)
            case Kind.OPEN:
                return self._group(token)
        raise problems.dangling(self.query, token.start, token.end, "before")

    def _group(self, opening: Token) -> Expression:
        if self.token.kind is Kind.CLOSE:
            raise problems.empty_group(self.query, opening.start, self.token.end)
        expression = self.conjunction()
        closing = self._take()
        return replace(expression, span=(opening.start, closing.end))

    def _field(self, token: Token) -> Expression:
        if self.inside is not None:
            names = (token.text, self.inside.text)
            raise problems.nested_field(self.query, token.start, token.end, *names)
        self.inside = token
        operand = self.primary()
        self.inside = None
        span = (token.start, self._positive(operand).span[1])
        if is_filter(token.text):
            return replace(operand, span=span)
        return Field(token.text, operand, span=span)

    def _filter(self, token: Token) -> Expression:
        """Return a value as a filter: `tree:(a OR b)` is `tree:a OR tree:b`."""
        assert self.inside is not None, "the lexer makes values only behind the name of a filter"
        name = self.inside.text
        value = token.text if token.quoted else self._value(name, token)
        if name == "has" and value not in HAS_VALUES:
            raise problems.bad_value(self.query, token.start, token.end, token.text)
        return Filter(name, value, span=(token.start, token.end))

    def _value(self, name: str, token: Token) -> str | Range:
        place = (self.query, token.start, token.end)
        if name == "path" and token.text.endswith("*"):
            raise problems.wildcard_path(*place, token.text)
        if not name.startswith(META_PREFIX):
            return token.text
        if token.text in _NO_BOUND:
            raise problems.bad_range(*place, name)
        condition = parse_range(token.text)
        if condition is not None and condition.runs_backwards:
            raise problems.backward_range(*place, str(condition.low), str(condition.high))
        return condition or token.text

    def _positive(self, expression: Expression) -> Expression:
        if only_negates(expression):
            raise problems.only_negations(self.query, *expression.span)
        return expression

    def _take(self) -> Token:
        token = self.token
        self.at += 1
        return token

    def _step_over_operator(self) -> None:
        """Go past AND, OR, NOT or a minus; an operand must follow."""
        token = self._take()
        if self.token.kind in (Kind.END, Kind.CLOSE, Kind.AND, Kind.OR):
            raise problems.dangling(self.query, token.start, token.end, "after")
