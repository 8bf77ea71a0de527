"""Embedders behind HTTP: Ollama, and everything that speaks OpenAI's protocol.

Texts are cut to the limit by characters, since the server's tokens are not known
here; both protocols are asked to cut what is still too long, where they can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leafmark.embedding.batching import batches_in_order
from leafmark.embedding.http import Connection
from leafmark.embedding.interface import Vectors, checked_vectors
from leafmark.embedding.spec import EmbedderSpec, revision_of
from leafmark.errors import ProviderError

__all__ = ["OllamaEmbedder", "OpenAIEmbedder", "open_ollama", "open_openai"]

LIMIT = 512
"""Tokens of a text where nothing is said: what most embedding models read."""

CHARACTERS_PER_TOKEN = 3
"""A low estimate for English and code, so that less is sent than may be, never much more."""


class _Remote:
    """What both protocols share: batches, prefixes, checks. The first answer sets the dimension."""

    def __init__(self, spec: EmbedderSpec):
        self._spec = spec
        self._connection = Connection(spec)
        self._dimension: int | None = None
        self.name = spec.model
        self.limit = spec.limit or LIMIT

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
        import numpy as np

        spec = self._spec
        cut = [spec.document_prefix + text[: self.limit * CHARACTERS_PER_TOKEN] for text in texts]
        lengths = [1 + len(text) // CHARACTERS_PER_TOKEN for text in cut]
        batches = batches_in_order(
            lengths, most_tokens=spec.batch_tokens, most_texts=spec.batch_texts
        )
        found = [self._ask([cut[at] for at in batch]) for batch in batches]
        return np.concatenate(found) if found else np.empty((0, self.dimension), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return self._ask([self._spec.query_prefix + text[: self.limit * CHARACTERS_PER_TOKEN]])

    def _ask(self, texts: Sequence[str]) -> Vectors:
        answer = self._connection.post(self._path, self._question(texts))
        try:
            rows = self._rows(answer)
        except (KeyError, TypeError, ValueError) as error:
            raise ProviderError(
                "the embedder's answer holds no vectors where they belong",
                location=self._connection.location,
                hint="is this the right address? It is embedding.endpoint",
            ) from error
        found = checked_vectors(
            rows,
            count=len(texts),
            dimension=self._dimension,
            location=self._connection.location,
        )
        self._dimension = int(found.shape[1])
        return found

    _path: str

    def _question(self, texts: Sequence[str]) -> Mapping[str, Any]:
        raise NotImplementedError

    def _rows(self, answer: Any) -> object:
        raise NotImplementedError


class OllamaEmbedder(_Remote):
    _path = "/api/embed"

    def _question(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return {"model": self._spec.model, "input": list(texts), "truncate": True}

    def _rows(self, answer: Any) -> object:
        return answer["embeddings"]


class OpenAIEmbedder(_Remote):
    _path = "/embeddings"

    def _question(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return {"model": self._spec.model, "input": list(texts), "encoding_format": "float"}

    def _rows(self, answer: Any) -> object:
        """Return the vectors in the order of the texts: each says which text it is of."""
        data = answer["data"]
        places = [each["index"] for each in data]
        if sorted(places) != list(range(len(data))):
            raise ValueError("the indexes are not those of the texts")
        ordered = sorted(data, key=lambda each: int(each["index"]))
        return [each["embedding"] for each in ordered]


def open_ollama(spec: EmbedderSpec) -> OllamaEmbedder:
    return OllamaEmbedder(spec)


def open_openai(spec: EmbedderSpec) -> OpenAIEmbedder:
    return OpenAIEmbedder(spec)
