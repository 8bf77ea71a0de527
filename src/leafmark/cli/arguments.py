"""Command-line arguments to the words and option values of one command.

Options are known whole: `--lim` is not `--limit`, `-n5` and `-qv` are not taken
apart, so that a typing mistake or a negated query word is never read as an
option. `--` ends the options. Options and words may be mixed in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leafmark.cli.options import COMMON, Command, Option
from leafmark.errors import UsageError
from leafmark.suggest import choices_hint, nearest

__all__ = ["parse_arguments", "split_command", "wants_json"]

_OUTPUT = ("-o", "--output")
_JSON_FORMATS = ("json", "jsonl")


def split_command(argv: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the command's name and all other arguments, options before the command first.

    Raises:
        UsageError: an option before the command is none that every command has.
    """
    common = {name: option for option in COMMON for name in option.names}
    at = 0
    while at < len(argv):
        argument = argv[at]
        name = argument.partition("=")[0]
        if not argument.startswith("-") or argument in ("-", "--"):
            return argument, [*argv[:at], *argv[at + 1 :]]
        if name not in common and name != "--json":
            raise _misplaced(name)
        takes_next = name in common and common[name].metavar and "=" not in argument
        at += 2 if takes_next else 1
    return None, list(argv)


def _misplaced(name: str) -> UsageError:
    return UsageError(
        f"there is no option `{name}` before a command",
        hint="options stand after the command: leafmark COMMAND [OPTION...]; "
        "`leafmark help` lists the commands",
    )


def wants_json(argv: Sequence[str]) -> bool:
    """Whether the arguments ask for JSON, however wrong the rest of them may be."""
    for at, argument in enumerate(argv):
        if argument == "--":
            break
        name, _, value = argument.partition("=")
        if argument in ("--json", "--jsonl") or (name in _OUTPUT and value in _JSON_FORMATS):
            return True
        if argument in _JSON_FORMATS and at and argv[at - 1] in _OUTPUT:
            return True
    return False


def parse_arguments(
    command: Command, arguments: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the words and the option values, by `Option.dest`.

    Raises:
        UsageError: an unknown option, a missing or wrong value, too few or too many words.
    """
    known = {name: option for option in command.all_options for name in option.names}
    words: list[str] = []
    values: dict[str, Any] = {}
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        at += 1
        if argument == "--":
            words += arguments[at:]
            break
        if _is_word(argument, command, first=not words):
            words.append(argument)
            continue
        name, equals, value = argument.partition("=")
        if name not in known:
            raise _unknown_option(command, argument, known, bool(words))
        option = known[name]
        if option.metavar is None:
            _set_switch(option, name, equals, values)
            continue
        if not equals:
            value = _next_value(arguments, at, name, option, known)
            at += 1
        _set_value(option, name, value, values)
    if not values.get("help"):
        _check_words(command, words)
    return tuple(words), values


def _is_word(argument: str, command: Command, *, first: bool) -> bool:
    """Whether an argument is no option: a whole query in quotes may begin with `-`."""
    if argument == "-" or not argument.startswith("-"):
        return True
    return first and command.is_query and " " in argument.partition("=")[0]


def _set_switch(option: Option, name: str, equals: str, values: dict[str, Any]) -> None:
    if equals:
        raise UsageError(f"{name} takes no value")
    values[option.dest] = option.value


def _set_value(option: Option, name: str, value: str, values: dict[str, Any]) -> None:
    read = option.read(value, name) if option.read else value
    if option.repeat:
        values.setdefault(option.dest, []).append(read)
    else:
        values[option.dest] = read


def _next_value(
    arguments: Sequence[str], at: int, name: str, option: Option, known: dict[str, Option]
) -> str:
    if at >= len(arguments) or arguments[at].partition("=")[0] in known or arguments[at] == "--":
        raise UsageError(
            f"{name} needs a value",
            hint=f"write {name} {option.metavar}",
        )
    return arguments[at]


def _unknown_option(
    command: Command, argument: str, known: dict[str, Option], after_word: bool
) -> UsageError:
    name = argument.partition("=")[0]
    if name[:2] in known and not name.startswith("--"):
        apart = f"`{name[:2]} {argument[2:]}`"
    else:
        near = nearest(name, known) if name.startswith("--") else []
        apart = f"`{near[0]}`" if near else ""
    if command.is_query and after_word:
        hint = "put the whole query in quotes"
        hint += ", or write -- before it" if name.startswith("--") else " to leave out a word"
        hint += f"; for the option write {apart}" if apart else ""
        return UsageError(
            f"`{argument}` is not an option, and may be meant as a part of the query",
            hint=hint,
        )
    hint = f"did you mean {apart}?" if apart else f"leafmark {command.name} --help lists them"
    if command.is_query:
        hint += " Or write" if apart else ", or write"
        hint += " -- before it, if it is a part of the query"
    return UsageError(f"there is no option `{name}`", hint=hint)


def _check_words(command: Command, words: Sequence[str]) -> None:
    expected = command.argument
    least, most = (expected.least, expected.most) if expected else (0, 0)
    if len(words) < least and expected:
        raise UsageError(
            f"`leafmark {command.name}` needs {expected.name}",
            hint=f"for example: {command.examples[0][0]}",
        )
    if most is not None and len(words) > most:
        raise UsageError(
            f"`leafmark {command.name}` does not take `{words[most]}`",
            hint=f"leafmark {command.name} --help shows what it takes",
        )
    if expected and expected.choices and words and words[0] not in expected.choices:
        hint = choices_hint(words[0], expected.choices)
        raise UsageError(f"`leafmark {command.name}` does not know `{words[0]}`", hint=hint)
