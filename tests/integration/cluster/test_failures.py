"""What fails around a real cluster: nothing is lost, doubled or wrong, and each has a message."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cluster import OpenSearch
from support.command import Leafmark
from support.filled import FIRST, OPTIONS, SEVERAL, asked, connect, fill, prepared

from leafmark.errors import DamagedError, NotFoundError, StorageError
from leafmark.index import IndexOptions
from leafmark.index.queries import HasTerm
from leafmark.index.remote import bulk
from leafmark.index.remote import client as client_module
from leafmark.index.remote.client import Cluster, RefusedError
from leafmark.index.remote.layout import Names, index_body, meta_document
from leafmark.index.remote.snapshot import RemoteSnapshot, open_snapshot
from leafmark.index.remote.store import RemoteOptions, open_store
from leafmark.index.schema import FORMAT

A, B = ("docs", "a.md"), ("docs", "b.md")
WORD = HasTerm("body_english", "page")


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


def test_one_node_of_three_dies_during_load_and_queries(healed: OpenSearch) -> None:
    """And the one shard of an index without copies is missing: the answer says so."""
    client, names = connect(healed, "dying")
    single, single_names = connect(healed, "single")
    fill(single, single_names, pages(30), RemoteOptions(shards=3, replicas=0))
    whole = open_snapshot(single, single_names)
    assert (whole.chunk_count, whole.is_partial) == (30, False)
    texts = pages(400)
    fill(client, names, dict([*texts.items()][:1]), SEVERAL)
    healed.wait_for_copies("dying-*")  # what has no copy yet can only wait for its node
    with open_store(client, names, OPTIONS, SEVERAL) as store:
        for at, (key, data) in enumerate(texts.items()):
            store.put_prepared(prepared(key, data), data)
            if at % 50 == 49:
                store.flush()
            if at == 199:
                healed.nodes[-1].kill()
        store.commit(started_ns=5)
    now = open_snapshot(client, names)
    assert now.chunk_count == len(texts) == distinct(now)
    assert not now.is_partial
    (found,) = whole.search([(WORD, 1000)])
    assert whole.is_partial
    assert len(found) < 30


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
def test_without_a_quorum_nothing_is_written_and_nothing_lost(
    healed: OpenSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "TRIES", 2)
    monkeypatch.setattr(bulk, "FIRST_PAUSE_S", 0.1)
    monkeypatch.setattr(client_module, "_PAUSES_S", (0.1,))
    client, names = connect(healed, "quorum", search_s=3.0, bulk_s=8.0)
    fill(client, names, pages(20))
    with open_store(client, names, OPTIONS, FIRST) as store:
        for node in healed.nodes[1:]:
            node.kill()
        store.put_prepared(prepared(A, b"page a\n"), b"page a\n")
        with pytest.raises(StorageError) as raised:
            store.commit(started_ns=5)
    assert raised.value.hint
    for node in healed.nodes[1:]:
        node.start()
    healed.wait("yellow")
    monkeypatch.undo()
    client, names = connect(healed, "quorum")
    assert distinct(open_snapshot(client, names)) == 20
    fill(client, names, pages(20) | {A: b"page a\n"})
    now = open_snapshot(client, names)
    assert now.chunk_count == distinct(now) == 21


def test_a_full_node_refuses_writes_at_once_and_says_why(cluster: OpenSearch) -> None:
    client, names = connect(cluster, "full")
    fill(client, names, {A: b"page\n"})
    settings = f"{cluster.nodes[0].url}/full-*/_settings"
    asked(settings, "PUT", {"index.blocks.read_only_allow_delete": True})
    began = time.monotonic()
    with pytest.raises(RefusedError, match="flood-stage") as raised:
        fill(client, names, {B: b"page\n"})
    assert raised.value.hint == (
        "a node's disk is full: make room, and the cluster takes writes again"
    )
    assert time.monotonic() - began < 20
    assert open_snapshot(client, names).chunk_count == 1
    asked(settings, "PUT", {"index.blocks.read_only_allow_delete": None})
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
    client.put(
        "/remade-by-hand/_doc/index?routing=index&refresh=true", meta_document(meta, languages)
    )
    moved = [{"remove": {"index": names.text(1), "alias": names.alias}}]
    moved += [{"add": {"index": "remade-by-hand", "alias": names.alias}}]
    client.post("/_aliases", {"actions": moved})
    with pytest.raises(DamagedError, match="the field body_english is another") as raised:
        open_snapshot(client, names)
    assert raised.value.hint == "`leafmark index --rebuild` makes it anew"


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
