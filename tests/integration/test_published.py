"""What commands print as JSON, against the published schema as a whole.

A program that reads the schema has only the file, and validates with a library: it
need not know which of the shapes is meant.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import jsonschema
import pytest
from support.command import Leafmark, Ran
from support.schema import published

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the handbook in it, which the first command indexes for all."""
    place = tmp_path_factory.mktemp("desk")
    shutil.copytree(HANDBOOK, place / "handbook")
    return place


@pytest.mark.parametrize(
    "words",
    [
        ("search", "restore"),
        ("show", "README.md"),
        ("context", "README.md"),
        ("like", "README.md"),
        ("why-not", "README.md", "restore"),
        ("chunk", "README.md"),
        ("index",),
        ("status",),
        ("ls",),
        ("config",),
        ("trust",),
        ("verify", "README.md"),
        ("agents",),
    ],
    ids=" ".join,
)
def test_every_command_started_anew_fits_the_schema(
    fresh_leafmark: Leafmark, desk: Path, words: tuple[str, ...]
) -> None:
    _check(fresh_leafmark(*words, "--json", cwd=desk / "handbook", HOME=str(desk)))


@pytest.mark.parametrize(
    "words",
    [
        ("search", "restore", "--max-tokens", "400"),
        ("show", "README.md", "--max-tokens", "400"),
        ("show", "README.md", "--outline"),
        ("chunk", "README.md", "-o", "stats"),
        ("ls", "docs"),
        ("ls", "chunks"),
        ("ls", "tags"),
        ("show",),
    ],
    ids=" ".join,
)
def test_every_other_answer_fits_the_schema(
    leafmark: Leafmark, desk: Path, words: tuple[str, ...]
) -> None:
    _check(leafmark(*words, "--json", cwd=desk / "handbook", HOME=str(desk)))


SCHEMA = jsonschema.Draft202012Validator(published())


def _check(ran: Ran) -> None:
    SCHEMA.validate(ran.json)
