"""What comes on standard input, for the arguments that `-` stands for."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import IO, Any

from leafmark.errors import UsageError, unreadable

__all__ = ["listed", "read_bytes", "read_text"]

_PLACE = "standard input"


def read_bytes(limit: int = -1) -> bytes:
    """Return the bytes, at most `limit` of them; -1 stands for all.

    Raises:
        UsageError: it is closed.
        StorageError: it cannot be read.
    """
    stream = _stream()
    raw = getattr(stream, "buffer", None)
    try:
        data: bytes = stream.read().encode() if raw is None else raw.read(limit)
    except OSError as error:
        raise unreadable(error, _PLACE) from error
    return data


def read_text() -> str:
    """Return the text; bytes that are none are surrogate escapes, as file names have them.

    Raises:
        UsageError, StorageError: as in `read_bytes`.
    """
    stream = _stream()
    reconfigure: Any = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="surrogateescape")
    try:
        return stream.read()
    except OSError as error:
        raise unreadable(error, _PLACE) from error


def listed(words: Iterable[str]) -> Iterator[str]:
    """Yield the words that are not blank; `-` stands for those on standard input, one a line.

    Raises:
        UsageError, StorageError: as in `read_bytes`.
    """
    for word in words:
        # not at U+2028 and its like, which a file name may hold
        lines = read_text().split("\n") if word == "-" else [word]
        yield from (line for line in lines if line.strip())


def _stream() -> IO[str]:
    if sys.stdin is None:
        raise UsageError("there is no standard input")
    return sys.stdin
