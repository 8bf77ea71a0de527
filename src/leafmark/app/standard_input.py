"""What comes on standard input, for the arguments that `-` stands for, and in named files.

None of it is read without end: a device and a pipe that nobody closes would fill the memory.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from leafmark.errors import UsageError, unreadable

_PLACE = "standard input"

MAX_BYTES = 1 << 28
"""Bytes, or characters, that are read at most: more than any text, list or query has.

A transcript of a long session has some tens of millions.
"""
PORTION_BYTES = 1 << 20


def check_once(words: Sequence[str]) -> None:
    """Raise a UsageError where `-` stands for standard input more than once."""
    if words.count("-") > 1:
        raise UsageError("standard input can be read only once", hint="name - a single time")


def read_bytes(limit: int | None = None) -> bytes:
    """Return the bytes, at most `limit` of them; None stands for all.

    Raises:
        UsageError: it is closed, or has no end.
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
    """Return the bytes of the file that was named so, which may be a pipe.

    Raises:
        UsageError: it is too large, or has no end.
        OSError, ValueError: it cannot be read.
    """
    with open(path, "rb") as file:
        return _whole(file, name)


def _whole(file: IO[bytes], place: str) -> bytes:
    """Return all bytes, read by portions: what is asked for at once is allocated at once.

    One that is short is the last: to ask a terminal again would want another Ctrl-D.
    """
    portions = [file.read(PORTION_BYTES)]
    while len(portions[-1]) == PORTION_BYTES:
        if len(portions) * PORTION_BYTES > MAX_BYTES:
            raise _endless(place)
        portions.append(file.read(PORTION_BYTES))
    return b"".join(portions)


def _endless(place: str) -> UsageError:
    return UsageError(f"there are more than {MAX_BYTES:,} bytes to read", location=place)


def read_text() -> str:
    """Return the text; bytes that are none are surrogate escapes, as file names have them."""
    stream = _stream()
    reconfigure: Any = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="surrogateescape")
    try:
        text = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise unreadable(error, _PLACE) from error
    if len(text) > MAX_BYTES:
        raise _endless(_PLACE)
    return text


def listed(words: Sequence[str]) -> Iterator[str]:
    """Yield the words that are not blank; `-` stands for those on standard input, one a line.

    Raises:
        UsageError: as in `read_bytes`, or `-` is there twice.
        StorageError: as in `read_bytes`.
    """
    check_once(words)
    for word in words:
        # not at U+2028 and its like, which a file name may hold
        lines = read_text().split("\n") if word == "-" else [word]
        yield from (line for line in lines if line.strip())


def _stream() -> IO[str]:
    if sys.stdin is None:
        raise UsageError("there is no standard input")
    return sys.stdin
