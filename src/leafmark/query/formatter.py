"""Write an expression as a query string, for `--explain` and for storing.

`parse_query(format_query(e)) == e` for every expression that the parser can return. An OR inside
an AND gets parentheses: the grammar does not need them, but readers do.
"""

from __future__ import annotations

from collections.abc import Iterable

from leafmark.errors import QueryError
from leafmark.query.ast import (
    QUOTES,
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
from leafmark.query.lexer import (
    DEFAULT_LIMITS,
    OPERATORS,
    Kind,
    Limits,
    Token,
    escape,
    negates,
    tokenize,
)
from leafmark.query.parser import iter_plain
from leafmark.query.ranges import Range, parse_range


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
            return _marked(operand, Boost, f"^{_number(factor)}")
        case Fuzzy(operand=operand, distance=distance):
            return _marked(operand, Fuzzy, f"~{distance}")
        case _:
            return _leaf(expression)


def _enclosed(operands: Iterable[Expression], looser: type) -> Iterable[str]:
    return (_enclose(operand, looser) for operand in operands)


def _enclose(expression: Expression, *looser: type) -> str:
    text = format_query(expression)
    return f"({text})" if isinstance(expression, looser) else text


def _marked(operand: Expression, kind: type, mark: str) -> str:
    """Return the operand with its mark; a second mark of the same kind needs parentheses.

    So does a term behind which a mark would be text: `(HEAD)^2`.
    """
    marked = operand
    while isinstance(marked, Boost | Fuzzy) and not isinstance(marked, kind):
        marked = marked.operand
    if isinstance(marked, kind):
        return f"({format_query(operand)}){mark}"
    text = _enclose(operand, And, Or, Not)
    if isinstance(operand, Term | Field):
        *kinds, end = (token.kind for token in _tokens(text))
        kinds += [Kind.BOOST if mark[0] == "^" else Kind.FUZZY, end]
        if kinds != [token.kind for token in _tokens(text + mark)]:
            return f"({text}){mark}"
    return text + mark


def _field_value(operand: Expression) -> str:
    """Return the value of a field, in parentheses if the colon could be part of a word.

    The word `()` gets parentheses too: alone it would be an empty value.
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


def _word(text: str) -> str:
    """Return the word unchanged if it reads back as itself, else escaped."""
    if text in OPERATORS:
        return f"\\{text}"
    return text if text.isalnum() or _reads_as(text, Kind.WORD, text) else escape(text)


def _prefix(text: str) -> str:
    return text if _reads_as(f"{text}*", Kind.PREFIX, text) else escape(text)


def _reads_as(written: str, kind: Kind, text: str) -> bool:
    if written.endswith("\\") or any(quote in written for quote in QUOTES):
        return False  # it would escape the next character, or might begin a phrase with it
    tokens = _tokens(written)
    return len(tokens) == 2 and tokens[0][::3] == (kind, text)


def _tokens(written: str) -> list[Token]:
    """Return the tokens of a string, none if it is malformed."""
    try:
        return tokenize(written, _NO_LIMITS)
    except QueryError:
        return []


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _value(name: str, value: str | Range) -> str:
    if isinstance(value, Range):
        return str(value)
    plain = (
        value[0] != "("
        and not any(quote in value for quote in QUOTES)
        and not any(map(str.isspace, value))
        and _is_balanced(value)
        and not (name == "path" and value.endswith("*"))
        and parse_range(value) is None
        and value not in (">", "<", ">=", "<=", "..")
    )
    # Behind a colon, these characters would make a word of all of it: `title::x`.
    return value if plain and value[0] not in ":/\\)" else _quoted(value)


def _is_balanced(value: str) -> bool:
    """Whether the parentheses in `value` are balanced, and no backslash escapes one or the end."""
    depth = 0
    for before, char in zip(" " + value, value, strict=False):
        if before == "\\" and char in "()":
            return False
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth < 0:
            return False
    return depth == 0 and not value.endswith("\\")


def _number(factor: float) -> str:
    return repr(float(factor)).removesuffix(".0")


_NO_LIMITS = Limits(length=1 << 62, depth=1 << 62, terms=1 << 62)


def plain_query(text: str, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """Return a query for the plain words of any text, cut to the limits.

    Words without a letter or digit are left out, and so are the last words if there are too many.
    A text without words gives an empty query.

    >>> plain_query('where is title:"-v (verbose)?')
    'where is title \\\\-v verbose'
    >>> short, few = Limits(length=5), Limits(terms=1)
    >>> plain_query("ab cd e", limits=short), plain_query("ab cdefg h", limits=short)
    ('ab cd', 'ab')
    >>> plain_query("ab cd e", limits=few)
    'ab'
    """
    words: list[str] = []
    length = -1
    for word in iter_plain(text):
        written = format_query(word)
        length += 1 + len(written)
        if length > limits.length or len(words) == limits.terms:
            break
        words.append(written)
    return " ".join(words)
