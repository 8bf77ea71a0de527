"""Check that the process may take the memory that the engine needs to write.

If the engine gets no memory, it ends the process: that cannot be caught, only avoided.
"""

from __future__ import annotations

import sys
from pathlib import Path

from leafmark.errors import StorageError

__all__ = ["check_memory"]

LEAST_BYTES = 600_000_000
"""With this limit, an index of a few pages was written; with 512 MB, the process was ended
(2026-11). Most of the memory is only reserved, for the engine's threads."""


def check_memory(root: Path) -> None:
    """Refuse to write the index in `root` if the process may take too little memory.

    Raises:
        StorageError: the limit is too low.
    """
    if sys.platform == "win32":
        return
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and most < LEAST_BYTES:
        raise StorageError(
            f"cannot write the index: {most // 1_000_000} MB of memory are allowed",
            location=str(root),
            hint=f"allow {LEAST_BYTES // 1_000_000} MB or more: `ulimit -v unlimited`",
        )
