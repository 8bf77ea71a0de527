"""Embedders of other packages, if the user has installed them, and rerankers.

The packages may download a model by its name on first use, as they always do. Rerankers read
query and text together.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, TypeAlias

from leafmark.embedding.interface import Model, loading
from leafmark.embedding.spec import EmbedderSpec
from leafmark.environment import install_package
from leafmark.errors import ProviderError
from leafmark.namedtuples import NamedTuple

_PLACE = "a model on disk is named by its whole path, without ~"
_NAMES = "name one that it knows; sentence-transformers and model2vec take folders"

LIMIT = 256
"""The default tokens of a window for fastembed's models; most read more (by eye)."""


class LocalEmbedder(Model):
    """A model of another package: `encode` turns texts into rows of numbers.

    `tokenizer` is the model's own, of the package `tokenizers`, if it has one.
    """

    def __init__(
        self,
        spec: EmbedderSpec,
        encode: Callable[[list[str]], object],
        limit: int,
        tokenizer: Any = None,
    ):
        super().__init__(spec, limit=limit)
        self._encode = encode
        self._tokenizer = None if tokenizer is None else _untruncated(tokenizer)

    def count(self, text: str) -> int:
        if self._tokenizer is None:
            return super().count(text)
        return len(self._tokenizer.encode(text).ids)

    def _rows(self, texts: Sequence[str]) -> object:
        try:
            return self._encode(list(texts))
        except Exception as error:
            raise ProviderError(
                f"the embedder failed: {type(error).__name__}: {error}", location=self.name
            ) from error


def open_sentence_transformers(spec: EmbedderSpec) -> LocalEmbedder:
    module = import_package("sentence-transformers", "sentence_transformers")
    model = load_model(spec.model, spec.provider, lambda: module.SentenceTransformer(spec.model))
    if spec.limit:
        model.max_seq_length = spec.limit

    def encode(texts: list[str]) -> object:
        return model.encode(texts, convert_to_numpy=True, show_progress_bar=False)

    tokenizer = getattr(getattr(model, "tokenizer", None), "backend_tokenizer", None)
    return LocalEmbedder(spec, encode, int(model.max_seq_length or 0), tokenizer)


def open_fastembed(spec: EmbedderSpec) -> LocalEmbedder:
    module = import_package("fastembed", "fastembed")
    model = load_model(
        spec.model, spec.provider, lambda: module.TextEmbedding(spec.model, threads=spec.threads)
    )
    tokenizer = getattr(getattr(model, "model", None), "tokenizer", None)
    limit = spec.limit or LIMIT
    if tokenizer is not None and tokenizer.truncation:
        limit = min(limit, tokenizer.truncation["max_length"])
    return LocalEmbedder(spec, lambda texts: list(model.embed(texts)), limit, tokenizer)


def open_model2vec(spec: EmbedderSpec) -> LocalEmbedder:
    module = import_package("model2vec", "model2vec")
    model = load_model(
        spec.model, spec.provider, lambda: module.StaticModel.from_pretrained(spec.model)
    )
    limit = spec.limit or None

    def encode(texts: list[str]) -> object:
        return model.encode(texts, max_length=limit)

    return LocalEmbedder(spec, encode, spec.limit, getattr(model, "tokenizer", None))


def _untruncated(tokenizer: Any) -> Any:
    """Return a copy that does not truncate: the model uses its own one, in other threads."""
    copy = type(tokenizer).from_str(tokenizer.to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy


def import_package(package: str, module: str, what: str = "embedder") -> Any:
    """Return a module of an optional package.

    Raises:
        ProviderError: it is not installed.
    """
    try:
        imported = import_module(module)
    except ImportError as error:
        raise ProviderError(
            f"the {what} {package} needs a package that is not installed: {package}",
            hint=install_package(package),
        ) from error
    if package == "sentence-transformers":
        with suppress(ImportError, AttributeError):  # else it draws a progress bar for each model
            import_module("transformers.utils.logging").disable_progress_bar()
    return imported


def load_model(name: str, location: str, load: Callable[[], Any]) -> Any:
    """Return the model that `load` returns.

    Raises:
        ProviderError: it raised any exception.
    """
    try:
        return load()
    except Exception as error:
        is_path = name.startswith(("/", ".", "~"))
        if is_path and location == "fastembed":
            raise ProviderError(
                f"fastembed takes models by name, not from a folder: {name}", hint=_NAMES
            ) from error
        if is_path and not os.path.exists(name):
            raise ProviderError(
                f"there is no model at {name}", location=location, hint=_PLACE
            ) from error
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ProviderError(
            f"the model {name} cannot be loaded: {reason}", location=location
        ) from error


RERANKERS = {
    "sentence-transformers": "cross-encoder/ms-marco-MiniLM-L6-v2",
    "fastembed": "Xenova/ms-marco-MiniLM-L-6-v2",
}
"""The providers of rerankers, and the default model of each."""

Score: TypeAlias = Callable[[str, Sequence[str]], Iterable[Any]]


class RerankerSpec(NamedTuple):
    """The cross-encoder to use: a model, or the provider's default."""

    provider: str
    model: str = ""


class Reranker:
    """A cross-encoder, loaded."""

    def __init__(self, name: str, score: Score):
        self.name = name
        self._score = score

    def relevance(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the relevance of each text to the query; higher is better.

        Raises:
            ProviderError: the model failed, or its answer is invalid.
        """
        try:
            scores = [float(score) for score in self._score(query, texts)]
        except Exception as error:
            raise ProviderError(
                f"the reranker failed: {type(error).__name__}: {error}", location=self.name
            ) from error
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise ProviderError(
                f"the reranker answered {len(scores)} numbers for {len(texts)} texts, "
                "or one that is not finite",
                location=self.name,
            )
        return scores


def open_reranker(spec: RerankerSpec) -> Reranker:
    """Return the cross-encoder, loaded.

    Raises:
        ProviderError: its package is not installed, or the model cannot be loaded.
    """
    with loading():
        return _load_reranker(spec)


def _load_reranker(spec: RerankerSpec) -> Reranker:
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
        scores: Iterable[Any] = model.predict(pairs, show_progress_bar=False).ravel().tolist()
        return scores

    return Reranker(name, score)
