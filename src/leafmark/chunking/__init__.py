"""A parsed document to chunks: which nodes become chunks, what they are called and hold.

In: a `model.Document` and `ChunkingOptions`. Out: a `model.ChunkedDocument`.
Pure: nothing is read, and the same document and options give the same chunks.
"""

from leafmark.chunking.options import (
    PRESETS,
    STRATEGIES,
    ChunkingOptions,
    Sizes,
    Strategy,
    Yielding,
)
from leafmark.chunking.report import (
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
