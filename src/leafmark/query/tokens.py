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
"""What a backslash takes the meaning from; before anything else it is itself (`C:\\temp`)."""

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

    The text of FIELD is the name, of BOOST and FUZZY what follows the sign. `no_field`
    is the name before the colon of a WORD or PREFIX that no field has.
    """

    kind: Kind
    start: int
    end: int
    text: str = ""
    quoted: bool = False
    no_field: str = ""


def escape(text: str) -> str:
    """`text` with a backslash before every character that could mean something."""
    return "".join(f"\\{c}" if c in ESCAPABLE else c for c in text)


def unescape(quoted: str) -> str:
    """What stands between quotes, without the backslashes before quotes and backslashes."""
    return _QUOTED_ESCAPE.sub(r"\1", quoted)


def negates(text: str, at: int) -> bool:
    """True when the minus at `at`, which begins a word, negates what follows it."""
    following = text[at + 1 : at + 2]
    return bool(following) and not following.isspace() and following not in _NO_NEGATION


def is_beginning(text: str) -> bool:
    """True for what words can begin with: a letter or digit in it, and no colon at its end."""
    return any(map(str.isalnum, text)) and not text.endswith(":")


def is_number(text: str) -> bool:
    """True for what is meant as a number after `^` or `~`, valid or not (`1..2`, `nan`)."""
    return _NUMBER.fullmatch(text) is not None
