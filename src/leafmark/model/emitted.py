"""What chunks are made of: the emitted nodes as rows, the kinds of content, where links lead."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from leafmark.model.document import Document, Link

__all__ = [
    "ChunkKind",
    "Content",
    "ContentType",
    "Emitted",
    "FindLink",
    "Rendered",
    "Row",
    "leads_nowhere",
]

ChunkKind = Literal["document", "section", "piece"]
ContentType = Literal["prose", "code", "table", "list", "mixed", "empty"]

Row = tuple[Any, ...]
"""The fields of a `Chunk` in order, without its owner."""


class Content(NamedTuple):
    """What a body is made of.

    `block_types` are the kinds of its top-level blocks, `languages` the info
    words of its code blocks (nested ones too), both sorted and without repeats.
    `holds_code` counts nested code too: commands stand in the steps of a list.
    """

    content_type: ContentType
    block_types: tuple[str, ...]
    languages: tuple[str, ...]
    holds_code: bool


class Rendered(NamedTuple):
    """`text`, which a model is given, and its tokens.

    `context_spans` are the ranges of the source that it carries before the body.
    """

    text: str
    tokens: int
    context_spans: tuple[tuple[int, int], ...]


class Emitted(NamedTuple):
    """The nodes of a document's tree that became chunks.

    `rows` are what the chunks are made of. `heading_slugs` are those of all headings,
    discarded ones included, and `heading_positions` the chunks that they resolve to;
    `own_slugs` are those of their texts alone, empty where these are all the slugs there are;
    `node_slugs` are those of the nodes, by number. `folded_position` is the chunk that
    section paths leave out because its title is the document's.
    """

    rows: Sequence[Row] = ()
    heading_slugs: Sequence[str] = ()
    own_slugs: Sequence[str] = ()
    heading_positions: Sequence[int] = ()
    node_slugs: Sequence[str | None] = ()
    folded_position: int | None = None


def leads_nowhere(document: Document, link: Link) -> str | None:
    """Know no other document."""
    return None


FindLink = Callable[[Document, Link], str | None]
"""From a link and the document that it stands in to the id of a chunk in some document."""
