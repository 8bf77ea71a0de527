"""The tokens of a query string and the characters that mean something in it."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from leafmark.query.fields import QUOTES

__all__ = [
    "ESCAPABLE",
    "OPERATORS",
    "Kind",
    "Token",
    "escape",
    "is_beginning",
    "is_number",
    "negates",
    "unescape",
]

ESCAPABLE = '\\():^~*-"' + QUOTES[1:]
"""What a backslash escapes; before any other character it is itself (`C:\\temp`)."""

_QUOTED_ESCAPE = re.compile(r"\\([\\" + QUOTES + "])")

# `--verbose`, `->`, `-=`, a bullet or a dash between words are pasted text.
_NO_NEGATION = frozenset("->=<|&+,;:!?)")

_NUMBER = re.compile(r"[+-]?\.?[0-9][0-9.eE+-]*|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


class Kind(Enum):
    WORD = "word"
    PREFIX = "prefix"
    PHRASE = "phrase"
    VALUE = "value"
    FIELD = "field"
    OPEN = "("
    CLOSE = ")"
    AND = "AND"
    OR = "OR"
    NOT = "NOT"
    BOOST = "^"
    FUZZY = "~"
    END = "end"


OPERATORS = {"AND": Kind.AND, "OR": Kind.OR, "NOT": Kind.NOT}


class Token(NamedTuple):
    """`[start, end)` of the query string; `text` without escapes, quotes and marks.

    The text of FIELD is the name; that of BOOST and FUZZY is what follows the sign. A WORD
    or PREFIX like `node:http` has the name before its colon, which is no field, in `no_field`.
    """

    kind: Kind
    start: int
    end: int
    text: str = ""
    quoted: bool = False
    no_field: str = ""


def escape(text: str) -> str:
    """Return `text` with a backslash before every character that could be an operator."""
    return "".join(f"\\{c}" if c in ESCAPABLE else c for c in text)


def unescape(quoted: str) -> str:
    """Return quoted text without the backslashes before quotes and backslashes."""
    return _QUOTED_ESCAPE.sub(r"\1", quoted)


def negates(text: str, at: int) -> bool:
    """Whether the minus at `at`, at the beginning of a word, negates what follows it."""
    following = text[at + 1 : at + 2]
    return bool(following) and not following.isspace() and following not in _NO_NEGATION


def is_beginning(text: str) -> bool:
    """Whether `text` can be a prefix: it has a letter or digit, and no colon at its end."""
    return any(map(str.isalnum, text)) and not text.endswith(":")


def is_number(text: str) -> bool:
    """Whether `text` after `^` or `~` is meant as a number, valid or not (`1..2`, `nan`)."""
    return _NUMBER.fullmatch(text) is not None
