"""What commands print as JSON, against the published schema as a whole.

A program that reads the schema has only the file, and validates with a library: it
need not know which of the shapes is meant.
"""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
from support.command import Leafmark
from support.schema import published


@pytest.mark.parametrize(
    "words",
    [
        ("search", "restore"),
        ("search", "restore", "--max-tokens", "400"),
        ("show", "README.md"),
        ("show", "README.md", "--max-tokens", "400"),
        ("show", "README.md", "--outline"),
        ("context", "README.md"),
        ("like", "README.md"),
        ("like", "README.md", "--terms"),
        ("why-not", "README.md", "restore"),
        ("chunk", "README.md"),
        ("chunk", "README.md", "-o", "stats"),
        ("index",),
        ("status",),
        ("ls",),
        ("ls", "docs"),
        ("ls", "chunks"),
        ("ls", "tags"),
        ("config",),
        ("trust",),
        ("verify", "README.md"),
        ("agents",),
        ("show",),
    ],
    ids=" ".join,
)
def test_every_answer_fits_the_schema(
    fresh_leafmark: Leafmark, handbook: Path, words: tuple[str, ...]
) -> None:
    ran = fresh_leafmark(*words, "--json", cwd=handbook)
    jsonschema.validate(ran.json, published(), cls=jsonschema.Draft202012Validator)
