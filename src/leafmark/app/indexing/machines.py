"""Workers on the machines of a Ray cluster, which prepare sources in place of processes here.

They have the same version of leafmark, and the same files under the same paths. They have no state:
if a machine fails, its batches are prepared here.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

from leafmark.environment import install_extra
from leafmark.errors import StorageError, UsageError
from leafmark.index.manifest import gc_paused

Task = TypeVar("Task")
Answer = TypeVar("Answer")

ADDRESS = "RAY_ADDRESS"
"""The variable with the cluster's address; without it, a cluster is started on this machine."""

PATIENCE_S = 600.0
"""How long to wait for the answer to a batch: a cluster may have no room for its worker."""


class Machines:
    """The machines of one Ray cluster."""

    def __init__(self, ray: Any):
        self._ray = ray

    @property
    def workers(self) -> int:
        """The number of workers that it has room for."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def start(self, work: Callable[[Task], Answer]) -> _RayWorker[Task, Answer]:
        """Start a worker on one of the machines: see `workers.Worker`."""
        return _RayWorker(self._ray, work)


@contextmanager
def open_machines() -> Iterator[Machines]:
    """Return the machines of the cluster at `RAY_ADDRESS`, else this machine.

    Raises:
        UsageError: Ray is not installed.
        StorageError: the cluster does not answer.
    """
    if find_spec("ray") is None:
        raise UsageError("--ray needs the extra `ray`", hint=f"run: {install_extra('ray')}")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # else Ray sends usage reports
    with open_cluster() as ray:
        yield Machines(ray)


@contextmanager
def open_cluster() -> Iterator[Any]:
    """Return Ray with its cluster: that of the calling program, if it has one."""
    ray = import_module("ray")
    if ray.is_initialized():
        yield ray
        return
    address = os.environ.get(ADDRESS)
    own = {} if address else {"include_dashboard": False}
    try:
        ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR", **own)
    except (ray.exceptions.RayError, RuntimeError, ValueError, OSError) as error:
        raise StorageError(
            f"the Ray cluster cannot be reached: {str(error).splitlines()[0]}",
            location=address,
            hint=f"check {ADDRESS}, and whether the cluster is running",
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


class _Preparer:
    """The actor on a machine, which does `work` with each task of a batch."""

    def __init__(self, work: Callable[[Any], Any]):
        self._work = work

    def answer(self, batch: Sequence[Any]) -> list[Any]:
        with gc_paused():
            return [self._work(task) for task in batch]


class _RayWorker(Generic[Task, Answer]):
    def __init__(self, ray: Any, work: Callable[[Task], Answer]):
        self._ray = ray
        self._actor = ray.remote(num_cpus=1)(_Preparer).remote(work)
        self._answers: deque[Any] = deque()
        self._failed = False

    def ask(self, batch: Sequence[Task]) -> None:
        self._answers.append(self._actor.answer.remote(list(batch)))

    def has_answer(self) -> bool:
        ready, _ = self._ray.wait([self._answers[0]], timeout=0)
        return self._failed or bool(ready)

    def answer(self) -> list[Answer] | None:
        first = self._answers.popleft()
        if self._failed:
            return None
        try:
            answers: list[Answer] = self._ray.get(first, timeout=PATIENCE_S)
        except (self._ray.exceptions.RayError, TimeoutError):
            self._failed = True
            return None
        return answers

    def stop(self) -> None:
        self._ray.kill(self._actor)
