"""The arguments of a tool or a route: their JSON schema, and the check of values against it.

Calls that models write do not always follow a schema. `with_lenience` accepts a value that can mean
only one thing: a number as text, one text for a list, another usual name of an argument.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple, TypeAlias

from leafmark.app.settings import DECLARED
from leafmark.errors import UsageError
from leafmark.model.option_types import Declaration
from leafmark.suggest import choices_hint

Kind: TypeAlias = Literal["string", "integer", "boolean", "strings"]


class Parameter(NamedTuple):
    """One argument of a tool. The kind `strings` is a list of texts.

    `least` and `most` bound an integer, the length of a text, or the length of a list. Without a
    `default`, a missing argument is None. `aliases` are other names that clients use for it.
    `declared` is the key of its declaration as a field of a request or a setting; with `off` it is
    the switch that turns this off.
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
        single: bool = False,
        **own: Any,
    ) -> Parameter:
        """Return the argument of a declaration (`search.limit`): words, default and range.

        `note` is added to the description. `own` are fields that replace those of the declaration,
        such as `most`, or a default where settings have none. With `single`, the argument for a
        list takes one text. An argument that a setting decides has no default.
        """
        declaration = DECLARED[declared]
        least, most = (None if bound is None else int(bound) for bound in declaration.option[3:5])
        is_switch = declaration.kind is bool
        fields: dict[str, Any] = {
            "kind": "string" if single else _kind_of(declaration),
            "default": declaration.default
            if is_switch or declaration.option.given == "request"
            else None,
            "least": least,
            "most": most,
            "choices": declaration.choices,
        }
        if off:
            fields["default"] = False
        elif declaration.is_list:
            fields["default"] = None
        about = " ".join(filter(None, (declaration.sentence(off=off), note)))
        key = f"no_{declaration.key}" if off else declaration.key
        return cls(name or key, about, **(fields | own), declared=declared, off=off)

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the argument."""
        kind = "array" if self.kind == "strings" else self.kind
        schema: dict[str, Any] = {"type": kind, "description": self.description}
        limited = {"enum": list(self.choices)} if self.choices else {}
        schema |= {"items": {"type": "string"} | limited} if self.kind == "strings" else limited
        if self.default is not None:
            schema["default"] = self.default
        bounds = {"integer": ("minimum", "maximum"), "string": ("minLength", "maxLength")}
        low, high = bounds.get(self.kind, ("minItems", "maxItems"))
        schema |= {} if self.least is None else {low: self.least}
        return schema | ({} if self.most is None else {high: self.most})

    def read(self, value: Any) -> Any:
        """Return the argument, checked; `5.0` is a whole number, as JSON schema has it.

        Raises:
            UsageError: it has another type, or is outside of the accepted range or choices.
        """
        if self.kind == "integer" and isinstance(value, float) and value.is_integer():
            value = int(value)
        if not _fits(self.kind, value) or not self._is_within(value):
            raise self._refuse(value, f"it must be {self._accepted_values}")
        for item in value if self.kind == "strings" else [value]:
            if self.choices and item not in self.choices:
                raise self._refuse(item, choices_hint(item, self.choices))
        return value

    def _is_within(self, value: Any) -> bool:
        if self.kind == "boolean":
            return True
        size = value if self.kind == "integer" else len(value)
        is_enough = self.least is None or size >= self.least
        return is_enough and (self.most is None or size <= self.most)

    def _refuse(self, value: Any, hint: str) -> UsageError:
        return UsageError(f"`{self.name}` got {_shown(value)}", hint=hint)

    @property
    def _accepted_values(self) -> str:
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
    """Checked arguments by name, which can be read as fields of a request or as settings."""

    def __init__(self, parameters: Sequence[Parameter], values: Mapping[str, Any]):
        super().__init__(values)
        self._parameters = parameters

    def fields_for(self, table: str) -> dict[str, Any]:
        """Return the fields of a request (`search`), or the settings of a table, with values.

        A field without a value is left to the request's default, or to the settings.
        """
        fields: dict[str, Any] = {}
        for parameter in self._parameters:
            value = self[parameter.name]
            owner, _, key = parameter.declared.partition(".")
            if owner == table and value is not None:
                fields[key] = not value if parameter.off else _convert_to_declared(parameter, value)
        return fields


def _convert_to_declared(parameter: Parameter, value: Any) -> Any:
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
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_MAX_SHOWN = 60


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"


def input_schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments; it forbids other arguments."""
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.required],
        "additionalProperties": False,
    }


def check_arguments(parameters: Sequence[Parameter], raw: Mapping[str, Any] | None) -> Arguments:
    """Return a value for every parameter: the given one, else its default.

    Raises:
        UsageError: an argument is unknown, missing, or not acceptable.
    """
    raw = raw or {}
    known = {parameter.name: parameter for parameter in parameters}
    for name in raw:
        if name not in known:
            raise UsageError(f"there is no argument `{name}`", hint=choices_hint(name, known))
    missing = [p.name for p in parameters if p.required and raw.get(p.name) is None]
    if missing:
        raise UsageError(f"`{missing[0]}` is missing", hint=known[missing[0]].description)
    values = {
        name: parameter.default if raw.get(name) is None else parameter.read(raw[name])
        for name, parameter in known.items()
    }
    return Arguments(parameters, values)


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def with_lenience(
    parameters: Sequence[Parameter], values: Mapping[str, Any] | None
) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments under their intended names and as their kinds, and notes.

    A note names an argument that was renamed. An argument without a clear meaning stays as it is,
    for `check_arguments` to refuse.
    """
    kinds = {parameter.name: parameter for parameter in parameters}
    others = {alias: parameter.name for parameter in parameters for alias in parameter.aliases}
    arguments: dict[str, Any] = {}
    notes = []
    exact_first = sorted((values or {}).items(), key=lambda item: item[0] not in kinds)
    for name, value in exact_first:
        plain = _HUMP.sub("_", name).replace("-", "_").lower()
        meant = name if name in kinds else plain if plain in kinds else others.get(plain, name)
        if meant != name and meant not in arguments:
            notes.append(f"`{name}` was taken as `{meant}`")
        else:
            meant = name
        is_known = meant in kinds and value is not None
        arguments[meant] = _convert_to_kind(kinds[meant], value) if is_known else value
    return arguments, notes


def _convert_to_kind(parameter: Parameter, value: Any) -> Any:
    """Return a value as its parameter's kind where its meaning is clear, else unchanged."""
    kind, choices = parameter.kind, parameter.choices
    if kind == "string":
        return _convert_to_text(_unwrap_single(value), choices)
    if kind == "strings":
        return [_convert_to_text(item, choices) for item in _parse_list(value)]
    text = value.strip().lower() if isinstance(value, str) else ""
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, value)
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else value


def _convert_to_text(value: Any, choices: Sequence[str]) -> Any:
    """Return a number as text, and a choice in its declared form, in any case and spacing."""
    if _is_number(value):
        return str(value)
    if isinstance(value, str) and value not in choices:
        return next((choice for choice in choices if choice == value.strip().lower()), value)
    return value


def _unwrap_single(value: Any) -> Any:
    """Return the only item of a list of one; a list of numbers, such as two lines, as text."""
    if not isinstance(value, list) or not value:
        return value
    if all(map(_is_number, value)):
        return json.dumps(value)
    return value[0] if len(value) == 1 else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _parse_list(value: Any) -> list[Any]:
    """Return a list, also one written as JSON; any other value as a list of one."""
    parsed = value
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            parsed = json.loads(value)
    return parsed if isinstance(parsed, list) else [value]
