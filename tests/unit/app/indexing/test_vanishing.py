"""Most of a tree gone at once: a disk that is not mounted, till somebody says that it was meant."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.embedders import embedding_flags, serve_embeddings
from support.projects import Here

from leafmark.app import index_project, open_project, project_status, search_project
from leafmark.app.indexing import preparing
from leafmark.app.requests import IndexRequest, SearchRequest
from leafmark.app.sources.folders import Tree
from leafmark.model import IndexReport
from leafmark.render.hint_texts import word_remedy

TREE = '[tree.docs]\npath = "docs"\n'


def _filled(here: Here, count: int, folder: str = "docs") -> None:
    for number in range(count):
        here.write(f"{folder}/{number:03}.md", f"# Page {number}\n\nword{number} stands here.\n")


def _empty(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def _told(report: IndexReport) -> list[str]:
    return [word_remedy(note.message) for note in report.diagnostics if note.code == "tree-emptied"]


def test_the_documents_of_an_empty_mount_point_are_kept_and_said(here: Here) -> None:
    here.configure(TREE)
    _filled(here, 5)
    here.write("docs/notes/deep.md", "# Deep\n\ntreasure\n")
    here.index()
    _empty(here.root / "docs")
    report = here.index()
    assert (report.removed, report.documents, report.unchanged) == ((), 6, 6)
    root = here.root / "docs"
    assert _told(report) == [
        f"6 sources of tree 'docs' are gone from {root}, and kept in the index: "
        "if no disk is missing, `leafmark index --prune` forgets them"
    ]
    answer = search_project(here.project(), SearchRequest(("treasure",)))
    assert [each.entry.id for each in answer.results] == ["docs:notes/deep.md"]
    assert "tree-emptied" in [hint.code for hint in answer.hints]
    assert _told(report)[0] in map(word_remedy, project_status(here.project()).warnings)
    _filled(here, 5)
    here.write("docs/notes/deep.md", "# Deep\n\ntreasure\n")
    assert (_told(here.index()), here.index().removed) == ([], ())
    assert "tree-emptied" not in [
        hint.code for hint in search_project(here.project(), SearchRequest(("treasure",))).hints
    ]


def test_who_confirms_it_forgets_them(here: Here) -> None:
    here.configure(TREE)
    _filled(here, 4)
    here.index()
    _empty(here.root / "docs")
    assert here.index().documents == 4
    planned = here.run(IndexRequest(prune=True, dry_run=True))
    assert (len(planned.removed), planned.documents) == (4, 4)
    assert len(here.run(IndexRequest(prune=True)).removed) == 4
    report = here.index()
    assert (_told(report), report.documents) == ([], 0)


def test_over_half_of_a_large_tree_is_kept_and_less_is_removed(here: Here) -> None:
    here.configure(TREE)
    _filled(here, 70, "docs/disk")
    _filled(here, 50, "docs/own")
    here.index()
    _empty(here.root / "docs/disk")
    here.write("docs/own/000.md", "# Changed\n\nmeanwhile\n")
    report = here.index()
    assert (report.removed, report.modified) == ((), ("docs:own/000.md",))
    assert report.documents == 120
    _filled(here, 40, "docs/disk")  # thirty are gone: a quarter
    assert len(here.index().removed) == 30


def test_a_small_tree_may_lose_half(here: Here) -> None:
    here.configure(TREE)
    _filled(here, 9)
    here.index()
    for number in range(6):
        (here.root / f"docs/{number:03}.md").unlink()
    assert len(here.index().removed) == 6


def test_what_moved_inside_the_tree_is_no_loss(here: Here) -> None:
    here.configure(TREE)
    _filled(here, 120, "docs/old")
    here.index()
    (here.root / "docs/old").rename(here.root / "docs/new")
    report = here.index()
    assert (len(report.added), len(report.removed), _told(report)) == (120, 120, [])


@pytest.mark.parametrize("how", ["rule", "settings", "commit"])
def test_where_something_tells_why_they_are_removed(here: Here, how: str) -> None:
    here.configure(TREE)
    _filled(here, 5)
    here.write(".git/HEAD", "ref: refs/heads/main\n")
    log = here.write(".git/logs/HEAD", "one\n")
    here.index()
    if how == "rule":
        here.write("docs/.gitignore", "*.md\n")
    elif how == "settings":
        here.write("guide/a.md", "# A\n")
        here.configure(TREE.replace('"docs"', '"guide"'))
    else:
        _empty(here.root / "docs")
        log.write_text("one\ntwo\n")
    assert len(here.index().removed) == 5


def test_the_settings_may_have_gone_with_the_disk(here: Here) -> None:
    here.configure(f"{TREE}\n[chunking]\nmax_tokens = 300\n")
    _filled(here, 4)
    here.index()
    shutil.rmtree(here.root / "docs")
    (here.root / "leafmark.toml").rename(here.home / "leafmark.toml")
    report = here.index()
    assert (report.documents, report.rebuilt) == (4, None)
    assert _told(report)[0].startswith("nothing is left of the 4 documents in the index")
    assert search_project(here.project(), SearchRequest(("word1",))).hints
    assert here.run(IndexRequest(prune=True)).documents == 0


def test_vectors_outlive_the_run_that_found_everything_gone(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafmark.index.vectors.COMPACT_FROM", 1)
    here.configure(TREE)
    with serve_embeddings() as server:
        environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}

        def index(prune: bool = False) -> IndexReport:
            project = open_project(here.root, flags=embedding_flags(server), environ=environ)
            return index_project(project, IndexRequest(prune=prune))

        _filled(here, 6)
        assert index().vectors == 6
        _empty(here.root / "docs")
        assert index(prune=True).documents == 0
        here.write("docs/else.md", "# Other\n\nsomething\n")
        assert index().vectors == 1
        _filled(here, 6)
        assert index().vectors == 0  # none of them is paid for again
        _empty(here.root / "docs")
        here.write("docs/else.md", "# Other\n\nchanged\n")
        index(prune=True)
        (unused,) = here.home.glob(".leafmark/**/vectors/*/UNUSED")
        os.utime(unused, (0, 0))  # a week later
        here.write("docs/else.md", "# Other\n\nchanged again\n")
        index()
        _filled(here, 6)
        assert index().vectors == 6


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.EMFILE])
def test_what_cannot_be_read_any_more_is_kept_and_said(
    here: Here, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    _filled(here, 4)
    here.index()
    here.write("docs/001.md", "# Page 1\n\nwalrus\n")
    os.utime(here.root / "docs/002.md", ns=(1, 1))

    def fail(tree: Tree, path: str) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(preparing, "read_beneath", fail)
        answer = search_project(here.project(), SearchRequest(("word1",)))
        assert [each.entry.id for each in answer.results] == ["here:docs/001.md"]
        report = here.index()
        assert (report.removed, report.documents, report.unchanged) == ((), 4, 4)
        told = {note.path: note.message for note in report.diagnostics}
        assert {"docs/001.md", "docs/002.md"} <= told.keys()
        assert told["docs/001.md"] == (
            f"the file cannot be read: {os.strerror(number).lower()}; its indexed content is kept"
        )
    assert "here:docs/001.md" in here.index().modified
    here.write("docs/001.md", "# Page 1\n\nsecret\n")
    monkeypatch.setattr(preparing, "read_beneath", fail)
    assert "here:docs/001.md" in here.run(IndexRequest(prune=True)).removed


def test_nothing_is_removed_where_nobody_may_look_for_a_repository(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    _filled(here, 4)
    here.index()
    _empty(here.root / "docs")
    real = os.stat

    def refuse(path: Any, **options: Any) -> os.stat_result:
        if str(path) == str(here.root / ".git"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, **options)

    monkeypatch.setattr(os, "stat", refuse)
    assert here.index().documents == 4
