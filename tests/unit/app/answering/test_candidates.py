"""Vectors of the best matches, made while a search waits: partial, never wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from support.embedders import DIMENSION, vector_of

from leafmark.app.answering.meaning import CANDIDATES, CandidateVectors, VectorMeaning
from leafmark.embedding import Vectors
from leafmark.errors import ProviderError
from leafmark.index.vectors import QueryVectorCache

TEXTS = {
    ("t:car.md", 0): "Engines.|How to fix a car.|Roses.",
    ("t:bread.md", 0): "Knead dough.",
    ("t:gone.md", 0): None,
}


class Model:
    """Answers `patience` texts, and then raises `error`."""

    def __init__(self, patience: int = 1000, error: Exception | None = None) -> None:
        self.texts: list[str] = []
        self._patience = patience
        self._error = error or TimeoutError()

    def embed(self, text: str) -> Vectors:
        if len(self.texts) >= self._patience:
            raise self._error
        self.texts.append(text)
        return np.array([vector_of(text)], dtype=np.float32)


def candidates(folder: Path, model: Model) -> CandidateVectors:
    return CandidateVectors(
        QueryVectorCache(folder, DIMENSION),
        windows=lambda text, limit: text.split("|"),
        embed=model.embed,
        terms=lambda tree, text: text.lower().replace(".", "").split(),
        read=lambda ref: TEXTS.get(ref, f"Page {ref[0]}."),
    )


def asked(
    made: CandidateVectors, query: str, refs: Sequence[tuple[str, int]]
) -> list[float | None]:
    return made.similarities(np.array([vector_of(query)], dtype=np.float32), query, refs)


def test_the_part_with_most_words_of_the_query_is_compared(tmp_path: Path) -> None:
    model = Model()
    car, bread, gone = asked(candidates(tmp_path, model), "fix a car", list(TEXTS))
    assert model.texts == ["How to fix a car.", "Knead dough."]
    assert car is not None
    assert bread is not None
    assert (car > bread, gone) == (True, None)


def test_what_was_made_is_not_made_again(tmp_path: Path) -> None:
    first = asked(candidates(tmp_path, Model()), "fix a car", list(TEXTS))
    model = Model(patience=0)
    again = candidates(tmp_path, model)
    assert asked(again, "fix a car", list(TEXTS)) == pytest.approx(first)
    assert (model.texts, again.late) == ([], 0)


@pytest.mark.parametrize("error", [TimeoutError(), ProviderError("broken")])
def test_what_is_not_ready_is_missing_and_counted(tmp_path: Path, error: Exception) -> None:
    refs = [("t:bread.md", 0), *((f"t:{at}.md", 0) for at in range(4)), ("t:gone.md", 0)]
    made = candidates(tmp_path, Model(2, error))
    found = asked(made, "dough", refs)
    assert [one is None for one in found] == [False, False, True, True, True, True]
    assert made.late == 3
    later = candidates(tmp_path, Model(0, error))
    assert asked(later, "dough", refs)[:2] == pytest.approx(found[:2])


def test_only_the_best_matches_are_read(tmp_path: Path) -> None:
    model = Model()
    query = {"dough": np.array([vector_of("dough")], dtype=np.float32)}
    meaning = VectorMeaning(
        None, query, chosen=0.0, provider="minilm", make=candidates(tmp_path, model)
    )
    refs = [(f"t:{at}.md", 0) for at in range(CANDIDATES + 5)]
    found = meaning.similarities("dough", refs)
    assert [one is None for one in found] == [False] * CANDIDATES + [True] * 5
    assert len(model.texts) == CANDIDATES
    assert (meaning.late, meaning.damaged) == (0, False)
    assert (meaning.nearest("dough", 5, None), meaning.documents("dough", 0.5, None)) == ((), ())
