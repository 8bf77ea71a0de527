"""Parse tokens to an expression, by recursive descent.

Binding, tightest first: quotes, field, `^` and `~`, negation, parentheses, OR, and then AND,
written or not: `a OR b c` is `(a OR b) c`, and `a AND b OR c` is `a AND (b OR c)`. The recursion
is as deep as the parentheses, which the lexer limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leafmark.errors import QueryError
from leafmark.patterns import lazy_pattern
from leafmark.query.ast import (
    HALF_CHARACTER,
    HAS_VALUES,
    META_PREFIX,
    QUOTES,
    SCORING_FIELDS,
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
    is_filter,
    is_prefix,
    is_scoring,
    only_negates,
)
from leafmark.query.lexer import (
    DEFAULT_LIMITS,
    GERSHAYIM,
    Kind,
    Limits,
    Token,
    check_length,
    count_terms,
    problem,
    tokenize,
    too_long,
    too_many_terms,
)
from leafmark.query.ranges import Range, parse_range

_EXAMPLES = 'error handling, "an exact phrase", title:install or tree:docs'

_PLAIN = lazy_pattern(rf"(?:\(\)|{GERSHAYIM}|[^\s(){QUOTES}{HALF_CHARACTER.pattern[1:-1]}])+")
"""A word of plain text: up to white space, a quote or a parenthesis; `()` is part of it."""

_NO_BOUND = frozenset(("..", ">", "<", ">=", "<="))


def parse_query(text: str, *, limits: Limits = DEFAULT_LIMITS) -> Expression:
    """Return the expression of a query; its words are as typed.

    Raises:
        QueryError: `text` is empty, malformed or over a limit; the error has the first problem
            from the left and its position.

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
        raise _empty("")
    topics, length, terms = [], 0, 0
    for argument in arguments:
        if length + len(argument) > limits.length:
            start = max(0, limits.length - length)
            raise too_long(argument, start, sum(map(len, arguments)), limits)
        tokens = tokenize(argument, limits, terms_before=terms)
        topics.append(_parse(argument, tokens))
        length, terms = length + len(argument), terms + count_terms(tokens)
    return tuple(topics)


def parse_plain(text: str, *, limits: Limits = DEFAULT_LIMITS) -> Expression:
    """Return the words of a text as an expression; nothing in it is an operator.

    Raises:
        QueryError: `text` is empty, not Unicode, or over a limit.

    >>> from leafmark.query import plain_words
    >>> [word.text for word in plain_words(parse_plain('where is title:"-v (verbose)"'))]
    ['where', 'is', 'title', '-v', 'verbose']
    """
    if not text.strip():
        raise _empty(text)
    check_length(text, limits)
    words = list(iter_plain(text)) or [Term(text.split()[0])]
    if len(words) > limits.terms:
        raise too_many_terms(text, *words[limits.terms].span, limits)
    return all_of(words)


def iter_plain(text: str) -> Iterator[Term]:
    """Yield the words of a text that have a letter or digit.

    White space, quotes, parentheses and the colon of a field separate words.
    """
    for word in _PLAIN.finditer(text):
        name, colon, value = word[0].partition(":")
        parts = [(word.start(), word[0])]
        if colon and (is_scoring(name) or is_filter(name)):
            parts = [(word.start(), name), (word.end() - len(value), value)]
        for start, part in parts:
            if any(map(str.isalnum, part)):
                yield Term(part, span=(start, start + len(part)))


def _parse(text: str, tokens: list[Token]) -> Expression:
    if tokens[0].kind is Kind.END:
        if not text.strip():
            raise _empty(text)
        return Term(text.split()[0])  # only parentheses without a partner
    expression = _Parser(text, tokens).conjunction()
    if only_negates(expression):
        raise _only_negations(text, *expression.span)
    return expression


def _empty(query: str) -> QueryError:
    hint = f"type what to look for, such as {_EXAMPLES}"
    return problem(query, 0, len(query), "the query is empty", hint)


def _only_negations(query: str, start: int, end: int) -> QueryError:
    message = "this says only what must not match"
    hint = "add a word that must match, such as: rust -deprecated"
    return problem(query, start, end, message, hint)


class _Parser:
    def __init__(self, query: str, tokens: list[Token]) -> None:
        self.query = query
        self.tokens = tokens
        self.at = 0
        self.inside: Token | None = None
        """The field whose value is being parsed."""

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def conjunction(self) -> Expression:
        parts, explicit = [self.disjunction()], False
        while self.token.kind not in (Kind.END, Kind.CLOSE):
            if self.token.kind is Kind.AND:
                explicit = True
                self.at += 1
            parts.append(self.disjunction())
        return all_of(parts, explicit=explicit)

    def disjunction(self) -> Expression:
        parts = [self.unary()]
        while self.token.kind is Kind.OR:
            self.at += 1
            parts.append(self.unary())
        return parts[0] if len(parts) == 1 else any_of(map(self._positive, parts))

    def unary(self) -> Expression:
        token = self.token
        if token.kind is not Kind.NOT:
            return self.marked()
        self.at += 1
        if self.token.kind is Kind.NOT:
            raise _only_negations(self.query, self.token.start, self.token.end)
        operand = self._positive(self.marked())
        return Not(operand, span=(token.start, operand.span[1]))

    def marked(self) -> Expression:
        """Read an operand with the boost and the distance after it."""
        start = self.token.start
        operand = self.primary()
        while self.token.kind in (Kind.BOOST, Kind.FUZZY):
            token = self._take()
            operand = self._mark(operand, token, (start, token.end))
        return operand

    def _mark(self, operand: Expression, token: Token, span: tuple[int, int]) -> Expression:
        self._positive(operand)
        sign = token.kind.value
        if filters_only(operand):
            fuzzy = token.kind is Kind.FUZZY
            reason = "filters match exactly" if fuzzy else "filters do not score"
            fields = ", ".join(f"{name}:" for name in SCORING_FIELDS)
            hint = f"remove it: it can follow words, quotes, groups, {fields}"
            raise self._problem(token, f"{sign} follows a filter, and {reason}", hint)
        if token.kind is Kind.BOOST:
            return Boost(operand, float(token.text), span=span)
        if is_prefix(operand):
            message = "~ follows a prefix, and a prefix is matched exactly"
            raise self._problem(token, message, "keep either the * or the ~")
        return Fuzzy(operand, int(token.text), span=span)

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
        raise AssertionError(f"the lexer leaves no operator without operands: {token}")

    def _group(self, opening: Token) -> Expression:
        if self.token.kind is Kind.CLOSE:
            hint = "put words between the parentheses, or write \\(\\) to search for the characters"
            message = "there is nothing between the parentheses"
            raise problem(self.query, opening.start, self.token.end, message, hint)
        expression = self.conjunction()
        closing = self._take()
        return expression._replace(span=(opening.start, closing.end))

    def _field(self, token: Token) -> Expression:
        if self.inside is not None:
            outer = self.inside.text
            message = f"{token.text}: stands inside {outer}:"
            hint = f"put the two beside each other, not in one {outer}:"
            raise self._problem(token, message, hint)
        self.inside = token
        operand = self.primary()
        self.inside = None
        span = (token.start, self._positive(operand).span[1])
        if is_filter(token.text):
            return operand._replace(span=span)
        return Field(token.text, operand, span=span)

    def _filter(self, token: Token) -> Expression:
        """Return a value as a filter: `tree:(a OR b)` is `tree:a OR tree:b`."""
        assert self.inside is not None, "the lexer makes values only behind the name of a filter"
        name = self.inside.text
        value = token.text if token.quoted else self._value(name, token)
        if name == "has" and value not in HAS_VALUES:
            message = f'has: is followed by "{token.text}"'
            raise self._problem(token, message, f"it can be {', '.join(HAS_VALUES)}")
        return Filter(name, value, span=(token.start, token.end))

    def _value(self, name: str, token: Token) -> str | Range:
        if name == "path" and token.text.endswith("*"):
            message = "path: takes no wildcard: it is the plain beginning of a path"
            plain = token.text.rstrip("*")
            hint = f"write path:{plain} or, for a star in a name, put the value in quotes"
            raise self._problem(token, message, hint)
        if not name.startswith(META_PREFIX):
            return token.text
        if token.text in _NO_BOUND:
            hint = f"write {name}:3..7, {name}:>=3 or {name}:..7, or put the value in quotes"
            raise self._problem(token, "this range has no bound", hint)
        condition = parse_range(token.text)
        if condition is not None and condition.runs_backwards:
            hint = f"write {condition.high}..{condition.low}"
            raise self._problem(token, "this range begins after its end", hint)
        return condition or token.text

    def _positive(self, expression: Expression) -> Expression:
        if only_negates(expression):
            raise _only_negations(self.query, *expression.span)
        return expression

    def _problem(self, token: Token, message: str, hint: str) -> QueryError:
        return problem(self.query, token.start, token.end, message, hint)

    def _take(self) -> Token:
        token = self.token
        self.at += 1
        return token
