"""llms-full.txt is written document by document, and replaced when all of it is there."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Any

import pytest
from support.projects import Here

from leafmark.app import write_llms
from leafmark.app.agents import agent_files
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import LlmsRequest
from leafmark.app.writing import replacing
from leafmark.errors import StorageError
from leafmark.model import ChunkedDocument

_READ = Sources.chunked


@pytest.fixture
def project(here: Here) -> Here:
    for number in range(5):
        here.write(f"{number}.md", f"# Title {number}\n\nText {number}.\n")
    here.index()
    return here


def test_each_document_is_written_before_the_next_is_read(
    project: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    path = project.root / "site" / "llms-full.txt"

    def read(sources: Sources, entry: Any, reader: Any) -> ChunkedDocument | None:
        (draft,) = path.parent.iterdir()
        steps.append(f"{draft.stat().st_size > 0:d}{entry.path}")
        return _READ(sources, entry, reader)

    monkeypatch.setattr(Sources, "chunked", read)
    # the draft is buffered: here every piece shows
    monkeypatch.setattr(agent_files, "replacing", _unbuffered(replacing))
    report = write_llms(project.project(), LlmsRequest("site"))
    assert steps == ["00.md", "11.md", "12.md", "13.md", "14.md"]
    assert (report.documents, report.stale) == (5, ())
    assert path.read_text().count("\nSource: ") == 5
    assert sorted(os.listdir(path.parent)) == ["llms-full.txt", "llms.txt"]


def _unbuffered(replace: Any) -> Any:
    @contextmanager
    def replaced(*arguments: Any, **options: Any) -> Any:
        with replace(*arguments, **options) as write:

            def write_through(data: bytes) -> None:
                write(data)
                write.__self__.flush()

            yield write_through

    return replaced


def test_what_ends_half_way_leaves_both_files(
    project: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_llms(project.project(), LlmsRequest("site"))
    folder = project.root / "site"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    project.write("5.md", "# Title 5\n\nText 5.\n")

    def read(sources: Sources, entry: Any, reader: Any) -> ChunkedDocument | None:
        if entry.path == "3.md":
            raise KeyboardInterrupt
        return _READ(sources, entry, reader)

    monkeypatch.setattr(Sources, "chunked", read)
    with pytest.raises(KeyboardInterrupt):
        write_llms(project.project(), LlmsRequest("site"))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_where_the_list_cannot_be_written_the_texts_stay_as_they_were(project: Here) -> None:
    folder = project.root / "site"
    (folder / "llms.txt").mkdir(parents=True)
    (folder / "llms-full.txt").write_text("ours\n")
    with pytest.raises(StorageError) as caught:
        write_llms(project.project(), LlmsRequest("site"))
    assert caught.value.location == str(folder / "llms.txt")
    assert (folder / "llms-full.txt").read_text() == "ours\n"
    assert len(os.listdir(folder)) == 2


def test_a_source_that_changed_is_left_out_of_both(project: Here) -> None:
    request = LlmsRequest("site", refresh=False)
    project.write("1.md", "# Another\n\nOther.\n")
    report = write_llms(project.project(), request)
    assert (report.documents, report.stale) == (4, ("here:1.md",))
    assert "1.md" not in (project.root / "site" / "llms-full.txt").read_text()
