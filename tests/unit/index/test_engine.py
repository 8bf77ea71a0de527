"""What the engine raises, in our words."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from leafmark.errors import DamagedError, LeafmarkError, LockedError, NotFoundError, StorageError
from leafmark.index import engine
from leafmark.index.engine import engine_guard

WHERE = Path("/index")
NO_ROOM = (
    "make room on the disk, or move the index with `index.dir` or `LEAFMARK_HOME`; "
    "what was indexed before is intact"
)
NO_RIGHT = "make the folder writable, or move the index with `index.dir` or `LEAFMARK_HOME`"


class PanicException(BaseException):
    """Named as the engine's, which cannot be imported."""


@pytest.mark.parametrize(
    ("raised", "kind", "message", "hint"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device"),
            StorageError,
            "cannot write: no space left on device",
            NO_ROOM,
        ),
        (
            ValueError("An IO error occurred: 'No space left on device (os error 28)'"),
            StorageError,
            "cannot write: no space left on device",
            NO_ROOM,
        ),
        (
            ValueError(
                "Failed to open file for write: 'IoError { io_error: Custom { kind: StorageFull, "
                'error: PathError { path: "/index/.tmpA", err: Os { code: 28, kind: StorageFull, '
                'message: "No space left on device" } } }, filepath: "a.264.del" }\''
            ),
            StorageError,
            "cannot write: no space left on device",
            NO_ROOM,
        ),
        (
            ValueError("An index writer was killed.. A worker thread encountered an error"),
            StorageError,
            "cannot write: a write failed",
            NO_ROOM,
        ),
        (
            PermissionError(errno.EACCES, "Permission denied"),
            StorageError,
            "cannot write: permission denied",
            NO_RIGHT,
        ),
        (
            OSError(errno.EFBIG, "File too large"),
            StorageError,
            "cannot write: file too large",
            "allow larger files: `ulimit -f`",
        ),
        (
            ValueError("An IO error occurred: 'Too many open files (os error 24)'"),
            StorageError,
            "cannot write: too many open files",
            "end other programs, or allow more open files: `ulimit -n`",
        ),
        (
            ValueError("System error.'Failed to spawn segment merging thread'"),
            StorageError,
            "cannot write: no more threads",
            "end other programs, or allow more processes: `ulimit -u`",
        ),
        (
            PanicException("Failed to spawn meta file watcher thread: Os { code: 11, kind: X }"),
            StorageError,
            "cannot write: no more threads",
            "end other programs, or allow more processes: `ulimit -u`",
        ),
        (OSError(errno.EIO, "x"), StorageError, "cannot write: input/output error", None),
        (
            ValueError("Failed to acquire Lockfile: LockBusy."),
            LockedError,
            "cannot write: another program holds the engine's lock",
            None,
        ),
        (
            ValueError("Data corrupted: 'bad'\nmore"),
            DamagedError,
            "cannot write: the index is damaged (Data corrupted: 'bad')",
            "rebuild the index",
        ),
        (
            PanicException("x" * 300),
            DamagedError,
            f"cannot write: the index is damaged ({'x' * 119}…)",
            "rebuild the index",
        ),
        (
            ValueError(""),
            DamagedError,
            "cannot write: the index is damaged (no details)",
            "rebuild the index",
        ),
    ],
)
def test_engine_errors_become_ours(
    raised: BaseException, kind: type[LeafmarkError], message: str, hint: str | None
) -> None:
    with pytest.raises(kind) as caught, engine_guard("write", WHERE):
        raise raised
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert caught.value.location == str(WHERE)


@pytest.mark.parametrize("passing", [KeyboardInterrupt(), NotFoundError("x"), TypeError("a bug")])
def test_everything_else_passes(passing: BaseException) -> None:
    with pytest.raises(type(passing)) as caught, engine_guard("write", WHERE):
        raise passing
    assert caught.value is passing


@pytest.mark.parametrize(
    ("code", "message", "hint"),
    [
        (112, "cannot write: no space left on device", NO_ROOM),
        (5, "cannot write: permission denied", NO_RIGHT),
        (1392, "cannot write: input/output error", None),
    ],
)
def test_codes_of_windows_are_its_own(
    monkeypatch: pytest.MonkeyPatch, code: int, message: str, hint: str | None
) -> None:
    monkeypatch.setattr(engine, "WINDOWS", True, raising=False)
    with pytest.raises(StorageError) as caught, engine_guard("write", WHERE):
        raise ValueError(f"An IO error occurred: 'Text of the system. (os error {code})'")
    assert (caught.value.message, caught.value.hint) == (message, hint)
