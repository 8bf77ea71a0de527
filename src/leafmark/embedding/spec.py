"""The providers of embedders, and the specification of the embedder to use.

A provider is one line in `PROVIDERS`. A specification comes from the user's configuration; only
its key comes from the environment, and is never used but in a request's header.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from leafmark.errors import ConfigError
from leafmark.namedtuples import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSpec:
    """The embedder to use, and how to call it.

    `limit` is in tokens of the model (0: the model's own limit). `query_prefix` and
    `document_prefix` come before every text, as some models were trained. `timeout_s` limits one
    attempt, `retries` is the number of attempts after the first. `stop` is called between attempts
    and batches, and ends them by raising.
    """

    provider: str
    model: str = ""
    endpoint: str = ""
    key: str = field(default="", repr=False)
    limit: int = 0
    query_prefix: str = ""
    document_prefix: str = ""
    batch_tokens: int = 8192
    timeout_s: float = 60.0
    retries: int = 4
    threads: int = 1
    stop: Callable[[], None] | None = field(default=None, repr=False, compare=False)


class Provider(NamedTuple):
    """A function that opens an embedder, with the default model and address.

    `place` is `module:name` in this package; `name` is called with the spec. `digest` is the
    SHA-256 of the one model file that the provider accepts, `own` are the names of that model.
    `latin` means that it was trained on Latin letters: to it, all texts in others look the same.
    """

    place: str
    model: str = ""
    endpoint: str = ""
    digest: str = ""
    own: tuple[str, ...] = ()
    latin: bool = False


PROVIDERS: Mapping[str, Provider] = MappingProxyType(
    {
        "minilm": Provider(
            "minilm:open_minilm",
            digest="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            own=("all-MiniLM-L6-v2", "all-MiniLM-L6-v2-int8", "minilm"),
            latin=True,
        ),
        "ollama": Provider("http:OllamaEmbedder", endpoint="http://127.0.0.1:11434"),
        "openai": Provider(
            "http:OpenAIEmbedder",
            "text-embedding-3-small",
            "https://api.openai.com/v1",
        ),
        "sentence-transformers": Provider("local:open_sentence_transformers"),
        "fastembed": Provider("local:open_fastembed"),
        "model2vec": Provider("local:open_model2vec"),
    }
)


def completed(spec: EmbedderSpec) -> EmbedderSpec:
    """Return the spec with the provider's default model and endpoint, if none is set.

    The name of the model becomes empty if the provider has only one: its vectors are the same
    under all names.

    Raises:
        ConfigError: the name of a model is required and missing, or the provider lacks the model.
    """
    provider = PROVIDERS[spec.provider]
    if provider.own:
        _check_own(spec, provider.own)
    model = "" if provider.own else spec.model or provider.model
    if not (model or provider.own):
        raise ConfigError(
            f"embedding.model is not set, and {spec.provider} has no default",
            hint='set it: model = "…" in [embedding]',
        )
    return replace(spec, model=model, endpoint=spec.endpoint or provider.endpoint)


def _check_own(spec: EmbedderSpec, own: Sequence[str]) -> None:
    if spec.model and spec.model not in own:
        raise ConfigError(
            f"embedding.model is {spec.model!r}, and {spec.provider} has only one model: {own[0]}",
            hint="leave embedding.model out, or set embedding.provider to one that has that model",
        )


def is_remote(spec: EmbedderSpec) -> bool:
    """Whether the embedder is a server.

    >>> is_remote(EmbedderSpec(provider="ollama")), is_remote(EmbedderSpec(provider="minilm"))
    (True, False)
    """
    return bool(PROVIDERS[spec.provider].endpoint)


def reads(spec: EmbedderSpec, text: str) -> bool:
    """Whether the model was trained on the letters of a text.

    >>> minilm = EmbedderSpec(provider="minilm")
    >>> reads(minilm, "où est 42?"), reads(minilm, "где это")
    (True, False)
    """
    if not PROVIDERS[spec.provider].latin:
        return True
    return all(
        any(char in letters for letters in _LATIN) for char in map(ord, filter(str.isalpha, text))
    )


_LATIN = (range(0x250), range(0x1E00, 0x1F00))
"""Latin letters with all their marks."""


def revision_of(spec: EmbedderSpec) -> str:
    """Return a digest that differs for specs with different vectors, without opening the embedder.

    It depends on the address: two servers may have different models of one name. It does not
    depend on a slash at the end: requests go to the same place.
    """
    spec = completed(spec)
    digest = PROVIDERS[spec.provider].digest
    address = spec.endpoint.rstrip("/")
    parts = [spec.provider, spec.model, address, spec.limit, spec.document_prefix, digest]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
