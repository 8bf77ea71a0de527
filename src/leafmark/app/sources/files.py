"""Read one file of a tree, never a file outside it and never a half-written version.

No part of the path may be a link: the system tells the path of the opened file, or each part is
opened relative to the one before, so the checked file is the one that is read. Reading never
waits for a special file.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from functools import lru_cache
from pathlib import Path
from threading import Lock

from leafmark.app.sources.folders import (
    FILE_FLAGS,
    HAS_DESCRIPTORS,
    LISTS_INODES,
    TIMES,
    Folders,
    Handle,
    Tree,
    is_encodable,
    open_folder,
    real_path,
    unlimited,
)
from leafmark.environment import memo
from leafmark.model import FileState

ATTEMPTS = 2
"""How often to read a file that changes while it is read."""

_UNSAFE_PARTS = frozenset(["", ".", ".."])


class FileChangedError(OSError):
    """The file changed during each attempt to read it."""


def read_beneath(tree: Tree, path: str, known: KnownFiles | None = None) -> tuple[bytes, FileState]:
    """Return a file's bytes and state, which was the same before and after reading.

    `path` is relative to the tree's root, with `/`. A file in `known` is not read again.

    Raises:
        FileChangedError: its state differed after reading, twice.
        OSError: it is missing, not a regular file, behind a link, larger than the
            tree's `max_file_bytes`, or unreadable; or `path` does not stay
            below the root.
    """
    _check_path(path)
    cached = None if known is None else _unopened(tree, path, known)
    if cached is not None:
        return cached
    descriptor = _open(tree, path)
    try:
        for attempt in range(ATTEMPTS):
            if attempt:
                os.lseek(descriptor, 0, os.SEEK_SET)
            before = file_state(tree, path, os.fstat(descriptor))
            data = _read_all(descriptor, before[0])
            if len(data) == before[0] and file_state(tree, path, os.fstat(descriptor)) == before:
                state = FileState(*before, hashlib.sha256(data).hexdigest())
                if known is not None:
                    known.keep(tree.root, path, data, state)
                return data, state
    finally:
        os.close(descriptor)
    raise FileChangedError(errno.EAGAIN, "the file changes while it is being read", path)


def _unopened(tree: Tree, path: str, known: KnownFiles) -> tuple[bytes, FileState] | None:
    """Return a known file without opening it, if its state has not changed.

    A link in the path does no harm: the file behind it has the same inode and times.
    """
    cached = known.find(tree.root, path)
    if cached is None:
        return None
    try:
        whole = f"{_real_root(tree.root)}/{path}"
        info = os.stat(whole, follow_symlinks=tree.follow_symlinks)
        return cached if cached[1][:4] == file_state(tree, path, info) else None
    except OSError:  # opening it will say why
        return None


@memo(4096)  # a search reads the same files again and again
def _check_path(path: str) -> None:
    unsafe = not is_encodable(path) or not _UNSAFE_PARTS.isdisjoint(path.split("/"))
    if unsafe or (os.name == "nt" and ("\\" in path or ":" in path)):
        raise OSError(errno.EINVAL, "the path does not stay below the tree's root", path)


def _open(tree: Tree, path: str) -> int:
    if tree.follow_symlinks or not HAS_DESCRIPTORS:
        return _open_real(tree, path)
    descriptor = _open_at_once(tree, path)
    return _open_in_steps(tree.root, path) if descriptor is None else descriptor


def _open_at_once(tree: Tree, path: str) -> int | None:
    """Open by the whole path, if the system then tells the path of the opened file (Linux).

    None if that is another file or cannot be opened: `_open_in_steps` then decides, and raises.
    """
    whole = f"{_real_root(tree.root)}/{path}"
    try:
        descriptor = os.open(whole, FILE_FLAGS)
    except OSError:
        return None
    try:
        if os.readlink(f"/proc/self/fd/{descriptor}") == whole:
            return descriptor
    except OSError:  # another system
        pass
    os.close(descriptor)
    return None


@lru_cache(maxsize=64)
def _real_root(root: Path) -> str:
    """Return the root without links; if this is outdated, `_open_in_steps` opens the file."""
    return os.path.realpath(root).rstrip(os.sep)


def _open_in_steps(root: Path, path: str) -> int:
    *parents, name = path.split("/")
    with Folders(root) as folders:
        handle: Handle = folders.open("")
        try:
            for part in parents:
                deeper = open_folder(handle, part)
                folders.close(handle)
                handle = deeper
            if not isinstance(handle, int):
                raise OSError(errno.ENOTSUP, "folders cannot be opened here", path)
            return os.open(name, FILE_FLAGS, dir_fd=handle)
        finally:
            folders.close(handle)


def _open_real(tree: Tree, path: str) -> int:
    """Open a file that may lie behind links, if these lead to a place below the root.

    No part of its real path may be a link: a folder can be replaced by one meanwhile.
    """
    root = os.path.realpath(tree.root)
    real = real_path(os.path.join(root, path))
    if not real.startswith(root.rstrip(os.sep) + os.sep):
        raise OSError(errno.EXDEV, "the file lies outside the tree's root", path)
    if not HAS_DESCRIPTORS:
        return os.open(unlimited(real), FILE_FLAGS)
    return _open_in_steps(Path(root), os.path.relpath(real, root))


def _read_all(descriptor: int, size: int) -> bytes:
    """Read to the end, but at most one byte more than `size`, the expected size.

    A single read is enough: if the file grew meanwhile, its size differs.
    """
    data = os.read(descriptor, size + 1)
    if len(data) >= size:
        return data
    parts = [data]
    left = size + 1 - len(data)
    while left > 0 and (part := os.read(descriptor, left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def file_state(tree: Tree, path: str, info: os.stat_result) -> StatKey:
    """Return size, mtime, ctime and inode, as in a walk; raise OSError if it must not be read."""
    if not stat.S_ISREG(info.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", path)
    if info.st_size > tree.max_file_bytes:
        raise OSError(errno.EFBIG, "it is larger than max_file_bytes", path)
    inode = info.st_ino if LISTS_INODES else 0
    return info.st_size, *TIMES(info), inode


# A cache of the bytes of recently read files, valid while their size, times and inode are the same.
#
# A warm search shows mostly the files of the search before it, and would spend a fifth of its time
# on reading and hashing them. A file that changed within the last seconds is not cached, since its
# times might not show another change. On systems without a time of change (Windows), where times
# can be set back, nothing is cached.

StatKey = tuple[int, int, int, int]
"""Size, mtime, ctime and inode."""

MAX_BYTES = 32_000_000
"""The size of the cache (chosen by eye: two thousand documents)."""

SETTLED_NS = 2_000_000_000
"""The minimum age of the last change: some file systems count times in whole seconds."""


class KnownFiles:
    """A cache of recently read files; threads may share it."""

    def __init__(self, most_bytes: int = MAX_BYTES):
        self._most_bytes = most_bytes
        self.reset()

    def find(self, root: Path, path: str) -> tuple[bytes, FileState] | None:
        """Return a cached file and its state when it was read; it may have changed since."""
        return self._files.get((root, path))

    def keep(self, root: Path, path: str, data: bytes, state: FileState) -> None:
        """Cache a file that was just read, unless it is large or may be changing."""
        age = time.time_ns() - max(state.modified_ns, state.changed_ns)
        if os.name != "posix" or age < SETTLED_NS or len(data) > self._most_bytes // 8:
            return
        with self._lock:
            self._drop((root, path))
            self._files[root, path] = data, state
            self._bytes += len(data)
            while self._bytes > self._most_bytes:
                self._drop(next(iter(self._files)))

    def reset(self) -> None:
        """Empty the cache; also in a forked child, where another thread may have held the lock."""
        self._files: dict[tuple[Path, str], tuple[bytes, FileState]] = {}
        self._bytes = 0
        self._lock = Lock()

    def _drop(self, key: tuple[Path, str]) -> None:
        data, _ = self._files.pop(key, (b"", None))
        self._bytes -= len(data)
