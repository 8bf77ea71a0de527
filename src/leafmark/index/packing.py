"""Values to stored bytes and back: deflated JSON.

JSON because it is read fast, cannot execute anything, and damaged bytes give an
error.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

from leafmark.errors import DamagedError
from leafmark.index.engine import REBUILD

__all__ = ["pack_object", "unpack_object"]

_LEVEL = 6
# What most records hold, so that short ones shrink too. Changing it changes the format.
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


def pack_object(value: object) -> bytes:
    """Return `value` as deflated JSON; undecodable bytes in names survive as surrogates."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, zdict=_COMMON)
    data = _encode(value).encode("utf-8", "surrogatepass")
    return packer.compress(data) + packer.flush()


def unpack_object(data: bytes) -> Any:
    """Return what `pack_object` was given.

    Raises:
        DamagedError: these are not its bytes.
    """
    try:
        unpacked = zlib.decompressobj(-15, zdict=_COMMON).decompress(data)
        text = unpacked.decode("utf-8", "surrogatepass")
        value, end = _decode(text)
        if end != len(text):
            raise ValueError("more than one value")
        return value
    except (zlib.error, ValueError, RecursionError) as err:
        raise DamagedError("a record of the index cannot be read", hint=REBUILD) from err
