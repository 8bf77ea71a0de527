"""Possessive repeats mean the same in every Python from 3.11 on.

Until 3.11.5, a possessive repeat of a group goes on from where its last, failing
attempt stopped (https://github.com/python/cpython/issues/106052). A last
alternative that matches nothing brings it back to where that attempt began, so
every such group ends in `|(?!)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "leafmark"
POSSESSIVE = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\}|\{\{\d*,?\d*\}\})\+")
NO_PATTERN = '_SAFE = "/-._~!$&\'()*+,;=:@"'


def _repeated_groups() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for line in path.read_text("utf-8").splitlines():
            for found in POSSESSIVE.finditer(line):
                if line != NO_PATTERN:
                    yield f"{path.name}: {line.strip()}", line[: found.start()]


def test_every_possessive_group_ends_in_an_alternative_that_matches_nothing() -> None:
    groups = list(_repeated_groups())
    assert len(groups) > 20
    wrong = [where for where, before in groups if not re.search(r"\|\s?\(\?!\) ?$", before)]
    assert wrong == []


def test_the_alternative_brings_the_repeat_back() -> None:
    assert re.match(r"(?:ab?c|(?!))?+", "a")[0] == ""  # type: ignore[index]
    assert re.match(r"(?:ab?c|(?!))++", "aca")[0] == "ac"  # type: ignore[index]
    assert re.match(r"(?: [^ ]++|(?!))*+", " a  b")[0] == " a"  # type: ignore[index]
