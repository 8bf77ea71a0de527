"""How an embedder is opened: its module is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from leafmark.embedding.interface import Embedder, loading
from leafmark.embedding.spec import PROVIDERS, EmbedderSpec, completed
from leafmark.errors import LeafmarkError, ProviderError

__all__ = ["open_embedder"]


def open_embedder(spec: EmbedderSpec) -> Embedder:
    """Return the embedder, loaded or reached.

    Raises:
        ConfigError: it needs a model's name, and none is said.
        ProviderError: its package is not installed, or the model cannot be had.
    """
    module, _, name = PROVIDERS[spec.provider].place.partition(":")
    make: Any = getattr(import_module(f"leafmark.embedding.{module}"), name)
    spec = completed(spec)
    try:
        with loading():
            embedder: Embedder = make(spec)
    except LeafmarkError:
        raise
    except Exception as error:
        raise ProviderError(
            f"the embedder cannot be opened: {type(error).__name__}: {error}",
            location=spec.model or spec.provider,
        ) from error
    return embedder
