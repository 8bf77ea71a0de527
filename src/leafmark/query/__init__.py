"""A query string to an expression, and back.

Pure; knows nothing of the engine. Every error has a place in the string.

Read `ast` first (what a query can mean), then `parser` (how operators
bind), then `lexer` (what is an operator and what is part of a word).
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
    Term,
    all_of,
    any_of,
    filters_only,
)
from leafmark.query.formatter import format_query
from leafmark.query.limits import DEFAULT_LIMITS, Limits
from leafmark.query.parser import parse_query, parse_topics
from leafmark.query.plain import plain_query
from leafmark.query.ranges import Range, admits
from leafmark.query.structure import (
    Asked,
    iter_leaves,
    iter_terms,
    parts_of,
    plain_words,
)

__all__ = [
    "DEFAULT_LIMITS",
    "And",
    "Asked",
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
    "Term",
    "admits",
    "all_of",
    "any_of",
    "filters_only",
    "format_query",
    "iter_leaves",
    "iter_terms",
    "parse_query",
    "parse_topics",
    "parts_of",
    "plain_query",
    "plain_words",
]
