"""Vectors belong to texts, not to revisions: what was embedded once is embedded never again."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.embedders import FakeServer, embedding_flags, serve_embeddings
from support.projects import Here
from support.repositories import GitRepository

from leafmark.app import Project, index_project, make_vectors, search_project
from leafmark.app.history import project_at
from leafmark.app.requests import IndexRequest, SearchRequest

CHAPTERS = 6


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serve_embeddings() as made:
        yield made


@pytest.fixture
def here(tmp_path: Path, server: FakeServer) -> Here:
    here = Here(tmp_path / "here", tmp_path / "home", embedding_flags(server))
    made = GitRepository(here.root)
    files: dict[str, str | bytes | None] = {
        f"{n}.md": f"# Chapter {n}\n\nOf subject number {n}, told at length.\n"
        for n in range(CHAPTERS)
    }
    made.commit(files, tag="v1")
    made.commit({"0.md": "# Chapter 0\n\nHow to mend an automobile.\n"}, tag="v2")
    made.commit({"1.md": None, "one.md": files["1.md"]}, tag="v3")
    return here


def _asked(server: FakeServer) -> list[str]:
    """Return the texts that were sent since this was called last."""
    texts = [text for _, _, asked in server.requests for text in asked["input"]]
    server.requests.clear()
    return texts


def _embedded(project: Project, server: FakeServer) -> list[str]:
    assert make_vectors(project) is None
    return _asked(server)


def test_a_revision_embeds_only_what_no_other_has(here: Here, server: FakeServer) -> None:
    index_project(here.project(), IndexRequest())
    make_vectors(here.project())
    assert len(_asked(server)) >= CHAPTERS
    changed = _embedded(project_at(here.project(), "v1"), server)
    assert len(changed) == 1
    assert "subject number 0" in changed[0]
    assert _embedded(project_at(here.project(), "v2"), server) == []
    assert _embedded(project_at(here.project(), "v3"), server) == []


def test_meaning_finds_what_a_revision_says(here: Here, server: FakeServer) -> None:
    index_project(here.project(), IndexRequest())
    for revision, there in (("v1", False), ("v2", True)):
        project = project_at(here.project(), revision)
        make_vectors(project)
        answer = search_project(project, SearchRequest(("repair car",), mode="semantic"))
        assert ("here:0.md" in {one.entry.doc_id for one in answer.results[:1]}) is there


def test_an_index_that_nobody_uses_goes_and_others_stay(here: Here, server: FakeServer) -> None:
    index_project(here.project(), IndexRequest())
    make_vectors(here.project())
    unused = project_at(here.project(), "v1").index_dir
    used = project_at(here.project(), "v2").index_dir
    _age(unused, days=8)
    _age(used, days=2)
    _age(here.project().index_dir, days=2)
    search_project(here.project(), SearchRequest(("subject",)))
    assert (unused.exists(), used.exists()) == (False, True)
    _asked(server)
    project = project_at(here.project(), "v2")
    answer = search_project(project, SearchRequest(("subject number 3",), mode="lexical"))
    assert answer.results[0].entry.doc_id == "here:3.md"
    again = project_at(here.project(), "v1")
    assert again.index_dir == unused
    assert len(_embedded(again, server)) == 1  # the text that no other revision has


def test_of_very_many_revisions_those_used_last_stay(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafmark.index.folder.MAX_REVISIONS", 2)
    places = [project_at(here.project(), name).index_dir for name in ("v1", "v2")]
    _age(places[0], days=1)
    places.append(project_at(here.project(), "v3").index_dir)
    assert [place.exists() for place in places] == [False, True, True]
    assert project_at(here.project(), "v1").index_dir == places[0]
    assert places[0].exists()


def _age(index: Path, *, days: int) -> None:
    """Let an index be used last so many days ago."""
    then = time.time() - days * 86_400
    for path in index.iterdir():
        if path.is_file():
            os.utime(path, (then, then))
