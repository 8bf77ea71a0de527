"""`rag_index` and `rag_search`: section-aware retrieval for programs written to that interface.

The founding document on section-aware chunking defines the two functions, their
parameters and the data class; they are exactly as it defines them. For anything
more, use `open_index`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from leafmark.app import open_project
from leafmark.app.requests import IndexRequest
from leafmark.chunking import STRATEGIES, ChunkingOptions, token_counter
from leafmark.errors import NotFoundError, UsageError
from leafmark.library.indexes import index_for_program, open_index
from leafmark.model import IndexReport, Relation, Shown


@dataclass(frozen=True)
class EnrichedChunk:
    """A chunk with its place among the sections.

    `content` is its heading and whole text as in the source; for a section or document of
    more than `max_tokens` only its own text, before the sections below it, which are chunks
    themselves. `source_file` is relative to the project's folder if it is in that folder.
    `section_path` has plain titles, the document's first; `section_level` is 0 for a
    document, else the level of its heading. `sibling_chunk_ids` are the other children of
    its parent. `is_complete_section` is false for a piece of a larger section, and where
    `content` is only its own text. `content_date`, `category` and `relevance` are the
    document's own `date`, `category` and `relevance` from its front matter.
    """

    chunk_id: str
    content: str
    source_file: str
    section_path: list[str]
    section_level: int
    parent_chunk_id: str | None
    sibling_chunk_ids: list[str]
    content_type: str
    is_complete_section: bool
    content_date: date | None
    category: str | None
    relevance: str | None


def rag_index(path: str, project_path: str, chunking_strategy: str = "auto") -> IndexReport:
    """Bring `path`, and with it the index of the folder `project_path`, up to date.

    `path` is a file or folder in the project; a relative path begins at `project_path`. A
    file named here is indexed even if an ignore rule excludes it.
    `chunking_strategy` is `auto` (sections, the large ones cut), `section` (small ones
    merged too), `heading` or `fixed` (windows). `rag_search` uses the same strategy; the
    command line uses that of the configuration, and rebuilds the index if they differ.

    Raises:
        UsageError: there is no such strategy, or `path` is not in the project.
        NotFoundError: there is nothing at `path`, or no such project.
        ConfirmationError: the project is a home folder, a root, or very large, and not
            configured.
        ConfigError, LockedError, StorageError, DamagedError: see `open_index`.

    >>> rag_index("guides", "handbook", chunking_strategy="section").documents
    8
    """
    if chunking_strategy not in STRATEGIES:
        raise UsageError(
            f"there is no strategy called {chunking_strategy!r}",
            hint="one of " + ", ".join(STRATEGIES),
        )
    folder = Path(os.path.abspath(project_path))
    flags = {"chunking.strategy": chunking_strategy}
    project = open_project(folder, flags=flags, environ=dict(os.environ))
    return index_for_program(project, IndexRequest(paths=(os.fspath(path),)))


def rag_search(
    query: str, project_path: str, expand_context: bool = False, section_filter: str | None = None
) -> list[EnrichedChunk]:
    """Return the chunks that answer a query, best first; an empty list if none match.

    The index is brought up to date first, under the strategy of the last call of
    `rag_index`. With `expand_context` each chunk is followed by its parent and its siblings
    that are not in the list already. `section_filter` is a pattern of titles, such as
    `"Guide > Auth*"`, that matches a section path or the end of one.

    Raises:
        NotFoundError: nothing was indexed yet, or there is no such folder.
        QueryError: the query cannot be parsed.
        ConfigError, StorageError, DamagedError: see `open_index`.

    >>> rag_index(".", "handbook").chunks > 20
    True
    >>> found = rag_search("restore a backup", "handbook", section_filter="Restor*")
    >>> found[0].section_path, found[0].section_level
    (['Backups', 'Restoring a backup'], 2)
    """
    folder = Path(os.path.abspath(project_path))
    config = _settings_of_index(folder)
    with open_index(folder, config=config) as index:
        relations: tuple[Relation, ...] = ("parent", "siblings") if expand_context else ()
        answer = index.search(query, section=section_filter, expand=relations, aggregation=False)
        ids = [
            entry.id
            for result in answer.results
            for entry in (result.entry, *(related.entry for related in result.expanded))
        ]
    with open_index(folder, config=config, fresh=False) as index:
        shown = index.show(*ids).shown
    added = {related.entry.id for result in answer.results for related in result.expanded}
    roots = {name: Path(root) for name, root in answer.roots.items()}
    project = open_project(folder, flags=config, environ=dict(os.environ))
    options = {tree.name: project.chunking_options(tree) for tree in project.trees}
    return [
        _enrich(item, _content(item, options[item.entry.tree], item.id in added), roots, folder)
        for item in shown
        if not item.stale  # a source that has changed since has no text
    ]


def _settings_of_index(folder: Path) -> Mapping[str, object]:
    """Return the strategy under which the index was built, as a setting.

    Raises:
        NotFoundError: there is no index.
    """
    environ = dict(os.environ)
    configured = open_project(folder, flags={}, environ=environ)
    try:
        fingerprint = _settings_part(configured.open_reader().fingerprint)
    except NotFoundError:
        raise NotFoundError(
            "the project is not indexed yet",
            location=str(folder),
            hint="call rag_index(path, project_path) first",
        ) from None
    for strategy in (configured.configuration.chunking.strategy, *STRATEGIES):
        flags = {"chunking.strategy": strategy}
        project = open_project(folder, flags=flags, environ=environ)
        if _settings_part(project.index_options().fingerprint) == fingerprint:
            return flags
    return {}


def _settings_part(fingerprint: str) -> str:
    """Return the part of a fingerprint for the settings, without leafmark's own versions."""
    return fingerprint.partition(":")[2]


def _content(shown: Shown, options: ChunkingOptions, alone: bool) -> str:
    """Return the whole text; the chunk's own with `alone`, or if the whole is too large.

    A title can match without a text of its own below it: such a chunk is returned whole.
    """
    whole = shown.full_text or ""
    own = (shown.heading or "") + (shown.body or "")
    if alone:
        return own
    if not shown.children or not (shown.body or "").strip():
        return whole
    tokens = token_counter(options.tokenizer)(shown.read_text or "")
    return whole if tokens <= options.max_tokens else own


def _enrich(shown: Shown, content: str, roots: Mapping[str, Path], folder: Path) -> EnrichedChunk:
    record, metadata = shown.record, shown.document.metadata
    return EnrichedChunk(
        chunk_id=record["id"],
        content=content,
        source_file=_source_file(shown, roots, folder),
        section_path=record["section_path"],
        section_level=record["depth"] - (record["kind"] == "piece"),
        parent_chunk_id=record["parent_id"],
        sibling_chunk_ids=record["sibling_ids"],
        content_type=record["content_type"],
        is_complete_section=record["kind"] != "piece" and content == shown.full_text,
        content_date=_date(metadata.get("date")),
        category=_text(metadata.get("category")),
        relevance=_text(metadata.get("relevance")),
    )


def _source_file(shown: Shown, roots: Mapping[str, Path], folder: Path) -> str:
    file = roots[shown.entry.tree] / shown.entry.path
    folder = Path(os.path.realpath(folder))
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else str(file)


def _date(value: object) -> date | None:
    """Return the date of front matter in ISO form, with or without a time; else None."""
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None


def _text(value: Any) -> str | None:
    return None if value is None or isinstance(value, list | dict) else str(value)
