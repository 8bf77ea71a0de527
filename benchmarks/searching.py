"""Warm queries of one to four words that stand in the corpus, ten results with snippets."""

from __future__ import annotations

import random
import re
import tempfile
import time
from pathlib import Path

from benchmarks.corpus import Corpus
from benchmarks.measure import Row, percentile
from leafmark.app import index_project, open_project
from leafmark.app.indexed_sources import Sources
from leafmark.app.indexing.refreshing import refresh
from leafmark.app.requests import IndexRequest
from leafmark.query import parse_query
from leafmark.search import SearchOptions, search

QUERIES = 400
LIMITS = {False: (2.0, 10.0), True: (5.0, 25.0)}
"""Median and 99th percentile in milliseconds, under 10,000 chunks and at 100,000."""

LARGE = 10_000
SEED = 7


def run(corpus: Corpus) -> list[Row]:
    """Return the rows for the median and the 99th percentile, and for several topics."""
    with tempfile.TemporaryDirectory(prefix="leafmark-bench-") as folder:
        environ = {"HOME": folder, "LEAFMARK_HOME": folder + "/leafmark"}
        project = open_project(corpus.root, flags={}, environ=environ)
        index_project(project, IndexRequest(confirmed=True))
        reader = refresh(project).reader
        chunks = reader.meta.chunks
        queries = queries_of(corpus)

        def ask(texts: list[str]) -> float:
            began = time.perf_counter()
            search(
                reader,
                [parse_query(text) for text in texts],
                SearchOptions(),
                read_source=Sources(project).data,
            )
            return 1000 * (time.perf_counter() - began)

        for query in queries[:50]:
            ask([query])
        single = [ask([query]) for query in queries]
        triple = [ask(queries[at : at + 3]) for at in range(0, len(queries) - 3, 3)]
    median, slow = percentile(single, 0.5), percentile(single, 0.99)
    limits = LIMITS[chunks > LARGE]
    name = f"query, {chunks:,} chunks"
    return [
        Row(f"{name}, p50", f"{median:.2f} ms", "", median, limits[0], higher_is_better=False),
        Row(f"{name}, p99", f"{slow:.2f} ms", "", slow, limits[1], higher_is_better=False),
        Row(
            "three topics",
            f"{percentile(triple, 0.5):.2f} ms",
            f"one {median:.2f} ms",
            percentile(triple, 0.5) / median,
            3.0,
            higher_is_better=False,
        ),
    ]


def queries_of(corpus: Corpus) -> list[str]:
    """Runs of words as they stand in the documents, so that every query has an answer."""
    chosen = random.Random(SEED)
    found: list[str] = []
    while len(found) < QUERIES:
        path: Path = chosen.choice(corpus.files)
        words = re.findall(r"[^\W\d_]{3,20}", path.read_text("utf-8", "replace"))
        length = chosen.randint(1, 4)
        if len(words) > length:
            at = chosen.randrange(len(words) - length)
            # in lower case none of them is an operator
            found.append(" ".join(words[at : at + length]).lower())
    return found
