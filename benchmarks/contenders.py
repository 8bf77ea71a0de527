"""The splitters that are run side by side: each turns a text into parts, or is not installed.

All get the same tokenizer and the same sizes, as far as they take any: parts of
400 tokens, never more than 1,000, no overlap. What a splitter gives as the path
of a part is taken as it is.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from leafmark.chunking import ChunkingOptions, Strategy, chunk_document, token_counter
from leafmark.parsing import parse

TARGET, MOST, LEAST = 400, 1000, 100

_APART = "\x1f"
"""Between the titles of a path that is given as one text: in no title, where `/` is in many."""


class Part(NamedTuple):
    """One part. `path` are the titles above and of its section, None where none are given.

    Parts are looked for by their text, in the order of `start` where that is given.
    `lead` is what of the text stands before the section that the path is of.
    """

    text: str
    path: tuple[str, ...] | None = None
    start: int | None = None
    lead: str = ""


class Contender(NamedTuple):
    """`kind` says what its paths hold: `own` the section's title too, `parents` not, "" none."""

    name: str
    split: Callable[[bytes, str], list[Part]]
    kind: str = ""


def contenders() -> tuple[list[Contender], list[str]]:
    """Return those that can run here, and of those that cannot the name and what is missing."""
    found, missing = [_leafmark("section"), _leafmark("auto")], []
    for name, module, make in (
        ("semantic-text-splitter", "semantic_text_splitter", _semantic_text_splitter),
        ("LangChain Markdown + recursive", "langchain_text_splitters", _langchain),
        ("LlamaIndex Markdown parser", "llama_index.core.node_parser", _llama_index),
        ("chonkie recursive", "chonkie", _chonkie),
        ("Docling hierarchical", "docling_core.transforms.chunker", _docling_hierarchical),
        ("Docling hybrid", "docling_core.transforms.chunker.hybrid_chunker", _docling_hybrid),
    ):
        try:
            found.append(make(name, importlib.import_module(module)))
        except ImportError as error:
            missing.append(f"{name}: {error.name or error} is not installed")
    return found, missing


def _leafmark(strategy: Strategy) -> Contender:
    options = ChunkingOptions(
        strategy=strategy, min_tokens=LEAST, target_tokens=TARGET, max_tokens=MOST
    )

    def split(data: bytes, name: str) -> list[Part]:
        parts = []
        begin: int | None = None  # of heading lines and front matter that wait for the next body
        for chunk in chunk_document(parse(data, name), tree="b", options=options).chunks:
            own = chunk.byte_start if chunk.heading_start is None else chunk.heading_start
            begin = own if begin is None else begin
            if not chunk.has_content and chunk.position < len(chunk.owner.chunks) - 1:
                continue
            for number, (start, end) in enumerate(chunk.body_spans):
                first = start if number else begin
                text = data[first:end].decode("utf-8", "replace")
                lead = "" if number else data[first:own].decode("utf-8", "replace")
                parts.append(Part(text, chunk.section_path, first, lead))
            begin = None
        return parts

    return Contender(f"leafmark {strategy}", split, "leafmark")


def _semantic_text_splitter(name: str, module: Any) -> Contender:
    splitter = module.MarkdownSplitter.from_tiktoken_model("gpt-4o", (TARGET, MOST))
    return Contender(name, lambda data, path: [Part(t) for t in splitter.chunks(_text(data))])


def _langchain(name: str, module: Any) -> Contender:
    levels = [("#" * level, str(level)) for level in range(1, 7)]
    by_heading = module.MarkdownHeaderTextSplitter(levels, strip_headers=False)
    by_size = module.RecursiveCharacterTextSplitter.from_language(
        module.Language.MARKDOWN,
        chunk_size=TARGET,
        chunk_overlap=0,
        length_function=token_counter("o200k_base"),
    )

    def split(data: bytes, path: str) -> list[Part]:
        documents = by_size.split_documents(by_heading.split_text(_text(data)))
        return [
            Part(each.page_content, tuple(each.metadata[k] for k in sorted(each.metadata)))
            for each in documents
        ]

    return Contender(name, split, "own")


def _llama_index(name: str, module: Any) -> Contender:
    from llama_index.core import Document  # type: ignore[import-not-found, unused-ignore]

    parser = module.MarkdownNodeParser(header_path_separator=_APART)

    def split(data: bytes, path: str) -> list[Part]:
        nodes = parser.get_nodes_from_documents([Document(text=_text(data))])
        return [
            Part(node.text, tuple(filter(None, node.metadata["header_path"].split(_APART))))
            for node in nodes
        ]

    return Contender(name, split, "parents")


def _chonkie(name: str, module: Any) -> Contender:
    encoding = importlib.import_module("bpe_openai").get_encoding("o200k_base")
    base = importlib.import_module("chonkie.tokenizer").Tokenizer
    count = token_counter("o200k_base")
    methods = {
        "__repr__": lambda self: "o200k_base",
        "encode": lambda self, text: encoding.encode_ordinary(text),
        "tokenize": lambda self, text: [
            encoding.decode([t]) for t in encoding.encode_ordinary(text)
        ],
        "decode": lambda self, tokens: encoding.decode(tokens),
        "count_tokens": lambda self, text: count(text),
    }
    chunker = module.RecursiveChunker(
        tokenizer=type("Exact", (base,), methods)(), chunk_size=TARGET
    )
    return Contender(name, lambda data, path: [Part(c.text) for c in chunker.chunk(_text(data))])


def _docling_hierarchical(name: str, module: Any) -> Contender:
    """The chunker that follows the document's tree; it takes no sizes."""
    return _docling(name, module.HierarchicalChunker())


def _docling_hybrid(name: str, module: Any) -> Contender:
    """The same, and what is large cut, what is small and under the same headings together."""
    base = importlib.import_module("docling_core.transforms.chunker.tokenizer.base").BaseTokenizer
    importlib.import_module("semchunk")  # else it is missed only when something is cut
    count = token_counter("o200k_base")
    methods = {
        "count_tokens": lambda self, text: count(text),
        "get_max_tokens": lambda self: TARGET,
        "get_tokenizer": lambda self: count,  # all that semchunk needs
    }
    exact = type("Exact", (base,), {"__module__": __name__, **methods})()
    return _docling(name, module.HybridChunker(tokenizer=exact))


def _docling(name: str, chunker: Any) -> Contender:
    """A chunker of Docling's on what its Markdown backend reads."""
    from io import BytesIO

    backend = importlib.import_module("docling.backend.md_backend").MarkdownDocumentBackend
    inputs = importlib.import_module("docling.datamodel.document").InputDocument
    markdown = importlib.import_module("docling.datamodel.base_models").InputFormat.MD

    def split(data: bytes, path: str) -> list[Part]:
        source = inputs(
            path_or_stream=BytesIO(data), format=markdown, backend=backend, filename="a.md"
        )
        document = backend(source, BytesIO(data)).convert()
        return [
            Part(each.text, tuple(each.meta.headings or ())) for each in chunker.chunk(document)
        ]

    return Contender(name, split, "own")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
