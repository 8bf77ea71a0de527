"""A small project whose runs meet one failing call on files each; what must hold after it.

Run in processes that have `faults.c` preloaded: see `tests/faults`.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leafmark.app import Project, index_project, open_project, search_project
from leafmark.app.indexing import embedding
from leafmark.app.requests import IndexRequest, SearchRequest
from leafmark.errors import LeafmarkError
from leafmark.index import check_index
from support.embedders import FakeEmbedder
from support.indexes import contents

KINDS = {"open": 1, "read": 2, "write": 4, "map": 8, "sync": 16, "rename": 32, "unlink": 64}
ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES)
SCENARIOS = ("build", "update", "rebuild", "embedding", "search")

_SOURCES = 6
_FLAGS = {
    "embedding.provider": "ollama",
    "embedding.model": "m",
    "embedding.endpoint": "http://127.0.0.1:9",
}


def compile_faults(folder: Path) -> Path | None:
    """Return the library, compiled; None where that cannot be done here."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or sys.platform != "linux":
        return None
    library = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
    done = subprocess.run(command, capture_output=True, check=False)
    return library if done.returncode == 0 else None


class _Fake(FakeEmbedder):
    dimension = 256


def _project(place: Path, scenario: str) -> Project:
    environ = {"HOME": str(place / "home"), "LEAFMARK_HOME": str(place / "home" / "l")}
    flags: Mapping[str, object] = _FLAGS if scenario == "embedding" else {}
    return open_project(place / "docs", flags=flags, environ=environ)


def _write(place: Path, version: int) -> None:
    for number in range(_SOURCES):
        text = f"# Page {number}\n\nversion{version} of page{number}, common to all.\n"
        path = place / "docs" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _prepare(place: Path, scenario: str) -> None:
    """Make the state that a scenario begins with: version 1 indexed, but for a build."""
    _write(place, 1)
    if scenario != "build":
        index_project(_project(place, "update"), IndexRequest())
        _write(place, 2)


def _act(place: Path, scenario: str) -> None:
    embedding.open_embedder = lambda spec: _Fake()  # type: ignore[attr-defined]
    project = _project(place, scenario)
    if scenario == "search":
        search_project(project, SearchRequest(("common",)))
    else:
        index_project(project, IndexRequest(rebuild=scenario == "rebuild"))


def _versions(place: Path, scenario: str) -> set[str]:
    """Return which versions the committed state answers with; all six pages must be there."""
    project = _project(place, scenario)
    if not project.is_indexed:
        assert scenario == "build"
        return set()
    reader = project.open_reader()
    words = [word for word, _ in reader.terms("body_english", "version", limit=9)]
    request = SearchRequest(("common",), refresh=False, limit=20, mode="lexical")
    found = {each.entry.doc_id for each in search_project(project, request).results}
    assert found == {f"docs:{number}.md" for number in range(_SOURCES)}, found
    return {*words}


def _mended(place: Path, scenario: str) -> None:
    """The next run without faults has all sources as they are, whole, and leaves nothing over."""
    project = _project(place, scenario)
    index_project(project, IndexRequest())
    assert _versions(place, scenario) == {"version1" if scenario == "build" else "version2"}
    assert check_index(project.index_dir) == []
    left = [path for path in project.shared_dir.rglob("*") if ".tmp" in path.name]
    assert not left, left
    assert len(list(project.index_dir.glob("gen-*"))) == 1
    assert not list(project.index_dir.glob("gen-*/SUSPECT"))
    if scenario == "embedding":
        assert index_project(project, IndexRequest()).pending_vectors == 0
    assert _logical(project) == json.loads((place / "expected").read_text())


def _logical(project: Project) -> dict[str, Any]:
    """What an index answers, whatever led to it."""
    found = contents(project.index_dir)
    logical = {name: found[name] for name in ("found", "words", "counts")}
    return dict(json.loads(json.dumps(logical)))


def prepare_place(place: str, scenario: str) -> None:
    """Make the state that a scenario begins with, and note what its end must answer."""
    whole = Path(place)
    _prepare(whole, scenario)
    fresh = whole / "fresh"
    _write(fresh, 1 if scenario == "build" else 2)
    project = _project(fresh, "build")
    index_project(project, IndexRequest())
    (whole / "expected").write_text(json.dumps(_logical(project)))
    shutil.rmtree(fresh)


def act(place: str, scenario: str) -> None:
    """Carry out a scenario once."""
    _act(Path(place), scenario)


def check_after_kill(place: str, scenario: str) -> None:
    """Assert that what a run left answers with one state, and that the next run mends it."""
    embedding.open_embedder = lambda spec: _Fake()  # type: ignore[attr-defined]
    versions = _versions(Path(place), scenario)
    allowed = {"version1"} if scenario == "build" else {"version1", "version2"}
    assert len(versions) <= 1, versions
    assert versions <= allowed, versions
    assert versions or scenario == "build"
    _mended(Path(place), scenario)


def act_on_a_full_disk(place: str, scenario: str, free_bytes: int) -> str:
    """Carry out a scenario while the file system has so much room; return what it said.

    Whatever it said, the committed state answers while there is no room, and after room was made
    the next run mends what was left.
    """
    ballast = Path(place, "ballast")
    room = os.statvfs(place)
    with open(ballast, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - free_bytes)
    said = "done"
    try:
        act(place, scenario)
    except LeafmarkError as error:
        said = f"{error.kind}: {error.message}; {error.hint}"
    versions = _versions(Path(place), scenario)
    assert versions or scenario == "build"
    ballast.unlink()
    check_after_kill(place, scenario)
    return said


def run_job(library: str, job: str) -> str:
    """Carry out one step of a test in this process, and return what came of it as JSON.

    A `run` is given a copy of a prepared place, a mask of kinds and the number of the call that
    fails; 0 only counts.
    """
    asked = json.loads(job)
    place, scenario = asked["place"], asked["scenario"]
    if asked["step"] == "prepare":
        prepare_place(place, scenario)
    elif asked["step"] == "check":
        check_after_kill(place, scenario)
    else:
        return json.dumps(_run_with_fault(library, asked))
    return "{}"


def _run_with_fault(library: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    faults = ctypes.CDLL(library)
    nth = ctypes.c_long(asked["at"])
    # the sources apart: one that cannot be read is told, and read the next time
    root = os.fsencode(Path(asked["place"], "home"))
    faults.faults_arm(root, asked["kinds"], nth, asked["errno"], int(asked["sticky"]))
    said = ""
    try:
        act(asked["place"], asked["scenario"])
    except LeafmarkError as error:
        said = f"{error.kind}: {error.message}"
    count = faults.faults_count()
    faults.faults_arm(b"", 0, ctypes.c_long(0), 0, 0)
    return {"count": count, "said": said}
