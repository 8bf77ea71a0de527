"""Chunk jobs shared out to workers and answered in order, with bounded memory.

Batches of neighbours go round; each worker has two at most, and gets the next
when the oldest is answered. A very large job is done here, where its output
need not be whole before it is handed on; so is one that a worker gives up
because its output grows too large. A worker that fails costs time only: its
batches are done here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import cycle, repeat
from typing import TypeAlias, TypeVar

from leafmark.app.batches import cut_batches
from leafmark.app.chunking.jobs import ChunkJob
from leafmark.app.workers import Worker, can_start, core_count

__all__ = ["share_out", "worker_count"]

MOST_WORKERS = 4
"""With the main process they stay below 400 MB."""

BYTES_PER_WORKER = 1_500_000
"""A worker is started for each so many bytes: fewer are not worth its start. Chosen by eye."""

BATCH_BYTES = 256_000
BATCH_JOBS = 32
ALONE_BYTES = 4_000_000
"""A job of this size is done by the main process."""

ANSWER_CHARS = 4_000_000
"""A job's output beyond this is not held: the records of thousands of sections below one name
each other, and come to gigabytes. Few documents below a megabyte have more than this otherwise."""

ASKED_AHEAD = 2
"""Batches that a worker has at a time: the next one must be there when one is done."""

Answer = TypeVar("Answer")
Work = Callable[[ChunkJob], Iterable[Answer]]
Batch = Sequence[ChunkJob]
_JobWorker: TypeAlias = Worker[ChunkJob, list[Answer] | None]


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
    workers: list[_JobWorker[Answer]] = []
    try:
        with suppress(OSError):  # a system that lets us start none does not need to
            workers.extend(Worker(partial(_all_answers, work=work)) for _ in range(count))
        for batch, worker in _asked(_batches(jobs), workers):
            answers = None if worker is None else worker.answer()
            for job, of_job in zip(batch, answers or repeat(None), strict=False):
                yield from work(job) if of_job is None else of_job
    finally:
        for worker in workers:
            worker.stop()


def _all_answers(job: ChunkJob, *, work: Work[Answer]) -> list[Answer] | None:
    """All answers of `work` to a job; None where they are too large to be held."""
    answers: list[Answer] = []
    size = 0
    for answer in work(job):
        size += len(answer) if isinstance(answer, str) else 0
        if size > ANSWER_CHARS:
            return None
        answers.append(answer)
    return answers


def _asked(
    batches: Iterator[Batch], workers: Sequence[_JobWorker[Answer]]
) -> Iterator[tuple[Batch, _JobWorker[Answer] | None]]:
    """Yield batches in order, each with the worker that was asked for it, if any."""
    under_way: deque[tuple[Batch, _JobWorker[Answer] | None]] = deque()
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
    return cut_batches(
        jobs,
        lambda job: job.size,
        enough=lambda done: BATCH_BYTES,
        most=BATCH_JOBS,
        is_alone=lambda job: job.size >= ALONE_BYTES,
    )
