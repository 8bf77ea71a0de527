"""Documents as a whole: their similarity is that to the mean of their vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.index.manifest import ManifestRow
from leafmark.index.vector_view import PENDING, WholeDocuments, build_view
from leafmark.index.vectors import row_type

ROWS = 8
DIMENSION = 5
CHUNK = st.just([PENDING]) | st.lists(st.integers(0, ROWS - 1), max_size=3)
DOCUMENTS = st.lists(st.lists(CHUNK, min_size=1, max_size=4), max_size=6)


@given(DOCUMENTS, st.integers(0, 99))
def test_similarities_of_documents_are_those_to_their_means(
    documents: list[list[list[int]]], seed: int
) -> None:
    random = np.random.default_rng(seed).standard_normal((ROWS + 1, DIMENSION)).astype("<f4")
    *vectors, query = random / np.linalg.norm(random, axis=1, keepdims=True)
    store = np.zeros(ROWS, dtype=row_type(DIMENSION))
    store["vector"] = vectors
    known = {("t", f"{at}.md"): chunks for at, chunks in enumerate(documents)}
    view = build_view(
        {key: ManifestRow(1, 1, 1, 1, len(chunks), 0) for key, chunks in known.items()},
        known.get,
        store,
        uuid="u",
        seq=1,
        rows_name="rows",
    )
    expected = {}
    for at, chunks in enumerate(documents):
        rows = [row for chunk in chunks for row in chunk]
        if PENDING not in rows and sum(map(bool, chunks)) > 1:
            mean = np.mean([vectors[row] for row in rows], axis=0, dtype=np.float64)
            expected[at] = float(mean @ query / np.linalg.norm(mean))
    found = WholeDocuments(view)
    similarities = np.array([*(store["vector"] @ query), -2.0, -2.0], dtype=np.float32)
    assert found.numbers == list(expected)
    told = pytest.approx(list(expected.values()), abs=1e-4)
    assert found.from_rows(found.numbers, similarities) == told
    assert found.compared(found.numbers, lambda rows: store["vector"][rows] @ query) == told
