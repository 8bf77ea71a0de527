"""Every setting there is: its name, default, unit, range and one line on what it does.

The dataclasses below are the single source. The keys of `leafmark.toml`, the
names of environment variables, `leafmark config`, the file that `leafmark init`
writes and the reference pages are all made from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

from leafmark.app.setting_rules import Rules, Setting, Value
from leafmark.index import LANGUAGES as STEMMED

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

T = TypeVar("T")

LANGUAGES = tuple(sorted(STEMMED))
"""The languages whose words can be reduced to stems."""


def _setting(default: T, doc: str, **rules: Any) -> T:
    """Declare a field; mypy sees the type of its default."""
    declared: Any = field(default=default, metadata={"rules": Rules(doc=doc, **rules)})
    result: T = declared
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingSettings:
    """`[chunking]`: how documents become chunks."""

    strategy: Literal["auto", "heading", "section", "fixed"] = _setting(
        "auto",
        "which nodes of a document become chunks",
        choices=("auto", "heading", "section", "fixed"),
        per_tree=True,
    )
    preset: Literal["none", "rag", "packlet", "ra"] = _setting(
        "none",
        "a named set of sizes; what is said beside it wins",
        choices=("none", "rag", "packlet", "ra"),
        per_tree=True,
    )
    tokenizer: str = _setting(
        "o200k_base", "what sizes are counted in; `characters` counts characters", per_tree=True
    )
    min_tokens: int = _setting(
        100, "a smaller body is not left alone", unit="tokens", least=0, per_tree=True
    )
    target_tokens: int = _setting(
        300, "the size that pieces aim at", unit="tokens", least=1, per_tree=True
    )
    max_tokens: int = _setting(
        1000, "the bound of a chunk's text", unit="tokens", least=1, per_tree=True
    )
    fixed_tokens: int = _setting(
        500, "the window of the strategy `fixed`", unit="tokens", least=1, per_tree=True
    )
    fixed_overlap: int = _setting(
        50, "what two such windows share", unit="tokens", least=0, per_tree=True
    )
    overlap_sentences: int = _setting(
        2,
        "what a piece repeats of the one before",
        unit="sentences",
        least=0,
        per_tree=True,
    )
    heading_levels: int = _setting(
        6, "deeper headings are content", unit="levels", least=0, most=6, per_tree=True
    )
    oversize_code: Literal["keep", "split"] = _setting(
        "keep",
        "a code block over the bound: keep it whole, or split it at line ends",
        choices=("keep", "split"),
        per_tree=True,
    )
    slug_style: Literal["github", "collapse"] = _setting(
        "github",
        "anchors as GitHub makes them, or with runs of hyphens collapsed",
        choices=("github", "collapse"),
        per_tree=True,
    )
    notebook_outputs: bool = _setting(
        False, "make content of the text that the cells of notebooks printed", per_tree=True
    )
    tolerance: float = _setting(
        0.5,
        "how far the number of chunks may miss its estimate, as a share",
        least=0,
        per_tree=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """`[search]`: how a query is understood and its results are chosen."""

    mode: Literal["auto", "lexical", "semantic", "hybrid"] = _setting(
        "auto",
        "how to search; auto is hybrid where there is an embedder, else lexical",
        choices=("auto", "lexical", "semantic", "hybrid"),
    )
    limit: int = _setting(10, "most results shown", unit="results", least=1, most=10_000)
    grain: Literal["auto", "piece", "section", "document"] = _setting(
        "auto", "how large a result may be", choices=("auto", "piece", "section", "document")
    )
    stemmer: str = _setting(
        "english",
        "the language whose words are reduced to stems",
        choices=LANGUAGES,
        per_tree=True,
    )
    fuzzy_distance: int = _setting(
        1, "typing errors forgiven in a word; 0 forgives none", unit="edits", least=0, most=2
    )
    relax_share: float = _setting(
        0.1, "the share of a question's words that a relaxed match needs", least=0, most=1
    )
    asking_words: bool = _setting(
        False, "let the words of a question count that only ask: want, use, anything"
    )
    derived_words: bool = _setting(
        default=True,
        doc="look for other forms of a word that its stem misses (wrote, parser, colour), too; "
        "English only",
    )
    keyword_title_weight: float = _setting(
        0.7, "factor of titles against bodies, for keywords", least=0
    )
    keyword_tags_weight: float = _setting(1.0, "the same of tags", least=0)
    keyword_path_weight: float = _setting(0.1, "the same of paths", least=0)
    question_title_weight: float = _setting(
        0.3, "factor of titles against bodies, for questions", least=0
    )
    question_tags_weight: float = _setting(0.4, "the same of tags", least=0)
    question_path_weight: float = _setting(0.05, "the same of paths", least=0)
    nearby_weight: float = _setting(
        0.4, "factor of words that a match lacks and its neighbours have", least=0
    )
    title_agreement: float = _setting(
        0.25, "what a match gains whose title says all that is asked and nothing else", least=0
    )
    local_boost: float = _setting(
        1.5, "factor for the project's trees against the user's", least=0, open_low=True
    )
    candidate_limit: int = _setting(
        100, "chunks considered before results are chosen", unit="chunks", least=1, most=100_000
    )
    cutoff_ratio: float = _setting(
        0.5, "results end where a score falls below this share of the one before", least=0, most=1
    )
    max_results: int = _setting(
        20, "most results kept where no score falls", unit="results", least=1, most=100_000
    )
    aggregation_threshold: float = _setting(
        0.5,
        "the share of a section's children that must match to show the section instead",
        least=0,
        most=1,
        open_low=True,
    )
    aggregation_min_matches: int = _setting(
        1, "children that must match for that", unit="children", least=1
    )
    aggregation_max_tokens: int = _setting(
        500, "larger sections are not shown instead; 0 sets no limit", unit="tokens", least=0
    )
    max_merge_depth: int = _setting(
        0, "sections above this depth are not shown instead", unit="levels", least=0
    )
    merge_bonus: float = _setting(
        0.0, "what each matching child adds to such a section's score, as a share", least=0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """`[index]`: which files are read, and where the index is kept."""

    dir: str | None = _setting(
        None, "where the index lies, by default in the user's cache folder", gated=True
    )
    lock_timeout_s: float = _setting(
        30.0, "how long a writer waits for another one", unit="seconds", least=0, most=86_400
    )
    workers: int = _setting(
        1,
        "processes that prepare large amounts of sources beside the main one; each takes 140 MB",
        unit="processes",
        least=0,
        most=64,
    )
    max_file_bytes: int = _setting(
        52_428_800, "larger files are skipped", unit="bytes", least=1, per_tree=True
    )
    follow_symlinks: bool = _setting(
        False,
        "enter folders that are links, where they lead inside the same tree",
        per_tree=True,
        gated=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSettings:
    """`[context]`: what `leafmark context` takes from the files that are worked on."""

    terms: int = _setting(
        25, "words of the files that are looked for", unit="words", least=1, most=1000
    )
    cutoff_ratio: float = _setting(
        0.25, "as search.cutoff_ratio, for queries of so many words", least=0, most=1
    )
    path_weight: float = _setting(3.0, "factor of the words of a file's path", least=0)
    heading_weight: float = _setting(
        3.0, "factor of titles, tags, headings and definitions", least=0
    )
    symbol_weight: float = _setting(2.0, "factor of names in code", least=0)
    import_weight: float = _setting(1.5, "factor of what code imports", least=0)
    comment_weight: float = _setting(1.5, "factor of comments in code", least=0)
    body_weight: float = _setting(1.0, "factor of all other words", least=0)
    rule_weight: float = _setting(4.0, "factor of the words that rules add", least=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """`[embedding]`: the model that turns texts into vectors, if any."""

    provider: Literal[
        "none", "minilm", "ollama", "openai", "sentence-transformers", "fastembed", "model2vec"
    ] = _setting(
        "none",
        "what makes vectors; minilm needs no network and no server",
        choices=(
            "none",
            "minilm",
            "ollama",
            "openai",
            "sentence-transformers",
            "fastembed",
            "model2vec",
        ),
        gated=True,
    )
    model: str | None = _setting(None, "the model's name, where there are several", gated=True)
    endpoint: str | None = _setting(
        None, "the address of a server, where it is not the usual one", gated=True
    )
    key_variable: str | None = _setting(
        None, "the environment variable that holds the server's key", gated=True
    )
    query_prefix: str | None = _setting(None, "what the model wants before every query")
    document_prefix: str | None = _setting(None, "what the model wants before every text")
    limit: int = _setting(
        0, "a text is cut there; 0 is what the model takes", unit="tokens", least=0, most=1_000_000
    )
    batch_tokens: int = _setting(
        8192, "how much text goes to a server at a time", unit="tokens", least=1, most=10_000_000
    )
    timeout_s: float = _setting(
        60.0, "how long a server may take to answer", unit="seconds", least=0.1, most=3600
    )
    retries: int = _setting(
        4, "further attempts where a server is busy or does not answer", least=0, most=20
    )
    deadline_s: float = _setting(
        3.0,
        "how long a search waits for the query's vector before it answers without",
        unit="seconds",
        least=0,
        most=600,
    )
    least_similarity: float = _setting(
        0.0,
        "least similarity of a result by meaning alone; 0 is what suits the model",
        least=0,
        most=1,
    )
    threads: int = _setting(
        1, "threads of the model inside leafmark", unit="threads", least=1, most=256
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankSettings:
    """`[rerank]`: the model that reads query and result together, if any."""

    provider: Literal["none", "sentence-transformers", "fastembed"] = _setting(
        "none",
        "the package, where you installed it, whose cross-encoder orders the best results",
        choices=("none", "sentence-transformers", "fastembed"),
        gated=True,
    )
    model: str | None = _setting(
        None, "the model's name, where it is not the usual one", gated=True
    )
    results: int = _setting(20, "results that it reads", unit="results", least=1, most=1000)
    deadline_s: float = _setting(
        5.0,
        "how long a search waits for it before it keeps its own order",
        unit="seconds",
        least=0,
        most=600,
    )


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

SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        f"{table}.{declared.name}": Setting(
            f"{table}.{declared.name}", cast(Value, declared.default), declared.metadata["rules"]
        )
        for table, declaration in TABLES.items()
        for declared in fields(declaration)
    }
)
"""All settings by name, in the order in which they are listed."""
