"""`python -m benchmarks.retrieval [PROJECT…]`: leafmark and other retrievers, side by side.

Each documentation set of a project of judged queries (the folders of `eval/`, filled by
`python eval/fetch.py`) is indexed by itself, by all of them, and searched by the same queries.
What they find is judged by `leafmark.evaluation`, from bytes. Pages and notebooks are left
out: the others read text.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.retrievers import COUNT, RetrievedPlace, Retriever, Source, retrievers
from leafmark.app.configuration.project import Project, open_project
from leafmark.app.indexing.embedding import embed_project
from leafmark.app.indexing.refreshing import refresh
from leafmark.evaluation import (
    JudgedQuery,
    Library,
    Passage,
    Read,
    Reading,
    Trial,
    measure,
    read_queries,
)
from leafmark.search.options import Mode

METRICS = ("overlap-mrr@10", "rr500", "recall@10", "recall-2000t", "doubt-unanswerable")
MARKUP = ("html", "notebook")

Values = Mapping[str, float]


class JudgedSet(NamedTuple):
    """The documents of one tree, and the queries about it with what answers them."""

    project: Project
    tree: str
    library: Library
    sources: tuple[Source, ...]
    judged: tuple[tuple[JudgedQuery, tuple[Passage, ...]], ...]


def main() -> int:
    """Print one table for all sets, and rr500 by set."""
    here = Path(__file__).parent.parent / "eval"
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument("projects", nargs="*", type=Path, default=[here], metavar="PROJECT")
    parser.add_argument("--model", action="store_true", help="by meaning, too")
    parser.add_argument("--sets", type=lambda names: names.split(","), help="only these: ai,bun")
    options = parser.parse_args()
    logging.disable()
    warnings.simplefilter("ignore")
    others, missing = retrievers(model=options.model)
    for each in missing:
        print(each)
    flags = {"embedding.provider": "minilm", "embedding.deadline_s": 600} if options.model else {}
    modes: list[Mode] = ["lexical", "hybrid"] if options.model else ["lexical"]
    sets = [
        found
        for folder in options.projects
        for found in _sets(folder.resolve(), flags)
        if options.sets is None or found.tree in options.sets
    ]
    values: dict[str, dict[str, list[Values]]] = defaultdict(dict)
    for one in sets:
        print(f"{one.tree}: {len(one.sources)} documents, {len(one.judged)} queries", flush=True)
        for mode in modes:
            values[f"leafmark, {mode}"][one.tree] = _leafmark(one, mode)
        for retriever in others:
            values[retriever.name][one.tree] = _other(one, retriever)
    _print(values, [one.tree for one in sets])
    return 0


def _sets(folder: Path, flags: Mapping[str, object]) -> Iterator[JudgedSet]:
    """Yield the sets of a project that are installed and hold text only."""
    project = open_project(folder, flags=flags, environ=os.environ)
    files = sorted(str(path) for path in (folder / "queries").glob("*.jsonl"))
    queries, library = read_queries(files, folder), Library(project)
    for tree in project.trees:
        documents = [one for one in library.documents() if one.tree == tree.name]
        asked = [query for query in queries if query.tree == tree.name]
        if not (documents and asked):
            print(f"{tree.name}: not installed, or no query is about it", file=sys.stderr)
            continue
        if any(one.document.format in MARKUP for one in documents):
            print(f"{tree.name}: pages or notebooks, left out", file=sys.stderr)
            continue
        sources = [
            Source(
                one.doc_id.removeprefix(f"{tree.name}:"),
                one.document.data.decode("utf-8", "replace"),
            )
            for one in documents
        ]
        judged = tuple(zip(asked, library.passages(asked), strict=True))
        yield JudgedSet(project, tree.name, library, tuple(sources), judged)


def _leafmark(one: JudgedSet, mode: Mode) -> list[Values]:
    """Return what leafmark makes of a set in an index of its own, with its settings as they are."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = one.project.configuration
        search = configuration.search._replace(mode=mode)
        project = one.project._replace(
            configuration=configuration._replace(search=search),
            trees=(one.project.get_tree(one.tree),),
            index_dir=Path(folder),
        )
        reader = refresh(project).reader
        if mode == "hybrid":
            embed_project(project, reader, anew=True)
        trial = Trial(project, reader, Reading(one.library))
        return [trial.run(query, passages).values for query, passages in one.judged]


def _other(one: JudgedSet, retriever: Retriever) -> list[Values]:
    search = retriever.build(one.sources)
    places = Places(one.tree, one.sources)
    return [
        measure([places.read(found) for found in search(query.query)], passages)
        for query, passages in one.judged
    ]


class Places:
    """From characters of the documents of a tree to bytes and tokens."""

    def __init__(self, tree: str, sources: Sequence[Source]):
        self._tree = tree
        self._texts = dict(sources)

    def read(self, found: RetrievedPlace) -> Read:
        text = self._texts[found.path]
        start = len(text[: found.start].encode())
        part = text[found.start : found.end]
        doc_id = f"{self._tree}:{found.path}"
        return Read(doc_id, start, start + len(part.encode()), COUNT(part))


def _print(values: Mapping[str, Mapping[str, Sequence[Values]]], trees: Sequence[str]) -> None:
    width = max(map(len, values)) + 2
    print("\n" + "".ljust(width), *(name.rjust(max(10, len(name))) for name in METRICS))
    for name, by_set in values.items():
        every = [one for each in by_set.values() for one in each]
        cells = [f"{_mean(every, metric):.3f}".rjust(max(10, len(metric))) for metric in METRICS]
        print(name.ljust(width), *cells)
    print("\nrr500".ljust(width + 1), *(tree[:10].rjust(10) for tree in trees))
    for name, by_set in values.items():
        cells = [f"{_mean(by_set[tree], 'rr500'):.3f}".rjust(10) for tree in trees]
        print(name.ljust(width), *cells)


def _mean(values: Sequence[Values], metric: str) -> float:
    """Return the mean over the queries that have the metric."""
    found = [each[metric] for each in values if metric in each]
    return sum(found) / len(found) if found else float("nan")


if __name__ == "__main__":
    sys.exit(main())
