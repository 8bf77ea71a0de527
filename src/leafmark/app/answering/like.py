"""What is like a chunk or a file: `leafmark like`."""

from __future__ import annotations

import os

from leafmark.app.answering.opening import open_index
from leafmark.app.answering.related import Aim, answer_terms, plain_params
from leafmark.app.answering.resolving import Resolver
from leafmark.app.answering.working_files import KEYWORDS, read_working_file
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import LikeRequest, Progress
from leafmark.app.settings import ContextSettings
from leafmark.errors import NotFoundError
from leafmark.index import IndexReader
from leafmark.model import Answer, Entry, WeightedText
from leafmark.search.keyterms import find_key_terms

__all__ = ["find_like"]

_NEVER = 1_000_000
"""More children than a node has: nothing is merged, as what is like a section may be its parent."""


def find_like(
    project: Project, request: LikeRequest, *, progress: Progress | None = None
) -> Answer:
    """Return chunks like one that is indexed, or like a file; `terms` say by which words.

    Neither the chunk itself nor what it is part of nor its own parts are among them.

    Raises:
        NotFoundError: there is neither such a chunk nor such a file; or no index.
        AmbiguousError: the id fits several chunks.
    """
    search = request.search
    params = plain_params(project, search, aggregation_min_matches=_NEVER)
    reader, notes = open_index(project, search, progress)
    settings = project.configuration.context
    try:
        entry = Resolver(reader, reader.manifest).resolve(request.name)
    except NotFoundError as error:
        texts = _of_file(project, request.name, settings, error)
        own, above = list[str](), list[str]()
    else:
        texts = _of_chunk(project, reader, entry, settings)
        own, above = [entry.id], _above(reader, entry)
    terms = find_key_terms(
        reader, texts, limit=settings.terms, trees=params.trees, without=own, ignored=KEYWORDS
    )
    aim = Aim(terms, without=own, apart=above, terms_only=request.terms_only)
    answer = answer_terms(project, reader, aim, params, search)
    return answer._replace(hints=(*notes, *answer.hints))


def _of_file(
    project: Project, name: str, settings: ContextSettings, unknown: NotFoundError
) -> list[WeightedText]:
    path = project.directory / name
    if not os.path.isfile(path):  # a text that was pasted is too long a name to be looked for
        raise NotFoundError(
            f"{unknown.message}, and there is no such file",
            did_you_mean=unknown.did_you_mean,
            hint=unknown.hint,
            exit_code=unknown.exit_code,
        ) from unknown
    return read_working_file(path, name, settings)


def _of_chunk(
    project: Project, reader: IndexReader, entry: Entry, settings: ContextSettings
) -> list[WeightedText]:
    """Return the titles and the text of a chunk and of what lies below it."""
    document = reader.document(entry.doc_id)
    sources = Sources(project)
    data = None if document is None else sources.data(document)
    if document is None or data is None:
        raise NotFoundError(
            f"{entry.id} has changed since it was indexed",
            hint="run `leafmark index`, or leave out --no-refresh",
        )
    span = (entry.byte_start, entry.byte_end)
    readable = sources.readable(document, data, [span])
    text = data[slice(*span)].decode("utf-8", "replace") if readable is None else readable.text
    titles = [
        one.title for one in reader.chunks_of(entry.doc_id) if entry.holds(one) and not one.piece
    ]
    return [
        WeightedText("headings", "\n".join([entry.title, *titles]), settings.heading_weight),
        WeightedText("tags", "\n".join(document.tags), settings.heading_weight),
        WeightedText("body", text, settings.body_weight),
    ]


def _above(reader: IndexReader, entry: Entry) -> list[str]:
    """Return the ids of what a chunk is part of."""
    found = []
    parent = reader.entry(entry.doc_id, entry.parent_position)
    while parent is not None:
        found.append(parent.id)
        parent = reader.entry(parent.doc_id, parent.parent_position)
    return found
