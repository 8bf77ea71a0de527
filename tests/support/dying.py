"""Processes that kill themselves at one of the steps that a test names."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Dying:
    """Makes functions steps of this process, which is killed as the `at`th of all begins."""

    def __init__(self, at: int):
        self._left = at

    def __call__(self, call: Callable[P, T]) -> Callable[P, T]:
        def step(*args: P.args, **options: P.kwargs) -> T:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **options)

        return step
