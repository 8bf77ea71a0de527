"""Bytes that are known by length and digest only, found again in other bytes.

A citation does not hold what it cites, so the one way to find that again is to
hash what has its length. What is tried are, in order: the places that a caller
knows (the spans of chunks), lines, and in a source that is likely, every place.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

__all__ = [
    "MOST_HASHED",
    "Wanted",
    "effort",
    "find_among",
    "find_anywhere",
    "find_at_edges",
    "line_edges",
]

Wanted = Mapping[int, Collection[str]]
"""By length in bytes, the beginnings of hex digests of sha256, all of one length."""

MOST_HASHED = 1 << 28
"""Bytes that `find_anywhere` hashes at most: about a tenth of a second's work."""

_EACH = 2048
"""What trying a place costs beside its bytes, in bytes hashed (measured)."""

_EDGE = re.compile(rb"(?<=[\n\r>])|(?=<)|\Z")
_WORD_BYTES = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


def find_among(
    data: bytes, spans: Iterable[tuple[int, int]], wanted: Wanted
) -> Iterator[tuple[str, int, int]]:
    """Yield digest, start and end of those of the spans that hold what is wanted."""
    for start, end in dict.fromkeys(spans):
        digests = wanted.get(end - start)
        if digests and 0 <= start <= end <= len(data):
            digest = _digest(data, start, end, digests)
            if digest in digests:
                yield digest, start, end


def line_edges(data: bytes) -> list[int]:
    """Return where lines, and tags of markup, begin and end, in order."""
    return sorted({0, *(match.start() for match in _EDGE.finditer(data))})


def find_at_edges(
    data: bytes, edges: Collection[int], wanted: Wanted
) -> Iterator[tuple[str, int, int]]:
    """Yield what is wanted and stands from one of the edges to another."""
    known = set(edges)
    for length in wanted:
        yield from find_among(data, _windows(known, length), wanted)


def _windows(edges: set[int], length: int) -> list[tuple[int, int]]:
    """Return the spans of this length between two edges, in order."""
    starts = edges.intersection([edge - length for edge in edges if edge >= length])
    return [(at, at + length) for at in sorted(starts)]


def find_anywhere(
    data: bytes, digest: str, length: int, *, near: int, most_hashed: int = MOST_HASHED
) -> tuple[int, int] | None:
    """Return the span nearest to `near` that holds what is wanted; None where there is none.

    Tries every character while that means to hash no more than `most_hashed`
    bytes, else where words begin and end, as many as that allows.
    """
    windows = _windows(set(_character_edges(data)), length)
    if len(windows) * (length + _EACH) > most_hashed:
        inside = _is_inside_word
        windows = [(a, b) for a, b in windows if not inside(data, a) and not inside(data, b)]
    windows.sort(key=lambda window: abs(window[0] - near))
    tried = windows[: max(1, most_hashed // (length + _EACH))]
    found = next(find_among(data, tried, {length: (digest,)}), None)
    return None if found is None else found[1:]


def effort(data: bytes, length: int) -> int:
    """Return what `find_anywhere` would hash at most, were nothing to stop it."""
    return max(0, len(data) - length + 1) * (length + _EACH)


def _character_edges(data: bytes) -> list[int]:
    """Return where characters of UTF-8 begin, and the end."""
    if data.isascii():
        return list(range(len(data) + 1))
    return [at for at, byte in enumerate(data) if byte & 0xC0 != 0x80] + [len(data)]


def _is_inside_word(data: bytes, at: int) -> bool:
    """Whether a word of ASCII goes on at `at`; scripts without spaces are cut anywhere."""
    return 0 < at < len(data) and data[at - 1] in _WORD_BYTES and data[at] in _WORD_BYTES


def _digest(data: bytes, start: int, end: int, like: Collection[str]) -> str:
    digits = max(map(len, like))
    return hashlib.sha256(memoryview(data)[start:end]).hexdigest()[:digits]
