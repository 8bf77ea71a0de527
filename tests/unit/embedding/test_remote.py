"""Embedders behind HTTP, against a real server that fails in every way."""

from __future__ import annotations

import gc
import socket
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest
from support.embedders import DIMENSION, FakeServer, Reply, serve_embeddings, vector_of

from leafmark.embedding import Embedder, EmbedderSpec, open_embedder
from leafmark.embedding import http as client
from leafmark.errors import ConfigError, LeafmarkError, ProviderError

KEY = "sk-very-secret"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serve_embeddings() as running:
        yield running


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What was waited for; nothing really is."""
    found: list[float] = []
    init = client.Connection.__init__
    monkeypatch.setattr(
        client.Connection, "__init__", lambda self, spec: init(self, spec, found.append)
    )
    return found


def openai(server: FakeServer, **fields: Any) -> Embedder:
    values: dict[str, Any] = {"model": "m", "endpoint": f"{server.url}/v1", "key": KEY}
    return open_embedder(EmbedderSpec(provider="openai", **values | fields))


def ollama(server: FakeServer, **fields: Any) -> Embedder:
    values: dict[str, Any] = {"model": "m", "endpoint": server.url}
    return open_embedder(EmbedderSpec(provider="ollama", **values | fields))


TEXTS = ["one text", "another", "the third of them"]


def test_openai_answers_are_ordered_by_their_index(server: FakeServer) -> None:
    found = openai(server).embed_documents(TEXTS)
    assert np.allclose(found, [vector_of(text) for text in TEXTS], atol=1e-6)
    path, headers, asked = server.requests[0]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert asked == {"model": "m", "input": TEXTS, "encoding_format": "float"}


def test_vectors_belong_to_an_address_with_or_without_a_slash_at_its_end(
    server: FakeServer,
) -> None:
    slashed = openai(server, endpoint=f"{server.url}/v1/")
    assert slashed.embed_query("one").shape == (1, DIMENSION)
    assert slashed.revision == openai(server).revision
    assert slashed.revision != openai(server, endpoint=f"{server.url}/v2").revision


def test_ollama_is_asked_for_many_texts_at_once(server: FakeServer) -> None:
    found = ollama(server).embed_documents(TEXTS)
    assert np.allclose(found, [vector_of(text) for text in TEXTS], atol=1e-6)
    path, headers, asked = server.requests[0]
    assert path == "/api/embed"
    assert "Authorization" not in headers
    assert asked == {"model": "m", "input": TEXTS, "truncate": True}


def test_prefixes_limits_and_batches(server: FakeServer) -> None:
    embedder = ollama(server, limit=5, query_prefix="q: ", document_prefix="d: ", batch_tokens=10)
    embedder.embed_query("what is it, in short?")
    embedder.embed_documents(["a" * 40, "b", "c" * 40, "d"])
    inputs = [asked["input"] for _, _, asked in server.requests]
    assert inputs[0] == ["q: what is it, "]
    assert inputs[1:] == [["d: " + "a" * 12, "d: b"], ["d: " + "c" * 12, "d: d"]]
    assert embedder.dimension == DIMENSION
    assert embedder.windows("a" * 25) == ["a" * 8, "a" * 8, "a" * 9]


def test_no_text_gives_no_vector(server: FakeServer) -> None:
    assert openai(server).embed_documents([]).shape == (0, DIMENSION)


@pytest.mark.parametrize(
    ("replies", "waited"),
    [
        ([Reply(500)], [0.5]),
        ([Reply(503), Reply(502), Reply(504)], [0.5, 1.0, 2.0]),
        ([Reply(429, headers={"Retry-After": "7"})], [7.0]),
        ([Reply(429, headers={"Retry-After": "soon"})], [0.5]),
        ([Reply(hang_up=True)], [0.5]),
        ([Reply(cut=10)], [0.5]),
    ],
    ids=["500", "several", "retry-after", "odd-retry-after", "hangs-up", "torn"],
)
def test_what_passes_is_tried_again(
    server: FakeServer, pauses: list[float], replies: list[Reply], waited: list[float]
) -> None:
    server.replies += replies
    assert len(openai(server).embed_documents(TEXTS)) == 3
    assert pauses == waited


@pytest.fixture(params=["UTC0", "ABC-14", "ABC+12"])
def zone(request: pytest.FixtureRequest) -> Iterator[str]:
    """The time zone of the machine."""
    if not hasattr(time, "tzset"):
        pytest.skip("the time zone cannot be set here")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize("usegmt", [True, False], ids=["GMT", "-0000"])
def test_retry_after_may_be_a_date(server: FakeServer, pauses: list[float], usegmt: bool) -> None:
    date = formatdate(time.time() + 20, usegmt=usegmt)
    server.replies.append(Reply(429, headers={"Retry-After": date}))
    openai(server).embed_documents(TEXTS)
    assert len(pauses) == 1
    assert 0 < pauses[0] <= 20


ROW = vector_of("x")
LESS = "where a text is too long for it, make embedding.limit smaller"
FAULTY = "the model or what runs it seems faulty: another version or another model may help"
NO_EMBEDDER = "does this model make embeddings? embedding.model names it"
FEWER = "it may take only one text at a time: a smaller embedding.batch_tokens asks for fewer"

FAILURES: dict[str, tuple[Reply, str, str | None]] = {
    "key": (
        Reply(401, {"error": {"message": f"bad key {KEY}\n\x1b[31m"}}),
        "the embedder answered 401: bad key …  [31m",
        "the key is missing or wrong: embedding.key_variable names the variable that holds it",
    ),
    "key-where-it-is-cut": (
        Reply(401, {"error": {"message": "x" * 195 + KEY}}),
        f"the embedder answered 401: {'x' * 195}…",
        "the key is missing or wrong: embedding.key_variable names the variable that holds it",
    ),
    "model": (
        Reply(404, {"error": "no such model"}),
        "the embedder answered 404: no such model",
        "is this the right address, and does the server have this model? See [embedding]",
    ),
    "redirect": (
        Reply(302, b"", {"Location": "http://127.0.0.1:1/"}),
        "the embedder answered 302",
        "redirects are not followed, for the key's sake: name the address that this one leads to",
    ),
    "refused": (
        Reply(501, b""),
        "the embedder answered 501",
        "its log may say why; the work so far is kept, and the next run continues",
    ),
    "html": (
        Reply(200, b"<html>"),
        "the embedder's answer is not JSON",
        "is this the right address, and does the server have this model? See [embedding]",
    ),
    "deep": (
        Reply(200, b"[" * 100_000),
        "the embedder's answer is not JSON",
        "is this the right address, and does the server have this model? See [embedding]",
    ),
    "shape": (
        Reply(200, {"vectors": []}),
        "the embedder's answer holds no vectors where they belong",
        "is this the right address? It is embedding.endpoint",
    ),
    "null": (
        Reply(200, b"null"),
        "the embedder's answer holds no vectors where they belong",
        "is this the right address? It is embedding.endpoint",
    ),
    "short": (
        Reply(200, {"data": [{"index": 0, "embedding": ROW}]}),
        "the embedder answered another number of vectors (1) than of texts (3)",
        FEWER,
    ),
    "none": (
        Reply(200, {"data": []}),
        "the embedder answered another number of vectors (0) than of texts (3)",
        NO_EMBEDDER,
    ),
    "nothing": (
        Reply(204, b""),
        "the embedder answered 204",
        "is this the right address, and does the server have this model? See [embedding]",
    ),
    "error": (
        Reply(200, {"error": {"message": f"model overloaded {KEY}\n\x1b[31m"}}),
        "the embedder answered an error: model overloaded …  [31m",
        "its log may say why; the work so far is kept, and the next run continues",
    ),
    "error without words": (
        Reply(200, {"error": {"message": None}}),
        "the embedder's answer holds no vectors where they belong",
        "is this the right address? It is embedding.endpoint",
    ),
    "indexes": (
        Reply(200, {"data": [{"index": 1, "embedding": ROW}] * 3}),
        "the embedder's answer holds no vectors where they belong",
        "is this the right address? It is embedding.endpoint",
    ),
    "ragged": (
        Reply(200, {"data": [{"index": at, "embedding": ROW[at:]} for at in range(3)]}),
        "the embedder answered something other than vectors of one length",
        NO_EMBEDDER,
    ),
    "nan": (
        Reply(200, {"data": [{"index": at, "embedding": [float("nan")]} for at in range(3)]}),
        "the embedder answered a vector that is not finite",
        FAULTY,
    ),
    "zero": (
        Reply(200, {"data": [{"index": at, "embedding": [0.0, 0.0]} for at in range(3)]}),
        "the embedder answered vectors of zeros alone",
        FAULTY,
    ),
    "too large": (
        Reply(200, {"data": [{"index": at, "embedding": [1e300, 1.0]} for at in range(3)]}),
        "the embedder answered a vector that is not finite",
        FAULTY,
    ),
    "too large together": (
        Reply(200, {"data": [{"index": at, "embedding": [1e38, 3e38]} for at in range(3)]}),
        "the embedder answered a vector that is not finite",
        FAULTY,
    ),
    "without numbers": (
        Reply(200, {"data": [{"index": at, "embedding": []} for at in range(3)]}),
        "the embedder answered vectors without a number",
        NO_EMBEDDER,
    ),
    "texts": (
        Reply(200, {"data": [{"index": at, "embedding": ["a"]} for at in range(3)]}),
        "the embedder answered something other than vectors of one length",
        NO_EMBEDDER,
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_says_what_where_and_what_to_do(
    server: FakeServer, pauses: list[float], name: str
) -> None:
    reply, message, hint = FAILURES[name]
    server.replies.append(reply)
    with pytest.raises(ProviderError) as caught:
        openai(server).embed_documents(TEXTS)
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert caught.value.location == f"{server.url}/v1"
    assert (pauses, len(server.requests)) == ([], 1)


def test_an_error_of_ollama_that_counts_as_an_answer_is_told(server: FakeServer) -> None:
    server.replies.append(Reply(200, {"error": "model overloaded"}))
    with pytest.raises(ProviderError) as caught:
        ollama(server).embed_query("one")
    assert caught.value.message == "the embedder answered an error: model overloaded"
    assert caught.value.hint == _KEPT


def test_vectors_beside_an_error_are_taken(server: FakeServer) -> None:
    server.replies.append(Reply(200, {"error": "deprecated", "embeddings": [ROW]}))
    assert ollama(server).embed_query("one").shape == (1, len(ROW))


_KEPT = "its log may say why; the work so far is kept, and the next run continues"

REFUSALS: dict[str, tuple[Reply, str]] = {
    "too-much": (Reply(413, b""), "the embedder answered 413"),
    "too-long": (
        Reply(400, {"error": "inputs must have less than 512 tokens. Given: 840"}),
        "the embedder answered 400: inputs must have less than 512 tokens. Given: 840",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_too_much_for_one_text_says_what_to_do(
    server: FakeServer, pauses: list[float], name: str
) -> None:
    reply, message = REFUSALS[name]
    server.replies += [reply] * 3
    with pytest.raises(ProviderError) as caught:
        openai(server).embed_documents(["a", "b", "c", "d"])
    assert (caught.value.message, caught.value.hint) == (message, LESS)
    assert [len(asked["input"]) for _, _, asked in server.requests] == [4, 2, 1]
    assert pauses == []


def test_a_server_is_asked_for_as_many_texts_as_it_takes(
    server: FakeServer, pauses: list[float]
) -> None:
    server.batch_limit = 20
    texts = [f"text {number}" for number in range(70)]
    embedder = openai(server)
    assert np.allclose(embedder.embed_documents(texts), [vector_of(text) for text in texts])
    embedder.embed_documents(texts[:20])
    sizes = [len(asked["input"]) for _, _, asked in server.requests]
    assert sizes == [64, 32, 16, 16, 16, 16, 6, 16, 4]
    assert pauses == []


def test_a_slow_server_is_asked_for_less(server: FakeServer, pauses: list[float]) -> None:
    server.slow_limit = 20
    texts = [f"text {number}" for number in range(64)]
    found = ollama(server, timeout_s=1, retries=0).embed_documents(texts)
    server.freed.set()
    assert np.allclose(found, [vector_of(text) for text in texts], atol=1e-6)
    assert [len(asked["input"]) for _, _, asked in server.requests][:2] == [64, 16]
    assert pauses == []


def test_a_server_that_was_slow_once_is_asked_for_more_when_it_answers_with_ease(
    monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    takes_s = [90, 20, 20, 3, 3, 3, 3]  # of 60 that it may take, and 15 with ease
    clock, sizes = [0.0], []

    def post(self: client.Connection, path: str, question: Any, *, divisible: bool) -> Any:
        texts = question["input"]
        sizes.append(len(texts))
        clock[0] += takes_s[len(sizes) - 1]
        if takes_s[len(sizes) - 1] > 60:
            assert divisible
            raise client.TooMuchError(ProviderError("late"), timed_out=True)
        return {"embeddings": [vector_of(text) for text in texts]}

    monkeypatch.setattr(client.Connection, "post", post)
    monkeypatch.setattr("leafmark.embedding.http.time.monotonic", lambda: clock[0])
    embedder = open_embedder(EmbedderSpec(provider="ollama", model="m", endpoint="http://x"))
    embedder.embed_documents([f"text {number}" for number in range(64)])
    embedder.embed_documents([f"text {number}" for number in range(80)])
    assert sizes == [64, 16, 16, 16, 16, 64, 16]


def test_another_dimension_than_before_is_refused(server: FakeServer) -> None:
    embedder = ollama(server)
    embedder.embed_query("first")
    server.replies.append(Reply(200, {"embeddings": [[1.0, 2.0]]}))
    with pytest.raises(ProviderError) as caught:
        embedder.embed_query("second")
    assert caught.value.message == "the embedder answered vectors of 2 numbers, not 256"
    hint = "another model may answer under that name now"
    assert caught.value.hint == hint


def test_a_text_without_a_known_word_has_a_vector_of_zeros(server: FakeServer) -> None:
    rows = [ROW, [0.0] * len(ROW)]
    data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
    server.replies.append(Reply(200, {"data": data}))
    found = openai(server).embed_documents(["a word", "§"])
    assert np.allclose(np.linalg.norm(found, axis=1), [1, 0])
    server.replies.append(Reply(200, {"data": [{"index": 0, "embedding": rows[1]}]}))
    assert not openai(server).embed_query("§").any()


def test_attempts_end(server: FakeServer, pauses: list[float]) -> None:
    server.replies += [Reply(429, {"error": "slow down"})] * 9
    with pytest.raises(ProviderError) as caught:
        openai(server, retries=2).embed_documents(TEXTS)
    assert caught.value.message == "the embedder answered 429: slow down"
    hint = "try later; the work so far is kept, and the next run continues"
    assert caught.value.hint == hint
    assert pauses == [0.5, 1.0]


@pytest.mark.parametrize(("asked", "told"), [("61", "61 s"), ("3600", "60 min"), ("10000", "3 h")])
def test_a_server_that_asks_for_long_is_given_up_on_and_its_wish_told(
    server: FakeServer, pauses: list[float], asked: str, told: str
) -> None:
    server.replies.append(Reply(429, headers={"Retry-After": asked}))
    with pytest.raises(ProviderError) as caught:
        openai(server).embed_documents(TEXTS)
    assert caught.value.hint == (
        f"the server asks to wait for {told}; the work so far is kept, and the next run continues"
    )
    assert pauses == []


@pytest.mark.parametrize("reply", [Reply(cut=10), Reply(hang_up=True)])
def test_a_server_that_hangs_up_is_told_of(
    server: FakeServer, pauses: list[float], reply: Reply
) -> None:
    server.replies.append(reply)
    with pytest.raises(ProviderError) as caught:
        openai(server, retries=0).embed_documents(TEXTS)
    assert caught.value.message == "the embedder closed the connection before the end of its answer"
    assert caught.value.hint == (
        "its log may say why; the work so far is kept, and the next run continues"
    )


def test_an_answer_that_is_too_large_is_not_asked_for_again(
    server: FakeServer, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafmark.embedding.http.MAX_ANSWER_BYTES", 100)
    with pytest.raises(ProviderError) as caught:
        openai(server).embed_documents(TEXTS)
    assert caught.value.message == "the embedder's answer is larger than 100 bytes"
    assert caught.value.hint == (
        "is this the right address, and does the server have this model? See [embedding]"
    )
    assert (pauses, len(server.requests)) == ([], 1)


def test_nobody_listens(pauses: list[float]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        spec = EmbedderSpec(provider="ollama", model="m", endpoint=url, retries=1)
        with pytest.raises(ProviderError) as caught:
            open_embedder(spec).embed_query("x")
    assert caught.value.message == "the embedder cannot be reached: connection refused"
    assert caught.value.hint == "is it running, and is embedding.endpoint its address?"
    assert pauses == [0.5]


def test_a_slow_server_is_not_waited_for(server: FakeServer, pauses: list[float]) -> None:
    release = threading.Event()
    server.replies.append(Reply(wait=release))
    with pytest.raises(ProviderError) as caught:
        ollama(server, timeout_s=0.1, retries=0).embed_query("x")
    release.set()
    assert caught.value.message == "the embedder did not answer within 0.1 s"
    assert caught.value.hint == (
        "is it still loading? A slow server needs a larger embedding.timeout_s"
    )


def test_a_head_that_trickles_in_is_not_waited_for(server: FakeServer, pauses: list[float]) -> None:
    enough = threading.Event()
    server.replies.append(Reply(trickle=enough, hang_up=True))
    with pytest.raises(ProviderError) as caught:
        ollama(server, timeout_s=0.2, retries=0).embed_query("x")
    assert not enough.is_set()
    enough.set()
    assert caught.value.message == "the embedder did not answer within 0.2 s"


def test_a_connection_that_was_closed_while_idle_is_opened_again(
    server: FakeServer, pauses: list[float]
) -> None:
    server.replies += [Reply(closes=True)] * 3
    embedder = ollama(server, retries=0)
    for text in TEXTS:
        assert np.allclose(embedder.embed_query(text)[0], vector_of(text), atol=1e-6)
    assert (len(server.requests), pauses) == (3, [])


def test_a_connection_that_only_its_own_circle_holds_is_closed(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The collector ends what is older first: a socket that nobody closed would be warned of."""
    gc.collect()  # what other tests left
    host, port = server.url.removeprefix("http://").split(":")
    older = [socket.create_connection((host, int(port)))]
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: older.pop())
    circle: list[Any] = [ollama(server)]
    circle[0].embed_query("x")
    circle.append(circle)
    del circle
    with monkeypatch.context() as watched:
        ended: list[Any] = []
        watched.setattr("sys.unraisablehook", ended.append)
        gc.collect()
    assert (older, ended) == ([], [])


def test_a_server_that_hangs_up_twice_is_not_asked_for_ever(
    server: FakeServer, pauses: list[float]
) -> None:
    embedder = ollama(server, retries=0)
    embedder.embed_query("x")
    server.replies += [Reply(hang_up=True)] * 9
    with pytest.raises(ProviderError, match="closed the connection before the end of its answer"):
        embedder.embed_query("x")
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 500 + b"\r\n", "got more than 100 headers"),
        (b"HTTP/7.1 200 OK\r\n\r\n", "HTTP/7.1"),
    ],
)
def test_what_is_no_http_is_told_of(data: bytes, reason: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(data)

        thread = threading.Thread(target=answer)
        thread.start()
        spec = EmbedderSpec(provider="ollama", model="m", endpoint=url, retries=0)
        with pytest.raises(ProviderError) as caught:
            open_embedder(spec).embed_query("x")
        thread.join()
    assert caught.value.message == f"the embedder's answer is not HTTP: {reason}"
    assert caught.value.hint == (
        "is this the right address, and does the server have this model? See [embedding]"
    )


def test_a_run_is_ended_between_attempts(server: FakeServer, pauses: list[float]) -> None:
    server.replies += [Reply(500)] * 9

    def stop() -> None:
        if len(server.requests) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ollama(server, stop=stop).embed_documents(TEXTS)
    assert len(server.requests) == 2


def test_a_run_is_ended_in_a_pause(server: FakeServer, pauses: list[float]) -> None:
    server.replies.append(Reply(429, headers={"Retry-After": "50"}))

    def stop() -> None:
        if pauses:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ollama(server, stop=stop).embed_documents(TEXTS)
    assert sum(pauses) < 1


@pytest.mark.parametrize(
    ("endpoint", "message"),
    [
        ("file:///etc/passwd", "embedding.endpoint is not an address: 'file:///etc/passwd'"),
        ("localhost:11434", "embedding.endpoint is not an address: 'localhost:11434'"),
        (
            "http://localhost:99999",
            "embedding.endpoint is not an address: 'http://localhost:99999'",
        ),
        ("http://localhost:no", "embedding.endpoint is not an address: 'http://localhost:no'"),
        ("http://[::1", "embedding.endpoint is not an address: 'http://[::1'"),
        ("http://host/ü", "embedding.endpoint is not an address: 'http://host/ü'"),
        ("http://user:pw@host", "embedding.endpoint holds more than an address"),
        ("http://host/?key=1", "embedding.endpoint holds more than an address"),
    ],
)
def test_only_addresses_are_endpoints(endpoint: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_embedder(EmbedderSpec(provider="ollama", model="m", endpoint=endpoint))
    assert caught.value.message == message


def test_a_model_must_be_named() -> None:
    with pytest.raises(LeafmarkError) as caught:
        open_embedder(EmbedderSpec(provider="ollama"))
    assert caught.value.message == "embedding.model is not set, and ollama has no default"
    assert caught.value.hint == 'set it: model = "…" in [embedding]'


@pytest.mark.parametrize("sign", ["\r", "\n", " ", "ü", "日"])
def test_a_key_that_no_request_can_carry_is_refused_untold(server: FakeServer, sign: str) -> None:
    with pytest.raises(ConfigError) as caught:
        openai(server, key=f"sk-secret{sign}")
    assert caught.value.message == (
        "the embedder's key holds a character that no key has, such as a line end"
    )
    assert "sk-" not in f"{caught.value.hint}{caught.value.location}"


def test_the_key_is_in_no_representation() -> None:
    assert KEY not in repr(EmbedderSpec(provider="openai", key=KEY))
