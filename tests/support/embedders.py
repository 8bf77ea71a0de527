"""An embedder without a model, and a server that speaks the protocols and fails on purpose."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from leafmark.embedding import Vectors

DIMENSION = 256

SYNONYMS = {"automobile": "car", "cars": "car", "repair": "fix", "mend": "fix"}
"""What makes two texts near though they share no word."""


def vector_of(text: str) -> list[float]:
    """The words of a text, hashed into a few numbers; the same for words of one meaning.

    Nothing is known of a text with a `§`: its vector is zeros.
    """
    found = np.zeros(DIMENSION)
    if "§" in text:
        return [0.0] * DIMENSION
    for word in text.lower().replace(".", " ").replace("?", " ").split():
        word = SYNONYMS.get(word, word)
        seed = int.from_bytes(word.encode()[:8], "little")
        found += np.random.default_rng(seed).standard_normal(DIMENSION)
    if not found.any():
        found[0] = 1.0
    return [float(each) for each in found / np.linalg.norm(found)]


@dataclass
class FakeEmbedder:
    """Counts what it is asked; `fail_after` batches it raises `error`."""

    name: str = "fake"
    revision: str = "1"
    dimension: int = DIMENSION
    limit: int = 512
    batches: list[list[str]] = field(default_factory=list)
    fail_after: int | None = None
    error: BaseException | None = None

    def windows(self, text: str, limit: int = 0) -> list[str]:
        return [text]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if self.fail_after is not None and len(self.batches) >= self.fail_after:
            assert self.error is not None
            raise self.error
        self.batches.append(list(texts))
        return np.array([vector_of(text) for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return np.array([vector_of(text)], dtype=np.float32)


@dataclass(frozen=True)
class Reply:
    """What the server does with one request: waits, answers, or hangs up before `cut` bytes.

    `closes` ends the connection after the answer, which does not say so. With `trickle` its
    first line comes byte by byte, until that is set.
    """

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    hang_up: bool = False
    cut: int | None = None
    wait: threading.Event | None = None
    closes: bool = False
    trickle: threading.Event | None = None


@dataclass
class FakeServer:
    """`replies` come first, in order; afterwards it answers as it should.

    More texts than `batch_limit` are refused, and it is silent to more than `slow_limit`.
    """

    url: str
    replies: list[Reply] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    batch_limit: int = 10_000
    slow_limit: int = 10_000
    freed: threading.Event = field(default_factory=threading.Event)

    def reply(self, texts: int) -> Reply:
        if self.replies:
            return self.replies.pop(0)
        if texts > self.batch_limit:
            said = f"batch size {texts} > maximum allowed batch size {self.batch_limit}"
            return Reply(422, {"error": said})
        return Reply(wait=self.freed, hang_up=True) if texts > self.slow_limit else Reply()


def good_body(path: str, asked: Any) -> Any:
    rows = [vector_of(text) for text in asked["input"]]
    if path.endswith("/api/embed"):
        return {"model": asked["model"], "embeddings": rows}
    data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
    return {"object": "list", "data": data[::-1], "model": asked["model"]}


@contextmanager
def serve_embeddings() -> Iterator[FakeServer]:
    """A real server on this machine, that ends with the block."""
    state = FakeServer("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            asked = json.loads(self.rfile.read(length))
            state.requests.append((self.path, dict(self.headers), asked))
            reply = state.reply(len(asked["input"]))
            if reply.wait is not None:
                reply.wait.wait(10)
            if reply.trickle is not None:
                self._trickle(reply.trickle)
            if reply.hang_up:
                self.close_connection = True
                return
            body = good_body(self.path, asked) if reply.body is None else reply.body
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data if reply.cut is None else data[: reply.cut])
            ends = reply.cut is not None or reply.closes
            self.close_connection = self.close_connection or ends

        def _trickle(self, enough: threading.Event) -> None:
            self.wfile.write(b"HTTP/1.1 200 ")
            for _ in range(1000):
                with suppress(OSError):
                    self.wfile.write(b"x")
                if enough.wait(0.01):
                    break
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def embedding_flags(server: FakeServer) -> dict[str, object]:
    """The settings that make a project ask `server`."""
    return {
        "embedding.provider": "ollama",
        "embedding.model": "m",
        "embedding.endpoint": server.url,
        "embedding.retries": 0,
        "embedding.least_similarity": 0.15,
    }
