"""What the use cases other than search answer: reports for the front ends to render."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal, get_args

from leafmark.errors import LeafmarkError, Remedy
from leafmark.model.chunk import Chunk
from leafmark.model.document import Diagnostic
from leafmark.model.entry import DocumentEntry, Entry
from leafmark.model.result import Hint, Omission, Packing, Passage, Related
from leafmark.namedtuples import NamedTuple


def count_of(number: int, noun: str) -> str:
    """Return a number and its noun.

    >>> count_of(1, "chunk"), count_of(1200, "chunk")
    ('1 chunk', '1,200 chunks')
    """
    return f"{number:,} {plural(noun, number)}"


def age_of(looked_ns: int) -> float | None:
    """Return the seconds since a time; None where no run has looked at all sources yet.

    It may have been told by another machine's clock, and is no less than nothing.
    """
    is_known = looked_ns > 1_000_000_000  # what was copied from elsewhere counts as never looked at
    return max(0.0, time.time() - looked_ns / 1e9) if is_known else None


def age_in_words(seconds: float) -> str:
    """Say how long ago something was.

    >>> [age_in_words(each) for each in (5, 100, 7200, 200_000)]
    ['less than a minute ago', '1 minute ago', '2 hours ago', '2 days ago']
    """
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return f"{count_of(int(seconds // length), unit)} ago"
    return "less than a minute ago"


def plural(noun: str, number: int) -> str:
    """Return the noun as it stands behind a number.

    >>> plural("token", 1), plural("token", 0)
    ('token', 'tokens')
    """
    return noun if number == 1 else f"{noun}s"


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
        counts: dict[str, int] = dict.fromkeys(get_args(CitationStatus), 0)
        for citation in self.citations:
            counts[citation.status] += 1
        return counts

    @property
    def holds(self) -> bool:
        """Whether there are citations, and all of them are right."""
        return bool(self.citations) and all(citation.status == "ok" for citation in self.citations)


class Skipped(NamedTuple):
    """A source that was left out on purpose; `reason` is one short clause."""

    path: str
    reason: str


class IndexReport(NamedTuple):
    """What one indexing run did.

    `added`, `modified` and `removed` hold document ids, sorted. A source without text is no
    document: it is `skipped`, or a diagnostic says why. So of a whole run `added`, `modified`
    and `unchanged` make up `documents`. A dry run reads no source: it counts new ones as
    added, and known ones by how their files look; `documents` are those of before.
    `vectors` were made, and `pending_vectors` chunks have none yet. `warnings` say why, and
    before that what of the configuration is not used.
    `failure` is what kept vectors from being stored, after all else was.
    """

    added: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    skipped: tuple[Skipped, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    documents: int = 0
    chunks: int = 0
    seconds: float = 0.0
    rebuilt: str | None = None
    dry_run: bool = False
    interrupted: bool = False
    vectors: int = 0
    pending_vectors: int = 0
    warnings: tuple[str, ...] = ()
    failure: LeafmarkError | None = None


class Size(NamedTuple):
    """What a chunk holds with its heading and all below it."""

    tokens: int
    bytes: int


class Shown(NamedTuple):
    """One thing asked for by id, read from its source.

    `record` is the whole chunk record with `body`; `heading` the heading
    lines and `full_text` the whole section (document: the file) as text; `raw`
    the exact bytes of heading and section. All of them are None when `stale`.
    `own_ranges` are the bytes of its own text, that of its pieces included, where it was
    asked for alone: then `full_text` and `raw` are that text.
    `lines` are those asked for of it: then `full_text`, `raw` and `own_ranges` are of these alone.
    `section` is what was asked for where the chunk is larger and holds it: the strategy made
    none of it. Then `heading`, `full_text` and `raw` are its.
    `readable` is what a person reads of it where the bytes are markup.
    `passages` and `expanded` are as in `Result`. `sizes` are those of the chunk and
    its `children`, by position, where they were asked for.
    """

    entry: Entry
    document: DocumentEntry
    record: Mapping[str, Any]
    heading: str | None
    body: str | None
    full_text: str | None
    raw: bytes | None
    children: tuple[Entry, ...] = ()
    stale: bool = False
    passages: tuple[Passage | Omission, ...] | None = None
    expanded: tuple[Related, ...] = ()
    sizes: Mapping[int, Size] = {}
    readable: str | None = None
    own_ranges: tuple[tuple[int, int], ...] | None = None
    section: Chunk | None = None
    lines: tuple[int, int] | None = None

    def __repr__(self) -> str:
        return f"<Shown {self.entry.id}{', changed since' if self.stale else ''}>"

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def read_text(self) -> str | None:
        """`readable`, or `full_text` where the bytes are their text."""
        return self.full_text if self.readable is None else self.readable


class ShowReport(NamedTuple):
    """Answers in the order of the ids; `not_found` pairs an id with the nearest ones.

    `packing`, `omission` and `tokenizer` are as in `Answer`, and so are `hints` in the library.
    """

    shown: tuple[Shown, ...] = ()
    not_found: tuple[tuple[str, tuple[str, ...]], ...] = ()
    packing: Packing | None = None
    omission: Omission | None = None
    tokenizer: str = "o200k_base"
    hints: tuple[Hint, ...] = ()


class FolderEntry(NamedTuple):
    """A folder of a tree, or a tree: `id` ends with `/` or `:`, and begins all ids inside."""

    id: str
    documents: int


class TreeStatus(NamedTuple):
    """One tree of the project; `scope` is `local` or `global`, `bytes` counts the sources.

    The `path` of a tree that other machines index into a cluster is empty.
    """

    name: str
    path: str
    scope: str
    documents: int = 0
    chunks: int = 0
    bytes: int = 0
    missing: bool = False


class ClusterState(NamedTuple):
    """How the cluster is that holds an index.

    `status` is its own word: green, yellow where copies are missing, red where parts of the index
    are. `shards` and `missing_shards`, copies included, are those of the index alone.
    """

    name: str
    version: str
    status: str
    nodes: int
    shards: int
    missing_shards: int

    @property
    def is_degraded(self) -> bool:
        """Whether answers lack a part of the index."""
        return self.status == "red"


class StatusReport(NamedTuple):
    """The state of a project's index; where it `exists` and cannot be read, a warning says why."""

    config_files: tuple[str, ...] = ()
    index_dir: str = ""
    trees: tuple[TreeStatus, ...] = ()
    pending_vectors: int = 0
    warnings: tuple[str, ...] = ()
    exists: bool = False
    bytes: int = 0
    lock_holder: str | None = None
    skipped: tuple[Skipped, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    cluster: ClusterState | None = None
    age_s: float | None = None
    """How long ago somebody last looked at all sources; None where that is done when one asks."""


class SettingOrigin(NamedTuple):
    """One setting in force and where it comes from (`default`, a file and line, a flag, …)."""

    name: str
    value: Any
    origin: str = "default"
    note: str = ""


class PermissionRequest(NamedTuple):
    """One thing that a project's file asks for beyond its folder.

    `key` is the setting or tree, `why` a clause that says why it is gated,
    `location` is `path:line`.
    """

    key: str
    why: str
    location: str

    @property
    def notice(self) -> Remedy:
        """Where it stands, why it is not granted, and what grants it."""
        request = f"{self.location}: {self.key} {self.why}"
        return Remedy("untrusted", f"{request}; left out, as it is not trusted", told=request)


class TrustedFile(NamedTuple):
    """One configuration file and the user's approval of what it asks for beyond its folder.

    `state` is `pending` (nothing was approved), `changed` (something else was)
    or `trusted`; of approvals for other folders, `recorded`, or `gone` when there
    is no such file any more. `digest` is that of the permissions, "" where not known.
    """

    path: str
    state: str
    permissions: tuple[PermissionRequest, ...] = ()
    digest: str = ""


class TrustReport(NamedTuple):
    """The configuration files that ask for something, those in force first; then approvals."""

    files: tuple[TrustedFile, ...] = ()
    warnings: tuple[str, ...] = ()


class AgentFile(NamedTuple):
    """One agent file: `state` is `fresh`, `stale` (its block is old or not there) or `missing`.

    `path` is as the user would write it, `target` where it really lies; `before`
    and `after` are the file's bytes as they are and as they should be.
    """

    path: str
    target: str
    state: str
    before: bytes
    after: bytes


class AgentsReport(NamedTuple):
    """The block with its markers, and the files that hold it or should."""

    block: str
    files: tuple[AgentFile, ...] = ()


class LlmsReport(NamedTuple):
    """What was written for programs to read: files, how many documents, and what is not in them.

    `left_out` are ids of documents for which the full text had no room, `stale`
    those whose source changed while it was read.
    """

    paths: tuple[str, ...] = ()
    documents: int = 0
    left_out: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


class WatchEvent(NamedTuple):
    """What happened while an index was kept fresh.

    `kind` is `watching` (by events), `polling` (by the clock, `message` says why),
    `indexed` (with `report`), `missing` and `back` (a tree's folder), or `failed`
    (with `error`; it is tried again).
    """

    kind: str
    message: str = ""
    report: IndexReport | None = None
    error: LeafmarkError | None = None


class Check(NamedTuple):
    """One thing that was looked at; `state` is `ok`, `warning` or `problem`, `hint` what to do."""

    area: str
    state: str
    message: str
    hint: str | None = None


class Migration(NamedTuple):
    """What became of it: documents and chunks of both, and how alike their answers are.

    `missing` are documents whose sources are another now, or nowhere: they are not there.
    `overlap` is the mean share of the first ten results that are the same.
    """

    source: str
    target: str
    documents: int
    chunks: int
    target_documents: int
    target_chunks: int
    overlap: float
    missing: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether counts are the same, but for what is missing, and answers nearly so."""
        same = self.documents == self.target_documents + len(self.missing)
        return same and self.overlap >= 0.98


class DoctorReport(NamedTuple):
    """All checks, in the order in which they were made."""

    checks: tuple[Check, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; warnings are not."""
        return all(check.state != "problem" for check in self.checks)
