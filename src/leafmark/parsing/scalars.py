"""Scalars of metadata: what a word means, and how it was written.

Scalars keep the text that they were written as, since `1.10` as a version is not
the number 1.1. Booleans, numbers and null are those of YAML 1.2's core schema
(so that `no` is a word); dates become ISO 8601 strings.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["MAX_INTEGER", "Scalar", "Tree", "scalar_of"]

MAX_INTEGER = 2**63
"""Integers of this size or more stay text: no index and few JSON readers can hold them."""

_INTEGER = re.compile(r"[-+]?[0-9]{1,19}|0o[0-7]{1,21}|0x[0-9a-fA-F]{1,16}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
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


class Scalar(NamedTuple):
    """A value that is no list and no mapping: as JSON has it, and as it was written."""

    value: str | int | float | bool | None
    text: str


_new = tuple.__new__  # half the cost of calling the class

Tree = dict[str, Any]  # of Scalar, list and dict


def scalar_of(text: str) -> Scalar:
    """What a plain scalar means."""
    if text in _WORDS:
        return Scalar(_WORDS[text], text)
    if text[0].isalpha():
        return _new(Scalar, (text, text))
    for pattern, convert in _CONVERSIONS:
        match = pattern.fullmatch(text)
        value = convert(match) if match else None
        if value is not None:
            return Scalar(value, text)
    return Scalar(text, text)


def _integer(match: re.Match[str]) -> int | None:
    text = match[0]
    number = int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    return number if abs(number) < MAX_INTEGER else None


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


_CONVERSIONS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Any]], ...] = (
    (_INTEGER, _integer),
    (_FLOAT, _float),
    (_DATE, _date),
)
