"""The commands with their options and arguments, for running, help, completion and docs/cli.md.

Commands, options and contexts are click's. Three rules are ours. Options must be written in full
and may stand anywhere: `--lim` is not `--limit`, and a short option may be joined to a number
(`-n5`) but to no other value (`-tdocs`), so that a typing mistake or a negated word of a query is
never read as an option. The common options may also stand before the command. And mistakes raise
leafmark's own errors, with a hint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from leafmark.errors import ConfigError, UsageError
from leafmark.model.option_types import Declaration, parse_value
from leafmark.model.option_types import Option as Bounds
from leafmark.suggest import choices_hint, nearest

if TYPE_CHECKING:
    from leafmark.cli.console import Call

Complete = Callable[[click.Context, str], Iterable[str]]
"""From the context of the command line, and the beginning of a value, to complete values."""


class Choice(click.Choice[str]):
    """One of a few words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            raise UsageError(
                f"{_name(param)} got `{value}`", hint=choices_hint(value, self.choices)
            )
        return str(value)


class Several(click.ParamType[tuple[str, ...]]):
    """Some of a few words, separated by commas, without repetitions."""

    name = "several"

    def __init__(self, choices: Sequence[str]):
        self.choice = Choice(choices)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        words = (self.choice.convert(word.strip(), param, ctx) for word in value.split(","))
        return tuple(dict.fromkeys(words))

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        before, comma, word = incomplete.rpartition(",")
        matches = (choice for choice in self.choice.choices if choice.startswith(word))
        return [CompletionItem(f"{before}{comma}{choice}") for choice in matches]


class Number(click.ParamType[object]):
    """A number within the bounds of a declaration."""

    name = "number"

    def __init__(self, setting: Declaration):
        self.setting = setting

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        try:
            return parse_value(self.setting, value, location=None)
        except ConfigError:
            accepted = self.setting.accepted
            raise UsageError(f"{_name(param)} got `{value}`, which is not {accepted}") from None


def at_least(least: int) -> Number:
    """Return the type of a whole number of at least `least`, without a setting."""
    return Number(Declaration("", 0, int, Bounds("", least=least)))


def _name(param: click.Parameter | None) -> str:
    return param.opts[-1] if param else "the value"


class Option(click.Option):
    """One option. `names` are its spellings, the long one last; without `metavar` it is a switch.

    `setting` names the setting that it changes. A `seldom` needed option is only named at the end
    of the help, and explained in docs/cli.md. `complete` returns the values for a shell's
    completion; `file` and `dir` leave it to the shell.
    """

    def __init__(  # noqa: PLR0913 - all but the names are keyword-only
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        type: click.ParamType[Any] | None = None,
        repeat: bool = False,
        dest: str | None = None,
        setting: str | None = None,
        complete: Complete | str | None = None,
        seldom: bool = False,
    ):
        dest = dest or names[-1].partition("/")[0].lstrip("-").replace("-", "_")
        kind = {"is_flag": True} if metavar is None else {"type": type, "multiple": repeat}
        super().__init__([*names, dest], help=help, metavar=metavar, **kind)
        self.setting = setting
        self.complete = complete
        self.seldom = seldom

    @property
    def spellings(self) -> tuple[str, ...]:
        return (*self.opts, *self.secondary_opts)

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it accepts; empty for other types."""
        kind = self.type.choice if isinstance(self.type, Several) else self.type
        return tuple(kind.choices) if isinstance(kind, click.Choice) else ()

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        if self.complete is None:
            return super().shell_complete(ctx, incomplete)
        return _completions(self.complete, ctx, incomplete)


class Argument(click.Argument):
    """The words of a command: from `least` to `most` of them (None: any number)."""

    def __init__(
        self,
        shown: str,
        help: str,
        *,
        least: int = 0,
        most: int | None = None,
        choices: Sequence[str] = (),
        complete: Complete | str | None = None,
    ):
        super().__init__(["words"], nargs=-1, required=False, metavar=shown)
        self.shown, self.about = shown, help
        self.least, self.most, self.choices = least, most, tuple(choices)
        self.complete = complete

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        if self.choices and not ctx.params.get("words"):
            matches = (choice for choice in self.choices if choice.startswith(incomplete))
            return [CompletionItem(choice) for choice in matches]
        return _completions(self.complete, ctx, incomplete) if self.complete else []


def _completions(
    complete: Complete | str, ctx: click.Context, incomplete: str
) -> list[CompletionItem[str]]:
    if isinstance(complete, str):
        return [CompletionItem(incomplete, type=complete)]
    return [CompletionItem(value) for value in complete(ctx, incomplete)]


def declared(
    setting: str,
    *names: str,
    metavar: str = "N",
    complete: Complete | str | None = None,
    in_force: bool = True,
    seldom: bool = False,
    off: bool = False,
    note: str = "",
) -> Option:
    """Return the option for the declaration `setting` (`chunking.min_tokens`).

    Without `names` it is spelt like the declaration: `--min-tokens`. Help, choices and bounds are
    the declaration's; a `note` for the command line follows the help. With `in_force`, the option
    changes the setting for this run; else the command passes its value on. With `off` it is the
    switch that turns the setting off: `--no-refresh`.
    """
    from leafmark.app.settings import DECLARED  # late: the overview of all commands has no options

    declaration = DECLARED[setting]
    kind: click.ParamType[Any] | None = None
    if declaration.choices:
        kind = (Several if declaration.is_list else Choice)(declaration.choices)
    elif declaration.kind in (int, float):
        kind = Number(declaration)
    key = f"no_{declaration.key}" if off else declaration.key
    return Option(
        *(names or (f"--{key.replace('_', '-')}",)),
        help=" ".join(filter(None, (_sentence(declaration, off), note))),
        metavar=None if declaration.kind is bool else metavar,
        type=kind,
        repeat=declaration.is_list and not declaration.choices,
        dest=key,
        setting=setting if in_force else None,
        complete=complete,
        seldom=seldom,
    )


def _sentence(declared: Declaration, off: bool) -> str:
    """Return the help of an option from its declaration; that of a number ends with the default."""
    sentence = declared.sentence(off=off)
    if declared.kind in (int, float):
        return f"{sentence.removesuffix('.')} ({declared.default})."
    return sentence


class Command(click.Command):
    """One command: a function with its declaration, built by `command`."""

    def __init__(
        self,
        run: Callable[[Call], int],
        *,
        name: str,
        examples: Sequence[tuple[str, str]],
        argument: Argument | None,
        options: Sequence[Option] | Callable[[], Sequence[Option]],
        is_query: bool,
    ):
        summary, _, description = cleandoc(run.__doc__ or "").partition("\n\n")
        super().__init__(name, help=description, short_help=summary, add_help_option=False)
        self.run, self.examples, self.argument, self.is_query = run, examples, argument, is_query
        self._options = options

    @property
    def summary(self) -> str:
        """The purpose of the command, to stand after its name."""
        text = str(self.short_help)
        return text[0].lower() + text[1:].rstrip(".")

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """Its own options."""
        return tuple(self._options() if callable(self._options) else self._options)

    @property
    def all_options(self) -> tuple[Option, ...]:
        return self.options + COMMON

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*self.all_options, *([self.argument] if self.argument else [])]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            options, words = self._split_arguments(args)
        except UsageError:
            if not ctx.resilient_parsing:  # completion works on an unfinished line
                raise
            options, words = [], []
        super().parse_args(ctx, [*options, *(["--", *words] if self.argument else [])])
        if not ctx.resilient_parsing and not ctx.params.get("help"):
            self._check_words(words)
        return []

    def _split_arguments(self, arguments: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the options, each with its value, and the words.

        Raises:
            UsageError: an option is unknown, or its value is missing.
        """
        known = {name: option for option in self.all_options for name in option.spellings}
        options: list[str] = []
        words: list[str] = []
        rest = iter(arguments)
        for argument in rest:
            if argument == "--":
                words += rest
            elif self._is_word(argument, known, first=not words):
                words.append(argument)
            else:
                name, equals, value = _split_option(argument, known)
                if name not in known:
                    raise self._unknown(argument, known, bool(words))
                options.append(name)
                if known[name].is_flag and equals:
                    raise UsageError(f"{name} takes no value")
                if not known[name].is_flag:
                    options.append(value if equals else _next_value(rest, known, name))
        return options, words

    def _is_word(self, argument: str, known: Mapping[str, Option], *, first: bool) -> bool:
        """Whether an argument is not an option: whole queries in quotes and ids may begin with `-`.

        The tree of a folder `über` is called `-ber`.
        """
        if argument == "-" or not argument.startswith("-"):
            return True
        name = argument.partition("=")[0]
        if self.is_query:
            return first and " " in name
        return ":" in name and name.partition(":")[0] not in known

    def _unknown(self, argument: str, known: Mapping[str, Option], after_word: bool) -> UsageError:
        name = argument.partition("=")[0]
        if name[:2] in known and not name.startswith("--"):
            guess = f"`{name[:2]} {argument[2:]}`"
        else:
            near = nearest(name, known) if name.startswith("--") else ()
            guess = f"`{near[0]}`" if near else ""
        if self.is_query and after_word:
            hint = "put the whole query in quotes"
            hint += ", or write -- before it" if name.startswith("--") else " to leave out a word"
            hint = f"did you mean {guess}? If not, {hint}" if guess else hint
            message = f"`{argument}` is not an option, and may be meant as a part of the query"
            return UsageError(message, hint=hint)
        hint = f"did you mean {guess}?" if guess else f"leafmark {self.name} --help lists them"
        if self.is_query:
            hint += " Or write" if guess else ", or write"
            hint += " -- before it, if it is a part of the query"
        return UsageError(f"there is no option `{name}`", hint=hint)

    def _check_words(self, words: Sequence[str]) -> None:
        expected = self.argument
        least, most = (expected.least, expected.most) if expected else (0, 0)
        if expected and len(words) < least:
            raise UsageError(
                f"`leafmark {self.name}` needs {expected.shown}",
                hint=f"for example: {self.examples[0][0]}",
            )
        if most is not None and len(words) > most:
            raise UsageError(
                f"`leafmark {self.name}` does not take `{words[most]}`",
                hint=f"leafmark {self.name} --help shows what it takes",
            )
        if expected and expected.choices and words and words[0] not in expected.choices:
            hint = choices_hint(words[0], expected.choices)
            raise UsageError(f"`leafmark {self.name}` does not know `{words[0]}`", hint=hint)


_IMPORTED: dict[str, Command] = {}
"""The commands of the imported modules, by name."""


def command(
    name: str,
    *,
    examples: Sequence[tuple[str, str]],
    argument: Argument | None = None,
    options: Sequence[Option] | Callable[[], Sequence[Option]] = (),
    is_query: bool = False,
) -> Callable[[Callable[[Call], int]], Command]:
    """Turn a function into a command; its docstring is the summary and the text of the help.

    `examples` are pairs of a command line and its purpose. With `is_query`, its words are a
    query, in which a `-word` after the first word would be ambiguous and is refused. `options`
    may be a function that builds them when they are needed.
    """

    def declare(run: Callable[[Call], int]) -> Command:
        _IMPORTED[name] = Command(
            run, name=name, examples=examples, argument=argument, options=options, is_query=is_query
        )
        return _IMPORTED[name]

    return declare


_MODULES = {
    "search": "search_commands",
    "show": "show_commands",
    "why-not": "search_commands",
    "context": "search_commands",
    "like": "search_commands",
    "verify": "show_commands",
    "diff": "evaluating",
    "log": "evaluating",
    "lint": "evaluating",
    "chunk": "chunk_command",
    "index": "managing",
    "migrate": "managing",
    "ls": "show_commands",
    "status": "managing",
    "doctor": "managing",
    "eval": "evaluating",
    "config": "managing",
    "init": "managing",
    "trust": "managing",
    "agents": "managing",
    "mcp": "serving",
    "serve": "serving",
    "completion": "completion",
    "help": "help",
}
"""The module of each command, in the order of the help; a run imports only its own."""

COMMANDS = tuple(_MODULES)
ALIASES = {"update": "index", "get": "show", "show-chunk": "show", "show-resource": "show"}
"""Other names of commands."""


def find_command(name: str) -> Command:
    """Return the command of this name or alias, importing only its own module.

    Raises:
        UsageError: there is none.
    """
    known = ALIASES.get(name, name)
    if known not in _MODULES:
        near = nearest(name, [*COMMANDS, *ALIASES])
        names = ", ".join(COMMANDS)
        hint = f"did you mean `leafmark {near[0]}`?" if near else f"there are: {names}"
        raise UsageError(f"there is no command `{name}`", hint=hint)
    import_module(f"leafmark.cli.{_MODULES[known]}")
    return _IMPORTED[known]


def given_values(ctx: click.Context) -> dict[str, Any]:
    """Return the values of the options on the command line."""
    return {
        name: value
        for name, value in ctx.params.items()
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


def _split_option(argument: str, known: Mapping[str, Option]) -> tuple[str, str, str]:
    """Return the name of an option, "=" or "", and its value: `--limit=5`, `-n5`."""
    name, number = argument[:2], argument[2:]
    if name in known and isinstance(known[name].type, Number) and number.isdecimal():
        return name, "=", number
    return argument.partition("=")


def _next_value(rest: Iterable[str], known: Mapping[str, Option], name: str) -> str:
    value = next(iter(rest), None)
    if value is None or value == "--" or value.partition("=")[0] in known:
        choices = ", ".join(known[name].choices)
        hint = f"write {name} {known[name].metavar}" + (f", one of {choices}" if choices else "")
        raise UsageError(f"{name} needs a value", hint=hint)
    return value


COMMON = (
    Option(
        "-C",
        "--directory",
        help="Work in this folder instead of the current one.",
        metavar="DIR",
        complete="dir",
    ),
    Option(
        "--color",
        help="When to use colour; auto is on a terminal only.",
        metavar="WHEN",
        type=Choice(("auto", "always", "never")),
    ),
    Option("-y", "--yes", help="Answer yes to every question."),
    Option("-q", "--quiet", help="Print no notes, hints or progress on standard error."),
    Option("-v", "--verbose", help="Print every note and diagnostic."),
    Option("-h", "--help", help="Show examples and options."),
)
"""The options of every command."""

JSON = Option("--json", help="Print JSON, errors too.")

SET = Option(
    "--set",
    help="Override a setting or a constant for this run, as in cutoff_ratio=0.3.",
    metavar="NAME=VALUE",
    repeat=True,
)
