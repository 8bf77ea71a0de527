"""Listings of trees, documents, chunks and tags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.projects import Here

from leafmark.app import (
    list_chunks,
    list_documents,
    list_tags,
    list_trees,
    project_status,
    search_project,
)
from leafmark.app.requests import ListRequest, SearchRequest
from leafmark.errors import NotFoundError
from leafmark.index.records import StoredDocument
from leafmark.model import Entry


@pytest.mark.parametrize("listing", [list_trees, list_documents, list_chunks, list_tags])
def test_a_tree_that_there_is_not_is_no_empty_listing(
    here: Here, listing: Callable[..., Any]
) -> None:
    here.write("a.md", "# A\n\none\n")
    with pytest.raises(NotFoundError) as caught:
        listing(here.project(), ListRequest(trees=("here", "her")))
    assert caught.value.message == "there is no tree named 'her'"
    assert caught.value.did_you_mean == ("here",)


def test_a_tree_that_is_not_trusted_is_said_to_be(here: Here) -> None:
    (here.root.parent / "out").mkdir()
    here.configure('[tree.out]\npath = "../out"\n')
    with pytest.raises(NotFoundError) as caught:
        list_trees(here.project(), ListRequest(trees=("out",)))
    assert caught.value.hint == (
        f"{here.root}/leafmark.toml:2: tree.out lies outside of the project "
        f"({here.root.parent}/out); left out, as it is not trusted"
    )
    with pytest.raises(NotFoundError) as caught:
        list_trees(here.project(), ListRequest(trees=("far",)))
    assert caught.value.hint is None  # there is no other to name


def test_a_tree_of_another_name_is_not_indexed_yet(here: Here) -> None:
    here.write("docs/a.md", "# A\n\none\n")
    (here.root / "empty").mkdir()
    here.configure('[tree.docs]\npath = "docs"\n')
    assert project_status(here.project()).warnings == ()
    here.index()
    assert project_status(here.project()).warnings == ()
    here.configure('[tree.guides]\npath = "docs"\n[tree.empty]\npath = "empty"\n')
    status = project_status(here.project())
    assert [tree.documents for tree in status.trees] == [0, 0]
    assert status.warnings == ("nothing of tree 'guides' is indexed yet",)
    here.index()
    assert project_status(here.project()).warnings == ()


@pytest.mark.parametrize(
    "under",
    [
        *("x~y/", "./x~y", "x~y/c#1.md", "here:x~y/", "x%7Ey/c%231.md"),
        *("x~y\\", ".\\x~y", ".\\x~y\\c#1.md", "x%7Ey\\c%231.md"),
    ],
)
def test_paths_are_taken_as_they_are_on_disk_and_as_ids_have_them(here: Here, under: str) -> None:
    here.write("x~y/c#1.md", "---\ntags: [t]\n---\n# C\n\ntext\n")
    here.write("z.md", "# Z\n\ntext\n")
    request = ListRequest(under=under)
    assert [one.doc_id for one in list_documents(here.project(), request)] == [
        "here:x%7Ey/c%231.md"
    ]
    assert len(list_chunks(here.project(), request)) == 2
    assert list_tags(here.project(), request) == (("t", 1),)


@pytest.mark.parametrize(
    ("tags", "listed"),
    [(("API",), ["a", "b"]), (("api", "Über"), ["a"]), (("api", "http", "über"), [])],
)
def test_documents_have_all_tags_that_are_asked_for_in_any_case(
    here: Here, tags: tuple[str, ...], listed: list[str]
) -> None:
    here.write("a.md", "---\ntags: [Api, über]\n---\n# A\n\ntext\n")
    here.write("b.md", "---\ntags: [api, http]\n---\n# B\n\ntext\n")
    documents = list_documents(here.project(), ListRequest(tags=tags))
    assert [one.path.partition(".")[0] for one in documents] == listed
    found = search_project(here.project(), SearchRequest(("text",), tags=tags, grain="document"))
    assert sorted(one.entry.path.partition(".")[0] for one in found.results) == listed


def test_chunks_are_read_as_one_goes_through_them(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        here.write(f"{name}.md", f"# {name}\n\none\n\n## Two\n\ntwo\n")
    made: list[int] = []
    make = StoredDocument._build_entry

    def counted(stored: StoredDocument, position: int) -> Entry:
        made.append(position)
        return make(stored, position)

    monkeypatch.setattr(StoredDocument, "_build_entry", counted)
    chunks = list_chunks(here.project(), ListRequest())
    assert (len(chunks), made) == (9, [])
    entries = iter(chunks)
    assert next(entries).id == "here:a.md"
    assert made == [0]
    assert [one.id for one in chunks] == [
        f"here:{name}.md{section}"
        for name in ("a", "b", "c")
        for section in ("", f"#{name}", "#two")
    ]
    assert [*chunks] == [*chunks]
    assert next(iter(chunks)) in chunks
