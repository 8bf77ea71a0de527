"""An index that begins as another one: its files are links, so that what both hold is there once.

The engine never changes a file of a segment, but writes others and names them in its list. So
an index can begin with links to the segments of another, take in what differs, and leave that
one as it is.
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
"""What the engine replaces by a file of the same name."""


def share_index(source: Path, target: Path) -> bool:
    """Make the index in the folder `target`, which has none, begin as that in `source`.

    False, and nothing is made, where that one cannot be used: somebody writes it, or it is
    damaged.

    Raises:
        StorageError: it cannot be written.
    """
    begun, made = Layout(source), Layout(target)
    try:
        with hold_lock(begun.lock, timeout_s=0):
            current = begun.read_current()
            if current is None or begun.suspect(current.generation).exists():
                return False
            _link_generation(begun, made, current.generation)
            made.write_current(current)
            return True
    except LeafmarkError:
        made.collect()
        return False
    except OSError as error:
        made.collect()
        raise translate(error, "write the index", target) from error


def _link_generation(begun: Layout, made: Layout, number: int) -> None:
    text = made.text(number)
    make_folder(text)
    for entry in os.scandir(begun.text(number)):
        if entry.name in _REPLACED:
            shutil.copyfile(entry.path, text / entry.name)
        elif entry.is_file(follow_symlinks=False) and not entry.name.endswith(".lock"):
            link_or_copy(Path(entry.path), text / entry.name)
    sync_folder(text)
    manifest = begun.manifest(number)
    if manifest.exists():
        shutil.copyfile(manifest, made.manifest(number))


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file a second name, or where the file system has none, copy it."""
    try:
        os.link(source, target)
    except (OSError, NotImplementedError):
        shutil.copyfile(source, target)
