"""A project at a revision: answered from its own sources, beside the working files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.projects import Here
from support.repositories import GitRepository

from leafmark.app import index_project, search_project, show_chunks, verify_texts
from leafmark.app.history.past_project import project_at
from leafmark.app.history.sides import list_revisions
from leafmark.app.requests import IndexRequest, SearchRequest, ShowRequest, VerifyRequest
from leafmark.errors import NotFoundError


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path / "here", tmp_path / "home")


@pytest.fixture
def made(here: Here) -> GitRepository:
    made = GitRepository(here.root)
    made.commit(
        {
            "a.md": "# A\n\nfirst\n\n## H\n\nthe harbour is old\n",
            "b.md": "# B\n\nthe same\n",
            "d.md": "# D\n\nd\n",
            "e.md": "# E\n\ne\n",
        },
        tag="v1",
    )
    made.commit(
        {"a.md": "# A\n\nfirst\n\n## H\n\nthe harbour is new\n", "c.md": "# C\n\nmore\n"}, tag="v2"
    )
    here.write("a.md", "# A\n\nfirst\n\n## H\n\nthe harbour is gone\n")
    return made


def _found(here: Here, revision: str, query: str) -> list[str]:
    project = project_at(here.project(), revision)
    return [one.entry.id for one in search_project(project, SearchRequest((query,))).results]


def test_search_and_show_answer_from_the_revision(here: Here, made: GitRepository) -> None:
    index_project(here.project(), IndexRequest())
    for revision, word in (("v1", "old"), ("v2", "new"), ("v1", "old")):
        assert _found(here, revision, f"harbour {word}") == ["here:a.md"]
        project = project_at(here.project(), revision)
        (shown,) = show_chunks(project, ShowRequest(ids=("here:a.md#h",))).shown
        assert word in str(shown.full_text)
    answer = search_project(here.project(), SearchRequest(("harbour gone",)))
    assert [one.entry.id for one in answer.results] == ["here:a.md"]
    assert made.git("status", "--porcelain") == "M a.md"
    with pytest.raises(NotFoundError):
        _found(here, "v3", "harbour")


def test_what_revisions_share_is_there_once(here: Here, made: GitRepository) -> None:
    first = project_at(here.project(), "v1")
    second = project_at(here.project(), "v2")
    (one,), (other,) = first.trees, second.trees
    assert os.path.samefile(one.root / "b.md", other.root / "b.md")
    assert not os.path.samefile(one.root / "a.md", other.root / "a.md")
    shared = [
        path
        for path in (first.index_dir / "gen-000001" / "text").iterdir()
        if path.stat().st_nlink > 1
    ]
    assert shared
    assert first.shared_dir == second.shared_dir == here.project().shared_dir


def test_a_revision_changes_with_the_configuration(here: Here, made: GitRepository) -> None:
    assert _found(here, "v2", "more") == ["here:c.md"]
    here.configure('[tree.here]\npath = "."\nexclude = ["c.md"]\n')
    assert _found(here, "v2", "more") == []


def test_citations_are_verified_at_a_revision(here: Here, made: GitRepository) -> None:
    project = project_at(here.project(), "v1")
    (result,) = search_project(project, SearchRequest(("harbour old",))).results
    texts = (("r.md", str(result.citation)),)
    (report,) = verify_texts(project, VerifyRequest(texts=texts))
    assert [one.status for one in report.citations] == ["ok"]
    (report,) = verify_texts(project_at(here.project(), "v2"), VerifyRequest(texts=texts))
    assert [one.status for one in report.citations] == ["changed"]


def test_no_secret_of_a_revision_is_written(here: Here, made: GitRepository) -> None:
    made.commit({".env": "KEY=1", "docs/id_rsa": "KEY", "docs/ok.md": "# Ok\n"}, tag="v3")
    (tree,) = project_at(here.project(), "v3").trees
    names = {path.name for path in tree.root.rglob("*") if path.is_file()}
    assert names == {"a.md", "b.md", "c.md", "d.md", "e.md", "ok.md", ".git"}


def test_revisions_are_listed(here: Here, made: GitRepository) -> None:
    names = [(one.name, one.kind) for one in list_revisions(here.project()).references]
    assert set(names) == {("v1", "tag"), ("v2", "tag"), ("main", "branch")}
    (commit,) = list_revisions(here.project(), "v1..v2").commits
    assert commit.subject == "More"


def test_the_index_of_the_project_does_not_stand_for_a_revision(
    here: Here, made: GitRepository
) -> None:
    project_at(here.project(), "v1")
    assert not here.project().is_indexed
