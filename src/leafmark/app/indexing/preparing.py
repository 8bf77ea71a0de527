"""Prepare many sources for the index, in their order, on several cores.

The sources go through in batches. Workers get some; this process, which feeds the writer, prepares
a batch itself whenever the next one in order is not ready. At most a window of batches is in
progress, so memory does not grow with the corpus; a very large source is prepared alone. The
batches of a failed worker are prepared here: a failure only costs time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from leafmark.app.sources.contents import refuse_contents
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.folders import Tree
from leafmark.app.sources.source_formats import parse_source, unless_broken, unread
from leafmark.app.sources.walk import SourceFile
from leafmark.app.workers import Helper, Worker, core_count, cut_batches
from leafmark.child import can_start
from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.environment import give_back_memory
from leafmark.index import EngineDocuments, prepare_source
from leafmark.index.manifest import gc_paused
from leafmark.model import Diagnostic, DocumentEntry, FileState
from leafmark.namedtuples import NamedTuple
from leafmark.parsing import format_of

_NO_DIGEST = "0" * 64


class Recipe(NamedTuple):
    """How the sources of one tree are prepared; `stemmer` is the tree's language."""

    tree: Tree
    options: ChunkingOptions
    stemmer: str | None


class Task(NamedTuple):
    """A source to prepare; `known` is its indexed state, None to prepare it in any case.

    `named` says that the user named it, now or before.
    """

    source: SourceFile
    known: FileState | None = None
    named: bool = False


class Prepared(NamedTuple):
    """The result of a task: documents for the index, or the new state of unchanged bytes.

    Without either, the file is gone.
    """

    tree: str
    path: str
    source: EngineDocuments | None = None
    unchanged: FileState | None = None


def prepare(task: Task, recipe: Recipe) -> Prepared:
    """Read and prepare one source.

    Raises:
        LeafmarkError: the recipe is invalid for any source.
    """
    tree, path = task.source.tree, task.source.path
    try:
        data, state = read_beneath(recipe.tree, path)
    except FileNotFoundError:
        return Prepared(tree, path)
    except (OSError, MemoryError) as error:
        state = FileState(*task.source[2:6], _NO_DIGEST)
        return _without_chunks(task, recipe, state, unread(path, error))
    known = task.known
    if known and (known.digest, known.modified_ns) == (state.digest, state.modified_ns):
        return Prepared(tree, path, unchanged=state)
    refused = refuse_contents(recipe.tree, path, data, named=task.named)
    if refused is not None:
        return _without_chunks(task, recipe, state, refused)
    source = unless_broken(lambda: _chunked(task, recipe, data, state), path, "prepared")
    if isinstance(source, Diagnostic):
        return _without_chunks(task, recipe, state, source)
    return Prepared(tree, path, source)


def _chunked(task: Task, recipe: Recipe, data: bytes, state: FileState) -> EngineDocuments:
    outputs = recipe.options.notebook_outputs
    document = parse_source(recipe.tree, task.source.path, data, notebook_outputs=outputs)
    chunked = chunk_document(document, tree=recipe.tree.name, options=recipe.options)
    return prepare_source(chunked, state, stemmer=recipe.stemmer, named=task.named)


def _without_chunks(task: Task, recipe: Recipe, state: FileState, note: Diagnostic) -> Prepared:
    """Return a source without chunks, with the reason."""
    entry = DocumentEntry(
        tree=task.source.tree,
        path=task.source.path,
        state=state,
        title="",
        format="text",
        encoding="utf-8",
        chunk_count=0,
        diagnostics=(note,),
        named=task.named,
    )
    return Prepared(entry.tree, entry.path, EngineDocuments(entry, recipe.stemmer))


WORTH_A_WORKER_BYTES = 3_000_000
"""A smaller total is not worth the start of a worker (a quarter of a second of work)."""

BATCH_BYTES = 256_000
"""Size of a batch: large enough that messages are cheap, small enough to spread evenly."""

BATCH_SOURCES = 64

LAST_BATCHES = 8
"""The rest is cut into at least so many batches, as at the end all wait for the last one."""

MIN_BATCH_BYTES = 32_000

ALONE_BYTES = 2_500_000
"""A source of this size is prepared here, with nothing else in progress: it takes 80 MB."""

CODE_WEIGHT = 8
"""Code counts as this many times larger: its syntax tree takes thirty times its size."""

BATCHES_AHEAD = 3
"""Batches that a worker has at a time: with two it waits for a twentieth of its time."""

WINDOW = 6
"""Batches in progress, without those of the workers."""

Batch = list[Task]

Recipes = Mapping[str, Recipe]
"""Recipes by the name of their tree."""

Work = Callable[[Task], Prepared]

Start = Callable[[Work], Helper[Task, Prepared]]
"""Starts a worker that answers batches of tasks."""


def prepare_all(
    tasks: Iterable[Task],
    recipes: Recipes,
    *,
    total_bytes: int,
    workers: int,
    start: Start | None = None,
) -> Generator[Prepared, None, None]:
    """Yield the result of each task, in order; up to `workers` processes help if it is worth it.

    This thread reads `tasks`, no further than needed. `start` starts a worker, else a process.
    """
    worth_it = total_bytes >= WORTH_A_WORKER_BYTES and can_start()
    count = min(workers, core_count() - 1) if worth_it else 0
    work = partial(_prepare, recipes=dict(recipes))
    if start is None and count < 1:
        return (work(task) for task in tasks)
    line = _Line(tasks, work, total_bytes, start or Worker)
    return line.run(count if start is None else workers)


def _prepare(task: Task, recipes: Recipes) -> Prepared:
    return prepare(task, recipes[task.source.tree])


def _is_alone(task: Task) -> bool:
    """Say whether the source is so large that it is prepared with nothing else in progress."""
    weight = CODE_WEIGHT if format_of(task.source.path) == "script" else 1
    return task.source.size * weight >= ALONE_BYTES


class _Slot(NamedTuple):
    """A batch in progress: a worker has it, or it was prepared here."""

    batch: Batch
    worker: Helper[Task, Prepared] | None
    prepared: Sequence[Prepared]

    def is_ready(self) -> bool:
        return self.worker is None or self.worker.has_answer()


class _Line:
    """The batches in progress, in order."""

    def __init__(self, tasks: Iterable[Task], work: Work, total_bytes: int, start: Start):
        self._batches = _Ahead(_batches(tasks, total_bytes))
        self._work = work
        self._slots: deque[_Slot] = deque()
        self._to_start = 0
        self._start_worker = start
        self._workers: list[Helper[Task, Prepared]] = []

    def run(self, workers: int) -> Generator[Prepared, None, None]:
        """Yield the result of each task, with the help of `workers` workers."""
        self._to_start = workers
        try:
            while self._slots or self._batches.next is not None:
                self._ask_workers()
                if self._slots and (self._slots[0].is_ready() or not self._may_prepare()):
                    yield from self._finish(self._slots.popleft())
                else:
                    batch = self._batches.take()
                    self._slots.append(_Slot(batch, None, self._prepare(batch)))
        finally:
            for worker in self._workers:
                worker.stop()

    def _start(self) -> None:
        """Start the workers; a system that refuses does without."""
        count, self._to_start = self._to_start, 0
        with suppress(OSError):
            for _ in range(count):
                self._workers.append(self._start_worker(self._work))

    def _ask_workers(self) -> None:
        """Give batches to the workers, and start these when there is a batch for them."""
        if self._to_start and self._may_ask():
            self._start()
        for worker in self._workers:
            while self._count_batches(worker) < BATCHES_AHEAD and self._may_ask():
                batch = self._batches.take()
                worker.ask(batch)
                self._slots.append(_Slot(batch, worker, ()))

    def _count_batches(self, worker: Helper[Task, Prepared]) -> int:
        return sum(slot.worker is worker for slot in self._slots)

    def _may_ask(self) -> bool:
        batch = self._batches.next
        alone = any(_is_alone(slot.batch[0]) for slot in self._slots)
        return batch is not None and not alone and not _is_alone(batch[0])

    def _may_prepare(self) -> bool:
        """Say whether there is a batch to prepare here, and room for it."""
        batch = self._batches.next
        if batch is None:
            return False
        if _is_alone(batch[0]):
            return not self._slots
        return sum(slot.worker is None for slot in self._slots) < WINDOW

    def _finish(self, slot: _Slot) -> Iterable[Prepared]:
        if slot.worker is None:
            return slot.prepared
        answer = slot.worker.answer()
        give_back_memory()
        if answer is None:
            return self._prepare(slot.batch)
        # check here that a file is gone: another machine may not have the folder
        return (
            prepared if prepared.source or prepared.unchanged else self._work(task)
            for task, prepared in zip(slot.batch, answer, strict=True)
        )

    def _prepare(self, batch: Batch) -> list[Prepared]:
        with gc_paused():  # till hardly anything is left that could be looked at
            return [self._work(task) for task in batch]


class _Ahead:
    """An iterator of batches that shows the `next` one, None at the end."""

    def __init__(self, batches: Iterator[Batch]):
        self._batches = batches
        self.next = next(batches, None)

    def take(self) -> Batch:
        batch = self.next
        assert batch is not None
        self.next = next(self._batches, None)
        return batch


def _batches(tasks: Iterable[Task], total_bytes: int) -> Iterator[Batch]:
    """Cut the tasks into batches; a very large source gets its own."""
    return cut_batches(
        tasks,
        lambda task: task.source.size,
        enough=lambda done: _enough(total_bytes - done),
        most=BATCH_SOURCES,
        is_alone=_is_alone,
    )


def _enough(left: int) -> int:
    """Return the bytes of a batch when `left` bytes remain."""
    return min(BATCH_BYTES, max(MIN_BATCH_BYTES, left // LAST_BATCHES))
