"""How much of some passages a reader of so many tokens could read at most, in any order.

The best order of chunks is as hard to find as the best load of a knapsack. Of few chunks all
loads are tried. Of many there is a bound: each byte has a price, the lowest at which a chunk
offers it. Whoever reads some chunks pays at least that for the bytes in them; what the tokens
buy of the cheapest bytes, each bought once, is as much as any order recalls, or more.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from leafmark.evaluation.metrics import Read, read_within, recall
from leafmark.evaluation.passages import Passage, shared_bytes

__all__ = ["most_recalled"]

MOST_CHUNKS = 12
"""Of more, the loads are too many to be tried; queries of `eval/` have answers in no more."""

MOST_LOADS = 500
"""Loads that are tried, in about a second; of those that are left, the best bound is taken."""

_Place = tuple[str, int]
"""A document and a byte of it."""


class _Offer(NamedTuple):
    """Bytes `[start, end)` of a document, all worth the same, and what they would cost.

    The price is in tokens for all passages.
    """

    start: _Place
    end: _Place
    price: float


def most_recalled(chunks: Sequence[Read], passages: Sequence[Passage], *, budget: int) -> float:
    """Return a recall within `budget` tokens that no order of the chunks exceeds.

    Each chunk shares bytes with a passage. Of few chunks it is what the best order recalls.
    The cost is near linear in the number of chunks.
    """
    market = _Market(chunks, passages, budget)
    return _tried(chunks, market) if len(chunks) <= MOST_CHUNKS else market.bound(())


def _tried(chunks: Sequence[Read], market: _Market) -> float:
    """Return what the best order recalls: a load of whole chunks, then what fits of another.

    Loads are tried by the bound of those that they were made of, so that all are known to be
    no better once the next one is.
    """
    best, tries = 0.0, 0
    loads: list[tuple[float, int, list[Read], Sequence[Read]]] = [(-1.0, 0, [], chunks)]
    while loads and best < -loads[0][0]:
        if tries == MOST_LOADS:
            return -loads[0][0]
        tries += 1
        _, _, whole, others = heappop(loads)
        best = max(best, *(market.recall([*whole, last]) for last in chunks))
        bound, left = market.bound(whole), market.left(whole)
        for at, chunk in enumerate(others):
            if chunk.tokens <= left and bound > best:
                heappush(loads, (-bound, -len(loads), [*whole, chunk], others[at + 1 :]))
    return best


class _Market:
    """What chunks offer of passages to a reader who has `budget` tokens."""

    def __init__(self, chunks: Sequence[Read], passages: Sequence[Passage], budget: int):
        self._budget = budget
        self._passages = passages
        self._worths = _worths(passages)
        self._offers = [
            offer for one in chunks for offer in _offers(one, self._worths[one.doc_id], budget)
        ]

    def left(self, whole: Iterable[Read]) -> int:
        """Return the tokens that are left for others when these chunks were read."""
        return self._budget - sum(chunk.tokens for chunk in whole)

    def recall(self, order: Sequence[Read]) -> float:
        """Return what is read of the passages in this order."""
        return recall(read_within(order, self._budget), self._passages)

    def bound(self, whole: Sequence[Read]) -> float:
        """Return a recall that no order exceeds which begins with these chunks, all of each.

        They are read; the rest buys the cheapest bytes, of the last ones a part.
        """
        left = float(self.left(whole))
        read = list(whole)
        owned = [_Offer((one.doc_id, one.start), (one.doc_id, one.end), 0.0) for one in whole]
        for price, (name, start), (_, end) in sorted(_cheapest([*self._offers, *owned])):
            cost = price * self._worths[name].of(start, end)
            if cost > left:
                end = start + math.ceil((end - start) * left / cost)
            read.append(Read(name, start, end, 0))
            left -= cost
            if left < 0:
                break
        return recall(read, self._passages)


class _Worth:
    """What the bytes of a document add to the recall of `count` passages, some of them its own."""

    def __init__(self, passages: Sequence[Passage], count: int):
        self.edges = sorted({edge for one in passages for edge in (one.start, one.end)})
        self._before = [sum(_share(one, edge) for one in passages) / count for edge in self.edges]

    def of(self, start: int, end: int) -> float:
        return self._up_to(end) - self._up_to(start)

    def _up_to(self, at: int) -> float:
        place = bisect_right(self.edges, at)
        if place in (0, len(self.edges)):
            return self._before[-1] if place else 0.0
        low, high = self.edges[place - 1 : place + 1]
        below, above = self._before[place - 1 : place + 1]
        return below + (above - below) * (at - low) / (high - low)


def _share(passage: Passage, end: int) -> float:
    """Return the share of a passage before a byte."""
    return shared_bytes(passage._replace(start=0, end=end), passage) / (passage.end - passage.start)


def _worths(passages: Sequence[Passage]) -> dict[str, _Worth]:
    of_document: dict[str, list[Passage]] = {}
    for passage in passages:
        of_document.setdefault(passage.doc_id, []).append(passage)
    return {name: _Worth(each, len(passages)) for name, each in of_document.items()}


def _offers(chunk: Read, worth: _Worth, budget: int) -> Iterator[_Offer]:
    """Yield what a chunk offers, as far as it can be read within the budget.

    Its beginning can be read alone, which may be worth more for its tokens than the whole.
    """
    length, end = chunk.end - chunk.start, chunk.end
    if chunk.tokens > budget:
        end = chunk.start + math.ceil(length * budget / chunk.tokens)
    inside = slice(bisect_right(worth.edges, chunk.start), bisect_left(worth.edges, end))
    price = math.inf
    for edge in reversed([chunk.start, *worth.edges[inside]]):
        value = worth.of(chunk.start, end)
        if value > 0:
            price = min(price, chunk.tokens * (end - chunk.start) / length / value)
            yield _Offer((chunk.doc_id, edge), (chunk.doc_id, end), price)
        end = edge


def _cheapest(offers: Iterable[_Offer]) -> Iterator[tuple[float, _Place, _Place]]:
    """Yield bytes `[start, end)` with the lowest price that is offered for them; all disjoint."""
    waiting = sorted(offers, reverse=True)
    edges = sorted({edge for offer in waiting for edge in (offer.start, offer.end)})
    known: list[tuple[float, _Place]] = []
    for start, end in pairwise(edges):
        while waiting and waiting[-1].start <= start:
            offer = waiting.pop()
            heappush(known, (offer.price, offer.end))
        while known and known[0][1] <= start:
            heappop(known)
        if known:
            yield known[0][0], start, end
