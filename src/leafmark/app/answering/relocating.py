"""Find bytes of which only length and digest are known: where citations that do not hold went.

A citation does not hold the text that it cites, so the only way to find that text again is
to hash spans of its length. Tried are spans of chunks, and spans between edges, at which
passages begin and end: of lines, tags and sentences. Near the place that is cited, every span
is tried. What all of it may cost is fixed: it is shared by the citations that are looked for.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

__all__ = ["Edges", "Found", "Wanted", "find_among", "find_anywhere", "find_in_all"]

Wanted = Mapping[int, Collection[str]]
"""The beginnings of hex sha256 digests, all equally long, by the length of their bytes."""

MAX_NEAR = 1 << 28
"""Bytes hashed at all places near those that are cited: about a tenth of a second's work."""

MAX_ELSEWHERE = 1 << 31
"""Bytes hashed in all documents: about a second's work."""

MAX_LENGTHS = 500
"""Lengths that are looked for in all documents: each costs a look at every edge in them."""

MAX_PLACES = 16
"""Places of the same bytes that are told apart."""

_EACH = 2048
"""The cost of trying a place, beside hashing, in bytes hashed (measured)."""

_BATCH_BYTES = 1 << 20
"""Sources are looked through together up to this size: what is done for each length adds up."""

_EDGE = re.compile(rb"(?<=[\n\r>])|(?=<)|(?<=[.!?])[ \t]+|\xe3\x80\x82|\Z")
"""Where lines and tags begin and end, and where a sentence has ended."""

_ONE = ord("1")


class Edges:
    """The edges in some bytes, as bits, so that those of a given distance are found at once."""

    def __init__(self, data: bytes, ends: Iterable[int] = ()):
        marks = bytearray(b"0") * (len(data) + 1)
        for match in _EDGE.finditer(data):
            marks[match.end()] = _ONE
        for at in (0, *ends):
            marks[at] = _ONE
        self._size = len(marks)
        self._bits = int(bytes(marks), 2)

    def windows(self, length: int) -> Iterator[int]:
        """Yield where spans of a length begin that lie between two edges, in order."""
        found = self._bits & (self._bits << length)
        whole = (self._size + 7) // 8
        padding = whole * 8 - self._size
        for match in re.finditer(rb"[^\0]", found.to_bytes(whole, "big") if found else b""):
            byte = match[0][0]
            for bit in range(8):
                if byte & 0x80 >> bit:
                    yield match.start() * 8 + bit - padding


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


def find_anywhere(
    data: bytes, digest: str, length: int, *, near: int, most_hashed: int = MAX_NEAR
) -> tuple[int, int] | None:
    """Return the span nearest to `near` that holds the wanted bytes; None if there is none.

    The nearest places are tried first, as many as hash at most `most_hashed` bytes.
    """
    tried = _nearest_windows(data, length, near, max(1, most_hashed // (length + _EACH)))
    found = next(find_among(data, tried, {length: (digest,)}), None)
    return None if found is None else found[1:]


def _nearest_windows(data: bytes, length: int, near: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of whole characters, the nearest first."""
    last = len(data) - length
    near = max(0, min(near, last))
    for distance in range(max(near, last - near) + 1 if last >= 0 else 0):
        for start in dict.fromkeys((near - distance, near + distance)):
            is_whole = _begins_character(data, start) and _begins_character(data, start + length)
            if 0 <= start <= last and is_whole:
                yield start, start + length
                most -= 1
        if most <= 0:
            return


def _begins_character(data: bytes, at: int) -> bool:
    return not 0 <= at < len(data) or data[at] & 0xC0 != 0x80


Name = TypeVar("Name")
"""What a source is called."""


class Found(NamedTuple, Generic[Name]):
    """A place of wanted bytes."""

    name: Name
    start: int
    end: int


def find_in_all(
    sources: Iterable[tuple[Name, bytes]], wanted: Wanted
) -> dict[tuple[str, int], list[Found[Name]]]:
    """Return places of wanted bytes, by digest and length; each source is looked through once."""
    lengths = sorted(wanted)[:MAX_LENGTHS]
    room = dict.fromkeys(lengths, MAX_ELSEWHERE // max(1, len(lengths)))
    found: dict[tuple[str, int], list[Found[Name]]] = {}
    for batch in _batches(sources):
        for length in lengths:
            digests = wanted[length]
            for start in batch.windows(length):
                if room[length] <= 0:
                    break
                room[length] -= length + _EACH
                digest = _digest(batch.data, start, start + length, digests)
                places = found.setdefault((digest, length), []) if digest in digests else None
                if places is not None and len(places) < MAX_PLACES:
                    places.append(batch.place(start, length))
    return found


class _Batch(Generic[Name]):
    """Several sources one behind the other, a line end between two."""

    def __init__(self, sources: Sequence[tuple[Name, bytes]]):
        self._names = [name for name, _ in sources]
        self.data = b"\n".join(data for _, data in sources)
        self._starts: list[int] = []
        self._ends: list[int] = []
        at = 0
        for _, data in sources:
            self._starts.append(at)
            self._ends.append(at + len(data))
            at += len(data) + 1
        self._edges = Edges(self.data, (*self._starts, *self._ends))

    def windows(self, length: int) -> Iterator[int]:
        """Yield where spans of a length begin that lie between two edges of one source."""
        for start in self._edges.windows(length):
            if start + length <= self._ends[bisect_right(self._starts, start) - 1]:
                yield start

    def place(self, start: int, length: int) -> Found[Name]:
        at = bisect_right(self._starts, start) - 1
        first = start - self._starts[at]
        return Found(self._names[at], first, first + length)


def _batches(sources: Iterable[tuple[Name, bytes]]) -> Iterator[_Batch[Name]]:
    batch: list[tuple[Name, bytes]] = []
    size = 0
    for name, data in sources:
        batch.append((name, data))
        size += len(data)
        if size >= _BATCH_BYTES:
            yield _Batch(batch)
            batch, size = [], 0
    if batch:
        yield _Batch(batch)


def _digest(data: bytes, start: int, end: int, like: Collection[str]) -> str:
    digits = max(map(len, like))
    return hashlib.sha256(memoryview(data)[start:end]).hexdigest()[:digits]
