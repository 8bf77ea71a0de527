"""`Diagnostic`: something about one source that a user should know, and that stops nothing."""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "BINARY",
    "ELSEWHERE",
    "GENERATED",
    "LEFT_OUT",
    "NO_MEMORY",
    "NO_PROCESS",
    "PASSING",
    "REPEATED",
    "UNREADABLE",
    "Diagnostic",
]

BINARY = "binary"
"""The code of a source that is no text."""

REPEATED = "repeated"
"""The code of a source that leafmark itself made of the others."""

ELSEWHERE = "elsewhere"
"""The code of a page that shows nothing of its own."""

GENERATED = "generated"
"""The code of code and data that programs made for programs."""

LEFT_OUT = {
    BINARY: "binary",
    REPEATED: "written by leafmark",
    ELSEWHERE: "leads to another page",
    GENERATED: "generated code",
}
"""The codes of sources that are remembered, so that they are not read again, and skipped; why."""

UNREADABLE = "unreadable"
"""The code of a source that the system did not let us read."""

NO_MEMORY = "no-memory"
"""The code of a source for which there was not enough memory."""

NO_PROCESS = "no-process"
"""The code of a source that is parsed in another process, where there was none or it was killed."""

PASSING = frozenset((UNREADABLE, NO_MEMORY, NO_PROCESS))
"""The codes of what is no fault of the source's bytes: a later attempt may succeed."""


class Diagnostic(NamedTuple):
    """One finding about the source at `path` (as in its document's id, or as found on disk).

    `code` is stable and for programs (`bad-utf8`, `front-matter`, `unreadable`, …);
    `message` is for people and names the value at fault. `line` is 1-based.
    """

    path: str
    code: str
    message: str
    line: int | None = None
