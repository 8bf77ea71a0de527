"""The retrievers that are run side by side: each takes documents, and answers queries with spans.

They are what the guides of LangChain and LlamaIndex build, a splitter with a ranking by words
(BM25) or by the vectors of a model, and the command qmd without a model. Parts have 500 tokens
and 50 of overlap where a splitter takes sizes; everything else is as it comes. The model is the
one that leafmark's extra `embed` installs, for all of them.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from leafmark.chunking import token_counter
from leafmark.embedding import Embedder, EmbedderSpec, open_embedder

SIZE, OVERLAP = 500, 50
"""Tokens of a part, and of what it shares with the one before."""

RESULTS = 20
"""As many as leafmark keeps."""

COUNT = token_counter("o200k_base")


class Source(NamedTuple):
    """A document: its path and its text, whose places are characters."""

    path: str
    text: str


class RetrievedPlace(NamedTuple):
    """A result: the characters `[start, end)` of a document."""

    path: str
    start: int
    end: int


Search = Callable[[str], list[RetrievedPlace]]
"""From a query to its results, best first."""


class Retriever(NamedTuple):
    """`build` indexes the documents and returns what answers queries about them."""

    name: str
    build: Callable[[Sequence[Source]], Search]


def retrievers(*, model: bool) -> tuple[list[Retriever], list[str]]:
    """Return those that can run here, and of those that cannot the name and what is missing.

    Those that rank by vectors are among them where `model` is wanted.
    """
    by_words = (
        ("LangChain, BM25", "langchain_text_splitters langchain_community rank_bm25", _langchain),
        ("LlamaIndex, BM25", "llama_index.retrievers.bm25", _llama_index),
        ("LlamaIndex, Markdown, BM25", "llama_index.retrievers.bm25", _llama_index_sections),
    )
    by_vectors = (
        ("LangChain, vectors", "langchain_text_splitters", _langchain_vectors),
        ("LlamaIndex, vectors", "llama_index.core", _llama_index_vectors),
        ("LlamaIndex, auto-merging", "llama_index.core", _llama_index_merging),
    )
    found, missing = [], []
    for name, modules, build in (*by_words, *(by_vectors if model else ())):
        try:
            for module in modules.split():
                importlib.import_module(module)
            found.append(Retriever(name, build))
        except ImportError as error:
            missing.append(f"{name}: {error.name or error} is not installed")
    if shutil.which("qmd"):
        qmd = _Qmd()
        found.append(Retriever("qmd search, documents", qmd.documents))
        found.append(Retriever("qmd search, snippets", qmd.snippets))
    else:
        missing.append("qmd: the command is not installed")
    return found, missing


@cache
def _model() -> Embedder:
    return open_embedder(EmbedderSpec(provider="minilm"))


def _query_vector(text: str) -> list[float]:
    return [float(each) for each in _model().embed_query(text).ravel()]


class Placing:
    """Finds parts by their text, in the order in which they come of each document."""

    def __init__(self, sources: Iterable[Source]):
        self._texts = {source.path: source.text for source in sources}
        self._after: dict[str, int] = {}

    def place(self, path: str, text: str) -> RetrievedPlace:
        """Return where a part stands; one that was written anew stands nowhere: no characters."""
        whole = self._texts[path]
        start = whole.find(text, self._after.get(path, 0))
        if start < 0:
            return RetrievedPlace(path, 0, 0)
        self._after[path] = start + 1
        return RetrievedPlace(path, start, start + len(text))


# -- LangChain ----------------------------------------------------------------------


def _langchain_parts(sources: Sequence[Source]) -> list[Any]:
    splitters = importlib.import_module("langchain_text_splitters")
    documents = importlib.import_module("langchain_core.documents")
    splitter = splitters.RecursiveCharacterTextSplitter.from_language(
        splitters.Language.MARKDOWN,
        chunk_size=SIZE,
        chunk_overlap=OVERLAP,
        length_function=COUNT,
    )
    placing = Placing(sources)
    parts = splitter.split_documents(
        documents.Document(page_content=source.text, metadata={"path": source.path})
        for source in sources
    )
    for part in parts:
        part.metadata["found"] = placing.place(part.metadata["path"], part.page_content)
    return list(parts)


def _langchain(sources: Sequence[Source]) -> Search:
    """The ranking by words as it comes: words are what stands between white space."""
    module = importlib.import_module("langchain_community.retrievers")
    retriever = module.BM25Retriever.from_documents(_langchain_parts(sources), k=RESULTS)
    return lambda query: [part.metadata["found"] for part in retriever.invoke(query)]


def _langchain_vectors(sources: Sequence[Source]) -> Search:
    stores = importlib.import_module("langchain_core.vectorstores")
    base = importlib.import_module("langchain_core.embeddings").Embeddings
    methods = {
        "embed_documents": lambda self, texts: _model().embed_documents(texts).tolist(),
        "embed_query": lambda self, text: _query_vector(text),
    }
    store = stores.InMemoryVectorStore(type("Local", (base,), methods)())
    store.add_documents(_langchain_parts(sources))
    return lambda query: [
        part.metadata["found"] for part in store.similarity_search(query, k=RESULTS)
    ]


# -- LlamaIndex ---------------------------------------------------------------------


def _llama_documents(sources: Sequence[Source]) -> list[Any]:
    core = importlib.import_module("llama_index.core")
    return [core.Document(text=source.text, id_=source.path) for source in sources]


def _sentences(size: int = SIZE, overlap: int = OVERLAP) -> Any:
    parsers = importlib.import_module("llama_index.core.node_parser")
    return parsers.SentenceSplitter(chunk_size=size, chunk_overlap=overlap, tokenizer=_tokens)


def _tokens(text: str) -> Sequence[int]:
    """Return something as long as the text has tokens: the splitter looks at nothing else."""
    return range(COUNT(text))


def _places(sources: Sequence[Source], nodes: Iterable[Any]) -> dict[str, RetrievedPlace]:
    placing = Placing(sources)
    return {node.node_id: placing.place(node.ref_doc_id, node.text) for node in nodes}


def _llama_index(sources: Sequence[Source]) -> Search:
    nodes = _sentences().get_nodes_from_documents(_llama_documents(sources))
    return _by_words(sources, nodes)


def _llama_index_sections(sources: Sequence[Source]) -> Search:
    """By sections of Markdown, large ones cut."""
    parsers = importlib.import_module("llama_index.core.node_parser")
    sections = parsers.MarkdownNodeParser().get_nodes_from_documents(_llama_documents(sources))
    return _by_words(sources, _sentences().get_nodes_from_documents(sections))


def _by_words(sources: Sequence[Source], nodes: list[Any]) -> Search:
    """The ranking by words as its guide has it, with a stemmer and without stop words."""
    bm25 = importlib.import_module("llama_index.retrievers.bm25")
    stemmer = importlib.import_module("Stemmer").Stemmer("english")
    places = _places(sources, nodes)
    retriever = bm25.BM25Retriever.from_defaults(
        nodes=nodes, similarity_top_k=min(RESULTS, len(nodes)), stemmer=stemmer, language="english"
    )
    return lambda query: [places[one.node.node_id] for one in retriever.retrieve(query)]


def _llama_model() -> Any:
    base = importlib.import_module("llama_index.core.embeddings").BaseEmbedding

    async def later(self: Any, query: str) -> list[float]:
        raise NotImplementedError

    methods = {
        "__module__": __name__,
        "_get_query_embedding": lambda self, query: _query_vector(query),
        "_aget_query_embedding": later,
        "_get_text_embedding": lambda self, text: _model().embed_documents([text])[0].tolist(),
        "_get_text_embeddings": lambda self, texts: _model().embed_documents(texts).tolist(),
    }
    return type("Local", (base,), methods)()


def _llama_index_vectors(sources: Sequence[Source]) -> Search:
    core = importlib.import_module("llama_index.core")
    nodes = _sentences().get_nodes_from_documents(_llama_documents(sources))
    places = _places(sources, nodes)
    index = core.VectorStoreIndex(nodes, embed_model=_llama_model())
    retriever = index.as_retriever(similarity_top_k=RESULTS)
    return lambda query: [places[one.node.node_id] for one in retriever.retrieve(query)]


def _llama_index_merging(sources: Sequence[Source]) -> Search:
    """Parts of 128 tokens, found by their vectors, which those of 512 and 2,048 stand for."""
    core = importlib.import_module("llama_index.core")
    parsers = importlib.import_module("llama_index.core.node_parser")
    merging = importlib.import_module("llama_index.core.retrievers").AutoMergingRetriever
    sizes = (2048, 512, 128)
    names = [f"of {size}" for size in sizes]
    parser = parsers.HierarchicalNodeParser.from_defaults(
        node_parser_ids=names,
        node_parser_map={
            name: _sentences(size, 20) for name, size in zip(names, sizes, strict=True)
        },
    )
    nodes = parser.get_nodes_from_documents(_llama_documents(sources))
    places: dict[str, RetrievedPlace] = {}
    for level in range(len(sizes)):  # each level by itself goes through a document in order
        same = parsers.get_deeper_nodes(nodes, level) if level else parsers.get_root_nodes(nodes)
        places |= _places(sources, same)
    storage = core.StorageContext.from_defaults()
    storage.docstore.add_documents(nodes)
    leaves = parsers.get_leaf_nodes(nodes)
    index = core.VectorStoreIndex(leaves, storage_context=storage, embed_model=_llama_model())
    retriever = merging(index.as_retriever(similarity_top_k=RESULTS), storage)
    return lambda query: [places[one.node.node_id] for one in retriever.retrieve(query)]


# -- qmd ----------------------------------------------------------------------------

_LINES = re.compile(r"@@ -(\d+),(\d+)")
"""How a snippet begins: its first line in the document, and how many lines it has."""


class _Qmd:
    """The command's own search by words, which gives documents and some lines of each.

    Both are judged, from one run of a query.
    """

    def __init__(self) -> None:
        self._sources: Sequence[Source] = ()
        self._folder = Path()
        self._texts: dict[str, str] = {}
        self._results: dict[str, list[dict[str, Any]]] = {}

    def documents(self, sources: Sequence[Source]) -> Search:
        self._index(sources)
        return lambda query: [
            RetrievedPlace(path, 0, len(self._texts[path]))
            for path in map(_qmd_path, self._search(query))
        ]

    def snippets(self, sources: Sequence[Source]) -> Search:
        self._index(sources)
        return lambda query: [
            snippet_place(path, self._texts[path], result["snippet"])
            for result in self._search(query)
            for path in [_qmd_path(result)]
        ]

    def _index(self, sources: Sequence[Source]) -> None:
        if sources is self._sources:
            return
        self._sources, self._results = sources, {}
        self._texts = {source.path: source.text for source in sources}
        self._temporary = tempfile.TemporaryDirectory(prefix="qmd-")
        self._folder = Path(self._temporary.name)
        for source in sources:
            file = self._folder / "documents" / source.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source.text, encoding="utf-8", newline="")
        self._run("collection", "add", str(self._folder / "documents"), "--name", "set",
                  "--mask", "**/*")  # fmt: skip

    def _run(self, *arguments: str) -> str:
        homes = {f"XDG_{name}_HOME": str(self._folder / name) for name in ("CACHE", "CONFIG")}
        environment = {**os.environ, "HOME": str(self._folder), **homes}
        command = ["qmd", *arguments]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout

    def _search(self, query: str) -> list[dict[str, Any]]:
        if query not in self._results:
            said = self._run("search", "-n", str(RESULTS), "--json", "--", query)
            self._results[query] = json.loads(said) if said.lstrip().startswith("[") else []
        return self._results[query]


def snippet_place(path: str, text: str, snippet: str) -> RetrievedPlace:
    """Return the lines that qmd shows, of which the first line of its snippet tells."""
    lines = _LINES.match(snippet)
    if lines is None:
        return RetrievedPlace(path, 0, 0)
    ends = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    first = int(lines[1]) - 1
    return RetrievedPlace(path, ends[first], ends[min(first + int(lines[2]), len(ends) - 1)])


def _qmd_path(result: dict[str, Any]) -> str:
    path: str = result["file"].removeprefix("qmd://set/")
    return path
