"""Opening one generation of the index: Tantivy's files with our analyzers registered.

Also the record that the index keeps of itself (`IndexMeta`), and the functions that read the
records of sources: reader and writer share them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import tantivy

from leafmark.errors import DamagedError, NotFoundError
from leafmark.index.engine import INDEX_AGAIN, REBUILD, engine_guard
from leafmark.index.folder import make_folder
from leafmark.index.records import (
    StoredDocument,
    deserialise_document,
    deserialise_object,
    deserialise_state,
)
from leafmark.index.schema import (
    META_KEY,
    RAW_FIELDS,
    SOURCE_KEY,
    STATE_KEY,
    Language,
    language_fields,
)
from leafmark.model import DocumentEntry
from leafmark.namedtuples import NamedTuple


class IndexMeta(NamedTuple):
    """The facts about the whole index that one commit records.

    `seq` counts commits. `started_ns` is the time when the run began to check the sources:
    sources as young as that are checked again.
    """

    seq: int
    uuid: str
    fingerprint: str
    documents: int
    chunks: int
    started_ns: int


class RecordCounts(NamedTuple):
    """The numbers of records in the engine's files, and of deleted ones among them.

    The engine's document counts and frequencies include deleted records until their
    segment is merged; BM25 in a fresh index would count live ones only.
    """

    stored: int
    deleted: int

    @property
    def live(self) -> int:
        return self.stored - self.deleted


def index_languages(trees: Mapping[str, str | None]) -> tuple[Language, ...]:
    """Return the languages of the trees, each with its trees, in order of name.

    Raises:
        ValueError: a language without a stemmer.
    """
    names = sorted(set(trees.values()), key=lambda name: name or "")
    return tuple(
        language_fields(name, [tree for tree, stemmer in trees.items() if stemmer == name])
        for name in names
    )


def build_schema(languages: Iterable[Language]) -> tantivy.Schema:
    """Return the schema for the languages in use; their order does not matter.

    By default the engine stores a length byte for each field of each record. Only BM25 uses
    it, for bodies, titles and paths; so the other fields have none.
    """
    languages = tuple(languages)
    builder = tantivy.SchemaBuilder()
    for language in sorted(languages, key=lambda language: language.body):
        for field in (language.body, language.title, language.tags, language.path):
            builder.add_text_field(field, tokenizer_name=language.analyzer.name)
        builder.add_text_field(
            language.titles, tokenizer_name=language.analyzer.name, index_option="freq"
        )
        builder.add_text_field(language.links, tokenizer_name=language.analyzer.name)
    for field in RAW_FIELDS:
        stored = field == "doc_id"
        builder.add_text_field(field, stored=stored, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("position", fast=True)
    builder.add_unsigned_field("mtime", fast=True)
    for column in ("cut", "role"):
        builder.add_unsigned_field(column, fast=True)
    builder.add_bytes_field("source", stored=True)
    unmeasured = {name for language in languages for name in (language.tags, language.links)} | {
        *RAW_FIELDS
    }
    return _without_lengths(builder.build(), unmeasured)


def _without_lengths(schema: tantivy.Schema, fields: Container[str]) -> tantivy.Schema:
    """Return the schema without the lengths of some fields.

    The builder has no such option, so the schema is unpickled from a changed description.
    """
    build, (description,) = cast("tuple[Any, tuple[Any]]", schema.__reduce__())
    for field in description["inner"]:
        if field["name"] in fields:
            field["options"]["indexing"]["fieldnorms"] = False
    changed: tantivy.Schema = build(description)
    return changed


def create_engine(path: Path, languages: tuple[Language, ...]) -> tantivy.Index:
    """Make an empty index in the new folder `path`."""
    with engine_guard("create the index", path):
        make_folder(path)
        return _register(tantivy.Index(build_schema(languages), path=str(path)), languages)


def open_engine(path: Path, languages: tuple[Language, ...]) -> tantivy.Index:
    """Open the index in `path`, even if the folder is read-only.

    Raises:
        NotFoundError: its fields are not ours, whatever its format says.
        DamagedError, StorageError: see `engine_guard`.
    """
    with engine_guard("open the index", path):
        is_ours = os.access(path, os.W_OK)
        index = tantivy.Index.open(str(path)) if is_ours else _open_read_only(path)
    if index.schema != build_schema(languages):
        raise NotFoundError(
            "the index has other fields than this leafmark reads: another version made it",
            location=str(path),
            hint=INDEX_AGAIN,
        )
    return _register(index, languages)


def _register(index: tantivy.Index, languages: tuple[Language, ...]) -> tantivy.Index:
    """Register the analyzers, which the engine forgets whenever it is opened.

    We give it finished terms, so its part of the analysis is to split at spaces.
    """
    terms = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    for language in languages:
        index.register_tokenizer(language.analyzer.name, terms)
    return index


_REMOVALS = 10
"""How many times removing a folder of links is tried.

A thread of the engine may create its lock there meanwhile: once, while the list of files exists.
"""


def _open_read_only(path: Path) -> tantivy.Index:
    """Open through a private folder of links, since opening locks a file in the folder.

    The engine maps every file when it opens, so the links may go at once.
    """
    import shutil  # rarely needed, and slow to import
    import tempfile

    view = tempfile.mkdtemp(prefix="leafmark-")
    try:
        for name in os.listdir(path):
            if name in ("meta.json", ".managed.json"):
                shutil.copyfile(path / name, Path(view, name))
            elif not name.endswith(".lock"):
                os.symlink((path / name).absolute(), Path(view, name))
        index = tantivy.Index.open(view)
        index.searcher()
        return index
    finally:
        for _ in range(_REMOVALS):
            shutil.rmtree(view, ignore_errors=True)
            if not os.path.exists(view):
                break


def find_records(searcher: tantivy.Searcher, query: tantivy.Query, limit: int) -> list[bytes]:
    """Return the `source` fields of the matching records, at most `limit`."""
    hits = searcher.search(query, max(1, limit), count=False).hits
    records = [searcher.doc(address).get_first("source") for _, address in hits]
    return [record for record in records if record is not None]


def _key_query(index: tantivy.Index, key: str) -> tantivy.Query:
    return tantivy.Query.term_query(index.schema, "key", key, "basic")


def first_chunk_query(index: tantivy.Index, doc_id: str | None) -> tantivy.Query:
    """Return a query for the first chunk, which carries the record, of one document or of all."""
    query, must = tantivy.Query, tantivy.Occur.Must
    document = query.term_query(index.schema, "facts", "kind=document", "basic")
    if doc_id is None:
        return document
    same = query.term_query(index.schema, "doc_id", doc_id, "basic")
    return query.boolean_query([(must, same), (must, document)])


def count_matches(searcher: tantivy.Searcher, query: tantivy.Query) -> int:
    """Return how many live records match; linear in the matches."""
    result: Any = searcher.search(query, 1)  # the published types lack `count`
    return int(result.count)


def every_chunk() -> tantivy.Query:
    """Return a query that matches all chunks, and no other record, with score 1."""
    return tantivy.Query.exists_query("position")


def count_chunks(searcher: tantivy.Searcher) -> int:
    """Return the number of chunks; linear in it."""
    return count_matches(searcher, every_chunk())


def read_meta(index: tantivy.Index, searcher: tantivy.Searcher) -> IndexMeta | None:
    """Return the index's record of itself, None if it has no commit of ours.

    Raises:
        DamagedError: the record cannot be read.
    """
    records = find_records(searcher, _key_query(index, META_KEY), 1)
    if not records:
        return None
    record: dict[str, Any] = deserialise_object(records[0])
    try:
        return IndexMeta(**record)
    except TypeError as err:
        raise DamagedError("the index's own record cannot be read", hint=REBUILD) from err


def read_counts(folder: Path) -> RecordCounts:
    """Count the records in the engine's own list of segments.

    Raises:
        OSError, ValueError: the list cannot be read.
    """
    try:
        segments = json.loads((folder / "meta.json").read_bytes())["segments"]
        stored = sum(int(segment["max_doc"]) for segment in segments)
        deletes = [segment.get("deletes") or {"num_deleted_docs": 0} for segment in segments]
        return RecordCounts(stored, sum(int(delete["num_deleted_docs"]) for delete in deletes))
    except (KeyError, TypeError, AttributeError) as err:
        raise ValueError("the engine's list of segments cannot be read") from err


def read_document(
    index: tantivy.Index, searcher: tantivy.Searcher, doc_id: str
) -> StoredDocument | None:
    """Return the stored document of a source, with its latest state; None if not indexed."""
    record = source_record(index, searcher, doc_id)
    return (
        None if record is None else with_latest_state(index, searcher, deserialise_document(record))
    )


def source_record(index: tantivy.Index, searcher: tantivy.Searcher, doc_id: str) -> bytes | None:
    """Return the record of a source, with or without chunks; None if it is not indexed."""
    for query in (first_chunk_query(index, doc_id), _key_query(index, SOURCE_KEY + doc_id)):
        records = find_records(searcher, query, 1)
        if records:
            return records[0]
    return None


def with_latest_state(
    index: tantivy.Index, searcher: tantivy.Searcher, stored: StoredDocument
) -> StoredDocument:
    """Replace the state in a source's entry with the latest; the record has the first one."""
    later = find_records(searcher, _key_query(index, STATE_KEY + stored.entry.doc_id), 1)
    if later:
        stored.entry = stored.entry._replace(state=deserialise_state(later[0])[1])
    return stored


def read_documents(index: tantivy.Index, searcher: tantivy.Searcher) -> Iterator[DocumentEntry]:
    """Yield the entry of every source, with its latest state; linear in the sources."""
    regex, schema = tantivy.Query.regex_query, index.schema
    limit = searcher.num_docs
    later = find_records(searcher, regex(schema, "key", f"{STATE_KEY}.*"), limit)
    states = dict(map(deserialise_state, later))
    for query in (
        first_chunk_query(index, None),
        regex(schema, "key", f"{SOURCE_KEY}.*"),
    ):
        for record in find_records(searcher, query, limit):
            entry = deserialise_document(record).entry
            state = states.get(entry.doc_id) if states else None
            yield entry if state is None else entry._replace(state=state)
