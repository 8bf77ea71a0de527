"""`Project`: a folder with its settings and trees, and the place of its index."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from leafmark.app.configuration.config import Configuration, open_configuration
from leafmark.app.configuration.paths import check_own
from leafmark.app.settings import ChunkingSettings, SearchSettings
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.folders import Tree, as_listed
from leafmark.errors import ConfigError, NotFoundError
from leafmark.frozen import Frozen
from leafmark.index import FORMAT, IndexOptions, IndexReader, has_index, open_reader
from leafmark.index.folder import find_other, has_other, index_place, note_use
from leafmark.parsing import installed_formats, installed_grammars
from leafmark.suggest import nearest

if TYPE_CHECKING:
    from leafmark.app.remote import RemoteIndex
    from leafmark.chunking import ChunkingOptions
    from leafmark.index import IndexWriter
    from leafmark.model import DocumentEntry, Hint

STRUCTURE_VERSION = 82
"""Raised when the same bytes and settings begin to give other chunks, or other words of them."""

_SIZES = frozenset(("min_tokens", "target_tokens", "max_tokens", "fixed_tokens", "fixed_overlap"))
"""The sizes that yield where nobody stated them."""


class Project(Frozen):
    """What every use case is given: where it works and under which settings.

    A program that asks often sets `open_kept`, so that the index is not opened for every call.
    `tell` is given the hints of answers that have no place for them. `index_dir` is the
    folder of the index that this leafmark makes; see `index.folder`. `revision` names the
    revision that the trees are of, in which nothing changes; None: they are files as they are.
    """

    directory: Path
    configuration: Configuration
    trees: tuple[Tree, ...]
    index_dir: Path
    open_kept: Callable[[Path], IndexReader] | None = None
    remote: RemoteIndex | None = None
    tell: Callable[[Hint], None] | None = None
    revision: str | None = None

    def _meaning(self) -> dict[str, Any]:
        """Projects with the same settings and trees are equal, whatever opens their readers."""
        means = ("open_kept", "remote", "tell")
        return {name: value for name, value in self._asdict().items() if name not in means}

    def tree(self, name: str) -> Tree | None:
        for tree in self.trees:  # asked for each source of each answer: no generator
            if tree.name == name:
                return tree
        if self.remote is not None and name in self.remote.tree_names:
            return Tree(name, Path(os.devnull))  # its sources are in the cluster, not here
        return None

    def get_tree(self, name: str) -> Tree:
        """Return the tree of this name.

        Raises:
            NotFoundError: there is none; it names some that there are, or says how to allow it.
        """
        tree = self.tree(name)
        if tree is not None:
            return tree
        message = f"there is no tree named {name!r}"
        permission = self.configuration.untrusted(f"tree.{name}")
        if permission is not None:
            raise NotFoundError(message, hint=permission.notice)
        names = [tree.name for tree in self.trees]
        near = nearest(name, names)
        hint = f"the trees are: {', '.join(names)}" if names and not near else None
        raise NotFoundError(message, did_you_mean=near, hint=hint)

    @property
    def local_trees(self) -> frozenset[str]:
        """The names of the project's own trees, without the user's trees for all projects."""
        return frozenset(tree.name for tree in self.trees if tree.scope == "local")

    def open_reader(self) -> IndexReader:
        """Open the committed state of the index, or give the one that is kept if it is current.

        Until this leafmark has made its own, it is the state of an index that another made.
        """
        if self.remote is not None:
            return cast("IndexReader", self.remote.open())  # both are what readers ask of one
        root = self.index_dir
        note_use(root)
        if not has_index(root):
            root = find_other(root) or root
        return (self.open_kept or open_reader)(root)

    @property
    def is_indexed(self) -> bool:
        """Whether there is an index to read from, this leafmark's in whatever state, or another's.

        Raises:
            StorageError: nobody may look there.
        """
        if self.remote is not None:
            return self.remote.exists
        return has_index(self.index_dir) or find_other(self.index_dir) is not None

    @property
    def has_own_index(self) -> bool:
        """Whether there is an index of this leafmark's making, in whatever state.

        Raises:
            StorageError: nobody may look there.
        """
        return self.remote.exists if self.remote is not None else has_index(self.index_dir)

    @contextmanager
    def open_writer(self, *, timeout_s: float, rebuild: bool = False) -> Iterator[IndexWriter]:
        """Give the writer of the index, which is made if necessary.

        Raises:
            LockedError: another process went on writing for `timeout_s`.
            StorageError, UsageError: it cannot be written.
        """
        options = self.index_options()
        if self.remote is not None:
            with self.remote.write(options, self._bytes_of, rebuild=rebuild) as store:
                yield cast("IndexWriter", store)
            return
        from leafmark.index import open_writer  # late: most runs find nothing to write

        with open_writer(self.index_dir, options, timeout_s=timeout_s, rebuild=rebuild) as writer:
            yield writer

    @property
    def was_indexed(self) -> bool:
        """Whether there is an index, be it one that this leafmark cannot read.

        Raises:
            StorageError: nobody may look there.
        """
        if self.remote is not None:
            return self.remote.exists
        return has_index(self.index_dir) or has_other(self.index_dir)

    @property
    def shared_dir(self) -> Path:
        """The folder of the vectors, which the indexes of several leafmarks share."""
        return self.index_dir.parent

    def keys_of(self, path: Path) -> list[tuple[str, str]]:
        """Return tree and path of a file as a document, for each tree that contains it."""
        real = Path(os.path.realpath(path))
        keys = []
        for tree in self.trees:
            root = Path(os.path.realpath(tree.root))
            if real.is_relative_to(root):
                keys.append((tree.name, as_listed(root, real.relative_to(root).as_posix())))
        return keys

    def missing_trees(self) -> list[str]:
        """Return a message for each tree whose folder is missing or unreadable."""
        return [
            f"the folder of tree {tree.name!r} {state}: {tree.root}"
            for tree in self.trees
            if (state := tree.trouble)
        ]

    def left_out(self) -> tuple[str, ...]:
        """Return messages about ignored configuration and missing trees."""
        return (*self.configuration.warnings, *self.missing_trees())

    def chunking_options(self, tree: Tree) -> ChunkingOptions:
        """How the documents of `tree` become chunks.

        Raises:
            ConfigError: the settings do not fit together; it says where they stand.
        """
        from leafmark.chunking import ChunkingOptions, Yielding  # late: a search seldom chunks

        values: dict[str, Any] = _chunking(self.configuration, tree)
        for name in _SIZES - _stated_sizes(self.configuration, tree):
            values[name] = Yielding(values[name])
        try:
            return ChunkingOptions(**values)
        except ConfigError as error:
            where = (self._place(f"chunking.{name}", tree) for name in error.fields)
            location = next(filter(None, where), None)
            raise ConfigError(error.message, location=location, hint=error.hint) from None

    def index_options(self) -> IndexOptions:
        """What decides what the index holds."""
        default = _chunking_stated(self.configuration, None)
        special = {
            tree.name: values
            for tree in self.trees
            if (values := _chunking_stated(self.configuration, tree)) != default
        }
        formats = {tree.name: sorted(tree.formats) for tree in self.trees if tree.formats}
        stated = json.dumps([default, special, formats], sort_keys=True)
        stemmers = {tree.name: self._setting("search.stemmer", tree) for tree in self.trees}
        return IndexOptions(
            fingerprint=f"{_leafmark_key()}:{hashlib.sha256(stated.encode()).hexdigest()}",
            languages={name: str(stemmer) for name, stemmer in stemmers.items()},
        )

    def _bytes_of(self, document: DocumentEntry) -> bytes | None:
        """Return the bytes of a source that was just prepared; None if its file has changed."""
        tree = self.tree(document.tree)
        if tree is None:
            return None
        try:
            raw, state = read_beneath(tree, document.path)
        except OSError:
            return None
        return raw if state.digest == document.state.digest else None

    def _place(self, name: str, tree: Tree) -> str | None:
        """Return the origin of a setting, None if it is the default or from the command line."""
        origin = self.configuration.origin(name)
        if name in tree.overrides:
            origin = self.configuration.tree_origins.get(f"tree.{tree.name}.{name}", origin)
        return None if origin in ("default", "flag") else origin

    def _setting(self, name: str, tree: Tree) -> object:
        return _value(self.configuration, name, tree)


def _value(configuration: Configuration, name: str, tree: Tree | None) -> object:
    """Return a setting as it is for a tree; None: for what belongs to none."""
    overrides = {} if tree is None else tree.overrides
    return overrides.get(name, configuration.value(name))


def _chunking(configuration: Configuration, tree: Tree | None) -> dict[str, object]:
    chunking = configuration.chunking
    values = chunking._asdict()
    del values["preset"]  # it is written out in the sizes
    if tree is not None:
        for option in values:
            name = f"chunking.{option}"
            if name in tree.overrides:
                values[option] = tree.overrides[name]
    return values


def _stated_sizes(configuration: Configuration, tree: Tree | None) -> set[str]:
    """The sizes that somebody stated, which those of a preset and defaults yield to."""
    stated = set()
    for size in _SIZES:
        name = f"chunking.{size}"
        overridden = tree is not None and name in tree.overrides
        is_default = not overridden and configuration.origin(name) == "default"
        value = _value(configuration, name, tree)
        if not is_default and value.__class__ is int:  # a preset's is more than that
            stated.add(size)
    return stated


def _chunking_stated(configuration: Configuration, tree: Tree | None) -> dict[str, object]:
    """The settings, and which sizes are stated: what yields to them may come out otherwise."""
    stated = sorted(_stated_sizes(configuration, tree))
    return {**_chunking(configuration, tree), "stated": stated}


def open_project(
    directory: Path,
    *,
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    tell: Callable[[Hint], None] | None = None,
) -> Project:
    """Return the project of the folder `directory`, under the configuration that applies there.

    Raises:
        NotFoundError: there is no such folder.
        ConfigError: a configuration file, variable or flag is wrong.
        ForbiddenError: the place of its index is somebody else's.
    """
    configuration = open_configuration(directory, flags=flags, environ=environ)
    place = index_place(configuration.index_dir, _leafmark_key())
    if configuration.index.dir is None:
        check_own(configuration.directories.cache, *reversed(place.parents[:2]), place)
    remote = None
    if configuration.index.url:
        from leafmark.app.remote import remote_index  # late: few indexes lie in a cluster

        remote = remote_index(configuration.index, environ)
    return Project(directory, configuration, configuration.trees, place, tell=tell, remote=remote)


def _leafmark_key() -> str:
    """Return a digest of what of this installation decides what an index holds.

    Another version of leafmark, or one with other grammars, formats or defaults, has its own.
    """
    defaults = [*ChunkingSettings()._field_defaults.values(), SearchSettings().stemmer]
    installed = [*installed_grammars(), *installed_formats()]
    stated = json.dumps([FORMAT, STRUCTURE_VERSION, defaults, installed])
    return hashlib.sha256(stated.encode()).hexdigest()
