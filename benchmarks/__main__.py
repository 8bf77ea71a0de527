"""`python -m benchmarks [ROW…] [--corpus DIR] [--megabytes N]`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from benchmarks import (
    cluster,
    corpus,
    indexing,
    measure,
    parsing,
    searching,
    splitters,
    stages,
    starting,
    structure,
    vectors,
)
from benchmarks.corpus import Corpus
from benchmarks.measure import Row

ROWS: dict[str, Callable[[Corpus], list[Row]]] = {
    "parsing": parsing.run,
    "indexing": indexing.run,
    "searching": searching.run,
    "splitters": splitters.run,
    "stages": stages.run,
    "starting": starting.run,
    "structure": structure.run,
    "vectors": vectors.run,
    "cluster": cluster.run,
}


def main() -> int:
    """Print one table; exit code 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("rows", nargs="*", choices=[*ROWS, []], metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--corpus", help="a folder of Markdown files (or LEAFMARK_CORPUS)")
    parser.add_argument("--suffixes", help="other files than Markdown, for structure: .html,.py")
    parser.add_argument("--megabytes", type=float, help="take a sample of about this size")
    options = parser.parse_args()
    limit = int(options.megabytes * 1e6) if options.megabytes else None
    suffixes = tuple(options.suffixes.split(",")) if options.suffixes else corpus.SUFFIXES
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    documents = corpus.load(options.corpus, limit_bytes=limit, suffixes=suffixes)
    print(documents)
    print(f"Python {sys.version.split()[0]} on {sys.platform}", flush=True)
    rows = [row for name in options.rows or ROWS for row in ROWS[name](documents)]
    if rows:
        print(measure.table(rows))
    return 1 if any(row.met is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
