"""Folders for the length of an example, which fixtures are too long for."""

from __future__ import annotations

import tempfile


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for an index; it may outlast the example where a thread of the engine does.

    After the last merge the engine's own thread writes its list of files once more, which can
    fall between the look into the folder and its removal.
    """
    return tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
