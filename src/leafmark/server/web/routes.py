"""The paths of the API: the purpose, parameters and answer shape of each.

Routing, the check of arguments and the OpenAPI description, which is built here, use this table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.metadata import version
from importlib.resources import files
from typing import Any, NamedTuple

from leafmark.server.listening import PROBLEM
from leafmark.server.parameters import Parameter, input_schema
from leafmark.server.web import calls
from leafmark.server.web.calls import JSON, Reply, Request


class Route(NamedTuple):
    """One path. `shape` names its answer in the published schema.

    With `refreshed`, the index is first brought up to date. With `partial`, the answer lists the
    ids that were not found, and has status 404 if it holds nothing else. The parameters of a POST
    are the keys of a JSON object.
    """

    path: str
    summary: str
    description: str
    shape: str
    parameters: tuple[Parameter, ...]
    run: Callable[[Request], Reply]
    refreshed: bool = True
    partial: bool = False
    method: str = "GET"


_ID = Parameter("id", "A document, section or piece.", required=True, least=1, most=4000)
_REPEATED = "May be repeated."
_TREE = Parameter.of("search.trees", "tree", note=_REPEATED, most=50)
_TAG = Parameter.of("search.tags", "tag", note=_REPEATED, most=20)
_EXPAND = Parameter.of("search.expand", note=_REPEATED, most=5)
_QUERY = Parameter(
    "q",
    "What to look for. Repeated, each is a topic: the best of all make one list.",
    "strings",
    required=True,
    least=1,
    most=8,
)
_LIMIT = Parameter.of("search.limit", most=100)
_OFFSET = Parameter.of("search.offset", most=100_000)
_PLAIN = Parameter.of("search.plain")
_STRICT = Parameter.of("search.strict")
_GRAIN = Parameter.of("search.grain")
_MODE = Parameter.of("search.mode")
_AT = Parameter(
    "at",
    "Answer from the documents as they were at a revision: a tag, a branch, a commit, a date. The "
    "first answer from one takes as long as it takes to index it.",
    least=1,
    most=400,
)
_NO_REFRESH = Parameter.of("search.refresh", off=True)
_CHUNKING = (
    Parameter.of("chunking.strategy"),
    Parameter.of("chunking.preset"),
    *(
        Parameter.of(f"chunking.{name}", most=1_000_000)
        for name in ("min_tokens", "target_tokens", "max_tokens", "fixed_tokens", "fixed_overlap")
    ),
)

ROUTES: tuple[Route, ...] = (
    Route(
        "/api/search",
        "Search the documents",
        "As `leafmark search --json`: the results in order, and their groups by document.",
        "search",
        (
            _QUERY,
            _LIMIT,
            _OFFSET,
            _PLAIN,
            _TREE,
            _TAG,
            Parameter.of("search.since", most=40),
            Parameter.of("search.section", most=8),
            _GRAIN,
            _MODE,
            Parameter.of("search.sort"),
            _EXPAND,
            _STRICT,
            Parameter.of("search.aggregation", off=True),
            Parameter.of("search.explain"),
            _AT,
            _NO_REFRESH,
        ),
        calls.search,
    ),
    Route(
        "/api/show",
        "Read by id",
        "As `leafmark show --json`: the record, the text and the children of each id.",
        "show",
        (
            Parameter("id", "What to read; may be repeated.", "strings", True, least=1, most=50),
            Parameter.of("show.own"),
            Parameter.of("show.full_document"),
            Parameter.of("show.expand", note=_REPEATED, most=5),
            _AT,
            _NO_REFRESH,
        ),
        calls.show,
        partial=True,
    ),
    Route(
        "/api/outline",
        "The tree of a document",
        "Where the chunks of the document of an id stand and how large they are, without their "
        "texts.",
        "outline",
        (_ID, _AT, _NO_REFRESH),
        calls.outline,
    ),
    Route(
        "/api/chunk",
        "Chunk a text",
        "As `leafmark chunk - --json`, with the findings of the quality report: the records of the "
        "chunks of a text that is sent.",
        "chunks",
        (
            Parameter("text", "The text, of at most 512,000 bytes.", required=True, most=512_000),
            Parameter(
                "name",
                "The path of a file that it would be; its suffix tells the format.",
                default="pasted.md",
                least=1,
                most=400,
            ),
            *_CHUNKING,
        ),
        calls.chunk_posted,
        refreshed=False,
        method="POST",
    ),
    Route(
        "/api/verify",
        "Check citations",
        "As `leafmark verify --json`: every citation in a text that is sent.",
        "verify",
        (Parameter("text", "The text that cites.", required=True, most=512_000), _AT, _NO_REFRESH),
        calls.verify,
        method="POST",
    ),
    Route(
        "/api/why-not",
        "Why something is not there",
        "As `leafmark why-not --json`: at which phase a search lost a chunk, and what shows it.",
        "why-not",
        (_ID, _QUERY, _LIMIT, _PLAIN, _TREE, _TAG, _GRAIN, _MODE, _STRICT, _AT, _NO_REFRESH),
        calls.why_not,
    ),
    Route(
        "/api/trees",
        "What is indexed",
        "As `leafmark ls trees --json`.",
        "ls",
        (_AT, _NO_REFRESH),
        calls.trees,
    ),
    Route(
        "/api/documents",
        "List documents",
        "As `leafmark ls docs --json`.",
        "ls",
        (
            _TREE,
            _TAG,
            Parameter.of("list.under", most=4000),
            Parameter("limit", "The most documents.", "integer", least=1, most=100_000),
            _OFFSET,
            _AT,
            _NO_REFRESH,
        ),
        calls.documents,
    ),
    Route(
        "/api/status",
        "The state of the index",
        "As `leafmark status --json`.",
        "status",
        (),
        calls.status,
        refreshed=False,
    ),
)


# The description of the API, built from the table of its paths and the published shapes.


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
    answer: dict[str, Any] = {JSON: {"schema": {"$ref": _SHAPES + route.shape}}}
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
    return operation | {"parameters": [_parameter(parameter) for parameter in route.parameters]}


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
    """Return the published shapes, with references to their places in this description."""
    text = files("leafmark.render").joinpath("schema.json").read_text(encoding="utf-8")
    shapes: dict[str, Any] = json.loads(text.replace('"#/$defs/', f'"{_SHAPES}'))["$defs"]
    return shapes
