"""`DiffReport`: what a comparison of two sides says, for renderers and programs."""

from __future__ import annotations

from typing import NamedTuple

from leafmark.history.breakage import BrokenName, CitedOutcome
from leafmark.history.comparison import Comparison, SectionChange
from leafmark.history.git import Commit, Reference
from leafmark.history.sections import Section
from leafmark.model import Diagnostic


class BrokenLink(NamedTuple):
    """A link of a document as it is now that led to what has gone; `line` is 1-based."""

    doc_id: str
    path: str
    line: int
    target: str
    broken: BrokenName


class CitedFile(NamedTuple):
    """What became of the citations and ids in one text."""

    name: str
    citations: tuple[CitedOutcome, ...]
    ids: tuple[BrokenName, ...]


class DiffReport(NamedTuple):
    """Two sides, what is not the same on them, and what that broke."""

    old: str
    new: str
    comparison: Comparison
    broken: tuple[BrokenName, ...] = ()
    links: tuple[BrokenLink, ...] = ()
    cited: tuple[CitedFile, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def breaks_something(self) -> bool:
        """Whether something cited is gone: a link leads nowhere, or cited bytes stand nowhere."""
        outcomes = [one.status for each in self.cited for one in each.citations]
        return bool(
            self.links
            or any(status in ("changed", "gone") for status in outcomes)
            or any(each.ids for each in self.cited)
        )


class LogEntry(NamedTuple):
    """What one commit did to a section, and the section as it left it.

    `commit` is None for what is not committed.
    """

    commit: Commit | None
    change: SectionChange
    section: Section


class SectionLog(NamedTuple):
    """The history of the section `id`, newest first.

    `ends_at` is the commit at which a shallow clone ends, where the section is older than that.
    """

    id: str
    entries: tuple[LogEntry, ...]
    ends_at: str | None = None


class RevisionList(NamedTuple):
    """References, newest first, or the commits of a range."""

    references: tuple[Reference, ...] = ()
    commits: tuple[Commit, ...] = ()
