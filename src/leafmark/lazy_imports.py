"""Names of a package that are imported when they are first used: a run needs few of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any


def import_late(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package whose names live in the modules of `homes`.

    Hide it from type checkers: they would take any name, misspelled ones too, for one of ours.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
