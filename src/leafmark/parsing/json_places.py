"""Where the values of a JSON text stand: a reader that gives places and builds nothing.

In: bytes. Out: byte ranges of values, checked against the grammar as they are
passed. Each level is passed again by who asks for its parts, so a source is
read a few times, never more. Nothing here recurses, and every pattern is
possessive, so the work is linear in any input.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

__all__ = ["MAX_DEPTH", "BadJsonError", "elements", "members", "string_value", "value_end"]

MAX_DEPTH = 1000
"""Brackets in brackets; what programs write has some ten."""

_WS = rb"[ \t\n\r]*+"
_STRING = rb'"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+|(?!))*+"'
_SCALAR = (
    rb"(?:" + _STRING + rb"|-?+[0-9]++(?:\.[0-9]++|(?!))?+(?:[eE][-+]?+[0-9]++|(?!))?+"
    rb"|true|false|null|NaN|-?Infinity)"
)
_SPACE = re.compile(_WS)
_KEY = re.compile(_WS + rb"(" + _STRING + rb")" + _WS + rb":" + _WS)
_SCALAR_VALUE = re.compile(_SCALAR)
_AFTER = re.compile(_WS + rb"([,\]}])" + _WS)
_ITEMS = re.compile(rb"(?:" + _SCALAR + _WS + rb"," + _WS + rb"|(?!))++")
_MEMBERS = re.compile(
    rb"(?:" + _STRING + _WS + rb":" + _WS + _SCALAR + _WS + rb"," + _WS + rb"|(?!))++"
)
_OPENING = {ord("["): ord("]"), ord("{"): ord("}")}
_OBJECT_END = ord("}")


class BadJsonError(ValueError):
    """The bytes at `at` are not what JSON has there; `reason` says what is expected."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at
        self.reason = reason


def value_end(data: bytes, start: int) -> int:
    """Return where the value that begins at `start` ends.

    Raises:
        BadJsonError: there is no value, or it is not well-formed.
    """
    opened = bytearray()  # what closes each bracket that is open
    at = start
    while True:
        at, closed = _next_value(data, at, opened)
        while closed:
            if not opened:
                return at
            at, closed = _next_mark(data, at, opened)


def _next_value(data: bytes, at: int, opened: bytearray) -> tuple[int, bool]:
    """Pass a scalar, or a bracket that opens; say whether a value has ended."""
    if opened and opened[-1] == _OBJECT_END:
        run = _MEMBERS.match(data, at)
        key = _KEY.match(data, run.end() if run else at)
        if key is None:
            raise BadJsonError(run.end() if run else at, "a name in quotes is expected")
        at = key.end()
    elif opened:
        run = _ITEMS.match(data, at)
        at = run.end() if run else at
    scalar = _SCALAR_VALUE.match(data, at)
    if scalar:
        return scalar.end(), True
    closing = _OPENING.get(data[at]) if at < len(data) else None
    if closing is None:
        raise BadJsonError(at, "a value is expected" if at < len(data) else "it ends too early")
    if len(opened) == MAX_DEPTH:
        raise BadJsonError(at, f"it is nested more than {MAX_DEPTH} levels deep")
    at = _skip_space(data, at + 1)
    if data[at : at + 1] == bytes((closing,)):
        return at + 1, True
    opened.append(closing)
    return at, False


def _next_mark(data: bytes, at: int, opened: bytearray) -> tuple[int, bool]:
    """Pass the comma or the bracket after a value; say whether a value has ended with it."""
    mark = _AFTER.match(data, at)
    if mark is None:
        early = _skip_space(data, at) >= len(data)
        raise BadJsonError(at, "it ends too early" if early else "a comma or bracket is expected")
    if mark[1] == b",":
        return mark.end(), False
    if data[mark.start(1)] != opened[-1]:
        raise BadJsonError(mark.start(1), "another bracket is open")
    opened.pop()
    return mark.end(1), True


def _skip_space(data: bytes, at: int) -> int:
    found = _SPACE.match(data, at)
    return found.end() if found else at


def elements(data: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of an array's values; nothing where no array begins at `start`."""
    if data[start : start + 1] != b"[":
        return
    at = _skip_space(data, start + 1)
    while data[at : at + 1] != b"]":
        end = value_end(data, at)
        yield at, end
        at = _after_part(data, end)


def members(data: bytes, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the names of an object's members and the ranges of their values."""
    if data[start : start + 1] != b"{":
        return
    at = _skip_space(data, start + 1)
    while data[at : at + 1] != b"}":
        key = _KEY.match(data, at)
        if key is None:
            raise BadJsonError(at, "a name in quotes is expected")
        end = value_end(data, key.end())
        yield string_value(data, *key.span(1)), (key.end(), end)
        at = _after_part(data, end)


def _after_part(data: bytes, at: int) -> int:
    """The next part, or the bracket that ends them."""
    mark = _AFTER.match(data, at)
    if mark is None:
        raise BadJsonError(at, "a comma or bracket is expected")
    return mark.end() if mark[1] == b"," else mark.start(1)


def string_value(data: bytes, start: int, end: int) -> str:
    """Return the string at `[start, end)`, its quotes included; empty for any other value.

    >>> string_value(b'{"a": 1}', 1, 4)
    'a'
    """
    if data[start : start + 1] != b'"':
        return ""
    try:
        value = json.loads(data[start:end].decode("utf-8", "replace"))
    except ValueError:  # an escape that JSON has not
        return ""
    text: str = value.encode("utf-8", "replace").decode()
    return text
