"""Approving what a configuration that came with a folder wishes beyond it."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from leafmark.app.configuration.config import open_configuration
from leafmark.app.configuration.setup import approve, list_trust, revoke
from leafmark.errors import ForbiddenError, NotFoundError, StorageError
from leafmark.model import PermissionRequest


class Desk:
    """A home folder with a project whose configuration reaches outside of it."""

    def __init__(self, base: Path):
        self.home = Path(os.path.realpath(base))
        self.project = self.home / "project"
        self.project.mkdir()
        self.file = self.project / "leafmark.toml"
        self.environ = {"HOME": str(self.home), "LEAFMARK_HOME": str(self.home / "own")}
        self.trust_file = self.home / "own" / "state" / "trust.json"
        self.wish('[tree.out]\npath = "../out"\n')

    def wish(self, text: str) -> None:
        self.file.write_text(text, encoding="utf-8")

    def states(self) -> list[tuple[str, str]]:
        report = list_trust(self.project, environ=self.environ)
        return [(os.path.relpath(file.path, self.home), file.state) for file in report.files]

    def approve(self) -> None:
        report = list_trust(self.project, environ=self.environ)
        asked = {file.path: file.digest for file in report.files if file.digest}
        approve(self.project, asked, environ=self.environ)

    def trees(self) -> list[str]:
        found = open_configuration(self.project, flags={}, environ=self.environ)
        return [tree.name for tree in found.trees]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_what_is_wished_is_listed_and_left_out_until_it_is_approved(desk: Desk) -> None:
    (file,) = list_trust(desk.project, environ=desk.environ).files
    why = f"lies outside of the project ({desk.home}/out)"
    assert (file.path, file.state) == (str(desk.file), "pending")
    assert file.permissions == (PermissionRequest("tree.out", why, f"{desk.file}:2"),)
    assert desk.trees() == []
    desk.approve()
    assert desk.states() == [("project/leafmark.toml", "trusted")]
    assert desk.trees() == ["out"]


def test_an_approval_ends_with_another_wish(desk: Desk) -> None:
    desk.approve()
    desk.wish('[tree.out]\npath = "../elsewhere"\n')
    assert desk.states() == [("project/leafmark.toml", "changed")]
    assert desk.trees() == []


def test_a_change_between_the_question_and_the_answer_is_not_approved(desk: Desk) -> None:
    (file,) = list_trust(desk.project, environ=desk.environ).files
    desk.wish('[tree.out]\npath = "../elsewhere"\n')
    with pytest.raises(ForbiddenError) as caught:
        approve(desk.project, {file.path: file.digest}, environ=desk.environ)
    assert caught.value.message == (
        "the configuration has changed since it was shown; nothing is trusted"
    )
    assert (caught.value.location, caught.value.hint) == (
        str(desk.file),
        "run `leafmark trust` again",
    )
    assert not desk.trust_file.exists()


def test_a_file_that_wishes_nothing_cannot_be_approved(desk: Desk) -> None:
    desk.wish("")
    with pytest.raises(ForbiddenError):
        approve(desk.project, {str(desk.file): ""}, environ=desk.environ)


def test_approvals_of_other_folders_stay_and_are_listed(desk: Desk) -> None:
    desk.approve()
    other = desk.home / "other"
    other.mkdir()
    desk.project, desk.file = other, other / "leafmark.toml"
    desk.wish('[tree.far]\npath = "../far"\n')
    desk.approve()
    assert desk.states() == [
        ("other/leafmark.toml", "trusted"),
        ("project/leafmark.toml", "recorded"),
    ]
    (desk.home / "project" / "leafmark.toml").unlink()
    assert desk.states()[1] == ("project/leafmark.toml", "gone")
    revoke(desk.project, environ=desk.environ)
    assert desk.states() == [("other/leafmark.toml", "pending"), ("project/leafmark.toml", "gone")]


def test_revoking_also_takes_back_what_is_no_longer_wished(desk: Desk) -> None:
    desk.approve()
    desk.wish("")
    assert revoke(desk.project, environ=desk.environ) == (str(desk.file),)
    assert desk.states() == []


def test_there_may_be_nothing_to_revoke(desk: Desk) -> None:
    with pytest.raises(NotFoundError) as caught:
        revoke(desk.project, environ=desk.environ)
    assert caught.value.message == "the configuration of this folder is not trusted"
    assert (caught.value.location, caught.value.exit_code) == (str(desk.project), 1)


def test_a_damaged_trust_file_is_told_and_replaced(desk: Desk) -> None:
    desk.trust_file.parent.mkdir(parents=True)
    desk.trust_file.write_text("{")
    report = list_trust(desk.project, environ=desk.environ)
    assert report.warnings == (
        f"{desk.trust_file}: the trust file cannot be read; no configuration is trusted",
    )
    desk.approve()
    assert desk.states() == [("project/leafmark.toml", "trusted")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
def test_a_pipe_in_place_of_the_trust_file_is_not_waited_for(desk: Desk) -> None:
    desk.trust_file.parent.mkdir(parents=True)
    os.mkfifo(desk.trust_file)
    (warning,) = list_trust(desk.project, environ=desk.environ).warnings
    assert warning.endswith("the trust file cannot be read; no configuration is trusted")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_only_the_user_can_read_it(desk: Desk) -> None:
    desk.approve()
    assert stat.S_IMODE(desk.trust_file.stat().st_mode) == 0o600
    assert [path.name for path in desk.trust_file.parent.iterdir()] == ["trust.json"]


def test_a_place_that_cannot_be_written_is_told(desk: Desk) -> None:
    desk.trust_file.parent.parent.mkdir(parents=True)
    desk.trust_file.parent.write_text("a file where the folder should be")
    with pytest.raises(StorageError) as caught:
        desk.approve()
    assert caught.value.message == "the trust file cannot be written: file exists"
    assert caught.value.location == str(desk.trust_file)


def test_the_home_folder_is_never_admitted(desk: Desk) -> None:
    desk.wish('[tree.all]\npath = "~"\n[tree.out]\npath = "../out"\n')
    desk.approve()
    assert desk.trees() == ["out"]
