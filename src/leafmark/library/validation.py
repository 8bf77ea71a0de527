"""What a program asks for, checked: types let a text pass where a list of texts belongs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar, get_args

from leafmark.errors import UsageError

T = TypeVar("T")


def checked_text(name: str, value: str | None) -> str | None:
    """Return a text, or None where nothing is asked for.

    Raises:
        UsageError: `value` is something else.
    """
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} is {value!r}", hint="give a text")
    return value


def checked_names(name: str, values: Iterable[str]) -> tuple[str, ...]:
    """Return the texts as a tuple.

    Raises:
        UsageError: `values` is one text, or holds something else.
    """
    if isinstance(values, str):
        raise UsageError(f"{name} is one text, {values!r}", hint=f"give a list: [{values!r}]")
    if not isinstance(values, Iterable):
        raise UsageError(f"{name} is {values!r}", hint="give a list")
    found = tuple(values)
    for value in found:
        if not isinstance(value, str):
            raise UsageError(f"{name} holds {value!r}", hint="give texts")
    return found


def checked_choice(name: str, value: T, choices: Any) -> T:
    """Return a value that is one of a `Literal`.

    Raises:
        UsageError: it is not.
    """
    accepted = get_args(choices)
    if value not in accepted:
        raise UsageError(f"{name} is {value!r}", hint="one of " + ", ".join(accepted))
    return value


def checked_choices(name: str, values: Iterable[T], choices: Any) -> tuple[T, ...]:
    """Return values each of which is one of a `Literal`.

    Raises:
        UsageError: one is not, or `values` is one text.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        checked_names(name, values)
    return tuple(checked_choice(name, value, choices) for value in values)
