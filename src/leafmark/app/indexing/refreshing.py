"""Bring the index up to date with the sources, for `leafmark index` and every search.

One run: scan, plan, and if anything differs one writer and one commit (`run`).
An unreadable source is a diagnostic and stops nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from leafmark.app.configuration.config import Configuration
from leafmark.app.configuration.project import Project
from leafmark.app.indexing.index_run import Run, carry_out, remove, write_changes
from leafmark.app.indexing.interrupts import delayed_interrupts
from leafmark.app.indexing.outcome import Outcome, is_document, report_of
from leafmark.app.indexing.scanning import Scan, find_place, is_below, scan
from leafmark.app.indexing.source_changes import (
    EMPTIED,
    EMPTIED_FROM,
    emptied,
    has_same_state,
    is_explained,
    plan_changes,
    plan_since,
)
from leafmark.app.requests import IndexRequest, Progress
from leafmark.app.sources.walk import exceeds
from leafmark.errors import (
    ConfirmationError,
    DamagedError,
    LeafmarkError,
    LockedError,
    NotFoundError,
    Remedy,
    StorageError,
)
from leafmark.index import IndexReader, Manifest
from leafmark.index.embedded.checking import is_verification_due, verify_index
from leafmark.index.folder import write_missing
from leafmark.index.lock import was_abandoned
from leafmark.index.manifest import gc_paused
from leafmark.model import (
    CompressedList,
    Diagnostic,
    DocumentKey,
    IndexReport,
    count_of,
    document_id,
)
from leafmark.namedtuples import NamedTuple

if TYPE_CHECKING:
    from leafmark.app.indexing.embedding import Embedded


def index_project(
    project: Project, request: IndexRequest, *, progress: Progress | None = None
) -> IndexReport:
    """Index the sources that the request names, and report the changes.

    Raises:
        ConfirmationError: see `check_large_folder`.
        NotFoundError, UsageError: a path is missing or in no tree.
        LockedError: another process went on writing for `index.lock_timeout_s`.
        StorageError, DamagedError: the index cannot be written or read.
    """
    started = time.monotonic()
    check_large_folder(project, confirmed=request.confirmed or request.dry_run)
    if request.vectors and project.configuration.embedding.in_force == "none":
        from leafmark.app.embedder import no_embedder  # late: it imports embedders

        raise no_embedder(project, "--vectors")
    if request.remove:
        report = _remove(project, request, progress)
    elif request.dry_run:
        report = _dry_run(project, request, progress)
    else:
        report = _run(project, request, progress)
        with_vectors = request.vectors
        if project.configuration.embedding.is_named if with_vectors is None else with_vectors:
            report = _with_vectors(project, report, progress, anew=request.rebuild)
    warnings = (*project.configuration.warnings, *report.warnings)
    return report._replace(seconds=time.monotonic() - started, warnings=warnings)


def make_vectors(project: Project) -> LeafmarkError | None:
    """Compute the missing vectors of the index; return the problem that stopped it, if any.

    Raises:
        StorageError, DamagedError: the index cannot be read.
    """
    outcome = _embed(project, None, anew=False)
    return None if outcome is None else outcome.problem


def _with_vectors(
    project: Project, report: IndexReport, progress: Progress | None, *, anew: bool
) -> IndexReport:
    """Return the report with missing vectors computed, if there is an embedder.

    The text is committed already: a failure of the embedder is a warning, and a full disk is the
    `failure` of the report.
    """
    outcome = None if report.interrupted else _embed(project, progress, anew=anew)
    if outcome is None:
        return report
    report = report._replace(
        vectors=outcome.computed,
        pending_vectors=outcome.pending,
        interrupted=outcome.interrupted,
        warnings=outcome.mended,
    )
    if isinstance(outcome.problem, StorageError):
        return report._replace(failure=outcome.problem)
    if outcome.problem is None:
        return report
    return report._replace(warnings=(*report.warnings, _why(outcome.problem)))


def _embed(project: Project, progress: Progress | None, *, anew: bool) -> Embedded | None:
    """Compute missing vectors; return None without an embedder or an index."""
    has_embedder = project.configuration.embedding.in_force != "none"
    reader = read_index(project) if has_embedder else None
    if reader is None:
        return None
    # late: most projects have no embedder
    if project.remote is None:
        from leafmark.app.indexing.embedding import embed_project as embed
    else:
        from leafmark.app.indexing.cluster_vectors import embed_in_cluster as embed

    with delayed_interrupts() as interrupts:
        return embed(
            project,
            reader,
            progress=progress,
            check=interrupts.check,
            interruptible=interrupts.at_once,
            anew=anew,
        )


def _why(problem: LeafmarkError) -> str:
    if isinstance(problem, LockedError):
        return f"{problem.message}; the next run makes the rest"
    hint = f"; {problem.hint}" if problem.hint else ""
    return f"vectors are missing: {problem.placed_message}{hint}"


class Refreshed(NamedTuple):
    """An open index that is up to date; `rebuilt` says why it was rebuilt, if it was."""

    reader: IndexReader
    rebuilt: str | None = None


def refresh(
    project: Project, *, progress: Progress | None = None, timeout_s: float = 0.0
) -> Refreshed:
    """Bring the index up to date, waiting for the lock up to `timeout_s`, and open it.

    Raises:
        LockedError: there are changes, but another process goes on writing.
        StorageError, DamagedError: the index cannot be written.
    """
    if project.remote is not None:  # the owners of the documents refresh it
        return Refreshed(project.open_reader())
    request = IndexRequest(retry=False)
    current = _look(project, request, timeout_s=timeout_s, progress=progress)
    if isinstance(current, _Current):
        _verify_in_background(project)
        return Refreshed(current.reader)
    written = write_changes(current)  # without a report, which would read all rows
    if written.interrupted:
        raise KeyboardInterrupt
    return Refreshed(project.open_reader(), written.rebuilt)


def _verify_in_background(project: Project) -> None:
    """Check every byte of the index in the background, if that is due."""
    root = project.index_dir
    if is_verification_due(root):
        from leafmark.app.background import begin  # late: it is due once a week

        with suppress(RuntimeError):  # no thread available: another time
            begin("check of the index", lambda: verify_index(root), waited_for=False)


class _Current(NamedTuple):
    """An index that is up to date with a scan; `unchanged` counts its documents."""

    reader: IndexReader
    scan_result: Scan
    unchanged: int


def _look(
    project: Project, request: IndexRequest, *, timeout_s: float, progress: Progress | None
) -> _Current | Run:
    """Compare the sources with the index; return the run that brings it up to date, if it is not.

    The memory of a large index is released before that run begins.
    """
    began_ns = time.time_ns()
    plan = None
    with gc_paused():
        reader = None if request.rebuild else _usable_reader(project)
        scan_result = scan(project, request.paths, progress)
        if not (scan_result.sources or request.rebuild or request.prune):
            previous = _emptied(project, scan_result, reader)
            if previous is not None:
                _note_missing(project, scan_result)
                return _Current(previous, scan_result, previous.meta.documents)
        if reader is not None:
            plan = plan_since(
                reader, project, scan_result, retry=request.retry, prune=request.prune
            )
            _note_missing(project, scan_result)
            if plan.is_empty and not _must_mend(project):
                return _Current(reader, scan_result, plan.unchanged)
    return Run(
        project=project,
        scan_result=scan_result,
        began_ns=began_ns,
        seen=None if reader is None else reader.meta,
        timeout_s=timeout_s,
        rebuild=request.rebuild,
        retry=request.retry,
        prune=request.prune,
        progress=progress,
        ray=request.ray,
        plan=plan,
    )


def _must_mend(project: Project) -> bool:
    """Say whether a killed or failed run may have left work to a writer."""
    root = project.index_dir
    return was_abandoned(root / "LOCK") and os.access(root, os.W_OK)


def _note_missing(project: Project, scan_result: Scan) -> None:
    """Store in the index which trees keep documents whose files are gone; later answers say so."""
    write_missing(
        project.index_dir,
        {
            name: str(note.message)
            for name, note in scan_result.missing.items()
            if note.code == EMPTIED
        },
    )


def _emptied(project: Project, scan_result: Scan, usable: IndexReader | None) -> IndexReader | None:
    """Return the index to keep if all of its files are gone for no known reason, else None.

    The configuration may have vanished with the disk, so an index with other settings is kept,
    too. With the same settings, a plan decides for each tree.
    """
    if usable is not None and any(tree.name in usable.trees for tree in project.trees):
        return None
    try:
        reader = read_index(project)
    except (DamagedError, NotFoundError):
        return None
    if scan_result.scope is not None or reader is None or reader.meta.documents < EMPTIED_FROM:
        return None
    if is_explained(project, reader, *project.trees):
        return None
    many = count_of(reader.meta.documents, "document")
    message = f"nothing is left of the {many} in the index, nor of their settings: they are kept"
    scan_result.missing[""] = Diagnostic(str(project.directory), EMPTIED, emptied(message))
    return reader


def check_large_folder(project: Project, *, confirmed: bool) -> None:
    """Demand confirmation before a large folder without configuration is indexed the first time.

    Raises:
        ConfirmationError: the folder is the home folder, the root, or has very many files.
    """
    if confirmed or project.was_indexed:
        return
    warning = large_folder_warning(project.configuration)
    if warning is not None:
        raise ConfirmationError(
            str(warning),
            hint=Remedy(
                warning.code, "confirm that it should be indexed, or name a smaller folder"
            ),
        )


def read_index(project: Project) -> IndexReader | None:
    """Open the committed state as it is, None if this leafmark has no index yet.

    Raises:
        DamagedError, StorageError, UsageError: see `index.open_reader`.
    """
    return project.open_reader() if project.has_own_index else None


def _usable_reader(project: Project) -> IndexReader | None:
    """Open the index if it is sound and has the current settings."""
    try:
        reader = read_index(project)
    except (DamagedError, NotFoundError):
        return None
    if reader is None or reader.is_suspect:
        return None
    options = project.index_options()
    known = reader.current.languages
    languages_fit = all(known.get(tree) == name for tree, name in options.languages.items())
    return reader if reader.fingerprint == options.fingerprint and languages_fit else None


def _run(project: Project, request: IndexRequest, progress: Progress | None) -> IndexReport:
    timeout_s = project.configuration.index.lock_timeout_s
    if is_verification_due(project.index_dir):
        verify_index(project.index_dir)  # on damage, this run rebuilds the index
    current = _look(project, request, timeout_s=timeout_s, progress=progress)
    if isinstance(current, Run):
        return carry_out(current)
    return report_of(Outcome(unchanged=current.unchanged), current.scan_result, current.reader)


def _remove(project: Project, request: IndexRequest, progress: Progress | None) -> IndexReport:
    """Remove files and folders from the index; they come back when they are indexed again.

    An index that must be rebuilt is rebuilt first: else all other sources would be lost, too.
    """
    prefixes = [find_place(project, path).prefix for path in request.paths]
    if request.dry_run or not project.was_indexed:
        return _dry_remove(project, prefixes)
    rebuilt = None
    if _usable_reader(project) is None:
        report = _run(project, IndexRequest(), progress)
        if report.interrupted:
            return report
        rebuilt = report.rebuilt
    outcome = Outcome()
    timeout_s = project.configuration.index.lock_timeout_s
    with project.open_writer(timeout_s=timeout_s) as writer:
        for key in _keys_at(writer.manifest, prefixes):
            remove(key, writer, outcome)
        outcome.unchanged = sum(row.chunks > 0 for row in writer.manifest.values())
        if not writer.is_new:  # a new one is empty, and must be rebuilt once more
            writer.commit(started_ns=writer.looked_ns)
    return report_of(outcome, Scan(), read_index(project))._replace(rebuilt=rebuilt)


def _dry_remove(project: Project, prefixes: Sequence[tuple[str, str]]) -> IndexReport:
    try:
        reader = read_index(project)
    except (DamagedError, NotFoundError):
        reader = None
    outcome = Outcome()
    if reader is not None:
        present = [
            k for k in _keys_at(reader.manifest, prefixes) if is_document(reader.manifest, k)
        ]
        outcome.removed = CompressedList(document_id(*key) for key in present)
        outcome.unchanged = reader.meta.documents - len(present)
    return report_of(outcome, Scan(), reader, dry_run=True)


def _keys_at(manifest: Manifest, prefixes: Sequence[tuple[str, str]]) -> list[DocumentKey]:
    """Return the keys of the sources below the prefixes, sorted."""
    return sorted(key for key in manifest if is_below(*key, prefixes))


def _dry_run(project: Project, request: IndexRequest, progress: Progress | None) -> IndexReport:
    scan_result = scan(project, request.paths, progress)
    reader = None if request.rebuild else _usable_reader(project)
    manifest: Manifest = {} if reader is None else reader.manifest
    if reader is None:
        plan = plan_changes(scan_result, manifest, last_run_ns=0)
    else:
        plan = plan_since(reader, project, scan_result, prune=request.prune)
    outcome = Outcome(unchanged=plan.unchanged)
    outcome.added = CompressedList(document_id(source.tree, source.path) for source in plan.added)
    outcome.removed = CompressedList(
        document_id(*key) for key in plan.removed if is_document(manifest, key)
    )
    for source in plan.suspects:
        key = source.tree, source.path
        if has_same_state(source, manifest[key]):  # only too young to be sure without reading it
            outcome.unchanged += is_document(manifest, key)
        else:
            changed = outcome.modified if is_document(manifest, key) else outcome.added
            changed.append(document_id(*key))
    return report_of(outcome, scan_result, reader, dry_run=True)


# When a folder without configuration is too large to be indexed without asking.


MANY_FILES = 20_000
"""More sources than this are not indexed unasked. Chosen by eye: some ten seconds of work."""


def large_folder_warning(configuration: Configuration) -> Remedy | None:
    """Return a warning against indexing the folder, None if it is configured or small.

    Its code names the way to go on. Costs a walk of at most `MANY_FILES` sources: call it once,
    before the first indexing.

    Raises:
        NotFoundError, ForbiddenError: the folder cannot be opened.
    """
    if not configuration.is_implicit:
        return None
    folder = configuration.directory
    if folder.parent == folder:
        return Remedy("large-folder", f"{folder} is the root of the file system")
    if os.path.realpath(configuration.directories.home) == str(folder):
        return Remedy("large-folder", f"{folder} is your home folder")
    if exceeds(configuration.trees[0], MANY_FILES):
        return Remedy("many-files", f"{folder} holds more than {MANY_FILES:,} files")
    return None
