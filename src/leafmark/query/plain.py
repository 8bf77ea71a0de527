"""Turn any text into a query: for programs that were given a question, not a query."""

from __future__ import annotations

import re

from leafmark.query.ast import Term
from leafmark.query.fields import HALF_CHARACTER, QUOTES
from leafmark.query.formatter import format_query
from leafmark.query.limits import DEFAULT_LIMITS, Limits

__all__ = ["plain_query"]

_APART = re.compile(rf"[\s():^~*\\{QUOTES}]+|{HALF_CHARACTER.pattern}")
"""What separates words: white space, and all characters that are operators inside a word."""


def plain_query(text: str, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """Return a query for the words of any text, in which nothing is an operator.

    Words without a letter or digit are left out, and so are the last words if there are too
    many. Empty for a text without words.

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
    for word in _APART.split(text):
        if any(map(str.isalnum, word)):
            written = format_query(Term(word))
            length += 1 + len(written)
            if length > limits.length or len(words) == limits.terms:
                break
            words.append(written)
    return " ".join(words)
