"""A small library: sources in, an index of them, and searches that read them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leafmark.chunking import ChunkingOptions
from leafmark.index import IndexOptions, IndexReader, open_reader
from leafmark.model import Answer, DocumentEntry
from leafmark.parsing import decode
from leafmark.query import parse_query, parse_topics
from leafmark.search import SearchOptions, search
from support.indexes import index

Sources = Mapping[str, str | bytes]


WHOLE_SECTIONS = ChunkingOptions(strategy="heading")


class Library:
    """Sources by tree and path, indexed in a folder. Change `texts` to make them stale.

    Sections are whole, unless `cutting` says how large a piece may be.
    """

    def __init__(self, root: Path, *, cutting: ChunkingOptions = WHOLE_SECTIONS, **trees: Sources):
        self.cutting = cutting
        languages = dict.fromkeys(trees, "english")
        self.root = root
        self.settings = IndexOptions("library", languages)
        self.texts: dict[tuple[str, str], str | bytes] = {}
        for tree, sources in trees.items():
            self.put(tree, sources)

    def put(self, tree: str, sources: Sources, remove: tuple[str, ...] = ()) -> None:
        index(
            self.root,
            sources,
            remove=remove,
            settings=self.settings,
            tree=tree,
            cutting=self.cutting,
        )
        self.texts.update({(tree, path): text for path, text in sources.items()})

    @property
    def reader(self) -> IndexReader:
        return open_reader(self.root)

    def read(self, document: DocumentEntry) -> bytes | None:
        """The bytes that spans refer to, None where they are not those that were indexed."""
        text = self.texts[document.tree, document.path]
        data = text.encode() if isinstance(text, str) else text
        if hashlib.sha256(data).hexdigest() != document.state.digest:
            return None
        return data if document.encoding == "utf-8" else decode(data, document.path).data

    def search(self, *queries: str, local: tuple[str, ...] = (), **params: Any) -> Answer:
        return search(
            self.reader,
            parse_topics(queries) if len(queries) > 1 else [parse_query(queries[0])],
            SearchOptions(**params),
            read_source=self.read,
            local_trees=local,
        )

    def find(self, *queries: str, **params: Any) -> list[str]:
        """The ids of the results as they matched, best first, without the name of the tree."""
        flat: dict[str, Any] = {"aggregation": False, "cutoff_ratio": 0.0, "limit": 50}
        answer = self.search(*queries, **(flat | params))
        return [result.entry.id.partition(":")[2] for result in answer.results]
