"""One run of the writer: what was found is planned again under its lock, and carried out.

In: a `Run`. Out: an `IndexReport`, after one commit. An interrupted run keeps what it
has done, since each source is whole by itself, unless it was rebuilding.
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
from leafmark.app.indexing.changes import Plan, named_before, plan_changes, plan_since
from leafmark.app.indexing.interrupts import Interrupts, held_interrupts
from leafmark.app.indexing.outcome import Outcome, is_document, report_of
from leafmark.app.indexing.scanning import Scan, scan
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
"""How much of a build a kill may lose; a commit takes a few tenths of a second."""


class Run(NamedTuple):
    """What a run begins with.

    `found` is what a scan found that began at `began_ns`, and `seen` what was committed
    then: None where that is of no use. `plan` is what followed from both, if that is known. The
    lock is waited for up to `timeout_s`. With `rebuild` everything is read and indexed anew; for
    `retry` and `prune` see `plan_since`. With `ray`, the machines of a Ray cluster prepare the
    sources.
    """

    project: Project
    found: Scan
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
    """Write what changed, and report it together with what is known of all sources.

    Raises:
        LockedError: another process went on writing for `timeout_s`.
        StorageError, DamagedError: the index cannot be written.
    """
    written = bring_up(run)
    # the writer, and what it knew of a large index, is gone
    report = report_of(written.outcome, written.found, run.project.open_reader())
    return report._replace(rebuilt=written.rebuilt, interrupted=written.interrupted)


def bring_up(run: Run) -> Written:
    """Write what changed, and return what was done.

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
        scan_result = scan(run.project, run.found.paths)  # what was found before is used up
        # a writer that looks at every byte first, and makes all anew that is wrong
        return _write(run._replace(found=scan_result, plan=None))


class Written(NamedTuple):
    """What a run wrote, and what is to be told of the sources that were `found`."""

    outcome: Outcome
    found: Scan
    rebuilt: str | None
    interrupted: bool


def _write(run: Run) -> Written:
    """Plan under the lock, since another writer may have been faster, and carry it out."""
    project, began_ns = run.project, run.began_ns
    outcome, interrupted = Outcome(), False
    with (
        project.open_writer(timeout_s=run.timeout_s, rebuild=run.rebuild) as writer,
        held_interrupts() as interrupts,
        gc_throttled(),
    ):
        scan_result = _found_by_now(run, writer)
        plan = _plan_for_writer(run, scan_result, writer)
        outcome.unchanged = plan.unchanged
        scan_result.let_go()
        try:
            named = scan_result.named
            work = _Work(
                project, writer, interrupts, run.progress, named, began_ns, run.prune, run.ray
            )
            _apply(work, plan, outcome)
        except KeyboardInterrupt:
            if writer.rebuilt is not None:  # an older state stands, and stays
                raise
            interrupted = True
        if scan_result.scope is not None:  # the others are as the last whole run found them
            began_ns = min(began_ns, writer.looked_ns)
        writer.commit(started_ns=0 if interrupted else began_ns)
        return Written(outcome, scan_result, writer.rebuilt, interrupted)


def _found_by_now(run: Run, writer: IndexWriter) -> Scan:
    """Return what we found, or where that may be outdated, what is found now.

    Another run may have written since we looked, and what it added must not be taken for gone.
    """
    project, scan_result = run.project, run.found
    is_outdated = writer.rebuilt is not None if writer.is_new else writer.meta != run.seen
    if writer.is_new and scan_result.scope is not None:
        scan_result = _widened(project, scan_result)
    elif is_outdated:
        scan_result = scan(project, scan_result.paths)
    if writer.rebuilt is not None:
        _add_named(project, scan_result)
    return scan_result


def _add_named(project: Project, scan_result: Scan) -> None:
    """Add what only the user's naming it put into the state that is to be replaced."""
    try:
        reader = project.open_reader()
        for key in reader.manifest.keys() - {
            (source.tree, source.path) for source in scan_result.found
        }:
            source = named_before(project, reader, key)
            if source is not None:
                scan_result.found.append(source)
                scan_result.named.add(key)
    except LeafmarkError:  # it cannot be read, or there is only one that this leafmark cannot read
        return


def _widened(project: Project, scan_result: Scan) -> Scan:
    """A new generation starts empty: scan all trees, beside the named files."""
    whole = scan(project, ())
    known = {(source.tree, source.path) for source in whole.found}
    whole.named = scan_result.named
    whole.found += [s for s in scan_result.found if (s.tree, s.path) not in known]
    return whole


def _plan_for_writer(run: Run, scan_result: Scan, writer: IndexWriter) -> Plan:
    if writer.is_new:  # and empty, unless it goes on where a run was killed
        return plan_changes(scan_result, writer.manifest, last_run_ns=writer.looked_ns)
    if run.plan is not None and writer.meta == run.seen:
        return run.plan
    reader = run.project.open_reader()
    return plan_since(
        reader, run.project, scan_result, known=writer.manifest, retry=run.retry, prune=run.prune
    )


class _Work(NamedTuple):
    """What a plan is carried out with; `named` are the files that the user named now.

    The run began to look at `began_ns`.
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
        """How the sources of each tree are prepared."""
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
        """What is to be done with the sources, each with what is known of it; they are used up.

        Of those to be read `anew` nothing is known.
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
                state = None  # what was left out for its contents may be taken
            yield Task(source, state, named)


def _state_read(known: DocumentEntry) -> FileState | None:
    """Return the state of a source that need not be read again; None where that had failed."""
    has_failed = any(diagnostic.code in PASSING for diagnostic in known.diagnostics)
    return None if has_failed else known.state


def _apply(work: _Work, plan: Plan, outcome: Outcome) -> None:
    """Carry out the plan, noting what was done; Ctrl-C is heeded between two sources."""
    from leafmark.app.indexing.preparing import prepare_all  # late: often nothing has changed

    for key in plan.removed:
        remove(key, work.writer, outcome)
    sources = deque([*plan.added, *plan.suspects])
    total, local = len(sources), work.project.configuration.index.workers
    plan.let_go()
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
    """Hand the writer all sources as they are prepared, and keep what is done now and then."""
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
    """Give the machines of a Ray cluster, None unless they are wanted."""
    if not with_ray:
        yield None
        return
    from leafmark.app.indexing.machines import open_machines  # late: few have any

    with open_machines() as machines:
        yield machines


def remove(key: DocumentKey, writer: IndexWriter, outcome: Outcome) -> None:
    """Take a source out of the index, and note its document if it was one."""
    if is_document(writer.manifest, key):
        outcome.removed.append(document_id(*key))
    writer.remove(*key)


def _is_kept(prepared: Prepared, writer: IndexWriter, outcome: Outcome) -> bool:
    """Whether a document stays as it was, and is noted, since its file cannot be read now.

    That is no deletion: a disk fails, or an account may not look for a while.
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
    """Hand the writer a source, and note what became of its document, if it was or is one."""
    key = prepared.tree, prepared.path
    if prepared.same is not None:  # its bytes are those that are indexed already
        writer.touch(*key, prepared.same)
        outcome.unchanged += is_document(writer.manifest, key)
        return
    if prepared.source is None:  # the file went after it had been found
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
    """Whether a source was tried again and nothing is new: a commit would say nothing."""
    key = entry.tree, entry.path
    retried = key in writer.manifest and writer.manifest[key].noted == TO_RETRY
    return retried and writer.entry(*key) == entry


# Python's collector of garbage in cycles, run seldom while sources are prepared.


GARBAGE_THRESHOLD = 50_000
"""Allocations between two collections of cycles while sources are prepared."""

_collecting = Lock()
_thresholds: list[tuple[int, int, int]] = []
"""What was set before each of the runs that are going on in this process."""


@contextmanager
def gc_throttled() -> Iterator[None]:
    """Look for cycles seldom: sources make many objects, and what they make goes soon.

    The last of the runs that threads have at once sets back what the first one found.
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
def _begin_anew() -> None:
    """In a forked child, in which no run of another thread goes on."""
    global _collecting
    _collecting = Lock()
    if _thresholds:
        gc.set_threshold(*_thresholds[0])
        _thresholds.clear()
