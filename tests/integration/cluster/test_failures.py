"""What fails around a real cluster: nothing is lost, doubled or wrong, and each has a message."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.cluster import OLD, Node, OpenSearch, running_cluster
from support.command import Leafmark, Ran
from support.filled import FIRST, OPTIONS, SEVERAL, asked, connect, fill, prepared
from support.servers import serving

from leafmark.errors import DamagedError, NotFoundError, StorageError
from leafmark.index import IndexOptions
from leafmark.index.queries import HasTerm
from leafmark.index.remote import bulk
from leafmark.index.remote import client as client_module
from leafmark.index.remote.client import Cluster, RefusedError
from leafmark.index.remote.cluster_snapshot import RemoteSnapshot, open_snapshot
from leafmark.index.remote.layout import META_ID, Names, index_body, meta_document
from leafmark.index.remote.store import open_store
from leafmark.index.schema import FORMAT

A, B = ("docs", "a.md"), ("docs", "b.md")
WORD = HasTerm("body_english", "page")

SEARCH_EVERY_S = 0.05
"""So often somebody searches while an index is loaded: without a pause, it is all that nodes do."""


def pages(count: int) -> dict[tuple[str, str], bytes]:
    return {("docs", f"{at}.md"): f"page number {at}\n".encode() for at in range(count)}


def distinct(snapshot: RemoteSnapshot) -> int:
    (found,) = snapshot.search([(WORD, 1000)])
    return len({snapshot.refs([chunk])[0] for _, chunk in found})


@pytest.fixture
def healed(cluster: OpenSearch) -> Iterator[OpenSearch]:
    """The cluster, whose nodes all run again afterwards."""
    cluster.wait("yellow")
    yield cluster
    for node in cluster.nodes:
        node.send(signal.SIGCONT)
        if not node.runs():
            node.start()
    cluster.wait("yellow")


@contextmanager
def searching(cluster: OpenSearch, name: str, least: int) -> Iterator[list[int]]:
    """Search again and again, and give how many chunks each whole answer had: `least` at least.

    None may be twice in an answer, and an error must say what to do.
    """
    client, names = connect(cluster, name)
    counts, wrong = list[int](), list[object]()
    done = threading.Event()

    def look() -> None:
        while not done.wait(SEARCH_EVERY_S):
            try:
                snapshot = open_snapshot(client, names)
                (found,) = snapshot.search([(WORD, 1000)])
                each = snapshot.refs([chunk for _, chunk in found])
                if len({*each}) != len(each) or (len(each) < least and not snapshot.is_partial):
                    wrong.append(each)
                if not snapshot.is_partial:
                    counts.append(len(each))
            except StorageError as error:
                if not error.hint:
                    wrong.append(error)
            except BaseException as error:
                wrong.append(error)
                raise

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield counts
    finally:
        done.set()
        thread.join()
    assert wrong == []


def load(cluster: OpenSearch, name: str, harm: Callable[[], None]) -> RemoteSnapshot:
    """Load 400 chunks while somebody searches, do harm in the middle, and return the index."""
    client, names = connect(cluster, name)
    texts = pages(400)
    begun = dict(list(texts.items())[:100])
    fill(client, names, begun, SEVERAL)
    cluster.wait_for_copies(f"{name}-*")  # what has no copy yet can only wait for its node
    with (
        searching(cluster, name, len(begun)) as counts,
        open_store(client, names, OPTIONS, SEVERAL) as store,
    ):
        for at, (key, data) in enumerate(texts.items()):
            store.put_prepared(prepared(key, data), data)
            if at % 50 == 49:
                store.flush()
            if at == 199:
                harm()
        store.commit(started_ns=5)
        now = open_snapshot(client, names)
        assert now.chunk_count == len(texts) == distinct(now)
        assert not now.is_partial
    assert counts
    return now


def keep_from_manager(cluster: OpenSearch, index: str) -> None:
    """Have the other nodes hold the shards of an index."""
    url, name = cluster.nodes[0].url, f"n{cluster.manager().number}"
    asked(f"{url}/{index}/_settings", "PUT", {"index.routing.allocation.exclude._name": name})
    asked(f"{url}/_cluster/health/{index}?wait_for_no_relocating_shards=true&timeout=60s")


def test_one_node_of_three_dies_during_load_and_queries(
    healed: OpenSearch, leafmark: Leafmark, environment: dict[str, str], tmp_path: Path
) -> None:
    """An index without copies lacks a shard then: lists are marked, and judgements are errors."""
    work, nowhere = tmp_path / "work", tmp_path / "nowhere"
    nowhere.mkdir()
    for at in range(30):
        (work / f"{at}.md").write_text(f"# Page {at}\n\nlamp of page {at}\n")
    url = healed.url("lone")
    layout = {"LEAFMARK_INDEX_SHARDS": "3", "LEAFMARK_INDEX_REPLICAS": "0"}
    assert leafmark("index", LEAFMARK_INDEX_URL=url, **layout).code == 0
    cited = leafmark("search", "lamp", "-o", "full", "-n", "10", LEAFMARK_INDEX_URL=url).out
    (nowhere / "cited.md").write_text(cited)
    keep_from_manager(healed, f"lone-v{FORMAT}")
    whole = open_snapshot(*connect(healed, "lone"))
    assert (whole.chunk_count, whole.is_partial) == (60, False)
    load(healed, "dying", holder(healed, f"lone-v{FORMAT}", has_record=False).kill)
    (found,) = whole.search([(WORD, 1000)])
    assert whole.is_partial
    assert 0 < len(found) < 30
    lacks = "a part of the cluster did not answer"

    def run(*arguments: str) -> Ran:
        return leafmark(*arguments, cwd=nowhere, LEAFMARK_INDEX_URL=url)

    searched = leafmark("search", "lamp", "-n", "50", "-o", "files", LEAFMARK_INDEX_URL=url)
    assert (searched.code, lacks in searched.err) == (0, True)
    assert 0 < len(searched.out.splitlines()) < 30
    listed = run("ls", "docs", "-t", "work")
    assert (listed.code, lacks in listed.err) == (0, True)
    assert 0 < len(listed.out.splitlines()) < 30
    judged = run("verify", "cited.md")
    assert (judged.code, judged.out) == (2, "")
    assert "a part of the cluster does not answer" in judged.err
    assert "leafmark doctor" in judged.err
    written = leafmark("index", LEAFMARK_INDEX_URL=url)
    assert (written.code, "leafmark doctor" in written.err) == (2, True)
    (tmp_path / "back" / "work").mkdir(parents=True)  # it has the tree, so it would be given it
    back = leafmark("migrate", "--from", url, cwd=tmp_path / "back" / "work")
    assert (back.code, "leafmark doctor" in back.err) == (2, True)
    examined = run("doctor")
    assert "start the missing nodes" in examined.out
    status = run("status", "--json").json["cluster"]
    assert (status["status"], status["nodes"], status["missing_shards"] > 0) == ("red", 2, True)
    with (
        serving(
            nowhere,
            environment | {"LEAFMARK_INDEX_URL": url},
            "serve",
            told=r"serving at (http://\S+)/\n",
        ) as address,
        urllib.request.urlopen(f"{address}/health", timeout=60) as got,
    ):
        assert json.load(got)["status"] == "degraded"


def test_the_manager_of_the_cluster_dies_during_load_and_queries(healed: OpenSearch) -> None:
    load(healed, "headless", lambda: healed.manager().kill())


@pytest.mark.hours  # the cluster gives a node half a minute before it goes on without it
def test_a_node_freezes_during_load_and_queries(healed: OpenSearch) -> None:
    """Writes that wait for its copies stall until the cluster goes on without it."""
    load(healed, "freezing", lambda: healed.nodes[0].send(signal.SIGSTOP))


def holder(cluster: OpenSearch, index: str, *, has_record: bool) -> Node:
    """Return the node of the first copy of a shard: that with what an index says of itself, or not.

    Where it is not, another node is chosen than that with the record.
    """
    url = f"{cluster.nodes[0].url}/{index}/_search_shards"

    def nodes_of(answer: Any) -> set[str]:
        return {copy["node"] for shard in answer["shards"] for copy in shard if copy["primary"]}

    (record,) = nodes_of(asked(f"{url}?routing={META_ID}"))
    every = asked(url)
    name = every["nodes"][record if has_record else min(nodes_of(every) - {record})]["name"]
    return next(node for node in cluster.nodes if f"n{node.number}" == name)


@pytest.mark.hours  # all that is asked waits for the shard, one after the other
def test_a_shard_that_says_what_the_index_is_keeps_all_from_answering(
    healed: OpenSearch, leafmark: Leafmark, tmp_path: Path
) -> None:
    (tmp_path / "work" / "a.md").write_text("# A\n\nlamp\n")
    url = healed.url("mute")
    layout = {"LEAFMARK_INDEX_SHARDS": "3", "LEAFMARK_INDEX_REPLICAS": "0"}
    assert leafmark("index", LEAFMARK_INDEX_URL=url, **layout).code == 0
    holder(healed, f"mute-v{FORMAT}", has_record=True).kill()
    for arguments in (("search", "lamp"), ("ls", "docs"), ("show", "work:a.md"), ("index",)):
        ran = leafmark(*arguments, LEAFMARK_INDEX_URL=url)
        assert (ran.code, ran.out) == (2, ""), arguments
        assert "a part of the cluster does not answer" in ran.err, arguments
        assert "leafmark doctor" in ran.err, arguments
    assert "start the missing nodes" in leafmark("doctor", LEAFMARK_INDEX_URL=url).out
    ran = leafmark("status", "--json", LEAFMARK_INDEX_URL=url)
    assert ran.code == 0, ran
    status = ran.json
    assert (status["exists"], status["cluster"]["status"]) == (True, "red")
    assert any("a part of the cluster does not answer" in each for each in status["warnings"])


@pytest.mark.hours  # each question waits for its limit first
def test_a_frozen_node_costs_time_and_no_answer(healed: OpenSearch) -> None:
    """Its shards may be missing: then the answer says so, or the error says what to do."""
    client, names = connect(healed, "frozen", search_s=2.0)
    fill(client, names, {A: b"# A\n\npage\n"}, SEVERAL)
    healed.nodes[0].send(signal.SIGSTOP)
    found = counted(client, names)
    healed.nodes[0].send(signal.SIGCONT)
    healed.wait("yellow")
    assert found in ((1, False), (0, True), (1, True), None)
    assert counted(client, names) == (1, False)


def counted(client: Cluster, names: Names) -> tuple[int, bool] | None:
    """Return how many chunks have the word, and whether that is partial; None for no answer."""
    try:
        now = open_snapshot(client, names)
        (count,) = now.count([WORD])
    except StorageError as error:
        return None if error.hint else (-1, False)
    return count, now.is_partial


@pytest.mark.hours  # two nodes take minutes to come back on a busy machine
@pytest.mark.parametrize("keeps_first_copy", [False, True])
def test_without_a_quorum_nothing_is_lost(
    healed: OpenSearch, leafmark: Leafmark, monkeypatch: pytest.MonkeyPatch, keeps_first_copy: bool
) -> None:
    """And nothing is written where the node that is left has not the shards' first copies.

    Where it has one, it takes a write that it cannot pass on: whether that is there afterwards
    is open, as with each write to which no answer came.
    """
    monkeypatch.setattr(bulk, "TRIES", 2)
    monkeypatch.setattr(bulk, "FIRST_PAUSE_S", 0.1)
    monkeypatch.setattr(client_module, "PAUSES_S", (0.1,))
    client, names = connect(healed, "quorum", search_s=3.0, bulk_s=8.0)
    fill(client, names, pages(20))
    healed.wait_for_copies("quorum-*")
    first = holder(healed, f"quorum-v{FORMAT}", has_record=True)
    last = first if keeps_first_copy else next(each for each in healed.nodes if each != first)
    with open_store(client, names, OPTIONS, FIRST) as store:
        for node in healed.nodes:
            if node is not last:
                node.kill()
        store.put_prepared(prepared(A, b"page a\n"), b"page a\n")
        with pytest.raises(StorageError) as raised:
            store.commit(started_ns=5)
    assert raised.value.hint
    status = leafmark("status", "--json", LEAFMARK_INDEX_URL=healed.url("quorum")).json
    assert status["cluster"]["status"] in ("yellow", "red")  # a node says it without a manager
    for node in healed.nodes:
        if node is not last:
            node.start()
    healed.wait("yellow")
    monkeypatch.undo()
    client, names = connect(healed, "quorum")
    after = distinct(open_snapshot(client, names))
    assert after in ((20, 21) if keeps_first_copy else (20,))
    fill_again(healed, client, names, pages(20) | {A: b"page a\n"})
    now = open_snapshot(client, names)
    assert now.chunk_count == distinct(now) == 21


def fill_again(
    cluster: OpenSearch, client: Cluster, names: Names, texts: dict[tuple[str, str], bytes]
) -> None:
    """Fill an index; do what the error says where the cluster left a shard without a first copy."""
    try:
        fill(client, names, texts)
    except StorageError as error:
        named = re.search(r"start the node n(\d) again", str(error.hint))
        if named is None:
            raise
        node = cluster.nodes[int(named[1])]
        node.kill()
        node.start()
        cluster.wait("yellow")
        fill(client, names, texts)


def watch_disks(cluster: OpenSearch, least_free: str | None) -> None:
    """Have the cluster want so much free room on each disk; None for any."""
    levels = dict.fromkeys(("low", "high", "flood_stage"), least_free)
    settings = {
        f"cluster.routing.allocation.disk.watermark.{each}": levels[each] for each in levels
    }
    settings["cluster.routing.allocation.disk.threshold_enabled"] = least_free and "true"
    settings["cluster.info.update.interval"] = least_free and "10s"
    asked(f"{cluster.nodes[0].url}/_cluster/settings", "PUT", {"transient": settings})


def wait_for_block(client: Cluster, names: Names, *, there: bool) -> None:
    path = f"/{names.base}-*/_settings/index.blocks.read_only_allow_delete"
    until = time.monotonic() + 120
    while bool(client.get(path)) is not there:
        assert time.monotonic() < until
        time.sleep(0.2)


@pytest.mark.hours  # the cluster looks at its disks every so often
def test_full_nodes_refuse_writes_at_once_and_take_them_when_there_is_room(
    cluster: OpenSearch,
) -> None:
    """The nodes themselves look at their disks, which are too small for what they are to leave."""
    client, names = connect(cluster, "full")
    fill(client, names, {A: b"page\n"})
    watch_disks(cluster, "100000tb")
    try:
        wait_for_block(client, names, there=True)
        before = client.requests
        with pytest.raises(RefusedError, match="flood-stage") as raised:
            fill(client, names, {B: b"page\n"})
        assert raised.value.hint == (
            "a node's disk is full: make room, and the cluster takes writes again"
        )
        assert client.requests - before < 20  # waiting makes no room
        with pytest.raises(RefusedError) as raised:
            fill(*connect(cluster, "fuller"), {B: b"page\n"})
        assert "disk is full" in str(raised.value.hint)
        assert open_snapshot(client, names).chunk_count == 1
        watch_disks(cluster, "1b")
        wait_for_block(client, names, there=False)
    finally:
        watch_disks(cluster, None)
        block = {"cluster.blocks.create_index": None}
        blocks = {"persistent": block, "transient": block}
        asked(f"{cluster.nodes[0].url}/_cluster/settings", "PUT", blocks)
    fill(client, names, {A: b"page\n", B: b"page\n"})
    assert open_snapshot(client, names).chunk_count == 2


def test_a_writer_whose_clock_is_wrong_is_no_less_right(
    cluster: OpenSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who writes later wins: the clock decides only between two that write at once."""
    client, names = connect(cluster, "clocks")
    now_ns = time.time_ns()
    for hours, text in ((48, b"page one\n"), (-48, b"page two\n"), (0, b"page three\n")):
        monkeypatch.setattr(time, "time_ns", lambda: now_ns + hours * 3_600_000_000_000)  # noqa: B023
        fill(client, names, {A: text})
    now = open_snapshot(client, names)
    words = [HasTerm("body_english", word) for word in ("one", "two", "three")]
    assert now.count(words) == [0, 0, 1]
    assert now.chunk_count == 1


@pytest.mark.hours  # Maven brings another OpenSearch
def test_an_old_version_is_told_and_nothing_is_written(leafmark: Leafmark, tmp_path: Path) -> None:
    """A node of OpenSearch 2 itself."""
    (tmp_path / "work" / "a.md").write_text("# A\n\nlamp\n")
    told = f"the cluster runs OpenSearch {OLD['opensearch']}, and leafmark wants 3 or newer"
    with running_cluster(tmp_path / "old", nodes=1, stated=OLD) as old:
        url = old.url("docs")
        ran = leafmark("index", LEAFMARK_INDEX_URL=url)
        assert (ran.code, ran.out) == (2, "")
        assert told in ran.err
        assert "update the cluster" in ran.err
        assert told in leafmark("doctor", LEAFMARK_INDEX_URL=url).out
        assert "no index 'docs' yet" in leafmark("search", "lamp", LEAFMARK_INDEX_URL=url).err
        assert old.indices() == set()


def test_what_is_no_index_of_ours_is_refused(cluster: OpenSearch) -> None:
    client, names = connect(cluster, "strange")
    with pytest.raises(NotFoundError, match="no index 'strange'"):
        open_snapshot(client, names)
    client.put("/other")
    client.post("/_aliases", {"actions": [{"add": {"index": "other", "alias": names.alias}}]})
    with pytest.raises(DamagedError, match="no record of leafmark"):
        open_snapshot(client, names)
    client.request("DELETE", "/other")
    fill(client, names, {A: b"# A\n\npage\n"})
    client.put(f"/{names.text(1)}/_mapping", {"properties": {"body_french": {"type": "keyword"}}})
    with (
        pytest.raises(StorageError),
        open_store(client, names, IndexOptions("settings", {"fr": "french"}), FIRST),
    ):
        pass


def test_a_mapping_that_somebody_changed_by_hand_is_told(cluster: OpenSearch) -> None:
    client, names = connect(cluster, "remade")
    fill(client, names, {A: b"# A\n\npage\n"})
    languages = open_snapshot(client, names).languages
    body = index_body(languages, 1, 1)
    body["mappings"]["properties"]["body_english"] = {"type": "text", "analyzer": "standard"}
    client.put("/remade-by-hand", body)
    meta = client.get(f"/{names.text(1)}/_doc/index?routing=index")["_source"]["meta"]
    client.put("/remade-by-hand/_doc/index?routing=index&refresh=true", meta_document(meta))
    moved = [{"remove": {"index": names.text(1), "alias": names.alias}}]
    moved += [{"add": {"index": "remade-by-hand", "alias": names.alias}}]
    client.post("/_aliases", {"actions": moved})
    with pytest.raises(DamagedError, match="changed the field body_english") as raised:
        open_snapshot(client, names)
    assert raised.value.hint == "delete remade-by-hand in the cluster, and index again"


def test_a_damaged_source_is_told_and_goes_with_a_rebuild(
    cluster: OpenSearch, leafmark: Leafmark, tmp_path: Path
) -> None:
    (tmp_path / "work" / "a.md").write_text("# A\n\nlamp\n")
    url, at = cluster.url("rotten"), f"{cluster.nodes[0].url}/rotten-sources"
    assert leafmark("index", LEAFMARK_INDEX_URL=url).code == 0
    (hit,) = asked(f"{at}/_search")["hits"]["hits"]
    asked(f"{at}/_doc/{hit['_id']}?refresh=true", "PUT", {**hit["_source"], "data": "cm90"})
    (tmp_path / "nowhere").mkdir()
    elsewhere = {"cwd": tmp_path / "nowhere", "LEAFMARK_INDEX_URL": url}
    shown = leafmark("show", "work:a.md", **elsewhere)
    assert (shown.code, shown.out) == (2, "")
    assert "a source cannot be unpacked" in shown.err
    assert "leafmark index --rebuild" in shown.err
    assert leafmark("index", "--rebuild", LEAFMARK_INDEX_URL=url).code == 0
    assert "lamp" in leafmark("show", "work:a.md", **elsewhere).out


def test_two_indexes_behind_one_alias_are_told(cluster: OpenSearch) -> None:
    client, names = connect(cluster, "forked")
    fill(client, names, {A: b"page\n"})
    client.put("/forked-too")
    client.post("/_aliases", {"actions": [{"add": {"index": "forked-too", "alias": names.alias}}]})
    with pytest.raises(DamagedError, match=f"the alias forked-v{FORMAT} leads to"):
        open_snapshot(client, names)


# -- runs that end early ---------------------------------------------------------------------


def test_a_first_build_answers_at_its_checkpoints_and_goes_on_there(cluster: OpenSearch) -> None:
    client, names = connect(cluster, "begun")
    texts = list(pages(20).items())
    with open_store(client, names, OPTIONS, FIRST) as store:
        for key, data in texts[:10]:
            store.put_prepared(prepared(key, data), data)
        store.checkpoint(started_ns=5)
        assert open_snapshot(client, names).chunk_count == 10
        for key, data in texts[10:15]:
            store.put_prepared(prepared(key, data), data)
        store.flush()  # and here it is ended
    with open_store(client, names, OPTIONS, FIRST) as store:
        assert (store.is_new, store.rebuilt, store.looked_ns) == (True, None, 5)
        assert len(store.manifest) == 15
        for key, data in texts[15:]:
            store.put_prepared(prepared(key, data), data)
        store.commit(started_ns=6)
    assert open_snapshot(client, names).chunk_count == 20
    with open_store(client, names, OPTIONS, FIRST) as store:
        assert not store.is_new


@pytest.mark.parametrize(
    "later", [IndexOptions("others", OPTIONS.languages), IndexOptions("settings", {"docs": None})]
)
def test_after_other_settings_and_an_interruption_the_rest_is_made_anew(
    cluster: OpenSearch, later: IndexOptions
) -> None:
    """What was made under the settings of before must not be taken for what is wanted now."""
    client, names = connect(cluster, f"again-{later.fingerprint}")
    fill(client, names, {A: b"page a\n", B: b"page b\n"})
    with open_store(client, names, later, FIRST) as store:
        assert len(store.manifest) == 0
        store.put_prepared(prepared(A, b"page a\n", options=later), b"page a\n")
        store.flush()
    with open_store(client, names, later, FIRST) as store:
        assert [*store.manifest] == [A]
        store.commit(started_ns=6)  # b is gone meanwhile
    now = open_snapshot(client, names)
    assert [*now.manifest] == [A]
    assert now.chunk_count == 1


def test_an_emptied_folder_is_forgotten_only_with_prune(
    cluster: OpenSearch, leafmark: Leafmark, tmp_path: Path
) -> None:
    url = cluster.url("pruned")
    work = tmp_path / "work"
    for at in range(4):
        (work / f"{at}.md").write_text(f"# Page {at}\n\nlamp\n")
    assert leafmark("index", LEAFMARK_INDEX_URL=url).code == 0
    for at in range(4):
        (work / f"{at}.md").unlink()
    kept = leafmark("index", LEAFMARK_INDEX_URL=url)
    assert "--prune" in kept.out + kept.err
    assert leafmark("ls", "trees", LEAFMARK_INDEX_URL=url).out.startswith("work  4 documents")
    pruned = leafmark("index", "--prune", LEAFMARK_INDEX_URL=url)
    assert "4 removed" in pruned.out
    assert not leafmark("ls", "docs", LEAFMARK_INDEX_URL=url).out
