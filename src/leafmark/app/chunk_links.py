"""Where links lead among the sources of one run of `leafmark chunk`.

In: the jobs of the run. Out: the id of the chunk that a link leads to, as an
index of the same sources would tell. There is none, so a page whose sections
are linked to is read and chunked for that, by each process that asks; what was
found is kept up to a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from leafmark.app.chunk_jobs import ChunkJob
from leafmark.app.linking import Links
from leafmark.model import ChunkedDocument, Document, Link

__all__ = ["RunLinks", "Slugs"]

Slugs: TypeAlias = Mapping[str | None, str]
"""Chunk ids by slug, the document's own by None; empty where a source makes no chunk."""

KEPT_SLUGS = 100_000
"""About 20 MB. Of more, those of the pages that were asked for first are forgotten."""


class _Origin(NamedTuple):
    """What `linking.Origin` asks for."""

    tree: str
    path: str
    format: str
    metadata: Mapping[str, Any]


class RunLinks:
    """Finds where links lead. `chunked` makes the chunks of a job; None where there are none."""

    def __init__(
        self, jobs: Sequence[ChunkJob], chunked: Callable[[ChunkJob], ChunkedDocument | None]
    ) -> None:
        self._jobs = jobs
        self._chunked = chunked
        self._slugs: dict[tuple[Path, str], Slugs] = {}
        self._kept = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """What another process needs to begin anew."""
        return RunLinks, (self._jobs, self._chunked)

    def find(self, job: ChunkJob, document: Document, link: Link) -> str | None:
        """Return the id of the chunk that a link in the document of `job` leads to."""
        origin = _Origin(job.tree.name, job.path, document.format, document.metadata)
        return self._links[job.tree.root].find(link.target, link.kind, origin)

    @cached_property
    def _links(self) -> Mapping[Path, Links]:
        """Links by root: trees of one name may stand at several places."""
        roots: dict[Path, dict[str, ChunkJob]] = {}
        for job in self._jobs:
            roots.setdefault(job.tree.root, {})[job.path] = job
        return {root: self._among(jobs) for root, jobs in roots.items()}

    def _among(self, jobs: Mapping[str, ChunkJob]) -> Links:
        def place(tree: str, path: str, slug: str | None) -> str | None:
            return self._slugs_of(jobs[path]).get(slug)

        return Links(place, [(job.tree.name, path) for path, job in jobs.items()])

    def _slugs_of(self, job: ChunkJob) -> Slugs:
        key = job.tree.root, job.path
        found = self._slugs.get(key)
        if found is None:
            found = self._slugs[key] = dict(self._find_slugs(job))
            self._kept += len(found)
            while self._kept > KEPT_SLUGS and len(self._slugs) > 1:
                self._kept -= len(self._slugs.pop(next(iter(self._slugs))))
        return found

    def _find_slugs(self, job: ChunkJob) -> Iterator[tuple[str | None, str]]:
        if job.options.strategy == "auto":  # the same sections are chunks, and nothing is counted
            job = job._replace(options=replace(job.options, strategy="heading"))
        document = self._chunked(job)
        if document is not None and document.chunks:
            yield None, document.doc_id
            for slug, position in document.slugs.items():
                yield slug, document.chunks[position].id
