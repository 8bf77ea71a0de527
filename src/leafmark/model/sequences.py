"""Cheaper than a list or a dictionary: made on access, compressed, or limited to recent values."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from threading import Lock
from typing import Generic, TypeVar, overload

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class Deferred(Sequence[T]):
    """Behaves as the tuple that `make` returns; `make` is called once, on first access.

    Slices are tuples. Pickling turns it into a plain tuple. Two threads may both
    call `make` at the same time, so its result must not depend on earlier calls.
    """

    __slots__ = ("_items", "_make")

    def __init__(self, make: Callable[[], tuple[T, ...]]) -> None:
        self._make: Callable[[], tuple[T, ...]] | None = make
        self._items: tuple[T, ...] = ()

    def _all(self) -> tuple[T, ...]:
        make = self._make
        if make is not None:
            self._items = make()
            self._make = None  # only after the items are stored: a thread that sees None needs them
        return self._items

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, Deferred) else other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[type[tuple[T, ...]], tuple[tuple[T, ...]]]:
        return tuple, (self._all(),)


Item = TypeVar("Item")

BLOCK_ITEMS = 64
"""Items compressed together. More save bytes, and slow down access by number."""

_MAX_DECOMPRESSED = 8
"""How many decompressed blocks stay in memory, for access to neighbouring items."""


class CompressedList(Sequence[Item], Generic[Item]):
    """A list that only grows. Its items can be pickled, and are equal, not identical, when read."""

    __slots__ = ("_blocks", "_decompressed", "_last")

    def __init__(self, items: Iterable[Item] = ()):
        self._blocks: list[bytes] = []
        self._last: list[Item] = []
        self._decompressed: dict[int, list[Item]] = {}
        self.extend(items)

    def append(self, item: Item) -> None:
        self._last.append(item)
        if len(self._last) == BLOCK_ITEMS:
            from pickle import HIGHEST_PROTOCOL, dumps  # late: searches do not need it

            data = dumps(self._last, HIGHEST_PROTOCOL)
            self._blocks.append(zlib.compress(data, 1))
            self._last = []

    def extend(self, items: Iterable[Item]) -> None:
        for item in items:
            self.append(item)

    def __len__(self) -> int:
        return BLOCK_ITEMS * len(self._blocks) + len(self._last)

    def __iter__(self) -> Iterator[Item]:
        return chain(chain.from_iterable(map(_decompress, self._blocks)), self._last)

    @overload
    def __getitem__(self, number: int) -> Item: ...
    @overload
    def __getitem__(self, number: slice) -> list[Item]: ...
    def __getitem__(self, number: int | slice) -> Item | list[Item]:
        if isinstance(number, slice):
            return [self[at] for at in range(*number.indices(len(self)))]
        at = number + len(self) if number < 0 else number
        if not 0 <= at < len(self):
            raise IndexError(f"there is no item {number} of {len(self)}")
        block, within = divmod(at, BLOCK_ITEMS)
        return self._last[within] if block == len(self._blocks) else self._block(block)[within]

    def _block(self, number: int) -> list[Item]:
        items = self._decompressed.get(number)
        if items is None:
            items = self._decompressed[number] = _decompress(self._blocks[number])
            if len(self._decompressed) > _MAX_DECOMPRESSED:
                del self._decompressed[next(iter(self._decompressed))]
        return items

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._blocks, self._last)

    def __repr__(self) -> str:
        return f"CompressedList({len(self):,} items)"


def _decompress(data: bytes) -> list[Item]:
    from pickle import loads

    items: list[Item] = loads(zlib.decompress(data))
    return items


def _restored(blocks: list[bytes], last: list[Item]) -> CompressedList[Item]:
    compressed: CompressedList[Item] = CompressedList(last)
    compressed._blocks = blocks
    return compressed


class Recent(Generic[K, V]):
    """Remembers the last `most` values that were put; threads may share it."""

    __slots__ = ("_lock", "_most", "_values", "get")

    def __init__(self, most: int):
        self._most = most
        # not a dict: to find its first key, it passes over all keys deleted before it
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()
        self.get = self._values.get

    def __len__(self) -> int:
        return len(self._values)

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._values[key] = value
            if len(self._values) > self._most:
                self._values.popitem(last=False)
