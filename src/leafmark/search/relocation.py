"""Find bytes of which only length and digest are known in other bytes.

A citation does not hold the text that it cites, so the only way to find that text again is
to hash spans of its length. Tried are, in order: spans that a caller knows (those of
chunks), spans between lines, and in a likely source, every span.
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
"""The beginnings of hex sha256 digests, all equally long, by the length of their bytes."""

MOST_HASHED = 1 << 28
"""Bytes that `find_anywhere` hashes at most: about a tenth of a second's work."""

_EACH = 2048
"""The cost of trying a place, beside hashing, in bytes hashed (measured)."""

_EDGE = re.compile(rb"(?<=[\n\r>])|(?=<)|\Z")
_WORD_BYTES = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


def find_among(
    data: bytes, spans: Iterable[tuple[int, int]], wanted: Wanted
) -> Iterator[tuple[str, int, int]]:
    """Yield digest, start and end of the spans that hold wanted bytes."""
    for start, end in dict.fromkeys(spans):
        digests = wanted.get(end - start)
        if digests and 0 <= start <= end <= len(data):
            digest = _digest(data, start, end, digests)
            if digest in digests:
                yield digest, start, end


def line_edges(data: bytes) -> list[int]:
    """Return where lines and tags begin and end, in order."""
    return sorted({0, *(match.start() for match in _EDGE.finditer(data))})


def find_at_edges(
    data: bytes, edges: Collection[int], wanted: Wanted
) -> Iterator[tuple[str, int, int]]:
    """Yield wanted bytes that lie between two of the edges."""
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
    """Return the span nearest to `near` that holds the wanted bytes; None if there is none.

    Tries every span of characters if that hashes at most `most_hashed` bytes, else only spans
    between ends of words, the nearest first, as many as that allows.
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
    """Return how many bytes `find_anywhere` would hash without a limit."""
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
