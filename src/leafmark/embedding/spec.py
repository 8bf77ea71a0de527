"""Which embedders there are, and what is said about the one that is wanted.

A provider is one line in `PROVIDERS`. What is said comes from the user's
configuration; the key from the environment, and it is only ever put into a
request's header.
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
    """Which embedder, and how it is asked.

    `limit` is in tokens of the model (0: what it takes). `query_prefix` and
    `document_prefix` stand before every text, as some models were trained.
    `timeout_s` bounds one attempt, `retries` the attempts after the first.
    `stop` is asked between attempts and batches, and ends them by raising.
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
    """What makes the embedder, and its model and address where none is named.

    `place` is `module:name` in this package; `name` is called with the spec.
    `digest` is the SHA-256 of the one model file that the provider takes, `own` are the names
    of that model. `latin` says that it was trained on Latin letters: to it texts in others are
    all alike.
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
        "ollama": Provider("remote:OllamaEmbedder", endpoint="http://127.0.0.1:11434"),
        "openai": Provider(
            "remote:OpenAIEmbedder",
            "text-embedding-3-small",
            "https://api.openai.com/v1",
        ),
        "sentence-transformers": Provider("local:open_sentence_transformers"),
        "fastembed": Provider("local:open_fastembed"),
        "model2vec": Provider("local:open_model2vec"),
    }
)


def completed(spec: EmbedderSpec) -> EmbedderSpec:
    """Return the spec with the provider's own model and endpoint where none is said.

    The one model of a provider that has no other is said by no name: its vectors are the same
    under each.

    Raises:
        ConfigError: a model must be named and is not, or is one that the provider does not have.
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
    """Return whether the embedder is a server.

    >>> is_remote(EmbedderSpec(provider="ollama")), is_remote(EmbedderSpec(provider="minilm"))
    (True, False)
    """
    return bool(PROVIDERS[spec.provider].endpoint)


def reads(spec: EmbedderSpec, text: str) -> bool:
    """Return whether the model was trained on the letters of a text.

    >>> minilm = EmbedderSpec(provider="minilm")
    >>> reads(minilm, "où est 42?"), reads(minilm, "где это")
    (True, False)
    """
    if not PROVIDERS[spec.provider].latin:
        return True
    return all(any(char in each for each in _LATIN) for char in map(ord, filter(str.isalpha, text)))


_LATIN = (range(0x250), range(0x1E00, 0x1F00))
"""Latin letters with all their marks."""


def revision_of(spec: EmbedderSpec) -> str:
    """Return what tells vectors of this spec from others, known without opening it.

    The address is part of it: two servers may call two models by one name. A slash at its end
    is not: requests go to the same place.
    """
    spec = completed(spec)
    digest = PROVIDERS[spec.provider].digest
    address = spec.endpoint.rstrip("/")
    stated = [spec.provider, spec.model, address, spec.limit, spec.document_prefix, digest]
    return hashlib.sha256(json.dumps(stated).encode()).hexdigest()[:16]
