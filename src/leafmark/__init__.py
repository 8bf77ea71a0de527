"""leafmark: find, read and cite the one part of many documents that matters.

`open_index` opens a folder's index, to search it, read from it and check citations. `chunk` and
`parse` work on one source and need no index. Their records and the errors are here too. Each name
is imported when it is first used.

>>> import leafmark
>>> [c.breadcrumb for c in leafmark.chunk("# A\\n\\none\\n\\n## B\\n\\ntwo\\n", path="p.md")]
['> A', '> A', '> A › B']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leafmark.chunking import Sizes, register_tokenizer
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
    "Sizes",
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

_PACKAGES = ("errors", "model", "chunking", "library")
"""The packages of the public names, the cheapest to import first."""


if not TYPE_CHECKING:  # with `__getattr__`, checkers would accept misspelled names

    def __getattr__(name: str) -> Any:
        """Import a public name from its package when it is first used."""
        if name in __all__:
            from importlib import import_module

            for package in _PACKAGES:
                module = import_module(f"leafmark.{package}")
                if name in module.__all__:
                    value = getattr(module, name)
                    globals()[name] = value
                    return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
