"""Texts to vectors: one small interface and its providers.

Results are checked: as many vectors as texts, one dimension, finite, of length 1. NumPy and the
runtimes of models are imported when an embedder is opened, so that searches without one never
load them.
"""

from __future__ import annotations

from leafmark.embedding.interface import (
    Embedder,
    Vectors,
    check_dimension,
    load_numpy,
    open_embedder,
)
from leafmark.embedding.local import Reranker, RerankerSpec, open_reranker
from leafmark.embedding.spec import EmbedderSpec, completed, is_remote, reads, revision_of

__all__ = [
    "Embedder",
    "EmbedderSpec",
    "Reranker",
    "RerankerSpec",
    "Vectors",
    "check_dimension",
    "completed",
    "is_remote",
    "load_numpy",
    "open_embedder",
    "open_reranker",
    "reads",
    "revision_of",
]
