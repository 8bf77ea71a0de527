"""What all providers share: names, prefixes, windows, and the check of what a model answers."""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.embedding.interface import Vectors, checked_vectors
from leafmark.embedding.spec import EmbedderSpec, revision_of
from leafmark.embedding.windows import windows_of

__all__ = ["CHARACTERS_PER_TOKEN", "Model"]

CHARACTERS_PER_TOKEN = 3
"""A low estimate for English and code, where a model's own tokens are not known here."""


class Model:
    """An embedder but for `_rows`. The first answer sets the dimension, unless it is known."""

    def __init__(
        self,
        spec: EmbedderSpec,
        *,
        limit: int,
        name: str = "",
        location: str = "",
        dimension: int | None = None,
    ):
        self.name = name or spec.model
        self.revision = revision_of(spec)
        self.limit = limit
        self._spec = spec
        self._location = location or self.name
        self._dimension = dimension

    @property
    def dimension(self) -> int:
        if self._dimension is None:
            self._vectors(["dimension"])
        assert self._dimension is not None
        return self._dimension

    def windows(self, text: str, limit: int = 0) -> list[str]:
        limit = min(filter(None, (limit, self.limit)), default=0)
        if not limit:
            return [text]
        prefix = self._spec.document_prefix
        room = limit - (self.count(prefix) if prefix else 0)
        return windows_of(text, max(1, room), self.count)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self._vectors([self._spec.document_prefix + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return self._vectors([self._spec.query_prefix + text])

    def count(self, text: str) -> int:
        """Return how many of the model's tokens a text has, or an estimate."""
        return -(-len(text) // CHARACTERS_PER_TOKEN)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        """Return the checked vectors of texts with their prefixes."""
        found = checked_vectors(
            self._rows(texts),
            count=len(texts),
            dimension=self._dimension,
            location=self._location,
        )
        self._dimension = int(found.shape[1])
        return found

    def _rows(self, texts: Sequence[str]) -> object:
        """Return what the model answers, a row of numbers for each text."""
        raise NotImplementedError
