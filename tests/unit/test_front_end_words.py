"""What the engine and the use cases say is said in no front end's words: codes carry those."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import leafmark
from leafmark.cli.command import COMMANDS, find_command
from leafmark.errors import BudgetError, NotFoundError, Remedy
from leafmark.render.hint_texts import COMMAND_LINE, PAGE, PROGRAMS, word_remedy
from leafmark.render.terminal import PLAIN, render_error

SOURCE = Path(leafmark.__file__).parent
PACKAGES = ("model", "chunking", "query", "index", "embedding", "search", "history", "app")
OF_THE_COMMAND_LINE = {
    "app/doctor.py",
    "app/linting.py",
    "app/migrating.py",
    "app/agents/agent_files.py",
    "app/configuration/setup.py",
    "app/sources/contents.py",
    "model/chunk.py",
}
"""Use cases that only the command line has, and records that it alone prints."""

_OPTIONS = {
    name
    for command in COMMANDS
    for option in find_command(command).all_options
    for name in option.spellings
    if name.startswith("--")
}
_COMMAND = re.compile(rf"`leafmark |leafmark -C|(?<!git config )({'|'.join(sorted(_OPTIONS))})\b")


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """The strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    documents = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from [] if id(node) in documents else [(node.lineno, node.value)]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_text_below_the_front_ends_names_a_command_or_an_option(package: str) -> None:
    found = [
        f"{name}:{line}: {text}"
        for path in sorted((SOURCE / package).rglob("*.py"))
        if (name := path.relative_to(SOURCE).as_posix()) not in OF_THE_COMMAND_LINE
        for line, text in _texts(path)
        if _COMMAND.search(text) and not text.startswith("--")
    ]
    assert found == []


def _codes() -> Iterator[str]:
    for path in SOURCE.rglob("*.py"):
        yield from re.findall(r'\bRemedy\(\s*"([a-z-]+)"', path.read_text("utf-8"))


def test_every_code_has_words_on_the_command_line() -> None:
    codes = set(_codes())
    assert len(codes) > 15
    assert codes <= COMMAND_LINE.remedies.keys()


def test_a_remedy_is_worded_by_each_front_end() -> None:
    remedy = Remedy("list-ids", "give an id as answers show it")
    assert word_remedy(remedy) == "`leafmark ls chunks` lists the ids"
    assert word_remedy(remedy, PROGRAMS) == "`outline` lists the ids"
    assert word_remedy(remedy, PAGE) == "give an id as answers show it"
    assert render_error(NotFoundError("no", hint=remedy), PLAIN) == (
        "error: no\nhint: `leafmark ls chunks` lists the ids\n"
    )


def test_a_remedy_goes_from_process_to_process_whole() -> None:
    error = pickle.loads(pickle.dumps(BudgetError(10, 42)))
    assert (error.hint, error.hint.code, error.hint.values) == (
        "max_tokens=42 is the least for it",
        "budget",
        {"least": 42},
    )
    assert word_remedy(error.hint) == "--max-tokens 42 is the least for it"
