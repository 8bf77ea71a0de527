"""Chunking files with no index: the same answers in one process and in several."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.projects import Here

from leafmark.app import chunk_sources, chunking, plan_chunking
from leafmark.app.chunking import ChunkJob, ChunkPlan, SourceReport
from leafmark.app.requests import ChunkRequest
from leafmark.app.sources.folders import Tree
from leafmark.app.workers import Worker
from leafmark.chunking import ChunkingOptions
from leafmark.errors import LeafmarkError
from leafmark.model import BINARY, ChunkedDocument, Document, Skipped
from leafmark.parsing import parse
from leafmark.render.chunks import iter_chunk_lines


def render_ids(document: ChunkedDocument, options: ChunkingOptions) -> Iterator[str]:
    for chunk in document.chunks:
        yield f"{chunk.id}\n"


def render_nothing(document: ChunkedDocument, options: ChunkingOptions) -> Iterator[str]:
    raise ZeroDivisionError("a bug")
    yield ""


def plan(here: Here, *paths: str) -> ChunkPlan:
    return plan_chunking(here.project(), ChunkRequest(paths))


def fill(here: Here) -> ChunkPlan:
    for k in range(60):
        here.write(f"{k % 7}/{k}.md", f"# Page {k}\n\ntext\n\n" * (k + 1))
    here.write("large.md", "".join(f"# S{k}\n\n{'word ' * 50}\n\n" for k in range(2_000)))
    (here.root / "binary.txt").write_bytes(b"\0\1\2" * 100)
    (here.root / "bad.md").write_bytes(b"# A\n\nt\xffxt\n")
    return plan(here, ".")


@pytest.mark.parametrize("path", ["docs/api", "docs/api/b.md"])
def test_of_trees_inside_each_other_the_inner_one_has_what_is_in_it(here: Here, path: str) -> None:
    """Its settings are meant for it."""
    here.write("docs/api/b.md", "# B\n\ntext\n")
    inner = '[tree.api]\npath = "docs/api"\nchunking.strategy = "fixed"\n'
    here.write("leafmark.toml", '[tree.docs]\npath = "docs"\n' + inner)
    (job,) = plan(here, path).jobs
    assert (job.tree.name, job.path, job.options.strategy) == ("api", "b.md", "fixed")
    assert [job.tree.name for job in plan(here, "docs").jobs] == ["docs"]


def test_several_processes_give_the_same_in_the_same_order(here: Here) -> None:
    found = fill(here)
    alone = list(chunk_sources(found, render=render_ids, inspect=True, workers=0))
    together = list(chunk_sources(found, render=render_ids, inspect=True, workers=2))
    assert [_without_time(answer) for answer in together] == [
        _without_time(answer) for answer in alone
    ]
    reports = [answer for answer in alone if isinstance(answer, SourceReport)]
    assert [report.doc_id for report in reports][:3] == [
        "here:bad.md",
        "here:binary.txt",
        "here:large.md",
    ]
    assert reports[1].skipped == Skipped("binary.txt", BINARY)
    assert [found.code for found in reports[0].diagnostics] == ["encoding"]
    pieces = [answer for answer in alone if isinstance(answer, str)]
    assert max(map(len, pieces)) < 70_000  # large output comes in parts


def _without_time(answer: str | SourceReport) -> object:
    if isinstance(answer, str) or answer.sizes is None:
        return answer
    from dataclasses import replace

    return answer._replace(sizes=replace(answer.sizes, seconds=0.0))


def test_small_inputs_stay_in_this_process(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr("leafmark.app.chunking.share_out", refuse)
    assert len(list(chunk_sources(fill(here), render=None))) == 63


@pytest.mark.parametrize("workers", [0, 2])
def test_a_bug_is_told_after_what_was_done(here: Here, workers: int) -> None:
    with pytest.raises(ZeroDivisionError, match="a bug"):
        list(chunk_sources(fill(here), render=render_nothing, workers=workers))


def test_workers_end_when_nobody_listens_any_more(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers: list[Worker[ChunkJob, object]] = []
    asked = Worker.ask

    def ask(worker: Worker[ChunkJob, object], batch: list[ChunkJob]) -> None:
        workers.append(worker)
        asked(worker, batch)

    monkeypatch.setattr(Worker, "ask", ask)
    answers = chunk_sources(fill(here), render=render_ids, workers=2)
    next(answers)
    answers.close()
    assert len(set(workers)) == 2
    assert all(worker.process.poll() is not None for worker in workers)


def test_a_worker_that_is_killed_costs_nothing_but_time(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Worker.ask

    def ask_and_kill(worker: Worker[ChunkJob, object], batch: list[ChunkJob]) -> None:
        asked(worker, batch)
        worker.process.kill()

    found = fill(here)
    alone = list(chunk_sources(found, render=render_ids, workers=0))
    monkeypatch.setattr(Worker, "ask", ask_and_kill)
    assert list(chunk_sources(found, render=render_ids, workers=2)) == alone


def test_a_large_source_is_done_by_the_main_process(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunking, "ALONE_BYTES", 100_000)
    sent: list[str] = []
    asked = Worker.ask

    def ask(worker: Worker[ChunkJob, object], batch: list[ChunkJob]) -> None:
        sent.extend(job.path for job in batch)
        asked(worker, batch)

    monkeypatch.setattr(Worker, "ask", ask)
    found = fill(here)
    answers = list(chunk_sources(found, render=render_ids, workers=2))
    assert sum(isinstance(answer, SourceReport) for answer in answers) == 63
    assert sorted([*sent, "large.md"]) == sorted(job.path for job in found.jobs)


def test_output_that_grows_too_large_is_not_held_by_a_worker(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each record names its siblings: a page of 4,000 sections comes to hundreds of megabytes."""
    here.write("siblings.md", "## A\n\na\n\n" * 600)
    for k in range(4):
        here.write(f"{k}.md", "# A\n\na\n")
    found = plan(here, ".")
    alone = list(chunk_sources(found, render=iter_chunk_lines, workers=0))
    done_here: list[str] = []
    own = chunking._read

    def read(job: ChunkJob) -> Any:
        done_here.append(job.path)
        return own(job)

    monkeypatch.setattr(chunking, "_read", read)
    assert list(chunk_sources(found, render=iter_chunk_lines, workers=2)) == alone
    assert done_here == ["siblings.md"]


def test_no_worker_where_none_can_be_started(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no more processes")

    found = fill(here)
    monkeypatch.setattr(Worker, "__init__", refuse)
    assert len(list(chunk_sources(found, render=None, workers=2))) == 63


def test_processes_are_started_for_large_inputs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def jobs(count: int, size: int) -> list[ChunkJob]:
        tree = Tree(name="t", root=Path("/"))
        return [ChunkJob(tree, str(k), size, ChunkingOptions()) for k in range(count)]

    monkeypatch.setattr(chunking, "core_count", lambda: 16)
    assert chunking.worker_count(jobs(1_000, 1_000)) == 0
    assert chunking.worker_count(jobs(3, 50_000_000)) == 0  # they are done by the main process
    assert chunking.worker_count(jobs(1_000, 4_000)) == 2
    assert chunking.worker_count(jobs(1_000, 100_000)) == 4
    monkeypatch.setattr(chunking, "core_count", lambda: 1)
    assert chunking.worker_count(jobs(1_000, 100_000)) == 0


def test_a_source_that_breaks_the_parser_does_not_stop_the_others(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(tree: Tree, path: str, data: bytes, **fields: object) -> Document:
        if path == "b.md":
            raise ZeroDivisionError("a bug")
        return parse(data, path)

    for name in "abc":
        here.write(f"{name}.md", "text\n")
    found = plan(here, ".")
    monkeypatch.setattr("leafmark.app.chunking.parse_source", broken)
    reports = [one for one in chunk_sources(found, render=None) if isinstance(one, SourceReport)]
    assert [report.chunks for report in reports] == [1, 0, 1]
    assert [note.message for note in reports[1].diagnostics] == [
        "the file cannot be chunked: ZeroDivisionError: a bug"
    ]


def test_a_source_that_vanished_is_a_diagnostic(here: Here) -> None:
    here.write("a.md", "text\n")
    here.write("b.md", "text\n")
    found = plan(here, ".")
    (here.root / "a.md").unlink()
    first, second = chunk_sources(found, render=None)
    assert isinstance(first, SourceReport)
    assert isinstance(second, SourceReport)
    assert [one.message for one in first.diagnostics] == [
        "the file cannot be read: no such file or directory"
    ]
    assert (first.chunks, second.chunks) == (0, 1)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_named_links_are_followed_but_not_to_secrets(here: Here) -> None:
    here.write("real.md", "text\n")
    here.write(".env", "KEY=1\n")
    (here.root / "link.md").symlink_to(here.root / "real.md")
    (here.root / "harmless.md").symlink_to(here.root / ".env")
    found = plan(here, "link.md", "harmless.md")
    assert [job.path for job in found.jobs] == ["real.md"]
    assert found.refused == (Skipped(".env", "secret"),)


def test_files_that_are_no_text_name_a_converter(here: Here) -> None:
    here.write("a.pdf", "%PDF")
    found = plan(here, "a.pdf")
    assert not found.jobs
    assert [one.code for one in found.diagnostics] == ["needs-converter"]


def test_missing_paths_and_roots(here: Here) -> None:
    with pytest.raises(LeafmarkError, match="there is nothing at"):
        plan(here, "x.md")
    with pytest.raises(LeafmarkError, match="there is no folder 'x'"):
        plan_chunking(here.project(), ChunkRequest((".",), root="x"))
    with pytest.raises(LeafmarkError, match="there is no folder"):
        plan_chunking(here.project(), ChunkRequest((".",), root="x" * 300))
