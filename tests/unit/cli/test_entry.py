"""Exit codes, streams, colours, and what ends a run early."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.answers import make_answer
from support.fake_app import Failing, FakeApp, Leafmark, Terminal
from support.schema import problems

from leafmark import errors
from leafmark.__main__ import main
from leafmark.cli import entry
from leafmark.cli.console import open_console
from leafmark.errors import ConfirmationError, NotFoundError, QueryError


def test_found_is_0(leafmark_run: Leafmark) -> None:
    ran = leafmark_run("search", "client")
    assert ran.code == 0
    assert ran.out.startswith("Top matches: ")
    assert ran.err == "hint: some results have only some of the words\n"


def test_nothing_found_is_1_and_explains_itself(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.answer = make_answer()
    ran = leafmark_run("search", "client")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "nothing found for client\n  candidates left none of 4\n"
        "hint: some results have only some of the words\n"
    )


def test_nothing_found_still_prints_its_object(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.answer = make_answer()
    ran = leafmark_run("search", "client", "--json")
    assert (ran.code, ran.err) == (1, "")
    assert problems(ran.json, "search") == []


@pytest.mark.parametrize("command", ["search", "show", "context", "verify"])
def test_standard_input_may_be_closed(leafmark_run: Leafmark, command: str) -> None:
    ran = leafmark_run(command, "-", stdin=None)
    assert (ran.code, ran.err) == (2, "error: there is no standard input\n")


def test_quiet_is_quiet(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.answer = make_answer()
    ran = leafmark_run("search", "client", "-q")
    assert (ran.code, ran.out, ran.err) == (1, "", "")


def test_errors_are_text_on_standard_error(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.error = QueryError("no such field", query="titel:x", start=0, end=5, hint="use title:")
    ran = leafmark_run("search", "titel:x", "-q")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: no such field\n  --> query:1\n   | titel:x\n   | ^^^^^\nhint: use title:\n"
    )


def test_errors_are_json_on_standard_output_under_json(
    leafmark_run: Leafmark, app: FakeApp
) -> None:
    app.error = Failing("it is locked", location="LOCK")
    ran = leafmark_run("status", "--json")
    assert (ran.code, ran.err) == (2, "")
    assert ran.json == {
        "schema_version": 1,
        "error": {"kind": "locked", "message": "it is locked", "location": "LOCK", "hint": None},
    }
    wrong = leafmark_run("search", "x", "--json", "--limt", "3")
    assert (wrong.code, wrong.err) == (2, "")
    assert problems(wrong.json, "error") == []
    assert wrong.out.count("\n") == 1


def test_an_error_says_its_own_exit_code(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.error = NotFoundError("there is no tree `x`")
    assert leafmark_run("search", "y", "-t", "x").code == 2


def test_ctrl_c_is_130_with_one_line(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.error = KeyboardInterrupt()
    ran = leafmark_run("search", "x")
    assert (ran.code, ran.out, ran.err) == (130, "", "interrupted\n")


def test_no_command_is_an_error(leafmark_run: Leafmark) -> None:
    ran = leafmark_run()
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: no command was given\n"
        'hint: leafmark search "what you look for" searches the current folder; '
        "leafmark --help lists the commands\n"
    )


def test_help_and_aliases(leafmark_run: Leafmark) -> None:
    assert leafmark_run("help").out == leafmark_run("--help").out
    assert leafmark_run("help", "get").out == leafmark_run("show", "--help").out
    assert leafmark_run("help", "nope").code == 2
    assert leafmark_run("search", "--help").out.startswith("leafmark search: ")


def test_settings_go_to_the_project_and_nowhere_else(leafmark_run: Leafmark, app: FakeApp) -> None:
    leafmark_run("-C", "sub", "search", "x", "--set", "cutoff_ratio=0.3", "-n", "2")
    ((directory, flags),) = app.opened
    assert str(directory) == "sub"
    assert flags == {"search.cutoff_ratio": "0.3"}
    assert app.asked[0].limit == 2


def test_a_set_value_may_be_of_any_table_and_the_last_counts(
    leafmark_run: Leafmark, app: FakeApp
) -> None:
    argv = ("--set", "limit=2", "--set=context.terms=9", "--set", "limit=", "--set", "a=b=c")
    leafmark_run("search", "x", *argv)
    assert app.opened[0][1] == {"search.limit": "", "context.terms": "9", "search.a": "b=c"}


@pytest.mark.parametrize("given", ["limit", "=3", ""])
def test_a_set_value_has_a_name(leafmark_run: Leafmark, app: FakeApp, given: str) -> None:
    ran = leafmark_run("search", "x", "--set", given)
    assert ran.err == f"error: --set {given} has no value\nhint: write --set NAME=VALUE\n"
    assert (ran.code, app.opened) == (2, [])


def test_a_large_run_is_asked_about_on_a_terminal(leafmark_run: Leafmark, app: FakeApp) -> None:
    for answer, code, asked in (("y\n", 0, [False, True]), ("\n", 2, [False]), ("", 2, [False])):
        app.error = ConfirmationError("/home has 30,000 files", hint="leafmark index --yes")
        app.asked.clear()
        ran = leafmark_run("search", "x", stdin=answer, terminal=True, NO_COLOR="1")
        assert ran.err.startswith("/home has 30,000 files. Go on? [y/N] ")
        assert (ran.code, [request.confirmed for request in app.asked]) == (code, asked)


def test_without_a_terminal_it_stops_with_the_command_to_go_on(
    leafmark_run: Leafmark, app: FakeApp
) -> None:
    app.error = ConfirmationError("/home has 30,000 files", hint="leafmark index --yes")
    ran = leafmark_run("search", "x", stdin="y\n")
    assert ran.code == 2
    assert ran.err == "error: /home has 30,000 files\nhint: leafmark index --yes\n"
    leafmark_run("search", "x", "--yes")
    assert app.asked[-1].confirmed


@pytest.mark.parametrize(
    ("terminal", "arguments", "environ", "color", "links"),
    [
        (True, [], {}, True, True),
        (False, [], {}, False, False),
        (True, [], {"NO_COLOR": "1"}, False, True),
        (True, [], {"NO_COLOR": ""}, True, True),
        (True, [], {"TERM": "dumb"}, False, False),
        (True, [], {"CLICOLOR": "0"}, False, True),
        (False, [], {"CLICOLOR_FORCE": "1"}, True, False),
        (False, [], {"CLICOLOR_FORCE": "0"}, False, False),
        (False, [], {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False, False),
        (False, ["--color", "always"], {"NO_COLOR": "1"}, True, False),
        (True, ["--color", "never"], {"CLICOLOR_FORCE": "1"}, False, True),
    ],
)
def test_colour_and_links(
    leafmark_run: Leafmark,
    terminal: bool,
    arguments: list[str],
    environ: dict[str, str],
    color: bool,
    links: bool,
) -> None:
    ran = leafmark_run("search", "x", *arguments, terminal=terminal, **environ)
    assert ("\x1b[" in ran.out) is color
    assert ("\x1b]8;;" in ran.out) is links


def test_width_comes_from_the_terminal(leafmark_run: Leafmark) -> None:
    for columns in ("40", "60"):
        out = leafmark_run(
            "search", "x", "-o", "list", terminal=True, COLUMNS=columns, NO_COLOR="1"
        ).out
        assert max(map(len, out.splitlines())) == int(columns)
    assert "changed since it was indexed" in leafmark_run("search", "x", "-o", "list").out


def test_a_closed_output_is_told(app: FakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    err = io.StringIO()
    monkeypatch.setattr(sys, "stdout", None)
    for stream in (err, None):
        monkeypatch.setattr(sys, "stderr", stream)
        assert entry.run(["search", "x"], {}) == 2
        assert entry.run(["search", "x", "--json"], {}) == 2
    told = "error: the output could not be written: it is closed\n  --> standard output\n"
    assert err.getvalue() == 2 * told


class _Full(io.StringIO):
    number, reason = 28, "No space left on device"

    def write(self, text: str) -> int:
        raise OSError(self.number, self.reason)


class _ClosedOnWindows(_Full):
    number, reason = 22, "Invalid argument"

    def flush(self) -> None:
        raise OSError(self.number, self.reason)


def test_a_full_disk_is_told(app: FakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", _Full())
    err = io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    assert entry.run(["search", "x"], {}) == 2
    assert err.getvalue() == (
        "error: the output could not be written: no space left on device\n  --> standard output\n"
    )


def test_on_windows_a_closed_pipe_is_an_invalid_argument(
    app: FakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "WINDOWS", True, raising=False)
    err = io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    for command in (["--help"], ["search", "x"], ["search", "x", "--json"]):
        monkeypatch.setattr(sys, "stdout", _ClosedOnWindows())
        assert entry.run(command, {}) == 0
    assert err.getvalue() == ""


def test_encodings_that_lack_characters_get_escapes(
    app: FakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    for encoding, expected in (("ascii", b"Api \\u203a Old"), ("utf-8", "Api › Old".encode())):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
        assert entry.run(["search", "x", "-o", "list"], {}) == 0
        sys.stdout.flush()
        assert expected in raw.getvalue()
        monkeypatch.setattr(sys, "stdout", io.StringIO())


def test_a_console_of_an_odd_encoding_prints_json_in_ascii(
    app: FakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="latin-1"))
    console = open_console({}, {}, json=True)
    console.write_json("é😀\udce9")
    console.flush()
    assert raw.getvalue() == b'"\\u00e9\\ud83d\\ude00\\udce9"\n'
    monkeypatch.setattr(sys, "stdout", io.StringIO())


def test_progress_is_drawn_on_a_terminal_only(
    leafmark_run: Leafmark, app: FakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def search(_: object, request: object, progress: object) -> object:
        seen.append(progress)
        return app.answer

    monkeypatch.setattr(sys.modules["leafmark.app"], "search_project", search)
    leafmark_run("search", "x")
    leafmark_run("search", "x", terminal=True)
    leafmark_run("search", "x", "-q", terminal=True)
    leafmark_run("search", "x", terminal=True, TERM="dumb")
    assert [progress is not None for progress in seen] == [False, True, False, False]


def test_terminals_are_recognised() -> None:
    assert Terminal().isatty()


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_a_closed_pipe_is_quiet(argument: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "leafmark", argument],
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KeyError("x"), "Traceback (most recent call last):\n"),
        (MemoryError(), "error: there is not enough memory\n"),
        (
            OSError(errno.EMFILE, "Too many open files", "x.py"),
            "error: the system refused: too many open files (x.py)\n",
        ),
    ],
)
def test_a_bug_is_no_answer_that_nothing_was_found(
    error: Exception, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> int:
        raise error

    monkeypatch.setattr(entry, "run", fail)
    assert main() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(told)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            MemoryError(),
            "error: there is not enough memory\n"
            "hint: end other programs, or allow more memory: `ulimit -v`\n",
        ),
        (
            OSError(errno.EMFILE, "Too many open files", "a/b.md"),
            "error: the system refused: too many open files\n  --> a/b.md\n"
            "hint: end other programs, or allow more open files: `ulimit -n`\n",
        ),
        (
            OSError(errno.EIO, "Input/output error"),
            "error: the system refused: input/output error\n",
        ),
        (
            RuntimeError("can't start new thread"),
            "error: the system refused: no more threads\n"
            "hint: end other programs, or allow more processes: `ulimit -u`\n",
        ),
        (
            ExceptionGroup(
                "two", [KeyError("x"), OSError(errno.ENOSPC, "No space left on device")]
            ),
            "error: the system refused: no space left on device\n"
            "hint: make room on the disk, or move the index with `index.dir` or "
            "`LEAFMARK_HOME`\n",
        ),
    ],
)
def test_what_the_system_refused_is_told(
    leafmark_run: Leafmark, app: FakeApp, error: Exception, told: str
) -> None:
    app.error = error
    ran = leafmark_run("search", "client")
    assert (ran.code, ran.out, ran.err) == (2, "", told)
    app.error = error
    assert leafmark_run("search", "client", "--json").json["error"]["kind"] == "io"


@pytest.mark.parametrize(
    "error", [KeyError("x"), PermissionError(errno.EACCES, "x"), RuntimeError()]
)
def test_a_bug_is_not_hidden(leafmark_run: Leafmark, app: FakeApp, error: Exception) -> None:
    app.error = error
    with pytest.raises(type(error)):
        leafmark_run("search", "client")


def test_help_and_version_import_nothing_heavy() -> None:
    script = (
        "import sys; sys.argv = ['leafmark', {arg!r}]\n"
        "from leafmark.__main__ import main\n"
        "main(); sys.stdout = sys.stderr\n"
        "print(*sorted(m for m in sys.modules if m.partition('.')[0] in heavy))\n"
    )
    heavy = "heavy = ('tantivy', 'pyromark', 'toktok_rs', 'argparse', 'asyncio', 'email')\n"
    for argument in ("--version", "--help"):
        done = subprocess.run(
            [sys.executable, "-c", heavy + script.format(arg=argument)],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert done.stderr.split() == []


@pytest.mark.skipif(sys.platform == "win32", reason="its shells close no stream")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["mcp"]])
def test_the_output_may_be_closed_from_the_start(arguments: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "leafmark", *arguments]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *command],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    told = b"error: the output could not be written: it is closed\n  --> standard output\n"
    assert (done.returncode, done.stderr) == (2, told)
