"""Serialise values to stored bytes and back: the state of a file, then deflated JSON.

JSON is read fast, cannot execute anything, and fails on damaged bytes. Times and digests,
which do not compress, come before it as plain bytes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any

from leafmark.errors import DamagedError
from leafmark.index.engine import REBUILD
from leafmark.model import FileState

__all__ = [
    "damaged_record",
    "deserialise_object",
    "deserialise_record",
    "record_json",
    "serialise_object",
    "serialise_record",
]

_LEVEL = 6
# What most records hold: with it, short ones shrink too. Changing it changes the format.
_COMMON = (
    b'"text","html","script","notebook","fixed","mixed","table","quote","thematic_break",'
    b'"definition","heading","Introduction","Overview","Usage","Example","Installation",'
    b'[["prose",["paragraph"]],["list",["list","paragraph"]],["code",["code","paragraph"]],'
    b'["mixed",["code","list","paragraph"]],["empty",[]]]},"t":["","d":[0,1,2,2,2,3,3,"n":[0,0,0,'
    b'0,0,0,0,0],"u":[0,1,1,1],"b":[0,"e":["h":["l":["m":["c":[0,0,0,0,0,"x":{}}'
    b'0000000000,README.md","markdown","utf-8",1,[],null,{},{},false,[]],"k":[0,1,1,1,1,1,1,'
)
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_decode = json.JSONDecoder().raw_decode


def damaged_record() -> DamagedError:
    """Return the error for bytes or values that no record has."""
    return DamagedError("a record of the index cannot be read", hint=REBUILD)


def serialise_object(value: object) -> bytes:
    """Return `value` as deflated JSON; undecodable bytes in names survive as surrogates."""
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, zdict=_COMMON)
    compressed = [
        compressor.compress(part.encode("utf-8", "surrogatepass")) for part in _parts(value)
    ]
    return b"".join((*compressed, compressor.flush()))


def _parts(value: object) -> Iterator[str]:
    """Yield JSON, in one part for each value of an object: an emoji widens only its own part."""
    if not isinstance(value, dict) or not value:
        yield _encode(value)
        return
    before = "{"
    for key, one in value.items():
        yield f"{before}{_encode(str(key))}:{_encode(one)}"
        before = ","
    yield "}"


def serialise_record(state: FileState, value: object) -> bytes:
    """Return the state of a file, each part after a byte with its length, and then `value`."""
    size, modified, changed, inode, digest = state
    numbers = (size, modified, changed - modified, inode)
    parts = [each.to_bytes(each.bit_length() // 8 + 1, "little", signed=True) for each in numbers]
    parts.append(bytes.fromhex(digest))
    return b"".join([b"%c%b" % (len(part), part) for part in parts]) + serialise_object(value)


def deserialise_record(data: bytes) -> tuple[FileState, Any]:
    """Return what `serialise_record` was given.

    Raises:
        DamagedError: these are not its bytes.
    """
    parts, rest = _parted(data)
    digest = parts.pop().hex()
    size, modified, later, inode = [int.from_bytes(one, "little", signed=True) for one in parts]
    return FileState(size, modified, modified + later, inode, digest), deserialise_object(rest)


def _parted(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the parts of the state that a record begins with, and the rest."""
    at, parts = 0, []
    try:
        for _ in FileState._fields:
            end = at + 1 + data[at]
            parts.append(data[at + 1 : end])
            at = end
    except IndexError as err:
        raise damaged_record() from err
    return parts, data[at:]


def record_json(data: bytes) -> bytes:
    """Return the JSON of a record's value, in UTF-8: a fifth of the time of deserialising it.

    Its texts have all characters as they are, but quotes, backslashes and control characters.

    Raises:
        DamagedError: these are not the bytes of a record.
    """
    try:
        return _inflated(_parted(data)[1])
    except zlib.error as err:
        raise damaged_record() from err


def _inflated(data: bytes) -> bytes:
    return zlib.decompressobj(-15, zdict=_COMMON).decompress(data)


def deserialise_object(data: bytes) -> Any:
    """Return what `serialise_object` was given.

    Raises:
        DamagedError: these are not its bytes.
    """
    try:
        text = _inflated(data).decode("utf-8", "surrogatepass")
        value, end = _decode(text)
        if end != len(text):
            raise ValueError("more than one value")
        return value
    except (zlib.error, ValueError, RecursionError) as err:
        raise damaged_record() from err
