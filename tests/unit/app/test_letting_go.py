"""A program that asks for days: what an answer was made with is gone with it."""

from __future__ import annotations

import functools
import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.projects import Here

from leafmark.app import (
    find_context,
    find_like,
    list_chunks,
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
from leafmark.environment import give_back_memory
from leafmark.index import IndexReader, open_reader

_ALL = SearchRequest((), refresh=False)


def _search(*queries: str, **wishes: Any) -> Callable[[Here], object]:
    request = SearchRequest(queries, **wishes)
    return lambda here: search_project(here.project(), request)


@contextmanager
def _no_collector() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "ask",
    [
        _search("walrus otter", full_text=True),
        _search("walrus", "otter"),
        _search("walros", explain=True),
        _search('"a walrus" path:a has:code under:a.md tree:here id:b.md lang:py'),
        _search("giraffe", trees=("here",), tags=("t",), expand=("siblings",)),
        lambda here: show_chunks(here.project(), ShowRequest(ids=("a.md", "c.md"))),
        lambda here: find_like(here.project(), LikeRequest("a.md", _ALL)),
        lambda here: find_context(here.project(), ContextRequest(("b.md",), _ALL)),
        lambda here: verify_texts(here.project(), VerifyRequest((("-", "[here:a.md@0:0-1]"),))),
        lambda here: list_chunks(here.project(), ListRequest()),
        lambda here: here.run(IndexRequest()),
    ],
)
def test_an_index_is_let_go_without_pythons_search_for_cycles(
    here: Here, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Here], object]
) -> None:
    """Each one that stays holds files that were removed, and a thread."""
    here.write("a.md", "# Sea\n\nA walrus.\n\n## More\n\nAnd an otter.\n")
    here.write("b.md", "# Zoo\n\nA walrus and an otter.\n")
    here.index()
    opened: list[weakref.ref[IndexReader]] = []

    def watched(root: Path) -> IndexReader:
        reader = open_reader(root)
        opened.append(weakref.ref(reader))
        return reader

    monkeypatch.setattr("leafmark.app.configuration.project.open_reader", watched)
    with _no_collector():
        ask(here)
        assert opened
        assert [each() for each in opened if each() is not None] == []


def test_what_was_remembered_of_texts_goes_with_commits(here: Here) -> None:
    """Else a server keeps the words of thousands of edits that nobody has any more."""
    here.write("a.md", "---\ntitle: Wombats\n---\n# Wombats\n\n## Dig deep\n\nThey dig burrows.\n")
    here.write("b.html", "<main class='note'><h1>Walrus</h1><p>It swims.</p></main>")
    here.index()
    search_project(here.project(), SearchRequest(("burrow swims",), mode="lexical"))
    memos = [
        value
        for name, module in [*sys.modules.items()]
        if name.startswith(("leafmark.index.", "leafmark.parsing.", "leafmark.search."))
        for value in vars(module).values()
        if isinstance(value, functools._lru_cache_wrapper)
        and (value.cache_parameters()["maxsize"] or 0) > 1_000
    ]
    assert any(each.cache_info().currsize for each in memos)
    for _ in range(100):
        give_back_memory()
    assert [each for each in memos if each.cache_info().currsize] == []
