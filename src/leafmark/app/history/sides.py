"""Revisions, and the sides of a comparison: sources by key, each with git's id of its bytes.

A side is a revision, the working files, or a folder outside of a repository. Sources with equal ids
are equal and are not read.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from leafmark.app.configuration.project import Project
from leafmark.app.sources.file_names import GENERATOR_MARKS, IGNORE_FILES, find_generator
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.folders import Tree
from leafmark.app.sources.ignore import parse_ignore_file
from leafmark.app.sources.selection import RULE_NAMES, Frame, Layer, ReadFile, Selection
from leafmark.app.sources.source_formats import unread
from leafmark.app.sources.walk import WalkNotes, iter_sources, needs_converter
from leafmark.errors import LeafmarkError, NotFoundError, UsageError
from leafmark.history import RevisionList
from leafmark.history.git import Blobs, Commit, Repository, blob_hash, find_repository
from leafmark.model import Diagnostic, DocumentKey
from leafmark.namedtuples import NamedTuple

MAX_NESTED = 8
"""The greatest depth of submodules in submodules."""

MAX_RULES_BYTES = 1 << 20
"""The largest ignore file."""


class Side(ABC):
    """The sources of some trees at one time; a context manager."""

    trees: Sequence[Tree]
    label: str

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(  # noqa: B027 - not every side has something to close
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    @cached_property
    def ids(self) -> Mapping[DocumentKey, str]:
        """The sources, with the ids of their bytes."""
        return dict(self._list())

    @abstractmethod
    def _list(self) -> Iterator[tuple[DocumentKey, str]]: ...

    @abstractmethod
    def read(self, key: DocumentKey) -> bytes | None:
        """Return a source's bytes; None, with a diagnostic, if they cannot be read."""

    def tree(self, name: str) -> Tree:
        return next(tree for tree in self.trees if tree.name == name)


class FolderSide(Side):
    """Files as they are now."""

    def __init__(self, trees: Sequence[Tree], label: str, *, like: str = "") -> None:
        """Take trees; `like` is an id of the other side, for the choice of the hash function."""
        super().__init__()
        self.trees, self.label, self._like = trees, label, like

    @cached_property
    def keys(self) -> Sequence[DocumentKey]:
        """The sources, without reading them."""
        return [*self._iter_keys()]

    def _iter_keys(self) -> Iterator[DocumentKey]:
        for tree in self.trees:
            try:
                for source in iter_sources(tree, notes=WalkNotes()):
                    yield tree.name, source.path
            except LeafmarkError as error:
                self.diagnostics.append(Diagnostic(str(tree.root), "tree-missing", error.message))

    def _list(self) -> Iterator[tuple[DocumentKey, str]]:
        for key in self.keys:
            data = self.read(key)
            if data is not None:
                yield key, blob_hash(data, like=self._like)

    def read(self, key: DocumentKey) -> bytes | None:
        try:
            return read_beneath(self.tree(key[0]), key[1])[0]
        except (OSError, MemoryError) as error:
            if not isinstance(error, FileNotFoundError):
                self.diagnostics.append(unread(key[1], error))
            return None


class _Blob(NamedTuple):
    """The place of a source's bytes."""

    repository: Repository
    oid: str


@dataclass
class _Listing:
    """All files of a revision below a folder, submodules included."""

    files: dict[str, _Blob] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


class RevisionSide(Side):
    """The sources of a revision, from git's objects.

    `prefixes` has the folder of each tree in the repository, by the tree's name.

    Raises:
        UsageError: no tree lies in the repository.
    """

    def __init__(self, trees: Sequence[Tree], repository: Repository, commit: Commit) -> None:
        super().__init__()
        self.repository, self.commit = repository, commit
        self.label = commit.name or commit.oid[:12]
        self.prefixes = tree_prefixes(trees, repository)
        self.trees = [tree for tree in trees if tree.name in self.prefixes]
        self.left_out = [tree for tree in trees if tree.name not in self.prefixes]
        self._stack = ExitStack()
        self._objects: dict[Path, Blobs] = {}
        self._places: dict[DocumentKey, _Blob] = {}
        self._files: dict[str, _Blob] = {}

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        self._objects.clear()

    def _list(self) -> Iterator[tuple[DocumentKey, str]]:
        listing = _Listing(self._files)
        _list_files(listing, self.repository, self.commit.oid, "", 0)
        for path in listing.missing:
            message = "the submodule is not cloned; its documents are left out"
            self.diagnostics.append(Diagnostic(path, "submodule", message))
        for tree in self.trees:
            yield from self._list_tree(tree, self.prefixes[tree.name], listing.files)

    def _list_tree(
        self, tree: Tree, prefix: str, files: Mapping[str, _Blob]
    ) -> Iterator[tuple[DocumentKey, str]]:
        def read(path: str) -> bytes | None:
            place = files.get(os.path.normpath(os.path.join(prefix, path)))
            return None if place is None else self._read(place, tree.max_file_bytes)

        cut = len(prefix)
        below = [path[cut:] for path in files if path.startswith(prefix)]
        above = ["../" * (at + 1) for at in range(prefix.count("/"))]
        for path in list_sources(tree, below, read, above=above, diagnostics=self.diagnostics):
            place = files[prefix + path]
            self._places[tree.name, path] = place
            yield (tree.name, path), place.oid

    def read(self, key: DocumentKey) -> bytes | None:
        _ = self.ids
        place = self._places.get(key)
        if place is None:
            return None
        limit = self.tree(key[0]).max_file_bytes
        data = self._read(place, limit)
        if data is None:
            self._note(key, "unreadable", "its object is missing or damaged, or it is too large")
            return None
        content = place.repository.large_file(data, limit)
        if content is None:
            self._note(key, "large-file", "it is a pointer of Git LFS, whose content is missing")
        return content

    def ignore_files(self, names: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield paths and ids of the files of some names, paths from the top of the repository."""
        _ = self.ids
        for path, place in self._files.items():
            if path.rpartition("/")[2] in names:
                yield path, place.oid

    def read_path(self, path: str) -> bytes | None:
        """Return the bytes of a file of the revision, whether it is a source or not."""
        _ = self.ids
        place = self._files.get(path)
        return None if place is None else self._read(place, MAX_RULES_BYTES)

    def note_path(self, path: str, message: str) -> None:
        """Add a diagnostic about a file of the revision."""
        self.diagnostics.append(Diagnostic(path, "unreadable", message))

    def _note(self, key: DocumentKey, code: str, message: str) -> None:
        self.diagnostics.append(Diagnostic(key[1], code, message))

    def _read(self, place: _Blob, limit: int) -> bytes | None:
        objects = self._objects.get(place.repository.git_dir)
        if objects is None:
            objects = self._stack.enter_context(Blobs(place.repository))
            self._objects[place.repository.git_dir] = objects
        return objects.read(place.oid, limit)


def _list_files(
    listing: _Listing, repository: Repository, oid: str, prefix: str, depth: int
) -> None:
    for entry in repository.paths(oid):
        path = prefix + entry.path
        if entry.kind == "file":
            listing.files[path] = _Blob(repository, entry.oid)
        elif entry.kind == "submodule":
            inner = repository.submodule(entry.path) if depth < MAX_NESTED else None
            try:
                if inner is None:
                    listing.missing.append(path)
                else:
                    _list_files(listing, inner, entry.oid, f"{path}/", depth + 1)
            except LeafmarkError:  # it is cloned, but without that commit
                listing.missing.append(path)


def tree_prefixes(trees: Iterable[Tree], repository: Repository) -> dict[str, str]:
    """Return the folders of the trees in a repository, by name: empty, or ending with `/`.

    Raises:
        UsageError: no tree lies in it.
    """
    top = repository.top or repository.git_dir
    prefixes, real_top = {}, os.path.realpath(top)
    for tree in trees:
        relative = os.path.relpath(os.path.realpath(tree.root), real_top)
        prefix = "" if relative == "." else relative.replace(os.sep, "/") + "/"
        if not prefix.startswith("../"):
            prefixes[tree.name] = prefix
    if not prefixes:
        raise UsageError("none of the trees lies in the repository", location=str(top))
    return prefixes


# The sources among the paths of a revision, by the rules of a walk. The ignore files are those of
# the revision, from the top of the repository downwards.


class _Folder:
    """The names in a folder."""

    __slots__ = ("files", "folders")

    def __init__(self) -> None:
        self.files: list[str] = []
        self.folders: dict[str, _Folder] = {}

    def add(self, path: str) -> None:
        *above, name = path.split("/")
        folder = self
        for part in above:
            folder = folder.folders.setdefault(part, _Folder())
        folder.files.append(name)


def list_sources(
    tree: Tree,
    paths: Iterable[str],
    read: ReadFile,
    *,
    above: Collection[str] = (),
    diagnostics: list[Diagnostic] | None = None,
) -> Iterator[str]:
    """Yield the sources of the tree among `paths`, which are relative to its root.

    `read` returns the bytes of a path; `above` are the folders of the repository above the root,
    as paths for `read` (`../`, `../../`).
    """
    notes: list[Diagnostic] = [] if diagnostics is None else diagnostics
    top = _Folder()
    for path in paths:
        top.add(path)
    selection = Selection(tree)
    root = selection.root_frame([*_layers_above(tree, above, read)])
    waiting = [(root, top)]
    while waiting:
        frame, folder = waiting.pop()
        if frame.path and not frame.is_requested and _is_generated(tree, frame, folder):
            continue
        marks = RULE_NAMES.intersection(folder.files)
        frame = selection.enter(frame, marks, read, notes)
        for name in sorted(folder.files):
            if _is_source(selection, frame, name):
                yield frame.path + name
        waiting += [
            (selection.child(frame, name), folder.folders[name])
            for name in sorted(folder.folders, reverse=True)
            if selection.refuse_folder(frame, name) is None
        ]


def _is_source(selection: Selection, frame: Frame, name: str) -> bool:
    if selection.refuse_file(frame, name) is not None:
        return False
    return selection.has_own_format(name) or needs_converter(name) is None


def _is_generated(tree: Tree, frame: Frame, folder: _Folder) -> bool:
    marks = GENERATOR_MARKS.intersection(folder.files)
    names = (*folder.files, *folder.folders)
    return bool(marks) and find_generator(tree.root, frame.path, marks, names) is not None


def _layers_above(tree: Tree, above: Collection[str], read: ReadFile) -> Iterator[Layer]:
    spelled = ""
    names = [*reversed(tree.root.parts)]
    for name, folder in zip(names, above, strict=False):
        spelled = f"{name}/{spelled}"
        for kind in IGNORE_FILES:
            rules, _ = parse_ignore_file(read(folder + kind) or b"", folder + kind)
            if rules:
                yield Layer(kind, rules, above=spelled)


# The names of revisions: a tag, a branch, a hash, `HEAD~3`, or a date.

_DATE = re.compile(
    r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?Z?)?"
)


def project_repository(project: Project) -> Repository:
    """Return the repository that contains the project, or one of its trees."""
    places = [project.directory, *(tree.root for tree in project.trees if not tree.is_missing)]
    problem: NotFoundError | None = None
    for place in dict.fromkeys(map(Path, places)):
        try:
            return find_repository(place)
        except NotFoundError as error:
            problem = problem or error
    assert problem is not None
    raise problem


def find_revision(repository: Repository, name: str) -> Commit:
    """Return the commit that a name or date means.

    A date means the state at its end, in UTC: `2026` means 31 December. A tag of that name wins.

    Raises:
        NotFoundError: there is none.
    """
    name = name.strip()
    until = end_of_date(name)
    if until is not None and not repository.has(name):
        return repository.at_time(until, name)
    return repository.resolve(name)


def end_of_date(text: str) -> int | None:
    """Return the last second of a year, month, day or minute in UTC; None if it is not a date.

    >>> end_of_date("2026-01-01") - end_of_date("2025")
    86400
    """
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (
        int(part) if part else None for part in match.groups()
    )
    if hour is not None and day is None:
        return None
    try:
        start = datetime(
            year or 1, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=UTC
        )
    except ValueError:
        return None
    if hour is not None:
        return int(start.timestamp()) + (59 if second is None else 0)
    if day is not None:
        after = start + timedelta(days=1)
    elif month is not None:
        after = (start.replace(day=28) + timedelta(days=4)).replace(day=1)
    else:
        after = start.replace(year=start.year + 1) if start.year < 9999 else start
    return int(after.timestamp()) - 1


def list_revisions(
    project: Project, range_: str | None = None, *, limit: int = 100
) -> RevisionList:
    """Return tags and branches, or the commits on the main line of a range `OLD..NEW`."""
    repository = project_repository(project)
    if range_ is None:
        return RevisionList(references=tuple(repository.references(limit=limit)))
    first, dots, last = range_.partition("..")
    start = find_revision(repository, first).oid if dots and first else None
    end = find_revision(repository, (last if dots else first) or "HEAD")
    commits = repository.commits_between(start, end.oid, limit=limit)
    return RevisionList(commits=tuple(commits))
