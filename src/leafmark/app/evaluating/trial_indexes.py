"""The indexes of ways to search, beside the project's own: where they lie, which are kept.

Each is named after what decides its content, so that a second evaluation refreshes
it. Nothing else asks for them: of many, those are removed that were used longest ago.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from leafmark.app.configuration.project import Project

__all__ = ["forget_unused", "place_of"]

MOST_KEPT = 32
"""As many as four evaluations of eight ways to search need (chosen by eye)."""

UNTOUCHED_S = 3600.0
"""One that was used since may be in use by another evaluation."""


def place_of(project: Project) -> Path:
    """Return the folder of the index of one way to search."""
    configuration = project.configuration
    real = os.path.normcase(os.path.realpath(configuration.project))
    key = hashlib.sha256(os.fsencode(real) + project.index_options().fingerprint.encode())
    return configuration.directories.cache / "evaluation" / key.hexdigest()[:16]


def forget_unused(used: Collection[Path]) -> None:
    """Note the use of some places, and remove what was used longest ago beside them."""
    for place in used:
        with suppress(OSError):
            os.utime(place)
    for folder in {place.parent for place in used}:
        with suppress(OSError):
            others = [each for each in folder.iterdir() if each.is_dir() and each not in used]
            ages = {each: time.time() - each.stat().st_mtime for each in others}
            spare = len(ages) + len(used) - MOST_KEPT
            for place in sorted(ages, key=lambda each: -ages[each])[: max(0, spare)]:
                if ages[place] > UNTOUCHED_S:
                    shutil.rmtree(place, ignore_errors=True)
