"""The index is kept fresh: real files, real events, real processes."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from support.command import Leafmark
from support.schema import problems

from leafmark.app import Watcher, open_project, session
from leafmark.app.session import NoEventsError
from leafmark.model import WatchEvent

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")

PATIENCE_S = 30.0
"""A bound on waiting for an event that must come."""


class Watch:
    """A watcher at work on a folder, and the events that it told."""

    def __init__(self, folder: Path, environ: dict[str, str]):
        self.events: queue.Queue[WatchEvent] = queue.Queue()
        self.stop = threading.Event()
        watcher = Watcher(lambda: open_project(folder, flags={}, environ=environ), self.events.put)
        self.thread = threading.Thread(target=watcher.run, args=(self.stop,))
        self.thread.start()

    def until(self, wanted: Callable[[WatchEvent], bool]) -> WatchEvent:
        while True:
            event = self.events.get(timeout=PATIENCE_S)
            if wanted(event):
                return event

    def indexed(self, *wanted: str) -> None:
        """Wait until all of these were told: `+id`, `~id` or `-id`."""
        left = set(wanted)
        while left:
            report = self.until(lambda event: event.report is not None).report
            assert report is not None
            left -= {f"+{one}" for one in report.added}
            left -= {f"~{one}" for one in report.modified}
            left -= {f"-{one}" for one in report.removed}

    def kind(self, wanted: str) -> WatchEvent:
        return self.until(lambda event: event.kind == wanted)


def _no_events(*_: object) -> NoReturn:
    raise NoEventsError("none here")


@pytest.fixture(params=["events", "clock"])
def watch(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Watch, Path]]:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nfirst\n")
    (folder / "leafmark.toml").write_text('[tree.docs]\npath = "."\n')
    monkeypatch.setattr(session, "POLL_S", 0.2)
    environ = {"HOME": str(tmp_path), "LEAFMARK_HOME": str(tmp_path / "own")}
    if request.param == "clock":
        monkeypatch.setattr(session, "FileEvents", _no_events)
    running = Watch(folder, environ)
    running.indexed("+docs:a.md")
    running.kind("watching" if request.param == "events" else "polling")
    yield running, folder
    running.stop.set()
    running.thread.join(PATIENCE_S)
    assert not running.thread.is_alive()


def test_files_come_change_and_go(watch: tuple[Watch, Path]) -> None:
    running, folder = watch
    (folder / "b.md").write_text("# B\n\nsecond\n")
    running.indexed("+docs:b.md")
    (folder / "b.md").write_text("# B\n\nsecond edition\n")
    running.indexed("~docs:b.md")
    (folder / "a.md").unlink()
    running.indexed("-docs:a.md")


def test_an_editor_saves_by_another_file(watch: tuple[Watch, Path]) -> None:
    running, folder = watch
    (folder / ".a.md.swp").write_bytes(b"\0\1")
    (folder / "a.md~").write_text("backup")
    (folder / "4913").write_text("")
    (folder / "4913").unlink()
    draft = folder / ".a.md.tmp"
    draft.write_text("# A\n\nsaved\n")
    draft.replace(folder / "a.md")
    (folder / "a.md~").unlink()
    running.indexed("~docs:a.md")


def test_a_whole_folder_is_renamed_and_filled(watch: tuple[Watch, Path]) -> None:
    running, folder = watch
    deep = folder / "one" / "two"
    deep.mkdir(parents=True)
    (deep / "c.md").write_text("# C\n\nthird\n")
    running.indexed("+docs:one/two/c.md")
    (folder / "one").rename(folder / "uno")
    (folder / "uno" / "two" / "d.md").write_text("# D\n\nfourth\n")
    running.indexed("-docs:one/two/c.md", "+docs:uno/two/c.md", "+docs:uno/two/d.md")


def test_an_ignore_file_counts_at_once(watch: tuple[Watch, Path]) -> None:
    running, folder = watch
    (folder / ".ignore").write_text("a.md\n")
    running.indexed("-docs:a.md")


def test_the_configuration_is_read_again(watch: tuple[Watch, Path], tmp_path: Path) -> None:
    running, folder = watch
    (folder / "sub").mkdir()
    (folder / "sub" / "e.md").write_text("# E\n\nfifth\n")
    running.indexed("+docs:sub/e.md")
    (folder / "leafmark.toml").write_text("[tree.docs\n")
    assert running.kind("failed").error is not None
    (folder / "leafmark.toml").write_text('[tree.new]\npath = "sub"\n')
    running.indexed("+new:e.md")
    (folder / "sub" / "f.md").write_text("# F\n\nsixth\n")
    running.indexed("+new:f.md")


def test_a_root_that_vanishes_keeps_its_documents(
    watch: tuple[Watch, Path], tmp_path: Path
) -> None:
    running, folder = watch
    (folder / "sub").mkdir()
    (folder / "sub" / "e.md").write_text("# E\n\nfifth\n")
    (folder / "leafmark.toml").write_text('[tree.docs]\npath = "sub"\n')
    running.indexed("+docs:e.md")
    (folder / "sub").rename(tmp_path / "away")
    gone = running.kind("missing")
    assert gone.message == "the folder of tree 'docs' is gone; its documents are kept"
    (tmp_path / "away" / "g.md").write_text("# G\n\nseventh\n")
    (tmp_path / "away").rename(folder / "sub")
    running.indexed("+docs:g.md")


def _start(environment: dict[str, str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "leafmark", "index", "--watch", "--json"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


@posix
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_it_the_index_is_sound(
    leafmark: Leafmark, environment: dict[str, str], work: Path, how: signal.Signals
) -> None:
    (work / "a.md").write_text("# A\n\nlantern\n")
    with _start(environment, work) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        assert first["added"] == ["work:a.md"]
        assert json.loads(process.stdout.readline())["event"] == "watching"
        for number in range(40):
            (work / f"n{number}.md").write_text(f"# N\n\nlantern {number}\n")
        line = json.loads(process.stdout.readline())
        assert (line["event"], problems(line, "watch")) == ("indexed", [])
        process.send_signal(how)
        _, noise = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == (130 if how is signal.SIGINT else -how)
        assert "Traceback" not in noise
    ran = leafmark("search", "lantern", "--json", "-n", "100", "--no-aggregation")
    assert ran.json["hints"] == []
    assert leafmark("status", "--json").json["lock_holder"] is None
    assert leafmark("index", "--json").json["documents"] == 41


@posix
def test_nobody_reads_any_more(environment: dict[str, str], work: Path) -> None:
    (work / "a.md").write_text("# A\n\nlantern\n")
    with _start(environment, work) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.readline()
        process.stdout.close()
        (work / "b.md").write_text("# B\n\nlantern\n")
        assert process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dry-run",), "error: --watch and --dry-run exclude each other\n"),
        (("--strict",), "error: --watch and --strict exclude each other\n"),
        (("a.md",), "error: --watch takes no paths\nhint: it watches all trees\n"),
    ],
)
def test_what_makes_no_sense(leafmark: Leafmark, arguments: tuple[str, ...], message: str) -> None:
    ran = leafmark("index", "--watch", *arguments)
    assert (ran.code, ran.err) == (2, message)
