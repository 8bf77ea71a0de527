"""Open folders and small files below a root, at any depth, safely while other programs move them.

A folder is opened relative to the root's descriptor if the system can do that (POSIX), in steps
below the system's longest path; elsewhere by its whole path.
"""

from __future__ import annotations

import os
import stat
import sys
import unicodedata
from collections.abc import Callable, Mapping
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from leafmark.app.settings import IndexSettings
from leafmark.errors import unreadable
from leafmark.model.option_types import Value
from leafmark.namedtuples import NamedTuple

HAS_DESCRIPTORS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd

LISTS_INODES = os.name != "nt"
"""Whether a folder's listing has the inodes of files; if not, inodes are never compared."""


def _times(system: str, version: tuple[int, ...]) -> Callable[[os.stat_result], tuple[int, int]]:
    """Return the getter of a file's times of modification and of change (ctime).

    Windows has the time of creation instead of ctime. Python still calls that ctime, but did not
    do so in listings from 3.12.0 to 3.12.2.
    """
    if system == "nt" and version >= (3, 12):
        return attrgetter("st_mtime_ns", "st_birthtime_ns")
    return attrgetter("st_mtime_ns", "st_ctime_ns")


TIMES = _times(os.name, sys.version_info[:2])

Handle = int | str
"""An open folder: a descriptor, or a path on systems without descriptors of folders."""

_STEP_CHARS = 900
"""Characters opened in one step: at most 3,600 bytes, below every PATH_MAX (4,096) in use."""

WINDOWS = os.name == "nt"

_WINDOWS_CHARS = 240
"""Longer paths need a prefix on Windows: its limit is 248 for folders, 260 for files."""

_SHARE = "\\\\"
_UNLIMITED = "\\\\?\\"
_UNLIMITED_SHARE = "\\\\?\\UNC\\"

_FOLDER_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
FILE_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class Folders:
    """Opens the folders below one root; a context manager.

    Raises:
        OSError: the root is missing, not a folder, or cannot be opened.
    """

    def __init__(self, root: Path):
        self.root = root
        self._root: Handle = unlimited(str(root))
        if HAS_DESCRIPTORS:
            self._root = os.open(root, _FOLDER_FLAGS & ~getattr(os, "O_NOFOLLOW", 0))
        elif not os.path.isdir(self._root):
            os.scandir(self._root).close()  # raises the reason

    def __enter__(self) -> Folders:
        return self

    def __exit__(self, *_: object) -> None:
        if isinstance(self._root, int):
            os.close(self._root)

    def open(self, path: str) -> Handle:
        """Open the folder `path` (relative, with `/`, a trailing one allowed); close it after use.

        Raises:
            OSError: it is missing, not a folder, a link, or cannot be opened.
        """
        return open_folder(self._root, path)

    @staticmethod
    def close(handle: Handle) -> None:
        if isinstance(handle, int):
            os.close(handle)


def is_encodable(path: str) -> bool:
    """Say whether `path` can be passed to the system."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def is_there(path: str) -> bool:
    """Say whether there is anything at a path, even a broken link.

    Raises:
        StorageError: permission to look there is denied.
    """
    try:
        os.lstat(path)
    except PermissionError as error:
        raise unreadable(error, path) from error
    except (OSError, ValueError):
        return False
    return True


def unlimited(path: str) -> str:
    """Return an absolute path in the form that has no limit of length on Windows.

    With the usual form, Windows lists a file whose path is too long, but cannot open it.
    """
    if not WINDOWS or len(path) <= _WINDOWS_CHARS or path.startswith(_UNLIMITED):
        return path
    path = os.path.normpath(path)  # Windows does not normalize this form
    if path.startswith(_SHARE):
        return _UNLIMITED_SHARE + path.removeprefix(_SHARE)
    return _UNLIMITED + path


def real_path(path: str) -> str:
    """Return the real path of an absolute path.

    Raises:
        OSError: it does not exist.
    """
    long_path = unlimited(path)
    real = os.path.realpath(long_path, strict=True)
    if long_path == path:
        return real
    if real.startswith(_UNLIMITED_SHARE):
        return _SHARE + real.removeprefix(_UNLIMITED_SHARE)
    return real.removeprefix(_UNLIMITED)


def as_listed(root: str | os.PathLike[str], path: str) -> str:
    """Return `path` (relative to `root`, with `/`) with its names spelled as in the listings.

    On some systems README.MD and README.md, or both Unicode forms of é, lead to the same file.
    """
    folder, names = os.fspath(root), list[str]()
    for name in path.split("/"):
        names.append(_listed(folder, name))
        folder = os.path.join(folder, names[-1])
    return "/".join(names)


def _listed(folder: str, name: str) -> str:
    forms = {unicodedata.normalize(form, name) for form in ("NFC", "NFD")}
    others = {name.swapcase(), *forms} - {name}
    if not any(os.path.lexists(os.path.join(folder, other)) for other in others):
        return name
    try:
        listed = os.listdir(folder)
    except OSError:
        return name
    same = _folded(name)
    return name if name in listed else next((n for n in listed if _folded(n) == same), name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())


def open_folder(root: Handle, path: str) -> Handle:
    """Open `path` below the open folder `root`; only its last part is checked for a link."""
    if isinstance(root, str):
        return unlimited(os.path.join(root, *path.split("/"))) if path else root
    if len(path) <= _STEP_CHARS:
        return os.open(path or ".", _FOLDER_FLAGS, dir_fd=root)
    handle = os.open(".", _FOLDER_FLAGS, dir_fd=root)
    for step in _steps(path):
        try:
            deeper = os.open(step, _FOLDER_FLAGS, dir_fd=handle)
        finally:
            os.close(handle)
        handle = deeper
    return handle


def _steps(path: str) -> list[str]:
    """Cut a long path at slashes, into parts short enough to be opened."""
    steps = [""]
    for part in path.rstrip("/").split("/"):
        if steps[-1] and len(steps[-1]) + len(part) > _STEP_CHARS:
            steps.append("")
        steps[-1] += part + "/"
    return steps


def read_small(handle: Handle, name: str, limit: int) -> bytes | None:
    """Return at most `limit` bytes of a regular file in an open folder.

    None if it cannot be read, or is a link or a special file.
    """
    try:
        if isinstance(handle, int):
            descriptor = os.open(name, FILE_FLAGS, dir_fd=handle)
        else:
            descriptor = os.open(unlimited(os.path.join(handle, name)), FILE_FLAGS)
        try:
            # a folder can be opened, too, but not read
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            return os.read(descriptor, limit)
        finally:
            os.close(descriptor)
    except OSError:
        return None


# `Tree`: a named folder of sources, with the rules that select its files.


Scope = Literal["local", "global"]
"""Where a tree was configured: in the project (or implicitly), or in the user's file."""


class Tree(NamedTuple):
    """One tree as it is walked, chunked and searched.

    `root` is absolute; it may be missing on disk. `include` and `exclude` are
    patterns as in an ignore file, relative to `root`; an `exclude` pattern
    beginning with `!` includes files that are left out by default,
    secrets only with `allow_secrets`. `overrides` are the settings of this tree
    alone, by full name (`chunking.max_tokens`). `formats` are pairs of a suffix and
    its format in this tree.
    """

    name: str
    root: Path
    scope: Scope = "local"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_file_bytes: int = IndexSettings().max_file_bytes
    follow_symlinks: bool = False
    allow_secrets: bool = False
    overrides: Mapping[str, Value] = MappingProxyType({})
    formats: tuple[tuple[str, str], ...] = ()

    @property
    def is_missing(self) -> bool:
        """Whether its root is not a folder now, or cannot be accessed."""
        return not os.path.isdir(self.root)

    @property
    def trouble(self) -> str:
        """The reason why its root cannot be read, as the end of a sentence; else empty.

        >>> Tree("docs", Path("/nowhere")).trouble
        'is missing'
        """
        if self.is_missing:
            return "is missing"
        return "" if os.access(self.root, os.R_OK | os.X_OK) else "cannot be read"
