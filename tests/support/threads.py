"""What threads are left when a test looks."""

from __future__ import annotations

import threading


def left_after(patience_s: float, name: str) -> list[threading.Thread]:
    """Wait for the threads of a name to end, and return those that have not after the patience."""
    threads = [thread for thread in threading.enumerate() if thread.name == name]
    for thread in threads:
        thread.join(patience_s)
    return [thread for thread in threads if thread.is_alive()]
