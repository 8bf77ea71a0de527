"""Many sources prepared by several processes: the same, in the same order, whatever happens."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.projects import Here

from leafmark.app.indexing import preparing
from leafmark.app.indexing.preparing import Prepared, Recipe, Task, prepare, prepare_all
from leafmark.app.requests import IndexRequest
from leafmark.app.sources.folders import Tree
from leafmark.app.sources.walk import SourceFile, iter_sources
from leafmark.app.workers import Worker
from leafmark.chunking import ChunkingOptions, Strategy
from leafmark.index import open_reader


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of sources of all sizes, with limits that make dozens of batches of them."""
    root = tmp_path / "many"
    root.mkdir()
    for number in range(60):
        text = f"# Title {number}\n\n" + "words of it\n" * (number % 7) * number
        (root / f"{number:02}.md").write_text(text)
    (root / "big.md").write_text("# Big\n\n" + "many more words\n\n" * 2000)
    (root / "binary.txt").write_bytes(b"PK\0\1\2")
    for name, value in {
        "WORTH_A_WORKER_BYTES": 0,
        "BATCH_BYTES": 3000,
        "BATCH_SOURCES": 4,
        "ALONE_BYTES": 30_000,
        "WINDOW": 2,
    }.items():
        monkeypatch.setattr(preparing, name, value)
    monkeypatch.setattr(preparing, "core_count", lambda: 8)
    return root


def _tree(root: Path) -> Tree:
    return Tree(name="t", root=root, overrides={})


def _tasks(root: Path) -> list[Task]:
    return [Task(source) for source in iter_sources(_tree(root))]


def _recipes(root: Path) -> dict[str, Recipe]:
    return {"t": Recipe(_tree(root), ChunkingOptions(), "english")}


def _prepared(root: Path, workers: int) -> list[Prepared]:
    return list(prepare_all(_tasks(root), _recipes(root), total_bytes=1, workers=workers))


@pytest.mark.parametrize("workers", [2])
def test_workers_give_what_one_process_gives_in_the_same_order(many: Path, workers: int) -> None:
    assert _prepared(many, workers) == _prepared(many, 0)


_CODE = "    - deeper\n\n      ```sh\n      run\n      ```\n"
_SOURCES = {
    "a.md": "---\ntags: [x]\n---\n# A\n\n- item\n\n"
    + _CODE
    + "\n| a |\n|---|\n| b |\n\n## B\n\n> c\n",
    "a.html": "<title>A</title><h1>A</h1><ul><li>item<pre>run()</pre></ul><h2>B</h2>text",
    "a.rst": "A\n=\n\n- item\n\n.. code:: python\n\n   run()\n\nB\n-\n\ntext\n",
    "a.adoc": "= A\n\n* item\n\n[source,python]\n----\nrun()\n----\n\n== B\n\ntext\n",
    "a.py": 'class A:\n    """Docs."""\n\n    def run(self):\n        pass\n\n\nb = A()\n',
    "a.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": ["# A\n", "\n", "- item\n"]},
                {"cell_type": "code", "source": "run()", "outputs": []},
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ),
    "a.txt": "A\n\ntext\n",
}


@pytest.mark.parametrize("name", _SOURCES)
@pytest.mark.parametrize("strategy", ["auto", "section", "fixed"])
def test_a_prepared_source_leaves_nothing_for_the_collector_of_cycles(
    tmp_path: Path, name: str, strategy: Strategy
) -> None:
    (tmp_path / name).write_text(_SOURCES[name])
    options = ChunkingOptions(strategy=strategy)
    recipe = Recipe(_tree(tmp_path), options, "english")
    (task,) = _tasks(tmp_path)
    prepare(task, recipe)  # what is made once, for all
    gc.disable()
    gc.freeze()  # what is there already is not looked at: with it each look takes half a second
    try:
        assert prepare(task, recipe).source is not None
        assert gc.collect() == 0
    finally:
        gc.unfreeze()
        gc.enable()


def test_batches_get_small_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "BATCH_SOURCES", 1000)
    tasks = [Task(SourceFile("t", f"{n}.md", 8000, 0, 0, 0)) for n in range(400)]
    batches = list(preparing._batches(tasks, 400 * 8000))
    assert [task for batch in batches for task in batch] == tasks
    sizes = [sum(task.source.size for task in batch) for batch in batches]
    assert preparing.BATCH_BYTES <= sizes[0] < preparing.BATCH_BYTES + 8000
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] <= preparing.MIN_BATCH_BYTES
    assert sum(sizes[-preparing.LAST_BATCHES :]) < 2 * preparing.BATCH_BYTES


def test_no_more_is_under_way_than_the_window_allows(many: Path) -> None:
    taken = 0

    def tasks() -> Iterator[Task]:
        nonlocal taken
        for task in _tasks(many):
            taken += 1
            yield task

    most = 0
    prepared = prepare_all(tasks(), _recipes(many), total_bytes=1, workers=1)
    for done, _ in enumerate(prepared, start=1):
        most = max(most, taken - done)
    allowed = preparing.WINDOW + preparing.BATCHES_AHEAD + 2  # the next one, and the one given out
    assert 0 < most <= allowed * preparing.BATCH_SOURCES


class _Dying(Worker[Task, Prepared]):
    """A worker that is killed once it has answered one batch."""

    def ask(self, batch: Sequence[Task]) -> None:
        super().ask(batch)
        if not hasattr(self, "asked"):
            self.asked = True
            self._answers.put(self._answers.get())
            self.process.kill()
            self.process.wait()


def test_what_a_killed_worker_had_is_prepared_here(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "Worker", _Dying)
    assert _prepared(many, 2) == _prepared(many, 0)


def test_without_a_process_to_be_had_all_is_prepared_here(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(work: object) -> Worker[Task, Prepared]:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(preparing, "Worker", refuse)
    assert _prepared(many, 1) == _prepared(many, 0)


def test_little_is_prepared_without_starting_a_process(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(work: object) -> Worker[Task, Prepared]:
        raise AssertionError("started")

    monkeypatch.setattr(preparing, "WORTH_A_WORKER_BYTES", 2)
    monkeypatch.setattr(preparing, "Worker", refuse)
    assert len(_prepared(many, 1)) == 62


def test_no_process_is_started_for_what_is_prepared_alone(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(work: object) -> Worker[Task, Prepared]:
        raise AssertionError("started")

    monkeypatch.setattr(preparing, "ALONE_BYTES", 0)
    monkeypatch.setattr(preparing, "Worker", refuse)
    assert len(_prepared(many, 1)) == 62


def test_leaving_early_ends_the_workers(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Worker[Task, Prepared]] = []

    def start(work: preparing.Work) -> Worker[Task, Prepared]:
        started.append(Worker(work))
        return started[-1]

    monkeypatch.setattr(preparing, "Worker", start)
    prepared = prepare_all(_tasks(many), _recipes(many), total_bytes=1, workers=2)
    next(prepared)
    prepared.close()
    assert [worker.process.returncode for worker in started] == [-9, -9]


def test_an_index_made_with_workers_is_the_same(
    many: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in many.iterdir():
        path.rename(here.root / path.name)
    found = []
    for workers in (0, 2):
        monkeypatch.setattr(preparing, "core_count", lambda count=workers: count + 1)
        here.flags["index.workers"] = workers
        report = here.run(IndexRequest(rebuild=True))
        reader = open_reader(here.project().index_dir)
        chunks = [chunk for each in reader.documents() for chunk in reader.chunks_of(each.doc_id)]
        words = reader.terms("body_english", "")
        found.append((report._replace(seconds=0, rebuilt=None), reader.documents(), chunks, words))
    assert found[0] == found[1]
