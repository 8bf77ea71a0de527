"""Find bytes of which only length and digest are known: where citations that do not hold went.

A citation does not hold the text that it cites, so the only way to find that text again is
to hash spans of its length. Tried are spans of chunks, and spans between edges, at which
passages begin and end: of lines, tags and sentences. Near the place that is cited, every span
is tried, and elsewhere as many as may be. What all of it may cost is fixed: it is shared by the
citations that are looked for.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Generic, TypeVar

from leafmark.namedtuples import NamedTuple

Wanted = Mapping[int, Collection[str]]
"""The beginnings of hex sha256 digests, all equally long, by the length of their bytes."""

MAX_NEAR = 1 << 28
"""Bytes hashed at all places near those that are cited: about a tenth of a second's work."""

MAX_ELSEWHERE = 1 << 29
"""Bytes hashed in all documents between edges of blocks, as many between other ones, and as many
wherever."""

MAX_LENGTHS = 200
"""Lengths that are looked for in all documents: each costs a look at every edge in them."""

MAX_PLACES = 16
"""Places of the same bytes that are told apart."""

_EACH = 2048
"""The cost of trying a place, beside hashing, in bytes hashed (measured)."""

_BATCH_BYTES = 1 << 20
"""Sources are looked through together up to this size: what is done for each length adds up."""

_FULL_STOP = b"\xe3\x80\x82"
"""The ideographic one."""


def _signs(signs: bytes) -> bytes:
    """Return the table that makes a digit 1 of each of some bytes, and 0 of all others."""
    return bytes(ord("1") if byte in signs else ord("0") for byte in range(256))


_LINES, _ENDS, _BEGINS, _STOPS, _SPACES = map(_signs, (b"\n\r", b"\n\r>", b"<", b".!?", b" \t"))


class Edges:
    """Where lines and tags begin and end, and sentences have ended, as bits.

    So those of a given distance are found at once. The bit of a place is counted from the end.
    Edges of blocks are those beside an empty line.
    """

    def __init__(self, data: bytes, ends: Iterable[int] = ()):
        self._size = len(data) + 1
        marks = bytearray(b"0") * self._size
        for at in (0, *ends, len(data)):
            marks[at] = ord("1")
        bits = blocks = int(bytes(marks), 2)
        if data:
            lines = _bits(data, _LINES)
            blocks |= lines & lines << 1 | lines & lines >> 1
            bits |= _bits(data, _ENDS) | _bits(data, _BEGINS) << 1
            bits |= _bits(data, _STOPS) >> 1 & _bits(data, _SPACES)
        if _FULL_STOP in data:
            first, second, third = (_bits(data, _signs(bytes([sign]))) for sign in _FULL_STOP)
            bits |= first >> 2 & second >> 1 & third
        self._blocks = blocks
        self._others = bits | blocks

    def windows(self, length: int) -> Iterator[int]:
        """Yield where spans of a length begin that lie between two edges, in order."""
        return self._places(self._others & self._others << length)

    def block_windows(self, length: int) -> Iterator[int]:
        """Yield where those begin that lie between two edges of blocks."""
        return self._places(self._blocks & self._blocks << length)

    def other_windows(self, length: int) -> Iterator[int]:
        """Yield where all others begin."""
        found = self._blocks & self._blocks << length
        return self._places(self._others & self._others << length & ~found)

    def _places(self, found: int) -> Iterator[int]:
        whole = (self._size + 7) // 8
        padding = whole * 8 - self._size
        keep = (1 << self._size) - 1
        for match in re.finditer(rb"[^\0]", (found & keep).to_bytes(whole, "big")):
            byte = match[0][0]
            for bit in range(8):
                if byte & 0x80 >> bit:
                    yield match.start() * 8 + bit - padding


def _bits(data: bytes, signs: bytes) -> int:
    """Return a bit for each byte, set where it is one of the signs: that of the place after it."""
    return int(data.translate(signs), 2)


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
    share = MAX_ELSEWHERE // max(1, len(lengths))
    room = {length: [share, share, share] for length in lengths}
    found: dict[tuple[str, int], list[Found[Name]]] = {}
    for batch in _batches(sources):
        for length in lengths:
            edges, left = batch.edges, room[length]
            kinds = edges.block_windows, edges.other_windows, batch.any_windows
            for kind, windows in enumerate(kinds):
                if left[kind] > 0:
                    tried = batch.within(windows(length), length)
                    some = islice(tried, 1 + left[kind] // (length + _EACH))
                    left[kind] -= _note(batch, some, length, wanted[length], found)
    return found


def _note(
    batch: _Batch[Name],
    tried: Iterable[int],
    length: int,
    digests: Collection[str],
    found: dict[tuple[str, int], list[Found[Name]]],
) -> int:
    """Note which of the spans hold wanted bytes; return what that cost."""
    cost = 0
    for start in tried:
        cost += length + _EACH
        digest = _digest(batch.data, start, start + length, digests)
        if digest in digests:
            places = found.setdefault((digest, length), [])
            if len(places) < MAX_PLACES:
                places.append(batch.place(start, length))
    return cost


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
        self.edges = Edges(self.data, (*self._starts, *self._ends))

    def any_windows(self, length: int) -> Iterator[int]:
        """Yield where all spans of whole characters begin that do not lie between two edges."""
        known = {*self.edges.windows(length)}
        for start in range(len(self.data) - length + 1):
            if start not in known and all(
                _begins_character(self.data, at) for at in (start, start + length)
            ):
                yield start

    def within(self, starts: Iterable[int], length: int) -> Iterator[int]:
        """Yield the starts of spans that lie in one source."""
        for start in starts:
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
