"""What a user waits for before anything happens: a cold start, beside a bare interpreter.

By the processor's time of the commands, searches by words alone.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.corpus import Corpus
from benchmarks.measure import Row, in_turn

FILES = 1000
VERSION_LIMIT, SEARCH_LIMIT = 3.0, 12.0
"""`leafmark --version`, and a search in a project of 1,000 files, in bare interpreter starts."""

MCP_LIMIT = 1.1
"""`leafmark mcp` to its first answer, in those of a server of the bare SDK."""

BARE_SERVER = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def main():
    server = Server("bare", version="1")
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())

anyio.run(main)
"""


def run(corpus: Corpus) -> list[Row]:
    """Return the rows for `leafmark --version`, a whole cold search and a server's first answer."""
    with tempfile.TemporaryDirectory(prefix="leafmark-bench-") as folder:
        project = Path(folder) / "project"
        _copy(corpus, project)
        environ = os.environ | {
            "LEAFMARK_HOME": str(Path(folder) / "home"),
            "LEAFMARK_EMBEDDING_PROVIDER": "none",
        }
        command = str(Path(sys.executable).parent / "leafmark")
        _once([command, "index", "-q"], project, environ)()
        bare, version, search = in_turn(
            [
                _once([sys.executable, "-c", "pass"], project, environ),
                _once([command, "--version"], project, environ),
                _once([command, "search", "configuration file"], project, environ),
            ],
            rounds=15,
            clock=_processor_s,
        )
        sdk, mcp = in_turn(
            [
                _greeted([sys.executable, "-c", BARE_SERVER], project, environ),
                _greeted([command, "mcp"], project, environ),
            ],
            rounds=15,
            clock=_processor_s,
        )
    starts = [
        Row(
            name,
            f"{1000 * seconds:.0f} ms",
            f"python -c pass {1000 * bare:.0f} ms",
            seconds / bare,
            limit,
            higher_is_better=False,
        )
        for name, seconds, limit in (
            ("leafmark --version", version, VERSION_LIMIT),
            ("leafmark search, 1,000 files", search, SEARCH_LIMIT),
        )
    ]
    beside = f"a server of the bare SDK {1000 * sdk:.0f} ms"
    answer = f"{1000 * mcp:.0f} ms"
    row = Row("leafmark mcp", answer, beside, mcp / sdk, MCP_LIMIT, higher_is_better=False)
    return [*starts, row]


def _processor_s() -> float:
    """The processor time of all commands that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _copy(corpus: Corpus, project: Path) -> None:
    step = max(1, len(corpus.files) // FILES)
    for number, path in enumerate(corpus.files[::step][:FILES]):
        target = project / f"{number % 20}" / f"{number}-{path.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())


def _once(command: list[str], folder: Path, environ: dict[str, str]) -> Callable[[], object]:
    return lambda: subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, check=False
    )


def _greeted(command: list[str], folder: Path, environ: dict[str, str]) -> Callable[[], object]:
    """Start a server, ask it to begin, and end it once it has answered."""
    about = {"name": "benchmark", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}

    def run() -> None:
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=folder, env=environ, stdin=pipe, stdout=pipe, text=True
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            assert "result" in json.loads(server.stdout.readline())
            server.kill()

    return run
