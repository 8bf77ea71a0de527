"""The nouns: spans, documents, chunks, index entries, results, ids.

Frozen values with no I/O, no engine and no configuration. The stages talk to
each other only through these.
"""

from leafmark.model.absence import AbsenceReason, LostAt, UnmatchedPart, WhyNotReport
from leafmark.model.chunk import Chunk, ChunkedDocument
from leafmark.model.diagnostic import BINARY, ELSEWHERE, LEFT_OUT, REPEATED, Diagnostic
from leafmark.model.document import (
    Anchor,
    Block,
    BlockKind,
    Document,
    Format,
    Heading,
    HeadingColumns,
    Headings,
    Link,
)
from leafmark.model.emitted import ChunkKind, Content, ContentType, FindLink, leads_nowhere
from leafmark.model.entry import DocumentEntry, Entry, FileState, heading_and_span, whole_range
from leafmark.model.keyterm import KeyTerm, WeightedText
from leafmark.model.packed import Packed
from leafmark.model.passage import Item, Omission, Packing, Passage, Step
from leafmark.model.readable import ReadableText, Reader, Runs
from leafmark.model.record import ChunkRecord
from leafmark.model.report import (
    AgentFile,
    AgentsReport,
    IndexReport,
    LlmsReport,
    SettingOrigin,
    Shown,
    ShowReport,
    Size,
    Skipped,
    StatusReport,
    TreeStatus,
    TrustedFile,
    TrustReport,
    TrustWish,
    WatchEvent,
)
from leafmark.model.result import (
    GRAINS,
    RELATIONS,
    SORTS,
    Answer,
    Candidate,
    Factor,
    Grain,
    Hint,
    Phase,
    Related,
    Relation,
    Result,
    Snippet,
    Sort,
)
from leafmark.model.span import Span
from leafmark.model.stretches import Stretches, TopBlocks
from leafmark.model.verification import CitationStatus, Place, Verified, VerifyReport

__all__ = [
    "BINARY",
    "ELSEWHERE",
    "GRAINS",
    "LEFT_OUT",
    "RELATIONS",
    "REPEATED",
    "SORTS",
    "AbsenceReason",
    "AgentFile",
    "AgentsReport",
    "Anchor",
    "Answer",
    "Block",
    "BlockKind",
    "Candidate",
    "Chunk",
    "ChunkKind",
    "ChunkRecord",
    "ChunkedDocument",
    "CitationStatus",
    "Content",
    "ContentType",
    "Diagnostic",
    "Document",
    "DocumentEntry",
    "Entry",
    "Factor",
    "FileState",
    "FindLink",
    "Format",
    "Grain",
    "Heading",
    "HeadingColumns",
    "Headings",
    "Hint",
    "IndexReport",
    "Item",
    "KeyTerm",
    "Link",
    "LlmsReport",
    "LostAt",
    "Omission",
    "Packed",
    "Packing",
    "Passage",
    "Phase",
    "Place",
    "ReadableText",
    "Reader",
    "Related",
    "Relation",
    "Result",
    "Runs",
    "SettingOrigin",
    "ShowReport",
    "Shown",
    "Size",
    "Skipped",
    "Snippet",
    "Sort",
    "Span",
    "StatusReport",
    "Step",
    "Stretches",
    "TopBlocks",
    "TreeStatus",
    "TrustReport",
    "TrustWish",
    "TrustedFile",
    "UnmatchedPart",
    "Verified",
    "VerifyReport",
    "WatchEvent",
    "WeightedText",
    "WhyNotReport",
    "heading_and_span",
    "leads_nowhere",
    "whole_range",
]
