"""A search of a project: what it says beside its results, and what only its chunks show."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.projects import Here

from leafmark.app import search_project
from leafmark.app.answering.searching import search_params
from leafmark.app.requests import SearchRequest
from leafmark.errors import ChangedError
from leafmark.index import IndexReader
from leafmark.index.snapshot import Handle
from leafmark.model import Entry, Hint
from leafmark.parsing.code import sandbox
from leafmark.render.hint_texts import word_hint


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
    assert word_hint(hint) == (
        f"{here.project().configuration.directory} was not searched, only the trees of "
        "your own configuration: notes; `leafmark init` makes a tree of this folder, too"
    )
    assert _hints(here, "otter") == _hints(here, "walrus", notes) == []
    here.configure('[tree.docs]\npath = "."\n')
    assert _hints(here, "panda") == []


def test_under_a_budget_what_matched_below_a_heading_comes_first(here: Here) -> None:
    """Its heading is no part of the piece that matched, and is shown with it."""
    prose = "\n\n".join(f"Paragraph {at} says this and that. " * 8 for at in range(12))
    here.write("a.md", f"First.\n\n# One\n\nIt is.\n\n# Two\n\nA zebra.\n\n{prose}\n")
    request = SearchRequest(queries=("zebra",), grain="document", packed=True)
    answer = search_project(here.project(), request)
    (part,) = answer.results[0].constituents
    assert part.entry.kind == "piece"
    assert answer.packing is not None
    (item,) = answer.packing.items
    lead, best, *_ = (item.units[at] for at in item.order)
    assert item.source[lead.start : lead.end] == b"First.\n\n"
    assert item.source[best.start : best.end] == b"# Two\n\nA zebra.\n\n"


def test_records_are_of_the_chunks_that_the_index_has(here: Here) -> None:
    """Under other settings a document may have fewer chunks, or others in the same places."""
    here.write("a.md", "# A\n\nAn otter.\n\n## B\n\nA bat.\n\n## C\n\nA zebra.\n")
    here.index()
    here.configure('[chunking]\nstrategy = "section"\n')
    request = SearchRequest(queries=("zebra",), refresh=False, full_records=True)
    answer = search_project(here.project(), request._replace(aggregation=False))
    assert [one.entry.id for one in answer.results] == ["here:a.md#c"]
    assert answer.records == {}
    answer = search_project(here.project(), request._replace(refresh=True))
    assert [*answer.records] == [one.entry.id for one in answer.results] == ["here:a.md"]


def test_filters_take_a_path_as_it_is_typed(here: Here) -> None:
    here.write("a#b~1%.md", "# A\n\nx\n")
    for wanted in ("a#b~1%.md", "here:a#b~1%.md", "a%23b%7E1%25.md"):
        for asked in (f'id:"{wanted}#a"', f'under:"{wanted}#a"', f'id:"{wanted}.1"'):
            request = SearchRequest(queries=(asked,), aggregation=False)
            (result,) = search_project(here.project(), request).results
            assert result.entry.id == "here:a%23b%7E1%25.md#a", asked


def test_below_what_stands_before_the_sections_are_its_pieces_alone(here: Here) -> None:
    prose = "\n\n".join(f"Paragraph {at} says this and that. " * 8 for at in range(12))
    here.write("a.md", f"{prose}\n\n# Two\n\nThis and that.\n")

    def below(name: str) -> list[str]:
        request = SearchRequest(queries=(f"under:{name}",), aggregation=False)
        return [result.entry.fragment for result in search_project(here.project(), request).results]

    assert below("a.md#preamble") == ["", "~1", "~2", "~3"]
    assert below("a.md") == ["", "#two", "~1", "~2", "~3"]


def test_words_that_come_from_the_same_bytes_are_one_match(here: Here) -> None:
    image = '<img src="x" alt="a zebra &amp; a zebra">'
    here.write("a.html", f"<body><p>See {image} or a zebra.</p></body>\n")
    (result,) = search_project(here.project(), SearchRequest(queries=("zebra",))).results
    body = result.body_bytes or b""
    marked = [body[start:end].decode() for start, end in result.match_ranges]
    assert marked == [image, "zebra"]


def test_what_is_asked_for_decides_before_the_settings_auto_too(here: Here) -> None:
    here.configure('[search]\ngrain = "section"\nmode = "hybrid"\n')
    project = here.project()

    def found(**wished: Any) -> tuple[str, str]:
        params = search_params(project, SearchRequest(queries=("otter",), **wished))
        return params.grain, params.mode

    assert found() == ("section", "hybrid")
    assert found(grain="auto", mode="auto") == ("auto", "lexical")
    assert found(grain="piece", mode="semantic") == ("piece", "semantic")


@pytest.mark.parametrize("is_gone_before", [False, True])
def test_records_are_of_the_chunks_that_the_index_has_where_code_was_read_otherwise(
    here: Here, monkeypatch: pytest.MonkeyPatch, is_gone_before: bool
) -> None:
    """Longer code is plain text where no process can be started: for the index, or now."""
    functions = "\n".join(f"def zebra_{at}():\n    return {at}\n" for at in range(100))
    here.write("a.py", functions)

    def without_a_process() -> None:
        sandbox.CHILD.stop()
        monkeypatch.setattr(sys, "executable", None)

    if is_gone_before:
        without_a_process()
    here.index()
    monkeypatch.undo()
    request = SearchRequest(queries=("zebra_99",), refresh=False, full_records=True)
    whole = search_project(here.project(), request)
    without_a_process()
    other = search_project(here.project(), request)
    told = [len(answer.records) == len(answer.results) > 0 for answer in (whole, other)]
    assert told == [not is_gone_before, is_gone_before]


def test_an_answer_that_lacks_a_part_of_the_index_says_so(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("a.md", "walrus\n")
    request = SearchRequest(queries=("walrus",))
    assert search_project(here.project(), request).hints == ()
    monkeypatch.setattr(IndexReader, "is_partial", True)
    (hint,) = search_project(here.project(), request).hints
    assert hint.code == "partial"
    assert "did not answer" in word_hint(hint)


def test_what_changes_while_it_is_read_is_asked_for_once_more(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.write("a.md", "walrus\n")
    left = 1
    read = IndexReader.entries

    def entries(reader: IndexReader, chunks: Sequence[Handle]) -> list[Entry]:
        nonlocal left
        if left:
            left -= 1
            raise ChangedError("here:a.md was changed meanwhile")
        return read(reader, chunks)

    monkeypatch.setattr(IndexReader, "entries", entries)
    request = SearchRequest(queries=("walrus",))
    assert [one.id for one in search_project(here.project(), request).results] == ["here:a.md"]
    left = 2
    with pytest.raises(ChangedError):
        search_project(here.project(), request)


@pytest.mark.parametrize(
    ("text", "is_shortened"),
    [
        ("otter " * 3000, True),
        ('Error: "otter (' + " at line 7 of x.py," * 40, True),
        ("otter *2026-11-28*", False),
        ("otter " + "OR walrus " * 100, False),
    ],
)
def test_of_a_long_text_the_first_words_are_searched(
    here: Here, text: str, is_shortened: bool
) -> None:
    here.write("a.md", "# Animals\n\nAn otter swims.\n")
    answer = search_project(here.project(), SearchRequest(queries=(text,)))
    assert [one.entry.path for one in answer.results] == ["a.md"]
    assert ("shortened" in [hint.code for hint in answer.hints]) is is_shortened
