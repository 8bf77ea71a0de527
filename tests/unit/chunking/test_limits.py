"""The limits of founding document 002 for the functions of this room; complexity is a lint rule."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import leafmark.chunking

MOST_LINES = 40
MOST_POSITIONAL = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef


def lines_of(function: Function) -> int:
    """The lines of the body, its docstring apart."""
    return (function.end_lineno or 0) - _code(function).lineno + 1


def _code(function: Function) -> ast.stmt:
    first, *rest = function.body
    return rest[0] if rest and ast.get_docstring(function) is not None else first


def positional_of(function: Function) -> int:
    arguments = function.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    return len([name for name in names if name not in ("self", "cls")])


def functions(source: str) -> Iterator[Function]:
    return (node for node in ast.walk(ast.parse(source)) if isinstance(node, Function))


def too_large(source: str) -> list[str]:
    return [
        function.name
        for function in functions(source)
        if lines_of(function) > MOST_LINES or positional_of(function) > MOST_POSITIONAL
    ]


MODULES = sorted(Path(leafmark.chunking.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=[module.stem for module in MODULES])
def test_functions_are_small(module: Path) -> None:
    assert too_large(module.read_text(encoding="utf-8")) == []


def test_what_is_too_large_is_seen() -> None:
    long = "def long():\n" + "    x = 1\n" * 41
    documented = 'def documented():\n    """Says\n    much."""\n' + "    x = 1\n" * 40
    wide = "class A:\n    def wide(self, a, b, c, d): ...\n    def apart(self, a, b, *, c, d): ..."
    assert too_large(long) == ["long"]
    assert too_large(documented) == []
    assert too_large(wide) == ["wide"]
