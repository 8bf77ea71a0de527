"""Many sources to what the index takes of them: in their order, on several cores.

The sources go through in batches. Workers get some; this process, which feeds
the writer, prepares one itself whenever the next one in order is not ready. At
most a window of batches is under way, so memory does not grow with the corpus;
a very large source is prepared alone. A worker that fails costs time only: its
batches are prepared here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from leafmark.app.sources.contents import refuse_contents
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.folders import Tree
from leafmark.app.sources.formats import parse_source, unless_broken, unread
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
    """A source to prepare. `known` is how it looked when it was indexed, if it was and could be.

    `named` says that the user named it, now or before.
    """

    source: SourceFile
    known: FileState | None = None
    named: bool = False


class Prepared(NamedTuple):
    """What became of a task: fields for the index, a new state of the same bytes, or neither.

    Neither means that the file is gone.
    """

    tree: str
    path: str
    source: EngineDocuments | None = None
    same: FileState | None = None


def prepare(task: Task, recipe: Recipe) -> Prepared:
    """Read and prepare one source.

    Raises:
        LeafmarkError: the recipe cannot be followed, for any source.
    """
    tree, path = task.source.tree, task.source.path
    try:
        data, state = read_beneath(recipe.tree, path)
    except FileNotFoundError:
        return Prepared(tree, path)
    except (OSError, MemoryError) as error:
        looked = FileState(*task.source[2:6], _NO_DIGEST)
        return _without_chunks(task, recipe, looked, unread(path, error))
    known = task.known
    if known and (known.digest, known.modified_ns) == (state.digest, state.modified_ns):
        return Prepared(tree, path, same=state)
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
    """Remember a source with the reason why nothing of it is indexed."""
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
"""Less is prepared before a worker has paid for its start (a quarter of a second of work)."""

BATCH_BYTES = 256_000
"""The sources of a batch: enough to make the talk cheap, few enough to spread evenly."""

BATCH_SOURCES = 64

LAST_BATCHES = 8
"""What is left is at least so many batches: small ones at the end, when all wait for the last."""

MIN_BATCH_BYTES = 32_000

ALONE_BYTES = 2_500_000
"""A source of this size is prepared here, while nothing else is under way: it takes 80 MB."""

CODE_WEIGHT = 8
"""Code counts this many times as large: its syntax tree takes thirty times its size."""

ASKED_AHEAD = 3
"""Batches that one worker has at a time: with two it waits a twentieth of its time for the next."""

WINDOW = 6
"""Batches under way, those of the workers apart."""

Batch = list[Task]

Recipes = Mapping[str, Recipe]
"""How sources are prepared, by the name of their tree."""

Work = Callable[[Task], Prepared]

Start = Callable[[Work], Helper[Task, Prepared]]
"""Starts what answers batches of tasks."""


def prepare_all(
    tasks: Iterable[Task],
    recipes: Recipes,
    *,
    total_bytes: int,
    workers: int,
    start: Start | None = None,
) -> Generator[Prepared, None, None]:
    """Yield what became of each task, in order; `workers` processes help where it is worth it.

    `tasks` is read as far as need be, by this thread. With `start`, workers are made by it.
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
    """Whether the source is so large that it is prepared while nothing else is under way."""
    weight = CODE_WEIGHT if format_of(task.source.path) == "script" else 1
    return task.source.size * weight >= ALONE_BYTES


class _Slot(NamedTuple):
    """A batch on its way: a worker has it, or it was prepared here."""

    batch: Batch
    worker: Helper[Task, Prepared] | None
    prepared: Sequence[Prepared]

    def is_ready(self) -> bool:
        return self.worker is None or self.worker.has_answer()


class _Line:
    """The batches under way, in order."""

    def __init__(self, tasks: Iterable[Task], work: Work, total_bytes: int, start: Start):
        self._batches = _Ahead(_batches(tasks, total_bytes))
        self._work = work
        self._slots: deque[_Slot] = deque()
        self._wanted = 0
        self._start_worker = start
        self._workers: list[Helper[Task, Prepared]] = []

    def run(self, workers: int) -> Generator[Prepared, None, None]:
        """Yield what became of each task, with the help of so many workers."""
        self._wanted = workers
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
        """Start the workers; a system that lets us start none does not need to."""
        count, self._wanted = self._wanted, 0
        with suppress(OSError):
            for _ in range(count):
                self._workers.append(self._start_worker(self._work))

    def _ask_workers(self) -> None:
        """Give batches to the workers, which are started when there is one that they may have."""
        if self._wanted and self._may_ask():
            self._start()
        for worker in self._workers:
            while self._asked(worker) < ASKED_AHEAD and self._may_ask():
                batch = self._batches.take()
                worker.ask(batch)
                self._slots.append(_Slot(batch, worker, ()))

    def _asked(self, worker: Helper[Task, Prepared]) -> int:
        return sum(slot.worker is worker for slot in self._slots)

    def _may_ask(self) -> bool:
        batch = self._batches.next
        alone = any(_is_alone(slot.batch[0]) for slot in self._slots)
        return batch is not None and not alone and not _is_alone(batch[0])

    def _may_prepare(self) -> bool:
        """Whether there is a batch to prepare here, and room for it."""
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
        # gone is only what is gone here: another machine may not have the folder
        return (
            prepared if prepared.source or prepared.same else self._work(task)
            for task, prepared in zip(slot.batch, answer, strict=True)
        )

    def _prepare(self, batch: Batch) -> list[Prepared]:
        with gc_paused():  # till hardly anything is left that could be looked at
            return [self._work(task) for task in batch]


class _Ahead:
    """An iterator of batches whose next one can be looked at; None at the end."""

    def __init__(self, batches: Iterator[Batch]):
        self._batches = batches
        self.next = next(batches, None)

    def take(self) -> Batch:
        batch = self.next
        assert batch is not None
        self.next = next(self._batches, None)
        return batch


def _batches(tasks: Iterable[Task], total_bytes: int) -> Iterator[Batch]:
    """Cut the tasks into batches; a very large source is one by itself."""
    return cut_batches(
        tasks,
        lambda task: task.source.size,
        enough=lambda done: _enough(total_bytes - done),
        most=BATCH_SOURCES,
        is_alone=_is_alone,
    )


def _enough(left: int) -> int:
    """The bytes that make a batch when so many are left."""
    return min(BATCH_BYTES, max(MIN_BATCH_BYTES, left // LAST_BATCHES))
