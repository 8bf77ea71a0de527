"""Definitions in Python's own library, compared with what Python's own parser finds."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

import pytest

from leafmark.model import Document
from leafmark.parsing.code.sandbox import MAX_SCRIPT_BYTES, parse_script

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
SAMPLE = "ast argparse dataclasses enum functools contextlib json/decoder asyncio/tasks textwrap"

MISREAD = {
    "test/test_compile.py": "lines in brackets left of their block end the block for the grammar",
}
"""Files of the library that the grammar takes for broken, and why."""

Row = tuple[str, int, int, int, int]
"""Name path, depth, lines of the first decorator, the signature and the end."""


def expected(node: ast.AST, path: str = "", depth: int = 1) -> Iterator[Row]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{path}.{child.name}" if path else child.name
            first = min([child.lineno, *[each.lineno for each in child.decorator_list]])
            yield name, depth, first, child.lineno, child.end_lineno or 0
            yield from expected(child, name, depth + 1)
        elif not isinstance(child, ast.expr):  # in which no statement stands
            yield from expected(child, path, depth)


def found(document: Document) -> Iterator[Row]:
    data = document.data.replace(b"\r\n", b" \n").replace(b"\r", b"\n")
    starts = [0, *[at + 1 for at, byte in enumerate(data) if byte == 10]]
    for heading in document.headings:
        places = (heading.start, heading.line_offset or 0, heading.limit - 1)
        first, line, last = (bisect_right(starts, place) for place in places)
        yield heading.slug_path or "", heading.level, first, line, last


def check(file: Path) -> bool:
    """Compare one file; False if Python itself cannot read it."""
    data = file.read_bytes()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
            data.decode()
    except (SyntaxError, ValueError):
        return False
    if len(data) > MAX_SCRIPT_BYTES:
        return False
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    wanted = sorted(expected(tree), key=lambda row: row[3])
    given = sorted(found(parse_script(data, file.name)), key=lambda row: row[3])
    assert [(*row[:2], row[3]) for row in given] == [(*row[:2], row[3]) for row in wanted], file
    for ours, theirs in zip(given, wanted, strict=True):
        above, below = lines[ours[2] - 1 : theirs[2] - 1], lines[theirs[4] : ours[4]]
        assert ours[2] <= theirs[2], (file, ours, theirs)
        assert ours[4] >= theirs[4], (file, ours, theirs)
        # comments above it, and those at the end of its body, are part of a definition
        assert all(line.strip()[:1] == b"#" for line in above), (file, ours, theirs)
        assert all(line.strip()[:1] in (b"#", b"") for line in below), (file, ours, theirs)
    return True


@pytest.mark.parametrize("name", SAMPLE.split())
def test_a_module_agrees(name: str) -> None:
    assert check(LIBRARY / f"{name}.py")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_twelfth_of_the_library_agrees() -> None:
    files = [file for file in sorted(LIBRARY.rglob("*.py")) if "site-packages" not in file.parts]
    files = [file for file in files if file.relative_to(LIBRARY).as_posix() not in MISREAD]
    files = files[::12]
    assert sum(map(check, files)) > 0.9 * len(files)
