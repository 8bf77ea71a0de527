"""`DiffReport`: the results of a comparison of two sides, for renderers and programs."""

from __future__ import annotations

from typing import NamedTuple

from leafmark.history.breakage import BrokenName, CitedOutcome
from leafmark.history.compared_sections import Section
from leafmark.history.comparison import Comparison, SectionChange
from leafmark.history.git import Commit, Reference
from leafmark.model import Diagnostic


class BrokenLink(NamedTuple):
    """A link of a current document whose target is gone; `line` is 1-based."""

    doc_id: str
    path: str
    line: int
    target: str
    broken: BrokenName


class CitedFile(NamedTuple):
    """The outcomes of the citations and ids in one text."""

    name: str
    citations: tuple[CitedOutcome, ...]
    ids: tuple[BrokenName, ...]


class DiffReport(NamedTuple):
    """Two sides, their differences, and the names, links and citations that these broke."""

    old: str
    new: str
    comparison: Comparison
    broken: tuple[BrokenName, ...] = ()
    links: tuple[BrokenLink, ...] = ()
    cited: tuple[CitedFile, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def breaks_something(self) -> bool:
        """Whether a link, a cited id or cited bytes have no target any more."""
        outcomes = [citation.status for file in self.cited for citation in file.citations]
        return bool(
            self.links
            or any(status in ("changed", "gone") for status in outcomes)
            or any(file.ids for file in self.cited)
        )


class LogEntry(NamedTuple):
    """The change of a section by one commit, and the section after it.

    `commit` is None for uncommitted changes.
    """

    commit: Commit | None
    change: SectionChange
    section: Section


class SectionLog(NamedTuple):
    """The history of the section `id`, newest first.

    `ends_at` is the commit at which a shallow clone ends, if the section is older than that.
    """

    id: str
    entries: tuple[LogEntry, ...]
    ends_at: str | None = None


class RevisionList(NamedTuple):
    """References, newest first, or the commits of a range."""

    references: tuple[Reference, ...] = ()
    commits: tuple[Commit, ...] = ()
