"""What is on disk: schema, analyzers, writer, reader, manifest, generations, locks.

This is the only package that writes index files; in it, only `embedded` and the analyzers import
Tantivy. One commit changes text and manifest together. Modules for writing and checking are
imported on first use, since most runs only read.

This package exports the index itself. How it analyzes texts, names and queries is in modules of
their own: `analysis`, `chunk_names`, `facts`, `folding`, `queries`, `roles`, `snapshot`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.index.embedded.generation import IndexMeta
from leafmark.index.embedded.reader import IndexReader, has_index, open_reader
from leafmark.index.folder import IndexOptions
from leafmark.index.manifest import Manifest
from leafmark.index.schema import FORMAT, Language
from leafmark.index.snapshot import Snapshot, Store
from leafmark.lazy_imports import import_late

if TYPE_CHECKING:
    from leafmark.index.embedded.checking import check_index
    from leafmark.index.embedded.writer import IndexWriter, open_writer
    from leafmark.index.engine_documents import EngineDocuments, prepare_source

__all__ = [
    "FORMAT",
    "EngineDocuments",
    "IndexMeta",
    "IndexOptions",
    "IndexReader",
    "IndexWriter",
    "Language",
    "Manifest",
    "Snapshot",
    "Store",
    "check_index",
    "has_index",
    "open_reader",
    "open_writer",
    "prepare_source",
]

_LATE = {
    "IndexWriter": "leafmark.index.embedded.writer",
    "EngineDocuments": "leafmark.index.engine_documents",
    "check_index": "leafmark.index.embedded.checking",
    "open_writer": "leafmark.index.embedded.writer",
    "prepare_source": "leafmark.index.engine_documents",
}


if not TYPE_CHECKING:
    __getattr__ = import_late(__name__, _LATE)
