"""Walk a tree: which files are its sources, and why the others are not.

Files are listed, not opened. Folders are listed relative to the root's descriptor, so that
neither deep nesting nor a folder replaced by a link leads out of the tree. A file that vanishes
during the walk is not an error; an unreadable one is a diagnostic. The order is fixed: in each
folder its files by name, then its folders by name.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from operator import attrgetter

from leafmark.app.sources.file_names import (
    CONVERTERS,
    GENERATOR_MARKS,
    MARKUP_SUFFIXES,
    find_generator,
    suffix_of,
)
from leafmark.app.sources.folders import (
    LISTS_INODES,
    TIMES,
    Folders,
    Handle,
    Tree,
    is_encodable,
    real_path,
    unlimited,
)
from leafmark.app.sources.ignore import MayMatch
from leafmark.app.sources.selection import RULE_NAMES, Frame, Selection
from leafmark.app.sources.source_formats import unread
from leafmark.errors import ForbiddenError, LeafmarkError, NotFoundError, reason_of
from leafmark.model import Diagnostic, Skipped
from leafmark.namedtuples import NamedTuple

SPECIAL = "special file"
"""The reason to skip an entry that is neither a regular file nor a link, or a folder that the user
named as a file."""

EMPTY = "empty"
"""The reason to skip a source without text, if there is no other."""

Entry = os.DirEntry[str]
_new = tuple.__new__
_by_name = attrgetter("name")

_KIND = 0o170000
_REGULAR = stat.S_IFREG
HAS_JUNCTIONS = os.name == "nt"
_MOUNT_POINT = 0xA0000003
"""The reparse tag of a junction on Windows (IO_REPARSE_TAG_MOUNT_POINT)."""

_MARKS = RULE_NAMES | GENERATOR_MARKS
_AT_ONCE = 1000
"""Entries of a folder whose sources are yielded together."""


class SourceFile(NamedTuple):
    """A file to read, with its size and times; `path` is relative to the tree's root, with `/`.

    Bytes of `path` that are not UTF-8 are surrogate escapes. `changed_ns` is ctime.
    """

    tree: str
    path: str
    size: int
    modified_ns: int
    changed_ns: int
    inode: int


class WalkNotes:
    """The entries that a walk left out, in the order of the walk.

    `skipped` were left out on purpose; the path of a folder ends with `/` and stands for all below
    it. `unread` are folders (ending with `/`, the root being empty) that could not be listed.
    `is_forced` says that the walk began in a folder that a walk of the whole tree leaves out.
    """

    def __init__(self) -> None:
        self.skipped: list[Skipped] = []
        self.diagnostics: list[Diagnostic] = []
        self.unread: list[str] = []
        self.is_forced = False


def iter_sources(
    tree: Tree, *, under: str = "", notes: WalkNotes | None = None
) -> Iterator[SourceFile]:
    """Yield the sources of `tree`, or those below its folder `under`, even if it is left out.

    Raises (at the first step):
        NotFoundError: the root, or `under`, is missing or not a folder.
        ForbiddenError: one of them cannot be opened.
    """
    with _open_root(tree) as folders:
        walk = _Walk(tree, folders, WalkNotes() if notes is None else notes)
        walk.start(under)
        for frame in walk.frames():
            for taken in walk.visit(frame):
                yield from taken


def exceeds(tree: Tree, limit: int) -> bool:
    """Say whether the tree has more than `limit` sources; the walk stops there."""
    return any(count > limit for count, _ in enumerate(iter_sources(tree), 1))


def needs_converter(path: str) -> Diagnostic | None:
    """Return a diagnostic with a converter for a source of an unsupported format, else None.

    >>> needs_converter("a/report.pdf").message
    '.pdf files are not read; convert them to Markdown or text with pdftotext or docling'
    """
    suffix = suffix_of(path.rpartition("/")[2])
    converter = CONVERTERS.get(suffix)
    if converter is None:
        return None
    message = f".{suffix} files are not read; convert them to Markdown or text with {converter}"
    return Diagnostic(path, "needs-converter", message)


def named_source(tree: Tree, path: str, notes: WalkNotes) -> SourceFile | None:
    """Return the file `path` of `tree`, even if ignore rules leave it out.

    None for secrets, links, special files, unsupported formats and files over the size limit;
    `notes` say why.

    Raises:
        NotFoundError: there is no such file.
    """
    folder, _, name = path.rpartition("/")
    if not is_encodable(path):
        raise _missing(tree, path, FileNotFoundError())
    frame = Frame(path=f"{folder}/" if folder else "", included=True, is_requested=True)
    with _open_root(tree) as folders:
        walk = _Walk(tree, folders, notes)
        try:
            handle = folders.open(folder)
        except OSError as error:
            raise _missing(tree, path, error) from error
        try:
            info = _lstat(handle, name)
        except OSError as error:
            raise _missing(tree, path, error) from error
        finally:
            folders.close(handle)
        return walk.take_named(frame, name, info)


def why_left_out(tree: Tree, path: str) -> Skipped | None:
    """Return the rule that leaves out the file `path` of `tree`, or one of its folders.

    None if it is a source or does not exist.
    """
    folder, _, name = path.rpartition("/")
    if not is_encodable(path):
        return None
    notes = WalkNotes()
    try:
        with _open_root(tree) as folders:
            walk = _Walk(tree, folders, notes)
            frame, reason = walk.descend(folder)
            handle = folders.open(folder)
            try:
                info = _lstat(handle, name)
                refused = reason or walk.refuse(frame, name, info, handle)
            finally:
                folders.close(handle)
    except (OSError, LeafmarkError):
        return None
    reasons = [
        *notes.skipped,
        *(Skipped(note.path, note.message) for note in notes.diagnostics),
    ]
    return refused or next((reason for reason in reasons if reason.path == path), None)


def _lstat(handle: Handle, name: str) -> os.stat_result:
    if isinstance(handle, int):
        return os.stat(name, dir_fd=handle, follow_symlinks=False)
    return os.lstat(unlimited(os.path.join(handle, name)))


def _open_root(tree: Tree) -> Folders:
    try:
        return Folders(tree.root)
    except OSError as error:
        raise _missing(tree, "", error) from error


def _missing(tree: Tree, path: str, error: OSError) -> LeafmarkError:
    what = f"`{path}` of tree `{tree.name}`" if path else f"the folder of tree `{tree.name}`"
    place = str(tree.root / path)
    if isinstance(error, PermissionError):
        return ForbiddenError(f"{what} cannot be opened: permission denied", location=place)
    if isinstance(error, FileNotFoundError):
        return NotFoundError(f"{what} does not exist", location=place)
    return NotFoundError(f"{what} cannot be opened: {reason_of(error)}", location=place)


class _Walk:
    """The state of one walk: the folders to list, the links, the visited folders."""

    def __init__(self, tree: Tree, folders: Folders, notes: WalkNotes):
        self._tree = tree
        self._folders = folders
        self._limit = tree.max_file_bytes
        self._notes = notes
        self._selection = Selection(tree)
        self._links: list[tuple[Frame, str]] = []
        self._visited: set[tuple[int, int]] = set()
        self._waiting: list[Iterator[Frame]] = []

    def start(self, under: str) -> None:
        """Queue the first folder, with the ignore files of its parents."""
        if not is_encodable(under):
            raise _missing(self._tree, under, FileNotFoundError())
        frame, reason = self.descend(under)
        self._notes.is_forced = reason is not None
        self._waiting.append(iter([frame]))

    def descend(self, folder: str) -> tuple[Frame, Skipped | None]:
        """Return the frame of a folder, and the reason if a walk leaves it or a parent out.

        Raises the same errors as `iter_sources` if there is no such folder.
        """
        frame = self._selection.first_frame(self._tree.root, self._notes.diagnostics)
        reason: Skipped | None = None
        parts = [*filter(None, folder.split("/")), ""]
        for part in parts:
            handle = self._open_named(frame.path, folder)
            try:
                entries = os.listdir(handle)
                if part:  # a visit reads the ignore files of the last folder
                    frame = self._selection.enter(frame, entries, handle, self._notes.diagnostics)
            finally:
                self._folders.close(handle)
            refused = self._why_closed(frame, _MARKS.intersection(entries), entries)
            if refused is None and part:
                refused = self._selection.refuse_folder(frame, part)
            if reason is None and refused is not None:
                reason = Skipped(f"{frame.path}{part}/" if part else frame.path, refused)
            if part:
                frame = self._selection.child(frame, part)._replace(is_requested=True)
        return frame, reason

    def _why_closed(
        self, frame: Frame, marks: Collection[str], entries: Iterable[str]
    ) -> str | None:
        """Return the kind of a folder that its content excludes, else None."""
        return find_generator(self._tree.root, frame.real, marks, entries) if frame.path else None

    def refuse(
        self, frame: Frame, name: str, info: os.stat_result, handle: Handle
    ) -> Skipped | None:
        """Return why a rule leaves out a file in the open folder `handle`.

        If its format or size is the reason, that goes to the notes.
        """
        frame = self._selection.enter(frame, os.listdir(handle), handle, self._notes.diagnostics)
        reason = self._selection.refuse_file(frame, name)
        if reason is not None:
            return Skipped(frame.path + name, reason)
        self.take(frame, name, info)
        return None

    def frames(self) -> Iterator[Frame]:
        """Yield the folders to visit; the caller visits each before it takes the next."""
        while self._waiting or self._take_links():
            frame = next(self._waiting[-1], None)
            if frame is None:
                self._waiting.pop()
            else:
                yield frame

    def _open_named(self, path: str, under: str) -> Handle:
        try:
            return self._folders.open(path)
        except OSError as error:
            raise _missing(self._tree, under, error) from error

    def skip(self, path: str, reason: str) -> None:
        self._notes.skipped.append(Skipped(path, reason))

    def visit(self, frame: Frame) -> Iterator[list[SourceFile]]:
        """Yield the sources directly in a folder, in lists, and queue its folders."""
        try:
            handle = self._folders.open(frame.real)
        except OSError as error:
            self._unread(frame.path, error)
            return
        try:
            with os.scandir(handle) as listing:
                entries = sorted(listing, key=_by_name, reverse=True)
            marks = _MARKS.intersection(map(_by_name, entries))
            if self._is_closed(frame, handle, marks, entries):
                return
            frame = self._selection.enter(frame, marks, handle, self._notes.diagnostics)
            may_match = self._selection.may_match(frame)
            folders: list[str] = []
            while entries:  # an entry with its cached status is released at once
                some = entries[: -_AT_ONCE - 1 : -1]
                del entries[-_AT_ONCE:]
                yield self._sort_out(frame, some, may_match, folders)
            if folders:
                self._waiting.append(map(partial(self._selection.child, frame), folders))
        except OSError as error:
            self._unread(frame.path, error)
        finally:
            self._folders.close(handle)

    def _unread(self, path: str, error: OSError) -> None:
        # no report for an entry that vanished or changed its type since the listing
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            message = f"the folder cannot be read: {reason_of(error)}"
            self._notes.diagnostics.append(Diagnostic(path, "unreadable", message))
            self._notes.unread.append(path)

    def _is_closed(
        self, frame: Frame, handle: Handle, marks: Collection[str], entries: Iterable[Entry]
    ) -> bool:
        """Say whether a folder is left out for its content, or because it was visited before."""
        if not frame.is_requested:
            reason = self._why_closed(frame, marks, map(_by_name, entries))
            if reason is not None:
                self.skip(frame.path, reason)
                return True
        if self._tree.follow_symlinks:
            info = os.stat(handle)
            place = (info.st_dev, info.st_ino)
            if place in self._visited:
                self.skip(frame.path, "folder already visited")
                return True
            self._visited.add(place)
        return False

    def _sort_out(
        self,
        frame: Frame,
        entries: Iterable[Entry],
        may_match: MayMatch | None,
        folders: list[str],
    ) -> list[SourceFile]:
        """Return the sources among entries, and add the folders to `folders`.

        Most of a refresh's time is spent here.
        """
        tree, path, limit, markup = self._tree.name, frame.path, self._limit, MARKUP_SUFFIXES
        taken: list[SourceFile] = []
        for entry in entries:
            name = entry.name
            suffix = name.rpartition(".")[2]
            if suffix in markup and name[0] != "." and not (may_match and may_match(name, suffix)):
                try:
                    info = entry.stat(follow_symlinks=False)
                except OSError as error:
                    self._unread_file(path + name, error)
                    continue
                size = info.st_size
                if info.st_mode & _KIND == _REGULAR and size <= limit:
                    times, inode = TIMES(info), info.st_ino
                    # a named tuple's own constructor takes three times as long
                    taken.append(_new(SourceFile, (tree, path + name, size, *times, inode)))
                    continue
            self._consider(frame, entry, taken, folders)
        return taken

    def _consider(
        self, frame: Frame, entry: Entry, taken: list[SourceFile], folders: list[str]
    ) -> None:
        """Add an entry to the sources, the folders, or the skipped ones."""
        name = entry.name
        if entry.is_dir(follow_symlinks=False):
            if HAS_JUNCTIONS and _is_junction(entry):
                self._link(frame, name)
                return
            reason = self._selection.refuse_folder(frame, name)
            if reason is None:
                folders.append(name)
            else:
                self.skip(f"{frame.path}{name}/", reason)
            return
        reason = self._selection.refuse_file(frame, name)
        if reason is not None:
            self.skip(frame.path + name, reason)
            return
        try:
            source = self.take(frame, name, entry.stat(follow_symlinks=False))
        except OSError as error:
            self._unread_file(frame.path + name, error)
            return
        if source is not None:
            taken.append(source)

    def _unread_file(self, path: str, error: OSError) -> None:
        if error.errno != errno.ENOENT:
            self._notes.diagnostics.append(unread(path, error))

    def take_named(self, frame: Frame, name: str, info: os.stat_result) -> SourceFile | None:
        """Return the source even if ignore rules exclude it, but no secret; see `take`."""
        if self._selection.is_closed_secret(frame.path + name, name, is_folder=False):
            self.skip(frame.path + name, "secret")
            return None
        return self.take(frame, name, info)

    def take(self, frame: Frame, name: str, info: os.stat_result) -> SourceFile | None:
        """Return the source; None if it is not a regular file, too large, or needs a converter."""
        path = frame.path + name
        if info.st_mode & _KIND != _REGULAR:
            self._irregular(frame, name, info.st_mode)
            return None
        if info.st_size > self._limit:
            self.skip(path, f"larger than max_file_bytes ({info.st_size:,} of {self._limit:,})")
            return None
        if self._needs_converter(name) and (unread := needs_converter(path)):
            self._notes.diagnostics.append(unread)
            return None
        inode = info.st_ino if LISTS_INODES else 0
        state = (info.st_size, *TIMES(info), inode)
        return SourceFile(self._tree.name, path, *state)

    def _needs_converter(self, name: str) -> bool:
        suffix = name.rpartition(".")[2].lower()
        return suffix in CONVERTERS and not self._selection.has_own_format(name)

    def _irregular(self, frame: Frame, name: str, mode: int) -> None:
        path = frame.path + name
        if not stat.S_ISLNK(mode):
            self.skip(path, SPECIAL)
        else:
            self._link(frame, name)

    def _link(self, frame: Frame, name: str) -> None:
        path = frame.path + name
        target = self._target(frame.real + name)
        if target is None:
            self.skip(path, "broken link")
        elif not _is_below(target, os.path.realpath(self._tree.root)):
            self.skip(path, "link out of the tree")
        elif not os.path.isdir(target):
            self.skip(path, "link to a file of the same tree")
        elif self._tree.follow_symlinks:
            self._links.append((frame, name))
        else:
            self.skip(f"{path}/", "link to a folder")

    def _target(self, path: str) -> str | None:
        """Return the real path a link leads to; None if it leads nowhere."""
        try:
            return real_path(os.path.join(self._tree.root, path))
        except OSError:
            return None

    def _take_links(self) -> bool:
        """Queue the folders behind links, after all real folders; return whether there are any.

        So sources always have the real path of their folder.
        """
        root = os.path.realpath(self._tree.root)
        frames = []
        for frame, name in self._links:
            target = self._target(frame.real + name)
            if target is None or not _is_below(target, root):
                continue
            if self._selection.refuse_folder(frame, name) is None:
                real = os.path.relpath(target, root).replace(os.sep, "/")
                real = "" if real == "." else f"{real}/"
                frames.append(self._selection.child(frame, name)._replace(real=real))
        self._links.clear()
        self._waiting.append(iter(frames))
        return bool(frames)


def _is_junction(entry: Entry) -> bool:
    """Say whether a folder is a junction of Windows, a kind of link: it may lead to itself."""
    return getattr(entry.stat(follow_symlinks=False), "st_reparse_tag", 0) == _MOUNT_POINT


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
