"""A sequence that is made when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, overload

__all__ = ["Deferred"]

T = TypeVar("T")


class Deferred(Sequence[T]):
    """Behaves as the tuple that `make` returns; `make` is called once, when it is first needed.

    Slices are tuples. Pickling makes a plain tuple of it. Two threads that look
    at the same time may both call `make`, so its result must not depend on the calls before.
    """

    __slots__ = ("_items", "_make")

    def __init__(self, make: Callable[[], tuple[T, ...]]) -> None:
        self._make: Callable[[], tuple[T, ...]] | None = make
        self._items: tuple[T, ...] = ()

    def _all(self) -> tuple[T, ...]:
        make = self._make
        if make is not None:
            self._items = make()
            self._make = None  # after the items are there: a thread that sees None finds them
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
