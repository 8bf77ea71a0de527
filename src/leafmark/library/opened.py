"""How an index was opened, and how it is kept fresh for many threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Lock

from leafmark.app import Project, index_project, open_project
from leafmark.app.answering.opening import open_index
from leafmark.app.configuration.kept import KeptReader
from leafmark.app.requests import IndexRequest, ListRequest, Progress
from leafmark.errors import ConfirmationError, NotFoundError
from leafmark.model import Hint, IndexReport

__all__ = ["Freshness", "Opened", "index_for_program"]

_CONFIRM = "pass confirmed=True to index it all the same, or open a smaller folder"
_NO_INDEX = "call `refresh()` first, or open the index with fresh=True"


class Opened:
    """How an index was opened: what it takes to open it again, in another process too."""

    def __init__(self, folder: Path, config: dict[str, object], fresh: bool, confirmed: bool):
        self.folder = folder
        self.config = config
        self.fresh = fresh
        self.confirmed = confirmed

    def project(self) -> Project:
        return self.kept_open(
            open_project(self.folder, flags=self.config, environ=dict(os.environ))
        )

    def kept_open(self, project: Project) -> Project:
        """Return the project with a reader of its own that stays open between calls."""
        return replace(project, kept=KeptReader())


class Freshness:
    """The state of an index's sources: one thread at a time looks for changed files."""

    def __init__(self, opened: Opened):
        self._opened = opened
        self._refreshing = Lock()
        self._calls: Iterator[int] = count()
        self._looked = -1
        self._notes: tuple[Hint, ...] = ()

    def refresh(self, project: Project, progress: Progress | None, *, rebuild: bool) -> IndexReport:
        """Bring the index up to date, and report what was done."""
        request = IndexRequest(rebuild=rebuild, confirmed=self._opened.confirmed)
        with self._refreshing, _confirmable():
            return index_for_program(project, request, progress)

    def ensure(self, project: Project) -> tuple[Hint, ...]:
        """Have the index fresh, where that is wished; hints say why it could not be.

        Raises:
            NotFoundError: there is no index, and none was to be made.
        """
        if self._opened.fresh:
            return self._freshen(project)
        if not project.is_indexed:
            where = str(self._opened.folder)
            raise NotFoundError("there is no index yet", location=where, hint=_NO_INDEX)
        return ()

    def _freshen(self, project: Project) -> tuple[Hint, ...]:
        """Look for changed files, unless another thread did since we were asked to."""
        asked = next(self._calls)
        with self._refreshing:
            if self._looked <= asked:
                looking = next(self._calls)
                with _confirmable():
                    request = ListRequest(confirmed=self._opened.confirmed)
                    _, self._notes = open_index(project, request)
                self._looked = looking
            return self._notes


def index_for_program(
    project: Project, request: IndexRequest, progress: Progress | None = None
) -> IndexReport:
    """Index, for a program that is to end where Ctrl-C ends it.

    Raises:
        KeyboardInterrupt: it was pressed; what was done till then is kept.
    """
    report = index_project(project, request, progress=progress)
    if report.interrupted:
        raise KeyboardInterrupt
    return report


@contextmanager
def _confirmable() -> Iterator[None]:
    """Say how a program confirms, where the use case says it of the command line."""
    try:
        yield
    except ConfirmationError as error:
        raise ConfirmationError(error.message, hint=_CONFIRM) from None
