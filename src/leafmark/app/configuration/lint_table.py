"""`[lint]` in a configuration file: levels of rules, rules that are off, paths, a baseline.

The names of rules and levels are those of `leafmark.lint`, which is imported only where a file
has the table. Nearer files win, key by key.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from leafmark.errors import ConfigError
from leafmark.namedtuples import NamedTuple

if TYPE_CHECKING:
    from leafmark.lint import Level

RULES = "rules"
"""The table in which each rule has a level, or is `off`."""

OFF = "off"
NEVER = "never"


LINT_KEYS: Mapping[str, str] = MappingProxyType(
    {
        RULES: "the level of each rule, or `off`",
        "ignore": "patterns of paths of which nothing is told",
        "baseline": "the file of findings that are known",
        "fail_on": "the least severe level that makes exit code 1",
    }
)
"""The keys of the table, and what each is."""


class LintSettings(NamedTuple):
    """What lint is configured to do; `levels` has no rule that is off."""

    levels: Mapping[str, Level] = {}
    off: frozenset[str] = frozenset()
    ignore: tuple[str, ...] = ()
    baseline: Path | None = None
    fail_on: Level | Literal["never"] | None = None


def rule_names() -> list[str]:
    """Return the rules that there are."""
    from leafmark.lint import RULES as KNOWN

    return list(KNOWN)


def read_lint_value(name: str, value: object, path: Path, *, own: bool, location: str) -> Any:
    """Return a value by its name below `lint` (`rules.broken-link`, `ignore`), checked.

    Raises:
        ConfigError: it is of another kind, no level, or leads out of the folder.
    """
    from leafmark.lint import LEVELS

    if name == "ignore":
        if isinstance(value, list) and all(isinstance(one, str) and one for one in value):
            return tuple(value)
        raise _wrong(name, value, "a list of patterns", location)
    if name == "baseline":
        if isinstance(value, str) and value and "\0" not in value:
            return _baseline(value, path, own=own, location=location)
        raise _wrong(name, value, "the path of a file", location)
    choices = (*LEVELS, NEVER if name == "fail_on" else OFF)
    if isinstance(value, str) and value in choices:
        return value
    raise _wrong(name, value, f"one of: {', '.join(choices)}", location)


def _wrong(name: str, value: object, accepted: str, location: str) -> ConfigError:
    shown = "a table" if isinstance(value, dict) else repr(value)[:60]
    return ConfigError(
        f"lint.{name} is {shown}", location=location, hint=f"lint.{name} must be {accepted}"
    )


def _baseline(value: str, path: Path, *, own: bool, location: str) -> Path:
    """Return where the baseline lies; that of a file that came with a folder is in the folder."""
    found = path.parent / (os.path.expanduser(value) if own else value)
    if not own and not Path(os.path.realpath(found)).is_relative_to(os.path.realpath(path.parent)):
        raise ConfigError(
            "lint.baseline leads out of the folder",
            location=location,
            hint="keep it beside the configuration, or name it with --baseline",
        )
    return found


def lint_settings(values: Mapping[str, Any]) -> LintSettings:
    """Return the settings that some values by name (`rules.broken-link`, `ignore`) come to."""
    rules = {
        name.partition(".")[2]: level
        for name, level in values.items()
        if name.startswith(f"{RULES}.")
    }
    return LintSettings(
        levels={rule: level for rule, level in rules.items() if level != OFF},
        off=frozenset(rule for rule, level in rules.items() if level == OFF),
        ignore=values.get("ignore", ()),
        baseline=values.get("baseline"),
        fail_on=values.get("fail_on"),
    )
