"""JSON in parts is the JSON of the whole, and its rows are taken as they are printed."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.render.jsontext import dump_json, iter_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text("ab"), values, min_size=1, max_size=2), st.lists(values), st.data())
def test_a_list_in_parts_is_the_list_at_once(
    head: dict[str, Any], rows: list[Any], data: st.DataObject
) -> None:
    name, ascii_only = data.draw(st.text('cd"\\é\n', min_size=1)), data.draw(st.booleans())
    parts = iter_json(head, name, rows, ascii_only=ascii_only)
    assert "".join(parts) == dump_json({**head, name: rows}, ascii_only=ascii_only)


@pytest.mark.parametrize("number", [0, 1, 99, 100, 101, 200, 301])
def test_many_rows_too(number: int) -> None:
    rows = [{"id": at, "parts": ["é"] * (at % 3)} for at in range(number)]
    whole = dump_json({"schema_version": 1, "rows": rows})
    assert "".join(iter_json({"schema_version": 1}, "rows", iter(rows))) == whole


def test_rows_are_taken_as_they_are_printed() -> None:
    rows = count()
    parts = iter_json({"a": 1}, "b", rows)
    for _ in range(3):
        next(parts)
    assert next(rows) < 1000
