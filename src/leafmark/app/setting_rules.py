"""One setting: what it accepts, what it is called, and how a value or a text is checked.

A value is checked here, whatever it came from; where it came from is `config`'s
business. Which settings there are is said in `settings`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from leafmark.errors import ConfigError

__all__ = ["Rules", "Setting", "Value", "check_value", "parse_value"]

Value = bool | int | float | str | None
"""What a setting can hold. None stands only for a path that has not been chosen."""

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class Rules(NamedTuple):
    """What one setting accepts.

    `least` and `most` are inclusive; with `open_low` the least value itself is
    refused. `per_tree` settings may also stand in a tree's own table. `gated`
    ones, which say what they do beyond the project's folder, are heeded in its
    configuration only after `leafmark trust`.
    """

    doc: str
    unit: str = ""
    least: float | None = None
    most: float | None = None
    open_low: bool = False
    choices: tuple[str, ...] = ()
    per_tree: bool = False
    gated: str = ""


class Setting(NamedTuple):
    """One setting: `name` is `table.key`, as in `search.limit`."""

    name: str
    default: Value
    rules: Rules

    @property
    def environment_name(self) -> str:
        """
        >>> Setting("index.lock_timeout_s", 30.0, Rules(doc="")).environment_name
        'LEAFMARK_INDEX_LOCK_TIMEOUT_S'
        """
        return "LEAFMARK_" + self.name.replace(".", "_").upper()

    @property
    def accepted(self) -> str:
        """What values it takes, as a phrase after "must be".

        >>> Setting("search.relax_share", 0.3, Rules(doc="", least=0, most=1)).accepted
        'a number from 0 to 1'
        """
        if self.rules.choices:
            return "one of " + ", ".join(self.rules.choices)
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, int | float):
            noun = "a whole number" if isinstance(self.default, int) else "a number"
            return noun + _range(self.rules)
        return "a text that is not empty"


def _range(rules: Rules) -> str:
    if rules.open_low:
        low = f" above {rules.least:.12g}"
        return low if rules.most is None else f"{low} and at most {rules.most:.12g}"
    if rules.most is None:
        return f" of at least {rules.least:.12g}"
    return f" from {rules.least:.12g} to {rules.most:.12g}"


def check_value(setting: Setting, value: object, *, location: str | None = None) -> Value:
    """Return `value` as `setting` holds it; a whole number stands for a number too.

    Raises:
        ConfigError: the value is of another type or outside the range.
    """
    checked = _coerced(setting, value)
    if checked is None:
        raise ConfigError(
            f"{setting.name} is {_shown(value)}",
            location=location,
            hint=f"{setting.name} must be {setting.accepted}",
        )
    return checked


def _coerced(setting: Setting, value: object) -> Value:
    """Return the value in the setting's type, or None if it does not fit."""
    default, rules = setting.default, setting.rules
    if isinstance(default, bool):
        return value if isinstance(value, bool) else None
    if isinstance(default, int):
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        return value if _within(rules, value) else None
    if isinstance(default, float):
        return _as_number(rules, value)
    if not isinstance(value, str) or not value or "\0" in value:
        return None
    return value if not rules.choices or value in rules.choices else None


def _as_number(rules: Rules, value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and _within(rules, number) else None


def _within(rules: Rules, value: float) -> bool:
    least = -math.inf if rules.least is None else rules.least
    most = 2**63 - 1 if rules.most is None else rules.most
    return least <= value <= most and not (rules.open_low and value == least)


def _shown(value: object) -> str:
    """A value as it would stand in TOML, shortened.

    >>> _shown(True), _shown("x"), _shown([1])
    ('true', '"x"', '[1]')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    text = '"' + value + '"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def parse_value(setting: Setting, text: str, *, location: str | None) -> Value:
    """Return the value that `text` stands for; `location` names the variable, if it is of one.

    >>> limit = Setting("search.limit", 10, Rules(doc="", least=1))
    >>> parse_value(limit, "25", location="LEAFMARK_SEARCH_LIMIT")
    25

    Raises:
        ConfigError: the text does not stand for a value that the setting accepts.
    """
    return check_value(setting, _read(setting.default, text.strip()), location=location)


def _read(default: Value, text: str) -> object:
    if isinstance(default, bool):
        word = text.lower()
        return True if word in _TRUE else False if word in _FALSE else text
    if isinstance(default, int | float):
        # underscores part digits, as in TOML; but Python reads 0_1 as 1, which was to be 0.1
        if text.lstrip("+-").startswith("0_") or not text.isascii():
            return text
        try:
            return int(text) if isinstance(default, int) else float(text)
        except ValueError:
            return text
    return text
