"""What is on disk: schema, analyzers, writer, reader, manifest, generations, locks.

This is the only room that writes index files and, with `retrieval`, the only one that imports
Tantivy. One commit changes text and manifest together. Modules that only writing and checking
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
from leafmark.index.engine import NO_RIGHT, is_panic
from leafmark.index.facts import (
    SECONDARY_FACT,
    canonical,
    fact,
    language_fact,
    meta_prefix,
    tag_fact,
    term_facts,
)
from leafmark.index.folding import fold, id_spellings, is_folded, path_spellings, spellings
from leafmark.index.garbage import collection_paused
from leafmark.index.generation import IndexMeta, count_matches
from leafmark.index.headed import phrases_within
from leafmark.index.lock import LockHolder, lock_holder
from leafmark.index.manifest import Manifest
from leafmark.index.options import IndexOptions
from leafmark.index.places import OTHER_LEAFMARK, find_other, has_other, index_place, note_use
from leafmark.index.reader import IndexReader, TreeCounts, has_index, open_reader
from leafmark.index.runs import Recent
from leafmark.index.schema import FORMAT, TEXT_FIELDS, Language
from leafmark.index.words import Vocabulary
from leafmark.late import import_late

if TYPE_CHECKING:
    from leafmark.index.check import check_index
    from leafmark.index.filling import PreparedSource, prepare_source
    from leafmark.index.writer import IndexWriter, open_writer

__all__ = [
    "BETWEEN",
    "FORMAT",
    "LANGUAGES",
    "NO_RIGHT",
    "OTHER_LEAFMARK",
    "PARTING_FORMATS",
    "SECONDARY_FACT",
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
    "Vocabulary",
    "analyzer_for",
    "canonical",
    "check_index",
    "collection_paused",
    "count_matches",
    "fact",
    "find_other",
    "fold",
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
    "term_facts",
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
