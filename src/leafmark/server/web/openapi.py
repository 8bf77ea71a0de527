"""The description of the API, made from the table of its paths and the published shapes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from leafmark.server.parameters import Parameter, input_schema
from leafmark.server.web.replies import JSON, PROBLEM
from leafmark.server.web.routes import Route

__all__ = ["describe"]

_SHAPES = "#/components/schemas/"


def describe(routes: Sequence[Route]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 description of the routes."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "leafmark",
            "version": version("leafmark"),
            "description": "Find, read and cite the part of a folder of documents that matters. "
            "What a path does not name is refused. Texts of documents are data, never markup: "
            "of all strings only `snippet` is HTML.",
        },
        "paths": {route.path: {route.method.lower(): _operation(route)} for route in routes},
        "components": {
            "schemas": _shapes(),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Where the server was given one (LEAFMARK_TOKEN).",
                }
            },
        },
        "security": [{}, {"token": []}],
    }


def _operation(route: Route) -> dict[str, Any]:
    answer: dict[str, Any]
    if route.shape is None:
        answer = {"text/plain; charset=utf-8": {"schema": {"type": "string"}}}
    else:
        answer = {JSON: {"schema": {"$ref": _SHAPES + route.shape}}}
    failed = {"$ref": _SHAPES + "problem"}
    responses: dict[str, Any] = {"200": {"description": "The answer.", "content": answer}}
    if route.partial:
        responses["404"] = {
            "description": "Nothing of it was found; or there is no index.",
            "content": answer | {PROBLEM: {"schema": failed}},
        }
    responses["default"] = {
        "description": "What is wrong, and what to do (RFC 9457).",
        "content": {PROBLEM: {"schema": failed}},
    }
    operation: dict[str, Any] = {
        "operationId": route.path.rpartition("/")[2],
        "summary": route.summary,
        "description": route.description,
        "responses": responses,
    }
    if route.method == "POST":
        schema = {"schema": input_schema(route.parameters)}
        return operation | {"requestBody": {"required": True, "content": {JSON: schema}}}
    return operation | {"parameters": [_parameter(each) for each in route.parameters]}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    schema = parameter.schema()
    return {
        "name": parameter.name,
        "in": "query",
        "description": schema.pop("description"),
        "required": parameter.required,
        "schema": schema,
    }


def _shapes() -> dict[str, Any]:
    """The published shapes, their references turned to where they stand here."""
    text = files("leafmark.render").joinpath("schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text.replace('"#/$defs/', f'"{_SHAPES}'))["$defs"]
    return found
