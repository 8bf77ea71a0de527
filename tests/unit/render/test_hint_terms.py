"""Hints in the terms of each front end: what only the command line offers is told there alone."""

from __future__ import annotations

from typing import Any

import pytest

from leafmark.model import Hint
from leafmark.render.hint_texts import COMMAND_LINE, PAGE, PROGRAMS, word_hint

HINTS = [
    ("pending-vectors", {"count": 1}, "; `leafmark index` makes it"),
    ("pending-vectors", {"count": 7}, "; `leafmark index` makes them"),
    ("late-vectors", {"count": 2}, "; `leafmark index --vectors` makes all of them"),
    ("stale", {"count": 1}, "; `leafmark index` says which"),
    ("far", {}, "; `--mode hybrid` counts words, too"),
    ("no-vectors", {"reason": "there are no vectors"}, "; `leafmark index --vectors` makes them"),
    (
        "late-embedder",
        {"reason": "it is late"},
        "; embedding.deadline_s is how long a search waits",
    ),
    ("damaged-vectors", {}, "; `leafmark index --vectors` makes those again"),
]


@pytest.mark.parametrize(("code", "values", "remedy"), HINTS)
def test_a_command_is_a_remedy_on_the_command_line_alone(
    code: str, values: dict[str, Any], remedy: str
) -> None:
    hint = Hint(code, values=values)
    told = word_hint(hint, COMMAND_LINE)
    assert told.endswith(remedy)
    for terms in (PROGRAMS, PAGE):
        said = word_hint(hint, terms)
        assert said.startswith(told.removesuffix(remedy))
        assert "leafmark " not in said
        assert "--" not in said
