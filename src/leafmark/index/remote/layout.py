"""The layout in the cluster: indices, their fields, and the ids of their documents.

| index | one document |
|---|---|
| `NAME-vF-N` | a chunk; a source's record; the record of the whole index |
| `NAME-words` | a word of the texts, for corrections and prefixes |
| `NAME-sources` | the bytes of a source, deflated, by their sha256 |
| `NAME-vectors-KEY` | a vector of one model; the complete state of a source: see `vectors` |

`NAME-vF` is an alias of the first, where F is the version of the format: a leafmark with another
format creates its own index, and servers of the older version continue with theirs.

All documents of a source are in one shard. A source's record is its commit: it names the stamp of
the valid chunks and has a version, so that of two writers the later one wins, in whichever order
their writes arrive. Chunks with another stamp are leftovers.

A copy of a shard takes the finished files of the primary (`replication.type`) and logs writes
until then: analysing everything again would nearly double the nodes' work. A copy may show an older
state for a moment: `refresh` waits for it.
"""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from typing import Any

from leafmark.index.remote.client import Cluster, damaged, path_of
from leafmark.index.schema import FILLER, FORMAT, Language, measured_fields
from leafmark.namedtuples import NamedTuple

ENTRY = {"type": "binary", "doc_values": True}
"""The entry of a document as a column, so that lists need not read records."""

META_ID = "index"
FILLER_ID = "filler"
STAMP_DIGITS = 16
MAX_RESULTS = 10_000
MAX_REGEX_LENGTH = 4_000


class Names(NamedTuple):
    """The indices of one address."""

    base: str

    @property
    def alias(self) -> str:
        return f"{self.base}-v{FORMAT}"

    def text(self, number: int) -> str:
        return f"{self.alias}-{number:06d}"

    @property
    def words(self) -> str:
        return f"{self.base}-words"

    @property
    def sources(self) -> str:
        return f"{self.base}-sources"

    def vectors(self, key: str = "*") -> str:
        """Return the index of vectors of the model with a key; without one, of all models."""
        return f"{self.base}-vectors-{key}"


def routing_of(doc_id: str) -> str:
    """Return the routing value that puts all parts of a document into one shard."""
    return _hash(doc_id, 16)


def record_id(doc_id: str) -> str:
    """Return the id of a source's record; ids of the cluster have at most 512 bytes."""
    return "r" + _hash(doc_id, 32)


def chunk_id(doc_id: str, stamp: str, position: int) -> str:
    return f"c{_hash(doc_id, 32)}.{stamp}.{position}"


def owner_of(doc_id: str, stamp: str) -> str:
    """Return the common id of the vectors of one state of a source."""
    return f"{_hash(doc_id, 32)}.{stamp}"


def place_of(doc_id: str, position: int) -> str:
    """Return the common id of the vectors of a chunk, in all states of its source."""
    return f"{_hash(doc_id, 32)}.{position}"


def completion_id(owner: str) -> str:
    """Return the id of the document that marks the vectors of a state as complete."""
    return f"r{owner}"


def word_id(field: str, term: str) -> str:
    return _hash(f"{field}\0{term}", 24)


def stamp_of(digest: str, fingerprint: str, stemmer: str | None) -> str:
    """Return the common stamp of the chunks of one state of a source.

    It stands for bytes, settings and language: if it differs, the chunks are outdated.
    """
    return _hash(f"{digest}\0{fingerprint}\0{stemmer or ''}", STAMP_DIGITS)


def _hash(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def meta_document(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of the index's record of itself."""
    return {"key": META_ID, "meta": facts}


def filler_document(languages: Iterable[Language]) -> dict[str, Any]:
    """Return the document that adds to term statistics what the embedded engine's record adds.

    It is separate from the index's record, which each run replaces: replaced documents count until
    the cluster merges its files.
    """
    return {"key": FILLER_ID, **dict.fromkeys(measured_fields(languages), FILLER)}


def language_mapping(language: Language) -> dict[str, Any]:
    """Return the fields of a language: terms with spaces between, as the writer sends them."""
    text = {"type": "text", "analyzer": "whitespace", "norms": True}
    short = {**text, "norms": False}
    return {
        language.body: text,
        language.title: text,
        language.path: text,
        language.titles: {**text, "index_options": "freqs"},
        language.tags: short,
        language.links: short,
    }


_KEYWORD = {"type": "keyword", "norms": False}
_NUMBER = {"type": "long"}
_SHOWN = {"index": False, "doc_values": True}
"""Fields that are read and never searched."""


def _settings(shards: int, replicas: int, **more: Any) -> dict[str, Any]:
    """Return the settings of an index that shows new writes only after a refresh."""
    return {
        "number_of_shards": shards,
        "number_of_replicas": replicas,
        "refresh_interval": -1,
        **more,
    }


def _mappings(properties: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"dynamic": "strict", "properties": properties, **more}


_FILES = {"replication.type": "SEGMENT"}
"""Copies take the finished files of the primary."""


def index_body(languages: Iterable[Language], shards: int, replicas: int) -> dict[str, Any]:
    """Return the settings and the fields of a new index of chunks."""
    properties: dict[str, Any] = {
        **dict.fromkeys(("doc_id", "facts", "names", "key", "stamp"), _KEYWORD),
        **dict.fromkeys(("position", "mtime", "cut", "role"), _NUMBER),
        # of a source's record
        **dict.fromkeys(("tree", "path", "digest"), _KEYWORD),
        **dict.fromkeys(("size", "modified_ns", "chunks", "noted", "version"), _NUMBER),
        "changed_ns": {"type": "long", **_SHOWN},
        "inode": {"type": "keyword", **_SHOWN},
        "entry": ENTRY,
        "source": {"type": "binary"},
        "meta": {"type": "object", "enabled": False},
    }
    for language in languages:
        properties |= language_mapping(language)
    more = {
        **_FILES,
        "codec": "best_compression",
        "gc_deletes": "1h",
        "max_result_window": MAX_RESULTS,
        "max_regex_length": MAX_REGEX_LENGTH,
        "similarity": {"default": {"type": "BM25", "k1": 1.2, "b": 0.75}},
    }
    return {
        "settings": _settings(shards, replicas, **more),
        "mappings": _mappings(properties),
    }


def words_body(replicas: int) -> dict[str, Any]:
    """Return the settings and the fields of the index of words."""
    fields = dict.fromkeys(("field", "term", "bare"), _KEYWORD)
    return {
        "settings": _settings(1, replicas, **_FILES),
        "mappings": _mappings(fields, _source={"enabled": False}),
    }


def sources_body(shards: int, replicas: int) -> dict[str, Any]:
    """Return the settings and the fields of the index of sources."""
    fields = {
        "data": {"type": "binary"},
        "size": {"type": "long", "index": False, "doc_values": False},
        "kept_ms": _NUMBER,
    }
    return {"settings": _settings(shards, replicas, **_FILES), "mappings": _mappings(fields)}


def pack_source(data: bytes, now_ms: int) -> dict[str, Any]:
    """Return the cluster's document of a source."""
    packed = b64encode(zlib.compress(data, 6)).decode("ascii")
    return {"data": packed, "size": len(data), "kept_ms": now_ms}


def read_source(cluster: Cluster, names: Names, digest: str) -> bytes | None:
    """Return the bytes with a sha256, None if the cluster does not have them.

    Raises:
        DamagedError: the stored bytes cannot be unpacked or have another hash.
        StorageError: the cluster does not answer.
    """
    document = cluster.get(path_of(names.sources, "_doc", digest), allowed=(404,))
    if not document.get("found"):
        return None
    try:
        data = zlib.decompress(b64decode(document["_source"]["data"], validate=True))
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise damaged("a source cannot be unpacked", cluster.location) from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise damaged("a source has other bytes than its hash says", cluster.location)
    return data


def vectors_body(dimension: int, shards: int, replicas: int) -> dict[str, Any]:
    """Return the settings and the fields of an index of vectors.

    The engine is given: the default one needs a native library.
    """
    method = {"name": "hnsw", "engine": "lucene", "space_type": "innerproduct"}
    vector = {"type": "knn_vector", "dimension": dimension, "method": method}
    fields = {
        **dict.fromkeys(("tree", "doc_id", "place", "owner", "hash"), _KEYWORD),
        **dict.fromkeys(("position", "sample"), _NUMBER),
        **dict.fromkeys(("vector", "whole"), vector),
        # of the document that marks a state of a source as complete
        **dict.fromkeys(("chunks", "dimension", "unused_ms"), _NUMBER),
    }
    more = {"index.knn": True, "max_result_window": MAX_RESULTS}
    return {"settings": _settings(shards, replicas, **more), "mappings": _mappings(fields)}


def find_changed_field(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> str | None:
    """Return the name of a field whose mapping was changed, None if all are as expected.

    A mapping that somebody changed by hand gives other scores, or none.
    """
    for name, field in expected.items():
        there = actual.get(name)
        if there is None or there.get("type", "object") != field["type"]:
            return name
        if field["type"] == "text" and there.get("analyzer") != "whitespace":
            return name
    return None
