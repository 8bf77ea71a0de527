"""An index on OpenSearch: the same chunks, terms and records as in the embedded engine.

leafmark analyses text, compiles queries, joins, cuts and cites, as with the embedded engine; the
cluster finds candidates and stores records and sources. Nothing here is imported unless the
settings have an address.
"""

from leafmark.index.remote.client import Cluster, RefusedError, check_engine, parse_address
from leafmark.index.remote.cluster_snapshot import (
    RemoteSnapshot,
    find_index,
    open_snapshot,
    read_meta,
)
from leafmark.index.remote.layout import Names, read_source
from leafmark.index.remote.store import RemoteOptions, RemoteStore, open_store
from leafmark.index.remote.vector_store import RemoteSearcher, RemoteVectors, VectorState

__all__ = [
    "Cluster",
    "Names",
    "RefusedError",
    "RemoteOptions",
    "RemoteSearcher",
    "RemoteSnapshot",
    "RemoteStore",
    "RemoteVectors",
    "VectorState",
    "check_engine",
    "find_index",
    "open_snapshot",
    "open_store",
    "parse_address",
    "read_meta",
    "read_source",
]
