"""One command as it was called: its values, where it prints, and the project it works on.

Data go to standard output, all else to standard error.

Decides colour, links and width from the streams and the environment, and keeps
odd encodings, closed pipes and full disks from ending in a traceback.
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
from leafmark.render.hints import word_hint
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
    Answered = TypeVar("Answered", covariant=True)
    Made = TypeVar("Made")

    class UseCase(Protocol[Request, Answered]):
        def __call__(
            self, project: Project, request: Request, *, progress: Progress | None
        ) -> Answered: ...


INTERRUPTED = 130
"""The exit code of a command that the user ended, as shells have it."""

_DEFAULT_WIDTH = 80
_DIAGNOSTICS_SHOWN = 10
"""How many are printed without -v; chosen by eye."""


class Console(NamedTuple):
    """The streams of one run, and how to print on them.

    `directory` is the folder that the command works in.
    """

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
            BrokenPipeError: nobody reads any more.
            StorageError: the output cannot take it.
        """
        try:
            if text:
                self.out.write(text)
        except OSError as error:
            raise undelivered(error) from error

    def write_json(self, value: Any) -> None:
        self.write(dump_json(value, ascii_only=self.ascii_only))

    def write_listing(self, head: Mapping[str, Any], name: str, rows: Iterable[Any]) -> None:
        """Print `head` as JSON with the list `rows` as its last key, as the rows come."""
        for part in iter_json(head, name, rows, ascii_only=self.ascii_only):
            self.write(part)

    def write_line(self, value: Any) -> None:
        """Print JSON on one line."""
        self.write(dump_line(value, ascii_only=self.ascii_only))

    @property
    def ascii_only(self) -> bool:
        """Whether the output takes other characters than ASCII only in part."""
        encoding = (getattr(self.out, "encoding", None) or "utf-8").lower()
        return encoding.replace("-", "").replace("_", "") != "utf8"

    def encodable(self, text: str) -> str:
        """Return what `write` writes: characters that the output lacks are escapes there."""
        if not self.ascii_only:
            return text
        encoding = getattr(self.out, "encoding", None) or "utf-8"
        return text.encode(encoding, "backslashreplace").decode(encoding)

    def write_names(self, text: str) -> None:
        """Print names of files as the system has them, whatever the output takes."""
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
            raise undelivered(error) from error

    def note(self, text: str) -> None:
        """Print something about the run, after what was printed so far, unless it is to be quiet.

        Raises BrokenPipeError or StorageError when that cannot be delivered.
        """
        if not self.quiet:
            self.flush()
            self._tell(text)

    def hint(self, message: str) -> None:
        self.note(render_hint(message, self.err_style))

    def warn(self, message: str, location: str | None = None) -> None:
        self.note(render_warning(message, self.err_style, location))

    def skipped(self, files: Iterable[Skipped]) -> None:
        for file in files:
            self.note(f"skipped {clean_line(file.path)}: {clean_line(file.reason)}\n")

    def diagnostics(self, found: Sequence[Diagnostic]) -> None:
        """Print the first diagnostics, and how many more there are; all of them with -v."""
        shown = len(found) if self.verbose else _DIAGNOSTICS_SHOWN
        for diagnostic in found[:shown]:
            self.note(render_diagnostic(diagnostic, self.err_style))
        left = len(found) - shown
        if left > 0:
            verb = "is" if left == 1 else "are"
            self.hint(f"there {verb} {count_of(left, 'more diagnostic')}: -v prints them all")

    def error(self, error: LeafmarkError) -> None:
        """Print an error: as JSON on standard output under `--json`, else as text.

        It is one line, as whoever reads JSONL takes one line at a time.
        """
        if self.json:
            self.write_line(error_record(error))
        else:
            with contextlib.suppress(OSError):  # that it cannot be written may be the error
                self.out.flush()
            self.complain(error)

    def flush(self) -> None:
        """Raises BrokenPipeError or StorageError when what was printed cannot be delivered."""
        try:
            self.out.flush()
        except OSError as error:
            raise undelivered(error) from error

    def ask(self, question: str) -> bool | None:
        """Ask on the terminal; None when there is none to ask on."""
        if self.quiet or not (_is_terminal(sys.stdin) and _is_terminal(self.err)):
            return None
        self._tell(f"{question} [y/N] ")
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    def complain(self, error: LeafmarkError) -> None:
        """Print an error as text, also under `--json` and `--quiet`."""
        self._tell(render_error(error, self.err_style))

    def _tell(self, text: str) -> None:
        """Print on standard error; one that is closed or full loses the text, not the run."""
        try:
            self.err.write(text)
            self.err.flush()
        except (OSError, ValueError):
            return


def undelivered(error: OSError) -> BrokenPipeError | StorageError:
    """Return what to raise where output failed: whether nobody reads, or it cannot be taken."""
    if is_closed_pipe(error):
        return BrokenPipeError(*error.args)
    message = f"the output could not be written: {reason_of(error)}"
    return StorageError(message, location="standard output")


def open_console(values: Mapping[str, Any], environ: Mapping[str, str], *, json: bool) -> Console:
    """Return the console for the common options in `values`."""
    if sys.platform == "win32":  # whose consoles print escapes as they are until asked to heed them
        from colorama import just_fix_windows_console

        just_fix_windows_console()
    out, err = _stream(sys.stdout) or _Closed(), _stream(sys.stderr) or io.StringIO()
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
    """The stream, printing what its encoding lacks as escapes; None for one that is closed."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace", newline="\n")
    return stream  # type: ignore[no-any-return]


class _Closed(io.StringIO):
    """What stands for a standard output that was closed before the run began."""

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
    """`--color` decides first, then NO_COLOR, then CLICOLOR_FORCE, then the terminal."""
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
    """One command as called: its words, the values of the options given, and where it talks to."""

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


def output_of(call: Call, usual: str, of_json: Sequence[str] = ("json",)) -> str:
    """Return the form of the output; under `--json` one of those `of_json`, the first without -o.

    Raises:
        UsageError: another one was asked for, too.
    """
    chosen: str | None = call.values.get("output")
    if not call.on("json"):
        return chosen or usual
    if chosen not in (None, *of_json):
        raise UsageError(f"--json and -o {chosen} ask for different output")
    return chosen or of_json[0]


def exclude_each_other(call: Call, pairs: Iterable[tuple[str, str]]) -> None:
    """Refuse the first pair of options, by name, of which both were given.

    Raises:
        UsageError: there is one.
    """
    for pair in pairs:
        if all(name in call.values for name in pair):
            one, other = (f"--{name.replace('_', '-')}" for name in pair)
            raise UsageError(f"{one} and {other} exclude each other")


def request_of(call: Call, kind: Callable[..., Made], **given: Any) -> Made:
    """Return a request of a kind: what the options say by the names of its fields, and `given`."""
    fields: Sequence[str] = kind._fields  # type: ignore[attr-defined]
    values = {name: value for name, value in call.values.items() if name in fields}
    values |= {"refresh": False} if call.on("no_refresh") and "refresh" in fields else {}
    return kind(**(values | given))


def perform(call: Call, use_case: UseCase[Request, Answered], request: Request) -> Answered:
    """Return what a use case answers in the folder's project.

    With `--at` it is the project as it was at that revision.

    Where it raises ConfirmationError, the user is asked, and it runs again with
    the request `confirmed` if the answer is yes. Without a terminal the error stands. What the
    answer has no place for is told at the end.
    """
    hints: list[Hint] = []
    project = project_of(call, tell=hints.append)
    if "at" in call.values:
        from leafmark.app.history import project_at  # late: few ask for a revision

        with progress_line(call) as progress:
            project = project_at(project, call.values["at"], progress=progress)

    def run(request: Request) -> Answered:
        with progress_line(call) as progress:
            return use_case(project, request, progress=progress)

    try:
        return run(_confirmed(request) if call.on("yes") else request)
    except NotFoundError as error:
        raise (error.exit_code == 1 and unread(call, call.words[0])) or error from None
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


def project_of(call: Call, *, tell: Callable[[Hint], None] | None = None) -> Project:
    """Return the project of the folder that a command works in; see `open_project`."""
    from leafmark.app import open_project

    console = call.console
    return open_project(console.directory, flags=call.settings, environ=console.environ, tell=tell)


def unread(call: Call, wanted: str) -> NotFoundError | None:
    """Return what to say of an id where its file is there, but left out; None where it is not."""
    from leafmark.app import explain_unread

    return explain_unread(project_of(call), wanted)


@contextlib.contextmanager
def progress_line(call: Call, *, wanted: bool = True) -> Iterator[Progress | None]:
    """A line of progress on a terminal; None where nobody looks at it."""
    console = call.console
    if not wanted or console.quiet or not console.err_style.can_redraw:
        yield None
        return
    line = ProgressLine(console.note, time.monotonic, console.err_style)
    try:
        yield line
    finally:
        line.clear()
