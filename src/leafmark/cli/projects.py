"""What every command on a project does: open it, show progress, ask before a large run."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

from leafmark.cli.options import Call
from leafmark.errors import ConfirmationError
from leafmark.render.hints import word_hint
from leafmark.render.progress import ProgressLine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leafmark.app import Project
    from leafmark.app.requests import Progress
    from leafmark.model import Hint

    Request = TypeVar("Request", contravariant=True)
    Answered = TypeVar("Answered", covariant=True)

    class UseCase(Protocol[Request, Answered]):
        def __call__(
            self, project: Project, request: Request, *, progress: Progress | None
        ) -> Answered: ...


__all__ = ["perform", "progress_line", "project_of"]


def perform(
    call: Call, use_case: UseCase[Request, Answered], request: Callable[[bool], Request]
) -> Answered:
    """Return what a use case answers in the folder's project; `request` is given `confirmed`.

    Where it raises ConfirmationError, the user is asked, and it runs again with
    `confirmed` if the answer is yes. Without a terminal the error stands. What the
    answer has no place for is told at the end.
    """
    told: list[Hint] = []
    project = project_of(call, tell=told.append)

    def run(confirmed: bool) -> Answered:
        with progress_line(call) as progress:
            return use_case(project, request(confirmed), progress=progress)

    try:
        return run(call.on("yes"))
    except ConfirmationError as error:
        if not call.console.ask(f"{error.message}. Go on?"):
            raise
        return run(True)
    finally:
        for hint in told:
            call.console.hint(word_hint(hint))


def project_of(call: Call, *, tell: Callable[[Hint], None] | None = None) -> Project:
    """Return the project of the folder that a command works in; see `open_project`."""
    from leafmark.app import open_project

    console = call.console
    return open_project(console.directory, flags=call.settings, environ=console.environ, tell=tell)


@contextmanager
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
