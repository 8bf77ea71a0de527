"""`chunk_document`: the tree, the strategy's choice of nodes, the chunks."""

from __future__ import annotations

from leafmark.chunking.emission import emit, new_document
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.tree import build_tree, is_blank_source
from leafmark.model import ChunkedDocument, Document

__all__ = ["chunk_document"]


def chunk_document(
    document: Document, *, tree: str, options: ChunkingOptions | None = None
) -> ChunkedDocument:
    """Return the chunks of `document` in the tree called `tree`, in order of position.

    A blank source has none. The cost is linear in the source.
    """
    options = options or ChunkingOptions()
    owner = new_document(document, tree=tree, options=options)
    if is_blank_source(document.data):
        return owner
    section_tree = build_tree(
        document, slug_style=options.slug_style, heading_levels=options.heading_levels
    )
    emit(owner, section_tree, section_tree.nodes)
    return owner
