"""Queries whose answers a search does not find, for `leafmark lint --eval`."""

from __future__ import annotations

from collections.abc import Iterable

from leafmark.app.answering.searching import search_project
from leafmark.app.configuration.project import Project
from leafmark.app.requests import Progress, SearchRequest
from leafmark.evaluation.metrics import Passage
from leafmark.evaluation.references import Library, read_queries
from leafmark.lint import MissedQuery
from leafmark.model import Result, whole_range

LIMIT = 10
"""Results among which an answer must be."""


def find_missed(
    project: Project, files: Iterable[str], *, progress: Progress | None = None
) -> tuple[MissedQuery, ...]:
    """Return the judged queries none of whose answers is among the first results, by answer.

    Raises:
        UsageError: a file, query or reference is wrong.
        StorageError, LockedError, ...: see `search_project`.
    """
    queries = read_queries(files, project.directory)
    passages = Library(project).passages(queries)
    found = []
    for done, (query, answers) in enumerate(zip(queries, passages, strict=True), start=1):
        if progress is not None:
            progress("searching", done, len(queries))
        if not answers:
            continue
        trees = (query.tree,) if query.tree else ()
        request = SearchRequest((query.query,), limit=LIMIT, trees=trees)
        results = search_project(project, request).results
        if not any(_covers(result, answer) for result in results for answer in answers):
            first = results[0].entry.id if results else None
            found += [
                MissedQuery(query.query, one.doc_id, one.start, one.end, query.location, first)
                for one in answers
            ]
    return tuple(found)


def _covers(result: Result, answer: Passage) -> bool:
    """Whether a result shows at least half of the shorter of the two."""
    if result.entry.doc_id != answer.doc_id:
        return False
    start, end = whole_range(result.entry)
    shared = min(end, answer.end) - max(start, answer.start)
    return 2 * shared >= min(end - start, answer.end - answer.start) and shared > 0
