"""Begin an index as a copy of another one, with links to its files, which exist only once.

The engine never changes a file of a segment, but writes new ones and lists them. So an index can
begin with links to the segments of another index, add the differences, and leave the other one
unchanged.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from leafmark.errors import LeafmarkError
from leafmark.index.engine import translate
from leafmark.index.folder import Layout, make_folder, sync_folder
from leafmark.index.lock import hold_lock

_REPLACED = frozenset(("meta.json", ".managed.json"))
"""The files that the engine replaces by files of the same name."""


def share_index(source: Path, target: Path) -> bool:
    """Create an index in the folder `target`, which has none, as a copy of that in `source`.

    Returns False, without an index in `target`, if the one in `source` is being written or is
    damaged.

    Raises:
        StorageError: it cannot be written.
    """
    original, clone = Layout(source), Layout(target)
    try:
        with hold_lock(original.lock, timeout_s=0):
            current = original.read_current()
            if current is None or original.suspect(current.generation).exists():
                return False
            _link_generation(original, clone, current.generation)
            clone.write_current(current)
            return True
    except LeafmarkError:
        clone.collect()
        return False
    except OSError as error:
        clone.collect()
        raise translate(error, "write the index", target) from error


def _link_generation(original: Layout, clone: Layout, number: int) -> None:
    text = clone.text(number)
    make_folder(text)
    for entry in os.scandir(original.text(number)):
        if entry.name in _REPLACED:
            shutil.copyfile(entry.path, text / entry.name)
        elif entry.is_file(follow_symlinks=False) and not entry.name.endswith(".lock"):
            link_or_copy(Path(entry.path), text / entry.name)
    sync_folder(text)
    manifest = original.manifest(number)
    if manifest.exists():
        shutil.copyfile(manifest, clone.manifest(number))


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file a second name; copy it if the file system has no hard links."""
    try:
        os.link(source, target)
    except (OSError, NotImplementedError):
        shutil.copyfile(source, target)
