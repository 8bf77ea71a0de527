"""Errors that go from one process to another."""

from __future__ import annotations

import copy
import pickle

import pytest

from leafmark import errors
from leafmark.errors import (
    AmbiguousError,
    BudgetError,
    ConfigError,
    LeafmarkError,
    NotFoundError,
    QueryError,
)

_MADE = [
    QueryError("an open quote", query='"a', start=0, end=1, hint="close it"),
    BudgetError(3, 40),
    AmbiguousError("several", candidates=("a", "b")),
    NotFoundError("none", did_you_mean=("a",), location="x", exit_code=1),
    ConfigError("wrong", fields=("a",), location="f:1"),
]


def _plain() -> list[LeafmarkError]:
    made = {type(error) for error in _MADE}
    kinds = [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]
    return [kind("what", location="where", hint="how") for kind in kinds if kind not in made]


@pytest.mark.parametrize("error", [*_MADE, *_plain()], ids=lambda error: type(error).__name__)
def test_an_error_can_be_sent_whole(error: LeafmarkError) -> None:
    """A pool of processes that gets one that cannot be read waits for ever."""
    error.add_note("noted")
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert (other.args, vars(other)) == (error.args, vars(error))
        assert str(other) == str(error)


def test_the_last_line_of_a_traceback_says_where_and_what_to_do() -> None:
    assert str(LeafmarkError("none", location="a.md", hint="look")) == "none (a.md); look"
    assert str(LeafmarkError("none", location="a.md")) == "none (a.md)"
    assert str(LeafmarkError("none")) == "none"
