"""`Diagnostic`: something about one source that a user should know, and that stops nothing."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BINARY", "ELSEWHERE", "LEFT_OUT", "REPEATED", "Diagnostic"]

BINARY = "binary"
"""The code of a source that is no text."""

REPEATED = "repeated"
"""The code of a source that leafmark itself made of the others."""

ELSEWHERE = "elsewhere"
"""The code of a page that shows nothing of its own."""

LEFT_OUT = {
    BINARY: "binary",
    REPEATED: "written by leafmark",
    ELSEWHERE: "leads to another page",
}
"""The codes of sources that are remembered, so that they are not read again, and skipped; why."""


class Diagnostic(NamedTuple):
    """One finding about the source at `path` (as in its document's id, or as found on disk).

    `code` is stable and for programs (`bad-utf8`, `front-matter`, `unreadable`, …);
    `message` is for people and names the value at fault. `line` is 1-based.
    """

    path: str
    code: str
    message: str
    line: int | None = None
