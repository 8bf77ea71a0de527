"""How an index was opened, and how it is held open and kept fresh for many threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Lock
from weakref import WeakSet

from leafmark.app import Project, index_project, open_project
from leafmark.app.answering.opening import open_index
from leafmark.app.configuration.kept import KeptReader
from leafmark.app.requests import IndexRequest, ListRequest, Progress
from leafmark.environment import reset_after_fork
from leafmark.errors import ConfirmationError, NotFoundError, UsageError
from leafmark.model import Hint, IndexReport

__all__ = ["Held", "Opened", "index_for_program"]

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


class Held:
    """The project of an index, with a reader that stays open, until it is closed."""

    def __init__(self, opened: Opened):
        self.opened = opened
        self._project: Project | None = opened.project()
        self._freshness = _Freshness(opened)
        _HELD.add(self)

    @property
    def is_closed(self) -> bool:
        return self._project is None

    def close(self) -> None:
        """Let go of the index; calls that are running end undisturbed."""
        project, self._project = self._project, None
        if project is not None and project.kept is not None:
            project.kept.close()

    def project(self) -> Project:
        """Return the project.

        Raises:
            UsageError: it is closed.
        """
        project = self._project
        if project is None:
            message = f"the index of {self.opened.folder} is closed"
            raise UsageError(message, hint="open it again")
        return project

    def refresh(self, progress: Progress | None, *, rebuild: bool) -> IndexReport:
        """Bring the index up to date, and report what was done."""
        return self._freshness.refresh(self.project(), progress, rebuild=rebuild)

    def read(self) -> tuple[Project, tuple[Hint, ...]]:
        """Return the project, its index fresh where wished; hints say why it could not be."""
        project = self.project()
        return project, self._freshness.ensure(project)

    def reset(self) -> None:
        """Share nothing with the process that this one was forked of."""
        if self._project is not None:
            self._project = self.opened.kept_open(self._project)
        self._freshness = _Freshness(self.opened)


_HELD: WeakSet[Held] = WeakSet()


@reset_after_fork
def _begin_all_anew() -> None:
    """In a forked child: a lock that another thread of the parent held is never let go here."""
    for held in _HELD:
        held.reset()


class _Freshness:
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
