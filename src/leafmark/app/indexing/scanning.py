"""Scan all trees, or the files and folders that the user named.

In: the project and paths as written. Out: a `Scan`: the sources, what was left out and why, and
the part of the index that the scan covers.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from leafmark.app.configuration.project import Project
from leafmark.app.requests import Progress
from leafmark.app.sources.file_names import nearest_paths
from leafmark.app.sources.folders import Tree, as_listed, is_encodable, is_there
from leafmark.app.sources.walk import SourceFile, WalkNotes, iter_sources, named_source
from leafmark.environment import install_extra
from leafmark.errors import LeafmarkError, NotFoundError, Remedy, UsageError
from leafmark.model import Diagnostic, DocumentKey, count_of
from leafmark.namedtuples import NamedTuple

REPORT_EVERY = 1000
"""Sources between two reports of progress."""


class Place(NamedTuple):
    """A path that the user named, as a place in a tree; `path` is "" for the tree's root."""

    tree: Tree
    path: str
    is_file: bool

    @property
    def prefix(self) -> tuple[str, str]:
        """The name of the tree and the path prefix of all sources at this place: see `is_below`."""
        ending = "" if self.is_file or not self.path else "/"
        return self.tree.name, self.path + ending


class Scan:
    """The `sources` of a scan. `scope` are the prefixes that it covers (None: all trees).

    `unseen` are prefixes that could not be read, such as a tree without its folder: its documents
    may exist or not. `missing` has a diagnostic for each such tree. `paths` are as the user named
    them; `named` are the named files, and those in a named folder that a walk leaves out.
    """

    def __init__(self, paths: tuple[str, ...] = ()):
        self.paths = paths
        self.named: set[DocumentKey] = set()
        self.sources: list[SourceFile] = []
        self.notes = WalkNotes()
        self.scope: list[tuple[str, str]] | None = None
        self.unseen: list[tuple[str, str]] = []
        self.missing: dict[str, Diagnostic] = {}

    def release(self) -> None:
        """Release the sources, after recording the notes about their grammars."""
        self.notes.diagnostics[:0] = grammar_notes(self.sources)
        self.sources = []

    @property
    def is_whole(self) -> bool:
        """Say whether the scan covers all trees and could read all of their folders."""
        return self.scope is None and not self.unseen

    def covers(self, tree: str, path: str) -> bool:
        """Say whether a source that is missing from the scan is gone."""
        if self.scope is not None and not is_below(tree, path, self.scope):
            return False
        return not is_below(tree, path, self.unseen)


def is_below(tree: str, path: str, prefixes: Iterable[tuple[str, str]]) -> bool:
    """Say whether a source lies at one of the places, given as `Place.prefix`.

    The prefix of a file also covers sources below a former folder of the same name.
    """
    return any(tree == name and _holds(prefix, path) for name, prefix in prefixes)


def _holds(prefix: str, path: str) -> bool:
    if not prefix or prefix.endswith("/"):
        return path.startswith(prefix)
    return path == prefix or path.startswith(f"{prefix}/")


def scan(project: Project, paths: tuple[str, ...], progress: Progress | None = None) -> Scan:
    """Scan the named paths, or all trees if there are none.

    Raises:
        NotFoundError, UsageError: a named path is missing or in no tree.
    """
    result = Scan(paths)
    if paths:
        places = [find_place(project, path) for path in paths]
        result.scope = [place.prefix for place in places]
        result.named = {place.prefix for place in places if place.is_file}
        for place in places:
            before = len(result.sources)
            _add(result, place.tree, _at_place(place, result), progress)
            if result.notes.is_forced:
                result.named |= {(source.tree, source.path) for source in result.sources[before:]}
                result.notes.is_forced = False
    else:
        for tree in project.trees:
            _scan_tree(result, tree, progress)
    return result


def _scan_tree(result: Scan, tree: Tree, progress: Progress | None) -> None:
    try:
        _add(result, tree, iter_sources(tree, notes=result.notes), progress)
    except LeafmarkError as error:
        result.unseen.append((tree.name, ""))
        result.missing[tree.name] = Diagnostic(str(tree.root), "tree-missing", error.message)


def _at_place(place: Place, result: Scan) -> Iterator[SourceFile]:
    if not place.is_file:
        yield from iter_sources(place.tree, under=place.path, notes=result.notes)
        return
    source = named_source(place.tree, place.path, result.notes)
    if source is not None:
        yield source


def _add(
    result: Scan, tree: Tree, sources: Iterable[SourceFile], progress: Progress | None
) -> None:
    """Add the sources of a tree, and the folders that could not be read."""
    before = len(result.notes.unread)
    if progress is None:
        result.sources.extend(sources)
    else:
        for source in sources:
            result.sources.append(source)
            if len(result.sources) % REPORT_EVERY == 0:
                progress("looking", len(result.sources), 0)
    result.unseen += [(tree.name, folder) for folder in result.notes.unread[before:]]


def find_place(project: Project, path: str) -> Place:
    """Return the place of `path`, relative to the project's directory, in the project's trees.

    Symbolic links in the path are resolved, as walks do not follow them, unless the tree follows
    links. The last name of a file is not resolved: a walk leaves out a file that is a link.

    Raises:
        NotFoundError: there is nothing at that path.
        StorageError: the path may not be read.
        UsageError: it is in none of the trees.
    """
    if not is_encodable(path):
        raise NotFoundError(f"there is nothing at {path!r}")
    absolute = Path(os.path.abspath(project.directory / path))
    real = Path(os.path.realpath(absolute))
    for tree in project.trees:
        for root, target in ((tree.root, absolute), (Path(os.path.realpath(tree.root)), real)):
            if not _is_in(target, root):
                continue
            if not is_there(str(target)):
                raise _vanished(tree.root / target.relative_to(root), path)
            place = _place_in(tree, root, target)
            if place is not None:
                return place
    if not is_there(str(absolute)):
        raise _vanished(absolute, path)
    raise UsageError(
        f"{path!r} is in none of the trees of this project",
        location=str(absolute),
        hint=Remedy("own-project", "it may be a project of its own", path=path)
        if os.path.isdir(absolute)
        else Remedy("list-trees", "name a file or folder in one of them"),
    )


def _is_in(path: Path, root: Path) -> bool:
    return path == root or root in path.parents


def _place_in(tree: Tree, root: Path, target: Path) -> Place | None:
    """Return the place of a target below a tree's root; None if a link leads out of the tree."""
    real_root, there = Path(os.path.realpath(tree.root)), _without_links(target)
    if not _is_in(there, real_root):
        return None
    if not tree.follow_symlinks:
        root, target = real_root, there
    relative = target.relative_to(root).as_posix()
    listed = "" if relative == "." else as_listed(root, relative)
    return Place(tree, listed, not os.path.isdir(target))


def _without_links(path: Path) -> Path:
    """Return the real path of a folder, or of a file without resolving its last name."""
    if os.path.isdir(path):
        return Path(os.path.realpath(path))
    return Path(os.path.realpath(path.parent), path.name)


def _vanished(place: Path, path: str) -> NotFoundError:
    return NotFoundError(
        f"there is nothing at {path!r}",
        location=str(place),
        did_you_mean=nearest_paths(place, path),
    )


# Sources that are read as plain text because the grammar of their language is not installed.


def grammar_notes(sources: Iterable[SourceFile]) -> Iterator[Diagnostic]:
    """Yield one diagnostic for all such sources, at the first; none if no grammar is missing."""
    from leafmark.parsing.code.languages import missing_grammar  # late: a search asks nothing

    counts: Counter[str] = Counter()
    first = ""
    for source in sources:
        language = missing_grammar(source.path)
        if language is not None:
            first = first or source.path
            counts[language] += 1
    if counts:
        many = count_of(counts.total(), "file")
        message = f"{many} read as plain text, without the grammar of {_listed(sorted(counts))}"
        yield Diagnostic(first, "grammar", f"{message}: {install_extra('code')}")


def _listed(names: list[str]) -> str:
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last
