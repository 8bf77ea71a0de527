"""A project at a revision: its trees are the sources of that revision, with an index of their own.

The sources are written from git's objects beside the index, and linked to equal ones of other
revisions; the repository stays as it is. The index begins as a copy of the index of the nearest
revision. Settings are those of today.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from leafmark.app.configuration.project import Project
from leafmark.app.history.sides import RevisionSide, find_revision, project_repository
from leafmark.app.indexing.index_run import Run, carry_out
from leafmark.app.indexing.scanning import scan
from leafmark.app.indexing.source_changes import CLOCK_GRAIN_NS
from leafmark.app.requests import Progress
from leafmark.app.sources.file_names import IGNORE_FILES, nearest_paths
from leafmark.app.sources.folders import Tree, is_there
from leafmark.app.sources.walk import SourceFile
from leafmark.errors import DamagedError, LeafmarkError, NotFoundError, UsageError
from leafmark.history.git import Commit, Repository
from leafmark.index import IndexReader, has_index, open_reader
from leafmark.index.engine import translate
from leafmark.index.folder import (
    REVISION_SOURCES,
    remove_sources,
    replace_index_file,
    revision_place,
    revision_places,
    trim_revisions,
)
from leafmark.index.lock import hold_lock
from leafmark.index.sharing import link_or_copy, share_index
from leafmark.model import DocumentKey, Hint
from leafmark.namedtuples import NamedTuple

MIN_SHARED = 0.5
"""The least share of equal sources for which the index begins as that of another revision."""

MAX_COMPARED = 12
"""Revisions, the last used ones, to compare when the nearest one is searched."""

_NOTE = "SOURCES"
_MAX_NOTE_BYTES = 1 << 30


class _Note(NamedTuple):
    """The record of a revision on this machine: digest of its options, commit, id of each file."""

    options: str
    commit: str
    files: Mapping[str, str]


def project_at(project: Project, revision: str, *, progress: Progress | None = None) -> Project:
    """Return the project as it was at a revision, indexed.

    Trees outside its repository are left out, with a hint to `project.report_hint`.

    Raises:
        NotFoundError, ForbiddenError, UsageError: see `find_revision` and `find_repository`.
        StorageError: objects are missing, or the index cannot be written.
        LockedError: another process goes on indexing that revision.
    """
    repository = project_repository(project)
    commit = find_revision(repository, revision)
    with RevisionSide(project.trees, repository, commit) as side:
        place = _place(project, repository, commit)
        past = _at(project, side, place, revision)
        timeout_s = project.configuration.index.lock_timeout_s
        _make_folder(place)
        doing = "the revision is being indexed"
        with hold_lock(place / f"{_NOTE}.lock", timeout_s=timeout_s, doing=doing):
            _refresh(past, side, place, progress)
        _report_left_out(project, side)
    return past


def paths_at(project: Project, past: Project, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths, which the user wrote for `project`, in the project at a revision.

    Raises:
        UsageError: a path is in no tree of the repository.
        NotFoundError: a path did not exist then.
    """
    roots = {tree.name: tree.root for tree in project.trees}
    pairs = [(os.path.realpath(roots[tree.name]), tree.root) for tree in past.trees]
    placed = []
    for path in paths:
        whole = Path(os.path.realpath(project.directory / path))
        around = [(root, new) for root, new in pairs if whole.is_relative_to(root)]
        if not around:
            raise UsageError(f"{path!r} is in none of the trees of the repository")
        root, new = max(around, key=lambda pair: len(pair[0]))
        place = new / whole.relative_to(root)
        if not is_there(str(place)):
            near = nearest_paths(place, path)
            raise NotFoundError(f"there was nothing at {path!r} then", did_you_mean=near)
        placed.append(str(place))
    return tuple(placed)


def _place(project: Project, repository: Repository, commit: Commit) -> Path:
    key = json.dumps([project.index_dir.name, str(repository.common_dir), commit.oid])
    return revision_place(project.shared_dir, hashlib.sha256(key.encode()).hexdigest())


def _at(project: Project, side: RevisionSide, place: Path, revision: str) -> Project:
    top = place / REVISION_SOURCES
    trees = tuple(tree._replace(root=top / side.prefixes[tree.name]) for tree in side.trees)
    return project._replace(trees=trees, index_dir=place, revision=revision, remote=None)


def _report_left_out(project: Project, side: RevisionSide) -> None:
    if project.report_hint is None:
        return
    for tree in side.left_out:
        note = f"tree {tree.name} lies in no folder of the repository, so it is left out"
        project.report_hint(Hint("tree-missing", values={"note": note}))
    for diagnostic in side.diagnostics:
        values = {"path": diagnostic.path, "note": diagnostic.message}
        project.report_hint(Hint("revision", values=values))


def _refresh(past: Project, side: RevisionSide, place: Path, progress: Progress | None) -> None:
    """Write and index the sources, unless there is an index with the same options."""
    options = _options_digest(past, side)
    note = _read_note(place)
    if note is not None and note.options == options and has_index(place):
        try:
            open_reader(place)
            return
        except (DamagedError, NotFoundError):
            pass  # it is built again
    base = _nearest(past, side, place)
    files = _write_sources(side, place, base, progress)
    _index(past, place, base, files, progress)
    note = _Note(options, side.commit.oid, files)
    text = json.dumps(note._asdict()).encode("utf-8", "surrogatepass")
    replace_index_file(place / _NOTE, [text])
    trim_revisions(place.parent)


def _options_digest(past: Project, side: RevisionSide) -> str:
    """Return a digest of all that determines the sources and the content of the index."""
    options = past.index_options()
    trees = [
        [tree.name, str(tree.root), *map(str, tree[3:8]), str(tree.formats)] for tree in past.trees
    ]
    parts = [side.commit.oid, options.fingerprint, sorted(options.languages.items()), trees]
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


def _read_note(place: Path) -> _Note | None:
    try:
        with open(place / _NOTE, "rb") as file:
            record: dict[str, Any] = json.loads(file.read(_MAX_NOTE_BYTES))
        return _Note(**record)
    except (OSError, ValueError, TypeError):
        return None


class _Base(NamedTuple):
    """Another revision on this machine: its folder, and the paths of its files by id."""

    place: Path
    note: _Note
    by_id: Mapping[str, Path]


def _nearest(past: Project, side: RevisionSide, place: Path) -> _Base | None:
    """Return the revision of this project on this machine that shares the most sources."""
    object_ids = {*side.ids.values()}
    best: _Base | None = None
    most = 0
    others = [other for other in revision_places(place.parent) if other != place]
    for other in others[:MAX_COMPARED]:
        note = _read_note(other)
        if note is None:
            continue
        shared = len(object_ids.intersection(note.files.values()))
        if shared > most:
            sources = other / REVISION_SOURCES
            most, best = shared, _Base(other, note, {i: sources / p for p, i in note.files.items()})
    return best


def _make_folder(place: Path) -> None:
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise translate(error, "write the index", place) from error


def _write_sources(
    side: RevisionSide, place: Path, base: _Base | None, progress: Progress | None
) -> dict[str, str]:
    """Write the sources of the trees, and the ignore files; return each file's id by path."""
    top = place / REVISION_SOURCES
    remove_sources(place)
    try:
        top.mkdir(mode=0o700)
        (top / ".git").touch()  # so ignore files in the folders above do not apply
    except OSError as error:
        raise translate(error, "write the sources of the revision", top) from error
    for tree in side.trees:
        (top / side.prefixes[tree.name]).mkdir(parents=True, exist_ok=True)
    written: dict[str, str] = {}
    sources = dict(_paths_to_write(side))
    for done, (path, (oid, key)) in enumerate(sources.items(), start=1):
        if progress is not None:
            progress("reading", done, len(sources))
        if _write_file(top, path, oid, key, base, side):
            written[path] = oid
    return written


def _paths_to_write(side: RevisionSide) -> Iterator[tuple[str, tuple[str, DocumentKey | None]]]:
    """Yield the paths to write, from the top of the repository, with id and the key of sources."""
    for key, oid in side.ids.items():
        yield side.prefixes[key[0]] + key[1], (oid, key)
    for path, oid in side.ignore_files(IGNORE_FILES):
        yield path, (oid, None)


def _write_file(
    top: Path, path: str, oid: str, key: DocumentKey | None, base: _Base | None, side: RevisionSide
) -> bool:
    target = top / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        known = None if base is None else base.by_id.get(oid)
        if known is not None and known.is_file():
            link_or_copy(known, target)
            return True
        data = side.read_path(path) if key is None else side.read(key)
        if data is None:
            return False
        with open(target, "xb") as file:
            file.write(data)
        os.utime(target, (side.commit.time, side.commit.time))
        return True
    except FileExistsError:  # two names that this file system does not distinguish
        side.note_path(path, "another file of the revision has the same name here")
        return False
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            raise translate(error, "write the sources of the revision", target) from error
        side.note_path(path, f"this file system does not allow that name: {error}")
        return False


_FULL = frozenset((28, 122, 5, 30))  # ENOSPC, EDQUOT, EIO, EROFS


def _index(
    past: Project,
    place: Path,
    base: _Base | None,
    files: Mapping[str, str],
    progress: Progress | None,
) -> None:
    """Index the sources; those in the index of `base` are not read again."""
    shared = None
    same = set(files.values()) & ({*base.note.files.values()} if base else set())
    is_near = len(same) >= MIN_SHARED * len(files)
    if base and is_near and not has_index(place) and _has_same_settings(past, base.place):
        shared = open_reader(place) if share_index(base.place, place) else None
    scan_result = scan(past, (), progress)
    # the files of a revision never change, so none is too young to be trusted
    began_ns = time.time_ns() + CLOCK_GRAIN_NS + 1
    if shared is not None and base is not None:
        scan_result.sources = list(
            _as_recorded(scan_result.sources, past, shared, base.note.files, files)
        )
    timeout_s = past.configuration.index.lock_timeout_s
    report = carry_out(
        Run(
            project=past,
            scan_result=scan_result,
            began_ns=began_ns,
            seen=None if shared is None else shared.meta,
            timeout_s=timeout_s,
            progress=progress,
        )
    )
    if report.interrupted:
        raise KeyboardInterrupt
    if report.failure is not None:
        raise report.failure


def _has_same_settings(past: Project, place: Path) -> bool:
    try:
        reader = open_reader(place)
    except LeafmarkError:
        return False
    options = past.index_options()
    same = reader.fingerprint == options.fingerprint and not reader.is_suspect
    known = reader.current.languages
    return same and all(known.get(tree) == name for tree, name in options.languages.items())


def _as_recorded(
    sources: Iterable[SourceFile],
    past: Project,
    reader: IndexReader,
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> Iterator[SourceFile]:
    """Yield sources; equal ones of the other revision with the state in that one's index."""
    prefixes = {tree.name: _prefix_in(tree, past) for tree in past.trees}
    for source in sources:
        path = prefixes[source.tree] + source.path
        row = reader.manifest.get((source.tree, source.path))
        oid = after.get(path)
        if row is not None and oid is not None and before.get(path) == oid:
            yield SourceFile(source.tree, source.path, *row[:4])
        else:
            yield source


def _prefix_in(tree: Tree, past: Project) -> str:
    relative = os.path.relpath(tree.root, past.index_dir / REVISION_SOURCES).replace(os.sep, "/")
    return "" if relative == "." else f"{relative}/"
