"""Repositories that somebody made to do harm: all that reads them answers or says why not.

Nothing of them is run, and nothing waits for what never comes. Each is asked for its revisions, a
comparison, the history of a section, a search at a revision, and findings since one.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.projects import Here
from support.repositories import GitRepository

from leafmark.app import search_project
from leafmark.app.history import diff_project, list_revisions, log_section, project_at
from leafmark.app.linting import lint_project
from leafmark.app.requests import DiffRequest, LintRequest, LogRequest, SearchRequest
from leafmark.errors import LeafmarkError
from leafmark.history import git
from leafmark.history.git import find_repository

_TEXT = "run the installer with all of its parts and wait until the light goes on"

COMMANDS = (
    *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass"),
    *("core.gitProxy", "core.alternateRefsCommand", "core.hooksPath", "sequence.editor"),
    *("filter.x.smudge", "filter.x.clean", "filter.x.process", "filter.lfs.process"),
    *("diff.external", "diff.x.textconv", "diff.x.command", "merge.x.driver", "difftool.x.cmd"),
    *("gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "pager.log", "pager.diff"),
    *("alias.log", "alias.rev-parse", "alias.cat-file", "credential.helper", "browser.x.cmd"),
    *("uploadpack.packObjectsHook", "remote.origin.uploadpack", "remote.origin.vcs"),
    *("submodule.sub.update", "interactive.diffFilter", "trailer.x.command", "man.x.cmd"),
)


class Trap:
    """A program that leaves a trace where it is run, by whatever name it is called."""

    def __init__(self, folder: Path) -> None:
        self.trace = folder / "ran"
        self.program = folder / "trap.sh"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{self.trace}"\ncat\n')
        self.program.chmod(0o755)

    @property
    def url(self) -> str:
        """An address that git would run."""
        return f"ext::{self.program} %S"

    def ran(self) -> str:
        return self.trace.read_text() if self.trace.exists() else ""


Harm = Callable[[GitRepository, Trap], None]


def _commands(made: GitRepository, trap: Trap) -> None:
    for name in COMMANDS:
        made.git("config", name, f"!{trap.program}" if "alias" in name else str(trap.program))
    for name in ("pre-auto-gc", "post-checkout", "reference-transaction", "post-index-change"):
        shutil.copy(trap.program, _inside(made, f"hooks/{name}"))


def _included_commands(made: GitRepository, trap: Trap) -> None:
    lines = [
        f"[{name.rpartition('.')[0]}]\n\t{name.rpartition('.')[2]} = {trap.program}\n"
        for name in COMMANDS
        if name.count(".") == 1
    ]
    (made.folder / "more.config").write_text("".join(lines))
    made.git("config", "include.path", str(made.folder / "more.config"))
    made.git("config", "includeIf.onbranch:**.path", str(made.folder / "more.config"))


def _include_in_a_circle(made: GitRepository, trap: Trap) -> None:
    made.git("config", "include.path", "config")


def _no_config(made: GitRepository, trap: Trap) -> None:
    _inside(made, "config").write_bytes(b"[core\n\xff\0 = [\n" * 100)


def _missing_tree(made: GitRepository, trap: Trap) -> None:
    _object(made, made.git("rev-parse", "HEAD~1^{tree}")).unlink()


def _missing_commit(made: GitRepository, trap: Trap) -> None:
    _object(made, made.git("rev-parse", "HEAD~1")).unlink()


def _missing_blob(made: GitRepository, trap: Trap) -> None:
    _object(made, made.git("rev-parse", "HEAD~1:a.md")).unlink()


def _damaged_objects(made: GitRepository, trap: Trap) -> None:
    for path in _inside(made, "objects").glob("??/*"):
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[:-3] + b"abc")


def _damaged_packs(made: GitRepository, trap: Trap) -> None:
    made.git("gc", "-q")
    for path in _inside(made, "objects/pack").iterdir():
        path.chmod(0o644)
        data = bytearray(path.read_bytes())
        data[len(data) // 2 : len(data) // 2 + 20] = b"\xff" * 20
        path.write_bytes(data)


def _cut_packs(made: GitRepository, trap: Trap) -> None:
    made.git("gc", "-q")
    for path in _inside(made, "objects/pack").iterdir():
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _links_in_circles(made: GitRepository, trap: Trap) -> None:
    os.symlink("two", made.folder / "one")
    os.symlink("one", made.folder / "two")
    os.symlink(".", made.folder / "itself")
    os.symlink("/", made.folder / "everything")
    os.symlink("missing.md", made.folder / "b.md")
    made.commit({})


def _names_that_are_no_text(made: GitRepository, trap: Trap) -> None:
    for name in (b"\xff\xfe.md", b"new\nline.md", b"\x1b[31m.md", b"-rf.md", b"a\\b.md"):
        path = os.path.join(os.fsencode(made.folder), name)
        with open(path, "wb") as file:
            file.write(b"# Odd\n\ninstaller\n")
    made.commit({})


def _very_many_references(made: GitRepository, trap: Trap) -> None:
    oid = made.git("rev-parse", "HEAD~1")
    rows = "".join(f"{oid} refs/heads/b{number:06}\n" for number in range(100_000))
    _inside(made, "packed-refs").write_text(f"# pack-refs with: sorted\n{rows}")


def _references_in_a_circle(made: GitRepository, trap: Trap) -> None:
    _inside(made, "refs/heads/one").write_text("ref: refs/heads/two\n")
    _inside(made, "refs/heads/two").write_text("ref: refs/heads/one\n")
    _inside(made, "HEAD").write_text("ref: refs/heads/one\n")


def _a_tree_of_trees(made: GitRepository, trap: Trap) -> None:
    blob = made.git("hash-object", "-w", "--stdin", data=b"# A\n")
    tree = made.git("mktree", data=f"100644 blob {blob}\ta.md\n".encode())
    for _ in range(12):
        rows = "".join(f"040000 tree {tree}\td{number}\n" for number in range(5))
        tree = made.git("mktree", data=rows.encode())
    commit = made.git("commit-tree", tree, "-p", "HEAD", "-m", "x", at="2026-01-01T00:00:00Z")
    made.git(
        "update-ref",
        "refs/heads/main",
        made.git("commit-tree", tree, "-p", commit, "-m", "y", at="2026-01-01T00:00:00Z"),
    )


def _strange_submodules(made: GitRepository, trap: Trap) -> None:
    oid = made.git("rev-parse", "HEAD")
    for name, url in (
        ("sub", trap.url),
        ("-u", f"--upload-pack={trap.program}"),
        ("../../out", f"ssh://-oProxyCommand={trap.program}/x"),
    ):
        made.git("config", "-f", ".gitmodules", f"submodule.{name}.path", name.strip("./-"))
        made.git("config", "-f", ".gitmodules", f"submodule.{name}.url", url)
        made.git("config", f"submodule.{name}.url", url)
        made.git("update-index", "--add", "--cacheinfo", f"160000,{oid},{name.strip('./-')}")
    made.git("add", ".gitmodules")
    made.git("commit", "-qm", "Modules")


def _objects_that_are_elsewhere(made: GitRepository, trap: Trap) -> None:
    """A partial clone that has no documents, and fetches them from a program."""
    made.git("config", "core.repositoryFormatVersion", "1")
    made.git("config", "extensions.partialClone", "origin")
    made.git("config", "remote.origin.promisor", "true")
    made.git("config", "remote.origin.url", trap.url)
    made.git("config", "protocol.allow", "always")
    made.git("config", "protocol.ext.allow", "always")
    made.git("config", "core.sshCommand", str(trap.program))
    _missing_blob(made, trap)
    _missing_tree(made, trap)


def _alternates(made: GitRepository, trap: Trap) -> None:
    place = _inside(made, "objects/info/alternates")
    os.mkfifo(made.folder.parent / "pipe")
    rows = [".", "../objects", "/nowhere", "/dev", str(made.folder.parent / "pipe"), "\0\xff"]
    place.write_text("\n".join(rows) + "\n", encoding="latin-1")


def _a_pipe_for_head(made: GitRepository, trap: Trap) -> None:
    _piped(made, "HEAD")


def _a_pipe_for_references(made: GitRepository, trap: Trap) -> None:
    _piped(made, "packed-refs")


def _a_pipe_for_shallow(made: GitRepository, trap: Trap) -> None:
    _piped(made, "shallow")


def _a_file_that_points_nowhere(made: GitRepository, trap: Trap) -> None:
    shutil.rmtree(made.folder / ".git")
    (made.folder / ".git").write_text("gitdir: /nowhere/at/all\n")


def _a_file_that_points_at_itself(made: GitRepository, trap: Trap) -> None:
    shutil.rmtree(made.folder / ".git")
    (made.folder / ".git").write_text("gitdir: .git\n")


def _a_file_that_points_at_another(made: GitRepository, trap: Trap) -> None:
    _commands(made, trap)
    shutil.move(made.folder / ".git", made.folder.parent / "other.git")
    (made.folder / ".git").write_text("gitdir: ../other.git\n")


def _a_huge_file(made: GitRepository, trap: Trap) -> None:
    shutil.rmtree(made.folder / ".git")
    with open(made.folder / ".git", "wb") as file:
        file.write(b"gitdir: ")
        file.truncate(1 << 32)


def _work_elsewhere(made: GitRepository, trap: Trap) -> None:
    made.git("config", "core.worktree", "/")


def _unknown_format(made: GitRepository, trap: Trap) -> None:
    made.git("config", "core.repositoryFormatVersion", "99")


def _programs_of_the_folder(made: GitRepository, trap: Trap) -> None:
    for name in ("git", "git.exe", "sh", "less"):
        shutil.copy(trap.program, made.folder / name)


def _inside(made: GitRepository, name: str) -> Path:
    path = made.folder / ".git" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _piped(made: GitRepository, name: str) -> None:
    _inside(made, name).unlink(missing_ok=True)
    os.mkfifo(_inside(made, name))


def _object(made: GitRepository, oid: str) -> Path:
    return _inside(made, f"objects/{oid[:2]}/{oid[2:]}")


HARMS: dict[Harm, bool] = {
    _commands: True,
    _included_commands: True,
    _include_in_a_circle: False,
    _no_config: False,
    _missing_tree: False,
    _missing_commit: False,
    _missing_blob: True,
    _damaged_objects: False,
    _damaged_packs: False,
    _cut_packs: False,
    _links_in_circles: True,
    _names_that_are_no_text: True,
    _very_many_references: True,
    _references_in_a_circle: False,
    _a_tree_of_trees: False,
    _strange_submodules: True,
    _objects_that_are_elsewhere: False,
    _alternates: True,
    _a_pipe_for_head: False,
    _a_pipe_for_references: False,
    _a_pipe_for_shallow: False,
    _a_file_that_points_nowhere: False,
    _a_file_that_points_at_itself: False,
    _a_file_that_points_at_another: True,
    _a_huge_file: False,
    _work_elsewhere: True,
    _unknown_format: False,
    _programs_of_the_folder: True,
}
"""What is done to a repository, and whether all answers are as they were."""


def _committed(here: Here) -> GitRepository:
    made = GitRepository(here.root)
    made.commit({"a.md": f"# A\n\n## Setup\n\n{_TEXT}\n", ".gitattributes": "* filter=x diff=x\n"})
    made.commit({"a.md": f"# A\n\n## Setup\n\n{_TEXT} twice\n"})
    return made


def _ask_all(here: Here) -> dict[str, str]:
    """Return what came of each question: `answered`, or the message."""
    project = here.project()
    asked: dict[str, Callable[[], object]] = {
        "revisions": lambda: list_revisions(project),
        "diff": lambda: diff_project(project, DiffRequest("HEAD~1", "HEAD")),
        "diff of files": lambda: diff_project(project, DiffRequest()),
        "log": lambda: log_section(project, LogRequest("here:a.md#setup")),
        "lint": lambda: lint_project(project, LintRequest(since="HEAD~1")),
        "search": lambda: search_project(
            project_at(project, "HEAD~1"), SearchRequest(("installer",), mode="lexical")
        ),
    }
    said = {}
    for name, ask in asked.items():
        try:
            ask()
            said[name] = "answered"
        except LeafmarkError as error:
            said[name] = f"{error.kind}: {error.placed_message}"
    return said


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="made of links, pipes and names of bytes")
@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__.strip("_"))
def test_a_hostile_repository_gets_an_answer_or_a_message(
    harm: Harm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, trap = Here(tmp_path / "here", tmp_path / "home"), Trap(tmp_path)
    made = _committed(here)
    deadline_s = 0.5 if "pipe" in harm.__name__ else 60.0
    monkeypatch.setattr(git, "FIRST_DEADLINE_S", deadline_s)
    monkeypatch.setattr(git, "DEADLINE_S", deadline_s)
    monkeypatch.setattr(git, "MAX_PATHS", 10_000)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    harm(made, trap)
    monkeypatch.chdir(here.root)
    before = trap.ran()
    said = _ask_all(here)
    assert trap.ran() == before, said
    assert (set(said.values()) == {"answered"}) is HARMS[harm], said


@pytest.mark.skipif(os.name == "nt", reason="made of scripts")
def test_git_itself_runs_what_a_repository_names(tmp_path: Path) -> None:
    here, trap = Here(tmp_path / "here", tmp_path / "home"), Trap(tmp_path)
    made = _committed(here)
    _commands(made, trap)
    made.git("diff", "HEAD~1", "HEAD")
    assert trap.ran() != ""


@pytest.mark.skipif(os.name == "nt", reason="made of scripts")
def test_a_git_in_the_folder_is_not_taken_for_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, trap = Here(tmp_path / "here", tmp_path / "home"), Trap(tmp_path)
    made = GitRepository(here.root)
    made.commit({"a.md": "# A\n"})
    shutil.copy(trap.program, here.root / "git")
    monkeypatch.chdir(here.root)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}bin")
    with pytest.raises(LeafmarkError, match="git is not installed"):
        find_repository(here.root)
    assert trap.ran() == ""
