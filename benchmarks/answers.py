"""What an agent pays for an answer: tokens on the wire, for each token of source that it reads.

`python -m benchmarks.answers [FOLDER [QUESTIONS]]` asks the tool `search` of a server over
FOLDER (leafmark's own docs) each question of a file, a line each, at limits 3, 5 and 10. It
counts the whole result of the call as it goes over the wire, and the tokens of the source that
the citations in it cover, each byte once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from leafmark.chunking import token_counter

LIMITS = (3, 5, 10)
MOST_RATIO = 1.6
"""Tokens on the wire for a token of source, at the default limit."""

DOCS = Path(__file__).parents[1] / "docs"

QUESTIONS = (
    "How do I leave a folder out of the index?",
    "What does the elbow cutoff do?",
    "How is a large section split into pieces?",
    "How do I check that a citation still holds?",
    "search by meaning with an embedding model",
    "Which environment variables are there?",
    "What happens when two programs index at once?",
    "How do I limit an answer to a number of tokens?",
    "front matter tags",
    "How are slugs made for repeated headings?",
    "Can I use it from LangChain?",
    "Why is a chunk not among the results?",
    "How do I serve the web page to other machines?",
    "What is stored about my documents, and where?",
    "operators of the query language",
    "How do I measure the quality of retrieval?",
)

_CITATION = re.compile(r"\[([^\s\[\]]+)@([0-9a-f]{12}):(\d+)-(\d+)\]")


class Cost(NamedTuple):
    """What one answer costs, and what is in it."""

    wire: int
    source: int
    results: int


class Server:
    """A server over standard input and output."""

    def __init__(self, folder: Path, home: str):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "leafmark", "mcp"],
            cwd=folder,
            env=os.environ | {"LEAFMARK_HOME": home},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._number = 0
        about = {"name": "benchmark", "version": "1"}
        version = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
        self.ask("initialize", version)
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._number:
                return dict(message["result"])
        raise RuntimeError("the server is gone")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
        self._process.stdin.flush()

    def end(self) -> None:
        self._process.communicate()


def main() -> int:
    """Print a row for each limit; exit code 1 when the ratio at the default limit is missed."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    questions = (
        Path(sys.argv[2]).read_text("utf-8").splitlines() if len(sys.argv) > 2 else QUESTIONS
    )
    count = token_counter("o200k_base")
    print(f"{len(questions)} questions; tokens of o200k_base, mean of an answer")
    print("| limit | results | on the wire | of source | ratio |\n|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="leafmark-bench-") as home:
        subprocess.run(
            [sys.executable, "-m", "leafmark", "index", "-q"],
            cwd=folder,
            env=os.environ | {"LEAFMARK_HOME": home},
            check=True,
        )
        server = Server(folder, home)
        ratio = 0.0
        for limit in LIMITS:
            costs = [_ask(server, folder, question, limit, count) for question in questions]
            wire, source = (mean(one[at] for one in costs) for at in (0, 1))
            ratio = wire / max(source, 1)
            results = mean(one.results for one in costs)
            print(f"| {limit} | {results:.1f} | {wire:,.0f} | {source:,.0f} | {ratio:.2f} |")
        server.end()
    return 1 if ratio > MOST_RATIO else 0


def _ask(server: Server, folder: Path, question: str, limit: int, count: Any) -> Cost:
    result = server.ask(
        "tools/call", {"name": "search", "arguments": {"query": question, "limit": limit}}
    )
    text = result["content"][0]["text"]
    shown: dict[str, set[int]] = {}
    for name, digest, start, end in _CITATION.findall(text):
        path = name.partition(":")[2].partition("#")[0].partition("~")[0]
        if not _holds(folder / path, digest, int(start), int(end)):
            continue  # an example in what is read
        shown.setdefault(path, set()).update(range(int(start), int(end)))
    source = 0
    for path, places in shown.items():
        data = (folder / path).read_bytes()
        source += count(bytes(data[at] for at in sorted(places)).decode("utf-8", "replace"))
    wire = count(json.dumps(result, ensure_ascii=False, separators=(",", ":")))
    return Cost(wire, source, len(result["structuredContent"]["results"]))


def _holds(path: Path, digest: str, start: int, end: int) -> bool:
    if not path.is_file():
        return False
    return hashlib.sha256(path.read_bytes()[start:end]).hexdigest().startswith(digest)


if __name__ == "__main__":
    sys.exit(main())
