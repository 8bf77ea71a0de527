"""Where the indexes of one project lie: one for each leafmark that would write another.

```
INDEX/index-KEY/   one index: see `layout`; KEY stands for what of an installation decides it
INDEX/index-KEY/LOCK  its time is that of the last use, give or take a day
INDEX/vectors/     shared by all, since nothing in it can be wrong for one: see `vectors`
```

In one place two versions of leafmark would make the index anew in turns. So each leaves
the others' alone, reads one only until its own is there, and removes those that
nobody has used for a week. `root` is the folder of an index, `INDEX/index-KEY`.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from leafmark.errors import LeafmarkError
from leafmark.index.layout import Layout
from leafmark.index.lock import hold_lock

__all__ = [
    "OTHER_LEAFMARK",
    "find_other",
    "has_other",
    "index_place",
    "note_use",
    "other_views",
    "view_path",
]

OTHER_LEAFMARK = (
    "the index that was there is of a leafmark of another version or with other grammars; "
    "it is left to that one, and goes when nobody has used it for a week"
)
"""Why all is indexed anew, for people."""

_PLACE = re.compile(r"index-[0-9a-f]{12}")
_VIEW = re.compile(rf"view-{_PLACE.pattern}")

NOTED_S = 86_400.0
"""How old the note of the last use may be."""

UNUSED_S = 7 * NOTED_S
"""After how long without use an index of another leafmark goes; chosen by eye."""


def index_place(folder: Path, key: str) -> Path:
    """Return where in the folder INDEX the index of one leafmark lies; `key` is a digest in hex."""
    return folder / f"index-{key[:12]}"


def view_path(vectors: Path, root: Path) -> Path:
    """Return where in a folder of vectors it stands which of them an index has."""
    return vectors / f"view-{root.name}"


def other_views(own: Path) -> list[Path]:
    """Return where the same stands for other indexes, those that are gone left out.

    A crash can leave what stood of one, and so can who moves it meanwhile.
    """
    folder = own.parents[2]
    found = [
        each for each in own.parent.glob("view-*") if each != own and _VIEW.fullmatch(each.name)
    ]
    return [
        each for each in found if Layout(folder / each.name.removeprefix("view-")).current.exists()
    ]


def has_other(root: Path) -> bool:
    """Whether another leafmark has an index beside `root`, in whatever state."""
    return any(True for _ in _others(root))


def find_other(root: Path) -> Path | None:
    """Return the index beside `root` that was used last, of those that can be read here."""
    found = sorted(_others(root), key=_age_s)
    return next((place for place in found if _is_readable(place)), None)


def _others(root: Path) -> Iterator[Path]:
    return (place for place in _places(root) if os.path.exists(Layout(place).current))


def _places(root: Path) -> Iterator[Path]:
    """Yield where other indexes may lie: beside `root`, and where all of them lie."""
    folder = root.parent
    with suppress(OSError):
        names = [name for name in os.listdir(folder) if _PLACE.fullmatch(name)]
        yield from (folder / name for name in names if name != root.name)
        yield folder


def _is_readable(place: Path) -> bool:
    try:
        return Layout(place).read_current() is not None
    except LeafmarkError:
        return False


def _age_s(place: Path) -> float:
    """Return how long ago an index was used; for ever where there is no telling."""
    try:
        return time.time() - Layout(place).lock.stat().st_mtime
    except OSError:
        return float("inf")


def note_use(root: Path) -> None:
    """Note that the index in `root` is in use, once a day, and remove others that are not."""
    if 0 <= _age_s(root) < NOTED_S:
        return
    try:
        os.utime(Layout(root).lock)
    except OSError:  # there is no index yet, or it may only be read
        return
    for place in _places(root):
        if UNUSED_S < _age_s(place) < float("inf"):
            with suppress(LeafmarkError, OSError):
                _remove(place)


def _remove(place: Path) -> None:
    """Remove an index that nobody writes; its pointer first, so that no half of it is read.

    Raises:
        LockedError: somebody writes it.
        StorageError, OSError: it cannot be removed, or not all of it.
    """
    layout = Layout(place)
    with hold_lock(layout.lock, timeout_s=0):
        layout.current.unlink(missing_ok=True)
        layout.collect(keep=None)
        for vectors in (place.parent / "vectors").glob("*/"):
            view_path(vectors, place).unlink(missing_ok=True)
        layout.lock.unlink()  # while it is held: see `hold_lock`
        place.rmdir()
