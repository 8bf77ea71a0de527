"""The fields of the index and their names.

One Tantivy document per chunk. The text fields exist once per language in use
(`body_english`), because a field has one pipeline; a chunk fills those of its
tree's language.

| field | what it holds |
|---|---|
| `body_L`, `title_L`, `tags_L`, `path_L` | words, with positions; of the path, its components' |
| `doc_id` | the document's id, on every chunk, as one term; stored |
| `facts` | `name=value` terms to filter on: see `facts` |
| `position`, `mtime` | fast columns: the chunk's position, the modification time in seconds |
| `key` | one term, only on records that are not chunks: what the record is |
| `source` | stored: the source's record (see `records`) |

A source's record is on its first chunk, that of kind `document`. A source without chunks, and
the index itself, have records that are not chunks.

Texts are not stored: they are read from the sources.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, NamedTuple, cast

import tantivy

from leafmark.index.analysis import Analyzer, analyzer_for

__all__ = [
    "FORMAT",
    "META_KEY",
    "SOURCE_KEY",
    "STATE_KEY",
    "TEXT_FIELDS",
    "Language",
    "build_schema",
    "language_fields",
]

FORMAT = 5
"""The version of everything on disk; an older index is rebuilt, a newer one is refused."""

TEXT_FIELDS = ("body", "title", "tags", "path")
META_KEY = "index"
"""The `key` of the record that describes the whole index."""

SOURCE_KEY = "source:"
"""The beginning of the `key` of a source without chunks; its document id follows."""

STATE_KEY = "state:"
"""The same for a newer file state of a source whose bytes did not change."""


class Language(NamedTuple):
    """One language of the index: its pipeline, the names of its fields, and the trees in it."""

    name: str | None
    analyzer: Analyzer
    trees: tuple[str, ...]
    body: str
    title: str
    tags: str
    path: str


def language_fields(name: str | None, trees: Iterable[str] = ()) -> Language:
    """Return the language called `name` (None: no stemming) with its field names."""
    body, title, tags, path = (f"{field}_{name or 'none'}" for field in TEXT_FIELDS)
    return Language(name, analyzer_for(name), tuple(sorted(trees)), body, title, tags, path)


def build_schema(languages: Iterable[Language]) -> tantivy.Schema:
    """Return the schema for the languages in use, in whatever order they are given.

    The engine would store a byte with the length of each field of each record. Only BM25 uses
    it, for bodies, titles and paths; so the other fields have none.
    """
    languages = tuple(languages)
    builder = tantivy.SchemaBuilder()
    for language in sorted(languages, key=lambda each: each.body):
        for field in (language.body, language.title, language.tags, language.path):
            builder.add_text_field(field, tokenizer_name=language.analyzer.name)
    for field in ("doc_id", "facts", "key"):
        stored = field == "doc_id"
        builder.add_text_field(field, stored=stored, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("position", fast=True)
    builder.add_unsigned_field("mtime", fast=True)
    builder.add_bytes_field("source", stored=True)
    unmeasured = {language.tags for language in languages} | {"doc_id", "facts", "key"}
    return _without_lengths(builder.build(), unmeasured)


def _without_lengths(schema: tantivy.Schema, fields: Container[str]) -> tantivy.Schema:
    """Return the schema without the lengths of some fields.

    The builder has no option for that; so the schema is unpickled from a changed description.
    """
    build, (description,) = cast("tuple[Any, tuple[Any]]", schema.__reduce__())
    for field in description["inner"]:
        if field["name"] in fields:
            field["options"]["indexing"]["fieldnorms"] = False
    changed: tantivy.Schema = build(description)
    return changed
