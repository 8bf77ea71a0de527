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
from leafmark.app import Project, index_project, list_documents, open_project
from leafmark.app.indexed_sources import indexed_bytes
from leafmark.app.requests import IndexRequest, ListRequest
from leafmark.index.remote import Cluster, Names, open_snapshot, parse_address
from leafmark.model import DocumentEntry
from leafmark.query import parse_query
from leafmark.search import SearchOptions, search

QUERIES = 200
HEAP_MB = 1024
"""The memory of a node: with a quarter of it, nodes refuse questions to 200,000 chunks."""


def run(corpus: Corpus) -> list[Row]:
    """Return the rows for loading, listing, queries and requests, and how alike answers are."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from support.cluster import missing, running_cluster

    if missing():
        print(f"cluster: left out, since {missing()}")
        return []
    with (
        tempfile.TemporaryDirectory(prefix="leafmark-bench-") as folder,
        running_cluster(Path(folder, "cluster"), heap_mb=HEAP_MB) as cluster,
    ):
        return _rows(corpus, folder, cluster.url("bench"), cluster.processor_s)


def _rows(corpus: Corpus, folder: str, url: str, nodes_s: Callable[[], float]) -> list[Row]:
    environ = {"HOME": folder, "LEAFMARK_HOME": folder + "/leafmark"}
    embedded = open_project(corpus.root, flags={}, environ=environ)
    remote = open_project(corpus.root, flags={"index.url": url}, environ=environ)
    built, alone_s, _ = _indexed(embedded, nodes_s)
    sent, client_s, loading_s = _indexed(remote, nodes_s)
    print(f"loaded in {sent:.0f} s, {built:.0f} s embedded", flush=True)
    address = parse_address(url)
    client, names = Cluster(address.nodes), Names(address.name)
    chunks = open_snapshot(client, names).chunk_count
    began = time.perf_counter()
    listed = sum(1 for _ in list_documents(remote, ListRequest()))
    listing_s = time.perf_counter() - began
    here, there = list[float](), list[float]()
    alike = list[float]()
    requests = list[int]()
    began_s, clients_s = nodes_s(), 0.0
    for text in queries_of(corpus)[:QUERIES]:
        taken, wanted = _asked(embedded, embedded.open_reader(), text)
        here.append(taken)
        snapshot = open_snapshot(client, names)
        before = client.requests
        asked_s = time.process_time()
        taken, found = _asked(remote, snapshot, text)
        there.append(taken)
        most = max(len(wanted), len(found))
        alike.append(len({*wanted} & {*found}) / most if most else 1.0)
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
            "the same first ten results",
            f"{sum(alike) / len(alike):.3f}",
            f"{len(alike)} queries",
            0,
            None,
            higher_is_better=True,
        ),
        Row(
            f"list of {listed:,} documents",
            f"{listing_s:.1f} s",
            "",
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


def _asked(project: Project, reader: object, text: str) -> tuple[float, list[str]]:
    """Return the milliseconds that a query took, and the ids of its first ten results."""

    def read(document: DocumentEntry) -> bytes | None:
        tree = project.tree(document.tree)
        return None if tree is None else indexed_bytes(project, tree, document)

    began = time.perf_counter()
    options = SearchOptions(mode="lexical")
    found = search(reader, [parse_query(text)], options, read_source=read)  # type: ignore[arg-type]
    return 1000 * (time.perf_counter() - began), [each.id for each in found.results][:10]


def _size(client: Cluster, names: Names) -> int:
    with urllib.request.urlopen(
        f"{client.nodes[0]}/{names.base}-*/_stats/store", timeout=30
    ) as got:
        found = json.load(got)
    return int(found["_all"]["primaries"]["store"]["size_in_bytes"])
