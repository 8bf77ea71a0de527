"""The jobs of one run of `leafmark chunk`, in order: a few bytes each, however many there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, overload

from leafmark.app.chunking.numbers_by_hash import NumbersByHash
from leafmark.app.sources.trees import Tree
from leafmark.chunking import ChunkingOptions
from leafmark.model import CompressedList

__all__ = ["ChunkJob", "JobList", "JobPlaces"]


class ChunkJob(NamedTuple):
    """One source to be chunked: the file `path` of `tree`, or `data` in its place.

    `named` says that the user named it, not a folder above it.
    """

    tree: Tree
    path: str
    size: int
    options: ChunkingOptions
    data: bytes | None = None
    named: bool = False


class JobList(Sequence[ChunkJob]):
    """Jobs that differ by path and size, and mostly by nothing else."""

    def __init__(self) -> None:
        self._kinds: list[ChunkJob] = []
        self._rows: CompressedList[tuple[int, str, int]] = CompressedList()

    def add(self, job: ChunkJob) -> None:
        kind = job._replace(path="", size=0)
        if not self._kinds or self._kinds[-1] != kind:
            self._kinds.append(kind)
        self._rows.append((len(self._kinds) - 1, job.path, job.size))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ChunkJob]:
        return map(self._job, self._rows)

    @overload
    def __getitem__(self, number: int) -> ChunkJob: ...
    @overload
    def __getitem__(self, number: slice) -> list[ChunkJob]: ...
    def __getitem__(self, number: int | slice) -> ChunkJob | list[ChunkJob]:
        rows = self._rows[number]
        return [*map(self._job, rows)] if isinstance(rows, list) else self._job(rows)

    def _job(self, row: tuple[int, str, int]) -> ChunkJob:
        number, path, size = row
        return self._kinds[number]._replace(path=path, size=size)

    def without_repeats(self) -> JobList:
        """The same jobs, each source only once: as the first job of it says."""
        found, places = JobList(), JobPlaces(self)
        for number, job in enumerate(self):
            if places.add(number, job):
                found.add(job)
        return found


class JobPlaces:
    """Tells which job is done for a path below a root, with some twenty bytes for each job."""

    def __init__(self, jobs: Sequence[ChunkJob]):
        self._jobs = jobs
        self._numbers = NumbersByHash(len(jobs))

    def add(self, number: int, job: ChunkJob) -> bool:
        """Take in a job, by its number; False where its source is there already."""
        root, path = job.tree.root, job.path
        if self.find(root, path) is not None:
            return False
        self._numbers.put(hash((root, path)), number)
        return True

    def find(self, root: Path, path: str) -> ChunkJob | None:
        for number in self._numbers.find(hash((root, path))):
            job = self._jobs[number]
            if job.path == path and job.tree.root == root:
                return job
        return None
