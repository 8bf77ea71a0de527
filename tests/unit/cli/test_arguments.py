"""Arguments to what is asked of the app, and a whole message for every mistake."""

from __future__ import annotations

from typing import Any

import pytest
from support.fake_app import FakeApp, Leafmark

from leafmark.app.requests import SearchRequest, ShowRequest
from leafmark.cli.command import COMMANDS


@pytest.mark.parametrize(
    ("argv", "queries", "fields"),
    [
        (["search", "a", "b"], ("a", "b"), {}),
        (["search", "a", "-n", "3", "b"], ("a", "b"), {"limit": 3}),
        (["search", "--limit=3", "a"], ("a",), {"limit": 3}),
        (["search", "a", "-n3"], ("a",), {"limit": 3}),
        (["search", "a", "-t", "x", "--tree", "y"], ("a",), {"trees": ("x", "y")}),
        (["search", "a", "-n", "1", "-n", "2"], ("a",), {"limit": 2}),
        (["search", "a", "--", "-restore", "-n"], ("a", "-restore", "-n"), {}),
        (["search", "--", "--help"], ("--help",), {}),
        (["search", "-draft guide"], ("-draft guide",), {}),
        (["search", "-n", "2", "-a OR b=c"], ("-a OR b=c",), {"limit": 2}),
        (["search", "a", "--no-aggregation"], ("a",), {"aggregation": False}),
        (["search", "--tag", "-x", "a"], ("a",), {"tags": ("-x",)}),
        (["search", "--tag=", "a"], ("a",), {"tags": ("",)}),
        (["-C", "dir", "search", "x", "-n", "3"], ("x",), {"limit": 3}),
        (["--color=never", "-q", "search", "x"], ("x",), {}),
        (["-y", "search", "x"], ("x",), {"confirmed": True}),
        (["search", "--expand", "next, parent,next", "x"], ("x",), {"expand": ("next", "parent")}),
    ],
)
def test_options_and_words_may_be_mixed(
    leafmark_run: Leafmark,
    app: FakeApp,
    argv: list[str],
    queries: tuple[str, ...],
    fields: dict[str, Any],
) -> None:
    assert leafmark_run(*argv).code == 0
    assert app.asked == [SearchRequest(queries)._replace(**fields)]


def test_an_id_may_begin_as_an_option_does(leafmark_run: Leafmark, app: FakeApp) -> None:
    """The tree of a folder `über` is called `-ber`."""
    leafmark_run("show", "-ber:a.md", "--own", "--ber:b.md#c")
    assert app.asked == [ShowRequest(("-ber:a.md", "--ber:b.md#c"), own=True, records=False)]
    assert "there is no option `--own:a.md`" in leafmark_run("show", "--own:a.md").err


def test_the_last_of_two_counts(leafmark_run: Leafmark) -> None:
    grouped, flat = leafmark_run("search", "a").out, leafmark_run("search", "a", "--flat").out
    assert grouped != flat
    assert leafmark_run("search", "a", "--flat", "--group").out == grouped
    assert leafmark_run("search", "a", "--group", "--flat").out == flat


def test_json_before_the_command_counts(leafmark_run: Leafmark) -> None:
    assert leafmark_run("--json", "status").json["schema_version"] == 1


def test_other_options_may_not_stand_before_the_command(leafmark_run: Leafmark) -> None:
    ran = leafmark_run("-n", "3", "search", "x")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: there is no option `-n` before a command\n"
        "hint: options stand after the command: leafmark COMMAND [OPTION...]; "
        "`leafmark help` lists the commands\n"
    )


def test_an_option_before_the_command_has_its_value(leafmark_run: Leafmark) -> None:
    ran = leafmark_run("-C")
    assert (ran.code, ran.err) == (2, "error: -C needs a value\nhint: write -C DIR\n")


LIMIT = "--limit got `{}`, which is not a whole number from 1 to 10000"
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
            ["backup", "-tx"],
            "`-tx` is not an option, and may be meant as a part of the query",
            "did you mean `-t x`? If not, put the whole query in quotes to leave out a word",
        ),
        (
            "search",
            ["backup", "--limt", "3"],
            "`--limt` is not an option, and may be meant as a part of the query",
            "did you mean `--limit`? If not, put the whole query in quotes, or write -- before it",
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
            ["-nx", "a"],
            "there is no option `-nx`",
            "did you mean `-n x`? Or write -- before it, if it is a part of the query",
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
        (
            "search",
            ["a", "-n", "x"],
            "--limit got `x`, which is not a whole number from 1 to 10000",
            None,
        ),
        (
            "chunk",
            ["a", "--heading-levels", "7"],
            "--heading-levels got `7`, which is not a whole number from 0 to 6",
            None,
        ),
        (
            "search",
            ["a", "-n", "0"],
            "--limit got `0`, which is not a whole number from 1 to 10000",
            None,
        ),
        (
            "search",
            ["a", "--offset", "-1"],
            "--offset got `-1`, which is not a whole number of at least 0",
            None,
        ),
        (
            "search",
            ["a", "--limit", "9" * 5000],
            f"--limit got `{'9' * 5000}`, which is not a whole number from 1 to 10000",
            None,
        ),
        (
            "chunk",
            ["a", "--max-tokens", "0_1"],
            "--max-tokens got `0_1`, which is not a whole number of at least 1",
            None,
        ),
        (
            "search",
            ["a", "-o", "jsn"],
            "--output got `jsn`",
            f"did you mean `json`? There are: {SEARCH_FORMATS}",
        ),
        ("search", ["a", "-o", "qqq"], "--output got `qqq`", f"there are: {SEARCH_FORMATS}"),
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
            "did you mean `docs`? There are: trees, docs, chunks, tags, revs",
        ),
        (
            "ls",
            ["everything"],
            "`leafmark ls` does not know `everything`",
            "there are: trees, docs, chunks, tags, revs",
        ),
        (
            "index",
            ["a.md", "--rebild"],
            "there is no option `--rebild`",
            "did you mean `--rebuild`?",
        ),
    ],
)
def test_mistakes(
    leafmark_run: Leafmark,
    app: FakeApp,
    command: str,
    arguments: list[str],
    message: str,
    hint: str | None,
) -> None:
    ran = leafmark_run(command, *arguments)
    assert (ran.code, ran.out, app.asked) == (2, "", [])
    assert ran.err == f"error: {message}\n" + (f"hint: {hint}\n" if hint else "")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("serach", "did you mean `leafmark search`?"),
        ("qqqq", f"there are: {', '.join(COMMANDS)}"),
    ],
)
def test_an_unknown_command_names_the_nearest(leafmark_run: Leafmark, name: str, hint: str) -> None:
    ran = leafmark_run(name, "x")
    assert (ran.code, ran.err) == (2, f"error: there is no command `{name}`\nhint: {hint}\n")


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (["search", "x", "--json"], True),
        (["search", "x", "-o", "json"], True),
        (["search", "x", "--output=jsonl"], True),
        (["search", "x", "-o=json"], True),
        (["chunk", "x", "--jsonl"], True),
        (["search", "x", "-o=list"], False),
        (["search", "json"], False),
        (["search", "--", "--json"], False),
        (["search", "x", "-o", "list"], False),
    ],
)
def test_json_is_wanted_whatever_else_is_wrong(
    leafmark_run: Leafmark, argv: list[str], wanted: bool
) -> None:
    ran = leafmark_run(argv[0], "--wrong", *argv[1:])
    assert (ran.code, bool(ran.out), bool(ran.err)) == (2, wanted, not wanted)


@pytest.mark.parametrize(("when", "colored"), [("always", True), ("never", False)])
def test_color_counts_for_what_is_wrong_with_the_rest(
    leafmark_run: Leafmark, when: str, colored: bool
) -> None:
    for argv in (["--color", when, "serach"], ["search", "x", f"--color={when}", "--wrong"]):
        ran = leafmark_run(*argv, terminal=not colored)
        assert (ran.code, "\x1b[" in ran.err) == (2, colored)
