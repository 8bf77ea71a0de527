"""Sources in the cluster: the deflated bytes of a file under their sha256, checked when read."""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64decode, b64encode
from typing import Any

from leafmark.index.remote.client import Cluster, damaged, path_of
from leafmark.index.remote.layout import Names


def pack_source(data: bytes, now_ms: int) -> dict[str, Any]:
    """Return the cluster's document of a source."""
    packed = b64encode(zlib.compress(data, 6)).decode("ascii")
    return {"data": packed, "size": len(data), "kept_ms": now_ms}


def read_source(cluster: Cluster, names: Names, digest: str) -> bytes | None:
    """Return the bytes with a sha256, None if the cluster does not have them.

    Raises:
        DamagedError: the stored bytes cannot be unpacked or have another hash.
        StorageError: the cluster does not answer.
    """
    document = cluster.get(path_of(names.sources, "_doc", digest), allowed=(404,))
    if not document.get("found"):
        return None
    try:
        data = zlib.decompress(b64decode(document["_source"]["data"], validate=True))
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise damaged("a source cannot be unpacked", cluster.location) from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise damaged("a source has other bytes than its hash says", cluster.location)
    return data
