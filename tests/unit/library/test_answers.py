"""What a program has at hand of an answer and its results."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import pytest

from leafmark import open_index, parse
from leafmark.app import open_project, search_project
from leafmark.app.requests import SearchRequest
from leafmark.render.json_objects import result_record


def test_an_answer_is_the_sequence_of_its_results(docs: Path) -> None:
    with open_index(docs) as index:
        answer = index.search("wizard")
        nothing = index.search("zeppelin")
    assert list(answer) == list(answer.results)
    assert (len(answer), answer[0], answer[-1:]) == (1, answer.results[0], answer.results)
    assert answer.results[0] in answer
    assert not nothing
    assert pickle.loads(pickle.dumps(answer)) == answer
    assert repr(answer) == "<Answer to 'wizard': 1 result>"
    assert repr(nothing) == "<Answer to 'zeppelin': 0 results>"


def test_a_result_has_what_a_program_asks_for_at_hand(docs: Path) -> None:
    with open_index(docs) as index:
        (result,) = index.search("wizard")
        (shown,) = index.show("guide.md#install").shown
    assert (result.path, result.title, result.breadcrumb) == (
        "guide.md",
        "Install",
        result.entry.breadcrumb,
    )
    assert result.text == "## Install\n\nRun the installer, then the wizard.\n\n"
    assert result.line_start == result.entry.line_start
    assert result.citation is not None
    assert repr(result) == f"<Result 1: docs:guide.md#install, score {result.score:.2f}>"
    assert repr(shown) == "<Shown docs:guide.md#install>"


@pytest.mark.parametrize("query", ["wizard", "guide", "tea kettle", "upgrade the database"])
def test_spans_are_those_of_the_json(docs: Path, query: str) -> None:
    long = " ".join(f"Sentence {number} of the guide." for number in range(200))
    (docs / "long.md").write_text(f"# Guide\n\nWizard guide {long}\n\n## Below\n\n{long}\n")
    with open_index(docs) as index:
        results = index.search(query, limit=10).results
    project = open_project(docs, flags={}, environ=dict(os.environ))
    answer = search_project(
        project, SearchRequest((query,), limit=10, full_records=True, refresh=False)
    )
    for one, other in zip(results, answer.results, strict=True):
        record = json.loads(json.dumps(result_record(other, answer.records[other.id])))
        assert (record["byte_start"], record["byte_end"], record["line_end"]) == (
            one.entry.byte_start,
            one.entry.byte_end,
            one.entry.line_end,
        )
        assert record["sha256"] == one.span_sha256


def test_a_document_is_told_in_a_line_however_long_it_is() -> None:
    assert repr(parse(b"# A\n" * 1000, path="a.md")) == ("<Document a.md: 4000 bytes of markdown>")
