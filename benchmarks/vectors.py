"""The chunks nearest to a vector among 100,000, beside the bare product of matrix and vector."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.corpus import Corpus
from benchmarks.measure import Row, in_turn
from leafmark.index.manifest import ManifestRow
from leafmark.index.vector_search import VectorSearcher
from leafmark.index.vector_view import build_view
from leafmark.index.vectors import VectorModel, map_rows, open_vector_writer, text_hash

COUNT = 100_000
DIMENSION = 384
CHUNKS_PER_SOURCE = 20
NEAREST = 100
NEAR_AS_A_WHOLE = 0.5
ROUNDS = 15
LIMIT = 2.5
"""Against the bare product: all else that a search asks of vectors costs about as much again."""


def run(_: Corpus) -> list[Row]:
    """Return the row; times are the processor's. The vectors are made up."""
    with tempfile.TemporaryDirectory(
        prefix="leafmark-bench-", ignore_cleanup_errors=True
    ) as folder:
        searcher, store = _made(Path(folder))
        vectors = np.ascontiguousarray(store["vector"])
        queries = iter(vectors[:: COUNT // (4 * ROUNDS)])

        def search() -> None:
            query = next(queries)
            near = searcher.nearest(query, NEAREST)
            searcher.similarities(query, [one.place for one in near])
            searcher.background(query)
            searcher.nearest_documents(query, NEAR_AS_A_WHOLE)

        product = vectors[0]
        ours, bare = in_turn(
            [search, lambda: vectors @ product], rounds=ROUNDS, clock=time.process_time
        )
    return [
        Row(
            f"nearest of {COUNT:,} vectors",
            f"{1000 * ours:.2f} ms",
            f"bare product {1000 * bare:.2f} ms",
            ours / bare,
            LIMIT,
            higher_is_better=False,
        )
    ]


def _made(root: Path) -> tuple[VectorSearcher, np.ndarray]:
    found = np.random.default_rng(7).standard_normal((COUNT, DIMENSION)).astype(np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    with open_vector_writer(root, VectorModel("m", "1", DIMENSION), timeout_s=0) as writer:
        writer.add([text_hash(str(at)) for at in range(COUNT)], found)
        writer.sync()
        folder, rows_path = writer.folder, writer.rows_path
    store = map_rows(rows_path, DIMENSION)
    sources = {
        ("tree", f"{at:06}.md"): range(at, at + CHUNKS_PER_SOURCE)
        for at in range(0, COUNT, CHUNKS_PER_SOURCE)
    }
    view = build_view(
        {key: ManifestRow(1, 1, 1, 1, CHUNKS_PER_SOURCE, 0) for key in sources},
        lambda key: [[row] for row in sources[key]],
        store,
        uuid="bench",
        seq=1,
        rows_name=rows_path.name,
    )
    return VectorSearcher(view, folder), store
