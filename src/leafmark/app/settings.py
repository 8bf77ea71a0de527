"""Every setting there is: its name, default, unit, range and one line on what it does.

The classes below are the single source. The keys of `leafmark.toml`, the
names of environment variables, `leafmark config`, the file that `leafmark init`
writes and the reference pages are all made from them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from leafmark.app.requests import Mode
from leafmark.app.setting_rules import Rules, Setting, Value
from leafmark.index import LANGUAGES as STEMMED
from leafmark.model import Grain

__all__ = [
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
        Rules("a named set of sizes; sizes set beside it win", per_tree=True),
    ] = "none"
    tokenizer: Annotated[
        str, Rules("what sizes are counted in; `characters` counts characters", per_tree=True)
    ] = "o200k_base"
    min_tokens: Annotated[
        int,
        Rules(
            "the least size of a piece; `section` joins smaller sections, too",
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
        int, Rules("the size of a window of `fixed`", unit="tokens", least=1, per_tree=True)
    ] = 500
    fixed_overlap: Annotated[
        int,
        Rules("how much such a window shares with the next", unit="tokens", least=0, per_tree=True),
    ] = 50
    overlap_sentences: Annotated[
        int,
        Rules(
            "how much a piece repeats of the piece before", unit="sentences", least=0, per_tree=True
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
        bool, Rules("include the text that the cells of notebooks printed", per_tree=True)
    ] = False
    tolerance: Annotated[
        float,
        Rules(
            "how far the number of chunks may miss its estimate, as a share", least=0, per_tree=True
        ),
    ] = 0.5


class SearchSettings(NamedTuple):
    """`[search]`: how a query is understood and its results are chosen."""

    mode: Annotated[
        Mode, Rules("how to search; auto is hybrid where there is an embedder, else lexical")
    ] = "auto"
    limit: Annotated[int, Rules("most results shown", unit="results", least=1, most=10_000)] = 10
    grain: Annotated[Grain, Rules("how large a result may be")] = "auto"
    stemmer: Annotated[
        str,
        Rules("the language whose words are reduced to stems", choices=LANGUAGES, per_tree=True),
    ] = "english"
    fuzzy_distance: Annotated[
        int,
        Rules("typing errors forgiven in a word; 0 forgives none", unit="edits", least=0, most=2),
    ] = 1
    relax_share: Annotated[
        float, Rules("the share of a question's words that a relaxed match needs", least=0, most=1)
    ] = 0.1
    asking_words: Annotated[
        bool, Rules("count the words of a question that only ask (want, use, anything)")
    ] = False
    derived_words: Annotated[
        bool,
        Rules(
            "look for other forms of a word that its stem misses (wrote, parser, colour), too; "
            "English only"
        ),
    ] = True
    keyword_title_weight: Annotated[
        float, Rules("factor of titles against bodies, for keywords", least=0)
    ] = 0.7
    keyword_tags_weight: Annotated[float, Rules("the same for tags", least=0)] = 1.0
    keyword_path_weight: Annotated[float, Rules("the same for paths", least=0)] = 0.1
    question_title_weight: Annotated[
        float, Rules("factor of titles against bodies, for questions", least=0)
    ] = 0.3
    question_tags_weight: Annotated[float, Rules("the same for tags", least=0)] = 0.4
    question_path_weight: Annotated[float, Rules("the same for paths", least=0)] = 0.05
    nearby_weight: Annotated[
        float, Rules("factor of words that a match lacks and its neighbours have", least=0)
    ] = 0.4
    coordination: Annotated[
        float,
        Rules("what a match that lacks words gains by the share of them that it holds", least=0),
    ] = 0.9
    title_agreement: Annotated[
        float,
        Rules("what a match gains whose title says exactly what is asked", least=0),
    ] = 0.25
    local_boost: Annotated[
        float, Rules("factor for the project's trees against the user's", least=0, open_low=True)
    ] = 1.5
    secondary_boost: Annotated[
        float,
        Rules("factor for tests, translations and completions of shells", least=0, open_low=True),
    ] = 0.6
    candidate_limit: Annotated[
        int,
        Rules("chunks considered before results are chosen", unit="chunks", least=1, most=100_000),
    ] = 100
    cutoff_ratio: Annotated[
        float,
        Rules(
            "results end where a score falls below this share of the one before", least=0, most=1
        ),
    ] = 0.5
    max_results: Annotated[
        int,
        Rules(
            "the most results kept where no score falls that far",
            unit="results",
            least=1,
            most=100_000,
        ),
    ] = 20
    aggregation_threshold: Annotated[
        float,
        Rules(
            "the share of a section's children that must match to show the section instead",
            least=0,
            most=1,
            open_low=True,
        ),
    ] = 0.5
    aggregation_min_matches: Annotated[
        int, Rules("children that must match for that", unit="children", least=1)
    ] = 1
    aggregation_max_tokens: Annotated[
        int, Rules("larger sections are not shown instead; 0 sets no limit", unit="tokens", least=0)
    ] = 500
    max_merge_depth: Annotated[
        int, Rules("sections above this depth are not shown instead", unit="levels", least=0)
    ] = 0
    merge_bonus: Annotated[
        float, Rules("what each matching child adds to such a section's score, as a share", least=0)
    ] = 0.0


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
            "none", "minilm", "ollama", "openai", "sentence-transformers", "fastembed", "model2vec"
        ],
        Rules(
            "what makes vectors; minilm needs no network and no server",
            gated="chooses what your documents and queries are given to",
        ),
    ] = "none"
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
            "how long a search waits for the query's vector before it answers without",
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


def _setting(name: str, default: Value, hint: Any) -> Setting:
    """Return the setting that a field declares; the type says among which values to choose."""
    accepted, rules = get_args(hint)
    if get_origin(accepted) is Literal:
        rules = rules._replace(choices=get_args(accepted))
    return Setting(name, default, rules)


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        f"{table}.{name}": _setting(f"{table}.{name}", declaration._field_defaults[name], hint)
        for table, declaration in TABLES.items()
        for name, hint in declaration.__annotations__.items()
    }
)
"""All settings by name, in the order in which they are listed."""
