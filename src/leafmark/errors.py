"""Every exception that leafmark raises on purpose.

```
LeafmarkError
├── UsageError          the call itself is wrong: an option, an argument      exit 2
│   ├── ConfirmationError   the user has to confirm it first                  exit 2
│   └── BudgetError         the budget is too small for any answer            exit 2
├── QueryError          the query string cannot be understood                 exit 2
├── ConfigError         a configuration file or setting is wrong              exit 2
├── NotFoundError       no such id (exit 1), tree, folder, file               exit 2
├── AmbiguousError      an id that fits several chunks                        exit 2
├── LockedError         another process is writing the index                  exit 2
├── DamagedError        the index on disk is not what was written             exit 2
├── StorageError        the disk is full, a file cannot be written or read    exit 2
│   └── ChangedError        a document changed while it was read: try again   exit 2
├── ForbiddenError      the system or the trust rules forbid it               exit 2
└── ProviderError       an embedder or another configured service failed      exit 2
```

Content problems (broken markup, odd encodings) are not exceptions: they are `model.Diagnostic`
values in the result. An exception carries its parts as attributes; front ends word them.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import Any, Self

__all__ = [
    "MAKE_ROOM",
    "AmbiguousError",
    "BudgetError",
    "ChangedError",
    "ConfigError",
    "ConfirmationError",
    "DamagedError",
    "ForbiddenError",
    "LeafmarkError",
    "LockedError",
    "NotFoundError",
    "ProviderError",
    "QueryError",
    "Remedy",
    "StorageError",
    "UsageError",
    "is_closed_pipe",
    "reason_of",
    "refusal_of",
    "remedy_of",
    "unreadable",
]


class Remedy(str):
    """Advice to the user: a code with values, which a front end words in its own terms.

    The text itself suits any front end. The command line names its commands and options instead
    (`render.hints`), other front ends their own controls.
    """

    code: str
    values: Mapping[str, Any]

    def __new__(cls, code: str, text: str, /, **values: Any) -> Self:
        remedy = super().__new__(cls, text)
        remedy.code, remedy.values = code, values
        return remedy

    def __reduce__(self) -> tuple[Any, ...]:
        return _remedy, (self.code, str(self), dict(self.values))


def _remedy(code: str, text: str, values: Mapping[str, Any]) -> Remedy:
    return Remedy(code, text, **values)


class LeafmarkError(Exception):
    """What happened (`message`), where (`location`), and what to do (`hint`)."""

    kind = "usage"
    exit_code = 2

    def __init__(self, message: str, *, location: str | None = None, hint: str | None = None):
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint

    def __str__(self) -> str:
        """The message with location and hint: the last line of a traceback."""
        return f"{self.placed_message}; {self.hint}" if self.hint else self.placed_message

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle all attributes: the constructors of some types need more than the message."""
        return _unpickle, (type(self), self.args), vars(self)

    @property
    def placed_message(self) -> str:
        """The message with the location in brackets, for a single line."""
        return f"{self.message} ({self.location})" if self.location else self.message


def _unpickle(kind: type[LeafmarkError], args: tuple[Any, ...]) -> LeafmarkError:
    return kind.__new__(kind, *args)


class UsageError(LeafmarkError):
    """The call itself is wrong: an option, an argument, a value out of its range."""


class ConfirmationError(UsageError):
    """The user has to confirm it first, with `confirmed` in the request (`--yes`)."""


class BudgetError(UsageError):
    """Even the smallest answer does not fit into `budget` tokens; `least` would suffice."""

    def __init__(self, budget: int, least: int):
        super().__init__(
            f"the answer does not fit into {budget} tokens",
            hint=Remedy("budget", f"max_tokens={least} is the least for it", least=least),
        )
        self.budget = budget
        self.least = least


class QueryError(LeafmarkError):
    """The query string cannot be understood.

    `query` is the string as given; `start` and `end` are character offsets of
    the half-open range at fault, `0 <= start <= end <= len(query)`.
    """

    kind = "query"

    def __init__(self, message: str, *, query: str, start: int, end: int, hint: str | None = None):
        super().__init__(message, location=f"query:{start + 1}", hint=hint)
        self.query = query
        self.start = start
        self.end = end


class ConfigError(LeafmarkError):
    """A configuration file or a setting is wrong; `location` is `path:line` where known.

    `fields` are the names of the wrong settings, if they did not come from a file.
    """

    kind = "config"

    def __init__(
        self,
        message: str,
        *,
        location: str | None = None,
        hint: str | None = None,
        fields: tuple[str, ...] = (),
    ):
        super().__init__(message, location=location, hint=hint)
        self.fields = fields


class NotFoundError(LeafmarkError):
    """No such id, tree or file; `did_you_mean` holds the nearest names, best first.

    An unknown id is an answer (exit code 1); the others are mistakes.
    """

    kind = "not_found"

    def __init__(
        self,
        message: str,
        *,
        did_you_mean: tuple[str, ...] = (),
        location: str | None = None,
        hint: str | None = None,
        exit_code: int = 2,
    ):
        super().__init__(message, location=location, hint=hint)
        self.did_you_mean = did_you_mean
        self.exit_code = exit_code


class AmbiguousError(LeafmarkError):
    """An id that fits several chunks; `candidates` holds their ids in order."""

    kind = "usage"

    def __init__(self, message: str, *, candidates: tuple[str, ...], hint: str | None = None):
        super().__init__(message, hint=hint)
        self.candidates = candidates


class LockedError(LeafmarkError):
    """Another process is writing the index."""

    kind = "locked"


class DamagedError(LeafmarkError):
    """The index on disk is not what was written."""

    kind = "damaged"


class StorageError(LeafmarkError):
    """The disk is full, or a file cannot be written or read."""

    kind = "io"


class ChangedError(StorageError):
    """A document changed while it was read; the same request again gets the new state."""


class ForbiddenError(LeafmarkError):
    """The system or the trust rules forbid it."""

    kind = "permission"


class ProviderError(LeafmarkError):
    """An embedder or another configured service failed."""

    kind = "provider"


WINDOWS = os.name == "nt"


def is_closed_pipe(error: OSError) -> bool:
    """Whether the reader of a pipe is gone: Windows reports that as an invalid argument.

    >>> is_closed_pipe(BrokenPipeError()), is_closed_pipe(OSError(28, "No space left on device"))
    (True, False)
    """
    return isinstance(error, BrokenPipeError) or (WINDOWS and error.errno == errno.EINVAL)


def reason_of(error: OSError | ValueError) -> str:
    """Return the system's reason, for the middle of a sentence; a ValueError is about the path.

    >>> reason_of(OSError(13, "Permission denied"))
    'permission denied'
    """
    return (getattr(error, "strerror", None) or str(error)).lower()


def unreadable(error: OSError | ValueError, location: str) -> StorageError:
    """Return the error to raise from `error` for an unreadable file."""
    return StorageError(f"the file cannot be read: {reason_of(error)}", location=location)


MAKE_ROOM = "make room on the disk, or move the index with `index.dir` or `LEAFMARK_HOME`"
_FILES = "end other programs, or allow more open files: `ulimit -n`"
_THREADS = "end other programs, or allow more processes: `ulimit -u`"
_MEMORY = "end other programs, or allow more memory: `ulimit -v`"
_LENGTH = "allow larger files: `ulimit -f`"

_REFUSALS = {
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.ENOMEM: _MEMORY,
    errno.EAGAIN: _THREADS,
    errno.ENOSPC: MAKE_ROOM,
    getattr(errno, "EDQUOT", errno.ENOSPC): MAKE_ROOM,
    errno.EFBIG: _LENGTH,
    errno.EROFS: None,
    errno.EIO: None,
}
"""Advice by the `errno` of system failures that can occur anywhere; None if there is none."""


def remedy_of(number: int) -> str | None:
    """Return the advice for an `errno` of the system, None if there is none.

    >>> remedy_of(24)
    'end other programs, or allow more open files: `ulimit -n`'
    """
    return _REFUSALS.get(number)


def refusal_of(error: BaseException) -> StorageError | None:
    """Return the error for a failure of the system, such as too many open files; None for a bug.

    >>> refusal_of(OSError(24, "Too many open files", "a.md"))
    StorageError('the system refused: too many open files')
    >>> refusal_of(KeyError("a")) is None
    True
    """
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(refusal_of, error.exceptions)), None)
    if isinstance(error, MemoryError):
        return StorageError("there is not enough memory", hint=_MEMORY)
    if isinstance(error, OSError) and error.errno in _REFUSALS:
        where = None if error.filename is None else os.fsdecode(error.filename)
        message = f"the system refused: {reason_of(error)}"
        return StorageError(message, location=where, hint=_REFUSALS[error.errno])
    if isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
        return StorageError("the system refused: no more threads", hint=_THREADS)
    return None


_NO_THREAD = "can't start new thread"
"""Python's whole message when the system refuses a thread."""
