"""What a search in ten revisions of a repository costs: the first one, and each after it.

    python -m benchmarks.revisions REPOSITORY [--revisions TEN,NAMES] [--every COMMITS] [--vectors]

Without names they are commits of the main line, `--every` apart. Each is searched by a process of
its own, the oldest first. Processor time is that of the process with all that it started (git,
too), without what a second search takes; disk is what came to leafmark's folder, files with
several names once. With `--vectors` the vectors of each are then made, as servers do, by an
embedder that counts the texts that it is sent.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

COUNT = 10
DIMENSION = 64

MAKE_VECTORS = """
import os, sys
from pathlib import Path
from leafmark.app import make_vectors, open_project
from leafmark.app.history import project_at

project = project_at(open_project(Path(), flags={}, environ=os.environ), sys.argv[1])
assert make_vectors(project) is None
print(project.open_reader().meta.chunks)
"""


class Cost(NamedTuple):
    """What one revision took; `again` is a second search in it, `texts` those of its `chunks`
    that were embedded."""

    name: str
    files: int
    changed: int
    seconds: float
    again: float
    disk: int
    chunks: int
    texts: int


class Embedder:
    """Counts the texts that it is sent; their vectors are of no use but differ."""

    def __init__(self) -> None:
        self.texts = 0

    @contextmanager
    def serve(self) -> Iterator[str]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.texts += len(asked["input"])
                rows = [[1.0 + len(text) % 7, *[0.5] * (DIMENSION - 1)] for text in asked["input"]]
                data = json.dumps({"model": asked["model"], "embeddings": rows}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()


def measure(folder: Path, names: list[str], home: Path, *, with_vectors: bool) -> Iterator[Cost]:
    """Search each revision, twice, and yield what it took."""
    embedder = Embedder()
    with embedder.serve() as url:
        environ = {name: value for name, value in os.environ.items() if name[:8] != "LEAFMARK"}
        environ |= {"LEAFMARK_HOME": str(home)}
        with_embedder = environ | {
            "LEAFMARK_EMBEDDING_PROVIDER": "ollama",
            "LEAFMARK_EMBEDDING_MODEL": "m",
            "LEAFMARK_EMBEDDING_ENDPOINT": url,
        }
        before = dict[str, str]()
        for name in names:
            texts, disk = embedder.texts, _disk(home)
            seconds, again = (_searched(folder, name, environ) for _ in range(2))
            now, chunks = _files(folder, name), 0
            if with_vectors:
                command = [sys.executable, "-c", MAKE_VECTORS, name]
                ran = subprocess.run(command, cwd=folder, env=with_embedder, capture_output=True)
                assert ran.returncode == 0, ran.stderr.decode()
                chunks = int(ran.stdout)
            changed = sum(before.get(path) != oid for path, oid in now.items())
            grown = _disk(home) - disk
            sent = embedder.texts - texts
            yield Cost(name, len(now), changed, seconds - again, again, grown, chunks, sent)
            before = now


def _searched(folder: Path, name: str, environ: dict[str, str]) -> float:
    """Search a revision and return the processor time of all processes."""
    command = [sys.executable, "-m", "leafmark", "search", "configuration", "--at", name, "-q"]
    began = os.times()
    ran = subprocess.run(command, cwd=folder, env=environ, capture_output=True)
    ended = os.times()
    assert ran.returncode in (0, 1), ran.stderr.decode()
    return sum(ended[2:4]) - sum(began[2:4])


def _files(folder: Path, name: str) -> dict[str, str]:
    """Return the files of a revision, code too, with the ids of their bytes."""
    rows = _git(folder, "ls-tree", "-r", name).split("\n")
    found = {}
    for row in rows:
        head, _, path = row.partition("\t")
        found[path] = head.split()[2]
    return found


def _disk(home: Path) -> int:
    found = {}
    for place, _, names in os.walk(home):
        for name in names:
            status = os.lstat(os.path.join(place, name))
            found[status.st_ino] = status.st_blocks * 512
    return sum(found.values())


def _git(folder: Path, *words: str) -> str:
    ran = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return ran.stdout.decode("utf-8", "surrogateescape").strip()


def _names(folder: Path, asked: argparse.Namespace) -> list[str]:
    if asked.revisions:
        return list(asked.revisions.split(","))
    limit = f"--max-count={asked.every * (COUNT - 1) + 1}"
    oids = _git(folder, "rev-list", "--first-parent", limit, "HEAD").split()
    return [oid[:10] for oid in oids[:: asked.every][::-1]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--revisions")
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--vectors", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="leafmark-bench-") as place:
        folder = Path(place) / asked.repository.resolve().name
        shutil.copytree(asked.repository, folder, symlinks=True)
        names = _names(folder, asked)
        first: Cost | None = None
        print("revision      files changed  seconds share  again    MB share chunks  texts")
        home = Path(place) / "home"
        for cost in measure(folder, names, home, with_vectors=asked.vectors):
            first = first or cost
            print(
                f"{cost.name:<12}{cost.files:>7}{cost.changed:>8}"
                f"{cost.seconds:>9.2f}{cost.seconds / first.seconds:>6.2f}{cost.again:>7.2f}"
                f"{cost.disk / 1e6:>6.1f}{cost.disk / first.disk:>6.2f}"
                f"{cost.chunks:>7}{cost.texts:>7}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
