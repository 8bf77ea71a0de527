"""Why a chunk is not among the results of a search: `leafmark why-not`."""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.app.answering.opening import left_out_hints, open_index, tell_hints
from leafmark.app.answering.resolving import Resolver
from leafmark.app.answering.searching import ask_topics, understand_request, vector_hints
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import Progress, WhyNotRequest
from leafmark.errors import LeafmarkError
from leafmark.index import IndexReader
from leafmark.model import Entry, Hint, WhyNotReport
from leafmark.query import Expression
from leafmark.search.fuse import Meaning
from leafmark.search.pipeline import Compile
from leafmark.search.present import Texts
from leafmark.search.whynot import explain_missing

__all__ = ["explain_why_not"]


def explain_why_not(
    project: Project, request: WhyNotRequest, *, progress: Progress | None = None
) -> WhyNotReport:
    """Return the phase that lost the chunk, and what would show it; hints are those of a search.

    Raises:
        AmbiguousError, NotFoundError: the id names no one chunk; there is no index.
        QueryError, UsageError: see `search_project`.
    """
    search = request.search
    wanted = understand_request(project, search)
    reader, hints = open_index(project, search, progress)
    hints = (*hints, *left_out_hints(project))
    target = _resolved(project, reader, request.id, hints)
    compiled = Compile(reader, wanted.params)
    sources = Sources(project)
    meaning, missing = wanted.meaning(reader, compiled, sources)

    def ask(topics: Sequence[Expression]) -> Meaning | None:
        if topics is wanted.topics:
            return meaning
        asked = ask_topics(project, topics, search)
        return None if asked is None else asked.answer(reader, compiled, sources)[0]

    found = explain_missing(
        reader,
        wanted.topics,
        wanted.params,
        target,
        Texts(reader, sources.data, sources.readable),
        local_trees=project.local_trees,
        ask=ask,
    )
    return WhyNotReport(
        target.id,
        " ".join(search.queries),
        found.reasons,
        None if found.shown is None else found.shown.entry.id,
        found.rank,
        found.remedy,
        found.without,
        found.added,
        (*hints, *missing, *vector_hints(meaning)),
    )


def _resolved(project: Project, reader: IndexReader, id_: str, hints: Sequence[Hint]) -> Entry:
    """Return the chunk that is meant. Where there is none, the hints are told: they may say why."""
    try:
        return Resolver(reader, reader.manifest).resolve(id_)
    except LeafmarkError:
        tell_hints(project, hints)
        raise
