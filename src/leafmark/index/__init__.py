"""What is on disk: schema, analyzers, writer, reader, manifest, generations, locks.

The only room that writes index files and, with `retrieval`, the only one that
imports Tantivy. One commit changes text and manifest together.
"""

from leafmark.index.analyzer import LANGUAGES, Analyzer, Token, analyzer_for
from leafmark.index.check import check_index
from leafmark.index.facts import canonical, fact, language_fact, meta_prefix
from leafmark.index.filling import PreparedSource, prepare_source
from leafmark.index.generation import IndexMeta, RecordCounts
from leafmark.index.lock import LockHolder, lock_holder
from leafmark.index.manifest import Manifest, ManifestRow
from leafmark.index.reader import IndexReader, TreeCounts, has_index, open_reader
from leafmark.index.schema import FORMAT, TEXT_FIELDS, Language
from leafmark.index.writer import IndexSettings, IndexWriter, open_writer

__all__ = [
    "FORMAT",
    "LANGUAGES",
    "TEXT_FIELDS",
    "Analyzer",
    "IndexMeta",
    "IndexReader",
    "IndexSettings",
    "IndexWriter",
    "Language",
    "LockHolder",
    "Manifest",
    "ManifestRow",
    "PreparedSource",
    "RecordCounts",
    "Token",
    "TreeCounts",
    "analyzer_for",
    "canonical",
    "check_index",
    "fact",
    "has_index",
    "language_fact",
    "lock_holder",
    "meta_prefix",
    "open_reader",
    "open_writer",
    "prepare_source",
]
