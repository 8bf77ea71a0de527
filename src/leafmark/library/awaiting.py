"""Methods that can be awaited: each call runs in a thread, and the event loop goes on."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar

__all__ = ["awaitable"]

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


def awaitable(
    method: Callable[Concatenate[S, P], T],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Return a class's method for servers: it runs in a thread, and the event loop goes on."""

    async def call(itself: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        import asyncio  # late: most programs await nothing, and load neither it nor TLS

        return await asyncio.to_thread(method, itself, *args, **kwargs)

    update_wrapper(call, method)  # for its signature
    call.__name__ = f"a{method.__name__}"
    call.__qualname__ = "{0}.a{2}".format(*method.__qualname__.rpartition("."))
    call.__doc__ = f"`{method.__name__}`, awaited: it runs in a thread of the event loop's pool."
    return call
