"""The fields of the index and their names.

There is one Tantivy document per chunk. The text fields exist once per language in use
(`body_english`), because a field has one pipeline; a chunk fills the fields of its tree's
language.

| field | content |
|---|---|
| `body_L`, `title_L`, `tags_L`, `path_L` | words, with positions; of the path, its components' |
| `titles_L` | the words of all titles from the document down to the chunk |
| `links_L` | the web addresses of the chunk's links that are not in its text |
| `names` | the names of the chunk, each as one term: see `chunk_names` |
| `doc_id` | the document's id, on every chunk, as one term; stored |
| `facts` | `name=value` terms to filter on: see `filter_terms` |
| `position`, `mtime` | fast columns: the chunk's position, the modification time in seconds |
| `cut`, `role` | fast columns: the section that a piece belongs to, and the role |
| `key` | one term, only on records that are not chunks: the kind of record |
| `source` | stored: the source's record (see `records`) |

A source's record is on its first chunk, which has the kind `document`. A source without chunks,
and the index itself, have records that are not chunks.

Texts are not stored: they are read from the sources.
"""

from __future__ import annotations

from collections.abc import Iterable

from leafmark.index.analysis import Analyzer, analyzer_for
from leafmark.namedtuples import NamedTuple

FORMAT = 6
"""The version of everything on disk; an older index is rebuilt, a newer one is refused."""

TEXT_FIELDS = ("body", "title", "tags", "path")
FILLER = "\ue000"
"""The content of each measured field that a chunk lacks, so that its length is one word.

No document has this character as a word of its own. Engines compare the length of a field with the
mean length: over all chunks, which would be near 0 for a language of few chunks, or over the
chunks that have the field.
"""

RAW_FIELDS = ("doc_id", "facts", "names", "key")
"""Fields whose values are single terms, without analysis."""

META_KEY = "index"
"""The `key` of the record that describes the whole index."""

SOURCE_KEY = "source:"
"""The beginning of the `key` of a source without chunks; its document id follows."""

STATE_KEY = "state:"
"""The beginning of the `key` of a newer file state of a source whose bytes did not change."""


class Language(NamedTuple):
    """One language of the index: its pipeline, the names of its fields, and the trees in it."""

    name: str | None
    analyzer: Analyzer
    trees: tuple[str, ...]
    body: str
    title: str
    tags: str
    path: str
    titles: str
    links: str

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of its fields."""
        return self[3:]

    @property
    def measured(self) -> tuple[str, ...]:
        """The fields whose length affects scores; tags and links are scored by rarity alone."""
        return self.body, self.title, self.path, self.titles


def language_fields(name: str | None, trees: Iterable[str] = ()) -> Language:
    """Return the language called `name` (None: no stemming) with its field names."""
    fields = (f"{field}_{name or 'none'}" for field in (*TEXT_FIELDS, "titles", "links"))
    return Language(name, analyzer_for(name), tuple(sorted(trees)), *fields)


def measured_fields(languages: Iterable[Language]) -> tuple[str, ...]:
    """Return the names of the measured fields of all languages."""
    return tuple(field for language in languages for field in language.measured)
