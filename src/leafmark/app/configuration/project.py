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
    from leafmark.app.cluster_index import RemoteIndex
    from leafmark.chunking import ChunkingOptions
    from leafmark.index import IndexWriter
    from leafmark.model import DocumentEntry, Hint

STRUCTURE_VERSION = 85
"""Raised when the same bytes and settings give other chunks, or other words of chunks."""

_SIZES = frozenset(("min_tokens", "target_tokens", "max_tokens", "fixed_tokens", "fixed_overlap"))
"""The sizes that adapt to the others unless they are set."""


class Project(Frozen):
    """The folder, trees and settings that a use case works with.

    `index_dir` is the folder of the index of this version of leafmark; see `index.folder`. A
    program with many calls sets `open_kept`, so that not every call opens the index. `report_hint`
    gets the hints of answers that have no place for them. `revision` is the revision of the trees;
    None for the files as they are now.
    """

    directory: Path
    configuration: Configuration
    trees: tuple[Tree, ...]
    index_dir: Path
    open_kept: Callable[[Path], IndexReader] | None = None
    remote: RemoteIndex | None = None
    report_hint: Callable[[Hint], None] | None = None
    revision: str | None = None

    def _meaning(self) -> dict[str, Any]:
        """Return the fields that equal projects share: all but those for opening readers."""
        means = ("open_kept", "remote", "report_hint")
        return {name: value for name, value in self._asdict().items() if name not in means}

    def tree(self, name: str) -> Tree | None:
        for tree in self.trees:  # no generator: called for each source of each answer
            if tree.name == name:
                return tree
        if self.remote is not None and name in self.remote.tree_names:
            return Tree(name, Path(os.devnull))  # its sources are in the cluster, not here
        return None

    def get_tree(self, name: str) -> Tree:
        """Return the tree of this name.

        Raises:
            NotFoundError: there is none; the hint lists the trees, or says how to permit this one.
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
        """Return the committed state of the index; one that is open already, if it is current.

        Without an index of this version of leafmark, it is the index of another version.
        """
        if self.remote is not None:
            return cast("IndexReader", self.remote.open())  # it has the same methods
        root = self.index_dir
        note_use(root)
        if not has_index(root):
            root = find_other(root) or root
        return (self.open_kept or open_reader)(root)

    @property
    def is_indexed(self) -> bool:
        """Whether there is an index to read from, of this or another version of leafmark.

        Raises:
            StorageError: permission to look there is denied.
        """
        if self.remote is not None:
            return self.remote.exists
        return has_index(self.index_dir) or find_other(self.index_dir) is not None

    @property
    def has_own_index(self) -> bool:
        """Whether there is an index of this version of leafmark, even a damaged one.

        Raises:
            StorageError: permission to look there is denied.
        """
        return self.remote.exists if self.remote is not None else has_index(self.index_dir)

    @contextmanager
    def open_writer(self, *, timeout_s: float, rebuild: bool = False) -> Iterator[IndexWriter]:
        """Open the writer of the index, which is created if necessary.

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
        """Whether there is an index, even one that this version of leafmark cannot read.

        Raises:
            StorageError: permission to look there is denied.
        """
        if self.remote is not None:
            return self.remote.exists
        return has_index(self.index_dir) or has_other(self.index_dir)

    @property
    def shared_dir(self) -> Path:
        """The folder of the vectors, which the indexes of all versions of leafmark share."""
        return self.index_dir.parent

    def keys_of(self, path: Path) -> list[tuple[str, str]]:
        """Return the tree and path of a file, for each tree that contains it."""
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
        """Return the options for cutting the documents of `tree` into chunks.

        Raises:
            ConfigError: the settings contradict each other; its location is one of them.
        """
        from leafmark.chunking import ChunkingOptions, Yielding  # late: a search seldom chunks

        values: dict[str, Any] = _chunking(self.configuration, tree)
        for name in _SIZES - _set_sizes(self.configuration, tree):
            values[name] = Yielding(values[name])
        try:
            return ChunkingOptions(**values)
        except ConfigError as error:
            where = (self._place(f"chunking.{name}", tree) for name in error.fields)
            location = next(filter(None, where), None)
            raise ConfigError(error.message, location=location, hint=error.hint) from None

    def index_options(self) -> IndexOptions:
        """Return the options that determine the content of the index."""
        default = _chunking_and_sizes(self.configuration, None)
        special = {
            tree.name: values
            for tree in self.trees
            if (values := _chunking_and_sizes(self.configuration, tree)) != default
        }
        formats = {tree.name: sorted(tree.formats) for tree in self.trees if tree.formats}
        settings = json.dumps([default, special, formats], sort_keys=True)
        stemmers = {tree.name: self._setting("search.stemmer", tree) for tree in self.trees}
        return IndexOptions(
            fingerprint=f"{_leafmark_key()}:{hashlib.sha256(settings.encode()).hexdigest()}",
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
        """Return the origin of a setting; None if it is the default or from the command line."""
        origin = self.configuration.origin(name)
        if name in tree.overrides:
            origin = self.configuration.tree_origins.get(f"tree.{tree.name}.{name}", origin)
        return None if origin in ("default", "flag") else origin

    def _setting(self, name: str, tree: Tree) -> object:
        return _value(self.configuration, name, tree)


def _value(configuration: Configuration, name: str, tree: Tree | None) -> object:
    """Return the value of a setting for a tree, or (None) outside of all trees."""
    overrides = {} if tree is None else tree.overrides
    return overrides.get(name, configuration.value(name))


def _chunking(configuration: Configuration, tree: Tree | None) -> dict[str, object]:
    chunking = configuration.chunking
    values = chunking._asdict()
    del values["preset"]  # the sizes have its values
    if tree is not None:
        for option in values:
            name = f"chunking.{option}"
            if name in tree.overrides:
                values[option] = tree.overrides[name]
    return values


def _set_sizes(configuration: Configuration, tree: Tree | None) -> set[str]:
    """Return the sizes that are set; those of a preset and the defaults adapt to them."""
    sizes = set()
    for size in _SIZES:
        name = f"chunking.{size}"
        overridden = tree is not None and name in tree.overrides
        is_default = not overridden and configuration.origin(name) == "default"
        value = _value(configuration, name, tree)
        if not is_default and value.__class__ is int:  # those of a preset are of a subclass
            sizes.add(size)
    return sizes


def _chunking_and_sizes(configuration: Configuration, tree: Tree | None) -> dict[str, object]:
    """Return the settings, and the names of the sizes that are set: the others adapt to these."""
    sizes = sorted(_set_sizes(configuration, tree))
    return {**_chunking(configuration, tree), "stated": sizes}


def open_project(
    directory: Path,
    *,
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    report_hint: Callable[[Hint], None] | None = None,
) -> Project:
    """Return the project of the folder `directory`, with the configuration that applies there.

    Raises:
        NotFoundError: there is no such folder.
        ConfigError: a configuration file, variable or flag is wrong.
        ForbiddenError: the folder of its index belongs to another user.
    """
    configuration = open_configuration(directory, flags=flags, environ=environ)
    place = index_place(configuration.index_dir, _leafmark_key())
    if configuration.index.dir is None:
        check_own(configuration.directories.cache, *reversed(place.parents[:2]), place)
    remote = None
    if configuration.index.url:
        from leafmark.app.cluster_index import remote_index  # late: few indexes lie in a cluster

        remote = remote_index(configuration.index, environ)
    trees = configuration.trees
    return Project(directory, configuration, trees, place, report_hint=report_hint, remote=remote)


def _leafmark_key() -> str:
    """Return a digest of the parts of this installation that determine the content of an index.

    Another version, or other grammars, formats or defaults, give another digest.
    """
    defaults = [*ChunkingSettings()._field_defaults.values(), SearchSettings().stemmer]
    installed = [*installed_grammars(), *installed_formats()]
    parts = json.dumps([FORMAT, STRUCTURE_VERSION, defaults, installed])
    return hashlib.sha256(parts.encode()).hexdigest()
