"""Every setting there is: its name, default, unit, range and one line on what it does.

The classes below are the single source. The keys of `leafmark.toml`, the
names of environment variables, `leafmark config`, the file that `leafmark init`
writes and the reference pages are all made from them.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from leafmark import environment
from leafmark.app.setting_rules import Rules, Setting, Value
from leafmark.index import LANGUAGES as STEMMED
from leafmark.search import SearchOptions
from leafmark.search.options import Option

__all__ = [
    "CONSTANTS",
    "DECLARED",
    "LANGUAGES",
    "SETTINGS",
    "TABLES",
    "ChunkingSettings",
    "ContextSettings",
    "EmbeddingSettings",
    "IndexSettings",
    "RerankSettings",
    "SearchSettings",
]

LANGUAGES = tuple(sorted(STEMMED))
"""The languages whose words can be reduced to stems."""


class ChunkingSettings(NamedTuple):
    """`[chunking]`: how documents become chunks."""

    strategy: Annotated[
        Literal["auto", "heading", "section", "fixed"],
        Rules("how documents become chunks", per_tree=True),
    ] = "auto"
    preset: Annotated[
        Literal["none", "rag", "packlet", "ra"],
        Rules("a named set of sizes; sizes given beside it win over it", per_tree=True),
    ] = "none"
    tokenizer: Annotated[
        str,
        Rules("what sizes are counted in: `characters`, or the tokens of a model", per_tree=True),
    ] = "o200k_base"
    min_tokens: Annotated[
        int,
        Rules(
            "the least size of a piece; the strategy `section` joins smaller sections, too",
            unit="tokens",
            least=0,
            per_tree=True,
        ),
    ] = 100
    target_tokens: Annotated[
        int, Rules("the size to aim at where a text is cut", unit="tokens", least=1, per_tree=True)
    ] = 300
    max_tokens: Annotated[
        int, Rules("the most that a chunk's text may hold", unit="tokens", least=1, per_tree=True)
    ] = 1000
    fixed_tokens: Annotated[
        int,
        Rules(
            "the size of a window, under the strategy `fixed`",
            unit="tokens",
            least=1,
            per_tree=True,
        ),
    ] = 500
    fixed_overlap: Annotated[
        int,
        Rules("how much such a window shares with the next", unit="tokens", least=0, per_tree=True),
    ] = 50
    overlap_sentences: Annotated[
        int,
        Rules(
            "how many sentences a piece repeats of the piece before",
            unit="sentences",
            least=0,
            per_tree=True,
        ),
    ] = 2
    heading_levels: Annotated[
        int,
        Rules(
            "headings deeper than this are content", unit="levels", least=0, most=6, per_tree=True
        ),
    ] = 6
    oversize_code: Annotated[
        Literal["keep", "split"],
        Rules(
            "a code block larger than a piece: keep it whole, or split it at line ends",
            per_tree=True,
        ),
    ] = "keep"
    slug_style: Annotated[
        Literal["github", "collapse"],
        Rules(
            "anchors as GitHub makes them, or with runs of hyphens collapsed",
            per_tree=True,
        ),
    ] = "github"
    notebook_outputs: Annotated[
        bool, Rules("include what the cells of notebooks printed", per_tree=True)
    ] = False
    tolerance: Annotated[
        float,
        Rules(
            "how far the number of chunks may miss its estimate, as a share", least=0, per_tree=True
        ),
    ] = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings(SearchOptions):
    """`[search]`: how a query is understood and its results are chosen: see `SearchOptions`."""

    stemmer: Annotated[
        str,
        Rules("the language whose words are reduced to stems", choices=LANGUAGES, per_tree=True),
    ] = "english"


class IndexSettings(NamedTuple):
    """`[index]`: which files are read, and where the index is kept."""

    dir: Annotated[
        str | None,
        Rules(
            "where each project's index lies, by default in the user's cache folder",
            gated="chooses where the index lies",
        ),
    ] = None
    lock_timeout_s: Annotated[
        float,
        Rules("how long a writer waits for another one", unit="seconds", least=0, most=86_400),
    ] = 30.0
    workers: Annotated[
        int,
        Rules(
            "processes that prepare large amounts of sources beside the main one; "
            "each takes 140 MB",
            unit="processes",
            least=0,
            most=64,
        ),
    ] = 1
    max_file_bytes: Annotated[
        int, Rules("larger files are skipped", unit="bytes", least=1, per_tree=True)
    ] = 52_428_800
    follow_symlinks: Annotated[
        bool,
        Rules(
            "enter folders that are links, where they lead inside the same tree",
            per_tree=True,
            gated="follows links",
        ),
    ] = False


class ContextSettings(NamedTuple):
    """`[context]`: what `leafmark context` takes from the files that are worked on."""

    terms: Annotated[
        int, Rules("how many words of the files are searched for", unit="words", least=1, most=1000)
    ] = 25
    cutoff_ratio: Annotated[
        float, Rules("like search.cutoff_ratio, for these long queries", least=0, most=1)
    ] = 0.25
    path_weight: Annotated[float, Rules("factor of the words of a file's path", least=0)] = 3.0
    heading_weight: Annotated[
        float, Rules("factor of titles, tags, headings and definitions", least=0)
    ] = 3.0
    symbol_weight: Annotated[float, Rules("factor of names in code", least=0)] = 2.0
    import_weight: Annotated[float, Rules("factor of what code imports", least=0)] = 1.5
    comment_weight: Annotated[float, Rules("factor of comments in code", least=0)] = 1.5
    body_weight: Annotated[float, Rules("factor of all other words", least=0)] = 1.0
    rule_weight: Annotated[float, Rules("factor of the words that rules add", least=0)] = 4.0


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
        Rules(
            "what makes vectors; auto is minilm where the extra `embed` is installed, else none",
            gated="chooses what your documents and queries are given to",
        ),
    ] = "auto"
    model: Annotated[
        str | None,
        Rules(
            "the model's name, where there are several",
            gated="chooses a model, which may be fetched and run",
        ),
    ] = None
    endpoint: Annotated[
        str | None,
        Rules(
            "the address of a server, where it is not the usual one",
            gated="chooses a server that your documents and queries are sent to",
        ),
    ] = None
    key_variable: Annotated[
        str | None,
        Rules(
            "the environment variable that holds the server's key",
            gated="chooses a variable whose value is sent to a server",
        ),
    ] = None
    query_prefix: Annotated[str | None, Rules("what the model needs before every query")] = None
    document_prefix: Annotated[str | None, Rules("what the model needs before every text")] = None
    limit: Annotated[
        int,
        Rules(
            "where a text is cut; 0 means what the model takes",
            unit="tokens",
            least=0,
            most=1_000_000,
        ),
    ] = 0
    batch_tokens: Annotated[
        int,
        Rules("how much text goes to a server at a time", unit="tokens", least=1, most=10_000_000),
    ] = 8192
    timeout_s: Annotated[
        float, Rules("how long a server may take to answer", unit="seconds", least=0.1, most=3600)
    ] = 60.0
    retries: Annotated[
        int, Rules("further attempts where a server is busy or does not answer", least=0, most=20)
    ] = 4
    deadline_s: Annotated[
        float,
        Rules(
            "how long a search waits for the query's vector before it answers by words alone",
            unit="seconds",
            least=0,
            most=600,
        ),
    ] = 3.0
    least_similarity: Annotated[
        float,
        Rules(
            "least similarity of a result by meaning alone; 0 means what suits the model",
            least=0,
            most=1,
        ),
    ] = 0.0
    threads: Annotated[
        int, Rules("threads of the model inside leafmark", unit="threads", least=1, most=256)
    ] = 1

    @property
    def is_named(self) -> bool:
        """Whether the user chose an embedder: `leafmark index` then makes all vectors."""
        return self.provider not in ("auto", "none")

    @property
    def in_force(self) -> str:
        """The provider in force, `none` for none."""
        if self.provider != "auto":
            return self.provider
        return "minilm" if environment.has_embedder() else "none"


class RerankSettings(NamedTuple):
    """`[rerank]`: the model that reads query and result together, if any."""

    provider: Annotated[
        Literal["none", "sentence-transformers", "fastembed"],
        Rules(
            "the installed package whose cross-encoder orders the best results",
            gated="chooses what your documents and queries are given to",
        ),
    ] = "none"
    model: Annotated[
        str | None,
        Rules(
            "the model's name, where it is not the usual one",
            gated="chooses a model, which may be fetched and run",
        ),
    ] = None
    results: Annotated[
        int, Rules("how many of the best results it orders", unit="results", least=1, most=1000)
    ] = 20
    deadline_s: Annotated[
        float,
        Rules(
            "how long a search waits for it before it keeps its own order",
            unit="seconds",
            least=0,
            most=600,
        ),
    ] = 5.0


Table = (
    ChunkingSettings
    | SearchSettings
    | IndexSettings
    | ContextSettings
    | EmbeddingSettings
    | RerankSettings
)

TABLES: Mapping[str, type[Table]] = MappingProxyType(
    {
        "chunking": ChunkingSettings,
        "search": SearchSettings,
        "index": IndexSettings,
        "context": ContextSettings,
        "embedding": EmbeddingSettings,
        "rerank": RerankSettings,
    }
)


def _fields_of(declaration: Any) -> Iterator[tuple[str, Value, Any, Rules | Option]]:
    """Yield name, default, type and rules of each field of a table."""
    hints = get_type_hints(declaration, include_extras=True)
    if dataclasses.is_dataclass(declaration):
        defaults: Mapping[str, Any] = {
            each.name: each.default for each in dataclasses.fields(declaration)
        }
    else:
        defaults = declaration._field_defaults
    for name, default in defaults.items():
        accepted, rules = get_args(hints[name])
        yield name, default, accepted, rules


def _settings(given: str) -> Mapping[str, Setting]:
    """Return the settings by name, or what else of the options of a search is `given` so."""
    found = {}
    for table, declaration in TABLES.items():
        for name, default, accepted, rules in _fields_of(declaration):
            if isinstance(rules, Option):
                if rules.given != given:
                    continue
                rules = Rules(rules.doc, rules.unit, rules.least, rules.most, rules.open_low)
            elif given != "setting":
                continue
            if get_origin(accepted) is Literal:
                rules = rules._replace(choices=get_args(accepted))
            found[f"{table}.{name}"] = Setting(f"{table}.{name}", default, rules)
    return MappingProxyType(found)


SETTINGS = _settings("setting")
"""All settings by name, in the order in which they are listed."""

CONSTANTS = _settings("constant")
"""Constants of the ranking, by the name under which one run may override them."""

DECLARED: Mapping[str, Setting] = MappingProxyType(
    {**SETTINGS, **_settings("request"), **CONSTANTS}
)
"""All that is declared by name: settings, what a search is asked for, constants."""
