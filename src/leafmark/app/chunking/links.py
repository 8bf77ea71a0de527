"""Where links lead among the sources of one run of `leafmark chunk`.

In: the jobs of the run. Out: the id of the chunk that a link leads to, as an
index of the same sources would tell. There is none, so a page whose sections
are linked to is read and chunked for that, by each process that asks; what was
found is kept up to a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from leafmark.app.chunking.job_list import ChunkJob, JobPlaces
from leafmark.app.chunking.numbers_by_hash import NumbersByHash
from leafmark.app.linking import Links, stem_of
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
        self._links: dict[Path, Links] = {}
        self._slugs: dict[tuple[Path, str], Slugs] = {}
        self._kept = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """What another process needs to begin anew."""
        return RunLinks, (self._jobs, self._chunked)

    def find(self, job: ChunkJob, document: Document, link: Link) -> str | None:
        """Return the id of the chunk that a link in the document of `job` leads to."""
        origin = _Origin(job.tree.name, job.path, document.format, document.metadata)
        return self._links_below(job.tree.root).find(link.target, link.kind, origin)

    @cached_property
    def _known(self) -> _JobIndex:
        return _JobIndex(self._jobs)

    def _links_below(self, root: Path) -> Links:
        """Links by root: trees of one name may stand at several places."""
        found = self._links.get(root)
        if found is None:
            found = self._links[root] = Links(partial(self._place, root), _Below(self._known, root))
        return found

    def _place(self, root: Path, tree: str, path: str, slug: str | None) -> str | None:
        job = self._known.find(root, path)
        return None if job is None else self._slugs_of(job).get(slug)

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


class _JobIndex:
    """Where in the list of jobs a source is, by its path and by its name."""

    def __init__(self, jobs: Sequence[ChunkJob]) -> None:
        self._jobs = jobs
        self._places = JobPlaces(jobs)
        for number, job in enumerate(jobs):
            self._places.add(number, job)

    def find(self, root: Path, path: str) -> ChunkJob | None:
        return self._places.find(root, path)

    def called(self, root: Path, stem: str) -> Iterator[ChunkJob]:
        """Yield the jobs for files of this name below a root."""
        for number in self._stems.find(hash((root, stem))):
            job = self._jobs[number]
            if job.tree.root == root and stem_of(job.path) == stem:
                yield job

    @cached_property
    def _stems(self) -> NumbersByHash:
        """Few runs have links by name."""
        found = NumbersByHash(len(self._jobs))
        for number, job in enumerate(self._jobs):
            found.put(hash((job.tree.root, stem_of(job.path))), number)
        return found


class _Below(NamedTuple):
    """The sources below one root, as `linking.Known` asks for them."""

    jobs: _JobIndex
    root: Path

    def holds(self, tree: str, path: str) -> bool:
        job = self.jobs.find(self.root, path)
        return job is not None and job.tree.name == tree

    def called(self, tree: str, stem: str) -> Iterator[str]:
        found = self.jobs.called(self.root, stem)
        return (job.path for job in found if job.tree.name == tree)
