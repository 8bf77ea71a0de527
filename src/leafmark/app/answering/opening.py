"""Open the index to read from: fresh where possible, and saying so where not."""

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
    """What a request says of the index: whether to refresh it first, and a large folder at all."""

    @property
    def refresh(self) -> bool: ...
    @property
    def confirmed(self) -> bool: ...


UseCase = TypeVar("UseCase", bound=Callable[..., Any])


def open_index(
    project: Project, request: Asking, progress: Progress | None = None
) -> tuple[IndexReader, tuple[Hint, ...]]:
    """Return a reader, refreshed first if that is asked for; hints say why it could not be.

    Where the index cannot be brought up to date but a committed state exists,
    that state answers. Where there is none, the writer that makes it is waited for.

    Raises:
        ConfirmationError: see `check_large_folder`.
        NotFoundError: there is no index, and none was to be made.
        LockedError, StorageError, DamagedError: there is no state to answer from.
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
    """Let a use case answer once more where what it read is damaged, or another by now.

    Damage is noted when it is met: where the index is refreshed before an answer, it is made
    anew then, and a hint says why.
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


def open_telling(project: Project, request: Asking, progress: Progress | None) -> IndexReader:
    """Return what `open_index` does, for an answer without hints: they go to `project.tell`.

    So does what of the configuration is not looked at: of a tree that was left out, there
    seems to be nothing else. And so does what a part of a cluster did not answer.
    """
    reader, hints = open_index(project, request, progress)
    tell_hints(project, (*hints, *left_out_hints(project)))
    if project.remote is not None:
        snapshot = cast("RemoteSnapshot", reader)
        snapshot.when_partial = lambda: tell_hints(project, [Hint("partial")])
    return reader


def tell_hints(project: Project, hints: Iterable[Hint]) -> None:
    """Give hints to `project.tell`, where no answer holds them."""
    if project.tell is not None:
        for hint in hints:
            project.tell(hint)


def left_out_hints(project: Project) -> tuple[Hint, ...]:
    """What was not looked at, and why: else it seems that a word does not exist."""
    warnings, folders = project.configuration.warnings, project.missing_trees()
    left_out = [Hint("configuration", values={"warning": warning}) for warning in warnings]
    missing = [Hint("tree-missing", values={"note": note}) for note in folders]
    emptied = read_missing(project.index_dir).values()
    missing += [Hint("tree-emptied", values={"note": note}) for note in emptied]
    none = [] if project.trees else [Hint("no-trees")]
    return (*left_out, *missing, *none)


def _first_state(project: Project, progress: Progress | None) -> IndexReader:
    """Return the index when whoever makes it is done, brought up to date.

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
