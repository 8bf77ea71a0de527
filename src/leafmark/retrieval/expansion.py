"""Add chunks around a result: its parent, siblings, children and neighbours.

An added chunk shows its heading and own body only, so that no byte is shown twice. It is
added to the first result that asks for it, and never if it is a result itself or was merged
into one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from leafmark.model import Entry, Relation
from leafmark.retrieval.ordering import key_of

__all__ = ["expand"]

ChunksOf = Callable[[Entry], Sequence[Entry]]
"""Returns all chunks of a chunk's document, by position."""


def expand(
    shown: Sequence[Sequence[Entry]],
    relations: Sequence[Relation],
    chunks_of: ChunksOf,
    *,
    whole: bool,
) -> list[list[tuple[Relation, Entry]]]:
    """Return the chunks that are added to each result, in the order of `relations`.

    Each of `shown` is a result followed by what was merged into it. With `whole`, a result's
    text holds all that is below it: none of that is added, and the next chunk is the one
    after all of it.
    """
    known = {key_of(entry) for group in shown for entry in group}
    if whole:
        known |= {
            (result.tree, result.path, position)
            for result, *_ in shown
            for position in range(result.position, result.last_position + 1)
        }
    added = []
    for result, *_ in shown:
        found = []
        chunks = chunks_of(result)
        for relation in relations:
            for entry in _related(result, relation, chunks, whole):
                if key_of(entry) not in known:
                    known.add(key_of(entry))
                    found.append((relation, entry))
        added.append(found)
    return added


def _related(
    entry: Entry, relation: Relation, chunks: Sequence[Entry], whole: bool
) -> Iterator[Entry]:
    if relation == "parent":
        yield from _at(chunks, entry.parent_position)
    elif relation == "siblings":
        if entry.parent_position >= 0:
            siblings = (one for one in chunks if one.parent_position == entry.parent_position)
            yield from (one for one in siblings if one.position != entry.position)
    elif relation == "children":
        yield from (one for one in chunks if one.parent_position == entry.position)
    elif relation == "prev":
        yield from _at(chunks, entry.position - 1)
    else:
        yield from _at(chunks, (entry.last_position if whole else entry.position) + 1)


def _at(chunks: Sequence[Entry], position: int) -> Iterator[Entry]:
    if 0 <= position < len(chunks):
        yield chunks[position]
