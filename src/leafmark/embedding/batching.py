"""Which texts go to the model together: as many as fit a number of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["batches_by_length", "batches_in_order"]


def batches_by_length(lengths: Sequence[int], most_tokens: int) -> Iterator[list[int]]:
    """Yield positions of texts of like length, so that little is padded; longest first.

    A batch costs its longest text times its size, and at most `most_tokens`
    unless it is one text.

    >>> list(batches_by_length([3, 9, 4], 10))
    [[1], [2, 0]]
    """
    order = sorted(range(len(lengths)), key=lambda at: (-lengths[at], at))
    batch: list[int] = []
    for at in order:
        if batch and lengths[batch[0]] * (len(batch) + 1) > most_tokens:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def batches_in_order(
    lengths: Sequence[int], *, most_tokens: int, most_texts: int
) -> Iterator[range]:
    """Yield ranges of positions, in order, within both bounds; one text always fits.

    >>> list(batches_in_order([5, 5, 5, 20], most_tokens=10, most_texts=9))
    [range(0, 2), range(2, 3), range(3, 4)]
    """
    start = total = 0
    for at, length in enumerate(lengths):
        if at > start and (total + length > most_tokens or at - start >= most_texts):
            yield range(start, at)
            start, total = at, 0
        total += length
    if start < len(lengths):
        yield range(start, len(lengths))
