"""Is the index what was written? Every byte of the engine's files, and what they add up to.

The engine ends its files with a checksum that it does not check itself when it opens them. They
are looked at now and then, after a writer was killed, where a reader met damage, and by
`leafmark doctor`. Damage is noted beside the index: the next writer makes it anew.
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
"""How long after every byte was looked at that is done again (chosen by eye)."""


def note_verified(layout: Layout, generation: int) -> None:
    """Note that every byte of a generation is what was written."""
    path = layout.verified(generation)
    with contextlib.suppress(OSError):
        path.touch()
        os.utime(path)


def is_verification_due(root: Path) -> bool:
    """Whether nobody has looked at every byte of the index in `root` for a while.

    Not where nothing can be noted: it would be done each time.
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
    """Look at every byte of the engine's files; the next writer mends what is damaged.

    Returns whether all are what was written. Needs nothing of the engine, so that it may be done
    beside an answer.
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
        return True  # whoever opens it says so, or a writer has just replaced it
    if not unsound:
        note_verified(layout, current.generation)
    elif layout.read_current() == current:
        mark_suspect(layout)
        return False
    return True


def damage_behind(error: Exception, root: Path) -> DamagedError | None:
    """Return the damage that an error came of, which the next writer mends; None for no damage.

    What is read of damaged files may be anything that the engine knows a form for: where code
    stumbles over it, the bytes tell whether that is a bug.
    """
    if isinstance(error, DamagedError):
        return error
    if isinstance(error, LeafmarkError) or refusal_of(error) is not None or verify_index(root):
        return None
    message = "the index is damaged: a file of it is not what was written"
    return DamagedError(message, location=str(root), hint=REBUILD)


def note_damage(root: Path) -> None:
    """Have every byte of the index in `root` looked at by the next writer."""
    mark_suspect(Layout(root))


def mark_suspect(layout: Layout) -> None:
    """Have every byte looked at: whoever wrote last was killed, or failed."""
    with contextlib.suppress(LeafmarkError, OSError):
        current = layout.read_current()
        if current is not None:
            layout.suspect(current.generation).touch()


def are_sound(folder: Path) -> bool:
    """Whether all of the engine's files in a folder are what was written."""
    try:
        return all(map(_is_sound, listed_files(folder)))
    except (OSError, ValueError, KeyError, TypeError):
        return False


_TRAILER = struct.Struct("<II")
_MAGIC = 1337
_BLOCK_BYTES = 1 << 20
_MAX_FOOTER_BYTES = 10_000


def check_index(root: Path) -> list[str]:
    """Return what is wrong with the index in `root`, one sentence each; none if it is sound.

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
        found = [_describe(path) for path in listed_files(folder) if not _is_sound(path)]
    except (OSError, ValueError, KeyError, TypeError) as err:
        return [f"the engine's list of files cannot be read: {err}"]
    except LeafmarkError as err:
        if err.kind != "damaged":
            raise
        return [err.message]
    return found or list(_inconsistencies(root))


def listed_files(folder: Path) -> Iterator[Path]:
    """Yield the files of all segments on the engine's own list, missing ones too."""
    if not folder.exists():
        raise FileNotFoundError(f"{folder} is missing")
    for segment in json.loads((folder / "meta.json").read_bytes())["segments"]:
        name = str(segment["segment_id"]).replace("-", "")
        yield from sorted(path for path in folder.glob(f"{name}.*") if path.suffix != ".del")
        deletes = segment.get("deletes")
        if deletes:
            yield folder / f"{name}.{deletes['opstamp']}.del"


def _is_sound(path: Path) -> bool:
    """Whether the file ends in a footer with the checksum of what is before it."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TRAILER.size))
            length, magic = _TRAILER.unpack(file.read(_TRAILER.size))
            body = size - _TRAILER.size - length
            if magic != _MAGIC or length > _MAX_FOOTER_BYTES or body < 0:
                return False
            file.seek(body)
            wanted = json.loads(file.read(length))["crc"]
            file.seek(0)
            return bool(_checksum(file, body) == wanted)
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
    """Compare the index's own counts with what it holds, and read every record."""
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
