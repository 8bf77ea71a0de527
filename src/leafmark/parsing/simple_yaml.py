"""The YAML that nearly all front matter is made of, read without a YAML parser.

Keys at the margin, each with one word, one quoted string, or a list of such, on
one line or one item a line. Whatever is not plainly that is left to the real
parser; what is read here is read exactly as it would be there. It is some
twenty times as fast, and front matter would else take a third of parsing.
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

_SHORT = 80
"""Characters of a line that is worth remembering."""

_FIRST_SIGNS = "/.(_<"
"""What a plain scalar may begin with here, beside letters and digits; YAML has more."""

_FLOW_SYNTAX = re.compile(r"""[\[\]{}:?#&*!|>'"%@`]""")
_QUOTED = re.compile(r'"([^"\\]*)"')
_QUOTED_LIST = re.compile(r' *"[^"\\]*" *(?:, *"[^"\\]*" *)*')
_NOTHING = Scalar(None, "")


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


def _line(line: str) -> tuple[str, str | None, Any]:
    """What a line says: its key, or what stands before the dash of an item, and the value.

    Without both it is blank or a comment. The value is None where it takes a real parser.
    """
    if not line.replace("\xa0", " ").isprintable():
        return "", None, None  # tabs, control characters, line ends of YAML 1.1
    name, colon, rest = line.partition(":")
    if colon and rest[:1] in ("", " ") and _is_key(name):
        return name, None, _value(rest.strip(" "))
    if not line or line.isspace() or line.lstrip(" ")[0] == "#":
        return "", None, _NOTHING
    spaces, _, rest = line.partition("- ")
    item = _value(rest.strip(" "))
    is_item = not spaces.strip(" ") and isinstance(item, Scalar) and item is not _NOTHING
    return "", spaces, item if is_item else None


_short_line = lru_cache(4096)(_line)  # the same lines stand in file after file


def _value(text: str) -> Scalar | list[Scalar] | None:
    """The value that stands after a key or dash, None where it is not simple after all."""
    scalar = _scalar(text)
    if scalar is None and text[0] == "[" and text[-1] == "]":
        return _flow_list(text[1:-1])
    return scalar


def _scalar(text: str) -> Scalar | None:
    if not text:
        return _NOTHING
    if _is_plain(text):
        return scalar_of(text)
    inside, ends = text[1:-1], text[0] + text[-1]
    if len(text) > 1 and ends in ('""', "''") and text[0] not in inside and "\\" not in inside:
        return Scalar(inside, inside)
    return None


def _flow_list(text: str) -> list[Scalar] | None:
    if _QUOTED_LIST.fullmatch(text):
        return [Scalar(word, word) for word in _QUOTED.findall(text)]
    if _FLOW_SYNTAX.search(text):
        return None
    words = [word.strip(" ") for word in text.split(",")] if text.strip(" ") else []
    return [scalar_of(word) for word in words] if all(map(_is_plain, words)) else None


def _is_key(text: str) -> bool:
    is_key = text.isidentifier() or _KEY.fullmatch(text) is not None
    return is_key and len(text) <= _MAX_KEY


def _is_plain(text: str) -> bool:
    """Whether `text` is a plain scalar for sure."""
    if not text or not (text[0].isalnum() or text[0] in _FIRST_SIGNS):
        return False
    return text[-1] != ":" and ": " not in text and " #" not in text
