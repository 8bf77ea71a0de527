"""A source that cannot be read or that breaks leafmark becomes a diagnostic; the others go on.

What the system refused is told apart from what a source breaks: it may have passed later.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import TypeVar

from leafmark.errors import LeafmarkError, reason_of
from leafmark.index import is_panic
from leafmark.model import NO_MEMORY, UNREADABLE, Diagnostic

__all__ = ["unless_broken", "unread"]

T = TypeVar("T")


def unread(path: str, error: OSError | MemoryError) -> Diagnostic:
    """Return what is said of a file that cannot be read."""
    return _refused(path, error, "read")


def _refused(path: str, error: OSError | MemoryError, done: str) -> Diagnostic:
    """Return what is said of a file for which the system did not give what it takes."""
    if isinstance(error, MemoryError) or error.errno == errno.ENOMEM:
        return Diagnostic(path, NO_MEMORY, f"the file cannot be {done}: not enough memory")
    return Diagnostic(path, UNREADABLE, f"the file cannot be {done}: {reason_of(error)}")


def unless_broken(make: Callable[[], T], path: str, done: str) -> T | Diagnostic:
    """Return what `make` gives; where the system or a bug stops it, what is said of that.

    `done` is what should have been done with the file: `chunked`.

    Raises:
        LeafmarkError: the settings are wrong, for any source.
    """
    try:
        return make()
    except LeafmarkError:
        raise
    except (OSError, MemoryError) as error:
        return _refused(path, error, done)
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        reason = f"the file cannot be {done}: {type(error).__name__}: {error}".rstrip(": ")
        return Diagnostic(path, "failed", reason)
