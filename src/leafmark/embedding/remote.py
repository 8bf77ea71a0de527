"""Embedders behind HTTP: Ollama, and everything that speaks OpenAI's protocol.

Texts are cut to the limit by characters, since the server's tokens are not known
here; both protocols are asked to cut what is still too long, where they can. How many
texts a server takes at a time, or can answer in its time, is found by asking.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from leafmark.embedding.batching import batches_in_order
from leafmark.embedding.http import LOG, Connection, TooMuchError
from leafmark.embedding.interface import FAULTY, Vectors
from leafmark.embedding.model import CHARACTERS_PER_TOKEN, Model
from leafmark.embedding.spec import EmbedderSpec
from leafmark.errors import ProviderError

__all__ = ["OllamaEmbedder", "OpenAIEmbedder"]

LIMIT = 512
"""Tokens of a text where nothing is said: what most embedding models read."""


MOST_TEXTS = 64
"""Texts in one request, however short (chosen by eye)."""

EASY_SHARE = 0.25
"""A server that answers in this share of its time is asked for twice as many texts next."""


class _Remote(Model):
    """What both protocols share: batches, and where in an answer the vectors are."""

    def __init__(self, spec: EmbedderSpec):
        self._connection = Connection(spec)
        self._most_texts = self._most_ever = MOST_TEXTS
        super().__init__(spec, limit=spec.limit or LIMIT, location=self._connection.location)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        spec = self._spec
        cut = [text[: self.limit * CHARACTERS_PER_TOKEN] for text in texts]
        batches = batches_in_order(
            [1 + self.count(text) for text in cut],
            most_tokens=spec.batch_tokens,
            most_texts=MOST_TEXTS,
        )
        found = [rows for batch in batches for rows in self._parts([cut[at] for at in batch])]
        return np.concatenate(found) if found else np.empty((0, self.dimension), dtype=np.float32)

    def _parts(self, texts: Sequence[str]) -> Iterator[Vectors]:
        """Yield the vectors of texts, asked for in parts as large as the server bears.

        One that refuses so many is asked for half of them from then on. One that is too slow is
        asked for a quarter, and for more again when it answers with ease.
        """
        at = 0
        while at < len(texts):
            part = texts[at : at + self._most_texts]
            began = time.monotonic()
            try:
                yield self._batch(part)
            except TooMuchError as refusal:
                self._most_texts = max(1, len(part) // (4 if refusal.late else 2))
                if not refusal.late:
                    self._most_ever = self._most_texts
                continue
            at += len(part)
            if time.monotonic() - began < EASY_SHARE * self._spec.timeout_s:
                self._most_texts = min(2 * self._most_texts, self._most_ever)

    def _batch(self, texts: Sequence[str]) -> Vectors:
        found = super()._vectors(texts)
        if len(texts) > 1 and not found.any():  # no model knows a word of so many texts
            raise ProviderError(
                "the embedder answered vectors of zeros alone",
                location=self._connection.location,
                hint=FAULTY,
            )
        return found

    def _rows(self, texts: Sequence[str]) -> object:
        question = self._question(texts)
        answer = self._connection.post(self._path, question, divisible=len(texts) > 1)
        try:
            return self._answered(answer)
        except (KeyError, TypeError, ValueError) as error:
            raise self._without_vectors(answer) from error

    def _without_vectors(self, answer: Any) -> ProviderError:
        """Return what is said of an answer that holds none: the server's own words, if any."""
        message = "the embedder's answer holds no vectors where they belong"
        hint = "is this the right address? It is embedding.endpoint"
        if said := self._connection.said(answer):
            message, hint = f"the embedder answered an error{said}", LOG
        return ProviderError(message, location=self._connection.location, hint=hint)

    _path: str

    def _question(self, texts: Sequence[str]) -> Mapping[str, Any]:
        raise NotImplementedError

    def _answered(self, answer: Any) -> object:
        raise NotImplementedError


class OllamaEmbedder(_Remote):
    """A model of an Ollama server."""

    _path = "/api/embed"

    def _question(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return {"model": self._spec.model, "input": list(texts), "truncate": True}

    def _answered(self, answer: Any) -> object:
        return answer["embeddings"]


class OpenAIEmbedder(_Remote):
    """A model of a server that speaks OpenAI's protocol."""

    _path = "/embeddings"

    def _question(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return {"model": self._spec.model, "input": list(texts), "encoding_format": "float"}

    def _answered(self, answer: Any) -> object:
        """Return the vectors in the order of the texts: each says which text it is of."""
        data = answer["data"]
        places = [each["index"] for each in data]
        if sorted(places) != list(range(len(data))):
            raise ValueError("the indexes are not those of the texts")
        ordered = sorted(data, key=lambda each: int(each["index"]))
        return [each["embedding"] for each in ordered]
