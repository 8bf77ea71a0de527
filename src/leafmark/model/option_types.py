"""Declarations of options, one place for each: meaning, default, range, and where users set it.

A field of an options type carries an `Option`; `declarations` reads them. Settings of files and
environment, flags, tool schemas, help and the reference pages are made from the same list.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from leafmark.errors import ConfigError
from leafmark.namedtuples import NamedTuple

Value = bool | int | float | str | None
"""The value of a setting. None means that nothing was chosen."""

LANGUAGES = tuple(
    "arabic danish dutch english finnish french german greek hungarian italian norwegian portuguese"
    " romanian russian spanish swedish tamil turkish".split()
)
"""The languages with a stemmer."""

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class Option(NamedTuple):
    """The declaration of one field: `doc` is its effect, `reason` why a user would change it.

    `least` and `most` are inclusive; with `open_low` the least value itself is refused. `given`
    is where users set it: a `setting` in files and environment, a `constant` for one run only
    (`--set`, a variable, evaluations), a `request` as part of the request itself. `per_tree`
    settings may also stand in a tree's own table. `gated` describes an effect beyond the project's
    folder: such a setting in the project's file is ignored until `leafmark trust`. `off` is the
    effect of the switch that turns the field off.
    """

    doc: str
    reason: str = ""
    unit: str = ""
    least: float | None = None
    most: float | None = None
    open_low: bool = False
    choices: tuple[str, ...] = ()
    given: Literal["setting", "request", "constant"] = "setting"
    per_tree: bool = False
    gated: str = ""
    off: str = ""


@cache
def _is_list(kind: Any) -> bool:
    return get_origin(kind) is tuple


@cache
def _literals(kind: Any) -> tuple[str, ...]:
    """Return the literal values of a type or of a list's members; () if any value fits."""
    kind = get_args(kind)[0] if _is_list(kind) else kind
    return get_args(kind) if get_origin(kind) is Literal else ()


class Declaration(NamedTuple):
    """One declared field. `name` is `table.key`, as in `search.limit`, or the key alone."""

    name: str
    default: Any
    kind: Any
    option: Option

    @property
    def key(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def choices(self) -> tuple[str, ...]:
        return _literals(self.kind) or self.option.choices

    @property
    def is_list(self) -> bool:
        return _is_list(self.kind)

    def sentence(self, *, off: bool = False) -> str:
        """Return the field's effect as a sentence, or with `off` the effect of turning it off.

        >>> Declaration("search.plain", False, bool, Option("take it as text")).sentence()
        'Take it as text.'
        """
        doc = self.option.off if off else self.option.doc
        return f"{doc[0].upper()}{doc[1:]}."

    @property
    def environment_name(self) -> str:
        """
        >>> Declaration("index.lock_timeout_s", 30.0, float, Option("")).environment_name
        'LEAFMARK_INDEX_LOCK_TIMEOUT_S'
        """
        return "LEAFMARK_" + self.name.replace(".", "_").upper()

    @property
    def accepted(self) -> str:
        """The accepted values, as a phrase after "must be".

        >>> Declaration("search.relax_share", 0.3, float, Option("", least=0, most=1)).accepted
        'a number from 0 to 1'
        """
        if self.choices and not self.is_list:
            return "one of " + ", ".join(self.choices)
        if self.kind is bool:
            return "true or false"
        if self.is_list:
            return "a list of texts"
        if self.kind in (int, float):
            return ("a whole number" if self.kind is int else "a number") + _range(self.option)
        return "a text that is not empty" if self.kind in (str, str | None) else "a number, or none"

    def holds(self, value: object) -> Any:
        """Return `value` in the field's type; an integer is also accepted as a number.

        Raises:
            ValueError: the value is of another type, or outside the range.
        """
        if value is self.default:
            return value
        fitting = self._convert(value)
        if fitting is None and value is not None:
            raise ValueError(f"{self.name} must be {self.accepted}")
        return fitting

    def _convert(self, value: object) -> Any:
        """Return the value in the field's type, or None if it does not fit."""
        if value is None:
            if type(None) not in get_args(self.kind):
                raise ValueError(f"{self.name} must be {self.accepted}")
            return None
        if self.kind is bool:
            return value if isinstance(value, bool) else None
        if self.is_list:
            return value if isinstance(value, tuple) else None
        if self.choices or self.kind in (str, str | None):
            is_text = isinstance(value, str) and value and "\0" not in value
            return value if is_text and (not self.choices or value in self.choices) else None
        return _number(self.kind, self.option, value)


def _number(kind: Any, option: Option, value: object) -> float | None:
    """Return the value as a number of the kind within the range, else None."""
    if isinstance(value, bool) or not isinstance(value, int if kind is int else int | float):
        return None
    try:
        number = value if kind is int else float(value)
    except OverflowError:
        return None
    least = -math.inf if option.least is None else option.least
    most = 2**63 - 1 if option.most is None else option.most
    is_within = least <= number <= most and not (option.open_low and number == least)
    return number if is_within and math.isfinite(number) else None


def _range(option: Option) -> str:
    if option.least is None:
        return ""
    if option.open_low:
        low = f" above {option.least:.12g}"
        return low if option.most is None else f"{low} and at most {option.most:.12g}"
    if option.most is None:
        return f" of at least {option.least:.12g}"
    return f" from {option.least:.12g} to {option.most:.12g}"


@cache
def declarations(options: Any, table: str = "") -> Mapping[str, Declaration]:
    """Return the declarations of an options type, by key; `table` begins their names.

    The type is `Frozen` or a named tuple; its fields `Annotated` with an `Option` are declared.
    """
    hints = get_type_hints(options, include_extras=True)
    declared = {}
    for key, default in options._field_defaults.items():
        if get_origin(hints[key]) is not Annotated:
            continue
        kind, option = get_args(hints[key])
        declared[key] = Declaration(f"{table}.{key}" if table else key, default, kind, option)
    return MappingProxyType(declared)


def check_value(declared: Declaration, value: object, *, location: str | None = None) -> Value:
    """Return `value` in the field's type; an integer is also accepted as a number.

    Raises:
        ConfigError: the value is of another type or outside the range.
    """
    try:
        checked: Value = declared.holds(value)
    except ValueError as error:
        raise ConfigError(
            f"{declared.name} is {_shown(value)}", location=location, hint=str(error)
        ) from None
    return checked


def _shown(value: object) -> str:
    """Return a value as TOML spells it, shortened.

    >>> _shown(True), _shown("x"), _shown([1])
    ('true', '"x"', '[1]')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    text = '"' + value + '"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def parse_value(declared: Declaration, text: str, *, location: str | None = None) -> Value:
    """Return the value that `text` spells; `location` names the environment variable, if any.

    >>> limit = Declaration("search.limit", 10, int, Option("", least=1))
    >>> parse_value(limit, "25", location="LEAFMARK_SEARCH_LIMIT")
    25

    Raises:
        ConfigError: the text does not spell a value that the field accepts.
    """
    return check_value(declared, _read(declared.kind, text.strip()), location=location)


def _read(kind: Any, text: str) -> object:
    if kind is bool:
        word = text.lower()
        return True if word in _TRUE else False if word in _FALSE else text
    if kind in (int, float):
        # underscores group digits, as in TOML; but Python reads 0_1 as 1, a typo for 0.1
        if text.lstrip("+-").startswith("0_") or not text.isascii():
            return text
        try:
            return kind(text)
        except ValueError:
            return text
    return text
