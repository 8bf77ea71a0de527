"""The tool `changes`, and resources of a revision."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
from support.projects import Here
from support.repositories import GitRepository

from leafmark.app import Project
from leafmark.errors import LeafmarkError, NotFoundError
from leafmark.server.mcp.answers import ANSWERS
from leafmark.server.mcp.replies import Reply, Request
from leafmark.server.mcp.resources import read
from leafmark.server.mcp.tools import TOOLS
from leafmark.server.parameters import check_arguments
from leafmark.server.workspace import Freshness

_TEXT = "run the installer with all of its parts and wait until the light goes on"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    here = Here(tmp_path / "here", tmp_path / "home")
    made = GitRepository(here.root)
    made.commit({"a.md": f"# A\n\n## Setup\n\n{_TEXT}\n", "b.md": "# B\n\none\n"}, tag="v1")
    here.write("a.md", f"# A\n\n## Installing\n\n{_TEXT}\n")
    return here.project()


def _ask(project: Project, **arguments: object) -> Reply:
    tool = next(tool for tool in TOOLS if tool.name == "changes")
    request = Request(project, check_arguments(tool.parameters, arguments), Freshness("fresh"))
    draft = ANSWERS["changes"](request)
    reply = draft.make(draft.size, True)
    assert reply.data is not None
    jsonschema.validate(reply.data, tool.output_schema)
    return reply


def test_changes_names_sections_and_what_broke(project: Project) -> None:
    reply = _ask(project, since="v1")
    assert reply.data is not None
    assert reply.data["sections"] == [
        {"id": "here:a.md#installing", "fates": ["renamed"], "old_id": "here:a.md#setup"}
    ]
    assert reply.data["broken"] == [{"name": "here:a.md#setup", "now": ["here:a.md#installing"]}]
    assert "was called 'Setup'" in reply.text
    assert _ask(project, since="v1", until="HEAD").data["sections"] == []  # type: ignore[index]


def test_changes_reads_no_folder_that_a_program_names(project: Project, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with pytest.raises(NotFoundError, match="there is no revision"):
        _ask(project, since=str(tmp_path / "one"), until=str(tmp_path / "two"))


def test_a_resource_may_be_of_a_revision(project: Project) -> None:
    assert _TEXT in read(project, "leafmark://here/a.md?at=v1#setup")
    with pytest.raises(LeafmarkError):
        read(project, "leafmark://here/a.md?at=v9#setup")
