"""Embedders of other packages, where the user has installed them.

They may fetch a model by its name when it is first used, as they do for everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from leafmark.embedding.interface import Vectors, checked_vectors
from leafmark.embedding.missing import missing_package
from leafmark.embedding.spec import EmbedderSpec, revision_of
from leafmark.errors import ProviderError

__all__ = ["LocalEmbedder", "open_fastembed", "open_model2vec", "open_sentence_transformers"]


class LocalEmbedder:
    """A model of another package: `encode` turns texts into rows of numbers."""

    def __init__(self, spec: EmbedderSpec, encode: Callable[[list[str]], object], limit: int):
        self._spec = spec
        self._encode = encode
        self._dimension: int | None = None
        self.name = spec.model
        self.limit = limit

    @property
    def revision(self) -> str:
        return revision_of(self._spec)

    @property
    def dimension(self) -> int:
        if self._dimension is None:
            self.embed_query("dimension")
        assert self._dimension is not None
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self._vectors([self._spec.document_prefix + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return self._vectors([self._spec.query_prefix + text])

    def _vectors(self, texts: list[str]) -> Vectors:
        try:
            rows = self._encode(texts)
        except Exception as error:
            raise ProviderError(
                f"the embedder failed: {type(error).__name__}: {error}", location=self.name
            ) from error
        found = checked_vectors(
            rows, count=len(texts), dimension=self._dimension, location=self.name
        )
        self._dimension = int(found.shape[1])
        return found


def open_sentence_transformers(spec: EmbedderSpec) -> LocalEmbedder:
    module = _imported("sentence-transformers", "sentence_transformers")
    model = _loaded(spec, lambda: module.SentenceTransformer(spec.model))
    if spec.limit:
        model.max_seq_length = spec.limit

    def encode(texts: list[str]) -> object:
        return model.encode(texts, convert_to_numpy=True, show_progress_bar=False)

    return LocalEmbedder(spec, encode, int(model.max_seq_length or 0))


def open_fastembed(spec: EmbedderSpec) -> LocalEmbedder:
    module = _imported("fastembed", "fastembed")
    model = _loaded(spec, lambda: module.TextEmbedding(spec.model))
    return LocalEmbedder(spec, lambda texts: list(model.embed(texts)), spec.limit)


def open_model2vec(spec: EmbedderSpec) -> LocalEmbedder:
    module = _imported("model2vec", "model2vec")
    model = _loaded(spec, lambda: module.StaticModel.from_pretrained(spec.model))
    limit = spec.limit or None

    def encode(texts: list[str]) -> object:
        return model.encode(texts, max_length=limit)

    return LocalEmbedder(spec, encode, spec.limit)


def _imported(package: str, module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_package(package, package) from error


def _loaded(spec: EmbedderSpec, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except Exception as error:
        raise ProviderError(
            f"the model {spec.model} cannot be loaded: {type(error).__name__}: {error}",
            location=spec.provider,
        ) from error
