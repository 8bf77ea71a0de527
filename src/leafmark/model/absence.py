"""Why a chunk is not among the results of a search."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from leafmark.model.result import Hint

__all__ = ["AbsenceReason", "LostAt", "UnmatchedPart", "WhyNotReport"]

LostAt = Literal[
    "filter",
    "match",
    "meaning",
    "strict",
    "relaxed",
    "candidates",
    "cutoff",
    "merged",
    "duplicate",
    "document",
    "limit",
]
"""The phase at which a chunk was lost.

- `filter`: a filter does not admit it.
- `match`: it does not match; `meaning`: it is not near, where words do not count.
- `strict`, `relaxed`: it matches some of the words, while all are asked for, or enough
  others match all.
- `candidates`, `cutoff`, `limit`: it came after the last that was considered, kept, shown.
- `merged`: it is part of a larger result; `duplicate`: a result has the same text.
- `document`: its document has taken all the places that one may take.
"""


class UnmatchedPart(NamedTuple):
    """A part of the query that the chunk does not meet.

    `refuses` says that the chunk has what the part leaves out. `chunks` tells how
    many chunks have it, `near` which words of the chunk are most like it.
    """

    text: str
    refuses: bool = False
    chunks: int = 0
    near: tuple[str, ...] = ()


class AbsenceReason(NamedTuple):
    """Where one topic lost a chunk, and what it was that came that far.

    `id` is the chunk itself or one below it. `rank` and `score` are its place
    among `of` matches. `by` is the id of the result that took it in, or has the
    same text. `ratio` is the drop of scores that ended the list before it. `values` are what
    else there is to say: front ends word it (`render.absence`).
    """

    lost_at: LostAt
    id: str
    topic: int = 0
    rank: int | None = None
    score: float | None = None
    of: int | None = None
    by: str | None = None
    ratio: float | None = None
    unmatched: tuple[UnmatchedPart, ...] = ()
    values: Mapping[str, Any] = {}


class WhyNotReport(NamedTuple):
    """Why the chunk `id` is not among the results; or, with `shown_as`, at which rank it is.

    `shown_as` is the id of the result: its own or that of a chunk below it.
    `remedy` are settings, `without` parts of the query to leave out, and `added` one
    to add, that together do show it: this was tried. They are empty where nothing
    tried did. `hints` say what a search would: that it is lexical, for example.
    """

    id: str
    query: str
    reasons: tuple[AbsenceReason, ...] = ()
    shown_as: str | None = None
    rank: int | None = None
    remedy: Mapping[str, Any] = {}
    without: tuple[str, ...] = ()
    added: str | None = None
    hints: tuple[Hint, ...] = ()
