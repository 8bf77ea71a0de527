"""Open the index for reading, up to date if possible, else with hints that say why not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from leafmark.app.configuration.project import Project
from leafmark.app.indexing.refreshing import check_large_folder, refresh
from leafmark.app.requests import Progress
from leafmark.errors import (
    ChangedError,
    DamagedError,
    ForbiddenError,
    LockedError,
    NotFoundError,
    Remedy,
    StorageError,
)
from leafmark.index import IndexReader
from leafmark.index.folder import read_missing
from leafmark.model import Hint

if TYPE_CHECKING:
    from leafmark.index.remote import RemoteSnapshot

INDEX_FIRST = Remedy("index-first", "bring the index up to date first")
UNREADABLE = "the index was made by a version of leafmark whose indexes this one cannot read"

_OTHERS_STATE = Hint("of-another-leafmark")


class Asking(Protocol):
    """A request that says whether to refresh the index, and whether a large folder is fine."""

    @property
    def refresh(self) -> bool: ...
    @property
    def confirmed(self) -> bool: ...


UseCase = TypeVar("UseCase", bound=Callable[..., Any])


def open_index(
    project: Project, request: Asking, progress: Progress | None = None
) -> tuple[IndexReader, tuple[Hint, ...]]:
    """Return a reader, refreshed first if the request asks for it; hints say why it could not be.

    If the index cannot be brought up to date, the reader is of the last committed state. If there
    is none yet, wait for the process that is building it.

    Raises:
        ConfirmationError: see `check_large_folder`.
        NotFoundError: there is no index, and the request does not refresh it.
        LockedError, StorageError, DamagedError: there is no state to read.
    """
    if project.revision is not None or project.remote is not None:
        return project.open_reader(), ()  # others bring it up to date, or nobody needs to
    if not request.refresh:
        if not project.is_indexed:
            raise NotFoundError(
                UNREADABLE if project.was_indexed else "there is no index yet",
                location=str(project.directory),
                hint=INDEX_FIRST,
            )
        current = project.open_reader()
        return current, () if current.root == project.index_dir else (_OTHERS_STATE,)
    check_large_folder(project, confirmed=request.confirmed)
    try:
        refreshed = refresh(project, progress=progress)
    except (LockedError, StorageError, ForbiddenError) as error:
        reader = _committed(project)
        if reader is None and isinstance(error, LockedError):
            return _first_state(project, progress), ()
        if reader is None:
            raise
        code = "locked" if isinstance(error, LockedError) else "not-refreshed"
        return reader, (Hint(code, values={"reason": error.message}),)
    if refreshed.rebuilt is None:
        return refreshed.reader, ()
    return refreshed.reader, (Hint("indexed-anew", values={"reason": refreshed.rebuilt}),)


def mending(use_case: UseCase) -> UseCase:
    """Run a use case a second time if the index is damaged, or changed while it was read.

    Damage is recorded when it is detected: the second run rebuilds the index if the request
    refreshes it, and a hint says why.
    """

    @wraps(use_case)
    def answer(project: Project, request: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return use_case(project, request, *args, **kwargs)
        except ChangedError:  # others write to a cluster while it is read
            pass
        except Exception as error:
            if project.revision is not None or project.remote is not None:
                raise
            from leafmark.index.embedded.checking import damage_behind  # late: it is rarely needed

            damage = damage_behind(error, project.index_dir)
            if damage is None:
                raise
            if not getattr(request, "search", request).refresh:
                raise damage from error
        return use_case(project, request, *args, **kwargs)

    return cast("UseCase", answer)


def open_reporting(project: Project, request: Asking, progress: Progress | None) -> IndexReader:
    """Return the reader of `open_index`; for answers without hints, these go to the project.

    So do hints about ignored configuration, which would make a tree look empty, and about a part
    of a cluster that did not answer.
    """
    reader, hints = open_index(project, request, progress)
    report_hints(project, (*hints, *left_out_hints(project)))
    if project.remote is not None:
        snapshot = cast("RemoteSnapshot", reader)
        snapshot.when_partial = lambda: report_hints(project, [Hint("partial")])
    return reader


def report_hints(project: Project, hints: Iterable[Hint]) -> None:
    """Pass hints to `project.report_hint`, for answers that have no room for them."""
    if project.report_hint is not None:
        for hint in hints:
            project.report_hint(hint)


def left_out_hints(project: Project) -> tuple[Hint, ...]:
    """Return hints about sources that were not searched, so that no word seems not to exist."""
    warnings, folders = project.configuration.warnings, project.missing_trees()
    left_out = [Hint("configuration", values={"warning": warning}) for warning in warnings]
    missing = [Hint("tree-missing", values={"note": note}) for note in folders]
    emptied = read_missing(project.index_dir).values()
    missing += [Hint("tree-emptied", values={"note": note}) for note in emptied]
    none = [] if project.trees else [Hint("no-trees")]
    return (*left_out, *missing, *none)


def _first_state(project: Project, progress: Progress | None) -> IndexReader:
    """Wait until another process has built the index, bring it up to date, and return its reader.

    Raises:
        LockedError: that took longer than `index.lock_timeout_s`.
    """
    timeout_s = project.configuration.index.lock_timeout_s
    try:
        return refresh(project, progress=progress, timeout_s=timeout_s).reader
    except LockedError as error:
        raise LockedError(
            error.message,
            location=error.location,
            hint="it is being made, so nothing can be searched yet; "
            "`index.lock_timeout_s` says how long to wait",
        ) from error


def _committed(project: Project) -> IndexReader | None:
    try:
        return project.open_reader()
    except (DamagedError, StorageError, NotFoundError):
        return None
