"""leafmark: find, read and cite the one part of many documents that matters.

`open_index` opens a folder's index, to search it, read from it and check
citations. `chunk` and `parse` work on one source and need no index. The records
that they give and the errors are here too. Nothing is imported before it is
asked for.

>>> import leafmark
>>> [c.breadcrumb for c in leafmark.chunk("# A\\n\\none\\n\\n## B\\n\\ntwo\\n", path="p.md")]
['> A', '> A', '> A › B']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leafmark.chunking import register_tokenizer
    from leafmark.errors import (
        AmbiguousError,
        BudgetError,
        ConfigError,
        ConfirmationError,
        DamagedError,
        ForbiddenError,
        LeafmarkError,
        LockedError,
        NotFoundError,
        ProviderError,
        QueryError,
        StorageError,
        UsageError,
    )
    from leafmark.library import (
        EnrichedChunk,
        Index,
        chunk,
        open_index,
        parse,
        rag_index,
        rag_search,
    )
    from leafmark.model import (
        Answer,
        Block,
        Chunk,
        ChunkRecord,
        Diagnostic,
        Document,
        DocumentEntry,
        Entry,
        Heading,
        Hint,
        IndexReport,
        Link,
        Passage,
        Place,
        Related,
        Result,
        Shown,
        ShowReport,
        Snippet,
        Span,
        Verified,
        VerifyReport,
    )

__version__ = "0.1.0"

__all__ = [
    "AmbiguousError",
    "Answer",
    "Block",
    "BudgetError",
    "Chunk",
    "ChunkRecord",
    "ConfigError",
    "ConfirmationError",
    "DamagedError",
    "Diagnostic",
    "Document",
    "DocumentEntry",
    "EnrichedChunk",
    "Entry",
    "ForbiddenError",
    "Heading",
    "Hint",
    "Index",
    "IndexReport",
    "LeafmarkError",
    "Link",
    "LockedError",
    "NotFoundError",
    "Passage",
    "Place",
    "ProviderError",
    "QueryError",
    "Related",
    "Result",
    "ShowReport",
    "Shown",
    "Snippet",
    "Span",
    "StorageError",
    "UsageError",
    "Verified",
    "VerifyReport",
    "__version__",
    "chunk",
    "open_index",
    "parse",
    "rag_index",
    "rag_search",
    "register_tokenizer",
]

_HOMES = {
    "AmbiguousError": "leafmark.errors",
    "BudgetError": "leafmark.errors",
    "Answer": "leafmark.model",
    "Block": "leafmark.model",
    "Chunk": "leafmark.model",
    "ChunkRecord": "leafmark.model",
    "ConfigError": "leafmark.errors",
    "ConfirmationError": "leafmark.errors",
    "DamagedError": "leafmark.errors",
    "Diagnostic": "leafmark.model",
    "Document": "leafmark.model",
    "DocumentEntry": "leafmark.model",
    "EnrichedChunk": "leafmark.library",
    "Entry": "leafmark.model",
    "ForbiddenError": "leafmark.errors",
    "Heading": "leafmark.model",
    "Hint": "leafmark.model",
    "Index": "leafmark.library",
    "IndexReport": "leafmark.model",
    "LeafmarkError": "leafmark.errors",
    "Link": "leafmark.model",
    "LockedError": "leafmark.errors",
    "NotFoundError": "leafmark.errors",
    "Passage": "leafmark.model",
    "Place": "leafmark.model",
    "ProviderError": "leafmark.errors",
    "QueryError": "leafmark.errors",
    "Related": "leafmark.model",
    "Result": "leafmark.model",
    "ShowReport": "leafmark.model",
    "Shown": "leafmark.model",
    "Snippet": "leafmark.model",
    "Span": "leafmark.model",
    "StorageError": "leafmark.errors",
    "UsageError": "leafmark.errors",
    "Verified": "leafmark.model",
    "VerifyReport": "leafmark.model",
    "chunk": "leafmark.library",
    "open_index": "leafmark.library",
    "parse": "leafmark.library",
    "rag_index": "leafmark.library",
    "rag_search": "leafmark.library",
    "register_tokenizer": "leafmark.chunking",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its home when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
