"""Named tuples of ours are as those of `typing`, but for what nobody looks at."""

from __future__ import annotations

import inspect
import pickle
import typing
from typing import Any

import pytest

from leafmark.namedtuples import NamedTuple


class Ours(NamedTuple):
    """A place."""

    line: int
    names: list[str] | None = None

    @property
    def next_line(self) -> int:
        """The one below."""
        return self.line + 1

    @classmethod
    def top(cls) -> Ours:
        return cls(1)


class Theirs(typing.NamedTuple):
    """A place."""

    line: int
    names: list[str] | None = None


@pytest.mark.parametrize(
    "asked",
    [
        lambda kind: kind._fields,
        lambda kind: kind._field_defaults,
        lambda kind: kind.__doc__,
        lambda kind: kind.__module__,
        lambda kind: kind.__mro__[1:],
        lambda kind: typing.get_type_hints(kind),
        lambda kind: list(inspect.signature(kind).parameters),
        lambda kind: kind(1) == kind(line=1, names=None) == (1, None),
        lambda kind: kind(1)._replace(names=["a"])._asdict(),
        lambda kind: repr(kind(1)).partition("(")[2],
        lambda kind: pickle.loads(pickle.dumps(kind(1))) == kind(1),
    ],
)
def test_it_is_as_that_of_typing(asked: Any) -> None:
    assert asked(Ours) == asked(Theirs)


def test_what_stands_in_its_body_is_kept() -> None:
    assert Ours.top().next_line == 2
    assert Ours.next_line.__doc__ == "The one below."
    with pytest.raises(AttributeError):
        Ours(1).line = 2  # type: ignore[misc]
