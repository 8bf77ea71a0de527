"""Indexes in a cluster, filled with texts without files."""

from __future__ import annotations

import hashlib
import json
import urllib.request
from typing import Any

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.index import EngineDocuments, IndexOptions, prepare_source
from leafmark.index.remote.client import Cluster, parse_address
from leafmark.index.remote.layout import Names
from leafmark.index.remote.store import RemoteOptions, open_store
from leafmark.model import FileState
from leafmark.parsing import parse
from support.cluster import OpenSearch

OPTIONS = IndexOptions("settings", {"docs": "english", "de": "german"})
FIRST = RemoteOptions(shards=1, replicas=1)
SEVERAL = RemoteOptions(shards=3, replicas=1)
"""Shards cost time to make, so a test has several where their number may matter."""


def prepared(
    key: tuple[str, str], data: bytes, *, options: IndexOptions = OPTIONS
) -> EngineDocuments:
    tree, path = key
    time_ns = 1_700_000_000_000_000_000
    state = FileState(len(data), time_ns, time_ns, 7, hashlib.sha256(data).hexdigest())
    chunked = chunk_document(parse(data, path), tree=tree, options=ChunkingOptions())
    return prepare_source(chunked, state, stemmer=options.languages[tree])


def connect(cluster: OpenSearch, name: str, **limits: float) -> tuple[Cluster, Names]:
    address = parse_address(cluster.url(name))
    return Cluster(address.nodes, **limits), Names(address.name)  # type: ignore[arg-type]


def fill(
    client: Cluster,
    names: Names,
    texts: dict[tuple[str, str], bytes],
    layout: RemoteOptions = FIRST,
    *,
    options: IndexOptions = OPTIONS,
) -> None:
    with open_store(client, names, options, layout) as store:
        for key, data in texts.items():
            store.put_prepared(prepared(key, data, options=options), data)
        store.commit(started_ns=5)


def asked(url: str, method: str = "GET", body: Any = None, *, timeout_s: float = 90) -> Any:
    """Ask a node itself."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=timeout_s) as answer:
        return json.load(answer)
