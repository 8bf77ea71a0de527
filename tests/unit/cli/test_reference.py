"""Help that cannot drift: every command is documented, and docs/cli.md is what they say."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from leafmark.app.requests import Mode
from leafmark.app.settings import SETTINGS
from leafmark.cli.arguments import parse_arguments, split_command
from leafmark.cli.catalogue import COMMANDS, all_commands, find_command
from leafmark.cli.completion import SHELLS, completion_script
from leafmark.cli.help import command_help, overview, usage
from leafmark.cli.options import ALIASES, Command
from leafmark.cli.reference import reference
from leafmark.model import GRAINS, RELATIONS, SORTS

PAGE = Path(__file__).parents[3] / "docs" / "cli.md"


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "docs/cli.md is stale: python -m leafmark.cli.reference docs/cli.md"
    )


@pytest.mark.parametrize("command", all_commands(), ids=lambda command: command.name)
def test_every_command_has_help_and_a_working_example(command: Command) -> None:
    assert command.summary
    assert command.description.endswith(".")
    assert command.examples
    for example, purpose in command.examples:
        assert purpose
        for part in example.replace("<(", "; ").replace(")", "").replace("|", ";").split(";"):
            words = shlex.split(part)
            if words[:1] == ["leafmark"]:
                name, arguments = split_command(words[1:])
                parse_arguments(find_command(str(name)), arguments)
    for option in command.all_options:
        assert option.help.endswith((".", ")")), option.names
        assert option.metavar is None or option.read is not None


@pytest.mark.parametrize("command", all_commands(), ids=lambda command: command.name)
def test_help_names_everything_and_fits(command: Command) -> None:
    text = command_help(command)
    for option in command.all_options:
        assert all(name in text for name in option.names)
        assert all(choice in text for choice in option.choices)
    assert text.index("Examples:") < text.index("Usage:")
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("command", all_commands(), ids=lambda command: command.name)
def test_options_offer_what_settings_and_requests_take(command: Command) -> None:
    """They list it once more, since help imports no use case."""
    taken = {"grain": GRAINS, "sort": SORTS, "expand": RELATIONS, "mode": get_args(Mode)}
    if command.name == "eval":
        taken["mode"] = tuple(mode for mode in get_args(Mode) if mode != "auto")
    for option in command.options:
        if option.choices and option.setting:
            assert option.choices == SETTINGS[option.setting].rules.choices
        elif option.choices and option.dest in taken:
            assert option.choices == taken[option.dest]


def test_options_for_settings_stand_below_the_others_under_their_table() -> None:
    text = command_help(find_command("chunk"))
    titles = [line for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert titles == [
        "Examples:",
        "Arguments:",
        "Options:",
        "Settings of [chunking], for this run only (`leafmark config chunking` prints them):",
        "Options of every command:",
    ]
    at = text.index("Settings of [chunking]")
    assert text.index("  --root DIR") < at < text.index("  --min-tokens N")


def test_the_page_says_once_what_every_command_takes() -> None:
    assert reference().count("Options of every command:") == 1
    assert all(f"](#leafmark-{name})" in reference() for name in COMMANDS)


def test_the_overview_names_every_command() -> None:
    text = overview(all_commands())
    assert all(f"\n  {name} " in text for name in COMMANDS)


def test_names_and_aliases_lead_to_their_commands() -> None:
    for name in COMMANDS:
        assert find_command(name).name == name
    assert {alias: find_command(alias).name for alias in ALIASES} == ALIASES
    assert find_command("show").aliases == ("get", "show-chunk", "show-resource")


def test_options_of_a_command_are_told_apart() -> None:
    for command in all_commands():
        names = [name for option in command.all_options for name in option.names]
        assert len(names) == len(set(names))


def test_usage_says_what_may_be_left_out() -> None:
    assert usage(find_command("search")) == "leafmark search [OPTION...] QUERY..."
    assert usage(find_command("index")) == "leafmark index [OPTION...] [PATH...]"
    assert usage(find_command("config")) == "leafmark config [OPTION...] [NAME]"
    assert usage(find_command("status")) == "leafmark status [OPTION...]"


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_scripts_are_valid(shell: str) -> None:
    script = completion_script(shell, all_commands())
    for command in all_commands():
        for option in command.all_options:
            long = option.names[-1].removeprefix("--")
            assert long in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True, timeout=60)


def said_by(*command: str, cwd: Path | None = None, **variables: str) -> str:
    """Run a command, with more variables in its environment, and give what it prints."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=cwd,
        env=dict(os.environ, **variables),
    )
    return done.stdout


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sea"], ["search"]),
        (["-C", "dir", "sho"], ["show", "show-chunk", "show-resource"]),
        (["search", "--off"], ["--offset"]),
        (["search", "-o", "js"], ["json", "jsonl"]),
        (["search", "x", "--sort", ""], ["score", "mtime", "path"]),
        (["show", "x", "--expand", ""], ["parent", "siblings", "children", "prev", "next"]),
        (["search", "--mode", "="], ["auto", "lexical", "semantic", "hybrid"]),
        (["search", "--mode", "=", "le"], ["lexical"]),
        (["--directory", "=", "dir", "sho"], ["show", "show-chunk", "show-resource"]),
        (["ls", "do"], ["docs"]),
        (["help", "comp"], ["completion"]),
        (["completion", "z"], ["zsh"]),
        (["--color", ""], ["auto", "always", "never"]),
        (["-q", "-C", ""], []),
        (["search", "--tree", ""], []),
        (["search", "-n", ""], []),
        (["chunk", "--root", ""], []),
        (["chunk", ""], []),
        (["ls", ""], ["trees", "docs", "chunks", "tags"]),
        (["update", "--reb"], ["--rebuild"]),
        (["status", "--js"], ["--json"]),
    ],
)
def test_bash_completes(words: list[str], expected: list[str]) -> None:
    script = completion_script("bash", all_commands())
    line = " ".join(shlex.quote(word) for word in ["leafmark", *words])
    call = f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _leafmark; echo ${{COMPREPLY[@]}}"
    assert said_by("bash", "--norc", "-c", f"{script}\n{call}").split() == expected


@pytest.mark.skipif(not shutil.which("fish"), reason="there is no fish here")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sea", ["search"]),
        ("--color ", ["always", "auto", "never"]),
        ("-q -C docs sea", ["search"]),
        ("-C docs search --mode=le", ["--mode=lexical"]),
        ("show search --ow", ["--own"]),
        ("get --ow", ["--own"]),
        ("ls ", ["chunks", "docs", "tags", "trees"]),
    ],
)
def test_fish_completes(line: str, expected: list[str], tmp_path: Path) -> None:
    script = completion_script("fish", all_commands())
    ask = f"{script}\ncomplete -C 'leafmark {line}'"
    said = said_by("fish", "--no-config", "-c", ask, cwd=tmp_path, HOME=str(tmp_path))
    assert [each.partition("\t")[0] for each in said.splitlines()] == expected


@pytest.mark.parametrize("option", ["--mode=[", "--root=[", "-o["])
def test_zsh_takes_values_after_a_space_or_the_sign(option: str) -> None:
    assert f"'{option}" in completion_script("zsh", all_commands())
