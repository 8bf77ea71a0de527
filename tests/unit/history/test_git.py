"""What is read of repositories, hostile ones too: a message, never a hang, and nothing is run."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from support.repositories import GitRepository

from leafmark.errors import ForbiddenError, LeafmarkError, NotFoundError, StorageError
from leafmark.history import git
from leafmark.history.git import Blobs, blob_hash, find_repository


@pytest.fixture
def made(tmp_path: Path) -> GitRepository:
    return GitRepository(tmp_path / "repo")


def test_revisions_are_named_by_tag_branch_hash_and_expression(made: GitRepository) -> None:
    first = made.commit({"a.md": "# A\n"}, "First words", tag="v1", at="2026-01-02T12:00:00Z")
    second = made.commit({"a.md": "# B\n"}, "Second", at="2026-02-02T12:00:00Z")
    repository = find_repository(made.folder)
    for name in ("v1", "main~1", first, first[:8], "HEAD^", "refs/tags/v1"):
        commit = repository.resolve(name)
        assert (commit.oid, commit.subject, commit.name) == (first, "First words", name)
    assert repository.resolve("HEAD").parents == (first,)
    assert repository.at_time(repository.resolve("v1").time).oid == first
    assert repository.at_time(repository.resolve(second).time + 1).oid == second
    with pytest.raises(NotFoundError, match="nothing was committed by 2020"):
        repository.at_time(1_600_000_000, "2020")


@pytest.mark.parametrize("name", ["nope", "--all", "-x", "", "v1\0", "HEAD:a.md", "@{upstream}"])
def test_what_names_no_commit_is_told(made: GitRepository, name: str) -> None:
    made.commit({"a.md": "# A\n"}, tag="v1")
    with pytest.raises(NotFoundError, match="there is no revision"):
        find_repository(made.folder).resolve(name)


def test_objects_are_those_of_the_files(made: GitRepository) -> None:
    odd = "caf\udce9.md"
    made.commit(
        {
            "docs/a.md": b"one\r\n",
            "docs/b c.md": b"",
            os.fsencode(odd).decode("utf-8", "surrogateescape"): b"x",
        }
    )
    repository = find_repository(made.folder / "docs")
    paths = {entry.path: entry.oid for entry in repository.paths(repository.resolve("HEAD").oid)}
    assert set(paths) == {"docs/a.md", "docs/b c.md", odd}
    assert paths["docs/a.md"] == blob_hash(b"one\r\n")
    with Blobs(repository) as objects:
        assert objects.read(paths["docs/a.md"]) == b"one\r\n"
        assert objects.read(paths["docs/b c.md"]) == b""
        assert objects.read(paths["docs/a.md"], limit=2) is None
        assert objects.read("0" * 40) is None
        assert objects.read(paths[odd]) == b"x"
    under = [entry.path for entry in repository.paths(repository.resolve("HEAD").oid, "docs")]
    assert under == ["docs/a.md", "docs/b c.md"]


def test_changed_paths_are_those_whose_bytes_differ(made: GitRepository) -> None:
    first = made.commit({"a.md": "a", "b.md": "b", "c.md": "c"})
    made.write({"a.md": "a2", "b.md": None, "d.md": "d"})
    (made.folder / "c.md").chmod(0o755)
    second = made.commit({})
    changed = list(find_repository(made.folder).changed_paths(first, second))
    assert [(one.path, one.old is None, one.new is None) for one in changed] == [
        ("a.md", False, False),
        ("b.md", False, True),
        ("d.md", True, False),
    ]


def test_a_bare_repository_is_read(made: GitRepository, tmp_path: Path) -> None:
    oid = made.commit({"a.md": "# A\n"})
    made.git("clone", "-q", "--bare", str(made.folder), str(tmp_path / "bare.git"))
    repository = find_repository(tmp_path / "bare.git")
    assert repository.top is None
    assert [entry.path for entry in repository.paths(repository.resolve("HEAD").oid)] == ["a.md"]
    assert repository.resolve("main").oid == oid


def test_pointers_of_large_files_are_followed_where_the_file_is_here(made: GitRepository) -> None:
    content = b"# Large\n" * 10
    oid = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 80\n".encode()
    made.commit({"a.md": pointer})
    repository = find_repository(made.folder)
    assert repository.large_file(pointer, 1000) is None
    place = made.folder / ".git" / "lfs" / "objects" / oid[:2] / oid[2:4] / oid
    place.parent.mkdir(parents=True)
    place.write_bytes(content)
    assert repository.large_file(pointer, 1000) == content
    assert repository.large_file(pointer, 10) is None
    place.write_bytes(b"another")
    assert repository.large_file(pointer, 1000) is None
    assert repository.large_file(b"# no pointer", 1000) == b"# no pointer"


def test_a_folder_outside_of_any_repository_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="not in a git repository") as error:
        find_repository(tmp_path)
    assert error.value.hint == "revisions need one"
    with pytest.raises(NotFoundError, match="no such folder"):
        find_repository(tmp_path / "none")


def test_a_repository_that_git_does_not_trust_is_told(
    made: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.commit({"a.md": "a"})
    monkeypatch.setitem(git.SAFE_ENVIRONMENT, "GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(ForbiddenError, match="git does not trust the repository") as error:
        find_repository(made.folder)
    assert f"safe.directory {made.folder}" in (error.value.hint or "")


def test_missing_and_damaged_objects_give_a_message(made: GitRepository) -> None:
    made.commit({"a.md": "# A\n", "sub/b.md": "# B\n"})
    objects = made.folder / ".git" / "objects"
    repository = find_repository(made.folder)
    commit = repository.resolve("HEAD")
    blob = blob_hash(b"# A\n")
    tree = made.git("rev-parse", "HEAD^{tree}")
    _damage(objects / blob[:2] / blob[2:])
    with Blobs(repository) as read:
        assert read.read(blob) is None
        assert read.read(blob_hash(b"# B\n")) == b"# B\n"
    (objects / tree[:2] / tree[2:]).unlink()
    with pytest.raises(StorageError, match="git cannot read the repository"):
        list(repository.paths(commit.oid))
    (objects / commit.oid[:2] / commit.oid[2:]).unlink()
    with pytest.raises(LeafmarkError):
        repository.resolve("HEAD")


def _damage(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"no object")


def test_a_tree_that_repeats_itself_is_given_up(
    made: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = made.git("hash-object", "-w", "--stdin", data=b"x")
    tree = made.git("mktree", data=f"100644 blob {blob}\ta.md\n".encode())
    for _ in range(12):
        rows = "".join(f"040000 tree {tree}\td{number}\n" for number in range(4))
        tree = made.git("mktree", data=rows.encode())
    commit = made.git("commit-tree", tree, "-m", "x", at="2026-01-01T00:00:00Z")
    monkeypatch.setattr(git, "MAX_PATHS", 1000)
    with pytest.raises(StorageError, match="more than 1,000 paths"):
        list(find_repository(made.folder).paths(commit))


def test_git_that_does_not_answer_is_stopped(
    made: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    oid = made.commit({"a.md": "a"})
    repository = find_repository(made.folder)
    monkeypatch.setattr(git, "DEADLINE_S", 0.0)
    attempts = (list(repository.paths(oid)) for _ in range(1000))  # git may be faster once
    with pytest.raises(StorageError, match="git did not answer within 0 s"):
        list(attempts)


def test_what_is_done_between_two_answers_does_not_count(
    made: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.commit({"a.md": "a", "b.md": "b"})
    told: list[str] = []

    class Clock:
        daemon = False

        def __init__(self, _seconds: float, _stop: Callable[[], None]):
            """It never rings."""

        def start(self) -> None:
            told.append("runs")

        def cancel(self) -> None:
            told.append("stands")

    with Blobs(find_repository(made.folder)) as objects:
        monkeypatch.setattr(threading, "Timer", Clock)
        assert objects.read(blob_hash(b"a")) == b"a"
        assert told[-1] == "stands"
        assert objects.read(blob_hash(b"b")) == b"b"
    assert told == ["runs", "stands"] * (len(told) // 2)


def test_names_that_leave_the_top_are_left_out(made: GitRepository) -> None:
    blob = made.git("hash-object", "-w", "--stdin", data=b"x")
    rows = b"".join(
        b"100644 blob %s\t%s\0" % (blob.encode(), name)
        for name in (b"a.md", b"\xff\xfe.md", b"new\nline.md")
    )
    good = made.git("mktree", "-z", data=rows)
    raw = b"".join(
        b"%s %s\0%s" % (mode, name, bytes.fromhex(oid))
        for mode, name, oid in (
            (b"40000", b"..", good),
            (b"40000", b".git", good),
            (b"40000", b"docs", good),
        )
    )
    tree = made.git("hash-object", "-t", "tree", "--literally", "-w", "--stdin", data=raw)
    commit = made.git("commit-tree", tree, "-m", "x", at="2026-01-01T00:00:00Z")
    paths = {entry.path for entry in find_repository(made.folder).paths(commit)}
    assert paths == {"docs/a.md", "docs/\udcff\udcfe.md", "docs/new\nline.md"}


def test_a_hundred_thousand_references_and_broken_ones_are_listed(made: GitRepository) -> None:
    oid = made.commit({"a.md": "a"}, tag="v1")
    packed = "".join(f"{oid} refs/tags/t{number:06}\n" for number in range(100_000))
    (made.folder / ".git" / "packed-refs").write_text(f"# pack-refs with: sorted\n{packed}")
    heads = made.folder / ".git" / "refs" / "heads"
    (heads / "loop").write_text("ref: refs/heads/pool\n")
    (heads / "pool").write_text("ref: refs/heads/loop\n")
    (heads / "gone").write_text("1" * 40 + "\n")
    found = find_repository(made.folder).references(limit=5)
    assert len(found) == 5
    with pytest.raises(NotFoundError):
        find_repository(made.folder).resolve("loop")


def test_nothing_of_a_repository_is_run(made: GitRepository, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = made.folder / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    first = made.commit({"a.md": "# A\n", ".gitattributes": "*.md filter=x diff=x\n"}, tag="v1")
    second = made.commit({"a.md": "# B\n"})
    for name in (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass"),
        *("filter.x.smudge", "filter.x.clean", "filter.x.process", "diff.external"),
        *("diff.x.textconv", "diff.x.command", "gpg.program", "pager.log", "alias.log"),
        *("core.alternateRefsCommand", "uploadpack.packObjectsHook", "credential.helper"),
    ):
        made.git("config", name, str(script))
    made.git("config", "log.showSignature", "true")
    for hook in ("post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change"):
        path = made.folder / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(script.read_text())
        path.chmod(0o755)
    ran.unlink(missing_ok=True)
    repository = find_repository(made.folder)
    repository.references(limit=10)
    list(repository.changed_paths(first, second))
    list(repository.history(second, ["a.md"], limit=10))
    with Blobs(repository) as objects:
        for entry in repository.paths(second):
            assert objects.read(entry.oid) is not None
    assert not ran.exists()


def test_missing_objects_of_a_partial_clone_are_not_fetched(
    made: GitRepository, tmp_path: Path
) -> None:
    made.commit({"a.md": "# A\n"})
    made.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    made.git("clone", "-q", "--no-checkout", "--filter=blob:none", made.folder.as_uri(), str(clone))
    repository = find_repository(clone)
    (entry,) = repository.paths(repository.resolve("HEAD").oid)
    with Blobs(repository) as objects:
        assert objects.read(entry.oid) is None
