"""A thing is declared once: front ends have its words, default and range from its declaration.

The command line, the tools, the routes and the library offer what requests and settings declare.
What a front end adds of its own is named here, so that nothing is written a second time unseen.
"""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import leafmark
from leafmark.app.requests import REQUEST_OPTIONS, SearchRequest, ShowRequest
from leafmark.app.settings import DECLARED
from leafmark.cli.command import COMMANDS, find_command
from leafmark.library import Index
from leafmark.model.option_types import Declaration
from leafmark.search import SearchOptions
from leafmark.server.mcp.tools import TOOLS
from leafmark.server.parameters import Parameter
from leafmark.server.web.routes import ROUTES

SOURCE = Path(leafmark.__file__).parent

OWN_TO_A_TOOL = {
    "search": {"query", "topics", "max_tokens"},
    "get": {"ids", "lines", "offset", "max_tokens"},
    "outline": {"id", "offset", "max_tokens"},
    "context": {"files", "max_tokens"},
    "list_sources": {"offset", "max_tokens"},
    "verify": {"text", "offset", "max_tokens"},
    "changes": {"since", "until", "offset", "max_tokens"},
}
OWN_TO_A_ROUTE = {
    "/api/search": {"q", "at"},
    "/api/show": {"id", "at"},
    "/api/outline": {"id", "at"},
    "/api/chunk": {"text", "name"},
    "/api/verify": {"text", "at"},
    "/api/why-not": {"id", "q", "at"},
    "/api/trees": {"at"},
    "/api/documents": {"limit", "at"},
}
OWN_TO_SEARCH = {"output", "max_tokens", "json", "null", "group", "set", "at"}
OWN_TO_SHOW = {"raw", "max_tokens", "json", "at"}
NAMED_OTHERWISE = {"tree": "trees", "tag": "tags"}

TABLES = [(f"tool {tool.name}", tool.parameters, OWN_TO_A_TOOL[tool.name]) for tool in TOOLS] + [
    (route.path, route.parameters, OWN_TO_A_ROUTE.get(route.path, set())) for route in ROUTES
]


@pytest.mark.parametrize(("place", "parameters", "own"), TABLES, ids=[row[0] for row in TABLES])
def test_arguments_of_servers_are_as_declared(
    place: str, parameters: tuple[Parameter, ...], own: set[str]
) -> None:
    assert {each.name for each in parameters if not each.declared} == own
    for parameter in parameters:
        if parameter.declared:
            declared = DECLARED[parameter.declared]
            key = NAMED_OTHERWISE.get(parameter.name, parameter.name)
            assert key.removeprefix("no_") == declared.key
            assert parameter.description.startswith(declared.sentence(off=parameter.off))
            assert parameter.choices == declared.choices
            assert _is_within(parameter, declared)
            if place != "tool context":  # few documents are enough to begin with
                assert parameter.default in (None, False if parameter.off else declared.default)


def _is_within(parameter: Parameter, declared: Declaration) -> bool:
    if parameter.kind != "integer":
        return True
    least, most = declared.option.least, declared.option.most
    is_above = least is None or (parameter.least is not None and parameter.least >= least)
    return is_above and (most is None or (parameter.most is not None and parameter.most <= most))


@pytest.mark.parametrize(
    ("name", "table", "own"), [("search", "search", OWN_TO_SEARCH), ("show", "show", OWN_TO_SHOW)]
)
def test_options_of_the_command_line_are_as_declared(name: str, table: str, own: set[str]) -> None:
    others = {str(option.name): option for option in find_command(name).options}
    assert own <= others.keys()
    for key in others.keys() - own:
        off = key.startswith("no_")
        declared = REQUEST_OPTIONS[f"{table}.{key.removeprefix('no_')}"]
        about = declared.sentence(off=off).removesuffix(".")
        assert str(others[key].help).startswith(about), key
        assert others[key].choices in ((), declared.choices)


@pytest.mark.parametrize(
    ("method", "request_type"), [(Index.search, SearchRequest), (Index.show, ShowRequest)]
)
def test_keywords_of_the_library_have_the_defaults_of_requests(
    method: Any, request_type: Any
) -> None:
    keywords = [
        each
        for each in inspect.signature(method).parameters.values()
        if each.kind is each.KEYWORD_ONLY
    ]
    assert len(keywords) > 3
    for keyword in keywords:
        assert keyword.name in request_type._fields
        if keyword.name != "section":  # a program gives one pattern, a request may have several
            assert keyword.default == request_type._field_defaults[keyword.name]


def test_a_request_takes_from_a_search_what_both_have() -> None:
    tree = ast.parse((SOURCE / "app" / "requests.py").read_text("utf-8"))
    (request,) = (
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name == "SearchRequest"
    )
    shared = set(SearchOptions._fields)
    written = {
        node.target.id: node.value
        for node in request.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    for name in shared & written.keys():
        value = written[name]
        is_left_open = isinstance(value, ast.Constant) and value.value is None
        assert is_left_open or isinstance(value, ast.Attribute), name


def _described() -> Iterator[tuple[str, str]]:
    """Each text that declares or describes something that can be given, with its place."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = getattr(node.func, "id", "")
            if called in ("Option", "Parameter", "Argument", "_switch"):
                for given in (*node.args, *(each.value for each in node.keywords)):
                    if isinstance(given, ast.Constant) and isinstance(given.value, str):
                        yield given.value, f"{path.relative_to(SOURCE)}:{node.lineno}"


def test_no_description_is_written_twice() -> None:
    places = defaultdict(list)
    for text, place in _described():
        words = text.lower().rstrip(".").replace(";", ".")
        if len(words.split()) > 3:
            places[words].append(place)
    assert len(places) > 100
    assert {text: found for text, found in places.items() if len(found) > 1} == {}


def test_every_command_was_looked_at() -> None:
    assert all(find_command(name).options is not None for name in COMMANDS)
