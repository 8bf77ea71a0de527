"""A validator for the part of JSON Schema that the published schema uses.

It is stricter than the schema in one thing: a key that the schema does not name
is an error, so that no key is printed without being published.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "object": dict,
    "array": list,
    "null": type(None),
}


def published() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(
        files("leafmark.render").joinpath("schema.json").read_text("utf-8")
    )
    return schema


def problems(value: Any, shape: str) -> list[str]:
    """What is wrong with `value` as the shape of this name; empty when nothing is."""
    definitions = published()["$defs"]
    return list(_problems(value, definitions[shape], definitions, "$"))


def _problems(value: Any, schema: Any, definitions: Any, at: str) -> Iterator[str]:
    schema = _resolved(schema, definitions)
    if "oneOf" in schema:
        tried = [list(_problems(value, one, definitions, at)) for one in schema["oneOf"]]
        if sum(not found for found in tried) != 1:
            yield f"{at}: fits {sum(not found for found in tried)} of {len(tried)} shapes"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{at}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if "type" in schema and not _has_type(value, schema["type"]):
        yield f"{at}: {value!r} is no {schema['type']}"
        return
    if isinstance(value, dict) and "properties" in schema:
        yield from _object_problems(value, schema, definitions, at)
    if isinstance(value, list) and "items" in schema:
        least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
        if not least <= len(value) <= most:
            yield f"{at}: has {len(value)} items"
        for number, item in enumerate(value):
            yield from _problems(item, schema["items"], definitions, f"{at}[{number}]")


def _object_problems(value: Any, schema: Any, definitions: Any, at: str) -> Iterator[str]:
    for key in schema["required"]:
        if key not in value:
            yield f"{at}: {key} is missing"
    for key, inner in value.items():
        if key not in schema["properties"]:
            yield f"{at}: {key} is not published"
        else:
            yield from _problems(inner, schema["properties"][key], definitions, f"{at}.{key}")


def _resolved(schema: Any, definitions: Any) -> Any:
    """The schema with its reference followed and its `allOf` parts taken together."""
    if "$ref" in schema:
        return _resolved(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "allOf" not in schema:
        return schema
    parts = [_resolved(part, definitions) for part in schema["allOf"]]
    return {
        "type": "object",
        "properties": {key: one for part in parts for key, one in part["properties"].items()},
        "required": [key for part in parts for key in part["required"]],
    }


def _has_type(value: Any, names: str | list[str]) -> bool:
    wanted = [names] if isinstance(names, str) else names
    if isinstance(value, bool):
        return "boolean" in wanted
    return any(isinstance(value, _TYPES[name]) for name in wanted)
