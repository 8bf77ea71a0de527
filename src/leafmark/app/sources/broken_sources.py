"""A source that cannot be read or that breaks leafmark becomes a diagnostic; the others go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from leafmark.errors import LeafmarkError, reason_of
from leafmark.index import is_panic
from leafmark.model import Diagnostic

__all__ = ["unless_broken", "unread"]

T = TypeVar("T")


def unread(path: str, error: OSError) -> Diagnostic:
    """Return what is said of a file that cannot be read."""
    return Diagnostic(path, "unreadable", f"the file cannot be read: {reason_of(error)}")


def unless_broken(make: Callable[[], T], path: str, done: str) -> T | Diagnostic:
    """Return what `make` gives; where a bug of ours or of a parser stops it, what is said of that.

    `done` is what should have been done with the file: `chunked`.

    Raises:
        LeafmarkError: the settings are wrong, for any source.
    """
    try:
        return make()
    except LeafmarkError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        reason = f"the file cannot be {done}: {type(error).__name__}: {error}".rstrip(": ")
        return Diagnostic(path, "failed", reason)
