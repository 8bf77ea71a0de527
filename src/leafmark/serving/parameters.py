"""What a tool accepts: its JSON schema, and arguments checked against it with errors that help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from leafmark.errors import UsageError
from leafmark.likeness import choices_hint

__all__ = ["Parameter", "check_arguments", "input_schema"]


class Parameter(NamedTuple):
    """One argument of a tool. `strings` is a list of texts.

    `least` and `most` bound an integer, the length of a text, or the length of a
    list. Without a `default`, an argument that is not given is None.
    """

    name: str
    description: str
    kind: Literal["string", "integer", "boolean", "strings"] = "string"
    required: bool = False
    default: Any = None
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the argument."""
        kind = "array" if self.kind == "strings" else self.kind
        found: dict[str, Any] = {"type": kind, "description": self.description}
        limited = {"enum": list(self.choices)} if self.choices else {}
        found |= {"items": {"type": "string"} | limited} if self.kind == "strings" else limited
        if self.default is not None:
            found["default"] = self.default
        bounds = {"integer": ("minimum", "maximum"), "string": ("minLength", "maxLength")}
        low, high = bounds.get(self.kind, ("minItems", "maxItems"))
        found |= {} if self.least is None else {low: self.least}
        return found | ({} if self.most is None else {high: self.most})

    def read(self, value: Any) -> Any:
        """Return the argument, checked.

        Raises:
            UsageError: it is of another type, or outside of what is accepted.
        """
        if not _fits(self.kind, value):
            raise UsageError(f"`{self.name}` got {_shown(value)}", hint=f"it is {self._accepted}")
        size = value if self.kind == "integer" else 0 if self.kind == "boolean" else len(value)
        too_little = self.least is not None and size < self.least
        if too_little or (self.most is not None and size > self.most):
            raise UsageError(f"`{self.name}` got {_shown(value)}", hint=f"it is {self._accepted}")
        for each in value if self.kind == "strings" else [value]:
            if self.choices and each not in self.choices:
                raise self._no_choice(each)
        return value

    def _no_choice(self, value: str) -> UsageError:
        hint = choices_hint(value, self.choices)
        return UsageError(f"`{self.name}` got {_shown(value)}", hint=hint)

    @property
    def _accepted(self) -> str:
        noun = {
            "integer": "a whole number",
            "boolean": "true or false",
            "string": "a text",
            "strings": "a list of texts",
        }[self.kind]
        if self.least is None and self.most is None:
            return noun
        unit = {"string": " characters", "strings": " texts"}.get(self.kind, "")
        low = "" if self.least is None else f" from {self.least}"
        high = (
            "" if self.most is None else f" to {self.most}" if low else f" of at most {self.most}"
        )
        return f"{noun}{low}{high}{unit}"


def _fits(kind: str, value: Any) -> bool:
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "string":
        return isinstance(value, str)
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


_LONGEST_SHOWN = 60


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


def input_schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments; what it does not name is refused."""
    return {
        "type": "object",
        "properties": {each.name: each.schema() for each in parameters},
        "required": [each.name for each in parameters if each.required],
        "additionalProperties": False,
    }


def check_arguments(
    parameters: Sequence[Parameter], given: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return a value for every parameter: as given, else its default.

    Raises:
        UsageError: an argument is unknown, missing, or not acceptable.
    """
    given = given or {}
    known = {each.name: each for each in parameters}
    for name in given:
        if name not in known:
            raise UsageError(f"there is no argument `{name}`", hint=choices_hint(name, known))
    missing = [each.name for each in parameters if each.required and given.get(each.name) is None]
    if missing:
        raise UsageError(f"`{missing[0]}` is missing", hint=known[missing[0]].description)
    return {
        name: each.default if given.get(name) is None else each.read(given[name])
        for name, each in known.items()
    }
