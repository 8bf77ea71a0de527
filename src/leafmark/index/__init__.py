"""What is on disk: schema, analyzers, writer, reader, manifest, generations, locks.

This is the only room that writes index files and, with `retrieval`, the only one that imports
Tantivy. One commit changes text and manifest together. Modules that only writing and checking
need are imported on first use, since most runs only read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.index.analyzer import LANGUAGES, Analyzer, Token, analyzer_for, is_solid
from leafmark.index.bridge import Columns, Match, Snapshot
from leafmark.index.chunk_names import DOCUMENT_SIGN, NAME_SIGN
from leafmark.index.engine import NO_RIGHT, is_panic
from leafmark.index.facts import (
    canonical,
    cut_fact,
    fact,
    language_fact,
    meta_prefix,
    tag_fact,
)
from leafmark.index.folding import fold, id_spellings, is_folded, path_spellings, spellings
from leafmark.index.garbage import collection_paused
from leafmark.index.generation import IndexMeta, count_matches
from leafmark.index.headed import phrases_within
from leafmark.index.lock import LockHolder, lock_holder
from leafmark.index.manifest import Manifest
from leafmark.index.names import (
    BETWEEN,
    PARTING_FORMATS,
    iter_names,
    iter_parted,
    split_names,
    with_parts,
)
from leafmark.index.options import IndexOptions
from leafmark.index.places import OTHER_LEAFMARK, find_other, has_other, index_place, note_use
from leafmark.index.queries import (
    AllChunks,
    AllOf,
    AnyOf,
    BestOf,
    Constant,
    HasAny,
    HasMatch,
    HasPhrase,
    HasPhraseMatch,
    HasTerm,
    InRange,
    NoChunk,
    Query,
    Scaled,
)
from leafmark.index.reader import IndexReader, TreeCounts, has_index, open_reader
from leafmark.index.roles import MAIN_LANGUAGE, ROLES, language_folder
from leafmark.index.runs import Recent
from leafmark.index.schema import FORMAT, TEXT_FIELDS, Language
from leafmark.late import import_late

if TYPE_CHECKING:
    from leafmark.index.check import check_index
    from leafmark.index.filling import PreparedSource, prepare_source
    from leafmark.index.writer import IndexWriter, open_writer

__all__ = [
    "AllChunks",
    "AllOf",
    "AnyOf",
    "BestOf",
    "Columns",
    "Constant",
    "DOCUMENT_SIGN",
    "HasAny",
    "HasMatch",
    "HasPhrase",
    "HasPhraseMatch",
    "HasTerm",
    "InRange",
    "MAIN_LANGUAGE",
    "Match",
    "NAME_SIGN",
    "NoChunk",
    "Query",
    "ROLES",
    "Scaled",
    "Snapshot",
    "language_folder",

    "BETWEEN",
    "FORMAT",
    "LANGUAGES",
    "NO_RIGHT",
    "OTHER_LEAFMARK",
    "PARTING_FORMATS",
    "TEXT_FIELDS",
    "Analyzer",
    "IndexMeta",
    "IndexOptions",
    "IndexReader",
    "IndexWriter",
    "Language",
    "LockHolder",
    "Manifest",
    "PreparedSource",
    "Recent",
    "Token",
    "TreeCounts",
    "analyzer_for",
    "canonical",
    "check_index",
    "collection_paused",
    "count_matches",
    "cut_fact",
    "fact",
    "find_other",
    "fold",
    "has_index",
    "has_other",
    "id_spellings",
    "index_place",
    "is_folded",
    "is_panic",
    "is_solid",
    "iter_names",
    "iter_parted",
    "language_fact",
    "lock_holder",
    "meta_prefix",
    "note_use",
    "open_reader",
    "open_writer",
    "path_spellings",
    "phrases_within",
    "prepare_source",
    "spellings",
    "split_names",
    "tag_fact",
    "with_parts",
]

_LATE = {
    "IndexWriter": "leafmark.index.writer",
    "PreparedSource": "leafmark.index.filling",
    "check_index": "leafmark.index.check",
    "open_writer": "leafmark.index.writer",
    "prepare_source": "leafmark.index.filling",
}


if not TYPE_CHECKING:
    __getattr__ = import_late(__name__, _LATE)
