"""One run of the writer: plan the changes under its lock, and carry them out.

In: a `Run`. Out: an `IndexReport`, after one commit. An interrupted run keeps its work so far,
since each source is complete by itself, unless it was rebuilding.
"""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Collection, Generator, Iterator
from contextlib import closing, contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from leafmark.app.configuration.project import Project
from leafmark.app.indexing.interrupts import Interrupts, delayed_interrupts
from leafmark.app.indexing.outcome import Outcome, is_document, report_of
from leafmark.app.indexing.scanning import Scan, scan
from leafmark.app.indexing.source_changes import Plan, named_before, plan_changes, plan_since
from leafmark.app.requests import Progress
from leafmark.app.sources.walk import SourceFile
from leafmark.environment import reset_after_fork
from leafmark.errors import LeafmarkError
from leafmark.index.embedded.checking import damage_behind, note_damage
from leafmark.index.manifest import TO_RETRY
from leafmark.model import (
    PASSING,
    UNREADABLE,
    Diagnostic,
    DocumentEntry,
    DocumentKey,
    FileState,
    IndexReport,
    document_id,
)
from leafmark.namedtuples import NamedTuple

if TYPE_CHECKING:
    from leafmark.app.indexing.machines import Machines
    from leafmark.app.indexing.preparing import Prepared, Recipe, Task
    from leafmark.index import IndexMeta, IndexWriter

CHECKPOINT_S = 20.0
"""Time between two checkpoints: a kill loses at most this much work of a build.

A commit takes a few tenths of a second.
"""


class Run(NamedTuple):
    """The input of a run.

    `scan_result` is of the scan that began at `began_ns`, `seen` the index committed then (None if
    it is unusable), and `plan` the difference of the two, if known. The run waits up to `timeout_s`
    for the lock. With `rebuild` every source is read and indexed anew; for `retry` and `prune` see
    `plan_since`. With `ray`, the machines of a Ray cluster prepare the sources.
    """

    project: Project
    scan_result: Scan
    began_ns: int
    seen: IndexMeta | None
    timeout_s: float
    rebuild: bool = False
    retry: bool = False
    prune: bool = False
    progress: Progress | None = None
    ray: bool = False
    plan: Plan | None = None


def carry_out(run: Run) -> IndexReport:
    """Write the changes, and return the report about them and about all sources.

    Raises:
        LockedError: another process went on writing for `timeout_s`.
        StorageError, DamagedError: the index cannot be written.
    """
    written = write_changes(run)
    # the writer and its memory of a large index are gone by now
    report = report_of(written.outcome, written.scan_result, run.project.open_reader())
    return report._replace(rebuilt=written.rebuilt, interrupted=written.interrupted)


def write_changes(run: Run) -> Written:
    """Write the changes, and return them.

    Raises:
        LockedError, StorageError, DamagedError: see `carry_out`.
    """
    try:
        return _write(run)
    except Exception as error:
        root = run.project.index_dir
        if run.project.remote is not None or damage_behind(error, root) is None:
            raise
        note_damage(root)
        scan_result = scan(run.project, run.scan_result.paths)  # the first scan is used up
        # this writer checks every byte first, and rebuilds what is damaged
        return _write(run._replace(scan_result=scan_result, plan=None))


class Written(NamedTuple):
    """The changes that a run wrote, and its scan."""

    outcome: Outcome
    scan_result: Scan
    rebuilt: str | None
    interrupted: bool


def _write(run: Run) -> Written:
    """Plan under the lock, since another writer may have been faster, and carry it out."""
    project, began_ns = run.project, run.began_ns
    outcome, interrupted = Outcome(), False
    with (
        project.open_writer(timeout_s=run.timeout_s, rebuild=run.rebuild) as writer,
        delayed_interrupts() as interrupts,
        gc_throttled(),
    ):
        scan_result = _current_scan(run, writer)
        plan = _plan_for_writer(run, scan_result, writer)
        outcome.unchanged = plan.unchanged
        scan_result.release()
        try:
            named = scan_result.named
            work = _Work(
                project, writer, interrupts, run.progress, named, began_ns, run.prune, run.ray
            )
            _apply(work, plan, outcome)
        except KeyboardInterrupt:
            if writer.rebuilt is not None:  # the older state stays
                raise
            interrupted = True
        if scan_result.scope is not None:  # the last whole run saw the other sources
            began_ns = min(began_ns, writer.looked_ns)
        writer.commit(started_ns=0 if interrupted else began_ns)
        return Written(outcome, scan_result, writer.rebuilt, interrupted)


def _current_scan(run: Run, writer: IndexWriter) -> Scan:
    """Return the scan of the run, or a new one if the index has changed since.

    Another run may have added sources after the scan; without a new one they would seem deleted.
    """
    project, scan_result = run.project, run.scan_result
    is_outdated = writer.rebuilt is not None if writer.is_new else writer.meta != run.seen
    if writer.is_new and scan_result.scope is not None:
        scan_result = _widened(project, scan_result)
    elif is_outdated:
        scan_result = scan(project, scan_result.paths)
    if writer.rebuilt is not None:
        _add_named(project, scan_result)
    return scan_result


def _add_named(project: Project, scan_result: Scan) -> None:
    """Add sources that the replaced index has only because the user named them."""
    try:
        reader = project.open_reader()
        for key in reader.manifest.keys() - {
            (source.tree, source.path) for source in scan_result.sources
        }:
            source = named_before(project, reader, key)
            if source is not None:
                scan_result.sources.append(source)
                scan_result.named.add(key)
    except LeafmarkError:  # there is no index that this leafmark can read
        return


def _widened(project: Project, scan_result: Scan) -> Scan:
    """Return a scan of all trees, with the named files: a new index starts empty."""
    whole = scan(project, ())
    known = {(source.tree, source.path) for source in whole.sources}
    whole.named = scan_result.named
    whole.sources += [s for s in scan_result.sources if (s.tree, s.path) not in known]
    return whole


def _plan_for_writer(run: Run, scan_result: Scan, writer: IndexWriter) -> Plan:
    if writer.is_new:  # and empty, unless it resumes a killed run
        return plan_changes(scan_result, writer.manifest, last_run_ns=writer.looked_ns)
    if run.plan is not None and writer.meta == run.seen:
        return run.plan
    reader = run.project.open_reader()
    return plan_since(
        reader, run.project, scan_result, known=writer.manifest, retry=run.retry, prune=run.prune
    )


class _Work(NamedTuple):
    """The tools to carry out a plan; `named` are the files that the user named now.

    The scan of the run began at `began_ns`.
    """

    project: Project
    writer: IndexWriter
    interrupts: Interrupts
    progress: Progress | None
    named: Collection[DocumentKey]
    began_ns: int
    prune: bool = False
    ray: bool = False

    def recipes(self) -> dict[str, Recipe]:
        """Return the recipe for the sources of each tree, by its name."""
        from leafmark.app.indexing.preparing import Recipe

        project, writer = self.project, self.writer
        return {
            tree.name: Recipe(
                tree._replace(overrides={}),
                project.chunking_options(tree),
                writer.stemmer(tree.name),
            )
            for tree in project.trees
        }

    def tasks(self, sources: deque[SourceFile], anew: Collection[DocumentKey]) -> Iterator[Task]:
        """Yield a task for each source, with its known state, and remove it from `sources`.

        Sources to be read `anew` get no known state.
        """
        from leafmark.app.indexing.preparing import Task

        writer = self.writer
        while sources:
            source = sources.popleft()
            key = source.tree, source.path
            known = writer.entry(*key) if key in writer.manifest else None
            named = key in self.named or (known is not None and known.named)
            state = None if known is None or key in anew else _state_read(known)
            if known is not None and named and not (known.named or known.chunk_count):
                state = None  # its contents, refused before, may be accepted now
            yield Task(source, state, named)


def _state_read(known: DocumentEntry) -> FileState | None:
    """Return the indexed state of a source; None if reading it failed and may work now."""
    has_failed = any(diagnostic.code in PASSING for diagnostic in known.diagnostics)
    return None if has_failed else known.state


def _apply(work: _Work, plan: Plan, outcome: Outcome) -> None:
    """Carry out the plan and record it in `outcome`; Ctrl-C takes effect between two sources."""
    from leafmark.app.indexing.preparing import prepare_all  # late: often nothing has changed

    for key in plan.removed:
        remove(key, work.writer, outcome)
    sources = deque([*plan.added, *plan.suspects])
    total, local = len(sources), work.project.configuration.index.workers
    plan.release()
    with _machines(work.ray and total > 0) as machines:
        prepared = prepare_all(
            work.tasks(sources, plan.anew),
            work.recipes(),
            total_bytes=sum(source.size for source in sources),
            workers=min(total, machines.workers) if machines else local,
            start=machines.start if machines else None,
        )
        _put_all(work, prepared, total, outcome)


def _put_all(
    work: _Work, prepared: Generator[Prepared, None, None], total: int, outcome: Outcome
) -> None:
    """Write the sources as they are prepared, with a checkpoint now and then."""
    kept_s = time.monotonic()
    with closing(prepared):
        work.interrupts.check()
        for done, source in enumerate(prepared, start=1):
            if work.prune or not _is_kept(source, work.writer, outcome):
                _put(source, work.writer, outcome)
            if work.progress is not None:
                work.progress("indexing", done, total)
            work.interrupts.check()
            if time.monotonic() - kept_s > CHECKPOINT_S:
                work.writer.checkpoint(started_ns=work.began_ns)
                kept_s = time.monotonic()


@contextmanager
def _machines(with_ray: bool) -> Iterator[Machines | None]:
    """Open the machines of a Ray cluster, None without Ray."""
    if not with_ray:
        yield None
        return
    from leafmark.app.indexing.machines import open_machines  # late: few have any

    with open_machines() as machines:
        yield machines


def remove(key: DocumentKey, writer: IndexWriter, outcome: Outcome) -> None:
    """Remove a source from the index, and record the removal if it was a document."""
    if is_document(writer.manifest, key):
        outcome.removed.append(document_id(*key))
    writer.remove(*key)


def _is_kept(prepared: Prepared, writer: IndexWriter, outcome: Outcome) -> bool:
    """Say whether a document stays as it was since its file cannot be read now; record that.

    Such a file is not deleted: a disk may fail, or an account lack the right for a while.
    """
    notes = () if prepared.source is None else prepared.source.entry.diagnostics
    unread = [note for note in notes if note.code == UNREADABLE]
    if not unread or not is_document(writer.manifest, (prepared.tree, prepared.path)):
        return False
    outcome.unread += [_with_fate(note) for note in unread]
    outcome.unchanged += 1
    return True


def _with_fate(note: Diagnostic) -> Diagnostic:
    return note._replace(message=f"{note.message}; its indexed content is kept")


def _put(prepared: Prepared, writer: IndexWriter, outcome: Outcome) -> None:
    """Write a source, and record what happened to its document, if it was or is one."""
    key = prepared.tree, prepared.path
    if prepared.unchanged is not None:  # the indexed bytes have not changed
        writer.touch(*key, prepared.unchanged)
        outcome.unchanged += is_document(writer.manifest, key)
        return
    if prepared.source is None:  # the file vanished after the scan
        remove(key, writer, outcome)
        return
    was = is_document(writer.manifest, key)
    if _failed_again(prepared.source.entry, writer):
        outcome.unchanged += was
        return
    writer.put_prepared(prepared.source)
    if is_document(writer.manifest, key):
        (outcome.modified if was else outcome.added).append(document_id(*key))
    elif was:
        outcome.removed.append(document_id(*key))


def _failed_again(entry: DocumentEntry, writer: IndexWriter) -> bool:
    """Say whether a retried source failed as before: it needs no commit."""
    key = entry.tree, entry.path
    retried = key in writer.manifest and writer.manifest[key].noted == TO_RETRY
    return retried and writer.entry(*key) == entry


# Python's collector of cyclic garbage, run less often while sources are prepared.


GARBAGE_THRESHOLD = 50_000
"""Allocations between two collections of cycles while sources are prepared."""

_collecting = Lock()
_thresholds: list[tuple[int, int, int]] = []
"""The threshold before each of the current runs in this process."""


@contextmanager
def gc_throttled() -> Iterator[None]:
    """Collect cycles less often: sources create many objects that are freed soon.

    The last of several concurrent runs restores the threshold that the first one found.
    """
    with _collecting:
        before = gc.get_threshold()
        _thresholds.append(before)
        gc.set_threshold(max(before[0], GARBAGE_THRESHOLD), *before[1:])
    try:
        yield
    finally:
        with _collecting:
            before = _thresholds.pop()
            if not _thresholds:
                gc.set_threshold(*before)


@reset_after_fork
def _reset() -> None:
    """Restore the threshold in a forked child, where the runs of other threads are gone."""
    global _collecting
    _collecting = Lock()
    if _thresholds:
        gc.set_threshold(*_thresholds[0])
        _thresholds.clear()
