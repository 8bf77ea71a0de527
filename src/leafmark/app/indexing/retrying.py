"""When those that run for long try again what failed: a source may have no memory only for once.

`leafmark index` tries each time. A search never does: it would read the same files again.
"""

from __future__ import annotations

import time

__all__ = ["RETRY_EVERY_S", "Retries"]

RETRY_EVERY_S = 600.0


class Retries:
    """Says when sources that failed are to be tried again: at first, then now and then."""

    def __init__(self) -> None:
        self._due_s = 0.0

    def are_due(self) -> bool:
        """Whether to try now; if so, the next time is a while away."""
        now = time.monotonic()
        if now < self._due_s:
            return False
        self._due_s = now + RETRY_EVERY_S
        return True
