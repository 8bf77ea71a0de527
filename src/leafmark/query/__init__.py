"""A query string to an expression, and back.

Pure; knows nothing of the engine. Every error has a position in the string.

Read `ast` first (the meanings of queries), then `lexer` (operators and text), then `parser` (how
operators bind).
"""

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
    ScopedLeaf,
    Term,
    all_of,
    any_of,
    filters_only,
    iter_leaves,
    iter_terms,
    parts_of,
    plain_words,
)
from leafmark.query.formatter import format_query, plain_query
from leafmark.query.lexer import DEFAULT_LIMITS, Limits
from leafmark.query.parser import parse_plain, parse_query, parse_topics
from leafmark.query.ranges import Range, admits

__all__ = [
    "DEFAULT_LIMITS",
    "And",
    "Boost",
    "Expression",
    "Field",
    "Filter",
    "Fuzzy",
    "Limits",
    "Not",
    "Or",
    "Phrase",
    "Prefix",
    "Range",
    "ScopedLeaf",
    "Term",
    "admits",
    "all_of",
    "any_of",
    "filters_only",
    "format_query",
    "iter_leaves",
    "iter_terms",
    "parse_plain",
    "parse_query",
    "parse_topics",
    "parts_of",
    "plain_query",
    "plain_words",
]
