"""All settings: names, defaults, units, ranges and descriptions.

The keys of `leafmark.toml`, the names of environment variables, `leafmark config`, the file that
`leafmark init` writes and the reference pages are generated from these classes.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

from leafmark import environment
from leafmark.app.requests import REQUEST_OPTIONS
from leafmark.chunking.options import ChunkingOptions
from leafmark.model.option_types import LANGUAGES, Declaration, Option, declarations
from leafmark.search import SearchOptions

_ITS_PAGE = "the model's page asks for it"
_OTHER_MODEL = "another model suits your language or your machine"
_FETCHED = "chooses a model, which may be fetched and run"
_GIVEN_TO = "chooses a program that gets your documents and queries"
"""Reasons to change a model, and to gate it: the same for both kinds of model."""


class ChunkingSettings(ChunkingOptions, kw_only=True):
    """`[chunking]`: how documents become chunks, see `ChunkingOptions`.

    Sizes are not compared here, since a tree may override them.
    """

    preset: Annotated[
        Literal["none", "rag", "packlet", "ra"],
        Option(
            "a named set of sizes; sizes set beside it win",
            "you want the sizes of another tool",
            per_tree=True,
        ),
    ] = "none"

    def __post_init__(self) -> None:
        """Each value was checked when it was read."""


class SearchSettings(SearchOptions, kw_only=True):
    """`[search]`: how queries are parsed and results are selected, see `SearchOptions`."""

    stemmer: Annotated[
        str,
        Option(
            "the language whose words are reduced to stems",
            "your documents are in another language",
            choices=LANGUAGES,
            per_tree=True,
        ),
    ] = "english"


class IndexSettings(NamedTuple):
    """`[index]`: which files are read, and where the index is kept."""

    url: Annotated[
        str | None,
        Option(
            "the address of an index in an OpenSearch cluster, in place of one on this machine",
            "one machine is too small for the documents or the searches",
            gated="chooses a cluster that your documents and queries are sent to",
        ),
    ] = None
    shards: Annotated[
        int,
        Option(
            "parts of a new index in a cluster", unit="shards", least=1, most=1000, given="constant"
        ),
    ] = 3
    replicas: Annotated[
        int,
        Option("further copies of each part", unit="copies", least=0, most=20, given="constant"),
    ] = 1
    dir: Annotated[
        str | None,
        Option(
            "the folder of the indexes, by default in the user's cache folder",
            "the disk of your home folder is small or slow",
            gated="chooses where the index lies",
        ),
    ] = None
    lock_timeout_s: Annotated[
        float,
        Option(
            "how long a writer waits for another one",
            "other programs index for longer, or you do not want to wait",
            unit="seconds",
            least=0,
            most=86_400,
        ),
    ] = 30.0
    workers: Annotated[
        int,
        Option(
            "processes that prepare large amounts of sources beside the main one; "
            "each takes 140 MB",
            unit="processes",
            least=0,
            most=64,
            given="constant",
        ),
    ] = 1
    max_file_bytes: Annotated[
        int,
        Option(
            "larger files are skipped",
            "you have larger documents, or large files take too long",
            unit="bytes",
            least=1,
            per_tree=True,
        ),
    ] = 52_428_800
    follow_symlinks: Annotated[
        bool,
        Option(
            "enter folders that are links into the same tree",
            "your documents are linked into the tree",
            per_tree=True,
            gated="follows links",
        ),
    ] = False


class EmbeddingSettings(NamedTuple):
    """`[embedding]`: the model that turns texts into vectors, if any."""

    provider: Annotated[
        Literal[
            "auto",
            "none",
            "minilm",
            "ollama",
            "openai",
            "sentence-transformers",
            "fastembed",
            "model2vec",
        ],
        Option(
            "the source of vectors; auto is minilm if the extra `embed` is installed, else none",
            "you have a better model, or want none",
            gated=_GIVEN_TO,
        ),
    ] = "auto"
    model: Annotated[
        str | None,
        Option("the name of the model", _OTHER_MODEL, gated=_FETCHED),
    ] = None
    endpoint: Annotated[
        str | None,
        Option(
            "the address of the server, if it is not the usual one",
            "your server runs elsewhere",
            gated="chooses a server that your documents and queries are sent to",
        ),
    ] = None
    key_variable: Annotated[
        str | None,
        Option(
            "the environment variable that holds the server's key",
            "your key has another name",
            gated="chooses a variable whose value is sent to a server",
        ),
    ] = None
    query_prefix: Annotated[
        str | None, Option("the text that the model needs before every query", _ITS_PAGE)
    ] = None
    document_prefix: Annotated[
        str | None, Option("the text that the model needs before every document", _ITS_PAGE)
    ] = None
    limit: Annotated[
        int,
        Option(
            "texts are cut there; 0 means the model's own limit",
            "your server refuses longer texts",
            unit="tokens",
            least=0,
            most=1_000_000,
        ),
    ] = 0
    batch_tokens: Annotated[
        int,
        Option(
            "the size of a request to a server",
            unit="tokens",
            least=1,
            most=10_000_000,
            given="constant",
        ),
    ] = 8192
    timeout_s: Annotated[
        float,
        Option(
            "how long a server may take to answer",
            unit="seconds",
            least=0.1,
            most=3600,
            given="constant",
        ),
    ] = 60.0
    retries: Annotated[
        int,
        Option(
            "further attempts if a server is busy or does not answer",
            least=0,
            most=20,
            given="constant",
        ),
    ] = 4
    deadline_s: Annotated[
        float,
        Option(
            "how long a search waits for the query's vector before it answers by words alone",
            "a slow model is worth waiting for, or is not",
            unit="seconds",
            least=0,
            most=600,
        ),
    ] = 3.0
    least_similarity: Annotated[
        float,
        Option(
            "least similarity of a result by meaning alone; 0 means the value for the model",
            least=0,
            most=1,
            given="constant",
        ),
    ] = 0.0
    threads: Annotated[
        int,
        Option(
            "threads of the model inside leafmark",
            unit="threads",
            least=1,
            most=256,
            given="constant",
        ),
    ] = 1

    @property
    def is_named(self) -> bool:
        """Whether the user chose an embedder: `leafmark index` then makes all vectors."""
        return self.provider not in ("auto", "none")

    @property
    def in_force(self) -> str:
        """The name of the provider in force, or `none`."""
        if self.provider != "auto":
            return self.provider
        return "minilm" if environment.has_embedder() else "none"


class RerankSettings(NamedTuple):
    """`[rerank]`: the model that reads query and result together, if any."""

    provider: Annotated[
        Literal["none", "sentence-transformers", "fastembed"],
        Option(
            "the installed package whose cross-encoder orders the best results",
            "the order matters more to you than seconds",
            gated=_GIVEN_TO,
        ),
    ] = "none"
    model: Annotated[
        str | None,
        Option("the name of the model, if it is not the usual one", _OTHER_MODEL, gated=_FETCHED),
    ] = None
    results: Annotated[
        int,
        Option(
            "how many of the best results it orders",
            unit="results",
            least=1,
            most=1000,
            given="constant",
        ),
    ] = 20
    deadline_s: Annotated[
        float,
        Option(
            "how long a search waits for it before it keeps its own order",
            unit="seconds",
            least=0,
            most=600,
            given="constant",
        ),
    ] = 5.0


TABLES: Mapping[str, Any] = MappingProxyType(
    {
        "chunking": ChunkingSettings,
        "search": SearchSettings,
        "index": IndexSettings,
        "embedding": EmbeddingSettings,
        "rerank": RerankSettings,
    }
)


DECLARED: Mapping[str, Declaration] = MappingProxyType(
    {
        declared.name: declared
        for table, options in TABLES.items()
        for declared in declarations(options, table).values()
    }
    | dict(REQUEST_OPTIONS)
)
"""All declarations by name: settings, options of requests, constants."""


def _given_as(kind: str) -> Mapping[str, Declaration]:
    return MappingProxyType(
        {name: declared for name, declared in DECLARED.items() if declared.option.given == kind}
    )


SETTINGS = _given_as("setting")
"""All settings by name, in the order in which they are listed."""

CONSTANTS = _given_as("constant")
"""Constants, by the name under which one run may override them."""
