"""Parse and chunk, beside a bare walk over the events of the Markdown parser."""

from __future__ import annotations

import time

import pyromark

from benchmarks.corpus import Corpus
from benchmarks.measure import Row, in_turn
from leafmark.chunking import ChunkingOptions, Strategy, chunk_document
from leafmark.parsing import parse

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_FOOTNOTES
)
LIMIT = 0.5
"""Half the speed of the bare walk, on one core."""


def run(corpus: Corpus) -> list[Row]:
    """Return one row for each strategy that needs no packing, by CPU time on one core."""
    sources = [(path.read_bytes(), path.name) for path in corpus.files]
    texts = [data.decode("utf-8", "replace") for data, _ in sources]

    def walk() -> None:
        for text in texts:
            for _ in pyromark.events_with_range(text, options=OPTIONS):
                pass

    def chunk(strategy: Strategy) -> None:
        options = ChunkingOptions(strategy=strategy)
        for data, name in sources:
            chunk_document(parse(data, name), tree="bench", options=options)

    rows = []
    for strategy in ("heading", "auto"):
        bare, ours = in_turn([walk, lambda s=strategy: chunk(s)], clock=time.process_time)  # type: ignore[misc]
        speed = corpus.size_bytes / 1e6
        rows.append(
            Row(
                f"parse and {strategy} chunks",
                f"{speed / ours:.1f} MB/s",
                f"bare walk {speed / bare:.1f} MB/s",
                bare / ours,
                LIMIT,
                higher_is_better=True,
            )
        )
    return rows
