"""YAML and TOML to plain values, safely: with limits on depth, digits and aliases."""

from __future__ import annotations

import datetime
import math
import re
import tomllib
from typing import Any

from leafmark.parsing.scalars import MAX_INTEGER, Scalar, Tree, scalar_of
from leafmark.parsing.simple_yaml import read_simple_yaml

__all__ = ["BadMetadataError", "read_toml", "read_yaml", "to_json"]

MAX_REPEATED = 10_000
"""Values that all aliases of a block may stand for: a few bytes could stand for gigabytes."""

MAX_DEPTH = 20
"""How deep lists and keys may be nested; real front matter is two or three deep."""


_DOTTED = re.compile(r"(?<![\w\"'.-])(?:[\w\"'-]+[ \t]*\.[ \t]*){20}")
"""A dotted key of more parts than there may be levels."""


class BadMetadataError(Exception):
    """Why a metadata block cannot be read, and on which of its lines (from 0) where known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


Repeats = list[tuple[str, int]]  # key and line, from 0


def to_json(tree: Any) -> Any:
    """Return the values of a tree of scalars, which is a mapping or a list."""
    if isinstance(tree, dict):
        return {
            name: one.value if one.__class__ is Scalar else to_json(one)  # most are
            for name, one in tree.items()
        }
    return [one.value if one.__class__ is Scalar else to_json(one) for one in tree]


# -- YAML --------------------------------------------------------------------------


def read_yaml(text: str) -> tuple[Tree, Repeats]:
    """Return the mapping that `text` holds, and the keys that are in a mapping twice.

    Raises:
        BadMetadataError: it is not YAML, no mapping, too deep, or its aliases are too much.
    """
    simple = read_simple_yaml(text)
    if simple is not None:
        return simple, []
    import yaml  # late: half of all documents have no front matter

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = error.problem or error.context or "not valid YAML"
        raise BadMetadataError(f"not valid YAML: {reason}", mark.line if mark else None) from error
    except yaml.YAMLError as error:
        raise BadMetadataError("not valid YAML: it has a character that YAML forbids") from error
    if builder.root is None:
        return {}, []
    if not isinstance(builder.root, dict):
        raise BadMetadataError("it has no keys")
    return builder.root, builder.repeats


class _Builder:
    """Makes a tree of the parser's events, without recursion."""

    def __init__(self) -> None:
        self.root: Any = None
        self.repeats: Repeats = []
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str | None] = []  # of each open collection, the key that waits for a value
        self._anchored: dict[str, Any] = {}
        self._room = MAX_REPEATED

    def take(self, event: Any) -> None:
        name = type(event).__name__
        if name == "ScalarEvent":
            self._put_scalar(event)
        elif name in ("MappingStartEvent", "SequenceStartEvent"):
            self._put({} if name == "MappingStartEvent" else [], event)
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            self._open.pop()
            self._keys.pop()
        elif name == "AliasEvent":
            self._put_again(event)

    def _put_again(self, event: Any) -> None:
        """Put what an alias stands for: the same value, which nobody changes."""
        line = event.start_mark.line
        value = self._anchored.get(event.anchor)
        if value is None or any(one is value for one in self._open):
            raise BadMetadataError(f"the alias *{event.anchor} stands for nothing whole", line)
        size, depth = _measure(value, self._room)
        self._room -= size
        if self._room < 0:
            raise BadMetadataError(f"its aliases stand for more than {MAX_REPEATED:,} values", line)
        if len(self._open) + depth > MAX_DEPTH:
            raise BadMetadataError(f"it is more than {MAX_DEPTH} levels deep", line)
        self._place(value, line)

    def _put_scalar(self, event: Any) -> None:
        if self._open and isinstance(self._open[-1], dict) and self._keys[-1] is None:
            if event.anchor is not None:
                self._anchored[event.anchor] = Scalar(event.value, event.value)
            self._keys[-1] = event.value
            if event.value in self._open[-1]:
                self.repeats.append((event.value, event.start_mark.line))
            return
        plain = event.implicit[0]
        self._put(scalar_of(event.value) if plain else Scalar(event.value, event.value), event)

    def _put(self, value: Any, event: Any) -> None:
        line = event.start_mark.line
        if event.anchor is not None:
            self._anchored[event.anchor] = value
        self._place(value, line)
        if not isinstance(value, Scalar):
            if len(self._open) == MAX_DEPTH:
                raise BadMetadataError(f"it is more than {MAX_DEPTH} levels deep", line)
            self._open.append(value)
            self._keys.append(None)

    def _place(self, value: Any, line: int) -> None:
        """Put a value where the next one belongs."""
        if not self._open:
            if self.root is None and not (isinstance(value, Scalar) and value.value is None):
                self.root = value
        elif isinstance(self._open[-1], list):
            self._open[-1].append(value)
        else:
            key = self._keys[-1]
            if key is None:
                raise BadMetadataError("a key is a list or a mapping", line)
            self._open[-1][key] = value
            self._keys[-1] = None


def _measure(value: Any, most: int) -> tuple[int, int]:
    """Return how many values a tree holds, itself included, up to one more than `most`, and levels.

    What it holds by aliases counts each time.
    """
    size, deepest = 0, 0
    waiting = [(value, 1)]
    while waiting and size <= most:
        one, depth = waiting.pop()
        size += 1
        if not isinstance(one, Scalar):
            deepest = max(deepest, depth)
            parts = one.values() if isinstance(one, dict) else one
            waiting += [(part, depth + 1) for part in parts]
    return size, deepest


# -- TOML --------------------------------------------------------------------------


def read_toml(text: str) -> tuple[Tree, Repeats]:
    """Return the table that `text` holds; TOML itself forbids repeated keys.

    Raises:
        BadMetadataError: it is not TOML, or too deep.
    """
    if _DOTTED.search(text):  # for which the parser takes time quadratic in their length
        raise BadMetadataError(f"it is more than {MAX_DEPTH} levels deep")
    try:
        table = tomllib.loads(text, parse_float=_toml_float)
        return {name: _from_toml(value, 1) for name, value in table.items()}, []
    except RecursionError as error:
        raise BadMetadataError(f"it is more than {MAX_DEPTH} levels deep") from error
    except ValueError as error:
        at = re.search(r"line (\d+)", str(error))
        reason = re.sub(r" \(at .*\)", "", str(error))
        raise BadMetadataError(
            f"not valid TOML: {reason}", int(at[1]) - 1 if at else None
        ) from error


def _toml_float(text: str) -> Scalar:
    number = float(text)
    return Scalar(number if math.isfinite(number) else text, text)


def _from_toml(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise BadMetadataError(f"it is more than {MAX_DEPTH} levels deep")
    if isinstance(value, Scalar):
        return value
    if isinstance(value, dict):
        return {name: _from_toml(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, list):
        return [_from_toml(inner, depth + 1) for inner in value]
    if isinstance(value, (datetime.date, datetime.time)):
        text = value.isoformat().replace("+00:00", "Z")
        return Scalar(text, text)
    text = str(value)
    small = not isinstance(value, int) or abs(value) < MAX_INTEGER
    return Scalar(value if small else text, text)
