"""A parsed document to chunks: which nodes become chunks, with their slugs and bodies.

In: a `model.Document` and `ChunkingOptions`. Out: a `model.ChunkedDocument`.
Pure: no I/O, and the same document and options give the same chunks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.chunking.options import (
    PRESETS,
    STRATEGIES,
    ChunkingOptions,
    Sizes,
    Strategy,
    Yielding,
)
from leafmark.lazy_imports import import_late

if TYPE_CHECKING:
    from leafmark.chunking.quality import (
        DocumentSizes,
        Finding,
        Statistics,
        inspect_quality,
        measure_document,
        summarise,
    )
    from leafmark.chunking.strategies import chunk_document
    from leafmark.chunking.tokens import register_tokenizer, token_counter, tokenizer_names

__all__ = [
    "PRESETS",
    "STRATEGIES",
    "ChunkingOptions",
    "DocumentSizes",
    "Finding",
    "Sizes",
    "Statistics",
    "Strategy",
    "Yielding",
    "chunk_document",
    "inspect_quality",
    "measure_document",
    "register_tokenizer",
    "summarise",
    "token_counter",
    "tokenizer_names",
]

_REPORT = "leafmark.chunking.quality"
_TOKENS = "leafmark.chunking.tokens"

_HOMES = {
    "DocumentSizes": _REPORT,
    "Finding": _REPORT,
    "Statistics": _REPORT,
    "inspect_quality": _REPORT,
    "measure_document": _REPORT,
    "summarise": _REPORT,
    "chunk_document": "leafmark.chunking.strategies",
    "register_tokenizer": _TOKENS,
    "token_counter": _TOKENS,
    "tokenizer_names": _TOKENS,
}


if not TYPE_CHECKING:  # many callers need the options alone
    __getattr__ = import_late(__name__, _HOMES)
