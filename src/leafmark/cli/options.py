"""What a command accepts, as a table: parsing, help, completion and docs/cli.md all read it.

A table of our own rather than argparse: options may stand anywhere among the
words of a query, a mistyped `-word` must never be taken apart into options, and
help must read the same under every version of Python. Named tuples rather than
data classes here and in `render`: they are made in a quarter of the time, and
every run of the command pays for making them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from leafmark.errors import UsageError
from leafmark.suggest import choices_hint

if TYPE_CHECKING:
    from leafmark.cli.console import Console

__all__ = [
    "ALIASES",
    "COMMON",
    "EXPAND",
    "INTERRUPTED",
    "JSON",
    "NO_REFRESH",
    "SET",
    "TAG",
    "Argument",
    "Call",
    "Command",
    "Option",
    "exclude_each_other",
    "natural",
    "number",
    "one_of",
    "positive",
    "setting_option",
    "several_of",
    "text",
    "whole",
]

ALIASES = {"update": "index", "get": "show", "show-chunk": "show", "show-resource": "show"}
"""Other names of commands."""

INTERRUPTED = 130
"""The exit code of a command that the user ended, as shells have it."""

Read = Callable[[str, str], Any]
"""From the text after an option, and the option's name for errors, to a value."""


class Option(NamedTuple):
    """One option. `names` are its spellings, the long one last; without `metavar` it is a switch.

    `read` turns the text after it into a value, and gets the option's name for
    its errors. `value` is what a switch sets. Several options may set one
    `target`. `setting` names the configuration setting that the option stands for.
    """

    names: tuple[str, ...]
    help: str
    metavar: str | None = None
    read: Read | None = None
    value: Any = True
    target: str = ""
    repeat: bool = False
    choices: tuple[str, ...] = ()
    setting: str | None = None

    @property
    def dest(self) -> str:
        return self.target or self.names[-1].lstrip("-").replace("-", "_")


class Argument(NamedTuple):
    """The words that a command takes: from `least` to `most` of them (None: any number)."""

    name: str
    help: str
    least: int = 0
    most: int | None = None
    choices: tuple[str, ...] = ()


class Command(NamedTuple):
    """One command. `examples` are pairs of a command line and what it is for.

    With `is_query`, its words are a query, in which a `-word` after the first
    word would be ambiguous and is refused.
    """

    name: str
    summary: str
    description: str
    examples: tuple[tuple[str, str], ...]
    run: Callable[[Call], int]
    argument: Argument | None = None
    options: tuple[Option, ...] = ()
    is_query: bool = False

    @property
    def aliases(self) -> tuple[str, ...]:
        return tuple(alias for alias, name in ALIASES.items() if name == self.name)

    @property
    def all_options(self) -> tuple[Option, ...]:
        return self.options + COMMON


class Call(NamedTuple):
    """One command as called: its words, its options' values, and where it talks to."""

    words: tuple[str, ...]
    values: Mapping[str, Any]
    console: Console
    settings: Mapping[str, object]

    def on(self, name: str) -> bool:
        """Whether a switch was given."""
        return bool(self.values.get(name))


def exclude_each_other(call: Call, pairs: Iterable[tuple[str, str]]) -> None:
    """Refuse the first pair of options, by `Option.dest`, of which both were given.

    Raises:
        UsageError: there is one.
    """
    for pair in pairs:
        if all(name in call.values for name in pair):
            one, other = (f"--{name.replace('_', '-')}" for name in pair)
            raise UsageError(f"{one} and {other} exclude each other")


def text(value: str, name: str) -> str:
    return value


def natural(value: str, name: str) -> int:
    return _whole(value, name, least=0)


def positive(value: str, name: str) -> int:
    return _whole(value, name, least=1)


def whole(least: int, most: int) -> Read:
    """Return a reader of whole numbers from `least` to `most`."""
    return partial(_whole, least=least, most=most)


_DIGITS = 10
"""A number of so many digits is above any that an option takes."""


def _whole(value: str, name: str, *, least: int, most: int | None = None) -> int:
    is_number = value.isascii() and value.isdigit()
    if is_number and most is None and len(value) >= _DIGITS:
        most = 10 ** (_DIGITS - 1) - 1
    is_within = is_number and len(value) < _DIGITS and least <= int(value)
    if not is_within or (most is not None and int(value) > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise UsageError(f"{name} got `{value}`, which is not a whole number {bounds}")
    return int(value)


def number(value: str, name: str) -> float:
    """Read a number that is not negative."""
    is_plain = value.isascii() and "_" not in value  # `float` reads 0_1 as 1
    try:
        read = float(value) if is_plain else -1.0
    except ValueError:
        read = -1.0
    if not 0 <= read < float("inf"):
        raise UsageError(f"{name} got `{value}`, which is not a number of at least 0")
    return read


def one_of(*choices: str) -> Callable[[str, str], str]:
    """Return a reader that takes exactly these words."""

    def read(value: str, name: str) -> str:
        if value in choices:
            return value
        raise UsageError(f"{name} got `{value}`", hint=choices_hint(value, choices))

    return read


def several_of(*choices: str) -> Callable[[str, str], tuple[str, ...]]:
    """Return a reader of words with commas between them, each taken once."""
    one = one_of(*choices)

    def read(value: str, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one(word.strip(), name) for word in value.split(",")))

    return read


def setting_option(table: str, name: str, help: str, metavar: str, read: Read) -> Option:
    """Return the option for the setting `name` of a table, spelt like it: `--min-tokens`."""
    flag = "--" + name.replace("_", "-")
    return Option((flag,), help, metavar, read, setting=f"{table}.{name}")


RELATIONS = ("parent", "siblings", "children", "prev", "next")

EXPAND = Option(
    ("--expand",),
    "Also show the chunks around each one; separate several with commas.",
    "WHAT",
    several_of(*RELATIONS),
    choices=RELATIONS,
)

TAG = Option(
    ("--tag",), "Only documents that have this tag, or all of several.", "TAG", text, repeat=True
)

NO_REFRESH = Option(("--no-refresh",), "Do not bring the index up to date first.")

SET = Option(
    ("--set",),
    "Override a setting or a constant of the ranking for this run, as in cutoff_ratio=0.3.",
    "NAME=VALUE",
    text,
    repeat=True,
)

COLORS = ("auto", "always", "never")

COMMON = (
    Option(("-C", "--directory"), "Work in this folder instead of the current one.", "DIR", text),
    Option(
        ("--color",),
        "When to use colour; auto is on a terminal only.",
        "WHEN",
        one_of(*COLORS),
        choices=COLORS,
    ),
    Option(("-y", "--yes"), "Answer yes to every question."),
    Option(("-q", "--quiet"), "Print no notes, hints or progress on standard error."),
    Option(("-v", "--verbose"), "Print every note and diagnostic."),
    Option(("-h", "--help"), "Show examples and options."),
)

JSON = Option(("--json",), "Print JSON, errors too.")
