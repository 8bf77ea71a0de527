"""Run all judged sets, and print one table with intervals.

    python -m eval.table [--at FOLDER] [--save FILE] [--against FILE] [SET ...]

A set is a project of this folder (`bodies/git`, `confirm`, `.` for the first ones) and, after
a colon, what its queries are called (`bodies/git:names`). Each is asked of plain BM25, of the
search as it is, and of what `--ways` adds. `--ablate` compares the search with itself without
each of its mechanisms, family by family. Else queries of one kind stand in a row of their own;
then come all of a family. `--save` keeps every query's values. `--against` reads such a file,
of other code or settings, and adds what has changed since, paired by query.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from leafmark.app import open_project
from leafmark.app.requests import EvaluationRequest
from leafmark.errors import LeafmarkError
from leafmark.evaluation import EvaluationReport, evaluate_project
from leafmark.evaluation.results import Estimate, Resampler
from leafmark.search.options import MECHANISMS

HERE = Path(__file__).parent

OLDER = (".", "more", "blind", "later", "confirm", "held_back", "code", "languages", "repositories")
"""Projects whose questions rules of the ranking were chosen or judged on."""

MEASURES: Mapping[str, tuple[str, ...]] = {
    "questions": ("overlap-mrr@10", "rr500"),
    "names": ("hit@1", "hit@10"),
    "titles": ("hit@1", "hit@10"),
    "words": ("hit@10", "overlap-mrr@10"),
    "pasted": ("overlap-mrr@10", "hit@10"),
    "topics": ("hit@1", "recall@10"),
    "repositories": ("hit@1", "hit@10"),
    "variants": ("hit@1", "hit@10"),
    "foreign": ("doubt-unanswerable",),
    "answerable": ("doubt",),
}
"""What is shown of each family of queries; `answerable` are all that have an answer."""

VARIANTS = ("translated", "translation", "versioned")
"""Kinds of names that pages of several languages or versions bear."""

WAYS = ("plain", "auto")
FIXED = "fixed+chunking.target_tokens=500+chunking.overlap_tokens=50"

Values = dict[str, dict[str, float]]
"""The metrics of one query by the name of the way to search."""


def main() -> int:
    """Evaluate, keep the values, print the table."""
    parser = argparse.ArgumentParser(prog="python -m eval.table", description=__doc__)
    parser.add_argument("sets", nargs="*", help="such as bodies/git:names; all without any")
    parser.add_argument("--at", type=Path, default=HERE, help="folder of the fetched projects")
    parser.add_argument("--ways", default=",".join(WAYS), help="ways to search, the first is base")
    parser.add_argument("--fixed", action="store_true", help="also windows of 500 tokens")
    parser.add_argument("--ablate", action="store_true", help="without each mechanism, instead")
    parser.add_argument("--half", choices=("choose", "judge"), help="one half of the queries")
    parser.add_argument("--most", type=int, help="the most queries of a kind in one file")
    parser.add_argument("--save", type=Path, help="keep the values of each query in this file")
    parser.add_argument("--against", type=Path, help="values that were kept before")
    parser.add_argument("--shown", action="store_true", help="evaluate nothing: show --save's file")
    options = parser.parse_args()
    logging.disable()
    ways = [*options.ways.split(","), *([FIXED] if options.fixed else [])]
    if options.ablate:
        ways = [WAYS[-1]]
    found: dict[str, Values] = {}
    if options.save and options.save.is_file():
        found = json.loads(options.save.read_text("utf-8"))
    for project, files in () if options.shown else _files(options.sets):
        names = [f"{project}:{file.stem}|" for file in files]
        for key in [key for key in found if key.startswith(tuple(names))]:
            del found[key]
        found |= _values(project, files, ways, options)
        if options.save:
            options.save.write_text(json.dumps(found, ensure_ascii=False), "utf-8")
    before = json.loads(options.against.read_text("utf-8")) if options.against else {}
    print(*(_ablated(found) if options.ablate else _table(found, before)), sep="\n")
    return 0


def _files(wanted: Sequence[str]) -> Iterator[tuple[str, list[Path]]]:
    """Yield each project, and those of its files of queries that are wanted."""
    bodies = sorted(f"bodies/{folder.name}" for folder in (HERE / "bodies").iterdir())
    for project in (*OLDER, *bodies):
        files = sorted((HERE / project / "queries").glob("*.jsonl"))
        named = [one for one in files if f"{project}:{one.stem}" in wanted]
        chosen = files if not wanted or project in wanted else named
        if chosen:
            yield project, chosen


def _values(
    project: str, files: Sequence[Path], ways: Sequence[str], options: argparse.Namespace
) -> dict[str, Values]:
    """Return the metrics of each query by way to search; its key begins with the set."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        known: set[tuple[str, str]] = set()
        for file in files:
            Path(folder, file.name).write_text(
                "".join(_sampled(file, options.most, known)), "utf-8"
            )
        samples = sorted(str(path) for path in Path(folder).iterdir())
        request = EvaluationRequest(
            tuple(samples),
            tuple(ways),
            half=options.half,
            resamples=40,
            ablate=options.ablate,
            confirmed=True,
        )
        try:
            opened = open_project(options.at / project, flags={}, environ=os.environ)
            report = evaluate_project(opened, request, flags={}, environ=os.environ)
        except LeafmarkError as error:  # a project that is not installed leaves the others
            print(f"{project}: {error}", file=sys.stderr, flush=True)
            return {}
    print(f"{project}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return _by_query(project, report)


def _by_query(project: str, report: EvaluationReport) -> dict[str, Values]:
    found: dict[str, Values] = {}
    for way in report.variants:
        for outcome in way.outcomes:
            query = outcome.query
            file = Path(query.location.rpartition(":")[0]).stem
            key = f"{project}:{file}|{query.kind}|{query.query}"
            found.setdefault(key, {})[way.variant.name] = {
                metric: round(value, 4) for metric, value in outcome.values.items()
            }
    return found


def _sampled(file: Path, most: int | None, known: set[tuple[str, str]]) -> Iterator[str]:
    """Yield lines of a file, of each kind at most so many, without queries that are `known`."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for line in file.read_text("utf-8").splitlines(keepends=True):
        query = json.loads(line)
        key = (query.get("tree", ""), query["query"])
        if key not in known:
            known.add(key)
            kinds[query.get("kind", "")].append(line)
    for kind, lines in kinds.items():
        few = most is not None and len(lines) > most
        yield from random.Random(kind).sample(lines, most) if few and most else lines


def _family(key: str) -> Iterator[tuple[str, str]]:
    """Yield the families that a query belongs to, and its row in each."""
    name, kind, _ = key.split("|", 2)
    project, _, file = name.partition(":")
    if file == "names":
        yield ("variants" if kind in VARIANTS else "names"), f"{project.split('/')[-1]} {kind}"
    elif file == "titles":
        yield file, f"{project.split('/')[-1]} {kind}"
    elif project in MEASURES:
        yield project, file
    elif project in OLDER:
        yield "questions", f"{'first' if project == '.' else project} {file}"
    else:
        yield file, project.split("/")[-1]


def _families(found: Mapping[str, Values]) -> dict[str, dict[str, list[str]]]:
    """Return the queries of each family, by row."""
    families: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in MEASURES}
    for key, values in found.items():
        if any("empty" in each for each in values.values()):
            families["answerable"]["all"].append(key)
        for family, row in _family(key):
            if _is_foreign(values):
                families["foreign"][row.partition(" ")[0]].append(key)
            else:
                families[family][row].append(key)
    return families


def _table(found: Mapping[str, Values], before: Mapping[str, Values]) -> Iterator[str]:
    """Yield the lines of the table: a family each, its rows and the row of all of them."""
    for family, rows in _families(found).items():
        for metric in MEASURES[family] if rows else ():
            yield from ("", f"{family}: {metric}")
            every = [key for keys in rows.values() for key in keys]
            rows_and_all = [*sorted(rows.items()), *([("ALL", every)] if len(rows) > 1 else [])]
            for row, keys in rows_and_all:
                yield _row(row, keys, metric, found, before)


def _ablated(found: Mapping[str, Values]) -> Iterator[str]:
    """Yield for each family and measure the search, and what each mechanism's absence changes."""
    resampler = Resampler(seed=1, resamples=1000)
    for family, rows in _families(found).items():
        every = [key for keys in rows.values() for key in keys]
        for metric in MEASURES[family]:
            asked = [key for key in every if metric in found[key].get("auto", {})]
            if not asked:
                continue
            whole = [found[key]["auto"][metric] for key in asked]
            yield f"\n{family}: {metric}, {len(asked)} queries: {sum(whole) / len(asked):.3f}"
            for way in (f"without {name}" for name in MECHANISMS):
                column = [found[key][way][metric] for key in asked]
                yield f"  {way:32}{_told(resampler.difference(column, whole))}"


def _is_foreign(values: Values) -> bool:
    return any("empty-unanswerable" in each for each in values.values())


def _row(
    row: str,
    keys: Iterable[str],
    metric: str,
    found: Mapping[str, Values],
    before: Mapping[str, Values],
) -> str:
    resampler = Resampler(seed=1, resamples=1000)
    asked = [key for key in keys if all(metric in each for each in found[key].values())]
    if not asked:
        return f"  {row:32}"
    ways = list(found[asked[0]])
    columns = {way: [found[key][way][metric] for key in asked if way in found[key]] for way in ways}
    first = columns[ways[0]]
    cells = [f"{len(asked):5} {ways[0]} {sum(first) / len(first):.3f}"]
    for way in ways[1:]:
        mean = sum(columns[way]) / len(asked)
        cells.append(
            f"{way.partition('+')[0]} {mean:.3f} "
            + _told(resampler.difference(columns[way], first))
        )
        known = [key for key in asked if way in before.get(key, {})]
        if known:
            now = [found[key][way][metric] for key in known]
            then = [before[key][way].get(metric, 0.0) for key in known]
            cells.append(f"since {_told(resampler.difference(now, then))}")
    return f"  {row:32}" + "  ".join(cells)


def _told(change: Estimate) -> str:
    mark = "*" if change.is_clear else " "
    return f"{change.mean:+.3f} [{change.low:+.3f}, {change.high:+.3f}]{mark}"


if __name__ == "__main__":
    sys.exit(main())
