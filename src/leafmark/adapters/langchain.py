"""leafmark in LangChain: a text splitter and a retriever. Needs the extra `langchain`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import fields
from typing import Any, Unpack

from leafmark.adapters.parts import Content, Cutter, Search, find
from leafmark.chunking import ChunkingOptions, Sizes, Strategy, token_counter
from leafmark.library import Index
from leafmark.model import Grain, Relation

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_text_splitters import TextSplitter
    from pydantic import ConfigDict
except ImportError as missing:
    raise ImportError(
        'leafmark\'s LangChain adapter needs its extra: pip install "leafmark[langchain]"'
    ) from missing

__all__ = ["LeafmarkRetriever", "LeafmarkTextSplitter"]


class LeafmarkTextSplitter(TextSplitter):
    """Splits documents into sections and pieces with their places in the source.

    `strategy`, `tree` and the sizes are those of `leafmark.chunk`. The metadata of each
    document hold its path under `source_key`, else it is `default_path`. The path's suffix
    decides how the document is parsed, and ids contain the path.

    With `content="source"` a document's `page_content` is a slice of the text, and
    `text[start_index:end_index] == page_content`. With `content="text"` it is leafmark's
    text for models: breadcrumb, overlap, readable text of HTML and notebooks; the indexes
    then bound its source.

    The metadata hold `start_index` and `end_index` (characters), `chunk_id`,
    `parent_id`, `breadcrumb`, `section_path`, `kind`, `depth`, and the bytes and lines
    of the slice. Front matter is in no document.

    Raises:
        ConfigError, UsageError: a size, the strategy, the tree or the content is wrong.

    >>> splitter = LeafmarkTextSplitter()
    >>> text = "# Menü\\n\\nHello.\\n\\n## Tea\\n\\nGreen.\\n"
    >>> for document in splitter.create_documents([text], [{"source": "menu.md"}]):
    ...     print(document.metadata["start_index"], document.metadata["chunk_id"])
    0 docs:menu.md#menü
    16 docs:menu.md#tea
    """

    def __init__(
        self,
        strategy: Strategy = "auto",
        *,
        tree: str = "docs",
        content: Content = "source",
        source_key: str = "source",
        default_path: str = "document.md",
        **sizes: Unpack[Sizes],
    ):
        self._cutter = Cutter(strategy, tree, content, sizes)
        options = ChunkingOptions(strategy=strategy, **sizes)
        self._source_key = source_key
        self._default_path = default_path
        super().__init__(
            chunk_size=options.max_tokens,
            chunk_overlap=0,
            length_function=token_counter(options.tokenizer),
            add_start_index=True,
        )

    def split_text(self, text: str) -> list[str]:
        """Return the contents of the parts of `text`, in order."""
        return [part.content for part in self._cutter.cut(text, self._default_path)]

    def create_documents(
        self, texts: Sequence[str], metadatas: Sequence[Mapping[Any, Any]] | None = None
    ) -> list[Document]:
        """Return a document for each part of each text, with the metadata of both."""
        documents = []
        for text, metadata in zip(texts, metadatas or [{}] * len(texts), strict=True):
            path = str(metadata.get(self._source_key) or self._default_path)
            for part in self._cutter.cut(text, path):
                own = {"start_index": part.start, "end_index": part.end, **part.metadata}
                merged = {**deepcopy(dict(metadata)), **own}
                documents.append(Document(page_content=part.content, metadata=merged))
        return documents


class LeafmarkRetriever(BaseRetriever):
    """Finds sections of a folder of documents; each comes with a citation that can be checked.

    The fields are arguments of `Index.search`; `document_tags` are its `tags`. A query is
    text (`plain`) unless that is switched off. A result's `page_content` is its heading
    and whole section, its id leafmark's. The metadata hold `citation`, `score`, `rank`,
    `source` (the file), `start_index` and `end_index` (characters), bytes, lines,
    `breadcrumb` and more. Sections of `expand` follow their result, with `relation`.

    With `max_tokens` the texts together, separated by blank lines, have at most so many
    tokens: they are the most relevant parts (`Index.fit`), each with its own citation.

    >>> import leafmark
    >>> retriever = LeafmarkRetriever(index=leafmark.open_index("handbook"), limit=1)
    >>> retriever.invoke("how do I restore a backup?")[0].metadata["citation"]
    'handbook:guides/backups.md#restoring-a-backup@642e34fdd407:697-1301'
    """

    model_config = ConfigDict(extra="forbid")  # else `k=3` would be ignored silently

    index: Index
    limit: int | None = None
    section: str | None = None
    trees: tuple[str, ...] = ()
    document_tags: tuple[str, ...] = ()
    since: str | None = None
    grain: Grain | None = None
    expand: tuple[Relation, ...] = ()
    strict: bool = False
    plain: bool = True
    max_tokens: int | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        values = {
            field.name: getattr(self, field.name)
            for field in fields(Search)
            if field.name != "tags"
        }
        search = Search(tags=self.document_tags, **values)
        return [
            Document(
                id=item.id,
                page_content=item.text,
                metadata={"start_index": item.start, "end_index": item.end, **item.metadata},
            )
            for item in find(self.index, query, search)
        ]
