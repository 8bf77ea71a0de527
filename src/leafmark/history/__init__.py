"""Documents through time: revisions from git's objects, and the fate of each section.

In: parsed documents of two states. Out: fates of sections, and broken names with the sections that
have their text now. `git` alone starts a program; everything else is pure.
"""

from leafmark.history.breakage import BrokenName, CitedOutcome, broken_names, check_citation
from leafmark.history.compared_sections import Section, SectionedDocument
from leafmark.history.comparison import (
    FATES,
    BlockChange,
    Comparison,
    DocumentChange,
    Fate,
    SectionChange,
    compare_documents,
)
from leafmark.history.diff_report import (
    BrokenLink,
    CitedFile,
    DiffReport,
    LogEntry,
    RevisionList,
    SectionLog,
)

__all__ = [
    "FATES",
    "BlockChange",
    "BrokenLink",
    "BrokenName",
    "CitedFile",
    "CitedOutcome",
    "Comparison",
    "DiffReport",
    "DocumentChange",
    "Fate",
    "LogEntry",
    "RevisionList",
    "Section",
    "SectionChange",
    "SectionLog",
    "SectionedDocument",
    "broken_names",
    "check_citation",
    "compare_documents",
]
