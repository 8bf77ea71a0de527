"""YAML and TOML to plain values, safely: with limits on depth and digits, and no aliases.

Scalars keep the text that they were written as, since `1.10` as a version is not
the number 1.1. Booleans, numbers and null are those of YAML 1.2's core schema
(so that `no` is a word); dates become ISO 8601 strings.
"""

from __future__ import annotations

import datetime
import math
import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

__all__ = ["BadMetadata", "Scalar", "read_toml", "read_yaml", "to_json"]

MAX_DEPTH = 20
"""How deep lists and keys may be nested; real front matter is two or three deep."""

_MAX_INTEGER = 2**63
"""Integers of this size or more stay text: no index and few JSON readers can hold them."""

_INTEGER = re.compile(r"[-+]?[0-9]{1,19}|0o[0-7]{1,21}|0x[0-9a-fA-F]{1,16}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_DATE = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
    r"(?:(?:[Tt]|[ \t]+)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})"
    r"(?:\.(?P<fraction>[0-9]{1,9}))?"
    r"[ \t]*(?P<zone>Z|z|(?P<sign>[-+])(?P<zone_hour>[0-9]{1,2})"
    r"(?::?(?P<zone_minute>[0-9]{2}))?)?)?"
)
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


class BadMetadata(Exception):
    """Why a metadata block cannot be read, and on which of its lines (from 0) where known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class Scalar(NamedTuple):
    """A value that is no list and no mapping: as JSON has it, and as it was written."""

    value: str | int | float | bool | None
    text: str


Tree = dict[str, Any]  # of Scalar, list and dict
Repeats = list[tuple[str, int]]  # key and line, from 0


def to_json(tree: Any) -> Any:
    """Return the values of a tree of scalars."""
    if isinstance(tree, dict):
        return {name: to_json(value) for name, value in tree.items()}
    if isinstance(tree, list):
        return [to_json(value) for value in tree]
    return tree.value


# -- YAML --------------------------------------------------------------------------


def read_yaml(text: str) -> tuple[Tree, Repeats]:
    """Return the mapping that `text` holds, and the keys that are in a mapping twice.

    Raises:
        BadMetadata: it is not YAML, not a mapping, too deep, or uses aliases.
    """
    import yaml  # late: half of all documents have no front matter

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = error.problem or error.context or "not valid YAML"
        raise BadMetadata(f"not valid YAML: {reason}", mark.line if mark else None) from error
    except yaml.YAMLError as error:
        raise BadMetadata("not valid YAML: it has a character that YAML forbids") from error
    if builder.root is None:
        return {}, []
    if not isinstance(builder.root, dict):
        raise BadMetadata("it has no keys")
    return builder.root, builder.repeats


class _Builder:
    """Makes a tree of the parser's events, without recursion."""

    def __init__(self) -> None:
        self.root: Any = None
        self.repeats: Repeats = []
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str | None] = []  # of each open collection, the key that waits for a value

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
            raise BadMetadata("it uses YAML aliases", event.start_mark.line)

    def _put_scalar(self, event: Any) -> None:
        if self._open and isinstance(self._open[-1], dict) and self._keys[-1] is None:
            self._keys[-1] = event.value
            if event.value in self._open[-1]:
                self.repeats.append((event.value, event.start_mark.line))
            return
        plain = event.implicit[0]
        self._put(_scalar(event.value) if plain else Scalar(event.value, event.value), event)

    def _put(self, value: Any, event: Any) -> None:
        line = event.start_mark.line
        if not self._open:
            if self.root is None and not (isinstance(value, Scalar) and value.value is None):
                self.root = value
        elif isinstance(self._open[-1], list):
            self._open[-1].append(value)
        else:
            key = self._keys[-1]
            if key is None:
                raise BadMetadata("a key is a list or a mapping", line)
            self._open[-1][key] = value
            self._keys[-1] = None
        if not isinstance(value, Scalar):
            if len(self._open) == MAX_DEPTH:
                raise BadMetadata(f"it is more than {MAX_DEPTH} levels deep", line)
            self._open.append(value)
            self._keys.append(None)


def _scalar(text: str) -> Scalar:
    """What a plain scalar means."""
    if text in _WORDS:
        return Scalar(_WORDS[text], text)
    for pattern, convert in _CONVERSIONS:
        match = pattern.fullmatch(text)
        value = convert(match) if match else None
        if value is not None:
            return Scalar(value, text)
    return Scalar(text, text)


def _integer(match: re.Match[str]) -> int | None:
    text = match[0]
    number = int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    return number if abs(number) < _MAX_INTEGER else None


def _float(match: re.Match[str]) -> float | None:
    number = float(match[0])
    return number if math.isfinite(number) else None


def _date(match: re.Match[str]) -> str | None:
    """The date, or date and time, as ISO 8601; None where there is no such day."""
    part = match.groupdict()
    try:
        day = datetime.date(int(part["year"]), int(part["month"]), int(part["day"]))
        if part["hour"] is None:
            return day.isoformat()
        time = datetime.time(int(part["hour"]), int(part["minute"]), int(part["second"]))
    except ValueError:
        return None
    fraction = f".{part['fraction']}" if part["fraction"] else ""
    return f"{day.isoformat()}T{time.isoformat()}{fraction}{_zone(part)}"


def _zone(part: dict[str, str]) -> str:
    if not part["zone"]:
        return ""
    if part["zone"] in "Zz":
        return "Z"
    return f"{part['sign']}{int(part['zone_hour']):02}:{part['zone_minute'] or '00'}"


_CONVERSIONS: Iterable[tuple[re.Pattern[str], Callable[[re.Match[str]], Any]]] = (
    (_INTEGER, _integer),
    (_FLOAT, _float),
    (_DATE, _date),
)


# -- TOML --------------------------------------------------------------------------


def read_toml(text: str) -> tuple[Tree, Repeats]:
    """Return the table that `text` holds; TOML itself forbids repeated keys.

    Raises:
        BadMetadata: it is not TOML, or too deep.
    """
    try:
        table = tomllib.loads(text, parse_float=_toml_float)
        return {name: _from_toml(value, 1) for name, value in table.items()}, []
    except RecursionError as error:
        raise BadMetadata(f"it is more than {MAX_DEPTH} levels deep") from error
    except ValueError as error:
        at = re.search(r"line (\d+)", str(error))
        reason = re.sub(r" \(at .*\)", "", str(error))
        raise BadMetadata(f"not valid TOML: {reason}", int(at[1]) - 1 if at else None) from error


def _toml_float(text: str) -> Scalar:
    number = float(text)
    return Scalar(number if math.isfinite(number) else text, text)


def _from_toml(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise BadMetadata(f"it is more than {MAX_DEPTH} levels deep")
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
    small = not isinstance(value, int) or abs(value) < _MAX_INTEGER
    return Scalar(value if small else text, text)
