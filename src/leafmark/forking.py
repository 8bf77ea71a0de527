"""What a forked process must know of itself: that its parent's other threads are not in it.

A lock that one of them held is never let go there, and a connection is the parent's.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

__all__ = ["in_forked_child"]

BeginAnew = TypeVar("BeginAnew", bound=Callable[[], None])


def in_forked_child(begin_anew: BeginAnew) -> BeginAnew:
    """Have `begin_anew` called in each process that is forked of this one, first of all there.

    Where the system forks none, as Windows, it is never called.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=begin_anew)
    return begin_anew
