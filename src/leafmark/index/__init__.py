"""What is on disk: schema, analyzers, writer, reader, manifest, generations, locks.

This is the only package that writes index files; in it, `embedded` alone imports Tantivy, but for
the analyzers. One commit changes text and manifest together. Modules that only writing and checking
need are imported on first use, since most runs only read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.index.analysis import (
    BETWEEN,
    LANGUAGES,
    PARTING_FORMATS,
    Analyzer,
    Token,
    analyzer_for,
    has_signs,
    is_solid,
    iter_names,
    iter_parted,
    split_names,
    with_parts,
)
from leafmark.index.chunk_names import (
    ARTICLES,
    CHUNK,
    DOCUMENT,
    FILE_TAIL,
    MAX_NAME_WORDS,
    count_words,
    exact_name,
    path_stem,
    stemmed_name,
    without_articles,
)
from leafmark.index.embedded.chunks import Recent
from leafmark.index.embedded.generation import IndexMeta
from leafmark.index.embedded.querying import bare, within_distance, without_marks
from leafmark.index.embedded.reader import IndexReader, has_index, open_reader
from leafmark.index.engine import NO_RIGHT, is_panic
from leafmark.index.facts import (
    canonical,
    cut_fact,
    fact,
    format_fact,
    language_fact,
    meta_prefix,
    tag_fact,
)
from leafmark.index.folder import (
    OTHER_LEAFMARK,
    IndexOptions,
    find_other,
    has_other,
    index_place,
    note_use,
)
from leafmark.index.folding import fold, id_spellings, is_folded, path_spellings, spellings
from leafmark.index.inline import INLINE_FORMATS, iter_read
from leafmark.index.lock import LockHolder, lock_holder
from leafmark.index.manifest import Manifest, gc_paused
from leafmark.index.roles import GLOSSARY, ROLES, TRANSLATION, asked_role, language_family
from leafmark.index.schema import FORMAT, TEXT_FIELDS, Language
from leafmark.index.snapshot import (
    ChunkRef,
    Handle,
    Lookup,
    Match,
    Snapshot,
    Store,
    TreeCounts,
)
from leafmark.index.text_with_titles import phrases_within
from leafmark.index.words import Vocabulary
from leafmark.lazy_imports import import_late

if TYPE_CHECKING:
    from leafmark.index.embedded.checking import check_index
    from leafmark.index.embedded.writer import IndexWriter, open_writer
    from leafmark.index.engine_documents import EngineDocuments, prepare_source

__all__ = [
    "ARTICLES",
    "BETWEEN",
    "CHUNK",
    "DOCUMENT",
    "FILE_TAIL",
    "FORMAT",
    "GLOSSARY",
    "INLINE_FORMATS",
    "LANGUAGES",
    "MAX_NAME_WORDS",
    "NO_RIGHT",
    "OTHER_LEAFMARK",
    "PARTING_FORMATS",
    "ROLES",
    "TEXT_FIELDS",
    "TRANSLATION",
    "Analyzer",
    "ChunkRef",
    "EngineDocuments",
    "Handle",
    "IndexMeta",
    "IndexOptions",
    "IndexReader",
    "IndexWriter",
    "Language",
    "LockHolder",
    "Lookup",
    "Manifest",
    "Match",
    "Recent",
    "Snapshot",
    "Store",
    "Token",
    "TreeCounts",
    "Vocabulary",
    "analyzer_for",
    "asked_role",
    "bare",
    "canonical",
    "check_index",
    "count_words",
    "cut_fact",
    "exact_name",
    "fact",
    "find_other",
    "fold",
    "format_fact",
    "gc_paused",
    "has_index",
    "has_other",
    "has_signs",
    "id_spellings",
    "index_place",
    "is_folded",
    "is_panic",
    "is_solid",
    "iter_names",
    "iter_parted",
    "iter_read",
    "language_fact",
    "language_family",
    "lock_holder",
    "meta_prefix",
    "note_use",
    "open_reader",
    "open_writer",
    "path_spellings",
    "path_stem",
    "phrases_within",
    "prepare_source",
    "spellings",
    "split_names",
    "stemmed_name",
    "tag_fact",
    "with_parts",
    "within_distance",
    "without_articles",
    "without_marks",
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
