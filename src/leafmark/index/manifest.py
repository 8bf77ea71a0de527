"""The manifest: which sources are indexed and how their files looked, in a form that loads fast.

The index itself is the authority; this is a snapshot of what its source records
say, in columns, so that tens of thousands of rows load in milliseconds. It is
keyed by the index's uuid and commit number and checksummed: one that does not
fit is ignored and made again from the index.
"""

from __future__ import annotations

import gc
import json
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from leafmark.index.layout import replace_file
from leafmark.model import DocumentEntry

__all__ = ["Key", "Manifest", "ManifestRow", "read_snapshot", "row_of", "write_snapshot"]

Key = tuple[str, str]
"""Tree and path of a source."""

_VERSION = 1
_COLUMNS = "qqqQIB"


class ManifestRow(NamedTuple):
    """How an indexed file looked, and how many chunks it made.

    The first four are those of `FileState`; the digest, which few sources need,
    is in the source's own record. `noted` says that it has diagnostics.
    """

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    chunks: int
    noted: int


Manifest = Mapping[Key, ManifestRow]


def row_of(entry: DocumentEntry) -> ManifestRow:
    """Return the manifest's row for a source."""
    state = entry.state
    return ManifestRow(
        state.size,
        state.modified_ns,
        state.changed_ns,
        state.inode,
        entry.chunk_count,
        int(bool(entry.diagnostics)),
    )


def write_snapshot(path: Path, manifest: Manifest, *, uuid: str, seq: int) -> None:
    """Write the manifest of commit `seq`; one that does not fit its columns is not written.

    Raises:
        StorageError: it cannot be written.
    """
    try:
        body = _pack(manifest)
    except OverflowError:  # a time or an inode past 64 bits
        path.unlink(missing_ok=True)
        return
    head = {
        "version": _VERSION,
        "uuid": uuid,
        "seq": seq,
        "order": sys.byteorder,
        "crc": zlib.crc32(body),
    }
    replace_file(path, json.dumps(head).encode() + b"\n" + body)


def read_snapshot(path: Path, *, uuid: str, seq: int) -> dict[Key, ManifestRow] | None:
    """Return the manifest of commit `seq`, None where the file holds anything else."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        facts: dict[str, Any] = json.loads(head)
        wanted = (_VERSION, uuid, seq, sys.byteorder)
        found = tuple(facts.get(name) for name in ("version", "uuid", "seq", "order"))
        if found != wanted or facts.get("crc") != zlib.crc32(body):
            return None
        with _collector_at_rest():
            return _unpack(body)
    except (OSError, ValueError, AttributeError, KeyError, RecursionError, zlib.error):
        return None


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Nothing made here is garbage; looking for it costs as much as the making."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _pack(manifest: Manifest) -> bytes:
    """Lay the rows out in columns, sorted by tree and path."""
    keys = sorted(manifest)
    rows = [manifest[key] for key in keys]
    counts: dict[str, int] = {}
    for tree, _ in keys:
        counts[tree] = counts.get(tree, 0) + 1
    paths = "\0".join(path for _, path in keys).encode("utf-8", "surrogatepass")
    parts = [zlib.compress(paths, 1)]
    columns: Iterable[tuple[int, ...]] = zip(*rows, strict=True)
    parts += [array(code, c).tobytes() for code, c in zip(_COLUMNS, columns, strict=bool(rows))]
    head = json.dumps({"trees": counts, "lengths": [len(part) for part in parts]}).encode()
    return b"\n".join((head, b"".join(parts)))


def _unpack(body: bytes) -> dict[Key, ManifestRow]:
    head, _, rest = body.partition(b"\n")
    facts = json.loads(head)
    parts, at = [], 0
    for length in facts["lengths"]:
        parts.append(rest[at : at + length])
        at += length
    if not facts["trees"]:
        return {}
    columns = [array(code) for code in _COLUMNS]
    for column, part in zip(columns, parts[1:], strict=True):
        column.frombytes(part)
    paths = zlib.decompress(parts[0]).decode("utf-8", "surrogatepass").split("\0")
    trees = [name for tree, count in facts["trees"].items() for name in repeat(tree, count)]
    rows = map(ManifestRow._make, zip(*columns, strict=True))
    return dict(zip(zip(trees, paths, strict=True), rows, strict=True))
