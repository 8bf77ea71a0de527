"""The objects of a git repository, read without a checkout and without running anything of it.

Git answers only from objects and references. Hooks, filters, text conversion, external diffs, file
system monitors, replaced objects, fetching of missing objects and system-wide settings are off;
names are passed as hashes or after `--end-of-options`. Each answer has a deadline and a size limit,
so that a hostile repository leads to an error and not to a hang.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

from leafmark.errors import (
    ForbiddenError,
    LeafmarkError,
    NotFoundError,
    Remedy,
    StorageError,
    UsageError,
)

DEADLINE_S = 120.0
"""How long one answer of git may take; listing a tree of a million files takes a few seconds."""

FIRST_DEADLINE_S = 20.0
"""How long git may take to find a repository: one of its files may be a pipe without a writer."""

MAX_PATHS = 2_000_000
"""Maximum number of paths of one revision: trees that repeat themselves can have any number."""

MAX_OUTPUT_BYTES = 1 << 30
"""Largest answer of git."""

_SAFE_OPTIONS = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=" + os.devnull),
    *("-c", "core.attributesFile=" + os.devnull),
    *("-c", "core.quotePath=false"),
    *("-c", "core.pager="),
    *("-c", "diff.external="),
    *("-c", "log.showSignature=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "uploadpack.packObjectsHook="),
    *("-c", "submodule.recurse=false"),
)
SAFE_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
}
_INHERITED = ("PATH", "HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP")
"""Variables of our environment that git needs to run and to find the user's trusted folders."""

_MAX_SHALLOW_BYTES = 1 << 24
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_UNSAFE_PARTS = frozenset(["", ".", ".."])
_MAX_TAGS = 5
"""Longest chain of tags of tags that is followed."""

_POINTER_HEAD = b"version https://git-lfs.github.com/spec/v1\n"
_POINTER_OID = re.compile(rb"^oid sha256:([0-9a-f]{64})$", re.M)
_MAX_POINTER_BYTES = 1024


class Commit(NamedTuple):
    """A revision. `time` is its committer time in seconds, `name` the user's name for it."""

    oid: str
    time: int
    subject: str
    name: str = ""
    parents: tuple[str, ...] = ()


class PathEntry(NamedTuple):
    """A path of a revision, with `/`; bytes that are not UTF-8 are surrogate escapes.

    `kind` is `file`, `link` (symbolic) or `submodule`, whose `oid` is a commit.
    """

    path: str
    oid: str
    kind: str


class ChangedPath(NamedTuple):
    """A path that differs between two revisions, with the blob ids; None if it is not a file."""

    path: str
    old: str | None
    new: str | None


class Reference(NamedTuple):
    """A branch or tag, and the commit that it leads to."""

    name: str
    kind: str
    oid: str
    time: int
    subject: str


def blob_hash(data: bytes, *, like: str = "") -> str:
    """Return git's id of a file's bytes, with the hash function of the id `like`.

    >>> blob_hash(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    import hashlib  # here, because few runs need it

    head = b"blob %d\0" % len(data)
    digest = hashlib.sha256(head) if len(like) == 64 else hashlib.sha1(head, usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository: `git_dir` is its folder, `top` its working tree (None if it is bare)."""

    git_dir: Path
    common_dir: Path
    top: Path | None

    def resolve(self, name: str) -> Commit:
        """Return the commit that a branch, tag, hash or expression such as `HEAD~3` names.

        Raises:
            NotFoundError: no commit has that name.
        """
        commit = self._find(name)
        if commit is None:
            raise NotFoundError(
                f"there is no revision {name!r}",
                location=str(self.top or self.git_dir),
                hint=Remedy(
                    "revisions",
                    "a tag, a branch, the beginning of a hash, HEAD~3, or a date such as "
                    "2026-01-31",
                ),
            )
        return commit

    def _find(self, name: str) -> Commit | None:
        if not name or "\0" in name or name.startswith("-"):
            return None
        command = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        output = self._run(*command, codes=(0, 1, 128))
        oid = output.decode("ascii", "replace").strip()
        return self.commit(oid, name) if _OID.fullmatch(oid) else None

    def has(self, name: str) -> bool:
        """Whether a revision has this name."""
        return self._find(name) is not None

    def at_time(self, until: int, name: str = "") -> Commit:
        """Return the last commit of the main line that is not later than `until` (seconds).

        Raises:
            NotFoundError: all commits are later.
        """
        command = ("rev-list", "--max-count=1", "--first-parent", f"--until=@{until}", "HEAD", "--")
        oid = self._run(*command, codes=(0, 128)).decode("ascii", "replace").strip()
        if not _OID.fullmatch(oid):
            raise NotFoundError(
                f"nothing was committed by {name or until}", location=str(self.top or self.git_dir)
            )
        return self.commit(oid, name)

    def commit(self, oid: str, name: str = "") -> Commit:
        """Return the commit with an id; `name` is the user's name for it.

        Raises:
            StorageError: its object is missing, damaged or not a commit.
        """
        with Blobs(self) as objects:
            data = objects.read(oid, kind="commit")
        if data is None:
            raise _missing_object(self, oid)
        return _parse_commit(oid, data, name)

    def paths(self, oid: str, under: str = "") -> Iterator[PathEntry]:
        """Yield the paths of a commit below the folder `under`, in git's order.

        Unsafe names (`..`, `.git`, empty ones) are left out.

        Raises:
            StorageError: objects are missing, or there are more than `MAX_PATHS` paths.
        """
        command = ["ls-tree", "-r", "-z", "--full-tree", _check_oid(oid)]
        if under:
            command += ["--", under.rstrip("/") + "/"]
        for count, row in enumerate(self._rows(*command)):
            if count >= MAX_PATHS:
                raise StorageError(
                    f"revision {oid[:12]} has more than {MAX_PATHS:,} paths",
                    location=str(self.git_dir),
                )
            head, _, raw = row.partition(b"\t")
            mode, kind, object_id = head.decode("ascii", "replace").split(" ")
            path = os.fsdecode(raw)
            if is_safe_path(path):
                yield PathEntry(path, object_id, _kind(mode, kind))

    def changed_paths(self, old: str, new: str, under: str = "") -> Iterator[ChangedPath]:
        """Yield the files below `under` whose bytes differ between two commits."""
        command = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff"]
        command += ["--no-textconv", "--abbrev=64", _check_oid(old), _check_oid(new)]
        if under:
            command += ["--", under.rstrip("/") + "/"]
        rows = self._rows(*command)
        for head in rows:
            raw = next(rows, b"")
            path = os.fsdecode(raw)
            old_mode, new_mode, before, after, _ = head.decode("ascii", "replace")[1:].split(" ")
            if before == after and old_mode[:3] == new_mode[:3]:
                continue  # only the executable bit differs
            if is_safe_path(path):
                yield ChangedPath(path, _file_oid(old_mode, before), _file_oid(new_mode, after))

    def shallow_commits(self) -> frozenset[str]:
        """Return the commits at which a shallow clone ends: it lacks their parents."""
        data = _read_plain_file(self.common_dir / "shallow", _MAX_SHALLOW_BYTES) or b""
        return frozenset(filter(_OID.fullmatch, data.decode("ascii", "replace").split()))

    def history(self, oid: str, paths: Sequence[str] = (), *, limit: int) -> Iterator[Commit]:
        """Yield the commits of the main line that touched the paths, newest first."""
        return self._main_line(_check_oid(oid), "--", *paths, limit=limit)

    def commits_between(self, first: str | None, last: str, *, limit: int) -> Iterator[Commit]:
        """Yield the commits of the main line up to `last` that are not in `first`, newest first."""
        left_out = [] if first is None else [f"^{_check_oid(first)}"]
        return self._main_line(_check_oid(last), *left_out, "--", limit=limit)

    def _main_line(self, *arguments: str, limit: int) -> Iterator[Commit]:
        output = self._run("rev-list", "--first-parent", f"--max-count={limit}", *arguments)
        with Blobs(self) as objects:
            for oid in output.decode("ascii", "replace").split():
                data = objects.read(oid, kind="commit")
                if data is None:
                    raise _missing_object(self, oid)
                yield _parse_commit(oid, data, "")

    def references(self, *, limit: int) -> list[Reference]:
        """Return at most `limit` tags and branches, newest first.

        References that do not lead to a commit are left out.
        """
        command = ("for-each-ref", f"--count={MAX_PATHS}", "--format=%(refname)%00%(objectname)")
        output = self._run(*command, "refs/tags", "refs/heads", "refs/remotes", codes=(0, 1, 128))
        rows = [os.fsdecode(row).split("\0") for row in output.split(b"\n")]
        names = [(row[0], row[1]) for row in rows if len(row) == 2 and _OID.fullmatch(row[1])]
        refs, known = [], dict[str, Commit | None]()
        with Blobs(self) as objects:
            for name, oid in names:
                if oid not in known:
                    known[oid] = _find_commit(objects, oid)
                commit = known[oid]
                if commit is not None:
                    _, kind, short = name.split("/", 2)
                    kind = {"tags": "tag", "heads": "branch"}.get(kind, "remote branch")
                    refs.append(Reference(short, kind, commit.oid, commit.time, commit.subject))
        refs.sort(key=lambda reference: (-reference.time, reference.name))
        return refs[:limit]

    def large_file(self, data: bytes, limit: int) -> bytes | None:
        """Return the file behind a pointer of Git LFS, None if the repository lacks it.

        Bytes that are not a pointer are returned unchanged.
        """
        if len(data) > _MAX_POINTER_BYTES or not data.startswith(_POINTER_HEAD):
            return data
        match = _POINTER_OID.search(data)
        if match is None:
            return data
        import hashlib

        name = match[1].decode("ascii")
        place = self.common_dir / "lfs" / "objects" / name[:2] / name[2:4] / name
        content = _read_plain_file(place, limit)
        if content is None or hashlib.sha256(content).hexdigest() != name:
            return None
        return content

    def submodule(self, path: str) -> Repository | None:
        """Return the repository of a submodule, None if it is not cloned."""
        places = [self.common_dir / "modules" / path]
        if self.top is not None:
            places.insert(0, self.top / path)
        for place in places:
            if place.is_dir() and ((place / ".git").exists() or (place / "HEAD").is_file()):
                try:
                    repository = find_repository(place)
                except LeafmarkError:
                    continue
                if repository.git_dir != self.git_dir:
                    return repository
        return None

    # -- running git ----------------------------------------------------------------

    def start(self, *arguments: str, stdin: int | None = None) -> subprocess.Popen[bytes]:
        """Start git on this repository; its answer is read from `stdout`."""
        return _start(["--git-dir", str(self.git_dir), *arguments], self.git_dir, stdin)

    def _rows(self, *arguments: str) -> Iterator[bytes]:
        """Yield git's output as it arrives, split at NULs."""
        with _Answer(self.start(*arguments)) as answer:
            rest = b""
            while portion := answer.read_in_time(1 << 16):
                *rows, rest = (rest + portion).split(b"\0")
                yield from rows
            answer.finish((0,), str(self.git_dir))

    def _run(self, *arguments: str, codes: Sequence[int] = (0,)) -> bytes:
        with _Answer(self.start(*arguments)) as answer:
            output = answer.read_in_time(MAX_OUTPUT_BYTES)
            answer.finish(codes, str(self.git_dir))
        return output


class Blobs:
    """Objects of one repository by their ids; a context manager around one process of git."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._answer: _Answer | None = None

    def __enter__(self) -> Blobs:
        return self

    def __exit__(self, *_: object) -> None:
        if self._answer is not None:
            self._answer.close()
            self._answer = None

    def read(self, oid: str, limit: int = MAX_OUTPUT_BYTES, *, kind: str = "blob") -> bytes | None:
        """Return an object's bytes; None if it is missing, of another kind, or over the limit."""
        answer = self._get_answer()
        with answer.waiting():
            return self._read(answer, oid, limit, kind)

    def _read(self, answer: _Answer, oid: str, limit: int, kind: str) -> bytes | None:
        answer.write(_check_oid(oid).encode("ascii") + b"\n")
        head = answer.read_line()
        parts = head.decode("ascii", "replace").split()
        if len(parts) != 3:
            if not head.endswith(b" missing\n"):  # the output broke off: an object is damaged
                self.__exit__(None, None, None)
            return None
        size = int(parts[2])
        if parts[1] != kind or size > limit:
            answer.skip(size + 1)
            return None
        data = answer.read(size)
        answer.skip(1)
        if len(data) < size:
            self.__exit__(None, None, None)
            return None
        return data

    def _get_answer(self) -> _Answer:
        if self._answer is None:
            process = self._repository.start("cat-file", "--batch", stdin=subprocess.PIPE)
            self._answer = _Answer(process)
        return self._answer


class _Answer:
    """The output of a git process, which is stopped when we wait for it too long.

    Time between our reads does not count.
    """

    def __init__(self, process: subprocess.Popen[bytes], deadline_s: float | None = None) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self._deadline_s = DEADLINE_S if deadline_s is None else deadline_s
        self._process = process
        self._out: IO[bytes] = process.stdout
        self._errors = b""
        self._timed_out = False
        self._error_reader = threading.Thread(target=self._read_errors, daemon=True)
        self._error_reader.start()

    def _read_errors(self) -> None:
        """Read its errors to the end; only the beginning is kept."""
        assert self._process.stderr is not None
        while portion := self._process.stderr.read(4096):
            self._errors = (self._errors + portion)[:4096]

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Stop the process if the block does not end in time."""
        clock = threading.Timer(self._deadline_s, self._stop)
        clock.daemon = True
        clock.start()
        try:
            yield
        finally:
            clock.cancel()

    def _stop(self) -> None:
        self._timed_out = True
        self._process.kill()

    def __enter__(self) -> _Answer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, size: int) -> bytes:
        return self._out.read(size)

    def read_in_time(self, size: int) -> bytes:
        with self.waiting():
            return self._out.read(size)

    def read_line(self) -> bytes:
        return self._out.readline(4096)

    def skip(self, size: int) -> None:
        while size > 0 and (portion := self._out.read(min(size, 1 << 20))):
            size -= len(portion)

    def write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except OSError:  # it has ended; the next read is empty
            return

    def finish(self, codes: Sequence[int], location: str) -> None:
        """Wait for the end; raise an error unless it ended with one of the codes."""
        with self.waiting():
            code = self._process.wait()
        self._error_reader.join(1)
        if self._timed_out:
            message = f"git did not answer within {self._deadline_s:.0f} s"
            raise StorageError(message, location=location)
        if code not in codes:
            raise _build_error(self._errors.decode("utf-8", "replace"), location)

    def close(self) -> None:
        if self._process.poll() is None:  # the rest of its output is not needed
            self._process.kill()
        self._process.wait()
        self._error_reader.join(1)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def find_repository(folder: Path) -> Repository:
    """Return the repository that contains a folder, or that is the folder itself.

    Raises:
        NotFoundError: the folder is not in a repository.
        ForbiddenError: git does not trust the repository: it belongs to another user.
        UsageError: git is not installed.
    """
    command = ("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir")
    output = _run_git(folder, *command)
    git_dir, common = (Path(os.fsdecode(line)) for line in output.splitlines()[:2])
    is_bare = _run_git(folder, "rev-parse", "--is-bare-repository").strip() == b"true"
    top = None
    if not is_bare and _run_git(folder, "rev-parse", "--is-inside-work-tree").strip() == b"true":
        top_line = _run_git(folder, "rev-parse", "--path-format=absolute", "--show-toplevel")
        top = Path(os.fsdecode(top_line.rstrip(b"\r\n")))
    return Repository(git_dir, common, top)


def is_safe_path(path: str) -> bool:
    """Whether a path of a revision stays below the top folder and outside `.git`.

    >>> is_safe_path("docs/a.md"), is_safe_path("../a"), is_safe_path("a/.GIT/config")
    (True, False, False)
    """
    parts = path.split("/")
    return _UNSAFE_PARTS.isdisjoint(parts) and ".git" not in map(str.lower, parts)


def _run_git(folder: Path, *arguments: str) -> bytes:
    with _Answer(_start(arguments, folder, None), FIRST_DEADLINE_S) as answer:
        output = answer.read_in_time(1 << 20)
        answer.finish((0,), os.path.abspath(folder))
    return output


def _read_plain_file(path: Path, limit: int) -> bytes | None:
    """Return the bytes of a file in git's folder; None for a link, a non-file or a large file."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if path.is_symlink():
            return None
        with open(os.open(path, flags), "rb") as file:
            info = os.fstat(file.fileno())
            if not stat.S_ISREG(info.st_mode) or info.st_size > limit:
                return None
            return file.read(limit)
    except OSError:
        return None


@lru_cache(maxsize=4)
def _find_git(path: str) -> str | None:
    """Return the program, found in the absolute folders of `PATH` alone.

    The current folder may be the repository, which may have a file of that name.
    """
    places = filter(os.path.isabs, path.split(os.pathsep))
    programs = (shutil.which(os.path.join(place, "git")) for place in places)
    return next(filter(None, programs), None)


def _start(arguments: Iterable[str], folder: Path, stdin: int | None) -> subprocess.Popen[bytes]:
    program = _find_git(os.environ.get("PATH", os.defpath))
    if not folder.is_dir():
        raise NotFoundError("there is no such folder", location=str(folder))
    if program is None:
        raise UsageError("git is not installed", hint="revisions are read with git 2.31 or newer")
    command = [program, "--no-pager", "--no-replace-objects", *_SAFE_OPTIONS, *arguments]
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=_environment(os.environ),
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except (OSError, ValueError) as error:
        raise StorageError(f"git cannot be started: {error}", location=str(folder)) from error


def _environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Return git's environment, without variables for other repositories, editors or helpers."""
    return {name: ours[name] for name in _INHERITED if name in ours} | SAFE_ENVIRONMENT


_KNOWN_ERRORS: tuple[tuple[str, Callable[[str], LeafmarkError]], ...] = (
    (
        "not a git repository",
        lambda where: NotFoundError(
            "the folder is not in a git repository",
            location=where,
            hint="revisions need one",
        ),
    ),
    (
        "bad object",
        lambda where: StorageError(
            "an object of the repository is missing",
            location=where,
            hint="a shallow clone lacks some: git fetch --unshallow",
        ),
    ),
    (
        "dubious ownership",
        lambda where: ForbiddenError(
            "git does not trust the repository, since it belongs to another user",
            location=where,
            hint=f"if you do: git config --global --add safe.directory {where}",
        ),
    ),
)


def _build_error(message: str, location: str) -> LeafmarkError:
    for words, build in _KNOWN_ERRORS:
        if words in message:
            return build(location)
    lines = [line for line in message.splitlines() if line.strip() and line[:5] != "hint:"]
    first = re.sub(r"^(?:fatal|error): ", "", lines[0]) if lines else "no message"
    return StorageError(f"git cannot read the repository: {first[:200]}", location=location)


def _missing_object(repository: Repository, oid: str) -> StorageError:
    return StorageError(
        f"the object {oid[:12]} is missing or damaged",
        location=str(repository.git_dir),
        hint="`git fsck` lists damage; a partial or shallow clone lacks some objects: `git fetch`",
    )


def _find_commit(objects: Blobs, oid: str) -> Commit | None:
    """Return the commit with an id, or the one that a tag leads to."""
    for _ in range(_MAX_TAGS):
        data = objects.read(oid, kind="commit")
        if data is not None:
            return _parse_commit(oid, data, "")
        tag = objects.read(oid, kind="tag")
        match = None if tag is None else re.match(rb"object ([0-9a-f]{40,64})\n", tag)
        if match is None:
            return None
        oid = match[1].decode("ascii")
    return None


def _parse_commit(oid: str, data: bytes, name: str) -> Commit:
    head, _, message = data.partition(b"\n\n")
    match = re.search(rb"^committer .*?(-?\d{1,15}) [+-]\d{4}\s*$", head, re.M)
    parents = re.findall(rb"^parent ([0-9a-f]{40,64})$", head, re.M)
    first = message.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    time = int(match[1]) if match else 0
    return Commit(oid, time, first, name, tuple(parent.decode("ascii") for parent in parents))


def _check_oid(oid: str) -> str:
    if not _OID.fullmatch(oid):
        raise UsageError(f"{oid!r} is not the id of an object")
    return oid


def _kind(mode: str, kind: str) -> str:
    if kind == "commit":
        return "submodule"
    return "link" if mode == "120000" else "file"


def _file_oid(mode: str, oid: str) -> str | None:
    return oid if mode.startswith("100") else None
