"""Arguments to words and values, and a whole message for every mistake."""

from __future__ import annotations

from typing import Any

import pytest

from leafmark.app.setting_rules import check_value
from leafmark.app.settings import SETTINGS
from leafmark.cli.arguments import parse_arguments, split_command, wants_json
from leafmark.cli.catalogue import COMMANDS, all_commands, find_command
from leafmark.errors import ConfigError, UsageError


def check_error(error: UsageError, message: str, hint: str | None) -> None:
    assert (error.message, error.hint) == (message, hint)


@pytest.mark.parametrize(
    ("argv", "command", "rest"),
    [
        (["search", "x"], "search", ["x"]),
        (["-C", "dir", "search", "x", "-n", "3"], "search", ["-C", "dir", "x", "-n", "3"]),
        (["--color=never", "-q", "show", "x"], "show", ["--color=never", "-q", "x"]),
        (["--json", "status"], "status", ["--json"]),
        (["--help"], None, ["--help"]),
        ([], None, []),
    ],
)
def test_common_options_may_stand_before_the_command(
    argv: list[str], command: str | None, rest: list[str]
) -> None:
    assert split_command(argv) == (command, rest)


def test_other_options_may_not() -> None:
    with pytest.raises(UsageError) as caught:
        split_command(["-n", "3", "search", "x"])
    check_error(
        caught.value,
        "there is no option `-n` before a command",
        "options stand after the command: leafmark COMMAND [OPTION...]; "
        "`leafmark help` lists the commands",
    )


@pytest.mark.parametrize(
    ("arguments", "words", "values"),
    [
        (["a", "b"], ("a", "b"), {}),
        (["a", "-n", "3", "b"], ("a", "b"), {"limit": 3}),
        (["--limit=3", "a"], ("a",), {"limit": 3}),
        (["a", "-t", "x", "--tree", "y"], ("a",), {"tree": ["x", "y"]}),
        (["a", "-n", "1", "-n", "2"], ("a",), {"limit": 2}),
        (["a", "--", "-restore", "-n"], ("a", "-restore", "-n"), {}),
        (["-"], ("-",), {}),
        (["-draft guide"], ("-draft guide",), {}),
        (["-n", "2", "-a OR b=c"], ("-a OR b=c",), {"limit": 2}),
        (["a", "--flat"], ("a",), {"group": False}),
        (["a", "--flat", "--group"], ("a",), {"group": True}),
        (["a", "--no-aggregation"], ("a",), {"aggregation": False}),
        (["a", "--set", "cutoff_ratio=0.25"], ("a",), {"set": ["cutoff_ratio=0.25"]}),
        (["--tag", "-x", "a"], ("a",), {"tag": ["-x"]}),
        (["--tag=", "a"], ("a",), {"tag": [""]}),
        (["--help"], (), {"help": True}),
    ],
)
def test_options_and_words_may_be_mixed(
    arguments: list[str], words: tuple[str, ...], values: dict[str, Any]
) -> None:
    assert parse_arguments(find_command("search"), arguments) == (words, values)


SEARCH_FORMATS = "pretty, list, matches, full, json, jsonl, files, vimgrep"


@pytest.mark.parametrize(
    ("command", "arguments", "message", "hint"),
    [
        (
            "search",
            ["backup", "-restore"],
            "`-restore` is not an option, and may be meant as a part of the query",
            "put the whole query in quotes to leave out a word",
        ),
        (
            "search",
            ["backup", "-n5"],
            "`-n5` is not an option, and may be meant as a part of the query",
            "put the whole query in quotes to leave out a word; for the option write `-n 5`",
        ),
        (
            "search",
            ["backup", "--limt", "3"],
            "`--limt` is not an option, and may be meant as a part of the query",
            "put the whole query in quotes, or write -- before it; for the option write `--limit`",
        ),
        (
            "search",
            ["backup", "-restore it"],
            "`-restore it` is not an option, and may be meant as a part of the query",
            "put the whole query in quotes to leave out a word",
        ),
        (
            "search",
            ["--lim", "3", "a"],
            "there is no option `--lim`",
            "did you mean `--limit`? Or write -- before it, if it is a part of the query",
        ),
        (
            "search",
            ["-n5", "a"],
            "there is no option `-n5`",
            "did you mean `-n 5`? Or write -- before it, if it is a part of the query",
        ),
        (
            "search",
            ["-z", "a"],
            "there is no option `-z`",
            "leafmark search --help lists them, or write -- before it, "
            "if it is a part of the query",
        ),
        ("search", ["a", "-n"], "-n needs a value", "write -n N"),
        ("search", ["a", "-n", "-t", "x"], "-n needs a value", "write -n N"),
        ("search", ["a", "-n", "x"], "-n got `x`, which is not a whole number of at least 1", None),
        (
            "chunk",
            ["a", "--tolerance", "nan"],
            "--tolerance got `nan`, which is not a number of at least 0",
            None,
        ),
        (
            "chunk",
            ["a", "--heading-levels", "7"],
            "--heading-levels got `7`, which is not a whole number from 0 to 6",
            None,
        ),
        ("search", ["a", "-n", "0"], "-n got `0`, which is not a whole number of at least 1", None),
        (
            "search",
            ["a", "--limit", "9" * 5000],
            f"--limit got `{'9' * 5000}`, which is not a whole number from 1 to 999999999",
            None,
        ),
        (
            "search",
            ["a", "-o", "jsn"],
            "-o got `jsn`",
            f"did you mean `json`? There are: {SEARCH_FORMATS}",
        ),
        ("search", ["a", "-o", "qqq"], "-o got `qqq`", f"there are: {SEARCH_FORMATS}"),
        ("search", ["a", "--flat=1"], "--flat takes no value", None),
        (
            "search",
            [],
            "`leafmark search` needs QUERY",
            'for example: leafmark search "restore a backup"',
        ),
        (
            "status",
            ["x"],
            "`leafmark status` does not take `x`",
            "leafmark status --help shows what it takes",
        ),
        (
            "ls",
            ["dcs"],
            "`leafmark ls` does not know `dcs`",
            "did you mean `docs`? There are: trees, docs, chunks, tags",
        ),
        (
            "ls",
            ["everything"],
            "`leafmark ls` does not know `everything`",
            "there are: trees, docs, chunks, tags",
        ),
        (
            "index",
            ["a.md", "--rebild"],
            "there is no option `--rebild`",
            "did you mean `--rebuild`?",
        ),
    ],
)
def test_mistakes(command: str, arguments: list[str], message: str, hint: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        parse_arguments(find_command(command), arguments)
    check_error(caught.value, message, hint)


def test_an_unknown_command_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        find_command("serach")
    check_error(caught.value, "there is no command `serach`", "did you mean `leafmark search`?")
    with pytest.raises(UsageError) as caught:
        find_command("qqqq")
    check_error(caught.value, "there is no command `qqqq`", f"there are: {', '.join(COMMANDS)}")


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (["search", "x", "--json"], True),
        (["search", "x", "-o", "json"], True),
        (["search", "x", "--output=jsonl"], True),
        (["search", "x", "-o=json"], True),
        (["search", "x", "-o=list"], False),
        (["search", "json"], False),
        (["search", "--", "--json"], False),
        (["search", "-o", "list"], False),
    ],
)
def test_json_is_wanted_whatever_else_is_wrong(argv: list[str], wanted: bool) -> None:
    assert wants_json(argv) is wanted


def test_options_of_settings_know_the_bounds_of_these() -> None:
    """Said with the name of the option, before a configuration is read."""
    bounded = {
        option.names[-1]: option
        for command in all_commands()
        for option in command.options
        if option.setting and SETTINGS[option.setting].rules.least is not None
    }
    assert {"--max-tokens", "--tolerance"} <= bounded.keys()
    for name, option in bounded.items():
        assert option.setting is not None
        assert option.read is not None
        setting = SETTINGS[option.setting]
        for value in (0.0, setting.rules.least, setting.rules.most):
            if value is None:
                continue
            accepted = value if isinstance(setting.default, float) else int(value)
            shown = f"{value:.12g}"
            try:
                check_value(setting, accepted)
            except ConfigError:
                with pytest.raises(UsageError) as caught:
                    option.read(shown, name)
                assert caught.value.message == (
                    f"{name} got `{shown}`, which is not {setting.accepted}"
                )
            else:
                assert option.read(shown, name) == value
        if setting.rules.most is not None:
            with pytest.raises(UsageError, match=f"{name} got"):
                option.read(f"{setting.rules.most + 1:.12g}", name)
