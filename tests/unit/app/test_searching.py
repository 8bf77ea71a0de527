"""What a search of a project says beside its results."""

from __future__ import annotations

from pathlib import Path

from support.projects import Here

from leafmark.app import search_project
from leafmark.app.requests import SearchRequest
from leafmark.model import Hint


def _hints(here: Here, query: str, folder: Path | None = None) -> list[Hint]:
    hints = search_project(here.project(folder), SearchRequest(queries=(query,))).hints
    return [hint for hint in hints if hint.code == "other-folder"]


def test_a_folder_that_was_not_searched_is_named_where_nothing_is_found(here: Here) -> None:
    here.write("a.md", "walrus\n")
    notes = here.home / "notes"
    notes.mkdir(parents=True)
    (notes / "n.md").write_text("otter\n")
    assert _hints(here, "otter") == []
    own = here.home / ".leafmark" / "leafmark.toml"
    own.parent.mkdir(exist_ok=True)
    own.write_text(f"[tree.notes]\npath = '{notes}'\n")
    (hint,) = _hints(here, "walrus")
    assert hint.message == (
        f"{here.project().configuration.directory} was not searched, but what your own "
        "configuration names: notes; `leafmark init` makes a tree of this folder, too"
    )
    assert _hints(here, "otter") == _hints(here, "walrus", notes) == []
    here.configure('[tree.docs]\npath = "."\n')
    assert _hints(here, "panda") == []
