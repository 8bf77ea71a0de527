"""A cross-encoder orders the best results, within a deadline; else the order stays."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from math import prod
from types import SimpleNamespace
from typing import Any

import pytest
from support.projects import Here
from support.threads import left_after

from leafmark.app import Project, examine, index_project, open_project, search_project
from leafmark.app import background as app_reranking
from leafmark.app.doctor import check_reranker
from leafmark.app.requests import IndexRequest, SearchRequest
from leafmark.model import Answer, Check, Factor
from leafmark.render.hint_texts import word_hint

GUIDE = """# Workshop

## Engine

How to fix a car that does not start. A car needs a car key.

## Tyres

How to fix a car with a flat tyre, and nothing else.
"""


class CrossEncoder:
    """A text is relevant that has the last word of the query in it."""

    asked: list[tuple[str, str]]
    release: threading.Event | None = None
    answer: Any = None

    def __init__(self) -> None:
        self.asked = []

    def predict(self, pairs: Sequence[tuple[str, str]], show_progress_bar: bool) -> Any:
        self.asked += pairs
        if self.release is not None:
            self.release.wait(30)
        if self.answer is not None:
            raise self.answer
        import numpy as np

        return np.array([[float(query.split()[-1] in text)] for query, text in pairs])


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[CrossEncoder]:
    made = CrossEncoder()

    def load(name: str) -> CrossEncoder:
        if name == "none":
            raise OSError("no such model")
        return made

    package = SimpleNamespace(CrossEncoder=load, disable_progress_bar=lambda: None)
    monkeypatch.setattr("leafmark.embedding.local.import_module", lambda name: package)
    yield made
    app_reranking.forget_rerankers()


def project(here: Here, **settings: object) -> Project:
    here.write("guide.md", GUIDE)
    flags = {"rerank.provider": "sentence-transformers", "search.aggregation_threshold": 1.0}
    environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}
    flags |= {f"rerank.{name}": value for name, value in settings.items()}
    found = open_project(here.root, flags=flags, environ=environ)
    index_project(found, IndexRequest())
    return found


def search(project: Project, query: str, **wishes: Any) -> Answer:
    return search_project(project, SearchRequest((query,), aggregation=False, **wishes))


def ids(answer: Answer) -> list[str]:
    return [result.entry.id for result in answer.results]


ENGINE, TYRES = "here:guide.md#engine", "here:guide.md#tyres"


def value_of(factors: tuple[Factor, ...]) -> float:
    added = [
        value_of(each.parts) if each.parts else each.value
        for each in factors
        if each.operation == "add"
    ]
    return sum(added) * prod(each.value for each in factors if each.operation == "multiply")


def test_the_best_results_stand_in_the_order_of_the_model(here: Here, model: CrossEncoder) -> None:
    desk = project(here)
    answer = search(desk, "car tyre", explain=True)
    scores = [result.score for result in answer.results]
    assert ids(answer) == [TYRES, ENGINE]
    assert scores == sorted(scores, reverse=True)
    assert {query for query, _ in model.asked} == {"car tyre"}
    assert any(text.startswith("> Workshop › Tyres\n\n") for _, text in model.asked)
    phase = next(phase for phase in answer.phases if phase.name == "rerank")
    assert (phase.before, phase.after) == (2, 2)
    for result in answer.results:
        assert result.factors[-1].name == "rerank"
        assert value_of(result.factors) == pytest.approx(result.score, rel=1e-6)


def test_the_order_changes_and_the_scores_do_not(here: Here, model: CrossEncoder) -> None:
    plain = search(project(here, provider="none"), "fix car")
    asked = search(project(here), "fix car else")  # all words need not match
    assert ids(plain) == [ENGINE, TYRES]
    assert ids(asked)[0] == TYRES
    again = search(project(here, results=1), "fix car")
    assert ids(again) == [ENGINE, TYRES]


def test_what_is_sorted_otherwise_is_not_read(here: Here, model: CrossEncoder) -> None:
    search(project(here), "fix car", sort="path")
    search(project(here), "path:guide")
    assert model.asked == []


def test_a_model_that_is_late_changes_nothing(here: Here, model: CrossEncoder) -> None:
    model.release = threading.Event()
    answer = search(project(here, deadline_s=0.0), "fix car")
    model.release.set()
    assert ids(answer) == [ENGINE, TYRES]
    assert [word_hint(hint) for hint in answer.hints] == [
        "the reranker did not answer within 0 s, so the order is that without it; "
        "rerank.deadline_s is how long a search waits"
    ]


def test_searches_that_are_over_leave_no_thread_that_asks_the_model(
    here: Here, model: CrossEncoder
) -> None:
    desk = project(here, deadline_s=0.0)
    search(desk, "fix car")
    assert left_after(60, "reranker") == []
    model.asked.clear()
    with app_reranking.READING:
        for _ in range(3):
            assert ids(search(desk, "fix car")) == [ENGINE, TYRES]
        assert left_after(60, "reranker") == []
    assert model.asked == []


def test_a_model_that_fails_changes_nothing(here: Here, model: CrossEncoder) -> None:
    model.answer = RuntimeError("out of memory")
    answer = search(project(here, deadline_s=60.0), "fix car")
    assert ids(answer) == [ENGINE, TYRES]
    assert [word_hint(hint) for hint in answer.hints] == [
        "the reranker failed: RuntimeError: out of memory (cross-encoder/ms-marco-MiniLM-L6-v2); "
        "the order is that without it"
    ]
    missing = search(project(here, deadline_s=60.0, model="none"), "fix car")
    assert [word_hint(hint) for hint in missing.hints] == [
        "the model none cannot be loaded: OSError: no such model (sentence-transformers); "
        "the order is that without it"
    ]


def test_a_package_that_is_missing_is_named(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        raise ImportError(name=name)

    monkeypatch.setattr("leafmark.embedding.local.import_module", refuse)
    answer = search(project(here, provider="fastembed", deadline_s=60.0), "fix car")
    app_reranking.forget_rerankers()
    assert ids(answer) == [ENGINE, TYRES]
    assert [word_hint(hint) for hint in answer.hints] == [
        "the reranker fastembed needs a package that is not installed: fastembed; "
        "the order is that without it"
    ]


def test_the_doctor_asks_the_model(here: Here, model: CrossEncoder) -> None:
    assert list(check_reranker(project(here, provider="none"))) == []
    name = "cross-encoder/ms-marco-MiniLM-L6-v2"
    assert list(check_reranker(project(here))) == [Check("reranker", "ok", f"{name} answers")]
    assert len(model.asked) == 1
    model.answer = RuntimeError("out of memory")
    message = f"the reranker failed: RuntimeError: out of memory ({name})"
    assert list(check_reranker(project(here))) == [Check("reranker", "problem", message)]
    (missing,) = check_reranker(project(here, model="none"))
    assert missing.message == (
        "the model none cannot be loaded: OSError: no such model (sentence-transformers)"
    )


def test_the_doctor_tells_of_it(here: Here, model: CrossEncoder) -> None:
    environ = {"HOME": str(here.home), "LEAFMARK_HOME": str(here.home / ".leafmark")}
    report = examine(here.root, flags={"rerank.provider": "sentence-transformers"}, environ=environ)
    assert [check.state for check in report.checks if check.area == "reranker"] == ["ok"]
