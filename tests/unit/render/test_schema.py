"""The published shapes say what each of their keys means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from support.schema import published


def test_each_key_of_the_published_shapes_is_described() -> None:
    shapes = published()["$defs"]
    bare = [place for name, shape in shapes.items() for place in _undescribed(shape, shapes, name)]
    assert bare == []


def _undescribed(schema: Any, shapes: Any, at: str) -> Iterator[str]:
    """Yield the places of keys that neither say what they mean nor refer to a shape that does."""
    for key, value in schema.get("properties", {}).items():
        target = shapes.get(value.get("$ref", "").rpartition("/")[2], {})
        if not (value.get("description") or target.get("description")):
            yield f"{at}.{key}"
        yield from _undescribed(value, shapes, f"{at}.{key}")
    within = [schema["items"]] if "items" in schema else []
    for part in (*within, *schema.get("allOf", ()), *schema.get("oneOf", ())):
        yield from _undescribed(part, shapes, at)
