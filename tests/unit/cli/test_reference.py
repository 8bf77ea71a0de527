"""Help that cannot drift: every command is documented, and docs/cli.md is what they say."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from support.fake_app import Leafmark

from leafmark.cli.command import ALIASES, COMMANDS, Command, find_command
from leafmark.cli.entry import run
from leafmark.cli.help import command_help, overview, reference, usage

ALL = [find_command(name) for name in COMMANDS]
PAGE = Path(__file__).parents[3] / "docs" / "cli.md"


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "docs/cli.md is stale: python -m leafmark.cli.help docs/cli.md"
    )


@pytest.mark.parametrize("command", ALL, ids=lambda command: command.name)
def test_every_command_has_help_and_a_working_example(
    command: Command, leafmark_run: Leafmark
) -> None:
    assert command.summary
    assert str(command.help).endswith(".")
    assert command.examples
    for example, purpose in command.examples:
        assert purpose
        for part in example.replace("<(", "; ").replace(")", "").replace("|", ";").split(";"):
            words = shlex.split(part)
            if words[:1] == ["leafmark"]:  # options are read, and words are counted, before help
                assert leafmark_run(*words[1:], "--help").code == 0
    for option in command.all_options:
        assert str(option.help).endswith((".", ")")), option.opts


@pytest.mark.parametrize("command", ALL, ids=lambda command: command.name)
def test_help_names_everything_and_fits(command: Command) -> None:
    text = command_help(command)
    for option in command.all_options:
        assert all(name in text for name in option.spellings)
        assert option.seldom or all(choice in text for choice in option.choices)
    assert text.index("Examples:") < text.index("Usage:")
    assert max(map(len, text.splitlines())) <= 100


def test_a_search_has_few_options_in_its_help() -> None:
    assert sum(not option.seldom for option in find_command("search").options) <= 16
    for option in find_command("search").options:
        assert str(option.help) in " ".join(reference().split()), option.opts


def test_options_for_settings_stand_below_the_others_under_their_table() -> None:
    text = command_help(find_command("chunk"))
    blocks = text.split("\n\n")
    titles = [line for line in (each.split("\n")[0] for each in blocks) if line.endswith(":")]
    assert [title for title in titles if not title.startswith("Prints")] == [
        "Examples:",
        "Arguments:",
        "Options:",
        "Settings of [chunking] for this run (`leafmark config chunking` prints them):",
        "Options of every command:",
    ]
    at = text.index("Settings of [chunking]")
    assert text.index("  --root DIR") < at < text.index("  --min-tokens N")


def test_every_help_fits_eighty_columns() -> None:
    texts = [overview(), *(command_help(find_command(name)) for name in COMMANDS)]
    assert [line for text in texts for line in text.splitlines() if len(line) > 80] == []


def test_the_page_says_once_what_every_command_takes() -> None:
    assert reference().count("Options of every command:") == 1
    assert all(f"](#leafmark-{name})" in reference() for name in COMMANDS)


def test_the_overview_names_every_command() -> None:
    text = overview()
    assert all(f"\n  {name} " in text for name in COMMANDS)


def test_names_and_aliases_lead_to_their_commands() -> None:
    for name in COMMANDS:
        assert find_command(name).name == name
    assert {alias: find_command(alias).name for alias in ALIASES} == ALIASES
    assert "Also called: get, show-chunk, show-resource\n" in command_help(find_command("show"))


def test_options_of_a_command_are_told_apart() -> None:
    for command in ALL:
        names = [name for option in command.all_options for name in option.spellings]
        assert len(names) == len(set(names))


def test_usage_says_what_may_be_left_out() -> None:
    assert usage(find_command("search")) == "leafmark search [OPTION...] QUERY..."
    assert usage(find_command("index")) == "leafmark index [OPTION...] [PATH...]"
    assert usage(find_command("config")) == "leafmark config [OPTION...] [NAME]"
    assert usage(find_command("status")) == "leafmark status [OPTION...]"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an index, as a shell's current folder."""
    work = tmp_path / "work"
    (work / "guides").mkdir(parents=True)
    (work / "guides" / "oil.md").write_text(
        "---\ntags: [lamps]\n---\n# Oil\n\nOne.\n\n## Wick\n\nTwo.\n"
    )
    (work / "README.md").write_text("# Lamps\n\nAll.\n")
    monkeypatch.setenv("LEAFMARK_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(work)
    assert run(["index", "-q"], os.environ) == 0
    return work


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_valid(leafmark_run: Leafmark, shell: str) -> None:
    script = leafmark_run("completion", shell).out
    assert "_LEAFMARK_COMPLETE" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True, timeout=60)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sea", "search"),
        ("-C dir sho", "show show-chunk show-resource"),
        ("search --no-a", "--no-aggregation"),
        ("search -o js", "json jsonl"),
        ("search x --sort ", "score mtime path"),
        ("show x --expand ", "parent siblings children prev next"),
        ("show x --expand next,pa", "next,parent"),
        ("search --mode =", "auto lexical semantic hybrid"),
        ("search --mode=le", "lexical"),
        ("ls do", "docs"),
        ("help comp", "completion"),
        ("completion z", "zsh"),
        ("--color ", "auto always never"),
        ("search -n ", ""),
        ("update --reb", "--rebuild"),
        ("status --js", "--json"),
        ("serach x", ""),
        ("search --tree ", "work"),
        ("search -t wo", "work"),
        ("search x --tag ", "lamps"),
        ("show gui", "guides/oil.md"),
        ("show work:R", "work:README.md"),
        ("show guides/oil.md#w", "guides/oil.md#wick"),
        ("show README.md guides/oil.md#w", "guides/oil.md#wick"),
        ("like --explain R", "README.md"),
        ("ls docs gui", "guides/oil.md"),
        ("-C guides search -t ", "guides"),
        ("-C nowhere search -t ", ""),
    ],
)
def test_what_is_offered(
    project: Path, capsys: pytest.CaptureFixture[str], line: str, expected: str
) -> None:
    """Bash asks with the words of the line, and takes `type,value` a line."""
    capsys.readouterr()
    words = ["leafmark", *line.split(" ")]
    asked = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in asked.items():
            patch.setenv(name, value)
        run([], {**os.environ, "_LEAFMARK_COMPLETE": "bash_complete"})
    out, err = capsys.readouterr()
    assert [each.partition(",")[2] for each in out.split()] == expected.split()
    assert err == ""


@pytest.mark.parametrize(
    ("line", "kind"), [("search -C ", "dir"), ("chunk --root ", "dir"), ("chunk a", "file")]
)
def test_files_are_the_shells_to_offer(
    project: Path, capsys: pytest.CaptureFixture[str], line: str, kind: str
) -> None:
    capsys.readouterr()
    words = ["leafmark", *line.split(" ")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMP_WORDS", " ".join(words))
        patch.setenv("COMP_CWORD", str(len(words) - 1))
        run([], {**os.environ, "_LEAFMARK_COMPLETE": "bash_complete"})
    assert capsys.readouterr().out == f"{kind},{words[-1]}\n"
