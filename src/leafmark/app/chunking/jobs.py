"""Which sources a `ChunkRequest` names, and as what they are chunked.

In: the project and a request. Out: a `ChunkPlan`: the jobs, in the order in
which they are answered, and what was left out. Nothing is read yet.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from leafmark.app.configuration.project import Project
from leafmark.app.requests import ChunkRequest
from leafmark.app.sources.folders import is_encodable, is_there
from leafmark.app.sources.names import nearest_paths
from leafmark.app.sources.trees import Tree
from leafmark.app.sources.walk import (
    SourceFile,
    WalkNotes,
    iter_sources,
    named_source,
    needs_converter,
)
from leafmark.chunking import ChunkingOptions
from leafmark.errors import NotFoundError, Remedy, UsageError
from leafmark.model import CompressedList, Diagnostic, Skipped, check_tree_name, tree_name
from leafmark.namedtuples import NamedTuple

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
    """What is to be done. No source stands in it twice.

    `refused` were named themselves and are left out all the same; `skipped` are
    what a walk through a named folder left out.
    """

    jobs: Sequence[ChunkJob]
    refused: tuple[Skipped, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def plan_chunking(project: Project, request: ChunkRequest) -> ChunkPlan:
    """Return what the request asks for; files below named folders in the order of the walk.

    Raises:
        NotFoundError: there is nothing at a path, or no such root.
        UsageError: a path is not below the root, or the tree or the data cannot be called so.
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
    found = [part for path in request.paths for part in places.find(path)]
    parts = {(part.tree.root, part.tree.name, part.below): part for part in found}
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
    """What the jobs of a tree have in common."""
    options = project.chunking_options(tree)
    # the overrides did their work, and a read-only mapping cannot be sent to a process
    return ChunkJob(tree._replace(overrides={}), "", 0, options)


def _sources(part: _Part, notes: WalkNotes) -> Iterator[SourceFile]:
    if not part.is_folder:
        found = named_source(part.tree, part.below, notes)
        if found is not None:
            yield found
        return
    excluded = tuple(f"/{_WILD.sub(_ESCAPED, path)}" for path in part.left_out)
    tree = part.tree._replace(exclude=(*part.tree.exclude, *excluded))
    own = WalkNotes()
    yield from iter_sources(tree, under=part.below, notes=own)
    notes.skipped += [one for one in own.skipped if one.path not in part.left_out]
    notes.diagnostics += own.diagnostics


def _is_written(tree: Tree, source: SourceFile, written: tuple[int, int] | None) -> bool:
    """Whether a source is the file that the answer goes to, and would grow while it is read."""
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
        """Make a tree of a folder, under the settings of a configured one if given."""
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
        configured = [one for one in places if one[0] in self._project.trees]
        return min(configured or places[:1], key=lambda one: len(one[1]), default=None)

    def _with_trees_in_it(self, part: _Part) -> list[_Part]:
        """The part, and the configured trees below it, which it then leaves out."""
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
    """Return the path of `real` below the tree's root, None where it is not below."""
    try:
        relative = Path(real).relative_to(os.path.realpath(tree.root)).as_posix()
    except ValueError:
        return None
    return "" if relative == "." else relative


class ChunkJob(NamedTuple):
    """One source to be chunked: the file `path` of `tree`, or `data` in its place.

    `named` says that the user named it, not a folder above it.
    """

    tree: Tree
    path: str
    size: int
    options: ChunkingOptions
    data: bytes | None = None
    named: bool = False


def each_once(jobs: Iterable[ChunkJob]) -> Iterator[ChunkJob]:
    """Yield the jobs, each source only once: as the first job of it says."""
    known = set[tuple[Path, str]]()
    for job in jobs:
        if (place := (job.tree.root, job.path)) not in known:
            known.add(place)
            yield job
