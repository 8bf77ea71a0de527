"""When a folder that nobody configured is too much to be taken as a tree without asking."""

from __future__ import annotations

import os
from typing import NamedTuple

from leafmark.app.configuration.config import Configuration
from leafmark.app.sources.walk import exceeds

__all__ = ["Concern", "find_concern"]

MANY_FILES = 20_000
"""More sources than this are not indexed unasked. Chosen by eye: some ten seconds of work."""


class Concern(NamedTuple):
    """Why to ask before indexing; `hint` says how to go on without being asked."""

    message: str
    hint: str


def find_concern(configuration: Configuration) -> Concern | None:
    """Return what speaks against taking the folder as a tree; None when it was configured.

    Costs a walk of at most `MANY_FILES` sources: to be asked once, before the first indexing.

    Raises:
        NotFoundError, ForbiddenError: the folder cannot be opened.
    """
    if not configuration.is_implicit:
        return None
    folder = configuration.directory
    hint = "name a smaller folder with -C"
    if folder.parent == folder:
        return Concern(f"{folder} is the root of the file system", hint)
    if os.path.realpath(configuration.directories.home) == str(folder):
        return Concern(f"{folder} is your home folder", hint)
    if exceeds(configuration.trees[0], MANY_FILES):
        hint += ", or make this one a tree for good with `leafmark init`"
        return Concern(f"{folder} holds more than {MANY_FILES:,} files", hint)
    return None
