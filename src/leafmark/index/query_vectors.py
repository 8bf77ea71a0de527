"""A cache, beside the store, of vectors that were computed for queries.

It is one file of records as in the store (`vectors`): hash of the text, checksum, vector. The key
of a vector is the hash of its text, so a change of the index makes none wrong. Any process may
append, even while another one writes the index or its vectors: the lock is held for one write,
and if another process holds it, the vectors are not cached. A torn record, left by a process that
was killed, is cut off by the next process that appends; a record with a wrong checksum is ignored,
and its vector is computed again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from leafmark.errors import LockedError, StorageError
from leafmark.index.folder import make_folder, replace_index_file
from leafmark.index.lock import hold_lock
from leafmark.index.vectors import HASH_BYTES, map_rows, record_of, row_type, valid_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_ROWS = 20_000
"""The most records of the file, 31 MB for `minilm`; after that, only the later half is kept."""


class QueryVectorCache:
    """The cached vectors of one model, in the folder of its store."""

    def __init__(self, folder: Path, dimension: int):
        self._path = folder / "queried"
        self._dimension = dimension
        self._rows: NDArray[np.void] | None = None
        self._places: dict[bytes, int] | None = None

    def find(self, hash_: bytes) -> NDArray[np.float32] | None:
        """Return the vector of a text by its hash, None if there is no valid one."""
        at = self._known().get(hash_)
        if at is None or self._rows is None or not all(valid_rows(self._rows, [at])):
            return None
        vector: NDArray[np.float32] = self._rows[at]["vector"]
        return vector

    def _known(self) -> dict[bytes, int]:
        """Return the row of each hash; a later row replaces an earlier one."""
        if self._places is None:
            self._places = {}
            with suppress(OSError):
                self._rows = map_rows(self._path, self._dimension)
                hashes = self._rows["hash"].tobytes()
                self._places = {
                    hashes[at : at + HASH_BYTES]: at // HASH_BYTES
                    for at in range(0, len(hashes), HASH_BYTES)
                }
        return self._places

    def keep(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Append vectors, by the hashes of their texts, if that is possible without waiting."""
        records = [record_of(hash_, vector) for hash_, vector in vectors.items()]
        with suppress(OSError, LockedError, StorageError):
            make_folder(self._path.parent)
            with hold_lock(self._path.with_name("queried.LOCK"), timeout_s=0.0):
                self._append(records)

    def _append(self, records: Sequence[bytes]) -> None:
        size = row_type(self._dimension).itemsize
        with open(self._path, "ab") as file:
            whole = os.fstat(file.fileno()).st_size // size
            file.truncate(whole * size)
            if whole + len(records) <= MAX_ROWS:
                file.write(b"".join(records))
                return
        later = self._path.read_bytes()[(whole - MAX_ROWS // 2) * size :]
        replace_index_file(self._path, [later, *records], what="the vectors")
