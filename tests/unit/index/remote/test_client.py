"""The client of a cluster beside a server that answers as clusters do, and as others do."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("urllib3")

from leafmark.errors import (
    ConfigError,
    DamagedError,
    ForbiddenError,
    LeafmarkError,
    NotFoundError,
    StorageError,
)
from leafmark.index.remote import bulk, client
from leafmark.index.remote.client import Cluster, RefusedError, check_engine, parse_address
from leafmark.index.remote.cluster_snapshot import open_snapshot
from leafmark.index.remote.layout import Names

Answer = tuple[int, bytes]


@contextmanager
def server(
    answer: Callable[[int], Answer], *, stated: int | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Give a server whose n-th answer, from 0, is that of `answer`, and the paths it was asked.

    It says that each is `stated` bytes long, where that is another length, and then hangs up.
    """
    asked = list[str]()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            status, body = answer(len(asked))
            asked.append(self.path)
            self.send_response(status)
            self.send_header("content-length", str(stated or len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = stated is not None

        do_POST = do_PUT = do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_address[1]}", asked
        finally:
            running.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PAUSES_S", (0.0,))


def error(reason: str) -> bytes:
    return json.dumps({"error": {"root_cause": [{"reason": reason}], "reason": "all"}}).encode()


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("localhost:9200", "is not an address"),
        ("ftp://localhost/x", "is not an address"),
        ("https:///docs", "is not an address"),
        ("https://a:b@host/docs", "holds a user or a password"),
        ("https://host:99999/docs", "holds no host"),
        ("https://host/Docs", "names no index"),
        ("https://host/a/b", "names no index"),
        ("https://host/*", "names no index"),
    ],
)
def test_a_wrong_address_says_how_a_right_one_looks(url: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault) as raised:
        parse_address(url)
    assert raised.value.hint


def test_an_address_without_a_name_has_a_usual_one() -> None:
    assert parse_address("https://host:9200").name == "leafmark"
    assert parse_address("https://host:9200/").name == "leafmark"


@pytest.mark.parametrize(
    ("answered", "kind", "told"),
    [
        ((401, b"Unauthorized"), ForbiddenError, "does not know this user"),
        ((403, error("no permissions")), ForbiddenError, "does not allow this"),
        ((404, error("no such index [a]")), NotFoundError, r"no such index \[a\]"),
        ((400, error("failed to parse")), RefusedError, "failed to parse"),
        ((200, b"<html>hello</html>"), StorageError, "not JSON"),
        ((200, b""), StorageError, "not JSON"),
        ((200, b'{"took": 1,'), StorageError, "not JSON"),
        ((302, b""), StorageError, "status 302 and no error of a cluster's"),
        ((405, b"Method Not Allowed"), StorageError, "status 405 and no error of a cluster's"),
        ((404, b"<html>nothing</html>"), StorageError, "status 404 and no error of a cluster's"),
        ((400, b'{"error": 5}'), StorageError, "status 400 and no error of a cluster's"),
        ((400, b'{"error": {"root_cause": ["x"]}}'), StorageError, "status 400"),
        ((400, b'{"error": {"root_cause": [], "type": "odd"}}'), RefusedError, "refused: odd"),
        ((200, b"[1, 2]"), StorageError, "not JSON"),
        ((200, b"[" * 100_000), StorageError, "not JSON"),
    ],
)
def test_what_is_no_good_answer_is_an_error_that_says_so(
    answered: Answer, kind: type[LeafmarkError], told: str
) -> None:
    with server(lambda _: answered) as (url, _), pytest.raises(kind, match=told) as raised:
        Cluster([url]).get("/x/_search")
    assert raised.value.location == url


def test_an_answer_of_another_program_lacks_what_a_cluster_s_has() -> None:
    with server(lambda _: (200, b'{"hits": {"total": 1}}')) as (url, _):
        answer = Cluster([url]).get("/x/_search")
        with pytest.raises(StorageError, match="the cluster's answer has no '_shards'") as raised:
            answer["_shards"]
    assert raised.value.location == url
    assert "OpenSearch" in str(raised.value.hint)


def test_an_answer_that_is_cut_off_says_so() -> None:
    with (
        server(lambda _: (200, b'{"took": 1}'), stated=1000) as (url, _),
        pytest.raises(StorageError, match="the cluster's answer was cut off") as raised,
    ):
        Cluster([url], search_s=0.5).get("/")
    assert raised.value.hint


@pytest.mark.parametrize(
    ("number", "distribution", "told"),
    [
        ("2.19.1", "opensearch", "runs OpenSearch 2.19.1, and leafmark wants 3 or newer"),
        ("8.17.0", None, "does not run OpenSearch: its version is 8.17.0"),
        ("new", "opensearch", "runs OpenSearch new, and leafmark wants 3 or newer"),
    ],
)
def test_an_engine_that_cannot_be_used_is_told(
    number: str, distribution: str | None, told: str
) -> None:
    version = {"number": number} | ({"distribution": distribution} if distribution else {})
    about = json.dumps({"version": version}).encode()
    with (
        server(lambda _: (200, about)) as (url, _),
        pytest.raises(StorageError, match=told) as raised,
    ):
        check_engine(Cluster([url]).get("/"), url)
    assert raised.value.hint


def test_a_program_that_tells_no_version_is_no_cluster() -> None:
    with (
        server(lambda _: (200, b'{"hello": "world"}')) as (url, _),
        pytest.raises(StorageError, match="the cluster's answer has no 'version'"),
    ):
        check_engine(Cluster([url]).get("/"), url)


def test_a_cluster_that_is_busy_is_asked_again() -> None:
    answers = [(429, error("circuit_breaking_exception")), (200, b'{"ok": true}')]
    with server(lambda at: answers[at]) as (url, asked):
        assert Cluster([url]).get("/") == {"ok": True}
    assert len(asked) == 2


def test_a_cluster_that_stays_busy_is_told_as_such() -> None:
    with (
        server(lambda _: (503, error("no master"))) as (url, _),
        pytest.raises(RefusedError, match="no master"),
    ):
        Cluster([url]).get("/")


def test_a_node_that_is_not_there_is_passed_over_and_asked_last() -> None:
    with server(lambda _: (200, b"{}")) as (url, asked):
        cluster = Cluster(["http://127.0.0.1:9", url])
        for _ in range(6):
            cluster.get("/")
        assert len(asked) == 6
        assert cluster.requests <= 7


def test_no_node_at_all_says_what_to_look_at() -> None:
    with pytest.raises(StorageError, match="cannot be reached") as raised:
        Cluster(["http://127.0.0.1:9"]).get("/")
    assert "index.url" in str(raised.value.hint)


def test_an_answer_that_does_not_come_ends_after_its_limit() -> None:
    release = threading.Event()

    def late(_: int) -> Answer:
        release.wait(20)
        return 200, b"{}"

    with server(late) as (url, _):
        cluster = Cluster([url], search_s=0.2)
        with pytest.raises(StorageError, match="does not answer in time"):
            cluster.get("/")
        assert cluster.requests == 1  # who asks has waited
        release.set()


def test_an_answer_that_is_too_large_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MAX_ANSWER_BYTES", 1000)
    with (
        server(lambda _: (200, b'"' + b"x" * 5000 + b'"')) as (url, _),
        pytest.raises(StorageError, match="too large"),
    ):
        Cluster([url]).get("/")


def test_credentials_go_with_each_request_and_into_no_message() -> None:
    with server(lambda _: (401, b"")) as (url, _):
        cluster = Cluster([url], headers={"authorization": "Basic c2VjcmV0"})
        with pytest.raises(ForbiddenError) as raised:
            cluster.get("/")
    assert "c2VjcmV0" not in f"{raised.value} {raised.value.hint} {raised.value.location}"


MOVING = {"error": {"type": "no_shard_available_action_exception", "reason": "no shard"}}


def test_what_a_moving_shard_cannot_say_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken for missing, a document would keep the chunks that it had before."""
    monkeypatch.setattr(bulk, "FIRST_PAUSE_S", 0.01)
    first = [{"_id": "a", "found": True}, MOVING, MOVING]
    second = [{"_id": "b", "found": False}, MOVING]
    third = [{"_id": "c", "found": True}]
    answers = [json.dumps({"docs": docs}).encode() for docs in (first, second, third)]
    documents = [{"_id": each} for each in "abc"]
    with server(lambda at: (200, answers[at])) as (url, asked):
        found = bulk.read_current(Cluster([url]), "docs", documents)
    assert [(each["_id"], each["found"]) for each in found] == [
        ("a", True),
        ("b", False),
        ("c", True),
    ]
    assert {path.partition("?")[0] for path in asked} == {"/docs/_mget"}
    assert len(asked) == 3


def test_a_shard_that_stays_away_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "FIRST_PAUSE_S", 0.001)
    answer = json.dumps({"docs": [MOVING]}).encode()
    with (
        server(lambda at: (200, answer)) as (url, asked),
        pytest.raises(StorageError, match="does not answer") as raised,
    ):
        bulk.read_current(Cluster([url]), "docs", [{"_id": "a"}])
    assert raised.value.hint
    assert len(asked) == bulk.TRIES


NO_PRIMARY = {
    "type": "retry_on_primary_exception",
    "reason": "shard is not in primary mode",
    "index": "docs-words",
    "shard": "2",
}
ROWS = [
    {"shard": "2", "prirep": "r", "node": "n1"},
    {"shard": "1", "prirep": "p", "node": "n1"},
    {"shard": "2", "prirep": "p", "node": "n0"},
]


def writes(status: int, error: object = None) -> bytes:
    result = {"status": status} | ({} if error is None else {"error": error})
    return json.dumps({"items": [{"index": result}]}).encode()


@pytest.mark.parametrize(
    ("rows", "node"), [((200, json.dumps(ROWS).encode()), "n0"), ((403, b""), "with its first")]
)
def test_a_shard_without_a_first_copy_says_which_node_to_start_again(
    rows: Answer, node: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenSearch can leave one so for good: what is tried again would never be taken."""
    monkeypatch.setattr(bulk, "FIRST_PAUSE_S", 0.001)
    answers = [(200, writes(500, NO_PRIMARY))] * bulk.TRIES + [rows] * 9
    with (
        server(lambda at: answers[at]) as (url, _),
        pytest.raises(StorageError, match="shard 2 of docs-words takes no writes") as raised,
    ):
        bulk.write_lines(Cluster([url]), [bulk.Line({"index": {}}, "{}")])
    assert f"start the node {node}" in str(raised.value.hint)


@pytest.mark.parametrize(
    "error",
    [
        NO_PRIMARY,
        {"type": "exception", "caused_by": {"type": "failed_to_commit_cluster_state_exception"}},
    ],
)
def test_a_write_while_the_cluster_changes_is_tried_again(
    error: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "FIRST_PAUSE_S", 0.001)
    answers = [(200, writes(500, error)), (200, writes(201))]
    with server(lambda at: answers[at]) as (url, asked):
        assert bulk.write_lines(Cluster([url]), [bulk.Line({"index": {}}, "{}")]) == set()
    assert len(asked) == 2


def test_a_write_that_fails_in_another_way_is_refused() -> None:
    with (
        server(lambda _: (200, writes(500, {"type": "exception", "reason": "disk"}))) as (url, _),
        pytest.raises(RefusedError, match="disk"),
    ):
        bulk.write_lines(Cluster([url]), [bulk.Line({"index": {}}, "{}")])


@pytest.mark.parametrize(
    "answer",
    [
        (200, b'{"name": "x", "version": {"number": "8.11.0"}}'),
        (404, b'{"detail": "Not Found"}'),
        (404, b'{"error": "not found"}'),
    ],
)
def test_what_answers_anything_with_json_is_no_cluster(answer: Answer) -> None:
    """It is not called an index that was damaged: to make it anew would be no help."""
    with (
        server(lambda _: answer) as (url, _),
        pytest.raises(StorageError, match="the answer is not a cluster's") as raised,
    ):
        open_snapshot(Cluster([url]), Names("docs"))
    assert not isinstance(raised.value, DamagedError)
    assert "OpenSearch" in str(raised.value.hint)


def copies(behind: int) -> bytes:
    return json.dumps([{"checkpoints_behind": "0"}, {"checkpoints_behind": str(behind)}]).encode()


def test_what_is_made_visible_is_waited_for_in_the_copies() -> None:
    answers = [(200, b"{}"), (200, copies(2)), (200, copies(1)), (200, copies(0))]
    with server(answers.__getitem__) as (url, asked):
        bulk.refresh(Cluster([url]), ["a", "b"])
    assert [path.partition("?")[0] for path in asked] == [
        "/a,b/_refresh",
        *["/_cat/segment_replication/a,b"] * 3,
    ]


def test_a_copy_that_stays_behind_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "COPIED_S", 0.0)
    answers = [(200, b"{}"), *[(200, copies(1))] * 3]
    with (
        server(answers.__getitem__) as (url, _),
        pytest.raises(StorageError, match="a copy of the index does not get") as raised,
    ):
        bulk.refresh(Cluster([url]), ["a"])
    assert raised.value.hint


def test_copies_that_nobody_may_look_at_are_not_waited_for() -> None:
    answers = [(200, b"{}"), (403, error("no permissions for [indices:monitor]"))]
    with server(answers.__getitem__) as (url, asked):
        bulk.refresh(Cluster([url]), ["a"])
    assert len(asked) == 2
