"""Hours of a project's life in minutes: its server keeps its memory, descriptors and disk.

Files are edited, added and removed, branches are switched, two processes index at once and others
search, while a server that watches the folder is asked. Marked `hours`.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.repositories import GitRepository
from support.servers import serving, serving_process, speaking

SOAK_S = float(os.environ.get("LEAFMARK_SOAK_S", "1200"))

RECORD = "LEAFMARK_SOAK_RECORD"
"""Where the figures go, as a line of JSON."""

DOCUMENTS = 120
SWITCH_EVERY = 25
PROCESSES_EVERY = 10
SAMPLE_EVERY = 5

MOST_GROWTH = 1.2
"""What the last third may have of the second one: the first third warms up."""

EDITS, FIRST_EDITS, EDITS_EVERY = 10_000, 100, 1_000
"""Edits of one file at a time, those after which a server is warm, and how often it is measured."""


class Sample(NamedTuple):
    memory: float
    files: float
    disk: float


class Life:
    """A repository whose documents change, and what was seen of it."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.repository = GitRepository(folder / "docs")
        self.home = home
        self.environ = {**os.environ, "LEAFMARK_HOME": str(home), "HOME": str(home)}
        self.chance = random.Random(39)
        self.rounds = 0
        pages = {f"{number}.md": self._text(number) for number in range(DOCUMENTS)}
        self.repository.commit(pages)
        self.repository.git("branch", "other")
        self.repository.git("switch", "-q", "other")
        changed = {f"{number}.md": self._text(number) for number in range(0, DOCUMENTS, 4)}
        self.repository.commit({**changed, "1.md": None, "extra/other.md": "# Other\n\nBranch.\n"})
        self.repository.git("switch", "-q", "main")

    def _text(self, number: int) -> str:
        words = " ".join(f"w{self.chance.randrange(2000)}" for _ in range(200))
        return f"# Page {number}\n\n## Common part\n\n{words}\n\n## Other part\n\n{words[::-1]}\n"

    def step(self) -> str:
        """Change something; return a word that one document alone has now."""
        if (self.rounds + 1) % SWITCH_EVERY == 0:
            self._switch()
        word = self.edit()
        passing = self.repository.folder / "passing.md"
        if passing.exists():
            passing.unlink()
        else:
            passing.write_text("# Passing\n\nHere and gone.\n")
        return word

    def edit(self) -> str:
        """Write one file anew; return the same."""
        self.rounds += 1
        word = f"quokka{self.rounds}"
        name = f"{self.chance.randrange(2, DOCUMENTS)}.md"
        self.repository.write({name: f"{self._text(self.rounds)}\nIt says {word}.\n"})
        return word

    def _switch(self) -> None:
        self.repository.git("add", "-A")
        self.repository.git("commit", "-q", "-m", f"Round {self.rounds}")
        here = self.repository.git("branch", "--show-current")
        self.repository.git("switch", "-q", "other" if here == "main" else "main")

    def processes(self) -> None:
        """Index twice at once, and search beside it."""
        commands = [("index", "-q"), ("index", "-q"), ("search", "common part", "-q")]
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "leafmark", *words],
                cwd=self.repository.folder,
                env=self.environ,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            for words in commands
        ]
        for process in started:
            _, said = process.communicate(timeout=120)
            assert process.returncode == 0, said.decode()

    def disk(self) -> int:
        total = 0
        for place, _, names in os.walk(self.home):
            for name in names:
                try:
                    total += os.lstat(os.path.join(place, name)).st_size
                except FileNotFoundError:
                    continue
        return total


def _asked(address: str, path: str, **values: str) -> bytes:
    url = f"{address}{path}?{urllib.parse.urlencode(values)}"
    with urllib.request.urlopen(url, timeout=60) as answer:
        return bytes(answer.read())


def _found(address: str, word: str) -> None:
    """Ask until the server has taken the last edit in; it may be behind, never wrong for long."""
    until = time.monotonic() + 60
    while True:
        record: dict[str, Any] = json.loads(_asked(address, "/api/search", q=word))
        if record["results"]:
            return
        assert time.monotonic() < until, f"{word} is not found"
        time.sleep(0.05)


def _sample(address: str, life: Life) -> Sample:
    text = _asked(address, "/metrics").decode()
    counted = dict(re.findall(r"^(process_\w+) ([\d.e+]+)$", text, re.M))
    names = ("process_resident_memory_bytes", "process_open_fds")
    memory, files = (float(counted[name]) for name in names)
    return Sample(memory, files, life.disk())


def _recorded(line: dict[str, Any]) -> None:
    """Print the figures of a job, and keep them where that is asked for."""
    print(line, file=sys.stderr)
    if RECORD in os.environ:
        with open(os.environ[RECORD], "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _thirds(samples: Sequence[Sample]) -> Iterator[tuple[str, float, float]]:
    """Yield the median of each measure in the second and in the last third."""
    third = len(samples) // 3
    for name in Sample._fields:
        rows = [
            sorted(getattr(one, name) for one in part)
            for part in (samples[third : 2 * third], samples[2 * third :])
        ]
        yield name, rows[0][len(rows[0]) // 2], rows[1][len(rows[1]) // 2]


@pytest.mark.slow
@pytest.mark.hours
@pytest.mark.timeout(0)
def test_a_long_life_costs_no_more_and_more(tmp_path: Path) -> None:
    life = Life(tmp_path, tmp_path / "home")
    life.processes()
    samples: list[Sample] = []
    told = r"serving at (http://\S+)/\n"
    with serving(life.repository.folder, life.environ, "serve", told=told) as address:
        until = time.monotonic() + SOAK_S
        while time.monotonic() < until or len(samples) < 6:
            word = life.step()
            if life.rounds % PROCESSES_EVERY == 0:
                life.processes()
            _found(address, word)
            _asked(address, "/", q="common part")
            if life.rounds % SAMPLE_EVERY == 0:
                samples.append(_sample(address, life))
    figures = {name: (before, after) for name, before, after in _thirds(samples)}
    line = {"rounds": life.rounds, "first": samples[0]._asdict(), **figures}
    _recorded(line)
    for name, (before, after) in figures.items():
        assert after <= MOST_GROWTH * before, (name, figures)


class Size(NamedTuple):
    memory: int
    private: int
    files: int
    disk: int


def _size(pid: int, life: Life) -> Size:
    """Return what a process holds: resident bytes, its own, descriptors; and the disk.

    Its own are what it wrote into: pages of files count for it alone, too, while nobody else maps
    them, and that is for other processes to change.
    """
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    kilobytes = {
        name: int(number) for name, number in re.findall(r"^(\w+): +(\d+) kB", rollup, re.M)
    }
    files = len(os.listdir(f"/proc/{pid}/fd"))
    return Size(1024 * kilobytes["Rss"], 1024 * kilobytes["Private_Dirty"], files, life.disk())


@contextmanager
def _serve(life: Life) -> Iterator[tuple[int, Callable[[str], None]]]:
    told = r"serving at (http://\S+)/\n"
    folder = life.repository.folder
    with serving_process(folder, life.environ, "serve", told=told) as (address, pid):
        yield pid, lambda word: _found(address, word)


@contextmanager
def _mcp(life: Life) -> Iterator[tuple[int, Callable[[str], None]]]:
    with speaking(life.repository.folder, life.environ) as server:

        def found(word: str) -> None:
            answer = server.ask("tools/call", {"name": "search", "arguments": {"query": word}})
            assert word in json.loads(answer)["result"]["content"][0]["text"], answer

        yield server.process.pid, found


@pytest.mark.slow
@pytest.mark.hours
@pytest.mark.timeout(0)
@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
@pytest.mark.parametrize("open_server", [_serve, _mcp])
def test_ten_thousand_edits_cost_a_server_no_more_than_a_hundred(
    tmp_path: Path, open_server: Callable[[Life], Any]
) -> None:
    life = Life(tmp_path, tmp_path / "home")
    sizes: dict[int, Size] = {}
    with open_server(life) as (pid, find):
        for number in range(1, EDITS + 1):
            find(life.edit())
            if number == FIRST_EDITS or number % EDITS_EVERY == 0:
                sizes[number] = _size(pid, life)
                server = open_server.__name__.strip("_")
                _recorded({"server": server, "edits": number, **sizes[number]._asdict()})
    first, last = sizes[FIRST_EDITS], sizes[EDITS]
    for name in Size._fields:
        before, after = getattr(first, name), getattr(last, name)
        assert after <= MOST_GROWTH * before, (name, sizes)
