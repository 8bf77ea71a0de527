"""One run of the index after another, over real files."""

from __future__ import annotations

import errno
import gc
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.listings import list_as_windows_does
from support.projects import Here, deny

from leafmark.app import project_status
from leafmark.app.configuration.project import Project
from leafmark.app.indexing import index_run, preparing, source_changes
from leafmark.app.indexing import refreshing as indexing
from leafmark.app.indexing.scanning import Scan, scan
from leafmark.app.indexing.source_changes import Plan, plan_changes
from leafmark.app.requests import IndexRequest, Progress
from leafmark.app.sources.folders import Folders, Handle, Tree
from leafmark.app.sources.source_formats import parse_source
from leafmark.errors import (
    ConfirmationError,
    LockedError,
    NotFoundError,
    StorageError,
    UsageError,
)
from leafmark.index import open_writer
from leafmark.model import Diagnostic, Document, IndexReport, Skipped
from leafmark.parsing.code import languages


def test_first_run_adds_and_the_next_leaves_alone(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.write("b/c.txt", "two\n")
    first = here.index()
    assert first.added == ("here:a.md", "here:b/c.txt")
    assert (first.documents, first.chunks) == (2, 3)
    second = here.index()
    assert (second.added, second.modified, second.removed, second.unchanged) == ((), (), (), 2)


def test_what_of_the_configuration_is_not_used_is_said(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.configure('[embedding]\nprovider = "minilm"\n')
    said = (
        f"{here.root}/leafmark.toml:2: embedding.provider chooses a program that gets your "
        "documents and queries; left out, as it is not trusted",
    )
    assert here.index().warnings == said
    assert here.run(IndexRequest(dry_run=True)).warnings == said


def test_edit_rename_and_delete_are_told_apart(here: Here) -> None:
    for name in ("a.md", "b.md", "c.md"):
        here.write(name, f"# {name}\n\ntext\n")
    here.index()
    here.write("a.md", "# changed\n\ntext\n")
    (here.root / "b.md").rename(here.root / "d.md")
    (here.root / "c.md").unlink()
    report = here.index()
    assert report.added == ("here:d.md",)
    assert report.modified == ("here:a.md",)
    assert report.removed == ("here:b.md", "here:c.md")


def test_same_time_and_size_do_not_hide_a_change(here: Here) -> None:
    path = here.write("a.md", "# A\n\none\n")
    os.utime(path, ns=(10**18, 10**18))
    here.index()
    path.write_text("# A\n\ntwo\n")
    os.utime(path, ns=(10**18, 10**18))
    assert here.index().modified == ("here:a.md",)


def test_a_file_whose_time_was_set_back_is_young_too(here: Here) -> None:
    path = here.write("a.md", "# A\n\none\n")
    os.utime(path, ns=(10**18, 10**18))
    here.index()
    known, found = here.project().open_reader().manifest, scan(here.project(), ())
    changed_ns = path.stat().st_ctime_ns
    plans = [
        plan_changes(found, known, last_run_ns=changed_ns + seconds * 10**9) for seconds in (1, 3)
    ]
    assert [len(plan.suspects) for plan in plans] == [1, 0]


def test_what_did_not_change_is_seen_at_one_glance(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_changes, "CLOCK_GRAIN_NS", 0)  # what was written just now is old
    for name in ("b.md", "a.md", "a b/x.md", "a/z.md", "a/b/c.md", "a-b/y.md", "Z/q.md"):
        os.utime(here.write(name, f"# {name}\n"), ns=(10**18, 10**18))
    (here.root.parent / "other").mkdir()
    os.utime(here.root, ns=(10**18, 10**18))
    here.configure('[tree.here]\npath = "."\nexclude = ["*.toml"]\n[tree.b]\npath = "a"\n')
    here.index()
    planned: list[Scan] = []

    def plan(found: Scan, *args: Any, **more: Any) -> Plan:
        planned.append(found)
        return plan_changes(found, *args, **more)

    monkeypatch.setattr("leafmark.app.indexing.source_changes.plan_changes", plan)
    assert here.index().unchanged == 9
    assert not planned
    path = here.root / "a/b/c.md"
    path.write_text("# new\n", encoding="utf-8")
    assert here.index().modified == ("b:b/c.md", "here:a/b/c.md")
    (here.root / "a.md").unlink()
    assert here.index().removed == ("here:a.md",)
    here.write("a/new.md", "# N\n")
    assert here.index().added == ("b:new.md", "here:a/new.md")
    path.chmod(0o600)
    assert here.index().unchanged == 10
    assert planned


def test_a_young_file_is_read_again_but_not_committed_again(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()
    reader = here.project().open_reader()
    for _ in range(3):
        assert here.index().unchanged == 1
        assert reader.is_current()
    assert here.project().open_reader().looked_ns > reader.meta.started_ns


def test_a_run_of_named_files_does_not_speak_for_the_others(here: Here) -> None:
    for name in ("a.md", "b.md"):
        here.write(name, "# A\n\none\n")
    here.index()
    before = here.project().open_reader().looked_ns
    here.index("a.md")
    assert here.project().open_reader().looked_ns == before


def test_touched_file_is_not_a_change_of_its_bytes(here: Here) -> None:
    path = here.write("a.md", "# A\n\none\n")
    os.utime(path, ns=(10**18, 10**18))
    here.index()
    path.chmod(0o600)
    report = here.index()
    assert (report.modified, report.unchanged) == ((), 1)


def test_empty_sources_make_no_chunk_and_are_not_read_again(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_changes, "CLOCK_GRAIN_NS", 0)  # what was written just now is old
    path = here.write("a.md", " \n\n")
    os.utime(path, ns=(10**18, 10**18))
    report = here.index()
    assert (report.documents, report.chunks, report.diagnostics) == (0, 0, ())
    here.index()
    monkeypatch.setattr(preparing, "read_beneath", _never)
    assert here.index().skipped == (Skipped("a.md", "empty"),)


def _never(*args: object) -> None:
    raise AssertionError("read again")


def test_binary_file_is_skipped_each_time_it_is_reported(here: Here) -> None:
    (here.root / "a.txt").write_bytes(b"PK\0\1\2")
    here.write("b.md", "# B\n\ntext\n")
    for _ in range(2):
        report = here.index()
        assert Skipped("a.txt", "binary") in report.skipped
        assert report.documents == 1


def test_a_page_that_only_leads_to_another_one_is_skipped(here: Here) -> None:
    here.write("a.html", "<title>A</title><p>Adds.")
    old = '<meta http-equiv="Refresh" content="0; url=a.html"><p>It is at <a href=a.html>A</a>.'
    here.write("old.html", old)
    here.write("old.md", old)
    report = here.index()
    assert report.added == ("here:a.html", "here:old.md")
    assert report.skipped == (Skipped("old.html", "leads to another page"),)


def test_a_source_that_becomes_binary_is_removed_and_a_new_one_is_no_addition(here: Here) -> None:
    here.write("a.txt", "text\n")
    here.write("b.txt", "\0\x01\x02" * 100)
    first = here.index()
    assert (first.added, first.documents) == (("here:a.txt",), 1)

    here.write("a.txt", "\0\x01\x02" * 200)
    second = here.index()
    assert (second.removed, second.modified, second.documents) == (("here:a.txt",), (), 0)
    assert {each.path for each in second.skipped} == {"a.txt", "b.txt"}


MIXED = {"a.md": "# A\n", "b.md": "b\n", "c.md": "c\n", "empty.md": " \n", "bin.txt": "\0\1\0"}


def _sum(report: IndexReport) -> int:
    return len(report.added) + len(report.modified) + report.unchanged


@pytest.mark.parametrize("grain_ns", [0, source_changes.CLOCK_GRAIN_NS], ids=["old", "young"])
def test_what_was_added_modified_and_left_makes_up_the_documents(
    here: Here, monkeypatch: pytest.MonkeyPatch, grain_ns: int
) -> None:
    monkeypatch.setattr(source_changes, "CLOCK_GRAIN_NS", grain_ns)
    for name, text in MIXED.items():
        here.write(name, text)
    left_out = (Skipped("bin.txt", "binary"), Skipped("empty.md", "empty"))
    for added, unchanged in ((3, 0), (0, 3), (0, 3)):
        report = here.index()
        assert (len(report.added), report.unchanged, _sum(report)) == (added, unchanged, 3)
        assert (report.documents, tuple(sorted(report.skipped))) == (3, left_out)
    assert here.run(IndexRequest(dry_run=True)).unchanged == 3
    assert tuple(sorted(project_status(here.project()).skipped)) == left_out

    here.write("a.md", "# A\n\nmore\n")
    here.write("b.md", "")
    here.write("empty.md", "no more\n")
    (here.root / "c.md").unlink()
    (here.root / "bin.txt").unlink()
    planned, report = here.run(IndexRequest(dry_run=True)), here.index()
    assert (report.added, report.modified) == (("here:empty.md",), ("here:a.md",))
    assert (planned.added, planned.modified) == (report.added, ("here:a.md", "here:b.md"))
    assert (report.removed, report.unchanged) == (("here:b.md", "here:c.md"), 0)
    assert (_sum(report), report.documents) == (2, 2)
    assert here.run(IndexRequest(paths=("a.md", "b.md"), remove=True)).removed == ("here:a.md",)


def test_of_named_paths_only_what_is_left_out_there_is_told(here: Here) -> None:
    for name, text in MIXED.items():
        here.write(f"x/{name}", text)
        here.write(f"y/{name}", text)
    here.index()
    assert {one.path for one in here.index("x").skipped} == {"x/bin.txt", "x/empty.md"}


def test_unreadable_file_is_a_diagnostic_and_stops_nothing(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("a.md", "# A\n\none\n")
    here.write("b.md", "# B\n\ntwo\n")
    deny(monkeypatch, "app.indexing.preparing", "a.md")
    report = here.index()
    (note,) = report.diagnostics
    assert (note.path, note.code, note.message) == (
        "a.md",
        "unreadable",
        "the file cannot be read: permission denied",
    )
    assert report.documents == 1


class PanicException(BaseException):
    """What the parsers raise when they give up, by its name."""


def break_parser(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> list[str]:
    """Let the parser raise an error for a.md; the list fills with the paths that it gets."""
    asked: list[str] = []

    def break_down(tree: Tree, path: str, data: bytes, *, notebook_outputs: bool) -> Document:
        asked.append(path)
        if path == "a.md":
            raise error
        return parse_source(tree, path, data, notebook_outputs=notebook_outputs)

    monkeypatch.setattr(preparing, "parse_source", break_down)
    return asked


NO_MEMORY = ("no-memory", "not enough memory")


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (RecursionError("too deep"), "failed", "RecursionError: too deep"),
        (PanicException("out of bounds"), "failed", "PanicException: out of bounds"),
        (MemoryError(), *NO_MEMORY),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), *NO_MEMORY),
        (OSError(errno.EMFILE, "Too many open files"), "unreadable", "too many open files"),
    ],
)
def test_a_source_that_breaks_a_parser_is_a_diagnostic(
    here: Here, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: str, reason: str
) -> None:
    here.write("a.md", "# A\n\none\n")
    here.write("b.md", "# B\n\ntwo\n")
    break_parser(monkeypatch, error)
    report = here.index()
    (note,) = report.diagnostics
    assert (note.path, note.code) == ("a.md", code)
    assert note.message == f"the file cannot be prepared: {reason}"
    assert (report.documents, here.index().unchanged) == (1, 1)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written just now is old."""
    monkeypatch.setattr(source_changes, "CLOCK_GRAIN_NS", 0)


@pytest.mark.usefixtures("settled")
def test_what_failed_for_lack_of_memory_is_tried_again_by_index_and_by_no_search(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("a.md", "# A\n\none\n")
    here.write("b.md", "# B\n\ntwo\n")
    with monkeypatch.context() as patch:
        asked = break_parser(patch, MemoryError())
        here.index()
        seq = here.project().open_reader().meta.seq
        asked.clear()
        for _ in range(2):
            assert indexing.refresh(here.project()).reader.meta.seq == seq
        assert not asked
        assert (len(here.index().diagnostics), asked) == (1, ["a.md"])
        assert here.project().open_reader().meta.seq == seq  # nothing new is to be committed
    report = here.index()
    assert (report.added, report.unchanged, report.diagnostics) == (("here:a.md",), 1, ())
    assert here.index().unchanged == 2


@pytest.mark.usefixtures("settled")
def test_what_breaks_a_parser_is_not_tried_again(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("a.md", "# A\n\none\n")
    asked = break_parser(monkeypatch, RecursionError())
    for _ in range(3):
        here.index()
    assert asked == ["a.md"]


@pytest.mark.usefixtures("settled")
def test_a_file_that_cannot_be_read_is_tried_again(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing about a file changes when too many others are open, or another user asks."""
    here.write("a.md", "# A\n\none\n")
    here.write("named.md", "# N\n\ntwo\n")
    here.write(".gitignore", "named.md\n")
    with monkeypatch.context() as patch:
        deny(patch, "app.indexing.preparing", "a.md")
        here.index()
    with monkeypatch.context() as patch:
        deny(patch, "app.indexing.preparing", "named.md")
        assert here.index("named.md").added == ()
    assert here.index("a.md").added == ("here:a.md",)
    assert here.index().added == ("here:named.md",)


def test_no_memory_to_read_a_file_is_a_diagnostic(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("a.md", "# A\n\none\n")

    def read(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(preparing, "read_beneath", read)
    (note,) = here.index().diagnostics
    assert (note.code, note.message) == ("no-memory", "the file cannot be read: not enough memory")


def test_a_missing_grammar_is_said_once_with_what_to_do(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = {"tree_sitter_cpp", "tree_sitter_ruby"}
    monkeypatch.setattr(languages, "has_module", lambda name: name not in missing)
    for name in ("a.py", "b.cpp", "c.cpp", "Rakefile", "d.md"):
        here.write(name, "x = 1\n")
    message = (
        "3 files read as plain text, without the grammar of cpp and ruby: "
        'pip install "leafmark[code]"'
    )
    for _ in range(2):
        assert [d for d in here.index().diagnostics if d.code == "grammar"] == [
            Diagnostic("Rakefile", "grammar", message)
        ]
    missing.clear()
    assert here.index().diagnostics == ()


def test_missing_root_keeps_its_documents(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.configure('[tree.here]\npath = "docs"\n')
    (here.root / "docs").mkdir()
    here.write("docs/a.md", "# A\n\none\n")
    here.index()
    (here.root / "docs").rename(here.root / "gone")
    report = here.index()
    assert report.removed == ()
    assert report.documents == 1
    (note,) = report.diagnostics
    assert note.code == "tree-missing"
    assert note.message == "the folder of tree `here` does not exist; its documents are kept"
    for rebuild in (True, False):  # what was indexed anew without them has none to keep
        (note,) = here.run(IndexRequest(rebuild=rebuild)).diagnostics
        assert note.message.endswith("; its documents are indexed when it is back")
    (here.root / "gone").rename(here.root / "docs")
    assert here.index().added == ("here:a.md",)


@pytest.mark.parametrize("paths", [(), ("docs",)])
def test_what_stands_in_an_unreadable_folder_is_kept(
    here: Here, monkeypatch: pytest.MonkeyPatch, paths: tuple[str, ...]
) -> None:
    here.write("docs/a.md", "# A\n\none\n")
    here.write("docs/closed/b.md", "# B\n\ntwo\n")
    here.index()
    real = Folders.open

    def opened(self: Folders, path: str) -> Handle:
        if path == "docs/closed/":
            raise PermissionError(13, "Permission denied")
        return real(self, path)

    monkeypatch.setattr(Folders, "open", opened)
    report = here.index(*paths)
    assert (report.removed, report.documents) == ((), 2)
    assert [note.path for note in report.diagnostics] == ["docs/closed/"]


def test_named_file_stays_although_an_ignore_rule_leaves_it_out(here: Here) -> None:
    here.write(".gitignore", "*.md\n")
    here.write("a.md", "# A\n\none\n")
    assert here.index().documents == 0
    assert here.index("a.md").added == ("here:a.md",)
    report = here.index()
    assert (report.removed, report.documents) == ((), 1)
    (here.root / "a.md").unlink()
    assert here.index().removed == ("here:a.md",)


@pytest.mark.parametrize("folder", [".plans", ".plans/deep", "built"])
def test_what_a_named_folder_holds_stays_although_a_rule_leaves_it_out(
    here: Here, folder: str
) -> None:
    here.write(".gitignore", "built/\n")
    here.write("a.md", "# A\n")
    for path in (".plans/next.md", ".plans/deep/far.md", "built/page.md"):
        here.write(path, "# Okapi\n")
    here.index()
    added = here.index(folder).added
    assert added
    assert all(name.startswith(f"here:{folder}/") for name in added)
    later = here.index()
    assert (later.removed, later.unchanged) == ((), 1 + len(added))
    here.write(f"{folder}/new.md", "# New\n")
    (here.root / added[0].removeprefix("here:")).unlink()
    gone = here.index()
    assert (gone.removed, gone.added) == ((added[0],), ())


def test_a_folder_that_is_read_anyway_is_not_remembered(here: Here) -> None:
    here.write("docs/a.md", "# A\n")
    here.index("docs")
    here.write(".gitignore", "docs/\n")
    assert here.index().removed == ("here:docs/a.md",)


def test_what_is_left_out_but_was_named_is_not_told_as_skipped(here: Here) -> None:
    here.write("a.json", "[1]\n")
    here.write("b.json", "[2]\n")
    here.index("a.json")
    left_out = (Skipped("b.json", "data file"),)
    assert here.index().skipped == left_out
    assert here.run(IndexRequest(dry_run=True)).skipped == left_out
    assert project_status(here.project()).skipped == left_out


def test_a_named_file_stays_named_when_it_changes(here: Here) -> None:
    here.write(".gitignore", "*.md\n")
    here.write("a.md", "# A\n\none\n")
    here.index("a.md")
    here.write("a.md", "\0" * 100)
    assert here.index().removed == ("here:a.md",)
    here.write("a.md", "# A\n\none and two\n")
    assert here.index().added == ("here:a.md",)
    assert here.index().documents == 1


@pytest.mark.parametrize("first", [(), ("a/x.md",)], ids=["later", "first of all"])
def test_only_the_file_that_is_named_is_remembered_as_that(
    here: Here, first: tuple[str, ...]
) -> None:
    for path in ("a/x.md", "a/y.md", "z.md"):
        here.write(path, "# A\n\none\n")
    here.index(*first)
    for path in ("a/x.md", "a/y.md"):
        here.write(path, "# A\n\none and two\n")
    here.index("a", "a/x.md")
    here.write(".gitignore", "*.md\n")
    assert here.index().removed == ("here:a/y.md", "here:z.md")


def test_paths_limit_what_is_looked_at(here: Here) -> None:
    here.write("a/x.md", "# X\n\none\n")
    here.write("b/y.md", "# Y\n\ntwo\n")
    here.index()
    here.write("a/x.md", "# X\n\nthree\n")
    here.write("b/y.md", "# Y\n\nfour\n")
    (here.root / "a" / "z.md").write_text("# Z\n\nfive\n")
    report = here.index("a")
    assert (report.added, report.modified) == (("here:a/z.md",), ("here:a/x.md",))
    assert here.index().modified == ("here:b/y.md",)


def test_a_named_file_is_no_other_whose_name_begins_alike(here: Here) -> None:
    for name in ("a.md", "a.mdx", "a.md.txt"):
        here.write(name, "# A\n\none\n")
    here.index()
    assert here.index("a.md").removed == ()
    removal = here.run(IndexRequest(paths=("a.md",), remove=True))
    assert (removal.removed, removal.unchanged) == (("here:a.md",), 2)


def test_a_file_in_the_place_of_a_folder_takes_the_place_of_what_was_in_it(here: Here) -> None:
    here.write("a.md/b.md", "# B\n\none\n")
    here.index()
    shutil.rmtree(here.root / "a.md")
    here.write("a.md", "# A\n\none\n")
    report = here.index("a.md")
    assert (report.added, report.removed) == (("here:a.md",), ("here:a.md/b.md",))


def test_path_outside_is_refused_whole(here: Here, tmp_path: Path) -> None:
    here.write("a.md", "# A\n\none\n")
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    with pytest.raises(UsageError) as caught:
        here.index(str(outside))
    assert caught.value.message == f"{str(outside)!r} is in none of the trees of this project"
    assert caught.value.hint == "it may be a project of its own"
    with pytest.raises(NotFoundError, match=r"there is nothing at 'missing\.md'"):
        here.index("missing.md")


def test_a_named_link_to_a_folder_leads_to_what_is_there(here: Here, tmp_path: Path) -> None:
    """Its sources have one path; what lies out of the tree is none of it."""
    here.write("docs/a.md", "# A\n\none\n")
    (here.root / "link").symlink_to("docs")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "o.md").write_text("# O\n\ntwo\n")
    (here.root / "out").symlink_to(tmp_path / "out")
    report = here.index("link")
    assert (report.added, report.diagnostics) == (("here:docs/a.md",), ())
    assert here.index("link/a.md").unchanged == 1
    for path in ("out", "out/o.md"):
        with pytest.raises(UsageError, match="is in none of the trees"):
            here.index(path)


def test_paths_that_cannot_be_looked_at_are_no_mistake_of_ours(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    (here.root / "loop").symlink_to("loop")
    assert here.index("loop").skipped == (Skipped("loop", "broken link"),)
    with pytest.raises(NotFoundError, match="there is nothing at 'xxx"):
        here.index("x" * 300)
    long = "x" * 300
    here.configure(f'[tree.here]\npath = "."\n[tree.long]\npath = "{long}"\n')
    assert here.index().documents == 1
    assert [tree.missing for tree in project_status(here.project()).trees] == [False, True]


def test_a_path_where_nobody_may_look_is_not_said_to_be_empty(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = os.lstat

    def refuse(path: Any, **more: Any) -> os.stat_result:
        if str(path).endswith("hidden.md"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return look(path, **more)

    monkeypatch.setattr(os, "lstat", refuse)
    with pytest.raises(StorageError, match=r"^the file cannot be read: permission denied \("):
        here.index("hidden.md")


def test_remove_takes_out_and_index_brings_back(here: Here) -> None:
    here.write("a/x.md", "# X\n\none\n")
    here.write("b.md", "# B\n\ntwo\n")
    here.index()
    report = here.run(IndexRequest(paths=("a",), remove=True))
    assert (report.removed, report.documents) == (("here:a/x.md",), 1)
    assert here.index().added == ("here:a/x.md",)


def test_a_dry_removal_says_what_a_removal_does_and_writes_nothing(here: Here) -> None:
    here.write("a/x.md", "# X\n\none\n")
    here.write("b.md", "# B\n\ntwo\n")
    removal = IndexRequest(paths=("a",), remove=True)
    assert here.run(removal._replace(dry_run=True)).removed == ()
    assert not here.project().index_dir.exists()
    here.index()
    planned = here.run(removal._replace(dry_run=True))
    assert (planned.removed, planned.unchanged, planned.documents) == (("here:a/x.md",), 1, 2)
    done = here.run(removal)
    assert (done.removed, done.unchanged, done.documents) == (planned.removed, 1, 1)


def test_a_removal_keeps_the_others_where_the_settings_have_changed(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.write("b.md", "# B\n\ntwo\n")
    here.index()
    here.configure("[chunking]\nheading_levels = 0\n")
    report = here.run(IndexRequest(paths=("a.md",), remove=True))
    assert (report.removed, report.unchanged, report.documents) == (("here:a.md",), 1, 1)
    assert report.rebuilt == "settings have changed"


@pytest.mark.parametrize("rebuild", [True, False])
def test_a_named_file_stays_where_all_is_indexed_anew(here: Here, rebuild: bool) -> None:
    here.write(".leafmarkignore", "*.log.md\n")
    here.write("a.md", "# A\n\none\n")
    here.write("b.log.md", "# B\n\ntwo\n")
    here.write("c.log.md", "# C\n\nthree\n")
    here.index()
    here.index("b.log.md", "c.log.md")
    (here.root / "c.log.md").unlink()
    if not rebuild:
        here.configure("[chunking]\nheading_levels = 0\n")
    report = here.run(IndexRequest(rebuild=rebuild))
    assert report.rebuilt is not None
    assert (report.added, report.documents) == (("here:a.md", "here:b.log.md"), 2)
    assert here.index().unchanged == 2


def test_a_removal_makes_nothing_young(here: Here) -> None:
    for name in ("a.md", "b.md"):
        os.utime(here.write(name, "# T\n\ntext\n"), ns=(10**18, 10**18))
    here.index()
    looked_ns = here.project().open_reader().looked_ns
    here.run(IndexRequest(paths=("a.md",), remove=True))
    assert here.project().open_reader().looked_ns == looked_ns


def test_dry_run_writes_nothing(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    report = here.run(IndexRequest(dry_run=True))
    assert (report.added, report.documents, report.dry_run) == (("here:a.md",), 0, True)
    assert not here.project().index_dir.exists()


def test_settings_that_matter_rebuild_by_themselves(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()
    here.configure("[chunking]\nheading_levels = 0\n")
    report = here.index()
    assert report.rebuilt == "settings have changed"
    assert report.chunks == 1
    here.configure("[chunking]\nheading_levels = 0\n[search]\nlimit = 3\n")
    assert here.index().rebuilt is None


def _interrupt_at(call: int) -> Callable[..., Document]:
    calls = 0

    def parse(tree: Tree, path: str, data: bytes, *, notebook_outputs: bool) -> Document:
        nonlocal calls
        calls += 1
        if calls == call:
            os.kill(os.getpid(), signal.SIGINT)
        return parse_source(tree, path, data, notebook_outputs=notebook_outputs)

    return parse


def test_interrupted_run_keeps_what_it_did_and_goes_on(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        here.write(f"{name}.md", f"# {name}\n\ntext\n")
    with monkeypatch.context() as patch:
        patch.setattr(preparing, "parse_source", _interrupt_at(2))
        report = here.index()
    assert (report.interrupted, report.documents) == (True, 2)
    assert here.index().added == ("here:c.md",)


def test_interrupted_rebuild_leaves_the_old_index(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        here.write(f"{name}.md", f"# {name}\n\ntext\n")
    here.index()
    with monkeypatch.context() as patch:
        patch.setattr(preparing, "parse_source", _interrupt_at(1))
        with pytest.raises(KeyboardInterrupt):
            here.run(IndexRequest(rebuild=True))
    report = here.index()
    assert (report.unchanged, report.documents, report.rebuilt) == (3, 3, None)


def _overtaken(
    here: Here, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], object]
) -> None:
    """Let something happen between the first look of the next run and what it does."""

    def look(project: Project, paths: tuple[str, ...], progress: Progress | None = None) -> Scan:
        found = scan(project, paths, progress)
        monkeypatch.setattr(indexing, "scan", scan)
        meanwhile()
        return found

    monkeypatch.setattr(indexing, "scan", look)


@pytest.mark.parametrize(
    ("paths", "settings", "rebuild"),
    [((), "", False), (("a",), "", False), ((), "", True), ((), "heading_levels = 0\n", False)],
    ids=["all", "a folder", "rebuild", "settings"],
)
def test_what_a_faster_run_added_stays(
    here: Here,
    monkeypatch: pytest.MonkeyPatch,
    paths: tuple[str, ...],
    settings: str,
    rebuild: bool,
) -> None:
    here.write("a/a.md", "# A\n\none\n")
    here.index()
    here.configure(f"[chunking]\n{settings}")

    def other_run() -> None:
        here.write("a/b.md", "# B\n\ntwo\n")
        (here.root / "leafmark.toml").unlink()
        here.index()
        here.configure(f"[chunking]\n{settings}")

    _overtaken(here, monkeypatch, other_run)
    report = here.run(IndexRequest(paths=paths, rebuild=rebuild))
    assert (report.removed, report.documents) == ((), 2)


def test_the_first_of_two_runs_at_once_is_not_undone(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("a.md", "# A\n\none\n")

    def other_run() -> None:
        here.write("b.md", "# B\n\ntwo\n")
        here.index()

    _overtaken(here, monkeypatch, other_run)
    reader = indexing.refresh(here.project()).reader
    assert sorted(path for _, path in reader.manifest) == ["a.md", "b.md"]


def test_locked_index_says_so_after_waiting(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()
    here.write("b.md", "# B\n\ntwo\n")
    here.configure("[index]\nlock_timeout_s = 0\n")
    project = here.project()
    with open_writer(project.index_dir, project.index_options()), pytest.raises(LockedError):
        here.index()


def test_home_folder_is_not_indexed_unasked(here: Here) -> None:
    project = here.project(here.home)
    with pytest.raises(ConfirmationError) as caught:
        indexing.index_project(project, IndexRequest())
    assert caught.value.message == f"{here.home} is your home folder"
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("confirm that it should be indexed, or ")


def test_runs_at_once_leave_the_collector_as_they_found_it(here: Here) -> None:
    """Two threads index two folders, and the first to begin is the first to end."""
    before = gc.get_threshold()
    first, second = index_run.gc_throttled(), index_run.gc_throttled()
    with first:
        second.__enter__()
        assert gc.get_threshold()[0] >= 50_000
    assert gc.get_threshold()[0] >= 50_000
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before


def test_where_listings_tell_no_inodes_what_did_not_change_is_not_read_again(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    list_as_windows_does(monkeypatch)
    monkeypatch.setattr(source_changes, "CLOCK_GRAIN_NS", 0)  # what was written just now is old
    for name in ("a.md", "sub/b.md"):
        os.utime(here.write(name, f"# {name}\n"), ns=(10**18, 10**18))
    here.index()
    monkeypatch.setattr("leafmark.app.indexing.preparing.read_beneath", _never)
    assert here.index().unchanged == 2
    assert here.index("a.md").unchanged == 1


def test_a_file_named_in_other_letters_is_the_one_that_is_there(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS and Windows, which a second name that no folder lists stands for here."""
    here.write("Sub/Readme.md", "# Read me\n\nA walrus.\n")
    here.write("Sub/e\u0301.md", "# E\n\nAn otter.\n")
    os.link(here.root / "Sub/Readme.md", here.root / "Sub/rEADME.MD")
    os.link(here.root / "Sub/e\u0301.md", here.root / "Sub/\xe9.md")
    listdir, scandir = os.listdir, os.scandir
    unlisted = ("rEADME.MD", "\xe9.md")

    @contextmanager
    def scanned(where: Any) -> Iterator[Any]:
        with scandir(where) as entries:
            yield [entry for entry in entries if entry.name not in unlisted]

    monkeypatch.setattr(os, "listdir", lambda at: [n for n in listdir(at) if n not in unlisted])
    monkeypatch.setattr(os, "scandir", scanned)
    report = here.index("Sub/rEADME.MD", "Sub/\xe9.md")
    assert report.added == ("here:Sub/Readme.md", "here:Sub/e\u0301.md")
    assert here.index().unchanged == 2
    assert here.project().keys_of(here.root / "Sub/\xe9.md") == [("here", "Sub/e\u0301.md")]
