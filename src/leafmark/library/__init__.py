"""The functions and classes of `import leafmark`, without the record types and the errors.

`sources` works on one source and needs no index, `indexes` opens a folder's index, `rag` is the
interface of section-aware retrieval on top of both. A call does not print, does not ask the user,
and changes only the index.
"""

from __future__ import annotations

from leafmark.library.indexes import Index, open_index
from leafmark.library.rag import EnrichedChunk, rag_index, rag_search
from leafmark.library.sources import chunk, parse

__all__ = ["EnrichedChunk", "Index", "chunk", "open_index", "parse", "rag_index", "rag_search"]
