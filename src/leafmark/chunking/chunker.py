"""`chunk_document`: the tree, the strategy's choice of nodes, the chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leafmark.chunking.auto import choose_auto
from leafmark.chunking.emission import emit
from leafmark.chunking.fixed import choose_fixed
from leafmark.chunking.headings import build_tree, is_blank_source
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.rendering import Renderer
from leafmark.chunking.section import choose_section
from leafmark.chunking.workshop import Workshop
from leafmark.model import ChunkedDocument, Document, Emitted, FindLink, leads_nowhere

__all__ = ["chunk_document"]

_DEFAULTS = ChunkingOptions()

_CHOOSE: dict[str, Callable[[Workshop], Sequence[int]]] = {
    "auto": choose_auto,
    "section": choose_section,
    "fixed": choose_fixed,
}
"""What chooses nodes and pieces, by strategy; under `heading` every node is a chunk."""


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
    renderer = Renderer(document, options)
    if is_blank_source(document.data):
        emitted = Emitted()
    else:
        section_tree = build_tree(
            document, slug_style=options.slug_style, heading_levels=options.heading_levels
        )
        chosen: Sequence[int] = section_tree.nodes
        if options.strategy in _CHOOSE:
            shop = Workshop(section_tree, options, renderer.reader, renderer.meter)
            chosen = _CHOOSE[options.strategy](shop)
        emitted = emit(section_tree, chosen)
    return ChunkedDocument(
        document=document,
        tree=tree,
        strategy=options.strategy,
        emitted=emitted,
        rendering=renderer,
        find_link=find_link,
    )
