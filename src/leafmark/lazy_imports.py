"""Importing the names of a package when they are first used: a run needs few of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any


def import_late(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package; `homes` has the module of each of its names.

    Hide it from type checkers: with it they would accept misspelled names.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
