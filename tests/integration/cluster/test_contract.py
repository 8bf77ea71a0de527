"""The same answers from a cluster: one contract, both engines, a real cluster of three nodes."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import quantiles

import pytest

pytest.importorskip("urllib3")

from support.cluster import NODES, OpenSearch
from support.command import Leafmark
from support.filled import FIRST, OPTIONS, SEVERAL, connect, fill, prepared
from support.languages import LANGUAGES, PAGES
from support.servers import PATIENCE_S, Raw, serving, speaking

from leafmark.errors import ChangedError, NotFoundError
from leafmark.index import IndexOptions, IndexReader, open_reader, open_writer
from leafmark.index.queries import AllChunks, HasTerm
from leafmark.index.remote.client import Cluster
from leafmark.index.remote.cluster_snapshot import RemoteSnapshot, open_snapshot
from leafmark.index.remote.layout import Names
from leafmark.index.remote.store import open_store
from leafmark.model import Answer, DocumentEntry
from leafmark.query import parse_query
from leafmark.search import SearchOptions, search

ROOT = Path(__file__).parents[3]
LEAST_OVERLAP = 0.98
MOST_OTHER_HINTS = 0.01
MEDIAN_REQUESTS = 5
QUERIES = 300
FEW = 30
"""As many are asked in every run of the tests."""

SPOKEN = IndexOptions("settings", {"docs": "english", **LANGUAGES})
Both = tuple[IndexReader, Cluster, Names]


@cache
def sources() -> dict[tuple[str, str], bytes]:
    """The documents of this repository, and some pages in other languages."""
    found = {
        ("docs", page.relative_to(ROOT).as_posix()): page.read_bytes()
        for folder in ("docs", "examples", "benchmarks")
        for page in sorted((ROOT / folder).rglob("*.md"))
    }
    return found | {key: text.encode() for key, text in PAGES.items()}


def in_both(
    cluster: OpenSearch, root: Path, name: str, options: IndexOptions, under: str = ""
) -> Both:
    """Return the documents of the trees of some options in both engines; English ones `under`."""
    texts = {
        (tree, path): data
        for (tree, path), data in sources().items()
        if tree in options.languages and (tree != "docs" or path.startswith(under))
    }
    with open_writer(root, options) as writer:
        for key, data in texts.items():
            writer.put_prepared(prepared(key, data, options=options))
        writer.commit(started_ns=5)
    client, names = connect(cluster, name)
    fill(client, names, texts, SEVERAL, options=options)
    return open_reader(root), client, names


@pytest.fixture(scope="module")
def both(cluster: OpenSearch, tmp_path_factory: pytest.TempPathFactory) -> Both:
    """The same documents in both engines, in two languages."""
    return in_both(cluster, tmp_path_factory.mktemp("embedded"), "both", OPTIONS)


def read(entry: DocumentEntry) -> bytes:
    return sources_by_id()[entry.doc_id]


@cache
def sources_by_id() -> dict[str, bytes]:
    return {f"{tree}:{path}": data for (tree, path), data in sources().items()}


def queries_of(reader: IndexReader, count: int, *, by_language: bool = False) -> list[str]:
    """Return queries drawn from the documents: titles, words of a text, typing errors, filters.

    They are as many for each document, or for each language.
    """
    rng = random.Random(7)
    documents = [entry for entry in reader.documents() if entry.chunk_count]
    trees = sorted({entry.tree for entry in documents})
    found = ["Paketverwaltung", "große lampe", "under:docs:docs/cli.md index", 'title:"search"']
    while len(found) < count:
        tree = trees[len(found) % len(trees)] if by_language else None
        document = rng.choice([each for each in documents if tree in (None, each.tree)])
        chunk = rng.choice(reader.chunks_of(document.doc_id))
        text = read(document)[chunk.byte_start : chunk.byte_end].decode()
        words = re.findall(r"[^\W\d_]{4,}", text)
        if len(words) < 4:
            continue
        at = rng.randrange(len(words) - 3)
        slip = words[at][:2] + words[at][3:] if len(words[at]) > 6 else words[at]
        found.append(
            rng.choice(
                (
                    re.sub(r"[^\w ]", " ", chunk.title),
                    " ".join(rng.sample(words, 3)),
                    f"how does {' '.join(rng.sample(words, 3))} work",
                    f'"{words[at]} {words[at + 1]}"',
                    f"{slip} {words[at + 2]}",
                    f"{words[at][:5]}* -{words[at + 2]}",
                    f"{words[at]} OR {words[at + 2]}",
                    f"{words[at]} has:code",
                )
            ).strip()
        )
    return [query for query in found if query][:count]


def answer(reader: IndexReader | RemoteSnapshot, query: str) -> Answer:
    options = SearchOptions(mode="lexical")
    return search(reader, [parse_query(query)], options, read_source=read)


def ids(answer: Answer) -> list[str]:
    return [result.id for result in answer.results]


def test_a_run_that_changes_nothing_leaves_scores_as_they_are(both: Both) -> None:
    """It replaces what the index says of itself, and what is replaced counts for a while."""
    embedded, client, names = both
    queries = queries_of(embedded, 10)
    for at in range(2):
        if at:
            with open_store(client, names, OPTIONS, SEVERAL) as store:
                store.commit(started_ns=5 + at)
        remote = open_snapshot(client, names)
        for query in queries:
            here, there = answer(embedded, query), answer(remote, query)
            for one, other in zip(here.results, there.results, strict=True):
                assert other.score == pytest.approx(one.score, rel=1e-4)


@pytest.mark.parametrize("count", [FEW, pytest.param(QUERIES, marks=pytest.mark.hours)])
def test_the_same_answers_and_hints_on_queries_of_every_kind(both: Both, count: int) -> None:
    compare(both, queries_of(both[0], count), most_requests=12)


@pytest.mark.hours
def test_the_same_answers_on_queries_in_six_languages(cluster: OpenSearch, tmp_path: Path) -> None:
    """They are drawn from all alike; one has nearly all chunks, or each has a few."""
    for name, under in (("most", ""), ("few", "examples/")):
        many = in_both(cluster, tmp_path / name, name, SPOKEN, under)
        queries = queries_of(many[0], QUERIES, by_language=True)
        compare(many, queries, most_requests=16)


def compare(both: Both, queries: Sequence[str], *, most_requests: int) -> None:
    """Ask both engines the same, print how alike the answers are, and look whether they are."""
    embedded, client, names = both
    remote = open_snapshot(client, names)
    overlaps, requests, other_hints = list[float](), list[int](), list[str]()
    times: dict[str, list[float]] = {"embedded": [], "cluster": []}
    same_order = 0
    for query in queries:
        before = client.requests
        began = time.perf_counter()
        here = answer(embedded, query)
        between = time.perf_counter()
        there = answer(remote, query)
        times["embedded"].append(between - began)
        times["cluster"].append(time.perf_counter() - between)
        requests.append(client.requests - before)
        first, second = ids(here)[:10], ids(there)[:10]
        most = max(len(first), len(second))
        overlaps.append(len({*first} & {*second}) / most if most else 1.0)
        same_order += first == second
        if [hint.code for hint in here.hints] != [hint.code for hint in there.hints]:
            other_hints.append(query)
    mean = sum(overlaps) / len(overlaps)
    requests.sort()
    print(
        f"overlap@10 {mean:.4f}, same order {same_order} of {len(queries)}, requests a query: "
        f"median {requests[len(requests) // 2]}, most {requests[-1]}; "
        f"other hints: {len(other_hints)}"
    )
    for engine, taken in times.items():
        p50, p99 = (quantiles(taken, n=100)[at - 1] for at in (50, 99))
        print(f"{engine}: p50 {1000 * p50:.0f} ms, p99 {1000 * p99:.0f} ms")
    assert mean >= LEAST_OVERLAP
    assert requests[len(requests) // 2] <= MEDIAN_REQUESTS
    assert requests[-1] <= most_requests
    assert len(other_hints) <= MOST_OTHER_HINTS * len(queries), other_hints


def test_counts_documents_chunks_and_sources_are_the_same(
    both: Both,
) -> None:
    embedded, client, names = both
    remote = open_snapshot(client, names)
    assert remote.chunk_count == embedded.chunk_count
    assert remote.trees == embedded.trees
    assert remote.documents() == embedded.documents()
    assert dict(remote.manifest) == dict(embedded.manifest)
    for document in embedded.documents():
        assert remote.chunks_of(document.doc_id) == embedded.chunks_of(document.doc_id)
        assert remote.source(document.state.digest) == read(document)


def test_first_terms_and_frequencies_are_the_same(
    both: Both,
) -> None:
    embedded, client, names = both
    remote = open_snapshot(client, names)
    for limit in (1, 10, 500):
        here, all_here = embedded.first(AllChunks(), limit)
        there, all_there = remote.first(AllChunks(), limit)
        assert (here[:limit], all_here) == (there[:limit], all_there)
    terms = [("body_english", "index"), ("body_english", "nowher"), ("title_english", "search")]
    assert remote.frequencies(terms) == embedded.frequencies(terms)
    assert remote.terms("facts", "tag=") == embedded.terms("facts", "tag=")
    here = embedded.terms("body_english", "confi", limit=5)
    assert remote.terms("body_english", "confi", limit=5) == here
    near = embedded.near(["body_english"], ["serach", "indxe"], 2)
    assert sorted(remote.near(["body_english"], ["serach", "indxe"], 2)) == sorted(near)
    held = embedded.holding("body_english", "index")
    assert sorted(remote.holding("body_english", "index")) == sorted(held)
    assert len(held) > 2
    assert "große" not in remote.alike(["body_german"], ["gross"])
    assert sorted(remote.alike(["body_german"], ["gross"])) == sorted(
        embedded.alike(["body_german"], ["gross"])
    )


def test_changes_and_removals_are_seen_after_a_commit(cluster: OpenSearch) -> None:
    client, names = connect(cluster, "changes")
    key, other = ("docs", "a.md"), ("docs", "b.md")
    fill(client, names, {key: b"old words\n\n## B\n\nmore\n", other: b"other\n"})
    assert open_snapshot(client, names).chunk_count == 3
    with open_store(client, names, OPTIONS, FIRST) as store:
        store.put_prepared(prepared(key, b"new text\n"), b"new text\n")
        store.remove(*other)
        store.flush()
        assert open_snapshot(client, names).chunk_count == 3
        store.commit(started_ns=6)
    now = open_snapshot(client, names)
    assert now.chunk_count == 1
    assert now.count([HasTerm("body_english", "old"), HasTerm("body_english", "new")]) == [0, 1]
    assert dict(now.manifest).keys() == {key}


def test_of_two_writers_the_later_one_wins_whole(cluster: OpenSearch) -> None:
    client, names = connect(cluster, "writers")
    key = ("docs", "a.md")
    old, new = b"# A\n\none\n\n## B\n\ntwo\n", b"# A\n\nthree\n"
    with (
        open_store(client, names, OPTIONS, FIRST) as early,
        open_store(client, names, OPTIONS, FIRST) as late,
    ):
        early.put_prepared(prepared(key, old), old)
        late.put_prepared(prepared(key, new), new)
        late.commit(started_ns=5)
        early.commit(started_ns=5)
        assert early.lost in ([], ["docs:a.md"])
    now = open_snapshot(client, names)
    stored = now.stored("docs:a.md")
    assert stored is not None
    assert now.chunk_count == len(stored)


def test_two_writers_and_a_reader_at_once(cluster: OpenSearch) -> None:
    client, names = connect(cluster, "many")
    faults = list[BaseException]()
    done = threading.Event()
    parts = [
        {("docs", f"{n}/{i}.md"): f"page {i} of {n}\n".encode() for i in range(60)}
        for n in range(2)
    ]

    def write(texts: dict[tuple[str, str], bytes]) -> None:
        try:
            fill(*connect(cluster, "many"), texts)
        except BaseException as fault:
            faults.append(fault)

    def look() -> None:
        while not done.wait(0.05):
            try:
                snapshot = open_snapshot(client, names)
                (found,) = snapshot.search([(HasTerm("body_english", "page"), 50)])
                entries = snapshot.entries([chunk for _, chunk in found])
                assert all(entry.path.endswith(".md") for entry in entries)
            except (NotFoundError, ChangedError):  # written in between: a search asks once more
                continue
            except BaseException as fault:
                faults.append(fault)
                return

    threads = [threading.Thread(target=write, args=(part,)) for part in parts]
    reader = threading.Thread(target=look)
    for each in [*threads, reader]:
        each.start()
    for each in threads:
        each.join()
    done.set()
    reader.join()
    assert faults == []
    assert open_snapshot(client, names).chunk_count == 120


# -- the installed command ------------------------------------------------------------------


_NUMBER = re.compile(r"\b\d+\.\d+\b|\b\d+ ?%")
HANDBOOK = ROOT / "examples" / "handbook"


@pytest.fixture
def apart(tmp_path: Path) -> tuple[Path, Path]:
    """A handbook, and a folder without any files."""
    here, nowhere = tmp_path / "handbook", tmp_path / "nowhere"
    shutil.copytree(HANDBOOK, here)
    nowhere.mkdir()
    return here, nowhere


def same(leafmark: Leafmark, here: Path, url: str, *arguments: str) -> None:
    """Whether a command prints the same beside a cluster's index as beside one on this machine.

    But for times and scores, which differ by a little: a field that a chunk has not got counts
    as one word long in a cluster.
    """
    embedded = leafmark(*arguments, cwd=here)
    remote = leafmark(*arguments, cwd=here, LEAFMARK_INDEX_URL=url)
    first, second = (_NUMBER.sub("N", ran.out) for ran in (embedded, remote))
    assert (remote.code, second) == (embedded.code, first), arguments
    assert first


def test_every_command_prints_the_same_with_files_and_without(
    cluster: OpenSearch, leafmark: Leafmark, apart: tuple[Path, Path]
) -> None:
    here, nowhere = apart
    url = cluster.url("command")
    made = leafmark("index", cwd=here, LEAFMARK_INDEX_URL=url, LEAFMARK_INDEX_SHARDS="3")
    assert made.code == 0
    assert leafmark("index", cwd=here).code == 0
    backups = "handbook:guides/backups.md#restoring-a-backup"
    for arguments in (
        ("search", "how do I restore a backup?"),
        ("search", "backpu", "-o", "list"),
        ("search", "backup", "--strict", "-o", "full", "-n", "3"),
        ("search", "tags:security", "-o", "files"),
        ("search", "under:handbook:guides sign", "--explain"),
        ("show", backups),
        ("show", "guides/backups.md", "--outline"),
        ("ls", "docs"),
        ("ls", "tags"),
        ("like", backups, "-n", "2"),
        ("why-not", "handbook:notes.txt", "backup"),
        ("context", "guides/install.md"),
    ):
        same(leafmark, here, url, *arguments)
    found = leafmark("search", "restore", "-o", "full", "-n", "1", cwd=here)
    (here.parent / "cited.md").write_text(found.out)
    for folder in (here, nowhere):
        checked = leafmark("verify", "../cited.md", cwd=folder, LEAFMARK_INDEX_URL=url)
        assert (checked.code, checked.err.split(":")[0]) == (0, "1 citation"), folder
    shown = leafmark("show", backups, cwd=nowhere, LEAFMARK_INDEX_URL=url)
    assert shown.out == leafmark("show", backups, cwd=here).out
    answer = leafmark("search", "quota", "-t", "handbook", cwd=nowhere, LEAFMARK_INDEX_URL=url)
    assert answer.code == 0
    assert "troubleshooting" in answer.out
    examined = leafmark("doctor", cwd=here, LEAFMARK_INDEX_URL=url)
    assert f"{NODES} nodes" in examined.out


def test_changed_and_removed_files_are_seen_by_the_next_index(
    cluster: OpenSearch, leafmark: Leafmark, tmp_path: Path
) -> None:
    here = tmp_path / "handbook"
    shutil.copytree(HANDBOOK, here)
    url = cluster.url("changed")

    def index() -> list[int]:
        done = leafmark("index", "--json", cwd=here, LEAFMARK_INDEX_URL=url).json
        return [len(done[name]) for name in ("added", "modified", "removed")]

    assert index() == [8, 0, 0]
    (here / "notes.txt").write_text("A zeppelin.\n")
    (here / "guides" / "access.md").unlink()
    assert index() == [0, 1, 1]
    found = leafmark("search", "zeppelin", "-o", "files", cwd=here, LEAFMARK_INDEX_URL=url)
    assert found.out == "notes.txt\n"
    assert index() == [0, 0, 0]


def test_an_index_migrates_there_and_back(
    cluster: OpenSearch, leafmark: Leafmark, tmp_path: Path
) -> None:
    here, back = tmp_path / "a" / "handbook", tmp_path / "b" / "handbook"
    shutil.copytree(HANDBOOK, here)
    back.mkdir(parents=True)
    leafmark("index", cwd=here)
    there = leafmark("migrate", "--to", cluster.url("moved"), "--json", cwd=here)
    assert (there.code, there.json["equal"], there.json["target_documents"]) == (0, True, 8)
    again = leafmark("migrate", "--from", cluster.url("moved"), "--json", cwd=back)
    assert (again.code, again.json["equal"], again.json["missing"]) == (0, True, [])
    listed = leafmark("ls", "docs", "--no-refresh", cwd=back).out
    assert listed == leafmark("ls", "docs", cwd=here).out


def test_of_several_trees_in_a_cluster_a_folder_takes_its_own(
    cluster: OpenSearch, leafmark: Leafmark, tmp_path: Path
) -> None:
    url = cluster.url("several")
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    for each in (one, two):
        shutil.copytree(HANDBOOK, each)
        assert leafmark("index", cwd=each, LEAFMARK_INDEX_URL=url).code == 0
    three.mkdir()
    listed = leafmark("ls", "trees", cwd=one, LEAFMARK_INDEX_URL=url).out
    assert [line.split()[-1] for line in listed.splitlines()] == [str(one), "(elsewhere)"]
    taken = leafmark("migrate", "--from", url, "--json", cwd=one).json
    assert (taken["equal"], taken["documents"], taken["overlap"]) == (True, 8, 1.0)
    none = leafmark("migrate", "--from", url, cwd=three)
    assert (none.code, none.out) == (2, "")
    assert "the trees of the index: one, two" in none.err


def test_a_folder_s_own_file_names_no_cluster_before_it_is_trusted(
    cluster: OpenSearch, leafmark: Leafmark, tmp_path: Path
) -> None:
    here = tmp_path / "cloned"
    here.mkdir()
    (here / "a.md").write_text("# A\n\nlamp\n")
    (here / "leafmark.toml").write_text(f'[index]\nurl = "{cluster.url("cloned")}"\n')
    found = leafmark("search", "lamp", cwd=here)
    assert found.code == 0
    assert "leafmark trust" in found.err
    assert leafmark("trust", "--yes", cwd=here).code == 0
    assert "no index" in leafmark("search", "lamp", cwd=here).err


def test_nothing_of_the_cluster_is_imported_without_an_address(
    leafmark: Leafmark, tmp_path: Path
) -> None:
    (tmp_path / "work" / "a.md").write_text("# A\n\nlamp\n")
    ran = leafmark("search", "lamp", PYTHONPROFILEIMPORTTIME="1")
    assert ran.code == 0
    assert "urllib3" not in ran.err
    assert "leafmark.index.remote" not in ran.err


def test_a_server_of_mcp_without_files_answers_from_the_cluster(
    cluster: OpenSearch, leafmark: Leafmark, environment: dict[str, str], apart: tuple[Path, Path]
) -> None:
    here, nowhere = apart
    url = cluster.url("spoken")
    leafmark("index", cwd=here, LEAFMARK_INDEX_URL=url)

    def call(server: Raw, name: str, **arguments: object) -> str:
        params = {"name": name, "arguments": arguments}
        text: str = json.loads(server.ask("tools/call", params))["result"]["content"][0]["text"]
        return text

    backups = "handbook:guides/backups.md#restoring-a-backup"
    with speaking(nowhere, environment | {"LEAFMARK_INDEX_URL": url}) as server:
        found = call(server, "search", query="how do I restore a backup?")
        assert "handbook:guides/backups.md" in found
        assert "Restoring a backup" in call(server, "get", ids=[backups])
        assert "guides/backups.md" in call(server, "outline", id="handbook:guides/")
        (here / "notes.txt").write_text("A zeppelin.\n")
        leafmark("index", cwd=here, LEAFMARK_INDEX_URL=url)
        assert "handbook:notes.txt" in call(server, "search", query="zeppelin")


def test_a_watch_brings_a_cluster_up_to_date_as_files_change(
    cluster: OpenSearch, leafmark: Leafmark, environment: dict[str, str], tmp_path: Path
) -> None:
    work, nowhere = tmp_path / "work", tmp_path / "nowhere"
    nowhere.mkdir()
    (work / "a.md").write_text("# A\n\nlantern\n")
    url = cluster.url("watched")
    with subprocess.Popen(
        [sys.executable, "-m", "leafmark", "index", "--watch", "--json"],
        cwd=work,
        env=environment | {"LEAFMARK_INDEX_URL": url},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None

        lines = map(json.loads, process.stdout)

        def until(name: str, doc_id: str) -> None:
            assert any(doc_id in (line.get("report") or line).get(name, ()) for line in lines)

        until("added", "work:a.md")
        (work / "b.md").write_text("# B\n\nzeppelin\n")
        until("added", "work:b.md")
        (work / "a.md").write_text("# A\n\nballoon\n")
        until("modified", "work:a.md")
        (work / "b.md").unlink()
        until("removed", "work:b.md")
        process.send_signal(signal.SIGINT)
        _, noise = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, "Traceback" in noise) == (130, False)
    for word, files in (("balloon", "a.md\n"), ("zeppelin", "")):
        found = leafmark("search", word, "-o", "files", cwd=nowhere, LEAFMARK_INDEX_URL=url)
        assert found.out == files


def test_a_server_without_files_answers_from_the_cluster(
    cluster: OpenSearch, leafmark: Leafmark, environment: dict[str, str], apart: tuple[Path, Path]
) -> None:
    here, nowhere = apart
    url = cluster.url("served")
    leafmark("index", cwd=here, LEAFMARK_INDEX_URL=url)
    with serving(
        nowhere,
        environment | {"LEAFMARK_INDEX_URL": url},
        "serve",
        told=r"serving at (http://\S+)/\n",
    ) as address:
        with urllib.request.urlopen(f"{address}/api/search?q=restore+a+backup", timeout=60) as got:
            found = json.load(got)["results"]
        with urllib.request.urlopen(f"{address}/api/show?id={found[0]['id']}", timeout=60) as got:
            shown = json.load(got)["results"]
    assert found[0]["path"] == "guides/backups.md"
    assert shown[0]["full_text"]
    listed = leafmark("ls", "trees", cwd=nowhere, LEAFMARK_INDEX_URL=url)
    assert listed.out.startswith("handbook  8 documents")
