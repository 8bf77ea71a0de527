"""`leafmark index --ray`: several workers of a real Ray cluster, here all on this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.cluster import OpenSearch
from support.command import clean_environment

from leafmark.app import Project, index_project, open_project
from leafmark.app.indexing import machines
from leafmark.app.indexing.preparing import Prepared, Task
from leafmark.app.requests import IndexRequest
from leafmark.errors import UsageError
from leafmark.model import Entry

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None, reason="Ray is not installed: pip install leafmark[ray]"
)
ROOT = Path(__file__).parents[3]
WORKERS = 2
RAY_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "disabled",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else it warns of the future
}


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Two workers on this machine."""
    module = import_module("ray")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in RAY_SETTINGS.items():
            patch.setenv(name, value)
        module.init(
            address="local",
            num_cpus=WORKERS,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
        )
        yield module
        module.shutdown()


def opened(folder: Path, **flags: object) -> Project:
    """A project of the documents of this repository."""
    here = folder / "pages"
    shutil.copytree(ROOT / "docs", here, ignore=shutil.ignore_patterns("images", "screens"))
    (folder / "home").mkdir()
    return open_project(here, flags=flags, environ=clean_environment(folder / "home"))


def entries(project: Project) -> list[Entry]:
    reader = project.open_reader()
    return [entry for each in reader.documents() for entry in reader.chunks_of(each.doc_id)]


@needs_ray
def test_an_index_made_by_several_workers_is_that_made_by_one_process(
    ray: Any, cluster: OpenSearch, tmp_path: Path
) -> None:
    alone = opened(tmp_path / "alone", **{"index.workers": 0})
    index_project(alone, IndexRequest())
    with machines.open_machines() as shared:
        assert shared.workers == WORKERS
    project = opened(tmp_path / "shared", **{"index.url": cluster.url("machines")})
    report = index_project(project, IndexRequest(ray=True))
    assert len(report.added) > 50
    assert not report.removed
    assert entries(project) == entries(alone)
    again = index_project(project, IndexRequest(ray=True))
    assert (again.added, again.modified, again.unchanged) == ((), (), len(report.added))


@needs_ray
def test_workers_answer_in_order_and_one_that_dies_answers_nothing_more(ray: Any) -> None:
    worker = machines.Machines(ray).start(len)
    worker.ask(["a", "bcd"])
    worker.ask(["ef"])
    assert [worker.answer(), worker.answer()] == [[1, 3], [2]]
    dying = machines.Machines(ray).start(os._exit)
    dying.ask([3])
    dying.ask([4])
    assert [dying.answer(), dying.answer()] == [None, None]
    for each in (worker, dying):
        each.stop()


def test_what_a_machine_does_not_see_is_looked_at_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A machine without the folder must not make an index forget it."""

    class Blind:
        def __init__(self) -> None:
            self.answers = list[list[Prepared]]()

        def ask(self, batch: Sequence[Task]) -> None:
            self.answers.append([Prepared(each.source.tree, each.source.path) for each in batch])

        def has_answer(self) -> bool:
            return True

        def answer(self) -> list[Prepared] | None:
            return self.answers.pop(0)

        def stop(self) -> None:
            """Nothing."""

    class Elsewhere(machines.Machines):
        workers = 1

        def start(self, work: Any) -> Any:
            return Blind()

    monkeypatch.setattr(machines, "find_spec", lambda name: True)
    monkeypatch.setattr(machines, "open_cluster", nullcontext)
    monkeypatch.setattr(machines, "Machines", Elsewhere)
    (tmp_path / "pages").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "pages" / "a.md").write_text("# A\n\nlamp\n")
    project = open_project(
        tmp_path / "pages", flags={}, environ=clean_environment(tmp_path / "home")
    )
    report = index_project(project, IndexRequest(ray=True))
    assert report.added == ("pages:a.md",)


def test_without_ray_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "find_spec", lambda name: None)
    with pytest.raises(UsageError) as raised, machines.open_machines():
        pass
    assert raised.value.message == "--ray needs the extra `ray`"
    assert "leafmark[" in str(raised.value.hint)
