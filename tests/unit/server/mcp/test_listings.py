"""What listing costs, by the paths that are compared."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from support.projects import Here

from leafmark.server.mcp import listings
from leafmark.server.mcp.request import Request
from leafmark.server.workspace import Freshness


class Name(str):
    """The path of a file at the top of a tree; comparisons of two are counted."""

    compared = 0

    def partition(self, separator: str) -> tuple[str, str, str]:
        return self, "", ""

    def __add__(self, other: str) -> str:
        return Name(str(self) + other)

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str(self) == other

    __hash__ = str.__hash__


def test_no_file_is_compared_with_all_others(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    here.index()
    files = [SimpleNamespace(tree="here", path=Name(f"{number:04}.md")) for number in range(500)]
    monkeypatch.setattr(listings, "list_documents", lambda *_: files)
    draft = listings.list_sources(Request(here.project(), {}, Freshness("fresh")))
    (tree,) = draft.make(draft.size, True).data["trees"]
    assert tree["folders"] == [*(f"{number:04}.md" for number in range(12)), "…"]
    assert Name.compared < 2 * len(files)
