"""What every command on an index does: open the project, show progress, ask before a large run."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from leafmark.cli.options import Call
from leafmark.errors import ConfirmationError
from leafmark.render.progress import ProgressLine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leafmark.app import Project
    from leafmark.app.requests import Progress
    from leafmark.model import Hint

__all__ = ["progress_line", "with_project"]

Answered = TypeVar("Answered")


def with_project(
    call: Call, use_case: Callable[[Project, Progress | None, bool], Answered]
) -> Answered:
    """Run `use_case(project, progress, confirmed)` on the folder's project.

    Where it raises ConfirmationError, the user is asked, and it runs again with
    `confirmed` if the answer is yes. Without a terminal the error stands. What the
    answer has no place for is told at the end.
    """
    from leafmark.app import open_project

    console = call.console
    told: list[Hint] = []
    project = open_project(
        console.directory, flags=call.settings, environ=console.environ, tell=told.append
    )
    confirmed = call.on("yes")
    try:
        return _run(call, use_case, project, confirmed)
    except ConfirmationError as error:
        if not console.ask(f"{error.message}. Go on?"):
            raise
        return _run(call, use_case, project, True)
    finally:
        for hint in told:
            console.hint(hint.message)


def _run(
    call: Call,
    use_case: Callable[[Project, Progress | None, bool], Answered],
    project: Project,
    confirmed: bool,
) -> Answered:
    with progress_line(call) as progress:
        return use_case(project, progress, confirmed)


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
