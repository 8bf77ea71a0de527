"""The manifest: which sources are indexed and how their files looked, in a form that loads fast.

The index itself is the authority; this is a snapshot of what its source records
say, in columns, so that tens of thousands of rows load in milliseconds. It is
keyed by the index's uuid and commit number and checksummed: one that does not
fit is ignored and made again from the index. Its first line has a digest of all
that a walk would find if nothing had changed, so that mostly no row is read at all,
and says when the sources were last looked at, so that a look that found no change
needs no commit.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from leafmark.index.garbage import collection_paused
from leafmark.index.layout import replace_file
from leafmark.model import DocumentEntry

__all__ = [
    "Found",
    "Key",
    "Manifest",
    "ManifestRow",
    "SnapshotHead",
    "digest_found",
    "read_head",
    "read_snapshot",
    "row_of",
    "write_snapshot",
]

Key = tuple[str, str]
"""Tree and path of a source."""

Found = tuple[str, str, int, int, int, int]
"""A source as it is found: tree, path, and the first four of a `ManifestRow`."""

_VERSION = 2
_COLUMNS = "qqqQIB"
_FOUND_COLUMNS = _COLUMNS[:4]
_LONGEST_LINE = 10_000


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


class SnapshotHead(NamedTuple):
    """What a snapshot says before its rows.

    `found` is what `digest_found` gives of its sources, `looked_ns` when the last run
    began to look at them.
    """

    found: str | None
    looked_ns: int


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


def write_snapshot(path: Path, manifest: Manifest, *, uuid: str, seq: int, looked_ns: int) -> None:
    """Write the manifest of commit `seq`; one that does not fit its columns is not written.

    `looked_ns` is when the last run began to look at the sources.

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
        "looked_ns": looked_ns,
        "found": digest_found([(*key, *manifest[key][:4]) for key in sorted(manifest, key=_place)]),
    }
    replace_file(path, json.dumps(head).encode() + b"\n" + body)


def read_snapshot(path: Path, *, uuid: str, seq: int) -> dict[Key, ManifestRow] | None:
    """Return the manifest of commit `seq`, None where the file holds anything else."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        facts = _facts(head, uuid, seq)
        if facts is None or facts.get("crc") != zlib.crc32(body):
            return None
        with collection_paused():
            return _unpack(body)
    except (OSError, ValueError, AttributeError, KeyError, RecursionError, zlib.error):
        return None


def _facts(head: bytes, uuid: str, seq: int) -> dict[str, Any] | None:
    """Return what the first line says, None where it is of another commit or version."""
    facts: dict[str, Any] = json.loads(head)
    wanted = (_VERSION, uuid, seq, sys.byteorder)
    found = tuple(facts.get(name) for name in ("version", "uuid", "seq", "order"))
    return facts if found == wanted else None


def read_head(path: Path, *, uuid: str, seq: int) -> SnapshotHead | None:
    """Return what the snapshot of commit `seq` says before its rows, None where there is none."""
    try:
        with path.open("rb") as file:
            facts = _facts(file.readline(_LONGEST_LINE), uuid, seq)
        return None if facts is None else SnapshotHead(facts["found"], int(facts["looked_ns"]))
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None


def digest_found(sources: Sequence[Found]) -> str | None:
    """Return a digest of sources and how they look; None if there are none, or odd ones.

    The sources of a tree come together, in the order of a walk: in each folder its
    files by name, then its folders. The order of the trees decides nothing.
    """
    if not sources:
        return None
    digests = []
    at = 0
    for tree, count in Counter(source[0] for source in sources).items():
        _, paths, *columns = zip(*sources[at : at + count], strict=True)
        at += count
        whole = hashlib.sha256(f"{tree}\0{count}\0".encode())
        whole.update("\0".join(paths).encode("utf-8", "surrogatepass"))
        try:
            for code, column in zip(_FOUND_COLUMNS, columns, strict=True):
                whole.update(array(code, column))
        except OverflowError:  # a time or an inode past 64 bits
            return None
        digests.append(whole.hexdigest())
    return hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()


def _place(key: Key) -> tuple[str, str]:
    """Sort key for the order of a walk; the names of one level end alike, files before folders."""
    tree, path = key
    *folders, name = path.split("/")
    return tree, "".join([f"\1{folder}\0" for folder in folders]) + "\0" + name


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
