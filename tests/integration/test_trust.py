"""`leafmark trust` in a real folder: nothing outside is read before the user's word."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.command import Leafmark
from support.schema import problems


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose configuration also wants the folder beside it."""
    folder = Path(os.path.realpath(tmp_path)) / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "a.md").write_text("# Inside\n\nlantern\n")
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "b.md").write_text("# Outside\n\nlantern\n")
    (folder / "leafmark.toml").write_text(
        '[tree.docs]\npath = "docs"\n[tree.far]\npath = "../outside"\n'
    )
    return folder


def found(leafmark: Leafmark, project: Path) -> list[str]:
    ran = leafmark("search", "lantern", "--json", cwd=project)
    return sorted(result["id"] for result in ran.json["results"])


def test_the_rest_works_and_the_wish_waits_for_the_users_word(
    leafmark: Leafmark, project: Path
) -> None:
    wish = (
        f"{project}/leafmark.toml:4: tree.far lies outside of the project "
        f"({project.parent}/outside)"
    )
    assert found(leafmark, project) == ["docs:a.md"]
    ran = leafmark("search", "lantern", cwd=project)
    assert f"{wish}; left out: `leafmark trust` allows it" in ran.err

    asked = leafmark("trust", cwd=project)
    assert (asked.code, asked.out) == (2, "")
    assert asked.err == (
        f"this folder's configuration asks for:\n  {wish}\n"
        "error: nothing is trusted unless you say so\n"
        "hint: read it, then run `leafmark trust --yes`\n"
    )
    assert found(leafmark, project) == ["docs:a.md"]

    agreed = leafmark("trust", "--yes", cwd=project)
    assert (agreed.code, agreed.out) == (0, f"trusted: {project}/leafmark.toml\n")
    assert found(leafmark, project) == ["docs:a.md", "far:b.md"]

    listed = leafmark("trust", "--list", "--json", cwd=project)
    assert problems(listed.json, "trust") == []
    assert [file["state"] for file in listed.json["files"]] == ["trusted"]

    revoked = leafmark("trust", "--revoke", cwd=project)
    assert (revoked.code, revoked.out) == (0, f"no longer trusted: {project}/leafmark.toml\n")
    assert found(leafmark, project) == ["docs:a.md"]


def test_a_folder_that_wishes_nothing_needs_no_trust(leafmark: Leafmark, project: Path) -> None:
    (project / "leafmark.toml").unlink()
    ran = leafmark("trust", cwd=project)
    assert (ran.code, ran.out) == (0, "no configuration asks for trust, and none was given\n")
    assert leafmark("trust", "--revoke", cwd=project).code == 1
    both = leafmark("trust", "--revoke", "--list", cwd=project)
    assert (both.code, both.err) == (2, "error: --list and --revoke exclude each other\n")
