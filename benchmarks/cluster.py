"""An index in a cluster beside the embedded one: loading, queries, requests, sizes.

Starts a cluster of three nodes on this machine, which share its processors with the client: what
is read off is ratios, and an upper bound of times.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from benchmarks.corpus import Corpus
from benchmarks.measure import Row, percentile
from benchmarks.searching import queries_of
from leafmark.app import Project, index_project, open_project
from leafmark.app.indexed_sources import indexed_bytes
from leafmark.app.requests import IndexRequest
from leafmark.index.remote import Cluster, Names, open_snapshot, parse_address
from leafmark.model import DocumentEntry
from leafmark.query import parse_query
from leafmark.search import SearchOptions, search

QUERIES = 200


def run(corpus: Corpus) -> list[Row]:
    """Return the rows for loading, the median and the 99th percentile of queries, and requests."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from support.cluster import missing, running_cluster

    if missing():
        print(f"cluster: left out, since {missing()}")
        return []
    with (
        tempfile.TemporaryDirectory(prefix="leafmark-bench-") as folder,
        running_cluster(Path(folder, "cluster")) as cluster,
    ):
        return _rows(corpus, folder, cluster.url("bench"), cluster.processor_s)


def _rows(corpus: Corpus, folder: str, url: str, nodes_s: Callable[[], float]) -> list[Row]:
    environ = {"HOME": folder, "LEAFMARK_HOME": folder + "/leafmark"}
    embedded = open_project(corpus.root, flags={}, environ=environ)
    remote = open_project(corpus.root, flags={"index.url": url}, environ=environ)
    built, alone_s, _ = _indexed(embedded, nodes_s)
    sent, client_s, loading_s = _indexed(remote, nodes_s)
    address = parse_address(url)
    client, names = Cluster(address.nodes), Names(address.name)
    chunks = open_snapshot(client, names).chunk_count
    here, there = list[float](), list[float]()
    requests = list[int]()
    began_s, clients_s = nodes_s(), 0.0
    for text in queries_of(corpus)[:QUERIES]:
        here.append(_asked(embedded, embedded.open_reader(), text))
        snapshot = open_snapshot(client, names)
        before = client.requests
        asked_s = time.process_time()
        there.append(_asked(remote, snapshot, text))
        clients_s += time.process_time() - asked_s
        requests.append(client.requests - before)
    searching_s = nodes_s() - began_s
    size = _size(client, names)
    rows = [
        Row(
            f"loading {chunks:,} chunks",
            f"{chunks / sent:,.0f} chunks/s",
            f"{chunks / built:,.0f} embedded",
            built / sent,
            None,
            higher_is_better=True,
        ),
        Row(
            "processor time of 1,000 chunks",
            f"{1000 * client_s / chunks:.2f} s",
            f"{1000 * alone_s / chunks:.2f} s embedded, {1000 * loading_s / chunks:.2f} s nodes",
            client_s / alone_s,
            None,
            higher_is_better=False,
        ),
        Row(
            "processor time of a query",
            f"{1000 * clients_s / len(there):.0f} ms",
            f"{1000 * searching_s / len(there):.0f} ms nodes",
            0,
            None,
            higher_is_better=False,
        ),
        Row(
            "requests a query", str(percentile(requests, 0.5)), "", 0, None, higher_is_better=False
        ),
        Row(
            "size, without copies",
            f"{size / 1e6:.1f} MB",
            f"{size / chunks:.0f} B a chunk",
            0,
            None,
            higher_is_better=False,
        ),
    ]
    for share, name in ((0.5, "p50"), (0.99, "p99")):
        ours, beside = percentile(there, share), percentile(here, share)
        told = f"{ours:.1f} ms", f"{beside:.1f} ms embedded"
        rows.append(Row(f"query, {name}", *told, ours / beside, None, higher_is_better=False))
    return rows


def _indexed(project: Project, nodes_s: Callable[[], float]) -> tuple[float, float, float]:
    """Index, and return the time by the clock, and the processor's for leafmark and the nodes."""
    began, own_s, others_s = time.perf_counter(), _own_s(), nodes_s()
    index_project(project, IndexRequest(confirmed=True))
    return time.perf_counter() - began, _own_s() - own_s, nodes_s() - others_s


def _own_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _asked(project: Project, reader: object, text: str) -> float:
    def read(document: DocumentEntry) -> bytes | None:
        tree = project.tree(document.tree)
        return None if tree is None else indexed_bytes(project, tree, document)

    began = time.perf_counter()
    options = SearchOptions(mode="lexical")
    search(reader, [parse_query(text)], options, read_source=read)  # type: ignore[arg-type]
    return 1000 * (time.perf_counter() - began)


def _size(client: Cluster, names: Names) -> int:
    with urllib.request.urlopen(
        f"{client.nodes[0]}/{names.base}-*/_stats/store", timeout=30
    ) as got:
        found = json.load(got)
    return int(found["_all"]["primaries"]["store"]["size_in_bytes"])
