"""Chunk files without an index, for `leafmark chunk`.

Each source is read, parsed, chunked and rendered by itself, so that only one document is in
memory. Small inputs stay in this process; large ones are shared with other processes, and their
answers come in the order of the plan.
"""

from __future__ import annotations

import os
import re
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import cycle, repeat
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from leafmark.app.configuration.project import Project
from leafmark.app.linking import KnownKeys, Links, PlainOrigin
from leafmark.app.requests import ChunkRequest, Progress
from leafmark.app.sources.contents import refuse_contents
from leafmark.app.sources.file_names import nearest_paths
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.folders import Tree, is_encodable, is_there
from leafmark.app.sources.source_formats import parse_source, unless_broken, unread
from leafmark.app.sources.walk import (
    SourceFile,
    WalkNotes,
    iter_sources,
    named_source,
    needs_converter,
)
from leafmark.app.workers import Worker, core_count, cut_batches
from leafmark.child import can_start
from leafmark.chunking import (
    ChunkingOptions,
    DocumentSizes,
    Finding,
    chunk_document,
    inspect_quality,
    measure_document,
    token_counter,
)
from leafmark.errors import NotFoundError, Remedy, UsageError
from leafmark.model import (
    LEFT_OUT,
    ChunkedDocument,
    CompressedList,
    Diagnostic,
    Document,
    DocumentKey,
    FindLink,
    Link,
    Skipped,
    check_tree_name,
    document_id,
    leads_nowhere,
    tree_name,
)
from leafmark.namedtuples import NamedTuple

# The sources that a `ChunkRequest` names, and their trees and options.
#
# In: the project and a request. Out: a `ChunkPlan`: the jobs, in the order of
# their answers, and the sources left out. Nothing is read yet.


_WILD = re.compile(r"([\\*?\[\]!# ])")
_ESCAPED = r"\\\1"
"""What a pattern takes for itself."""


class _Part(NamedTuple):
    """A file or folder `below` a tree's root ("" for the root); `left_out` are folders in it."""

    tree: Tree
    below: str
    is_folder: bool
    left_out: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """The jobs of a request, each source once.

    `refused` are named files that are left out; `skipped` were left out by the walk of a named
    folder.
    """

    jobs: Sequence[ChunkJob]
    refused: tuple[Skipped, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def plan_chunking(project: Project, request: ChunkRequest) -> ChunkPlan:
    """Return the jobs of a request; files below named folders are in the order of the walk.

    Raises:
        NotFoundError: there is nothing at a path, or no such root.
        UsageError: a path is not below the root, or the name of the tree or the data is invalid.
        ConfigError: sizes do not fit together.
    """
    places = _Places(project, request)
    if request.data is not None:
        name = _checked_name(request.name)
        unread = needs_converter(name)
        if unread is not None:
            return ChunkPlan((), diagnostics=(unread,))
        job = _blank_job(project, places.first)
        return ChunkPlan(
            (job._replace(path=name, size=len(request.data), data=request.data, named=True),)
        )
    named, walked = WalkNotes(), WalkNotes()
    jobs = CompressedList[ChunkJob]()  # a few bytes each, however many there are
    all_parts = [part for path in request.paths for part in places.find(path)]
    parts = {(part.tree.root, part.tree.name, part.below): part for part in all_parts}
    for part in parts.values():
        blank = _blank_job(project, part.tree)._replace(named=not part.is_folder)
        notes = walked if part.is_folder else named
        for source in _sources(part, notes):
            if _is_written(part.tree, source, request.written):
                notes.skipped.append(Skipped(source.path, "the output goes there"))
            else:
                jobs.append(blank._replace(path=source.path, size=source.size))
    return ChunkPlan(
        CompressedList(each_once(jobs)) if len(parts) > 1 else jobs,
        tuple(dict.fromkeys(named.skipped)),
        tuple(dict.fromkeys(walked.skipped)),
        tuple(dict.fromkeys([*named.diagnostics, *walked.diagnostics])),
    )


def _blank_job(project: Project, tree: Tree) -> ChunkJob:
    """Return a job with the options of a tree, but without a source."""
    options = project.chunking_options(tree)
    # the overrides did their work, and a read-only mapping cannot be sent to a process
    return ChunkJob(tree._replace(overrides={}), "", 0, options)


def _sources(part: _Part, notes: WalkNotes) -> Iterator[SourceFile]:
    if not part.is_folder:
        source = named_source(part.tree, part.below, notes)
        if source is not None:
            yield source
        return
    excluded = tuple(f"/{_WILD.sub(_ESCAPED, path)}" for path in part.left_out)
    tree = part.tree._replace(exclude=(*part.tree.exclude, *excluded))
    own = WalkNotes()
    yield from iter_sources(tree, under=part.below, notes=own)
    notes.skipped += [skipped for skipped in own.skipped if skipped.path not in part.left_out]
    notes.diagnostics += own.diagnostics


def _is_written(tree: Tree, source: SourceFile, written: tuple[int, int] | None) -> bool:
    """Say whether a source is the output file, which would grow while it is read."""
    if written is None or source.inode not in (written[1], 0):  # 0: not known
        return False
    try:
        info = os.stat(tree.root / source.path)
    except OSError:
        return False
    return (info.st_dev, info.st_ino) == written


def _checked_name(name: str) -> str:
    parts = name.split("/")
    if "\0" in name or name.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise UsageError(
            f"standard input cannot be called {name!r}",
            hint="give it a path as it would have below the root, such as guides/setup.md",
        )
    return name


class _Places:
    """The trees in which named paths can lie, in the order in which they are tried.

    With a root, or the name of a configured tree, that one alone. With another
    name, the folder that is worked in, called so. Else the configured trees, then
    that folder. A path in none of them stands in a tree made of its own folder.
    Below such a folder too, what is in a configured tree belongs to that one.
    """

    def __init__(self, project: Project, request: ChunkRequest):
        name = request.tree
        if name is not None:
            check_tree_name(name)
        self._project = project
        self._name = name
        self._is_fixed = True
        named = project.tree(name) if name else None
        here = self._tree(Path(project.directory))
        if request.root is not None:
            self._trees = [self._tree(self._folder(request.root), named)]
        elif named is not None:
            self._trees = [named]
        else:
            self._is_fixed = False
            self._trees = [here] if name else [*project.trees, here]
        self.first = self._trees[0] if self._is_fixed or name else here

    def _folder(self, root: str) -> Path:
        folder = self._project.directory / root
        if not os.path.isdir(folder):
            raise NotFoundError(f"there is no folder {root!r}", location=str(folder))
        return folder

    def _tree(self, folder: Path, settings: Tree | None = None) -> Tree:
        """Return a tree for a folder, with the settings of a configured tree if given."""
        real = Path(os.path.realpath(folder))
        index = self._project.configuration.index
        return Tree(
            name=self._name or tree_name(real.name),
            root=real,
            max_file_bytes=settings.max_file_bytes if settings else index.max_file_bytes,
            follow_symlinks=settings.follow_symlinks if settings else index.follow_symlinks,
            overrides=settings.overrides if settings else {},
            formats=settings.formats if settings else (),
        )

    def find(self, path: str) -> list[_Part]:
        """Return what a path stands for: a file, or a folder with the trees in it.

        Links are followed: the user named them.
        """
        if not is_encodable(path):
            raise NotFoundError(f"there is nothing at {path!r}")
        real = os.path.realpath(self._project.directory / path)
        if not is_there(real):
            near = nearest_paths(Path(real), path)
            raise NotFoundError(f"there is nothing at {path!r}", location=real, did_you_mean=near)
        is_folder = os.path.isdir(real)
        place = self._innermost(real)
        if place is not None:
            return self._with_trees_in_it(_Part(*place, is_folder))
        if self._is_fixed:
            raise UsageError(
                f"{path!r} is not below the root",
                location=str(self._trees[0].root),
                hint=Remedy("root", "name a folder that holds it as the root"),
            )
        tree = self._tree(Path(real if is_folder else os.path.dirname(real)))
        below = "" if is_folder else os.path.basename(real)
        return self._with_trees_in_it(_Part(tree, below, is_folder))

    def _innermost(self, real: str) -> tuple[Tree, str] | None:
        """The tree that holds a path, and the path below its root.

        Of configured trees inside each other the inner one, whose settings are meant for it.
        """
        places = [(tree, path) for tree in self._trees if (path := _below(tree, real)) is not None]
        configured = [place for place in places if place[0] in self._project.trees]
        return min(configured or places[:1], key=lambda place: len(place[1]), default=None)

    def _with_trees_in_it(self, part: _Part) -> list[_Part]:
        """Return the part without the configured trees below it, and these trees."""
        is_own = part.tree in self._project.trees
        if not part.is_folder or self._is_fixed or self._name or is_own:
            return [part]
        start = f"{part.below}/" if part.below else ""
        within: dict[str, Tree] = {}
        for tree in self._project.trees:
            path = _below(part.tree, os.path.realpath(tree.root))
            if path and path.startswith(start) and not tree.is_missing:
                within[f"{path}/"] = tree
        trees = [_Part(tree, "", True) for tree in within.values()]
        return [part._replace(left_out=frozenset(within)), *trees]


def _below(tree: Tree, real: str) -> str | None:
    """Return the path of `real` relative to the tree's root, None if it is not below it."""
    try:
        relative = Path(real).relative_to(os.path.realpath(tree.root)).as_posix()
    except ValueError:
        return None
    return "" if relative == "." else relative


class ChunkJob(NamedTuple):
    """One source to chunk: the file `path` of `tree`, or `data` in its place.

    `named` says that the user named the file itself, not a folder above it.
    """

    tree: Tree
    path: str
    size: int
    options: ChunkingOptions
    data: bytes | None = None
    named: bool = False


def each_once(jobs: Iterable[ChunkJob]) -> Iterator[ChunkJob]:
    """Yield the first job of each source."""
    known = set[tuple[Path, str]]()
    for job in jobs:
        if (place := (job.tree.root, job.path)) not in known:
            known.add(place)
            yield job


# Chunk and render one source after the other.


Render = Callable[[ChunkedDocument, ChunkingOptions], Iterable[str]]
"""Returns the output of a chunked document and its options. It can be pickled."""

_PIECE_CHARS = 65_536
"""The approximate size of a piece of output."""


class SourceReport(NamedTuple):
    """The report about one source, which follows its output.

    `sizes` and `findings` are empty unless requested.
    """

    doc_id: str
    chunks: int = 0
    skipped: Skipped | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    sizes: DocumentSizes | None = None
    findings: tuple[Finding, ...] = ()


def chunk_sources(
    plan: ChunkPlan,
    *,
    render: Render | None,
    inspect: bool = False,
    linked: bool = False,
    progress: Progress | None = None,
    workers: int | None = None,
) -> Generator[str | SourceReport, None, None]:
    """Yield, source by source in the order of the plan, pieces of output and then a report.

    With `inspect` the reports hold sizes and the findings of the quality report, with
    With `linked`, records have the targets of links between the sources.
    `workers` None decides by the size of the input; 0 means that this process does all.
    """
    links = RunLinks(plan.jobs, linked_to) if linked else None
    work = partial(_work, render=render, inspect=inspect, links=links)
    if workers is None:
        workers = worker_count(plan.jobs)
    answers: Generator[str | SourceReport, None, None]
    if workers:
        answers = share_out(plan.jobs, work, workers)
    else:
        answers = (answer for job in plan.jobs for answer in work(job))
    done = 0
    with closing(answers):
        for answer in answers:
            yield answer
            if isinstance(answer, SourceReport):
                done += 1
                if progress is not None:
                    progress("chunking", done, len(plan.jobs))


def _work(
    job: ChunkJob, *, render: Render | None, inspect: bool, links: RunLinks | None
) -> Iterator[str | SourceReport]:
    """Do one job, a piece of output after the other."""
    doc_id = document_id(job.tree.name, job.path)
    if inspect:
        # so that the time of the first document excludes loading the parser and the tokenizer
        parse_source(job.tree, job.path, b"")
        token_counter(job.options.tokenizer)("a")
    began = time.perf_counter()
    data = _read(job)
    if isinstance(data, Diagnostic):
        yield SourceReport(doc_id, diagnostics=(data,))
        return
    refused = refuse_contents(job.tree, job.path, data, named=job.named)
    if refused is not None:
        yield SourceReport(doc_id, skipped=Skipped(job.path, LEFT_OUT[refused.code]))
        return
    chunked = _chunked(job, data, leads_nowhere if links is None else partial(links.find, job))
    if isinstance(chunked, Diagnostic):
        yield SourceReport(doc_id, diagnostics=(chunked,))
        return
    seconds = time.perf_counter() - began
    if render is not None:
        yield from _gathered(render(chunked, job.options))
    report = SourceReport(doc_id, len(chunked.chunks), diagnostics=chunked.document.diagnostics)
    if inspect:
        report = report._replace(
            sizes=measure_document(chunked, options=job.options, seconds=seconds),
            findings=tuple(inspect_quality(chunked, options=job.options)),
        )
    yield report


def linked_to(job: ChunkJob) -> ChunkedDocument | None:
    """Return the chunks of a linked source; its own job reports its problems."""
    data = _read(job)
    if isinstance(data, Diagnostic) or refuse_contents(job.tree, job.path, data, named=job.named):
        return None
    chunked = _chunked(job, data, leads_nowhere)
    return None if isinstance(chunked, Diagnostic) else chunked


def _chunked(job: ChunkJob, data: bytes, find_link: FindLink) -> ChunkedDocument | Diagnostic:
    def make() -> ChunkedDocument:
        outputs = job.options.notebook_outputs
        document = parse_source(job.tree, job.path, data, notebook_outputs=outputs)
        return chunk_document(
            document, tree=job.tree.name, options=job.options, find_link=find_link
        )

    return unless_broken(make, job.path, "chunked")


def _read(job: ChunkJob) -> bytes | Diagnostic:
    if job.data is not None:
        return job.data
    try:
        return read_beneath(job.tree, job.path)[0]
    except (OSError, MemoryError) as error:
        return unread(job.path, error)


def _gathered(pieces: Iterable[str]) -> Iterator[str]:
    """Join small pieces, since each costs a message between processes or a call to write."""
    waiting: list[str] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _PIECE_CHARS:
            yield "".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield "".join(waiting)


# Resolve links among the sources of one run of `leafmark chunk`.
#
# In: the jobs of the run. Out: the id of the chunk that a link leads to, the same
# as in an index of these sources. Without an index, each process reads and chunks
# a page when a link leads to a section of it, and caches the slugs up to a bound.


Slugs: TypeAlias = Mapping[str | None, str]
"""Chunk ids by slug, the document's own by None; empty for a source without chunks."""

KEPT_SLUGS = 100_000
"""The size of the cache of slugs, about 20 MB; the oldest pages are dropped first."""


class RunLinks:
    """Resolves links. `chunked` returns the chunks of a job, None if it has none."""

    def __init__(
        self, jobs: Sequence[ChunkJob], chunked: Callable[[ChunkJob], ChunkedDocument | None]
    ) -> None:
        self._jobs = jobs
        self._chunked = chunked
        self._links: dict[Path, Links] = {}
        self._slugs: dict[tuple[Path, str], Slugs] = {}
        self._slug_count = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the arguments for a new object in another process."""
        return RunLinks, (self._jobs, self._chunked)

    def find(self, job: ChunkJob, document: Document, link: Link) -> str | None:
        """Return the id of the chunk that a link in the document of `job` leads to."""
        origin = PlainOrigin(job.tree.name, job.path, document.format, document.metadata)
        return self._links_below(job.tree.root).find(link.target, link.kind, origin)

    @cached_property
    def _numbers(self) -> Mapping[Path, Mapping[DocumentKey, int]]:
        """Return the positions of sources in the list of jobs, by root and key."""
        numbers: dict[Path, dict[DocumentKey, int]] = {}
        for number, job in enumerate(self._jobs):
            numbers.setdefault(job.tree.root, {})[job.tree.name, job.path] = number
        return numbers

    def _links_below(self, root: Path) -> Links:
        """Return the resolver of a root: several roots may have trees of one name."""
        links = self._links.get(root)
        if links is None:
            known = KnownKeys(self._numbers[root])
            links = self._links[root] = Links(partial(self._place, root), known)
        return links

    def _place(self, root: Path, tree: str, path: str, slug: str | None) -> str | None:
        number = self._numbers[root].get((tree, path))
        return None if number is None else self._slugs_of(self._jobs[number]).get(slug)

    def _slugs_of(self, job: ChunkJob) -> Slugs:
        key = job.tree.root, job.path
        slugs = self._slugs.get(key)
        if slugs is None:
            slugs = self._slugs[key] = dict(self._find_slugs(job))
            self._slug_count += len(slugs)
            while self._slug_count > KEPT_SLUGS and len(self._slugs) > 1:
                self._slug_count -= len(self._slugs.pop(next(iter(self._slugs))))
        return slugs

    def _find_slugs(self, job: ChunkJob) -> Iterator[tuple[str | None, str]]:
        document = self._chunked(job)  # its chunks are computed on access
        if document is None:
            return
        if job.options.strategy == "auto" and not document.document.anchors:  # which are in pieces
            options = job.options._replace(strategy="heading")  # the same sections, none counted
            document = chunk_document(document.document, tree=job.tree.name, options=options)
        if document.chunks:
            yield None, document.doc_id
            for slug, position in document.slugs.items():
                yield slug, document.chunks[position].id


# Chunk jobs are shared with workers and answered in order, with bounded memory.
#
# Workers get batches of neighbours in turn; each has two at most, and gets the next
# when the oldest is answered. A very large job is done here, where its output can
# be streamed; so is a job whose output grows too large for a worker. The batches of
# a failed worker are done here: a failure only costs time.


MAX_WORKERS = 4
"""With the main process they stay below 400 MB."""

BYTES_PER_WORKER = 1_500_000
"""One worker for each so many bytes: fewer are not worth its start. Chosen by eye."""

BATCH_BYTES = 256_000
BATCH_JOBS = 32
ALONE_BYTES = 4_000_000
"""A job of this size is done by the main process."""

ANSWER_CHARS = 4_000_000
"""Longer output of a job is not kept in memory: the records of thousands of sections below one
heading name each other, and have gigabytes. Other documents below a megabyte seldom have more."""

ASKED_AHEAD = 2
"""Batches that a worker has at a time, so that it never waits for the next."""

Answer = TypeVar("Answer")
Work = Callable[[ChunkJob], Iterable[Answer]]
Batch = Sequence[ChunkJob]
_JobWorker: TypeAlias = Worker[ChunkJob, list[Answer] | None]


def worker_count(jobs: Sequence[ChunkJob]) -> int:
    """Return the number of processes that are worth their start."""
    total = sum(job.size for job in jobs if job.size < ALONE_BYTES)
    count = min(core_count(), MAX_WORKERS, len(jobs), total // BYTES_PER_WORKER)
    return count if count > 1 and can_start() else 0


def share_out(
    jobs: Sequence[ChunkJob], work: Work[Answer], count: int
) -> Generator[Answer, None, None]:
    """Yield all answers of `work` to each job, in order; `count` workers help.

    An exception of `work` is raised after the answers before it.
    """
    workers: list[_JobWorker[Answer]] = []
    try:
        with suppress(OSError):  # without processes, this one does all
            workers.extend(Worker(partial(_all_answers, work=work)) for _ in range(count))
        for batch, worker in _assigned(_batches(jobs), workers):
            answers = None if worker is None else worker.answer()
            for job, of_job in zip(batch, answers or repeat(None), strict=False):
                yield from work(job) if of_job is None else of_job
    finally:
        for worker in workers:
            worker.stop()


def _all_answers(job: ChunkJob, *, work: Work[Answer]) -> list[Answer] | None:
    """Return all answers of `work` to a job; None if they are too large for memory."""
    answers: list[Answer] = []
    size = 0
    for answer in work(job):
        size += len(answer) if isinstance(answer, str) else 0
        if size > ANSWER_CHARS:
            return None
        answers.append(answer)
    return answers


def _assigned(
    batches: Iterator[Batch], workers: Sequence[_JobWorker[Answer]]
) -> Iterator[tuple[Batch, _JobWorker[Answer] | None]]:
    """Yield batches in order, each with its worker, if it has one."""
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
    """Cut the jobs into batches; a very large one gets its own."""
    return cut_batches(
        jobs,
        lambda job: job.size,
        enough=lambda done: BATCH_BYTES,
        most=BATCH_JOBS,
        is_alone=lambda job: job.size >= ALONE_BYTES,
    )
