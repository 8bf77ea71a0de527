"""Answers prepared for a budget: what can be shown of them, in the order in which it is added."""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.app.reading import Sources
from leafmark.chunking import token_counter
from leafmark.model import Chunk, Item, Packing, Result, Shown
from leafmark.retrieval.packing import make_item, pack

__all__ = ["pack_results", "pack_shown"]


def pack_results(results: Sequence[Result], sources: Sources, tokenizer: str) -> Packing:
    """Return the packing of results with their whole texts."""
    count = token_counter(tokenizer)
    items = []
    for result in results:
        chunk = _chunk(result, sources)
        items.append(
            Item(result.entry.id, b"", (0, 0))
            if chunk is None
            else make_item(chunk, [whole_range(chunk)], count, result)
        )
    return pack(items)


def pack_shown(
    shown: Sequence[Shown], sources: Sources, tokenizer: str, *, own: bool = False
) -> Packing:
    """Return the packing of what was asked for by id, with `own` of the bodies alone."""
    count = token_counter(tokenizer)
    items = []
    for one in shown:
        chunk = _chunk(one, sources)
        if chunk is None:
            items.append(Item(one.entry.id, b"", (0, 0)))
            continue
        ranges = list(chunk.body_spans) if own else [whole_range(chunk)]
        items.append(make_item(chunk, ranges, count))
    return pack(items)


def _chunk(one: Result | Shown, sources: Sources) -> Chunk | None:
    chunked = None if one.stale else sources.chunked(one.document)
    return None if chunked is None else chunked.chunks[one.entry.position]


def whole_range(chunk: Chunk) -> tuple[int, int]:
    """Return the bytes of a chunk with its heading."""
    start = chunk.byte_start if chunk.heading_start is None else chunk.heading_start
    return start, chunk.byte_end
