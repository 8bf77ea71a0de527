"""Read and check one configuration file: its settings, trees and rules, each with its line.

An error names the line, its value and the accepted values. `config` merges the files.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from leafmark.app.settings import CONSTANTS, SETTINGS, TABLES
from leafmark.app.sources.ignore import MAX_RULE_CHARS, MAX_RULES, MAX_WILDCARDS, wildcard_count
from leafmark.errors import ConfigError, Remedy, reason_of
from leafmark.model import TREE_NAME
from leafmark.model.option_types import check_value
from leafmark.namedtuples import NamedTuple
from leafmark.parsing import format_names
from leafmark.patterns import lazy_pattern
from leafmark.suggest import nearest

if TYPE_CHECKING:
    from leafmark.lint import Level

MAX_CONFIG_BYTES = 262_144
"""The largest configuration file read."""

MAX_TREES = 100
"""The largest number of trees in one file: each is walked separately."""

_TOP_KEYS = ("root", "tree", *TABLES, "context", "lint")
_TREE_KEYS = ("path", "include", "exclude", "formats", *TABLES)
_RULE_KEYS = ("match", "terms", "trees", "files")
PYPROJECT_NAME = "pyproject.toml"
_SUFFIX = lazy_pattern(r"(?:\.[^./\\\s]+)+")
_PYPROJECT: KeyPath = ("tool", "leafmark")


class PlacedValue(NamedTuple):
    """A value and its place (`path:line`, a variable, a flag)."""

    value: Any
    location: str


class ContextRule(NamedTuple):
    """Additions to `leafmark context` for files that match a pattern in `match` (none: all)."""

    match: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class TreeTable(NamedTuple):
    """One `[tree.NAME]` of one file; absent keys are None or missing."""

    name: str
    location: str
    path: PlacedValue | None = None
    include: PlacedValue | None = None
    exclude: PlacedValue | None = None
    formats: Mapping[str, PlacedValue] = MappingProxyType({})
    values: Mapping[str, PlacedValue] = MappingProxyType({})


class ConfigFile(NamedTuple):
    """The content of one file. `own` files are the user's and need no trust.

    A project's file is `trusted` if the user approved all settings that reach beyond its folder.
    """

    path: Path
    own: bool
    trusted: bool = False
    is_root: bool = False
    values: Mapping[str, PlacedValue] = MappingProxyType({})
    trees: tuple[TreeTable, ...] = ()
    rules: tuple[ContextRule, ...] = ()
    lint: Mapping[str, PlacedValue] = MappingProxyType({})


def read_config_file(path: Path, *, own: bool) -> ConfigFile | None:
    """Read `path`; None for a `pyproject.toml` without `[tool.leafmark]`.

    Raises:
        ConfigError: the file cannot be read, is not TOML, or has an unknown key or a wrong value.
    """
    data = _read_bytes(path)
    is_pyproject = path.name == PYPROJECT_NAME
    # errors in the file of another tool are not ours to report
    if is_pyproject and b"leafmark" not in data:
        return None
    text = _decode(path, data)
    content = _parse(path, text)
    above: KeyPath = ()
    if is_pyproject:
        tools = content.get("tool")
        if not isinstance(tools, dict) or "leafmark" not in tools:
            return None
        content, above = tools["leafmark"], _PYPROJECT
    return _Reader(path, own, above, key_lines(text)).read(content)


def _read_bytes(path: Path) -> bytes:
    try:
        # reading would wait for the writer of a pipe
        if not stat.S_ISREG(path.stat().st_mode):
            raise ConfigError("the configuration is not a regular file", location=str(path))
        with open(path, "rb") as file:
            return file.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        raise ConfigError(
            f"the configuration cannot be read: {reason_of(error)}", location=str(path)
        ) from error


def _decode(path: Path, data: bytes) -> str:
    if len(data) > MAX_CONFIG_BYTES:
        raise ConfigError(
            "the configuration is too large",
            location=str(path),
            hint=f"the limit is {MAX_CONFIG_BYTES:,} bytes",
        )
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"the configuration is not UTF-8 (byte 0x{data[error.start]:02x})",
            location=f"{path}:{line}",
        ) from error


def _parse(path: Path, text: str) -> dict[str, Any]:
    from leafmark.parsing.frontmatter import load_toml  # late: many folders have no file

    try:
        return load_toml(text)
    except RecursionError as error:
        raise ConfigError("values are nested too deeply", location=str(path)) from error
    except ValueError as error:  # also for a number of thousands of digits
        raise _syntax_error(path, text, str(error)) from error


_BACKSLASH_HINT = "in double quotes `\\\\` is one `\\`: write a path with `/`, or in single quotes"
_BACKSLASH_MESSAGES = ("Unescaped '\\' in a string", "Invalid hex value")
"""Python's messages for a Windows path in double quotes, by the letter after the backslash."""


def _syntax_error(path: Path, text: str, problem: str) -> ConfigError:
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", problem)
    if place is None:
        return ConfigError(f"this is not TOML: {problem}", location=str(path))
    line = int(place[1] or text.count("\n") + 1)
    where = f"{path}:{line}"
    repeated = repeated_table(text, line)
    if repeated is not None:
        return ConfigError(
            f"[{repeated}] is defined a second time", location=where, hint="join the two tables"
        )
    message = problem[: place.start()]
    return ConfigError(
        f"this is not TOML: {message[:1].lower()}{message[1:]}",
        location=f"{where}:{place[2]}" if place[2] else where,
        hint=_BACKSLASH_HINT if message in _BACKSLASH_MESSAGES else None,
    )


class _Reader:
    """Checks one parsed file; knows the line of each key."""

    def __init__(self, path: Path, own: bool, above: KeyPath, lines: Mapping[KeyPath, int]):
        self._path = path
        self._own = own
        self._above = above
        self._lines = lines

    def read(self, content: object) -> ConfigFile:
        table = self._table(content, ())
        self._check_keys(table, _TOP_KEYS, ())
        is_root = table.get("root", False)
        if not isinstance(is_root, bool):
            raise self._wrong(("root",), is_root, "true or false")
        return ConfigFile(
            path=self._path,
            own=self._own,
            is_root=is_root,
            values=self._settings(table, ()),
            trees=self._trees(table.get("tree", {})),
            rules=self._rules(table.get("context", {})),
            lint=dict(self._lint(table.get("lint", {}))),
        )

    def _at(self, keys: KeyPath) -> str:
        line = find_line(self._lines, (*self._above, *keys))
        return str(self._path) if line is None else f"{self._path}:{line}"

    def _wrong(self, keys: KeyPath, value: object, accepted: str) -> ConfigError:
        name = ".".join(key for key in keys if isinstance(key, str))
        kind = "a table" if isinstance(value, dict) else repr(value)
        shown = kind if len(kind) <= 60 else kind[:57] + "..."
        return ConfigError(
            f"{name or 'the configuration'} is {shown}",
            location=self._at(keys),
            hint=f"{name or 'it'} must be {accepted}",
        )

    def _table(self, value: object, keys: KeyPath) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._wrong(keys, value, "a table")
        return value

    def _check_keys(self, table: Iterable[str], known: Iterable[str], keys: KeyPath) -> None:
        choices = list(known)
        for key in table:
            if key not in choices:
                raise self._unknown_key(key, choices, keys)

    def _unknown_key(self, key: str, known: list[str], keys: KeyPath) -> ConfigError:
        near = nearest(key, known)
        hint = f"did you mean `{near[0]}`?" if near else "known here: " + ", ".join(known)
        name = ".".join([*(part for part in keys if isinstance(part, str)), key])
        if keys and f"{keys[-1]}.{key}" in CONSTANTS:
            constant = CONSTANTS[f"{keys[-1]}.{key}"]
            variable = constant.environment_name
            hint = Remedy(
                "constant",
                f"set it for one run: the variable {variable}",
                name=constant.name,
                variable=variable,
            )
        return ConfigError(f"unknown key `{name}`", location=self._at((*keys, key)), hint=hint)

    def _settings(self, above: Mapping[str, object], keys: KeyPath) -> dict[str, PlacedValue]:
        """Check the settings in the tables below the one at `keys`."""
        return {
            name: placed
            for table in TABLES
            if table in above
            for name, placed in self._settings_of(table, above[table], (*keys, table))
        }

    def _settings_of(
        self, name: str, value: object, keys: KeyPath
    ) -> Iterator[tuple[str, PlacedValue]]:
        table = self._table(value, keys)
        own = [n.partition(".")[2] for n in SETTINGS if n.startswith(f"{name}.")]
        self._check_keys(table, own, keys)
        for key, raw in table.items():
            setting, location = SETTINGS[f"{name}.{key}"], self._at((*keys, key))
            value = check_value(setting, raw, location=location)
            yield setting.name, PlacedValue(value, location)

    def _trees(self, value: object) -> tuple[TreeTable, ...]:
        tables = self._table(value, ("tree",))
        if len(tables) > MAX_TREES:
            raise ConfigError(
                f"there are {len(tables):,} trees",
                location=self._at(("tree",)),
                hint=f"the limit for one file is {MAX_TREES}",
            )
        return tuple(self._tree(name, table) for name, table in tables.items())

    def _tree(self, name: str, value: object) -> TreeTable:
        keys = ("tree", name)
        if not TREE_NAME.fullmatch(name):
            raise ConfigError(
                f'a tree cannot be called "{name}"',
                location=self._at(keys),
                hint="the name of a tree has only letters A-Z and a-z, digits, `.`, `_` and `-`",
            )
        table = self._table(value, keys)
        self._check_keys(table, _TREE_KEYS, keys)
        values = self._settings(table, keys)
        for setting in values:
            if not SETTINGS[setting].option.per_tree:
                raise _not_for_one_tree(setting, values[setting].location)
        return TreeTable(
            name=name,
            location=self._at(keys),
            path=self._path_of(table, keys),
            include=self._patterns(table, (*keys, "include")),
            exclude=self._patterns(table, (*keys, "exclude")),
            formats=self._formats(table, (*keys, "formats")),
            values=values,
        )

    def _path_of(self, table: Mapping[str, object], keys: KeyPath) -> PlacedValue | None:
        if "path" not in table:
            return None
        path = table["path"]
        if not isinstance(path, str) or not path or "\0" in path:
            raise self._wrong((*keys, "path"), path, "the path of a folder")
        return PlacedValue(path, self._at((*keys, "path")))

    def _patterns(self, table: Mapping[str, object], keys: KeyPath) -> PlacedValue | None:
        key = str(keys[-1])
        if key not in table:
            return None
        patterns = self._texts(table[key], keys)
        if len(patterns) > MAX_RULES:
            raise self._wrong(keys, f"{len(patterns)} patterns", f"at most {MAX_RULES} patterns")
        if sum(map(wildcard_count, patterns)) > MAX_WILDCARDS:
            raise self._wrong(keys, "too many wildcards", f"at most {MAX_WILDCARDS:,} wildcards")
        for pattern in patterns:
            if not pattern or len(pattern) > MAX_RULE_CHARS:
                raise self._wrong(keys, pattern, f"patterns of 1 to {MAX_RULE_CHARS} characters")
            if key == "include" and pattern.startswith("!"):
                raise ConfigError(
                    f'`include` contains "{pattern}"',
                    location=self._at(keys),
                    hint=f'leave files out with `exclude`: exclude = ["{pattern[1:]}"]',
                )
        return PlacedValue(patterns, self._at(keys))

    def _formats(self, above: Mapping[str, object], keys: KeyPath) -> dict[str, PlacedValue]:
        """Return the checked formats of suffixes in a tree: `".txt" = "rst"`."""
        formats = {}
        names = format_names() if "formats" in above else []
        for suffix, name in self._table(above.get("formats", {}), keys).items():
            here = (*keys, suffix)
            if not _SUFFIX.fullmatch(suffix):
                raise ConfigError(
                    f'"{suffix}" is not the suffix of a file',
                    location=self._at(here),
                    hint='a suffix begins with a dot: ".txt"',
                )
            if not isinstance(name, str) or name not in names:
                raise self._wrong(here, name, f"the name of a format: {', '.join(names)}")
            formats[suffix.lower()] = PlacedValue(name, self._at(here))
        return formats

    def _texts(self, value: object, keys: KeyPath) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(keys, value, "a list of texts")
        return tuple(value)

    def _rules(self, value: object) -> tuple[ContextRule, ...]:
        table = self._table(value, ("context",))
        self._check_keys(table, ("rules",), ("context",))
        rules = table.get("rules", [])
        if not isinstance(rules, list):
            raise self._wrong(("context", "rules"), rules, "a list of tables")
        return tuple(self._rule(number, rule) for number, rule in enumerate(rules))

    def _lint(self, value: object) -> Iterator[tuple[str, PlacedValue]]:
        table = self._table(value, ("lint",))
        self._check_keys(table, LINT_KEYS, ("lint",))
        raw_values: dict[KeyPath, object] = {
            (key,): raw for key, raw in table.items() if key != "rules"
        }
        if "rules" in table:
            rules = self._table(table["rules"], ("lint", "rules"))
            self._check_keys(rules, rule_names(), ("lint", "rules"))
            raw_values |= {("rules", rule): level for rule, level in rules.items()}
        for keys, raw in raw_values.items():
            name, location = ".".join(map(str, keys)), self._at(("lint", *keys))
            read = read_lint_value(name, raw, self._path, own=self._own, location=location)
            yield name, PlacedValue(read, location)

    def _rule(self, number: int, value: object) -> ContextRule:
        keys: KeyPath = ("context", "rules", number)
        table = self._table(value, keys)
        self._check_keys(table, _RULE_KEYS, keys)
        return ContextRule(
            **{key: self._texts(texts, (*keys, key)) for key, texts in table.items()}
        )


def _not_for_one_tree(name: str, location: str) -> ConfigError:
    return ConfigError(
        f"{name} cannot be set for one tree",
        location=location,
        hint=f"set it for all trees, in [{name.partition('.')[0]}]",
    )


# The lines of the keys of a TOML file, which the standard parser does not give: the line of every
# table header and of every key outside inline tables, recognized by the beginning of the line.

KeyPath = tuple[str | int, ...]
"""The path to a value: names, and positions in arrays of tables."""

_LONG_TEXT = lazy_pattern(r'''"""(?:\\.|[^\\])*?"""|\'{3}.*?\'{3}''', re.DOTALL)
_NAME = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
_NAMES = rf"{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*"
_EACH_NAME = lazy_pattern(_NAME)
_HEADER = lazy_pattern(rf"[ \t]*(\[\[?)[ \t]*({_NAMES})[ \t]*\]+[ \t\r]*(?:#|$)")
_KEY = lazy_pattern(rf"[ \t]*({_NAMES})[ \t]*=")
_HEADER_LINE = lazy_pattern(r"\s*\[(?!\[)([^\]\n]*)\]")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the 1-based line of each header and key.

    >>> key_lines('[search]\\nlimit = 5\\n\\n[[context.rules]]\\nterms = [\\n"a"]\\n')
    {('search',): 1, ('search', 'limit'): 2, ('context', 'rules', 0): 4, \
('context', 'rules', 0, 'terms'): 5}
    """
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    without = _LONG_TEXT.sub(lambda match: "\n" * match[0].count("\n"), text)
    for number, line in enumerate(without.split("\n"), start=1):
        if header := _HEADER.match(line):
            table = _located(_names(header[2]), counts)
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_names(key[1])), number)
    return lines


def _names(dotted: str) -> list[str]:
    return [_unquoted(name) for name in _EACH_NAME.findall(dotted)]


def _located(keys: Sequence[str], counts: Mapping[KeyPath, int]) -> KeyPath:
    """Insert the positions in arrays of tables into a header's path."""
    path: KeyPath = ()
    for number, key in enumerate(keys):
        path = (*path, key)
        if path in counts and number < len(keys) - 1:
            path = (*path, counts[path])
    return path


def _unquoted(key: str) -> str:
    if key[0] not in "\"'":
        return key
    if "\\" not in key:
        return key[1:-1]
    import tomllib  # late: few files have such a key, and many searches no file

    return str(tomllib.loads(f"key = {key}")["key"])


def find_line(lines: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """Return the line of `path`, or of the nearest table or key around it."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


def repeated_table(text: str, line: int) -> str | None:
    """Return the name in the table header on `line` (1-based) if an earlier line has the same.

    The file need not parse: only header lines count.

    >>> repeated_table("[tree.a]\\n[ tree.a ]", 2)
    'tree.a'
    """
    rows = text.split("\n")[:line]
    names = [re.sub(r"\s", "", match[1]) for row in rows if (match := _HEADER_LINE.match(row))]
    if not rows or not _HEADER_LINE.match(rows[-1]):
        return None
    return names[-1] if names[-1] in names[:-1] else None


# `[lint]`. Its rules and levels are those of `leafmark.lint`, which is imported only if a file has
# the table. Nearer files win, key by key.

RULES = "rules"
"""The table in which each rule has a level, or is `off`."""

OFF = "off"
NEVER = "never"

LINT_KEYS: Mapping[str, str] = MappingProxyType(
    {
        RULES: "the level of each rule, or `off`",
        "ignore": "patterns of paths without findings",
        "baseline": "the file of known findings",
        "fail_on": "the least severe level that gives exit code 1",
    }
)
"""The keys of the table, and their meanings."""


class LintSettings(NamedTuple):
    """The configuration of lint; `levels` has no rule that is off."""

    levels: Mapping[str, Level] = {}
    off: frozenset[str] = frozenset()
    ignore: tuple[str, ...] = ()
    baseline: Path | None = None
    fail_on: Level | Literal["never"] | None = None


def rule_names() -> list[str]:
    """Return the names of all rules."""
    from leafmark.lint import RULES as KNOWN

    return list(KNOWN)


def read_lint_value(name: str, value: object, path: Path, *, own: bool, location: str) -> Any:
    """Return the checked value of a key, by its name below `lint` (`rules.broken-link`, `ignore`).

    Raises:
        ConfigError: it is of another type, no level, or leads out of the folder.
    """
    from leafmark.lint import LEVELS

    if name == "ignore":
        if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
            return tuple(value)
        raise _wrong_lint_value(name, value, "a list of patterns", location)
    if name == "baseline":
        if isinstance(value, str) and value and "\0" not in value:
            return _baseline(value, path, own=own, location=location)
        raise _wrong_lint_value(name, value, "the path of a file", location)
    choices = (*LEVELS, NEVER if name == "fail_on" else OFF)
    if isinstance(value, str) and value in choices:
        return value
    raise _wrong_lint_value(name, value, f"one of: {', '.join(choices)}", location)


def _wrong_lint_value(name: str, value: object, accepted: str, location: str) -> ConfigError:
    shown = "a table" if isinstance(value, dict) else repr(value)[:60]
    return ConfigError(
        f"lint.{name} is {shown}", location=location, hint=f"lint.{name} must be {accepted}"
    )


def _baseline(value: str, path: Path, *, own: bool, location: str) -> Path:
    """Return the path of the baseline; a project's file must name one in its own folder."""
    baseline = path.parent / (os.path.expanduser(value) if own else value)
    if not own and not Path(os.path.realpath(baseline)).is_relative_to(
        os.path.realpath(path.parent)
    ):
        raise ConfigError(
            "lint.baseline leads out of the folder",
            location=location,
            hint=Remedy("baseline", "put it into the folder of the configuration"),
        )
    return baseline


def lint_settings(values: Mapping[str, Any]) -> LintSettings:
    """Return the settings of values by name (`rules.broken-link`, `ignore`)."""
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
