"""The YAML that nearly all front matter is made of, read without a YAML parser.

Keys at the margin, each with one word, one quoted string, or a list of such, on
one line or one item a line. Anything else is left to the real parser, which would
read what is read here in exactly the same way. This is some twenty times as fast;
otherwise front matter would take a third of the time of parsing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from leafmark.parsing.scalars import Scalar, Tree, scalar_of

__all__ = ["read_simple_yaml"]

_KEY = re.compile(r"(?!-)[A-Za-z0-9_.-]{1,100}(?: [A-Za-z0-9_.]{1,50}){0,9}")
_MAX_KEY = 100
"""Characters of a key; YAML itself has a limit at 1024."""

_SHORT = 30
"""Characters of a line that is worth remembering: longer ones hardly ever come again."""

_MOST = 4096
"""Lines, and keys, that are remembered."""

_FIRST_SIGNS = "/.(_<"
"""What a plain scalar may begin with here, beside letters and digits; YAML has more."""

_FLOW_SYNTAX = re.compile(r"""[\[\]{}:?#&*!|>'"%@`]""")
_NOTHING = Scalar(None, "")
_HARD = ("", None, None)
_new = tuple.__new__  # half the cost of calling the class


def read_simple_yaml(text: str) -> Tree | None:
    """Return the mapping that `text` holds, or None where it takes a real parser to tell."""
    tree: Tree = {}
    items: list[Scalar] | None = None  # of the last key, while it may be a list
    key, indent = "", ""
    for line in text.replace("\r\n", "\n").split("\n"):
        name, before, value = _short_line(line) if len(line) <= _SHORT else _line(line)
        if value is None:
            return None
        if name:
            if name in tree:
                return None
            key, tree[name] = name, value
            items = [] if value is _NOTHING else None
        elif before is not None:
            if items is None or (items and before != indent):
                return None
            items.append(value)
            tree[key], indent = items, before
    return tree


_Line = tuple[str, str | None, Any]
"""A key, or what stands before the dash of an item, and the value; neither: blank or a comment.

The value is None where it takes a real parser.
"""


def _line(line: str) -> _Line:
    """What a line says."""
    if not line.isprintable() and not line.replace("\xa0", " ").isprintable():
        return _HARD  # tabs, control characters, line ends of YAML 1.1
    name, colon, rest = line.partition(": ")
    if not colon and line[-1:] == ":":
        name, colon = line[:-1], ":"
    if colon and _is_key(name):
        return name, None, _value(rest.strip(" "))
    text = line.lstrip(" ")
    if not text or text[0] == "#" or text.isspace():
        return "", None, _NOTHING
    if text[:2] != "- ":
        return _HARD
    item = _value(text[2:].strip(" "))
    is_item = item.__class__ is Scalar and item is not _NOTHING
    return "", line[: -len(text)], item if is_item else None


_short_line = lru_cache(_MOST)(_line)  # the same lines stand in file after file


@lru_cache(_MOST)  # the same keys, too
def _is_key(name: str) -> bool:
    return len(name) <= _MAX_KEY and (name.isidentifier() or _KEY.fullmatch(name) is not None)


def _value(text: str) -> Scalar | list[Scalar] | None:
    """The value that stands after a key or dash, None where it is not simple after all."""
    if not text:
        return _NOTHING
    plain = _plain(text)
    if plain is not None:
        return plain
    first, last, inside = text[0], text[-1], text[1:-1]
    if first == "[" and last == "]":
        return _quoted_list(inside) if '"' in inside else _plain_list(inside)
    is_quoted = first == last and first in "\"'" and len(text) > 1
    if is_quoted and first not in inside and "\\" not in inside:
        return _new(Scalar, (inside, inside))
    return None


def _quoted_list(text: str) -> list[Scalar] | None:
    parts = text.split('"')
    first, *between, last = parts[::2]
    is_list = not first.strip(" ") and not last.strip(" ") and len(parts) % 2 == 1
    if not is_list or "\\" in text or any(part.strip(" ") != "," for part in between):
        return None
    return [_new(Scalar, (word, word)) for word in parts[1::2]]


def _plain_list(text: str) -> list[Scalar] | None:
    if _FLOW_SYNTAX.search(text):
        return None
    found = [_plain(word.strip(" ")) for word in text.split(",")] if text.strip(" ") else []
    values = [value for value in found if value is not None]
    return values if len(values) == len(found) else None


def _plain(text: str) -> Scalar | None:
    """What `text` means if it is certainly a plain scalar, else None."""
    first = text[:1]
    if not (first.isalnum() or (first and first in _FIRST_SIGNS)):
        return None
    if text[-1] == ":" or ": " in text or " #" in text:
        return None
    return scalar_of(text)
