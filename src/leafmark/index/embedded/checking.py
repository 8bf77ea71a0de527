"""Checking the index for damage: every byte of the engine's files, and the index's own counts.

The engine ends each file with a checksum, but does not check it when it opens the file. We check
it now and then, after a writer was killed, after a reader noted damage, and in `leafmark doctor`.
Damage is noted in the index's folder: the next writer rebuilds the index.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from leafmark.errors import DamagedError, LeafmarkError, NotFoundError, refusal_of
from leafmark.index.embedded.generation import count_chunks
from leafmark.index.embedded.reader import open_reader
from leafmark.index.engine import REBUILD
from leafmark.index.folder import Layout

VERIFY_EVERY_S = 7 * 86_400.0
"""The time between two checks of every byte (chosen by eye)."""


def note_verified(layout: Layout, generation: int) -> None:
    """Note that every byte of a generation was checked and is sound."""
    path = layout.verified(generation)
    with contextlib.suppress(OSError):
        path.touch()
        os.utime(path)


def is_verification_due(root: Path) -> bool:
    """Whether the last check of every byte of the index in `root` was long ago.

    False if the folder cannot be written: the check could not be noted, and would always be due.
    """
    layout = Layout(root)
    try:
        current = layout.read_current()
        if current is None or not os.access(layout.generation(current.generation), os.W_OK):
            return False
        age_s = time.time() - layout.verified(current.generation).stat().st_mtime
    except FileNotFoundError:
        return True
    except (LeafmarkError, OSError):
        return False
    return not 0 <= age_s < VERIFY_EVERY_S


def verify_index(root: Path) -> bool:
    """Check every byte of the engine's files, and return whether all are sound.

    Damage is noted for the next writer. The check does not need the engine, so it can run
    during a search.
    """
    layout = Layout(root)
    try:
        current = layout.read_current()
        if current is None:
            return True
        unsound = [
            path
            for path in listed_files(layout.text(current.generation))
            if not _is_sound(path) and path.exists()
        ]
    except (LeafmarkError, OSError, ValueError, KeyError, TypeError):
        return True  # opening it reports the error, or a writer has just replaced it
    if not unsound:
        note_verified(layout, current.generation)
    elif layout.read_current() == current:
        mark_suspect(layout)
        return False
    return True


def damage_behind(error: Exception, root: Path) -> DamagedError | None:
    """Return the damage that caused an error, which the next writer mends; None if none did.

    The engine may read well-formed but wrong values from damaged files. If code fails on them,
    the checksums tell whether the error is a bug.
    """
    if isinstance(error, DamagedError):
        return error
    if isinstance(error, LeafmarkError) or refusal_of(error) is not None or verify_index(root):
        return None
    message = "the index is damaged: a file of it is not what was written"
    return DamagedError(message, location=str(root), hint=REBUILD)


def note_damage(root: Path) -> None:
    """Make the next writer check every byte of the index in `root`."""
    mark_suspect(Layout(root))


def mark_suspect(layout: Layout) -> None:
    """Make the next writer check every byte, as after a writer that was killed or failed."""
    with contextlib.suppress(LeafmarkError, OSError):
        current = layout.read_current()
        if current is not None:
            layout.suspect(current.generation).touch()


def are_sound(folder: Path) -> bool:
    """Whether all of the engine's files in a folder have the right checksum."""
    try:
        return all(map(_is_sound, listed_files(folder)))
    except (OSError, ValueError, KeyError, TypeError):
        return False


_TRAILER = struct.Struct("<II")
_MAGIC = 1337
_BLOCK_BYTES = 1 << 20
_MAX_FOOTER_BYTES = 10_000


def check_index(root: Path) -> list[str]:
    """Return the problems of the index in `root`, one sentence each; an empty list if sound.

    Linear in its size; about a second for a gigabyte.

    Raises:
        NotFoundError: there is no index.
        UsageError: a newer leafmark wrote it.
    """
    layout = Layout(root)
    try:
        current = layout.read_current()
        if current is None:
            raise NotFoundError("there is no index yet", location=str(root))
        folder = layout.text(current.generation)
        problems = [_describe(path) for path in listed_files(folder) if not _is_sound(path)]
    except (OSError, ValueError, KeyError, TypeError) as err:
        return [f"the engine's list of files cannot be read: {err}"]
    except LeafmarkError as err:
        if err.kind != "damaged":
            raise
        return [err.message]
    return problems or list(_inconsistencies(root))


def listed_files(folder: Path) -> Iterator[Path]:
    """Yield the files of all segments on the engine's list; a missing list of deletes too."""
    if not folder.exists():
        raise FileNotFoundError(f"{folder} is missing")
    for segment in json.loads((folder / "meta.json").read_bytes())["segments"]:
        name = str(segment["segment_id"]).replace("-", "")
        yield from sorted(path for path in folder.glob(f"{name}.*") if path.suffix != ".del")
        deletes = segment.get("deletes")
        if deletes:
            yield folder / f"{name}.{deletes['opstamp']}.del"


def _is_sound(path: Path) -> bool:
    """Whether the file ends with a footer that has the checksum of the bytes before it."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TRAILER.size))
            length, magic = _TRAILER.unpack(file.read(_TRAILER.size))
            body = size - _TRAILER.size - length
            if magic != _MAGIC or length > _MAX_FOOTER_BYTES or body < 0:
                return False
            file.seek(body)
            checksum = json.loads(file.read(length))["crc"]
            file.seek(0)
            return bool(_checksum(file, body) == checksum)
    except (OSError, struct.error, ValueError, KeyError, TypeError):
        return False


def _checksum(file: BinaryIO, length: int) -> int:
    checksum = 0
    while length > 0:
        block = file.read(min(_BLOCK_BYTES, length))
        if not block:
            break
        checksum = zlib.crc32(block, checksum)
        length -= len(block)
    return checksum


def _describe(path: Path) -> str:
    if not path.exists():
        return f"{path.name} is missing"
    return f"{path.name} is not what was written"


def _inconsistencies(root: Path) -> Iterator[str]:
    """Yield the differences between the index's counts and its content; read every record."""
    try:
        reader = open_reader(root)
        counted = count_chunks(reader.searcher)
        if counted != reader.meta.chunks:
            yield f"it holds {counted} chunks and says {reader.meta.chunks}"
        documents = [entry for entry in reader.documents() if entry.chunk_count]
        if len(documents) != reader.meta.documents:
            yield f"it holds {len(documents)} documents and says {reader.meta.documents}"
        promised = sum(entry.chunk_count for entry in documents)
        if promised != counted:
            yield f"its documents have {promised} chunks and it holds {counted}"
    except LeafmarkError as err:
        if err.kind not in ("damaged", "io"):
            raise
        yield err.message
