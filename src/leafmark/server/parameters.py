"""What a tool or a route accepts: its JSON schema, and arguments checked against it.

Programs that models write do not always keep to a schema. `with_lenience` reads what can only
mean one thing: a number as text, one text for a list, another usual name of an argument.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple, TypeAlias

from leafmark.app.settings import DECLARED
from leafmark.errors import UsageError
from leafmark.model.options import Declaration
from leafmark.suggest import choices_hint

Kind: TypeAlias = Literal["string", "integer", "boolean", "strings"]


class Parameter(NamedTuple):
    """One argument of a tool. `strings` is a list of texts.

    `least` and `most` bound an integer, the length of a text, or the length of a
    list. Without a `default`, an argument that is not given is None. `aliases` are names
    by which others call it. `declared` is what a request, or a setting, declares of it; with `off`
    it is the switch that turns this off.
    """

    name: str
    description: str
    kind: Kind = "string"
    required: bool = False
    default: Any = None
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    declared: str = ""
    off: bool = False

    @classmethod
    def of(
        cls,
        declared: str,
        name: str | None = None,
        *,
        note: str = "",
        off: bool = False,
        one: bool = False,
        **own: Any,
    ) -> Parameter:
        """Return the argument for what is declared (`search.limit`): words, default and range.

        `note` is what only this front end has to say of it, and `own` are fields of its own: how
        many it takes at most, a default where settings have none to give. Of a list, it can take
        `one`. What settings decide has no default.
        """
        found = DECLARED[declared]
        least, most = (None if each is None else int(each) for each in found.option[3:5])
        is_switch = found.kind is bool
        fields: dict[str, Any] = {
            "kind": "string" if one else _kind_of(found),
            "default": found.default if is_switch or found.option.given == "request" else None,
            "least": least,
            "most": most,
            "choices": found.choices,
        }
        if off:
            fields["default"] = False
        elif found.is_list:
            fields["default"] = None
        about = " ".join(filter(None, (found.sentence(off=off), note)))
        key = f"no_{found.key}" if off else found.key
        return cls(name or key, about, **(fields | own), declared=declared, off=off)

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
        """Return the argument, checked; `5.0` is a whole number, as JSON schema has it.

        Raises:
            UsageError: it is of another type, or outside of what is accepted.
        """
        if self.kind == "integer" and isinstance(value, float) and value.is_integer():
            value = int(value)
        if not _fits(self.kind, value) or not self._is_within(value):
            raise self._refused(value, f"it must be {self._accepted}")
        for each in value if self.kind == "strings" else [value]:
            if self.choices and each not in self.choices:
                raise self._refused(each, choices_hint(each, self.choices))
        return value

    def _is_within(self, value: Any) -> bool:
        if self.kind == "boolean":
            return True
        size = value if self.kind == "integer" else len(value)
        is_enough = self.least is None or size >= self.least
        return is_enough and (self.most is None or size <= self.most)

    def _refused(self, value: Any, hint: str) -> UsageError:
        return UsageError(f"`{self.name}` got {_shown(value)}", hint=hint)

    @property
    def _accepted(self) -> str:
        bounds = _between(self.least, self.most)
        if self.kind == "boolean":
            return "true or false"
        if self.kind == "integer":
            return f"a whole number ({bounds})" if bounds else "a whole number"
        if self.kind == "string":
            return f"a text of {bounds} characters" if bounds else "a text"
        return f"a list of {bounds} texts" if bounds else "a list of texts"


def _kind_of(declared: Declaration) -> Kind:
    if declared.kind is bool:
        return "boolean"
    if declared.is_list:
        return "strings"
    return "integer" if declared.kind is int else "string"


class Arguments(dict[str, Any]):
    """Arguments by name, checked, and what they ask for in the words of requests."""

    def __init__(self, parameters: Sequence[Parameter], values: Mapping[str, Any]):
        super().__init__(values)
        self._parameters = parameters

    def asked(self, table: str) -> dict[str, Any]:
        """Return the fields of a request (`search`), or the settings of a table, that were given.

        What has no value is left to the request's default, or to the settings.
        """
        found: dict[str, Any] = {}
        for parameter in self._parameters:
            value = self[parameter.name]
            of, _, key = parameter.declared.partition(".")
            if of == table and value is not None:
                found[key] = not value if parameter.off else _as_declared(parameter, value)
        return found


def _as_declared(parameter: Parameter, value: Any) -> Any:
    if not DECLARED[parameter.declared].is_list:
        return value
    return tuple(value) if parameter.kind == "strings" else (value,)


def _between(least: int | None, most: int | None) -> str:
    if least is None:
        return "" if most is None else f"at most {most}"
    return f"at least {least}" if most is None else f"{least} to {most}"


def _fits(kind: str, value: Any) -> bool:
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "string":
        return isinstance(value, str)
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


_MAX_SHOWN = 60


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"


def input_schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments; what it does not name is refused."""
    return {
        "type": "object",
        "properties": {each.name: each.schema() for each in parameters},
        "required": [each.name for each in parameters if each.required],
        "additionalProperties": False,
    }


def check_arguments(parameters: Sequence[Parameter], given: Mapping[str, Any] | None) -> Arguments:
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
    values = {
        name: each.default if given.get(name) is None else each.read(given[name])
        for name, each in known.items()
    }
    return Arguments(parameters, values)


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def with_lenience(
    parameters: Sequence[Parameter], given: Mapping[str, Any] | None
) -> tuple[dict[str, Any], list[str]]:
    """Return arguments under the names and as the kinds that they were meant to have, and notes.

    A note says which name was taken for which. What means nothing stays as it is, for
    `check_arguments` to refuse.
    """
    kinds = {each.name: each for each in parameters}
    others = {alias: each.name for each in parameters for alias in each.aliases}
    found: dict[str, Any] = {}
    notes = []
    exact_first = sorted((given or {}).items(), key=lambda item: item[0] not in kinds)
    for name, value in exact_first:
        plain = _HUMP.sub("_", name).replace("-", "_").lower()
        meant = name if name in kinds else plain if plain in kinds else others.get(plain, name)
        if meant != name and meant not in found:
            notes.append(f"`{name}` was taken as `{meant}`")
        else:
            meant = name
        is_known = meant in kinds and value is not None
        found[meant] = _as_kind(kinds[meant], value) if is_known else value
    return found, notes


def _as_kind(parameter: Parameter, value: Any) -> Any:
    """Return a value as a kind of argument where it can only mean that."""
    kind, choices = parameter.kind, parameter.choices
    if kind == "string":
        return _as_text(_only_one(value), choices)
    if kind == "strings":
        return [_as_text(each, choices) for each in _list_in(value)]
    text = value.strip().lower() if isinstance(value, str) else ""
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, value)
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else value


def _as_text(value: Any, choices: Sequence[str]) -> Any:
    """Return a number as text, and a choice as it is declared, whatever its case and space."""
    if _is_number(value):
        return str(value)
    if isinstance(value, str) and value not in choices:
        return next((one for one in choices if one == value.strip().lower()), value)
    return value


def _only_one(value: Any) -> Any:
    """Return the text of a list of one; a list of numbers, such as two lines, as text."""
    if not isinstance(value, list) or not value:
        return value
    if all(map(_is_number, value)):
        return json.dumps(value)
    return value[0] if len(value) == 1 else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _list_in(value: Any) -> list[Any]:
    """Return a list: anything else is a list of one, unless it is a list as JSON."""
    read = value
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            read = json.loads(value)
    return read if isinstance(read, list) else [value]
