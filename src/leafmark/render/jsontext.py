"""Values to JSON text: stable key order, safe to print on a terminal.

Control and bidirectional characters and lone surrogates are written as `\\uXXXX`,
which every JSON reader turns back into the character.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from leafmark.model import Deferred, decodable
from leafmark.patterns import lazy_pattern

SCHEMA_VERSION = 1
"""Grows only when a key changes its meaning or goes away."""

_ROWS_AT_ONCE = 100

_encode = json.JSONEncoder(ensure_ascii=False).encode  # `json.dumps` makes one for each call

_ESCAPED = lazy_pattern("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def fields_of(value: Any, *names: str) -> dict[str, Any]:
    """Return these fields of an object as JSON values; a path loses its undecodable bytes."""
    record = {name: as_json(getattr(value, name)) for name in names}
    if isinstance(record.get("path"), str):
        record["path"] = decodable(record["path"])
    return record


def as_json(value: Any) -> Any:
    """Return records and mappings as dicts and tuples as lists, as a reader of the JSON has them.

    >>> as_json((1, {"a": ("b",)}))
    [1, {'a': ['b']}]
    """
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return fields_of(value, *value._fields)
    if isinstance(value, tuple | list | Deferred):
        return [as_json(part) for part in value]
    if isinstance(value, Mapping):
        return {key: as_json(part) for key, part in value.items()}
    return value


def dump_json(value: Any, *, ascii_only: bool = False) -> str:
    """Return `value` as one indented JSON text, keys in the order of the dicts."""
    return json_safe(json.dumps(value, ensure_ascii=ascii_only, indent=2)) + "\n"


def iter_json(
    head: Mapping[str, Any], name: str, rows: Iterable[Any], *, ascii_only: bool = False
) -> Iterator[str]:
    """Yield in parts what `dump_json` returns for `head` with the list `rows` as its last key.

    `head` has a key at least. The rows are taken a hundred at a time, so they may be many.

    >>> "".join(iter_json({"a": 1}, "b", [[]])) == dump_json({"a": 1, "b": [[]]})
    True
    """
    key = dump_json(name, ascii_only=ascii_only).removesuffix("\n")
    opening = f"  {key}: ["
    yield dump_json(head, ascii_only=ascii_only).removesuffix("\n}\n") + f",\n{opening}"
    left, before = iter(rows), ""
    while some := [*islice(left, _ROWS_AT_ONCE)]:  # one by one takes a third longer
        text = dump_json({name: some}, ascii_only=ascii_only)
        yield before + text.removeprefix(f"{{\n{opening}").removesuffix("\n  ]\n}\n")
        before = ","
    yield "\n  ]\n}\n" if before else "]\n}\n"


def dump_line(value: Any, *, ascii_only: bool = False) -> str:
    """Return `value` as JSON on one line."""
    return json_safe((json.dumps if ascii_only else _encode)(value)) + "\n"


def dump_object(
    head: Mapping[str, Any], name: str, rows: Iterable[Any], *, ascii_only: bool = False
) -> str:
    """Return `head` with the list `rows` as its last key: one line, and one for each row."""
    opening = dump_line(head, ascii_only=ascii_only).removesuffix("}\n")
    lines = [dump_line(row, ascii_only=ascii_only).removesuffix("\n") for row in rows]
    listed = "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"
    separator = ", " if head else ""
    return f"{opening}{separator}{json.dumps(name)}: {listed}}}\n"


def json_safe(text: str) -> str:
    """Return JSON whose terminal control characters are written as escapes."""
    if text.isascii() and "\x7f" not in text:
        return text
    # Outside of strings JSON is ASCII, so only characters within strings are replaced.
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
