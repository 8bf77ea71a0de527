"""Work cut into batches that are handed to other processes: neighbours, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

__all__ = ["cut_batches"]

T = TypeVar("T")


def cut_batches(
    items: Iterable[T],
    size_of: Callable[[T], int],
    *,
    enough: Callable[[int], int],
    most: int,
    is_alone: Callable[[T], bool],
) -> Iterator[list[T]]:
    """Yield the items in batches of at most `most`; one that `is_alone` is a batch by itself.

    A batch ends with the item that makes its size `enough(done)` or more, where `done` is the
    size of the batches before it.

    >>> list(cut_batches([1, 1, 9, 2, 2, 2], int, enough=lambda done: 4, most=9,
    ...     is_alone=lambda size: size > 8))
    [[1, 1], [9], [2, 2], [2]]
    """
    batch: list[T] = []
    size = done = 0
    for item in items:
        alone = is_alone(item)
        if batch and (alone or size >= enough(done) or len(batch) >= most):
            yield batch
            done += size
            batch, size = [], 0
        batch.append(item)
        size += size_of(item)
        if alone:
            yield batch
            done += size
            batch, size = [], 0
    if batch:
        yield batch
