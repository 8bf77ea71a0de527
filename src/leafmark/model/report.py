"""Reports: the answers of the use cases other than search, for the front ends to render."""

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
    """Return the seconds since a time; None where no run has checked all sources yet.

    Never negative, although the time may come from another machine's clock.
    """
    is_known = looked_ns > 1_000_000_000  # a copied index counts as never checked
    return max(0.0, time.time() - looked_ns / 1e9) if is_known else None


def age_in_words(seconds: float) -> str:
    """Return an age in words.

    >>> [age_in_words(each) for each in (5, 100, 7200, 200_000)]
    ['less than a minute ago', '1 minute ago', '2 hours ago', '2 days ago']
    """
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return f"{count_of(int(seconds // length), unit)} ago"
    return "less than a minute ago"


def plural(noun: str, number: int) -> str:
    """Return the noun in the form that agrees with a number.

    >>> plural("token", 1), plural("token", 0)
    ('token', 'tokens')
    """
    return noun if number == 1 else f"{noun}s"


CitationStatus = Literal["ok", "moved", "changed", "gone"]
"""The state of a citation: unchanged, its bytes elsewhere, other bytes in its place, or gone."""


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
    is where the cited bytes stand now: None if they are `changed` or `gone`.
    `current` is the citation to use now: of `place`, or of the changed chunk in its
    present state. `nearest` are the ids most like the id of a chunk that is gone.
    """

    citation: str
    status: CitationStatus
    line: int
    column: int
    place: Place | None = None
    current: str | None = None
    nearest: tuple[str, ...] = ()


class VerifyReport(NamedTuple):
    """The citations of the text called `name`, in order; `hints` as in `Answer` (library only)."""

    name: str
    citations: tuple[Verified, ...] = ()
    hints: tuple[Hint, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of citations of each status."""
        counts: dict[str, int] = dict.fromkeys(get_args(CitationStatus), 0)
        for citation in self.citations:
            counts[citation.status] += 1
        return counts

    @property
    def holds(self) -> bool:
        """Whether there are citations, and all of them are `ok`."""
        return bool(self.citations) and all(citation.status == "ok" for citation in self.citations)


class Skipped(NamedTuple):
    """A source that was left out on purpose; `reason` is one short clause."""

    path: str
    reason: str


class IndexReport(NamedTuple):
    """The result of one indexing run.

    `added`, `modified` and `removed` hold document ids, sorted. A source without text is not a
    document: it is `skipped`, or a diagnostic says why. So `added`, `modified` and `unchanged`
    of a complete run add up to `documents`. A dry run reads no source: it counts new ones as
    added, and compares the file state of known ones; `documents` counts those in the index.
    `vectors` counts the vectors made, `pending_vectors` the chunks without one. `warnings` name
    the unused parts of the configuration first, then the reasons for missing vectors.
    `failure` is the error that kept vectors from being stored after everything else was.
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
    """The size of a chunk with its heading and everything below it."""

    tokens: int
    bytes: int


class Shown(NamedTuple):
    """A chunk or document requested by id, read from its source.

    `record` is the whole chunk record with `body`; `heading` the heading
    lines and `full_text` the whole section (document: the file) as text; `raw`
    the exact bytes of heading and section. All of them are None when `stale`.
    `own_ranges`, for a request of its own text alone, are the bytes of that text, with its
    pieces: then `full_text` and `raw` hold that text.
    `lines` are the requested lines: then `full_text`, `raw` and `own_ranges` cover only these.
    `section` is the requested section if it is not a chunk of the strategy but part of a larger
    one: then `heading`, `full_text` and `raw` are those of the section.
    `readable` is the text without markup where the bytes are markup.
    `passages` and `expanded` are as in `Result`. `sizes`, if requested, are the sizes of the
    chunk and its `children`, by position.
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
    """Answers in the order of the ids; `not_found` pairs an unknown id with the nearest ids.

    `packing`, `omission` and `tokenizer` are as in `Answer`, and so are `hints` (library only).
    """

    shown: tuple[Shown, ...] = ()
    not_found: tuple[tuple[str, tuple[str, ...]], ...] = ()
    packing: Packing | None = None
    omission: Omission | None = None
    tokenizer: str = "o200k_base"
    hints: tuple[Hint, ...] = ()


class FolderEntry(NamedTuple):
    """A folder of a tree, or a tree: `id` ends with `/` or `:` and begins all ids inside it."""

    id: str
    documents: int


class TreeStatus(NamedTuple):
    """One tree of the project; `scope` is `local` or `global`, `bytes` counts the sources.

    `path` is empty for a tree that other machines index into a cluster.
    """

    name: str
    path: str
    scope: str
    documents: int = 0
    chunks: int = 0
    bytes: int = 0
    missing: bool = False


class ClusterState(NamedTuple):
    """The health of the cluster that holds an index.

    `status` is the cluster's own word: green, yellow if copies are missing, red if parts of the
    index are. `shards` and `missing_shards` count the index's own, copies included.
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
    """The state of a project's index; if it `exists` but cannot be read, a warning says why."""

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
    """Seconds since the last check of all sources; None if each request checks them."""


class SettingOrigin(NamedTuple):
    """One setting in force and where it comes from (`default`, a file and line, a flag, …)."""

    name: str
    value: Any
    origin: str = "default"
    note: str = ""


class PermissionRequest(NamedTuple):
    """One permission beyond its folder that a project's file requests.

    `key` is the setting or tree, `why` a clause that says why it is gated,
    `location` is `path:line`.
    """

    key: str
    why: str
    location: str

    @property
    def notice(self) -> Remedy:
        """The message with its location, why it is not granted, and how to grant it."""
        request = f"{self.location}: {self.key} {self.why}"
        return Remedy("untrusted", f"{request}; left out, as it is not trusted", told=request)


class TrustedFile(NamedTuple):
    """One configuration file and the user's approval of its requests beyond its folder.

    `state` is `pending` (nothing was approved), `changed` (other requests were)
    or `trusted`; approvals for other folders are `recorded`, or `gone` if the file no longer
    exists. `digest` is the hash of the permissions, "" if unknown.
    """

    path: str
    state: str
    permissions: tuple[PermissionRequest, ...] = ()
    digest: str = ""


class TrustReport(NamedTuple):
    """The configuration files with requests, those in force first; then recorded approvals."""

    files: tuple[TrustedFile, ...] = ()
    warnings: tuple[str, ...] = ()


class AgentFile(NamedTuple):
    """One agent file: `state` is `fresh`, `stale` (its block is old or not there) or `missing`.

    `path` is the path as the user writes it, `target` the resolved one; `before`
    and `after` are the file's present bytes and the desired ones.
    """

    path: str
    target: str
    state: str
    before: bytes
    after: bytes


class AgentsReport(NamedTuple):
    """The block with its markers, and the files that hold it or should hold it."""

    block: str
    files: tuple[AgentFile, ...] = ()


class LlmsReport(NamedTuple):
    """The files written for programs, the number of documents in them, and omitted documents.

    `stale` are the ids of documents whose source changed during reading.
    """

    paths: tuple[str, ...] = ()
    documents: int = 0
    stale: tuple[str, ...] = ()


class WatchEvent(NamedTuple):
    """An event of watching an index's sources.

    `kind` is `watching` (by events), `polling` (by the clock, `message` says why),
    `indexed` (with `report`), `missing` and `back` (a tree's folder), or `failed`
    (with `error`; the watcher tries again).
    """

    kind: str
    message: str = ""
    report: IndexReport | None = None
    error: LeafmarkError | None = None


class Check(NamedTuple):
    """One check; `state` is `ok`, `warning` or `problem`, and `hint` says what to do."""

    area: str
    state: str
    message: str
    hint: str | None = None


class Migration(NamedTuple):
    """The result of a migration: the counts of both indexes and how far their answers agree.

    `missing` are documents that were not copied: their sources have changed or are gone.
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
        """Whether the counts agree, except for missing documents, and the answers nearly do."""
        same = self.documents == self.target_documents + len(self.missing)
        return same and self.overlap >= 0.98


class DoctorReport(NamedTuple):
    """All checks, in the order of their execution."""

    checks: tuple[Check, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is no problem; warnings are not problems."""
        return all(check.state != "problem" for check in self.checks)
