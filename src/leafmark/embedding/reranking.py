"""Cross-encoders: models that read a query and a text together, and say how relevant it is.

They are slow, so they only order what was found. As embedders they come with packages
that the user has installed, and may be fetched by their names when first used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from leafmark.embedding.interface import loading
from leafmark.embedding.local import import_package, load_model
from leafmark.errors import ProviderError

__all__ = ["RERANKERS", "Reranker", "RerankerSpec", "open_reranker"]

RERANKERS = {
    "sentence-transformers": "cross-encoder/ms-marco-MiniLM-L6-v2",
    "fastembed": "Xenova/ms-marco-MiniLM-L-6-v2",
}
"""Providers, and the model of each where none is named."""

Score: TypeAlias = Callable[[str, Sequence[str]], Iterable[Any]]


class RerankerSpec(NamedTuple):
    """Which cross-encoder; without a name, the provider's own."""

    provider: str
    model: str = ""


class Reranker:
    """A cross-encoder, loaded."""

    def __init__(self, name: str, score: Score):
        self.name = name
        self._score = score

    def relevance(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how relevant each text is to the query; higher is better.

        Raises:
            ProviderError: the model failed, or answered something else.
        """
        try:
            found = [float(each) for each in self._score(query, texts)]
        except Exception as error:
            raise ProviderError(
                f"the reranker failed: {type(error).__name__}: {error}", location=self.name
            ) from error
        if len(found) != len(texts) or not all(map(math.isfinite, found)):
            raise ProviderError(
                f"the reranker answered {len(found)} numbers for {len(texts)} texts, "
                "or one that is not finite",
                location=self.name,
            )
        return found


def open_reranker(spec: RerankerSpec) -> Reranker:
    """Return the cross-encoder, loaded.

    Raises:
        ProviderError: its package is not installed, or the model cannot be had.
    """
    with loading():
        return _opened(spec)


def _opened(spec: RerankerSpec) -> Reranker:
    name = spec.model or RERANKERS[spec.provider]
    if spec.provider == "fastembed":
        module = import_package("fastembed", "fastembed.rerank.cross_encoder", "reranker")
        onnx = load_model(name, "fastembed", lambda: module.TextCrossEncoder(name))
        return Reranker(name, lambda query, texts: onnx.rerank(query, list(texts)))
    package = "sentence-transformers"
    module = import_package(package, "sentence_transformers", "reranker")
    model = load_model(name, package, lambda: module.CrossEncoder(name))

    def score(query: str, texts: Sequence[str]) -> Iterable[Any]:
        pairs = [(query, text) for text in texts]
        found: Iterable[Any] = model.predict(pairs, show_progress_bar=False).ravel().tolist()
        return found

    return Reranker(name, score)
