"""Bring the index up to date with the sources: what `leafmark index` and every search do.

One run: scan, plan, and if anything differs one writer and one commit. What
cannot be read is a diagnostic and stops nothing. An interrupted run keeps what
it has done, since each source is whole by itself, unless it was rebuilding.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from leafmark.app.changes import Plan, is_old, plan_changes
from leafmark.app.collection import collection_seldom
from leafmark.app.concern import find_concern
from leafmark.app.interrupts import Interrupts, held_interrupts
from leafmark.app.outcome import Outcome, report_of
from leafmark.app.project import Project
from leafmark.app.requests import IndexRequest, Progress
from leafmark.app.scanning import Scan, find_place, scan
from leafmark.app.walk import SourceFile, WalkNotes, named_source
from leafmark.errors import (
    ConfirmationError,
    DamagedError,
    LeafmarkError,
    LockedError,
    NotFoundError,
    StorageError,
)
from leafmark.index import IndexReader, collection_paused, has_index
from leafmark.index.manifest import Key, Manifest
from leafmark.model import LEFT_OUT, IndexReport, Packed
from leafmark.model.ids import document_id

if TYPE_CHECKING:
    from leafmark.app.ingesting import Prepared, Recipe, Task
    from leafmark.index import IndexMeta, IndexWriter

__all__ = ["check_concern", "index_project", "read_index", "refresh"]


def index_project(
    project: Project, request: IndexRequest, *, progress: Progress | None = None
) -> IndexReport:
    """Index what the request names, and report what was done.

    Raises:
        ConfirmationError: see `check_concern`.
        NotFoundError, UsageError: a path is missing or in no tree.
        LockedError: another process went on writing for `index.lock_timeout_s`.
        StorageError, DamagedError: the index cannot be written or read.
    """
    started = time.monotonic()
    check_concern(project, confirmed=request.confirmed or request.dry_run)
    if request.remove:
        report = _remove(project, request)
    else:
        if request.dry_run:
            report = _dry_run(project, request, progress)
        else:
            report = _run(project, request, progress)
            report = _with_vectors(project, report, progress, anew=request.rebuild)
    return report._replace(seconds=time.monotonic() - started)


def _with_vectors(
    project: Project, report: IndexReport, progress: Progress | None, *, anew: bool
) -> IndexReport:
    """Make the vectors that are missing, where there is an embedder; its failure is a warning.

    The text is committed whatever becomes of them: a disk that is full is told beside it.
    """
    reader = None
    if project.configuration.embedding.provider != "none" and not report.interrupted:
        reader = read_index(project)
    if reader is None:
        return report
    from leafmark.app.embedding import embed_project  # late: most projects have no embedder

    with held_interrupts() as interrupts:
        check = interrupts.check
        made = embed_project(project, reader, progress=progress, check=check, anew=anew)
    report = report._replace(
        vectors=made.made, pending_vectors=made.pending, interrupted=made.interrupted
    )
    if isinstance(made.problem, StorageError):
        return report._replace(failure=made.problem)
    return report if made.problem is None else report._replace(warnings=(_why(made.problem),))


def _why(problem: LeafmarkError) -> str:
    if isinstance(problem, LockedError):
        return f"{problem.message}; what it leaves, the next `leafmark index` makes"
    hint = f"; {problem.hint}" if problem.hint else ""
    return f"vectors are missing: {problem.placed_message}{hint}"


def refresh(
    project: Project, *, progress: Progress | None = None, timeout_s: float = 0.0
) -> IndexReader:
    """Bring the index up to date, waiting for the lock up to `timeout_s`, and open it.

    Raises:
        LockedError: another process goes on writing, and something had to be done.
        StorageError, DamagedError: the index cannot be written.
    """
    began_ns = time.time_ns()
    with collection_paused():
        reader = _usable_reader(project)
        found = scan(project, (), progress)
        if reader is not None and _plan(project, found, reader).is_empty:
            return reader
    seen = None if reader is None else reader.meta
    del reader  # and what it read of a large index
    report = _write(project, found, began_ns, seen, progress, timeout_s=timeout_s)
    if report.interrupted:
        raise KeyboardInterrupt
    return project.open_reader()


def check_concern(project: Project, *, confirmed: bool) -> None:
    """Ask before a folder that nobody configured is indexed for the first time, if it is large.

    Raises:
        ConfirmationError: it is the home folder, the root, or holds very many files.
    """
    if confirmed or has_index(project.index_dir):
        return
    concern = find_concern(project.configuration)
    if concern is not None:
        raise ConfirmationError(
            concern.message, hint=f"index it all the same with --yes, or {concern.hint}"
        )


def read_index(project: Project) -> IndexReader | None:
    """Open the committed state as it is, None where there is no index yet.

    Raises:
        DamagedError, StorageError, UsageError: see `index.open_reader`.
    """
    return project.open_reader() if has_index(project.index_dir) else None


def _usable_reader(project: Project) -> IndexReader | None:
    """Open the index if its settings are those in force and it is sound."""
    try:
        reader = read_index(project)
    except (DamagedError, NotFoundError):
        return None
    if reader is None or reader.is_suspect:
        return None
    settings = project.index_settings()
    known = reader.current.languages
    languages_fit = all(known.get(tree) == name for tree, name in settings.languages.items())
    return reader if reader.fingerprint == settings.fingerprint and languages_fit else None


def _plan(
    project: Project, found: Scan, reader: IndexReader, known: Manifest | None = None
) -> Plan:
    """Compare what was found with the reader's manifest, or with an equal one that is `known`."""
    if found.is_whole and _are_old(found, reader) and reader.holds_just(found.found):
        return Plan(unchanged=len(found.found))
    return plan_changes(
        found,
        reader.manifest if known is None else known,
        last_run_ns=reader.looked_ns,
        still_there=lambda key: _named_before(project, reader, key),
    )


def _are_old(found: Scan, reader: IndexReader) -> bool:
    """Whether no source is so young that it may have been written again unseen."""
    newest = max((max(each.modified_ns, each.changed_ns) for each in found.found), default=0)
    return is_old(newest, last_run_ns=reader.looked_ns)


def _named_before(project: Project, reader: IndexReader, key: Key) -> SourceFile | None:
    """Return the file of a key that only the user's naming it put into the index."""
    name, path = key
    tree = project.tree(name)
    entry = reader.document(document_id(name, path))
    if tree is None or entry is None or not entry.named:
        return None
    try:
        return named_source(tree, path, WalkNotes())
    except LeafmarkError:
        return None


# -- runs ------------------------------------------------------------------------------


def _run(project: Project, request: IndexRequest, progress: Progress | None) -> IndexReport:
    began_ns = time.time_ns()
    reader = None if request.rebuild else _usable_reader(project)
    found = scan(project, request.paths, progress)
    if reader is not None:
        plan = _plan(project, found, reader)
        if plan.is_empty:
            return report_of(Outcome(unchanged=plan.unchanged), found, reader)
        del plan
    seen = None if reader is None else reader.meta
    del reader  # and what it read of a large index
    timeout_s = project.configuration.index.lock_timeout_s
    rebuild = request.rebuild
    return _write(project, found, began_ns, seen, progress, timeout_s=timeout_s, rebuild=rebuild)


def _write(
    project: Project,
    found: Scan,
    began_ns: int,
    seen: IndexMeta | None,
    progress: Progress | None,
    *,
    timeout_s: float,
    rebuild: bool = False,
) -> IndexReport:
    """Write what changed, and report it together with what is known of all sources.

    `seen` is what was committed before `found` was looked for, None where that is of no use.
    """
    written = _carried_out(
        project, found, began_ns, seen, progress, timeout_s=timeout_s, rebuild=rebuild
    )
    # the writer, and what it knew of a large index, is gone
    report = report_of(written.outcome, written.found, project.open_reader())
    return report._replace(rebuilt=written.rebuilt, interrupted=written.interrupted)


class _Written(NamedTuple):
    """What a run wrote, and what is to be told of the sources that were `found`."""

    outcome: Outcome
    found: Scan
    rebuilt: str | None
    interrupted: bool


def _carried_out(
    project: Project,
    found: Scan,
    began_ns: int,
    seen: IndexMeta | None,
    progress: Progress | None,
    *,
    timeout_s: float,
    rebuild: bool,
) -> _Written:
    """Plan under the lock, since another writer may have been faster, and carry it out."""
    from leafmark.index import open_writer  # late, as below: most runs find nothing to write

    outcome, interrupted = Outcome(), False
    settings = project.index_settings()
    root = project.index_dir
    with (
        open_writer(root, settings, timeout_s=timeout_s, rebuild=rebuild) as writer,
        held_interrupts() as interrupts,
        collection_seldom(),
    ):
        found = _as_it_is(project, found, seen, writer)
        plan = _plan_for_writer(project, found, writer)
        outcome.unchanged = plan.unchanged
        found.let_go()
        try:
            _apply(_Work(project, writer, interrupts, progress, found.named), plan, outcome)
        except KeyboardInterrupt:
            if writer.rebuilt:  # a reason: an older state stands, and stays
                raise
            interrupted = True
        if found.scope is not None:  # the others are as the last whole run found them
            began_ns = min(began_ns, writer.looked_ns)
        writer.commit(started_ns=0 if interrupted else began_ns)
        return _Written(outcome, found, writer.rebuilt or None, interrupted)


def _as_it_is(project: Project, found: Scan, seen: IndexMeta | None, writer: IndexWriter) -> Scan:
    """Return what is there: what we found, or where that may be outdated, what is found now.

    Another run may have written since we looked, and what it added must not be taken for gone.
    """
    if writer.rebuilt is not None and found.scope is not None:
        return _widened(project, found)
    is_outdated = writer.meta != seen if writer.rebuilt is None else bool(writer.rebuilt)
    return scan(project, found.paths) if is_outdated else found


def _widened(project: Project, found: Scan) -> Scan:
    """A new generation starts empty: scan all trees, beside the named files."""
    whole = scan(project, ())
    known = {(source.tree, source.path) for source in whole.found}
    whole.named = found.named
    whole.found += [s for s in found.found if (s.tree, s.path) not in known]
    return whole


def _plan_for_writer(project: Project, found: Scan, writer: IndexWriter) -> Plan:
    if writer.rebuilt is not None:
        return plan_changes(found, {}, last_run_ns=0)
    return _plan(project, found, project.open_reader(), writer.manifest)


@dataclass(frozen=True, slots=True)
class _Work:
    """What a plan is carried out with; `named` are the files that the user named now."""

    project: Project
    writer: IndexWriter
    interrupts: Interrupts
    progress: Progress | None
    named: Collection[Key]

    def recipes(self) -> dict[str, Recipe]:
        """How the sources of each tree are prepared."""
        from leafmark.app.ingesting import Recipe

        project, writer = self.project, self.writer
        return {
            tree.name: Recipe(
                replace(tree, overrides={}),
                project.chunking_options(tree),
                writer.stemmer(tree.name),
            )
            for tree in project.trees
        }

    def tasks(self, sources: deque[SourceFile]) -> Iterator[Task]:
        """What is to be done with the sources, each with what is known of it; they are used up."""
        from leafmark.app.ingesting import Task

        writer = self.writer
        while sources:
            source = sources.popleft()
            key = source.tree, source.path
            known = writer.entry(*key) if key in writer.manifest else None
            named = key in self.named or (known is not None and known.named)
            yield Task(source, None if known is None else known.state, named)


def _apply(work: _Work, plan: Plan, outcome: Outcome) -> None:
    """Carry out the plan, noting what was done; Ctrl-C is heeded between two sources."""
    from leafmark.app.preparing import prepare_all  # late: often nothing has changed

    for key in plan.removed:
        work.writer.remove(*key)
        outcome.removed.append(document_id(*key))
    sources = deque([*plan.added, *plan.suspects])
    total, added = len(sources), len(plan.added)
    plan.let_go()
    prepared = prepare_all(
        work.tasks(sources),
        work.recipes(),
        total_bytes=sum(source.size for source in sources),
        workers=work.project.configuration.index.workers,
    )
    with closing(prepared):
        work.interrupts.check()
        for done, each in enumerate(prepared, start=1):
            _put(each, work.writer, outcome, is_new=done <= added)
            if work.progress is not None:
                work.progress("indexing", done, total)
            work.interrupts.check()


def _put(prepared: Prepared, writer: IndexWriter, outcome: Outcome, *, is_new: bool) -> None:
    """Hand the writer a source, and note what became of it; a new one may be left out."""
    key = prepared.tree, prepared.path
    if prepared.source is not None:
        writer.put_prepared(prepared.source)
        if not is_new:
            outcome.modified.append(document_id(*key))
        elif not any(note.code in LEFT_OUT for note in prepared.source.entry.diagnostics):
            outcome.added.append(document_id(*key))
    elif prepared.same is not None:  # its bytes are those that are indexed already
        writer.touch(*key, prepared.same)
        outcome.unchanged += 1
    elif key in writer.manifest:  # the file went after it had been found
        writer.remove(*key)
        outcome.removed.append(document_id(*key))


def _remove(project: Project, request: IndexRequest) -> IndexReport:
    """Take places out of the index; they come back when they are indexed again."""
    from leafmark.index import open_writer

    prefixes = [find_place(project, path).prefix for path in request.paths]
    outcome = Outcome()
    timeout_s = project.configuration.index.lock_timeout_s
    with open_writer(project.index_dir, project.index_settings(), timeout_s=timeout_s) as writer:
        for key in sorted(writer.manifest):
            if any(key[0] == tree and key[1].startswith(prefix) for tree, prefix in prefixes):
                outcome.removed.append(document_id(*key))
                if not request.dry_run:
                    writer.remove(*key)
        outcome.unchanged = len(writer.manifest)
        if not request.dry_run:
            writer.commit(started_ns=0)
    return report_of(outcome, Scan(), read_index(project), dry_run=request.dry_run)


def _dry_run(project: Project, request: IndexRequest, progress: Progress | None) -> IndexReport:
    found = scan(project, request.paths, progress)
    reader = None if request.rebuild else _usable_reader(project)
    if reader is None:
        plan = plan_changes(found, {}, last_run_ns=0)
    else:
        plan = _plan(project, found, reader)
    outcome = Outcome(
        added=Packed(document_id(s.tree, s.path) for s in plan.added),
        modified=Packed(document_id(s.tree, s.path) for s in plan.suspects),
        removed=Packed(document_id(*key) for key in plan.removed),
        unchanged=plan.unchanged,
    )
    return report_of(outcome, found, reader, dry_run=True)
