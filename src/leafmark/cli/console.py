"""One call of a command: its values, its output streams, and its project.

Data go to standard output, everything else to standard error.

Colour, links and width depend on the streams and the environment. Unusual
encodings, closed pipes and full disks do not end in a traceback.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeVar

from leafmark.errors import (
    ConfirmationError,
    LeafmarkError,
    NotFoundError,
    StorageError,
    UsageError,
    is_closed_pipe,
    reason_of,
)
from leafmark.model import count_of
from leafmark.namedtuples import NamedTuple
from leafmark.render.hint_texts import word_hint
from leafmark.render.jsontext import dump_json, dump_line, iter_json
from leafmark.render.terminal import (
    ProgressLine,
    Style,
    clean_line,
    error_record,
    render_diagnostic,
    render_error,
    render_hint,
    render_warning,
)

T = TypeVar("T")

if TYPE_CHECKING:
    from leafmark.app import Project
    from leafmark.app.requests import Progress
    from leafmark.model import Diagnostic, Hint, Skipped

    Request = TypeVar("Request", contravariant=True)
    Response = TypeVar("Response", covariant=True)
    Built = TypeVar("Built")

    class UseCase(Protocol[Request, Response]):
        def __call__(
            self, project: Project, request: Request, *, progress: Progress | None
        ) -> Response: ...


INTERRUPTED = 130
"""The exit code of a command that the user interrupted, as in shells."""

_DEFAULT_WIDTH = 80
_DIAGNOSTICS_SHOWN = 10
"""How many diagnostics are printed without -v; chosen by eye."""


class Console(NamedTuple):
    """The streams of one run and their styles; `directory` is the command's folder."""

    out: IO[str]
    err: IO[str]
    style: Style
    err_style: Style
    directory: Path
    environ: Mapping[str, str]
    json: bool = False
    quiet: bool = False
    verbose: bool = False

    def write(self, text: str) -> None:
        """Print data.

        Raises:
            BrokenPipeError: the reader has closed the pipe.
            StorageError: the output cannot be written.
        """
        try:
            if text:
                self.out.write(text)
        except OSError as error:
            raise output_error(error) from error

    def write_json(self, value: Any) -> None:
        self.write(dump_json(value, ascii_only=self.ascii_only))

    def write_listing(self, head: Mapping[str, Any], name: str, rows: Iterable[Any]) -> None:
        """Print `head` as JSON with the list `rows` as its last key, row by row."""
        for part in iter_json(head, name, rows, ascii_only=self.ascii_only):
            self.write(part)

    def write_line(self, value: Any) -> None:
        """Print JSON on one line."""
        self.write(dump_line(value, ascii_only=self.ascii_only))

    @property
    def ascii_only(self) -> bool:
        """Whether the output's encoding lacks some characters outside of ASCII."""
        encoding = (getattr(self.out, "encoding", None) or "utf-8").lower()
        return encoding.replace("-", "").replace("_", "") != "utf8"

    def encodable(self, text: str) -> str:
        """Return the text as `write` writes it: characters that the encoding lacks are escapes."""
        if not self.ascii_only:
            return text
        encoding = getattr(self.out, "encoding", None) or "utf-8"
        return text.encode(encoding, "backslashreplace").decode(encoding)

    def write_names(self, text: str) -> None:
        """Print names of files as the system has them, in any encoding of the output."""
        self.write_bytes(os.fsencode(text))

    def write_bytes(self, data: bytes) -> None:
        """Print bytes as they are, after the text printed so far."""
        try:
            self.out.flush()
            buffer = getattr(self.out, "buffer", None)
            if buffer is None:
                self.out.write(data.decode("utf-8", "replace"))
            else:
                buffer.write(data)
        except OSError as error:
            raise output_error(error) from error

    def note(self, text: str) -> None:
        """Print a note about the run after the earlier output, unless `quiet`.

        Raises BrokenPipeError or StorageError when the earlier output cannot be written.
        """
        if not self.quiet:
            self.flush()
            self._write_stderr(text)

    def hint(self, message: str) -> None:
        self.note(render_hint(message, self.err_style))

    def warn(self, message: str, location: str | None = None) -> None:
        self.note(render_warning(message, self.err_style, location))

    def skipped(self, files: Iterable[Skipped]) -> None:
        for file in files:
            self.note(f"skipped {clean_line(file.path)}: {clean_line(file.reason)}\n")

    def diagnostics(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Print the first diagnostics and the number of the others; with -v all of them."""
        shown = len(diagnostics) if self.verbose else _DIAGNOSTICS_SHOWN
        for diagnostic in diagnostics[:shown]:
            self.note(render_diagnostic(diagnostic, self.err_style))
        left = len(diagnostics) - shown
        if left > 0:
            verb = "is" if left == 1 else "are"
            self.hint(f"there {verb} {count_of(left, 'more diagnostic')}: -v prints them all")

    def error(self, error: LeafmarkError) -> None:
        """Print an error: as JSON on standard output under `--json`, else as text.

        The JSON is one line, since readers of JSONL take one line at a time.
        """
        if self.json:
            self.write_line(error_record(error))
        else:
            with contextlib.suppress(OSError):  # a failed write may be the error itself
                self.out.flush()
            self.write_error(error)

    def flush(self) -> None:
        """Raises BrokenPipeError or StorageError when the output cannot be written."""
        try:
            self.out.flush()
        except OSError as error:
            raise output_error(error) from error

    def ask(self, question: str) -> bool | None:
        """Ask on the terminal; None without a terminal."""
        if self.quiet or not (_is_terminal(sys.stdin) and _is_terminal(self.err)):
            return None
        self._write_stderr(f"{question} [y/N] ")
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    def write_error(self, error: LeafmarkError) -> None:
        """Print an error as text, also under `--json` and `--quiet`."""
        self._write_stderr(render_error(error, self.err_style))

    def _write_stderr(self, text: str) -> None:
        """Print on standard error; if that is closed or full, only the text is lost."""
        try:
            self.err.write(text)
            self.err.flush()
        except (OSError, ValueError):
            return


def output_error(error: OSError) -> BrokenPipeError | StorageError:
    """Return the exception for failed output: for a closed pipe, or another failure."""
    if is_closed_pipe(error):
        return BrokenPipeError(*error.args)
    message = f"the output could not be written: {reason_of(error)}"
    return StorageError(message, location="standard output")


def open_console(values: Mapping[str, Any], environ: Mapping[str, str], *, json: bool) -> Console:
    """Return the console for the common options in `values`."""
    if sys.platform == "win32":  # its consoles interpret escape sequences only on request
        from colorama import just_fix_windows_console

        just_fix_windows_console()
    out, err = _stream(sys.stdout) or _ClosedOutput(), _stream(sys.stderr) or io.StringIO()
    when = values.get("color", "auto")
    return Console(
        out=out,
        err=err,
        style=_style(out, when, environ),
        err_style=_style(err, when, environ),
        directory=Path(values.get("directory") or "."),
        environ=environ,
        json=json,
        quiet=bool(values.get("quiet")),
        verbose=bool(values.get("verbose")),
    )


def _stream(stream: Any) -> IO[str] | None:
    """Return the stream, set to escape characters that its encoding lacks; None if closed."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace", newline="\n")
    return stream  # type: ignore[no-any-return]


class _ClosedOutput(io.StringIO):
    """The stand-in for a standard output that was closed before the run began."""

    def write(self, text: str = "") -> int:
        raise OSError(errno.EBADF, "it is closed")

    def fileno(self) -> int:
        return self.write()


def _style(stream: IO[str], when: str, environ: Mapping[str, str]) -> Style:
    terminal = _is_terminal(stream)
    able = environ.get("TERM", "") != "dumb"
    width = _width(stream, environ) if terminal else None
    return Style(_has_color(terminal and able, when, environ), terminal and able, width)


def _has_color(terminal: bool, when: str, environ: Mapping[str, str]) -> bool:
    """Whether to use colour: by `--color`, then NO_COLOR, CLICOLOR_FORCE, the terminal."""
    if when != "auto":
        return when == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return terminal and environ.get("CLICOLOR") != "0"


def _width(stream: IO[str], environ: Mapping[str, str]) -> int:
    columns = environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and 0 < int(columns) < 10_000:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT_WIDTH
    except (OSError, ValueError):
        return _DEFAULT_WIDTH


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


class Call(NamedTuple):
    """One call of a command: its words, the values of its options, its console and settings."""

    words: tuple[str, ...]
    values: Mapping[str, Any]
    console: Console
    settings: Mapping[str, object]

    def on(self, name: str) -> bool:
        """Whether a switch was given."""
        return bool(self.values.get(name))

    def print(
        self, report: T, record: Callable[[T], object], text: Callable[[T, Style], str]
    ) -> None:
        """Print a report: as a JSON object under `--json`, else as text."""
        if self.console.json:
            self.console.write_json(record(report))
        else:
            self.console.write(text(report, self.console.style))


def output_of(call: Call, usual: str, json_forms: Sequence[str] = ("json",)) -> str:
    """Return the form of the output; under `--json` one of `json_forms`, the first without -o.

    Raises:
        UsageError: -o asks for another form.
    """
    chosen: str | None = call.values.get("output")
    if not call.on("json"):
        return chosen or usual
    if chosen not in (None, *json_forms):
        raise UsageError(f"--json and -o {chosen} ask for different output")
    return chosen or json_forms[0]


def exclude_pairs(call: Call, pairs: Iterable[tuple[str, str]]) -> None:
    """Check that of each pair of options, by name, at most one was given.

    Raises:
        UsageError: both options of a pair were given.
    """
    for pair in pairs:
        if all(name in call.values for name in pair):
            first, other = (f"--{name.replace('_', '-')}" for name in pair)
            raise UsageError(f"{first} and {other} exclude each other")


def request_of(call: Call, kind: Callable[..., Built], **overrides: Any) -> Built:
    """Return a request of a kind: its fields from options of the same names, and `overrides`."""
    fields: Sequence[str] = kind._fields  # type: ignore[attr-defined]
    values = {name: value for name, value in call.values.items() if name in fields}
    values |= {"refresh": False} if call.on("no_refresh") and "refresh" in fields else {}
    return kind(**(values | overrides))


def perform(call: Call, use_case: UseCase[Request, Response], request: Request) -> Response:
    """Return the answer of a use case in the folder's project, with `--at` as at that revision.

    After a ConfirmationError the user is asked, and the use case runs again with the request
    `confirmed` if the answer is yes. Without a terminal the error is raised. The hints of opening
    the project are printed at the end.
    """
    hints: list[Hint] = []
    project = project_of(call, report_hint=hints.append)
    if "at" in call.values:
        from leafmark.app.history import project_at  # late: revisions are rarely used

        with progress_line(call) as progress:
            project = project_at(project, call.values["at"], progress=progress)

    def run(request: Request) -> Response:
        with progress_line(call) as progress:
            return use_case(project, request, progress=progress)

    try:
        return run(_confirmed(request) if call.on("yes") else request)
    except NotFoundError as error:
        raise (error.exit_code == 1 and unread_error(call, call.words[0])) or error from None
    except ConfirmationError as error:
        if not call.console.ask(f"{error.message}. Go on?"):
            raise
        return run(_confirmed(request))
    finally:
        for hint in hints:
            call.console.hint(word_hint(hint))


def _confirmed(request: Any) -> Any:
    """Return a request, or the search in it, with the user's consent to index a large folder."""
    if "confirmed" in request._fields:
        return request._replace(confirmed=True)
    return (
        request._replace(search=_confirmed(request.search))
        if hasattr(request, "search")
        else request
    )


def project_of(call: Call, *, report_hint: Callable[[Hint], None] | None = None) -> Project:
    """Return the project of the folder that a command works in; see `open_project`."""
    from leafmark.app import open_project

    console = call.console
    return open_project(
        console.directory, flags=call.settings, environ=console.environ, report_hint=report_hint
    )


def unread_error(call: Call, name: str) -> NotFoundError | None:
    """Return the error for an id whose file exists but is not indexed; None for others."""
    from leafmark.app import explain_unread

    return explain_unread(project_of(call), name)


@contextlib.contextmanager
def progress_line(call: Call, *, visible: bool = True) -> Iterator[Progress | None]:
    """Yield a line of progress on a terminal; None without a terminal or if not `visible`."""
    console = call.console
    if not visible or console.quiet or not console.err_style.can_redraw:
        yield None
        return
    line = ProgressLine(console.note, time.monotonic, console.err_style)
    try:
        yield line
    finally:
        line.clear()
