"""The YAML that nearly all front matter is made of, read without a YAML parser.

Keys at the margin, each with one word, one quoted string, or a list of such, on
one line or one item a line. Whatever is not plainly that is left to the real
parser; what is read here is read exactly as it would be there. It is some
twenty times as fast, and front matter would else take a third of parsing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from leafmark.parsing.scalars import Scalar, Tree, scalar_of

__all__ = ["read_simple_yaml"]

_KEY = re.compile(r"(?!-)[A-Za-z0-9_.-]{1,100}(?: [A-Za-z0-9_.]{1,50}){0,9}")
_MAX_KEY = 100
"""Characters of a key; YAML itself has a limit at 1024."""

_SHORT = 60
"""Characters of a value that is worth remembering."""

_FIRST_SIGNS = "/.(_<"
"""What a plain scalar may begin with here, beside letters and digits; YAML has more."""

_FLOW_SYNTAX = re.compile(r"""[\[\]{}:?#&*!|>'"%@`]""")
_QUOTED = re.compile(r'"([^"\\]*)"')
_QUOTED_LIST = re.compile(r' *"[^"\\]*" *(?:, *"[^"\\]*" *)*')
_NOTHING = Scalar(None, "")


def read_simple_yaml(text: str) -> Tree | None:
    """Return the mapping that `text` holds, or None where it takes a real parser to tell."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not "".join(lines).replace("\xa0", " ").isprintable():
        return None  # tabs, control characters, line ends of YAML 1.1: for the real parser
    tree: Tree = {}
    items: list[Scalar] | None = None  # of the last key, while it may be a list
    key, indent = "", ""
    for line in lines:
        name, colon, rest = line.partition(":")
        if colon and rest[:1] in ("", " ") and len(name) <= _MAX_KEY and _is_key(name):
            value = _value(rest.strip(" "))
            if value is None or name in tree:
                return None
            key, tree[name] = name, value
            items = [] if value is _NOTHING else None
        elif line and not line.isspace() and line.lstrip(" ")[0] != "#":
            spaces, _, rest = line.partition("- ")
            item = _value(rest.strip(" "))
            if items is None or spaces.strip(" ") or not isinstance(item, Scalar):
                return None
            if item is _NOTHING or (items and spaces != indent):
                return None
            items.append(item)
            tree[key], indent = items, spaces
    return tree


def _value(text: str) -> Scalar | list[Scalar] | None:
    """The value that stands after a key or dash, None where it is not simple after all."""
    scalar = _short_scalar(text) if len(text) <= _SHORT else _scalar(text)
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


_short_scalar = lru_cache(4096)(_scalar)  # the same words stand in file after file


def _flow_list(text: str) -> list[Scalar] | None:
    if _QUOTED_LIST.fullmatch(text):
        return [Scalar(word, word) for word in _QUOTED.findall(text)]
    if _FLOW_SYNTAX.search(text):
        return None
    words = [word.strip(" ") for word in text.split(",")] if text.strip(" ") else []
    return [scalar_of(word) for word in words] if all(map(_is_plain, words)) else None


@lru_cache(1024)
def _is_key(text: str) -> bool:
    return text.isidentifier() or _KEY.fullmatch(text) is not None


def _is_plain(text: str) -> bool:
    """Whether `text` is a plain scalar for sure."""
    if not text or not (text[0].isalnum() or text[0] in _FIRST_SIGNS):
        return False
    return text[-1] != ":" and ": " not in text and " #" not in text
