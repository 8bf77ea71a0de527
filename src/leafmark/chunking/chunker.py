"""`chunk_document`: the tree, the strategy's choice of nodes, the chunks."""

from __future__ import annotations

from leafmark.chunking.auto import choose_auto
from leafmark.chunking.emission import emit, new_document
from leafmark.chunking.fixed import choose_fixed
from leafmark.chunking.measuring import Meter
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.reading import BodyReader
from leafmark.chunking.section import choose_section
from leafmark.chunking.tokens import token_counter
from leafmark.chunking.tree import Node, build_tree, is_blank_source
from leafmark.chunking.workshop import Workshop
from leafmark.model import ChunkedDocument, Document, FindLink, leads_nowhere

__all__ = ["chunk_document"]

_DEFAULTS = ChunkingOptions()


def chunk_document(
    document: Document,
    *,
    tree: str,
    options: ChunkingOptions = _DEFAULTS,
    find_link: FindLink = leads_nowhere,
) -> ChunkedDocument:
    """Return the chunks of `document` in the tree called `tree`, in order of position.

    A blank source has none. The cost is linear in the source. `find_link` tells
    records where links lead that stay not in the document.
    """
    reader = BodyReader(document)
    meter = Meter(document, token_counter(options.tokenizer))
    owner = new_document(reader, tree=tree, options=options, meter=meter, find_link=find_link)
    if is_blank_source(document.data):
        return owner
    section_tree = build_tree(
        document, slug_style=options.slug_style, heading_levels=options.heading_levels
    )
    shop = Workshop(section_tree, options, reader, meter)
    emit(owner, section_tree, _choose(shop))
    return owner


def _choose(shop: Workshop) -> list[Node]:
    """The nodes that become chunks under the strategy."""
    if shop.options.strategy == "auto":
        return choose_auto(shop)
    if shop.options.strategy == "section":
        return choose_section(shop)
    if shop.options.strategy == "fixed":
        return choose_fixed(shop)
    return shop.tree.nodes
