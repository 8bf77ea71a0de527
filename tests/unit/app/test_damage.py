"""Damage that a reader met is found and repaired by the next run that writes, and only then."""

from __future__ import annotations

import pytest
from support.indexes import put_in_place
from support.projects import Here

from leafmark.app import list_documents, project_status
from leafmark.app.requests import ListRequest
from leafmark.errors import DamagedError
from leafmark.index import check_index, open_reader
from leafmark.index.layout import Layout


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
    assert warning.endswith("; run `leafmark index --rebuild`")


def test_a_false_alarm_is_forgotten(here: Here) -> None:
    here.write("a.md", "# A\n\ntext\n")
    here.index()
    root = here.project().index_dir
    _meet_damage(here)
    assert open_reader(root).is_suspect
    assert here.index().rebuilt is None
    assert not open_reader(root).is_suspect
    assert Layout(root).generations() == [1]
