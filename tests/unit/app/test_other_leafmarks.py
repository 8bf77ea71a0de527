"""Two leafmarks on one folder: each has its own index, and neither undoes what the other did."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.embedders import FakeServer, embedding_flags, serve_embeddings
from support.forks import Forks, open_forks
from support.indexes import contents
from support.projects import Here

from leafmark.app import Project, index_project, open_project, project_status, search_project
from leafmark.app.answering import meaning as app_meaning
from leafmark.app.answering.opening import open_index
from leafmark.app.configuration import project as project_module
from leafmark.app.doctor import examine
from leafmark.app.requests import IndexRequest, ListRequest, SearchRequest
from leafmark.app.session import Session
from leafmark.errors import NotFoundError
from leafmark.index import check_index, open_writer
from leafmark.index.folder import OTHER_LEAFMARK, UNUSED_S
from leafmark.index.lock import hold_lock
from leafmark.model import Hint
from leafmark.render.hint_texts import word_hint

OWN_VERSION = project_module.STRUCTURE_VERSION
VERSION = "leafmark.app.configuration.project.STRUCTURE_VERSION"
GRAMMARS = "leafmark.app.configuration.project.installed_grammars"
FORMATS = (
    "leafmark.index.folder.FORMAT",
    "leafmark.app.configuration.project.FORMAT",
)
OTHERS_STATE = (
    "this answer is from the index of another version of leafmark; the next run makes one for "
    "this version"
)


@contextmanager
def other(version: int = 999, format_: int | None = None) -> Iterator[None]:
    """Be another leafmark for a while."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(VERSION, version)
        for name in FORMATS if format_ else ():
            patch.setattr(name, format_)
        if format_:
            patch.setattr("leafmark.index.folder.Current.__new__.__defaults__", (format_,))
        yield


def _places(here: Here) -> list[Path]:
    return sorted(here.project().shared_dir.glob("index-*"))


def _search(project: Project, query: str) -> tuple[list[str], list[Hint]]:
    answer = search_project(project, SearchRequest((query,)))
    return [result.entry.id for result in answer.results], list(answer.hints)


def _age(project: Project, seconds: float) -> None:
    lock = project.index_dir / "LOCK"
    then = lock.stat().st_mtime - seconds
    os.utime(lock, (then, then))


def test_two_versions_in_turns_index_once_each(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    assert here.index().rebuilt is None
    own = contents(here.project().index_dir)
    with other():
        report = here.index()
        assert (report.added, report.rebuilt) == (("here:a.md",), OTHER_LEAFMARK)
    for _ in range(2):
        report = here.index()
        assert (report.added, report.unchanged, report.rebuilt) == ((), 1, None)
        with other():
            assert (here.index().unchanged, here.index().rebuilt) == (1, None)
    assert contents(here.project().index_dir) == own
    assert len(_places(here)) == 2
    here.write("b.md", "# B\n\ntwo\n")
    for _ in range(2):
        with other():
            assert _search(here.project(), "two")[0] == ["here:b.md"]
        assert _search(here.project(), "two") == (["here:b.md"], [])


@pytest.mark.parametrize("name", [VERSION, GRAMMARS])
def test_another_version_and_other_grammars_have_their_own(
    here: Here, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = here.project().index_dir
    monkeypatch.setattr(name, 999 if name == VERSION else lambda: ["tree_sitter_other"])
    assert here.project().index_dir != before
    assert here.project().shared_dir == before.parent


def test_other_settings_stay_in_their_place(here: Here) -> None:
    before = here.project().index_dir
    here.configure('[chunking]\ntarget_tokens = 200\n[search]\nstemmer = "german"\n')
    assert here.project().index_dir == before


def test_an_older_leafmark_is_not_refused(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    with other(format_=99):
        here.index()
    said = "the index was made by a version of leafmark whose indexes this one cannot read"
    with pytest.raises(NotFoundError, match=said):
        open_index(here.project(), ListRequest(refresh=False))
    assert not here.project().is_indexed
    warning = f"{said}: the next run makes one for this version"
    assert project_status(here.project()).warnings == (warning,)
    found, (hint,) = _search(here.project(), "one")
    assert (found, hint.code) == (["here:a.md"], "indexed-anew")
    assert word_hint(hint) == f"everything was indexed again: {OTHER_LEAFMARK}"
    with other(format_=99):
        assert here.index().unchanged == 1


def test_the_others_state_answers_until_the_own_is_made(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()
    with other():
        project = Session(lambda _: here.project()).project()
        reader, hints = open_index(project, ListRequest(refresh=False))
        assert reader.root != project.index_dir
        assert hints == (Hint("of-another-leafmark"),)
        assert word_hint(hints[0]) == OTHERS_STATE
        assert project_status(project).warnings == (
            "the index belongs to another version of leafmark: the next run makes one for this "
            "version",
        )
        assert project_status(project).exists
        with open_writer(project.index_dir, project.index_options()):
            assert [hint.code for hint in _search(project, "one")[1]] == ["locked"]
        environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}
        checks = examine(here.root, flags={}, environ=environ).checks
        (check,) = (each for each in checks if each.area == "index")
        assert check.message == f"there is none yet: {OTHER_LEAFMARK}"
        assert [hint.code for hint in _search(project, "one")[1]] == ["indexed-anew"]
        assert _search(project, "one") == (["here:a.md"], [])
        assert open_index(project, ListRequest(refresh=False))[0].root == project.index_dir


def test_a_first_run_that_is_interrupted_leaves_the_others_state(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()

    def interrupted(*_args: object) -> None:
        raise KeyboardInterrupt

    with other():
        with monkeypatch.context() as patch:
            patch.setattr("leafmark.app.indexing.index_run._apply", interrupted)
            with pytest.raises(KeyboardInterrupt):
                here.index()
        reader, _ = open_index(here.project(), ListRequest(refresh=False))
        assert reader.meta.documents == 1


def test_what_was_asked_once_is_not_asked_again(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("a.md", "# A\n\none\n")
    here.index()
    concern = Hint("", "it is large", "take a smaller one")
    monkeypatch.setattr("leafmark.app.indexing.refreshing.large_folder_warning", lambda _: concern)
    with other(format_=99):
        assert _search(here.project(), "one")[0] == ["here:a.md"]


def test_a_removal_by_another_leafmark_indexes_first(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    here.write("b.md", "# B\n\ntwo\n")
    here.index()
    with other():
        report = here.run(IndexRequest(paths=("a.md",), remove=True))
    assert (report.removed, report.unchanged) == (("here:a.md",), 1)
    assert report.rebuilt == OTHER_LEAFMARK


def test_a_named_file_stays(here: Here) -> None:
    here.write(".leafmarkignore", "*.log.md\n")
    here.write("a.md", "# A\n\none\n")
    here.write("b.log.md", "# B\n\ntwo\n")
    here.index()
    here.index("b.log.md")
    with other():
        assert here.index().added == ("here:a.md", "here:b.log.md")
        assert here.index().unchanged == 2


def test_the_strategy_that_a_program_chose_outlives_a_version(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(here.home))
    monkeypatch.setenv("LEAFMARK_HOME", str(here.home / ".leafmark"))
    from leafmark.library import rag_index, rag_search

    here.write("a.md", "# A\n\n" + "".join(f"## Part {n}\n\nword{n} here\n\n" for n in range(9)))
    rag_index(".", str(here.root), chunking_strategy="section")
    with other():
        (chunk,) = rag_search("word5", str(here.root))
    assert "word1" in chunk.content


# -- vectors -------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serve_embeddings() as running:
        yield running
    app_meaning.forget_embedders()


def _meaning(here: Here, server: FakeServer) -> Project:
    environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}
    return open_project(here.root, flags=embedding_flags(server), environ=environ)


def test_vectors_serve_all(here: Here, server: FakeServer) -> None:
    here.write("a.md", "# A\n\nHow to fix a car.\n")
    assert index_project(_meaning(here, server), IndexRequest()).vectors
    with other():
        report = index_project(_meaning(here, server), IndexRequest())
        assert (report.vectors, report.pending_vectors) == (0, 0)
        assert search_project(_meaning(here, server), SearchRequest(("car",))).mode == "hybrid"
    assert index_project(_meaning(here, server), IndexRequest()).vectors == 0


def test_a_compaction_keeps_what_another_leafmark_has(
    here: Here, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafmark.index.vectors.COMPACT_FROM", 1)
    monkeypatch.setattr("leafmark.index.vectors.COMPACT_SHARE", 0.0)
    monkeypatch.setattr("leafmark.index.vectors.UNUSED_S", 0.0)
    for name in ("apple", "boat", "zebra"):
        here.write(f"{name}.md", f"# Page\n\nThe {name} stands alone here.\n")
    index_project(_meaning(here, server), IndexRequest())
    with other():
        project = _meaning(here, server)
        for name in ("rose", "lily", "pansy"):  # nobody has referred to the first since the last
            here.write("apple.md", f"# Page\n\nThe {name} stands alone here.\n")
            index_project(project, IndexRequest())
    assert [path.name for path in project.shared_dir.glob("vectors/*/rows-*")] == ["rows-000002"]
    here.write("apple.md", "# Page\n\nThe apple stands alone here.\n")
    server.requests.clear()
    for name in ("boat", "zebra"):
        wish = SearchRequest((f"the {name} stands alone here",), mode="semantic")
        answer = search_project(_meaning(here, server), wish)
        assert answer.results[0].entry.id == f"here:{name}.md"
    assert index_project(_meaning(here, server), IndexRequest()).vectors == 0
    with other():
        (folder,) = project.shared_dir.glob("vectors/*")
        (folder / f"view-{project.index_dir.name}").write_bytes(b"of a format to come")
    for name in ("fig", "date"):
        here.write("apple.md", f"# Page\n\nThe {name} stands alone here.\n")
        index_project(_meaning(here, server), IndexRequest())
    assert [path.name for path in folder.glob("rows-*")] == ["rows-000002"]
    shutil.rmtree(project.index_dir)
    for name in ("plum", "quince"):
        here.write("apple.md", f"# Page\n\nThe {name} stands alone here.\n")
        index_project(_meaning(here, server), IndexRequest())
    assert [path.name for path in folder.glob("rows-*")] == ["rows-000003"]


# -- what nobody uses ------------------------------------------------------------------------


def test_an_index_that_nobody_used_for_a_week_goes(here: Here, server: FakeServer) -> None:
    here.write("a.md", "# A\n\none\n")
    with other():
        index_project(_meaning(here, server), IndexRequest())
        unused = here.project()
    index_project(_meaning(here, server), IndexRequest())
    (vectors,) = unused.shared_dir.glob("vectors/*")
    assert len([*vectors.glob("view-*")]) == 2
    _age(unused, UNUSED_S - 60)
    _age(here.project(), UNUSED_S)
    assert here.index().unchanged == 1
    assert len(_places(here)) == 2
    _age(unused, 120)
    assert here.index().unchanged == 1  # the use was noted today
    assert len(_places(here)) == 2
    _age(here.project(), UNUSED_S)
    assert _search(here.project(), "one")[0] == ["here:a.md"]
    assert _places(here) == [here.project().index_dir]
    assert [path.name for path in vectors.glob("view-*")] == [f"view-{_places(here)[0].name}"]
    with other():
        assert here.index().rebuilt == OTHER_LEAFMARK


def test_an_index_that_is_read_stays(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    with other():
        here.index()
        read = here.project()
    here.index()
    _age(read, 2 * UNUSED_S)
    read.open_reader()
    _age(here.project(), UNUSED_S / 2)
    assert here.index().unchanged == 1
    assert len(_places(here)) == 2


def test_an_index_that_is_written_stays(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    with other():
        here.index()
        written = here.project()
    here.index()
    with hold_lock(written.index_dir / "LOCK", timeout_s=0):
        for project in (written, here.project()):
            _age(project, 2 * UNUSED_S)
        here.index()
    assert check_index(written.index_dir) == []


def test_a_clock_that_was_set_back_removes_nothing(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    with other():
        here.index()
        _age(here.project(), -2 * UNUSED_S)
    here.index()
    _age(here.project(), -2 * UNUSED_S)
    assert here.index().unchanged == 1
    assert len(_places(here)) == 2


def test_a_reader_whose_index_was_removed_finds_what_there_is(here: Here) -> None:
    here.write("a.md", "# A\n\none\n")
    with other():
        here.index()
        project = Session(lambda _: here.project()).project()
        reader = project.open_reader()
    here.index()
    for each in (project, here.project()):
        _age(each, 2 * UNUSED_S)
    here.index()
    assert reader.chunks_of("here:a.md")  # what is open stays readable
    with other():
        assert open_index(project, ListRequest(refresh=False))[0].root == here_root(here)
        assert _search(project, "one")[1][0].code == "indexed-anew"
        assert open_index(project, ListRequest(refresh=False))[0].root == project.index_dir
    assert len(_places(here)) == 2


def here_root(here: Here) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(VERSION, OWN_VERSION)
        return here.project().index_dir


CHILD = """
import os, sys
from pathlib import Path
from leafmark.app import index_project
from leafmark.app.configuration import project
from leafmark.app.requests import IndexRequest
from leafmark.index import folder, lock, manifest
from leafmark.index.embedded import writer
from leafmark.index.folder import note_use
from support.dying import Dying
from support.projects import Here

dying = Dying(int(sys.argv[2]))

project.STRUCTURE_VERSION = int(sys.argv[3])
for name in ("fsync", "replace", "utime", "unlink", "rmdir", "ftruncate"):
    setattr(os, name, dying(getattr(os, name)))
writer.IndexWriter.put_prepared = dying(writer.IndexWriter.put_prepared)
writer.IndexWriter._publish = dying(writer.IndexWriter._publish)
here = Here(Path(sys.argv[1], "here"), Path(sys.argv[1], "home"))
report = here.index()
print(report.documents)
"""


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    """Has imported what an indexing leafmark needs."""
    tests = str(Path(__file__).parents[2])
    names = "import leafmark; from support import dying, projects"
    chunk = "leafmark.chunk('# A word', path='a.md')"
    with open_forks(f"sys.path[:0] = [{tests!r}]; {names}; {chunk}") as forks:
        yield forks


def _killed(forks: Forks, folder: Path, *, at: int, version: int) -> bool:
    """Index as another leafmark in a process that dies at a step; say whether it did."""
    done = forks.run(CHILD, [str(folder), str(at), str(version)])
    assert done.code in (0, -signal.SIGKILL), done.err
    return done.code != 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_an_upgrade_that_is_killed_at_every_step_leaves_the_others_index(
    here: Here, forks: Forks, tmp_path: Path
) -> None:
    here.write("a.md", "# A\n\none\n")
    here.write("b.md", "# B\n\ntwo\n")
    here.index()
    own = contents(here.project().index_dir)
    at = 1
    while _killed(forks, tmp_path, at=at, version=1000 + at):
        assert here.index().unchanged == 2
        with other(1000 + at):  # what it left is gone on with
            assert _search(here.project(), "two")[0] == ["here:b.md"]
            assert check_index(here.project().index_dir) == []
        at += 1
    assert at > 8
    assert contents(here.project().index_dir) == own


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_removal_that_is_killed_at_every_step_gives_no_half_index(
    here: Here, forks: Forks, tmp_path: Path
) -> None:
    here.write("a.md", "# A\n\none\n")
    at = 1
    while True:
        with other(1000):
            here.index()
            ours = here.project()
        with other(2000):
            here.index()
            unused = here.project()
        for each in (ours, unused):
            _age(each, 2 * UNUSED_S)
        killed = _killed(forks, tmp_path, at=at, version=1000)
        with other(2000):
            assert _search(here.project(), "one")[0] == ["here:a.md"]
            assert check_index(unused.index_dir) == []
        with other(1000):
            assert _search(here.project(), "one")[0] == ["here:a.md"]
            assert check_index(ours.index_dir) == []
        if not killed:
            break
        at += 1
    assert at > 8
