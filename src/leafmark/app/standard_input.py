"""Read standard input, which the argument `-` stands for, and named files, up to a limit.

Without a limit, a device or a pipe that is never closed would fill the memory.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from leafmark.errors import UsageError, unreadable

_PLACE = "standard input"

MAX_BYTES = 1 << 28
"""The limit in bytes or characters; a transcript of a long session has some tens of millions."""
PORTION_BYTES = 1 << 20


def check_once(words: Sequence[str]) -> None:
    """Raise a UsageError if `-` stands for standard input more than once."""
    if words.count("-") > 1:
        raise UsageError("standard input can be read only once", hint="give - a single time")


def read_bytes(limit: int | None = None) -> bytes:
    """Return the bytes of standard input, or the first `limit` of them.

    Raises:
        UsageError: it is closed, or larger than `MAX_BYTES`.
        StorageError: it cannot be read.
    """
    stream = _stream()
    raw = getattr(stream, "buffer", None)
    try:
        if raw is None:
            return stream.read().encode()
        return _whole(raw, _PLACE) if limit is None else bytes(raw.read(limit))
    except OSError as error:
        raise unreadable(error, _PLACE) from error


def read_named(path: Path, name: str) -> bytes:
    """Return the bytes of a file or pipe that the user called `name`.

    Raises:
        UsageError: it is larger than `MAX_BYTES`.
        OSError, ValueError: it cannot be read.
    """
    with open(path, "rb") as file:
        return _whole(file, name)


def _whole(file: IO[bytes], place: str) -> bytes:
    """Return all bytes, read in portions, since the system allocates the requested size at once.

    A short portion is the last one: another read from a terminal would need a second Ctrl-D.
    """
    portions = [file.read(PORTION_BYTES)]
    while len(portions[-1]) == PORTION_BYTES:
        if len(portions) * PORTION_BYTES > MAX_BYTES:
            raise _too_large(place)
        portions.append(file.read(PORTION_BYTES))
    return b"".join(portions)


def _too_large(place: str) -> UsageError:
    return UsageError(f"there are more than {MAX_BYTES:,} bytes to read", location=place)


def read_text() -> str:
    """Return the text of standard input; invalid bytes are surrogate escapes, as in file names."""
    stream = _stream()
    reconfigure: Any = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="surrogateescape")
    try:
        text = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise unreadable(error, _PLACE) from error
    if len(text) > MAX_BYTES:
        raise _too_large(_PLACE)
    return text


def listed(words: Sequence[str]) -> Iterator[str]:
    """Yield the words that are not blank; `-` stands for the lines of standard input.

    Raises:
        UsageError: as `read_bytes`, or `-` appears twice.
        StorageError: as `read_bytes`.
    """
    check_once(words)
    for word in words:
        # not `splitlines`: a file name may contain U+2028
        lines = read_text().split("\n") if word == "-" else [word]
        yield from (line for line in lines if line.strip())


def _stream() -> IO[str]:
    if sys.stdin is None:
        raise UsageError("there is no standard input")
    return sys.stdin
