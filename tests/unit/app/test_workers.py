"""The process that prepares sources: it answers, it ends with us, and keys are not for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from leafmark.app.indexing.preparing import Recipe, Task, prepare
from leafmark.app.sources.folders import Tree
from leafmark.app.sources.walk import iter_sources
from leafmark.app.workers import Worker
from leafmark.chunking import ChunkingOptions

ONE_WORKER = """
import sys, time
from pathlib import Path
from leafmark.app.workers import Worker
worker = Worker(len)
print(worker.process.pid, flush=True)
time.sleep(60)
"""


def test_a_worker_ends_when_its_master_is_killed() -> None:
    master = subprocess.Popen([sys.executable, "-c", ONE_WORKER], stdout=subprocess.PIPE, text=True)
    assert master.stdout is not None
    worker = int(master.stdout.readline())
    os.kill(worker, 0)
    master.kill()
    master.wait()
    master.stdout.close()
    for _ in range(500):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError("the worker is still there")


@pytest.mark.skipif(os.name == "nt", reason="process groups of POSIX")
def test_a_worker_is_out_of_reach_of_the_keys(tmp_path: Path) -> None:
    worker: Worker[str, int] = Worker(len)
    try:
        assert os.getpgid(worker.process.pid) != os.getpgid(0)
    finally:
        worker.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="pipes whose size can be chosen")
def test_the_pipe_for_answers_holds_a_whole_one() -> None:
    import fcntl

    most = int(Path("/proc/sys/fs/pipe-max-size").read_text())
    worker: Worker[str, int] = Worker(len)
    try:
        assert worker.process.stdout is not None
        size = fcntl.fcntl(worker.process.stdout, fcntl.F_GETPIPE_SZ)
        assert size >= min(most, 1_000_000)
    finally:
        worker.stop()


def test_a_worker_imports_nothing_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cloned folder must not bring code with it."""
    for name in ("leafmark", "tantivy", "pickle", "hashlib"):
        (tmp_path / f"{name}.py").write_text("open('was-run', 'w').close()\n")
    (tmp_path / "a.md").write_text("# A\n\ntext\n")
    monkeypatch.chdir(tmp_path)
    tree = Tree(name="t", root=tmp_path, overrides={})
    worker = Worker(partial(prepare, recipe=Recipe(tree, ChunkingOptions(), "english")))
    try:
        worker.ask([Task(each) for each in iter_sources(tree) if each.path == "a.md"])
        answer = worker.answer()
        assert answer is not None
        (prepared,) = answer
        assert (prepared.path, prepared.source is not None) == ("a.md", True)
        assert not (tmp_path / "was-run").exists()
    finally:
        worker.stop()


def test_a_stopped_worker_has_no_answers() -> None:
    worker: Worker[str, int] = Worker(len)
    os.kill(worker.process.pid, signal.SIGKILL)
    worker.ask([])
    assert (worker.answer(), worker.answer()) == (None, None)
    worker.stop()
