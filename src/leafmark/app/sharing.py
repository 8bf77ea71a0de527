"""Chunk jobs shared out to workers and answered in order, with bounded memory.

Batches of neighbours go round; each worker has two at most, and gets the next
when the oldest is answered. A very large job is done here, where its output
need not be whole before it is handed on. A worker that fails costs time only:
its batches are done here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import cycle
from typing import TypeVar

from leafmark.app.chunk_jobs import ChunkJob
from leafmark.app.workers import Worker, can_start, core_count

__all__ = ["share_out", "worker_count"]

MOST_WORKERS = 4
"""With the main process they stay below 400 MB."""

BYTES_PER_WORKER = 1_500_000
"""A worker is started for each so many bytes: fewer are not worth its start. Chosen by eye."""

BATCH_BYTES = 256_000
BATCH_JOBS = 64
ALONE_BYTES = 4_000_000
"""A job of this size is done by the main process."""

ASKED_AHEAD = 2
"""Batches that a worker has at a time: the next one must be there when one is done."""

Answer = TypeVar("Answer")
Work = Callable[[ChunkJob], Iterable[Answer]]
Batch = Sequence[ChunkJob]


def worker_count(jobs: Sequence[ChunkJob]) -> int:
    """Return how many processes are worth starting."""
    total = sum(job.size for job in jobs if job.size < ALONE_BYTES)
    count = min(core_count(), MOST_WORKERS, len(jobs), total // BYTES_PER_WORKER)
    return count if count > 1 and can_start() else 0


def share_out(
    jobs: Sequence[ChunkJob], work: Work[Answer], count: int
) -> Generator[Answer, None, None]:
    """Yield all answers of `work` to each job, in order; `count` workers help.

    What `work` raises is raised here, after the answers before it.
    """
    workers: list[Worker[ChunkJob, list[Answer]]] = []
    try:
        with suppress(OSError):  # a system that lets us start none does not need to
            workers.extend(Worker(partial(_all_answers, work=work)) for _ in range(count))
        for batch, worker in _asked(_batches(jobs), workers):
            answers = None if worker is None else worker.answer()
            if answers is None:
                for job in batch:
                    yield from work(job)
            else:
                for of_job in answers:
                    yield from of_job
    finally:
        for worker in workers:
            worker.stop()


def _all_answers(job: ChunkJob, *, work: Work[Answer]) -> list[Answer]:
    return list(work(job))


def _asked(
    batches: Iterator[Batch], workers: Sequence[Worker[ChunkJob, list[Answer]]]
) -> Iterator[tuple[Batch, Worker[ChunkJob, list[Answer]] | None]]:
    """Yield batches in order, each with the worker that was asked for it, if any."""
    under_way: deque[tuple[Batch, Worker[ChunkJob, list[Answer]] | None]] = deque()
    turns = cycle(workers or [None])
    for batch in batches:
        worker = None if batch[0].size >= ALONE_BYTES else next(turns)
        if worker is not None:
            worker.ask(batch)
        under_way.append((batch, worker))
        if len(under_way) > ASKED_AHEAD * len(workers):
            yield under_way.popleft()
    yield from under_way


def _batches(jobs: Iterable[ChunkJob]) -> Iterator[Batch]:
    """Cut the jobs into batches; a very large one is one by itself."""
    batch: list[ChunkJob] = []
    size = 0
    for job in jobs:
        large = job.size >= ALONE_BYTES
        if batch and (large or size >= BATCH_BYTES or len(batch) >= BATCH_JOBS):
            yield batch
            batch, size = [], 0
        batch.append(job)
        size += job.size
        if large:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
