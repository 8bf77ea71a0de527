"""The model that comes with the extra `embed`."""

from __future__ import annotations

import builtins
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leafmark.embedding import EmbedderSpec, open_embedder, revision_of
from leafmark.errors import ConfigError, ProviderError

SPEC = EmbedderSpec(provider="minilm")


def test_what_means_the_same_is_near() -> None:
    embedder = open_embedder(SPEC)
    found = embedder.embed_documents(
        [
            "The car will not start in cold weather.",
            "Bake the bread for forty minutes.",
            "My automobile fails to turn on when it is freezing.",
        ]
    )
    assert found.shape == (3, embedder.dimension)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert found[0] @ found[2] > 0.5 > 0.2 > found[0] @ found[1]


def test_a_text_has_one_vector_in_every_company() -> None:
    embedder = open_embedder(SPEC)
    texts = ["short", "a somewhat longer text about nothing in particular", "word " * 600]
    together = embedder.embed_documents(texts)
    for at, text in enumerate(texts):
        assert float(embedder.embed_query(text)[0] @ together[at]) > 0.995


def test_another_model_is_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        open_embedder(EmbedderSpec(provider="minilm", model="all-mpnet-base-v2"))
    assert caught.value.message == (
        "embedding.model is 'all-mpnet-base-v2', and minilm has only one model: all-MiniLM-L6-v2"
    )
    assert caught.value.hint == (
        "leave embedding.model out, or set embedding.provider to one that has that model"
    )


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "all-MiniLM-L6-v2-int8", "minilm"])
def test_its_own_name_may_be_said(name: str) -> None:
    """The vectors that there are already are those of that model."""
    named = EmbedderSpec(provider="minilm", model=name)
    assert open_embedder(named).revision == revision_of(SPEC)


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **named: Any) -> Any:
        if name == "onnxruntime":
            raise ImportError("no", name=name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ProviderError) as caught:
        open_embedder(SPEC)
    assert caught.value.message == (
        "the embedder minilm needs a package that is not installed: onnxruntime"
    )
    assert caught.value.hint == 'pip install "leafmark[embed]"'


def test_the_runtime_reports_to_nobody(tmp_path: Path) -> None:
    """It would write what it sends to its makers into the cache folder."""
    code = (
        "from leafmark.embedding import EmbedderSpec, open_embedder\n"
        "open_embedder(EmbedderSpec(provider='minilm')).embed_query('x')\n"
    )
    environ = {name: value for name, value in os.environ.items() if "TELEMETRY" not in name}
    environ |= {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=environ, check=True)
    assert list(tmp_path.iterdir()) == []
