"""Damage that a reader met is found and repaired by the next run that writes, and only then."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.indexes import put_in_place
from support.projects import Here

from leafmark.app import (
    Project,
    find_context,
    find_like,
    index_project,
    list_documents,
    project_status,
    search_project,
    show_chunks,
    verify_texts,
)
from leafmark.app.requests import (
    ContextRequest,
    IndexRequest,
    LikeRequest,
    ListRequest,
    SearchRequest,
    ShowRequest,
    VerifyRequest,
)
from leafmark.errors import DamagedError, StorageError
from leafmark.index import IndexMeta, IndexWriter, check_index, open_reader
from leafmark.index.folder import Layout


@pytest.fixture
def damaged(here: Here) -> Here:
    """An index whose positions are not what was written, which nobody notices who opens it."""
    for number in range(30):
        here.write(f"{number}.md", f"# Title {number}\n\nwords\n")
    here.index()
    (positions,) = Layout(here.project().index_dir).text(1).glob("*.pos")
    data = bytearray(positions.read_bytes())
    data[3] ^= 0x10
    put_in_place(positions, bytes(data))
    return here


def _meet_damage(here: Here) -> None:
    """Search until the engine gives up on what it reads."""
    reader = open_reader(here.project().index_dir)
    with pytest.raises(DamagedError) as caught, reader.guard("search the index"):
        raise ValueError("An IO error occurred: 'corrupt block'")
    assert caught.value.message == (
        "cannot search the index: the index is damaged (An IO error occurred: 'corrupt block')"
    )


def test_plain_index_repairs_what_a_reader_found_damaged(damaged: Here) -> None:
    root = damaged.project().index_dir
    assert damaged.index().rebuilt is None
    _meet_damage(damaged)
    report = damaged.index()
    assert report.rebuilt is not None
    assert report.rebuilt.startswith("the index is damaged: ")
    assert report.rebuilt.endswith(".pos is not what was written")
    assert report.documents == 30
    assert check_index(root) == []
    assert not open_reader(root).is_suspect
    assert damaged.index().rebuilt is None


def test_a_search_repairs_it_too(damaged: Here) -> None:
    _meet_damage(damaged)
    assert len(list_documents(damaged.project(), ListRequest())) == 30
    assert project_status(damaged.project()).warnings == ()


def test_the_status_of_an_index_that_cannot_be_read_is_not_that_of_none(here: Here) -> None:
    here.write("a.md", "# A\n\ntext\n")
    assert not project_status(here.project()).exists
    here.index()
    (store,) = Layout(here.project().index_dir).text(1).glob("*.store")
    put_in_place(store, bytes(len(store.read_bytes())))
    status = project_status(here.project())
    assert status.exists
    (warning,) = status.warnings
    assert warning.startswith("cannot open the index: the index is damaged (")
    assert warning.endswith("; rebuild the index")


_SEARCH = SearchRequest(("setting walrus",), mode="lexical")
_USE_CASES: dict[str, Callable[[Project], object]] = {
    "search": lambda project: search_project(project, _SEARCH),
    "show": lambda project: show_chunks(project, ShowRequest(("docs/1.md",))),
    "ls": lambda project: [*list_documents(project, ListRequest())],
    "like": lambda project: find_like(project, LikeRequest("docs/1.md", _SEARCH)),
    "context": lambda project: find_context(project, ContextRequest(("docs/1.md",), _SEARCH)),
    "verify": lambda project: verify_texts(project, VerifyRequest((("a", "see docs/1.md#one"),))),
    "index": lambda project: index_project(project, IndexRequest()),
}


def _found(answer: object) -> list[str]:
    return sorted(result.id for result in getattr(answer, "results", ()))


@pytest.mark.parametrize("name", _USE_CASES)
def test_what_a_run_meets_of_damage_it_mends(here: Here, tmp_path: Path, name: str) -> None:
    """A bit of what the engine stores is wrong, one place after another; then all of it."""
    for number in range(9):
        here.write(f"docs/{number}.md", f"# Setting {number}\n\n## One\n\nA walrus {number}.\n")
    here.index()
    root, kept = here.project().index_dir, tmp_path / "kept"
    ask = _USE_CASES[name]
    answer = ask(here.project())
    expected = _found(answer)
    shutil.copytree(root, kept)
    for number, places in enumerate([*([at] for at in range(70, 1000, 170)), range(9, 1000, 7)]):
        root.rename(tmp_path / f"before {number}")
        shutil.copytree(kept, root)
        (store,) = Layout(root).text(1).glob("*.store")
        data = bytearray(store.read_bytes())
        for at in places:
            data[at] ^= 4
        put_in_place(store, bytes(data))
        answer = ask(here.project())  # which one bit may change in a word, but not end
    assert _found(answer) == expected
    assert check_index(root) == []


@pytest.mark.parametrize("kind", ["fast", "term"])
def test_what_code_stumbles_over_is_damage_where_a_byte_is_wrong(
    here: Here, tmp_path: Path, kind: str
) -> None:
    """A bit may change a score, and be met by no command; but none ends in a traceback."""
    for number in range(9):
        here.write(f"docs/{number}.md", f"# Setting {number}\n\n## One\n\nA walrus {number}.\n")
    here.index()
    root, kept = here.project().index_dir, tmp_path / "kept"
    shutil.copytree(root, kept)
    (file,) = Layout(root).text(1).glob(f"*.{kind}")
    sound = file.read_bytes()
    reported = 0
    for at in range(0, len(sound), 13):
        data = bytearray(sound)
        data[at] ^= 0x40
        put_in_place(file, bytes(data))
        try:
            search_project(here.project(), _SEARCH._replace(refresh=False))
        except DamagedError:
            reported += 1
            search_project(here.project(), _SEARCH)
            assert check_index(root) == []
            shutil.rmtree(root)
            shutil.copytree(kept, root)
    assert reported


@pytest.mark.parametrize("name", ["meta.json", "*.term", ".tantivy-writer.lock"])
def test_a_folder_in_the_place_of_a_file_of_the_engine_is_damage(here: Here, name: str) -> None:
    here.write("a.md", "# A\n\ntext\n")
    here.index()
    (file,) = Layout(here.project().index_dir).text(1).glob(name)
    file.unlink()
    file.mkdir()
    here.write("b.md", "# B\n\ntext\n")
    report = here.index()
    assert report.rebuilt is not None
    assert report.rebuilt.endswith(
        f"the index is damaged (a folder stands in the place of the file {file.name})"
    )
    assert report.documents == 2


def test_a_mark_that_cannot_be_removed_is_damage(here: Here) -> None:
    here.write("a.md", "# A\n\ntext\n")
    here.index()
    Layout(here.project().index_dir).suspect(1).mkdir()
    here.write("b.md", "# B\n\ntext\n")
    report = here.index()
    assert (report.rebuilt or "").startswith("the index is damaged: its mark cannot be removed: ")
    assert here.index().rebuilt is None


@pytest.mark.parametrize("name", ["CURRENT", "LOCK"])
def test_a_folder_in_the_place_of_another_file_is_to_be_removed(here: Here, name: str) -> None:
    here.write("a.md", "# A\n\ntext\n")
    here.index()
    file = here.project().index_dir / name
    file.unlink()
    file.mkdir()
    here.write("b.md", "# B\n\ntext\n")
    for rebuild in (False, True):
        with pytest.raises(StorageError) as caught:
            here.run(IndexRequest(rebuild=rebuild))
        assert caught.value.location == str(file)
        assert caught.value.hint == "remove the folder: a file of the index belongs there"


def test_a_false_alarm_is_forgotten(here: Here) -> None:
    here.write("a.md", "# A\n\ntext\n")
    here.index()
    root = here.project().index_dir
    _meet_damage(here)
    assert open_reader(root).is_suspect
    assert here.index().rebuilt is None
    assert not open_reader(root).is_suspect
    assert Layout(root).generations() == [1]


def test_a_false_alarm_while_writing_removes_nothing(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2):
        here.write(f"{number}.md", f"# Page {number}\n\ntext\n")
    here.index()
    here.write("1.md", "# Page 1\n\nwalrus\n")
    alarms = [DamagedError("a block cannot be read")]
    real = IndexWriter.commit

    def commit(writer: IndexWriter, *, started_ns: int) -> IndexMeta:
        if alarms:
            raise alarms.pop()
        return real(writer, started_ns=started_ns)

    monkeypatch.setattr(IndexWriter, "commit", commit)
    report = here.index()
    assert (report.removed, report.modified, report.documents) == ((), ("here:1.md",), 2)
    assert report.diagnostics == ()
