"""Check that the index is what was written, by reading every byte: for `doctor`.

The engine writes a checksum at the end of each file but does not check it when it opens the
file, so a flipped bit can silently give wrong answers.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from leafmark.errors import LeafmarkError, NotFoundError
from leafmark.index.embedded.generation import count_chunks
from leafmark.index.embedded.reader import open_reader
from leafmark.index.layout import Layout

__all__ = ["check_index"]

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
        found = [_describe(path) for path in _listed_files(folder) if not _is_sound(path)]
    except (OSError, ValueError, KeyError, TypeError) as err:
        return [f"the engine's list of files cannot be read: {err}"]
    except LeafmarkError as err:
        if err.kind != "damaged":
            raise
        return [err.message]
    return found or list(_inconsistencies(root))


def _listed_files(folder: Path) -> Iterator[Path]:
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
