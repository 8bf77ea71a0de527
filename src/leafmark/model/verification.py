"""What checking the citations of a text answers."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from leafmark.model.result import Hint

__all__ = ["CitationStatus", "Place", "Verified", "VerifyReport"]

CitationStatus = Literal["ok", "moved", "changed", "gone"]
"""What became of a citation: as it was, its bytes elsewhere, others in its place, or nothing."""


class Place(NamedTuple):
    """Bytes `[byte_start, byte_end)` of a source, as part of the chunk `id`; lines are 1-based."""

    id: str
    byte_start: int
    byte_end: int
    line_start: int
    line_end: int


class Verified(NamedTuple):
    """One citation of a text, checked against the sources as they are now.

    `line` and `column` (characters) are its 1-based place in the text. `place`
    is where the cited bytes stand now: None for what is `changed` or `gone`.
    `current` is the citation to use now: that of `place`, and that of a changed
    chunk as it is. `nearest` are the ids most like one that is gone.
    """

    citation: str
    status: CitationStatus
    line: int
    column: int
    place: Place | None = None
    current: str | None = None
    nearest: tuple[str, ...] = ()


class VerifyReport(NamedTuple):
    """The citations of one text, in order; `name` is the text's.

    `hints` are as in `Answer`, in the library.
    """

    name: str
    citations: tuple[Verified, ...] = ()
    hints: tuple[Hint, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many there are of each status."""
        found: dict[str, int] = dict.fromkeys(get_args(CitationStatus), 0)
        for one in self.citations:
            found[one.status] += 1
        return found

    @property
    def holds(self) -> bool:
        """Whether there are citations, and all of them are right."""
        return bool(self.citations) and all(one.status == "ok" for one in self.citations)
