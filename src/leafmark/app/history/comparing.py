"""`leafmark diff` compares two states of a project's documents; `leafmark log` follows one section.

A comparison parses only documents whose bytes differ, and, for their links, documents whose bytes
contain a broken name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

from leafmark.app.configuration.project import Project
from leafmark.app.history.sides import (
    FolderSide,
    RevisionSide,
    Side,
    find_revision,
    project_repository,
    tree_prefixes,
)
from leafmark.app.linking import KnownKeys, Links, PlainOrigin, slugs_of, split_target
from leafmark.app.requests import DiffRequest, LogRequest, Progress
from leafmark.app.sources.contents import refuse_contents
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.folders import Tree
from leafmark.app.sources.source_formats import parse_source, unless_broken
from leafmark.chunking import chunk_document
from leafmark.errors import NotFoundError, Remedy, UsageError
from leafmark.history import (
    BrokenLink,
    BrokenName,
    CitedFile,
    CitedOutcome,
    Comparison,
    DiffReport,
    LogEntry,
    Section,
    SectionChange,
    SectionedDocument,
    SectionLog,
    broken_names,
    check_citation,
    compare_documents,
)
from leafmark.history.git import Blobs, ChangedPath, Commit, Repository
from leafmark.model import Diagnostic, DocumentKey, document_id, document_part, tree_name
from leafmark.search.citations import Citation, citation_name, find_citations
from leafmark.suggest import nearest

MAX_NEEDLES = 5_000
"""Broken names to search for in the bytes of unchanged documents; with more, all are parsed."""


def diff_project(
    project: Project, request: DiffRequest, *, progress: Progress | None = None
) -> DiffReport:
    """Return the differences between the two sides that a request names.

    Raises:
        NotFoundError, ForbiddenError, UsageError: there is no such revision, folder or repository.
        StorageError: the repository cannot be read.
    """
    with ExitStack() as stack:
        old, new = (stack.enter_context(side) for side in open_sides(project, request))
        return compare_sides(project, old, new, request, progress=progress)


def open_sides(project: Project, request: DiffRequest) -> tuple[Side, Side]:
    """Return the sides: two folders, two revisions, or a revision and the working files."""
    names = _side_names(request)
    if len(names) == 2 and not request.revisions_only:
        folders = _folders(project, names)
        if folders is not None:
            return folders
    try:
        repository = project_repository(project)
    except NotFoundError as error:
        hint = Remedy("two-folders", str(error.hint))
        raise NotFoundError(error.message, location=error.location, hint=hint) from error
    trees = [project.get_tree(name) for name in request.trees] or list(project.trees)
    old = RevisionSide(trees, repository, find_revision(repository, names[0] if names else "HEAD"))
    if len(names) == 2:
        return old, RevisionSide(trees, repository, find_revision(repository, names[1]))
    if repository.top is None:
        raise UsageError(
            "a bare repository has no working files to compare with",
            location=str(repository.git_dir),
            hint="name two revisions: leafmark diff OLD NEW",
        )
    return old, FolderSide(old.trees, "working files", like=old.commit.oid)


def _side_names(request: DiffRequest) -> list[str]:
    names = [name for name in (request.old, request.new) if name is not None]
    if len(names) == 1 and ".." in names[0]:
        first, dots, last = names[0].partition("..")
        if last.startswith("."):
            raise UsageError(f"{names[0]!r} is not a range", hint="write OLD..NEW, or OLD NEW")
        return [first or "HEAD", last or "HEAD"] if dots else names
    return names


def _folders(project: Project, names: Sequence[str]) -> tuple[Side, Side] | None:
    """Return two sides if both names are existing folders."""
    paths = [Path(os.path.abspath(project.directory / name)) for name in names if "\0" not in name]
    if len(paths) != 2 or not all(map(os.path.isdir, paths)):
        return None
    name = tree_name(paths[1].name)
    sides = [
        FolderSide([Tree(name, path)], label) for path, label in zip(paths, names, strict=True)
    ]
    return sides[0], sides[1]


def compare_sides(
    project: Project,
    old: Side,
    new: Side,
    request: DiffRequest,
    *,
    progress: Progress | None = None,
) -> DiffReport:
    """Return the differences of two open sides, and the names, links and citations they broke."""
    changed = sorted(
        key for key in old.ids.keys() | new.ids.keys() if old.ids.get(key) != new.ids.get(key)
    )
    befores, afters = _Documents(project, old), _Documents(project, new)
    pairs = []
    for done, key in enumerate(changed, start=1):
        before, after = befores.at(key), afters.at(key)
        if key in befores.unreadable or key in afters.unreadable:
            continue  # it cannot be compared: a diagnostic says so
        if not _are_equal(before, after, new):
            pairs.append((before, after))
        if progress is not None:
            progress("comparing", done, len(changed))
    unknown = (befores.unreadable | afters.unreadable) & new.ids.keys()
    unchanged = len(new.ids) - len(unknown) - sum(after is not None for _, after in pairs)
    comparison = compare_documents(
        [before for before, _ in pairs if before is not None],
        [after for _, after in pairs if after is not None],
        unchanged=max(0, unchanged),
    )
    news = [after for _, after in pairs if after is not None]
    broken = tuple(broken_names(comparison, news))
    links = tuple(_broken_links(broken, comparison, old, new, afters)) if request.links else ()
    cited = tuple(_cited(text, comparison, broken, befores, afters) for text in request.texts)
    diagnostics = tuple(dict.fromkeys((*old.diagnostics, *new.diagnostics)))
    return DiffReport(old.label, new.label, comparison, broken, links, cited, diagnostics)


def _are_equal(
    before: SectionedDocument | None, after: SectionedDocument | None, new: Side
) -> bool:
    """Say whether two versions are equal, but for line ends that a checkout wrote."""
    if before is None or after is None:
        return before is after
    data = before.document.data, after.document.data
    if data[0] == data[1]:
        return True
    return isinstance(new, FolderSide) and data[0] == data[1].replace(b"\r\n", b"\n")


class _Documents:
    """The documents of a side by key, each read and parsed at most once."""

    def __init__(self, project: Project, side: Side) -> None:
        self._project = project
        self._known: dict[DocumentKey, SectionedDocument | None] = {}
        self.side = side
        self.unreadable: set[DocumentKey] = set()
        """Sources that exist and cannot be read."""

    def at(self, key: DocumentKey) -> SectionedDocument | None:
        """Return the document; None if it is not a source, or has no text."""
        if key not in self._known:
            self._known[key] = self._read(key) if key in self.side.ids else None
        return self._known[key]

    def uncached(self, key: DocumentKey) -> SectionedDocument | None:
        """Return the document without adding it to the cache."""
        return self._known[key] if key in self._known else self._read(key)

    def _read(self, key: DocumentKey) -> SectionedDocument | None:
        data = self.side.read(key)
        tree = self.side.tree(key[0])
        if data is None:
            self.unreadable.add(key)
            return None
        parsed = read_sections(self._project, tree, key[1], data, "compared")
        if isinstance(parsed, Diagnostic):
            self.side.diagnostics.append(parsed)
            return None
        return parsed


def read_sections(
    project: Project, tree: Tree, path: str, data: bytes, verb: str
) -> SectionedDocument | Diagnostic | None:
    """Return a source as sections, one for each heading; None if its content is refused.

    If the source is broken, return a diagnostic; `verb` as in `unless_broken`.
    """

    def make() -> SectionedDocument:
        options = project.chunking_options(tree)._replace(strategy="heading")
        document = parse_source(tree, path, data, notebook_outputs=options.notebook_outputs)
        return SectionedDocument(chunk_document(document, tree=tree.name, options=options))

    return None if refuse_contents(tree, path, data) else unless_broken(make, path, verb)


def _broken_links(
    broken: Sequence[BrokenName],
    comparison: Comparison,
    old: Side,
    new: Side,
    afters: _Documents,
) -> Iterator[BrokenLink]:
    """Yield the links of the new documents whose targets are broken names."""
    if not broken:
        return
    by_name = {broken_name.name: broken_name for broken_name in broken}
    before = Links(lambda tree, path, slug: None, KnownKeys(old.ids))
    changed = {change.new.key for change in comparison.documents if change.new is not None}
    needles = _needles(broken)
    for key in sorted(new.ids):
        if key not in changed and needles is not None:
            data = new.read(key)
            if data is None or needles.search(data) is None:
                continue
        document = afters.uncached(key)
        if document is not None:
            yield from _links_in(document, by_name, before, old, new)


def _links_in(
    document: SectionedDocument,
    by_name: dict[str, BrokenName],
    before: Links,
    old: Side,
    new: Side,
) -> Iterator[BrokenLink]:
    source = document.document
    origin = PlainOrigin(document.tree, document.path, source.format, source.metadata)
    for link in source.links:
        parts = split_target(link.target)
        if parts is None:
            continue
        path = before.find_path(parts[0], link.kind, origin)
        if path is None:
            continue
        doc_id = document_id(document.tree, path)
        names = [f"{doc_id}#{slug}" for slug in slugs_of(parts[1])] if parts[1] else []
        is_gone = (document.tree, path) not in new.ids
        names = [doc_id, *names] if is_gone else names
        target = next((by_name[name] for name in reversed(names) if name in by_name), None)
        if target is not None:
            line = document.chunked.line_of(link.start)
            yield BrokenLink(document.id, document.path, line, link.target, target)


def _needles(broken: Sequence[BrokenName]) -> re.Pattern[bytes] | None:
    """Return a pattern of the ends of all broken names; None if there are too many."""
    needles = set()
    for broken_name in broken:
        doc_id, _, slug = broken_name.name.partition("#")
        stem = doc_id.rpartition("/")[2].rpartition(":")[2].rpartition(".")[0]
        written = slug or stem
        needles |= {written, quote(written)}
        if slug:
            needles.add(broken_name.old.title)  # a wiki link has the title of a heading
    needles.discard("")
    if len(needles) > MAX_NEEDLES:
        return None
    encoded = sorted(
        (needle.encode("utf-8", "surrogateescape") for needle in needles), key=len, reverse=True
    )
    return re.compile(b"|".join(map(re.escape, encoded)), re.IGNORECASE)


_ID_END = re.compile(r"[\s\"'`()\[\]{}<>,;]")


def _cited(
    text: tuple[str, str],
    comparison: Comparison,
    broken: Iterable[BrokenName],
    befores: _Documents,
    afters: _Documents,
) -> CitedFile:
    """Return the outcomes of the citations in a text, and the broken ids in it."""
    name, content = text
    trees = {key[0] for key in befores.side.ids} | {key[0] for key in afters.side.ids}
    keys = {citation_name(document_id(*key)): key for key in befores.side.ids}
    outcomes: dict[Citation, CitedOutcome] = {}
    sides: dict[Citation, tuple[SectionedDocument, SectionedDocument | None]] = {}
    for citation in (citation._replace(offset=0) for citation in find_citations(content, trees)):
        key = next(
            (keys[doc] for name in citation.names if (doc := document_part(name)) in keys), None
        )
        old = None if key is None else befores.at(key)
        new = None if key is None else afters.at(key)
        outcomes[citation] = check_citation(citation, old, new, comparison)
        if old is not None and outcomes[citation].status in ("changed", "gone"):
            sides[citation] = old, new
    for citation, place in _elsewhere(sides, comparison, afters):
        outcomes[citation] = check_citation(citation, *sides[citation], comparison, elsewhere=place)
    written = {_ID_END.split(content[at:], 1)[0].rstrip(".:") for at in _starts(content, trees)}
    ids = tuple(broken_name for broken_name in broken if broken_name.name in written)
    return CitedFile(name, tuple(outcomes.values()), ids)


def _elsewhere(
    sides: Mapping[Citation, tuple[SectionedDocument, SectionedDocument | None]],
    comparison: Comparison,
    afters: _Documents,
) -> Iterator[tuple[Citation, SectionedDocument]]:
    """Yield the first other document that contains each cited text; changed ones come first.

    Each document is read once, and parsed only if its bytes contain a text.
    """
    texts = {
        citation: old.document.data[citation.start : citation.end]
        for citation, (old, _) in sides.items()
    }
    changed = [document.new.key for document in comparison.documents if document.new is not None]
    for key in (*changed, *sorted(afters.side.ids.keys() - {*changed})):
        if not texts:
            return
        citations = _citations_within(key, texts, afters)
        document = afters.uncached(key) if citations else None
        for citation in citations if document is not None else ():
            assert document is not None
            new = sides[citation][1]
            if (new is None or new.key != key) and texts[citation] in document.document.data:
                del texts[citation]
                yield citation, document


def _citations_within(
    key: DocumentKey, texts: Mapping[Citation, bytes], side: _Documents
) -> list[Citation]:
    """Return the citations whose text a document may contain, by the bytes of its file."""
    data = side.side.read(key) or b""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:  # the cited bytes are UTF-8, those of the file are not
        return list(texts)
    return [citation for citation, text in texts.items() if text and text in data]


def _starts(text: str, trees: Iterable[str]) -> Iterator[int]:
    """Yield the offsets in a text at which the id of a tree may begin."""
    for tree in trees:
        pattern = re.compile(rf"(?<![A-Za-z0-9._-]){re.escape(tree)}:")
        yield from (match.start() for match in pattern.finditer(text))


# The history of one section: an entry for each commit of the main line that added, moved, renamed
# or changed it, newest first, with the section after that commit.

MAX_COMMITS = 100_000
"""Commits of one path to read."""

MAX_DOCUMENTS = 300
"""Documents of one commit in which to search for a section that its own file did not have."""


def log_section(
    project: Project, request: LogRequest, *, progress: Progress | None = None
) -> SectionLog:
    """Return the history of a section, from a revision or the working files backwards.

    Raises:
        NotFoundError: there is no such section (exit code 1), revision or repository.
        ForbiddenError, UsageError, StorageError: the repository cannot be read.
    """
    repository = project_repository(project)
    commit = find_revision(repository, request.at or "HEAD")
    with Blobs(repository) as objects:
        trail = _SectionHistory(project, repository, objects, progress)
        tree, path, slug = trail.find(request.id, commit)
        entries: list[LogEntry] = []
        section = trail.section_at(tree, path, slug, commit)
        if request.at is None:
            working = trail.working(tree, path, slug)
            if working is not None:
                section, uncommitted = _uncommitted(working, section)
                entries += uncommitted
        if section is None and not entries:
            raise trail.unknown(request.id, tree, path, commit)
        if section is not None:
            for entry in trail.back(tree, section, commit):
                entries.append(entry)
                if len(entries) >= request.limit:
                    break
        return SectionLog(request.id, tuple(entries[: request.limit]), trail.ends_at)


def _uncommitted(
    working: Section, committed: Section | None
) -> tuple[Section | None, list[LogEntry]]:
    """Return a working section's counterpart in the last commit, and the uncommitted change."""
    before = [] if committed is None else [committed.owner]
    change = _fate(working, before, [working.owner])
    return change.old, [LogEntry(None, change, working)] if change.is_change else []


class _SectionHistory:
    """Reads the documents of commits, and follows a section through them."""

    def __init__(
        self,
        project: Project,
        repository: Repository,
        objects: Blobs,
        progress: Progress | None,
    ) -> None:
        self._project, self._repository, self._objects = project, repository, objects
        self._progress = progress
        self._shallow = repository.shallow_commits()
        self.ends_at: str | None = None
        self._prefixes = tree_prefixes(project.trees, repository)
        self._trees = [tree for tree in project.trees if tree.name in self._prefixes]

    def find(self, section_id: str, commit: Commit) -> tuple[Tree, str, str | None]:
        """Return the tree, path and slug of an id, which may lack its tree."""
        doc, slug = (
            document_part(section_id),
            section_id.partition("#")[2].partition("~")[0] or None,
        )
        for tree in self._trees:
            for path in self._paths(tree, commit):
                if doc in (document_id(tree.name, path), path):
                    return tree, path, slug
        name, _, path = doc.partition(":")
        tree_named = self._project.tree(name) if path else None
        if tree_named is not None and name in self._prefixes:
            return tree_named, path, slug
        known = [document_id(t.name, p) for t in self._trees for p in self._paths(t, commit)]
        raise NotFoundError(
            f"there is no document {doc!r} at {commit.name or commit.oid[:12]}",
            did_you_mean=nearest(doc, known),
            exit_code=1,
        )

    def _paths(self, tree: Tree, commit: Commit) -> Iterator[str]:
        prefix = self._prefixes[tree.name]
        for entry in self._repository.paths(commit.oid, prefix.rstrip("/")):
            if entry.kind == "file":
                yield entry.path.removeprefix(prefix)

    def section_at(self, tree: Tree, path: str, slug: str | None, commit: Commit) -> Section | None:
        """Return a section at a commit, if it exists there."""
        whole = self._prefixes[tree.name] + path
        for entry in self._repository.paths(commit.oid, os.path.dirname(whole)):
            if entry.path == whole and entry.kind == "file":
                return _named(self._document(tree, path, entry.oid), slug)
        return None

    def working(self, tree: Tree, path: str, slug: str | None) -> Section | None:
        """Return a section of the working files, if it exists there."""
        try:
            data = read_beneath(tree, path)[0]
        except OSError:
            return None
        return _named(self._parsed(tree, path, data), slug)

    def unknown(self, section_id: str, tree: Tree, path: str, commit: Commit) -> NotFoundError:
        """Return the error for an id that names no section of its document."""
        root = self.section_at(tree, path, None, commit)
        known = [] if root is None else [section.id for section in root.owner.sections]
        return NotFoundError(
            f"there is no section {section_id!r}",
            did_you_mean=nearest(section_id, known),
            exit_code=1,
        )

    def back(self, tree: Tree, section: Section, last: Commit) -> Iterator[LogEntry]:
        """Yield the changes of a section by commit, newest first, until it was added.

        In a shallow clone this ends with the oldest commit, which `ends_at` then has.
        """
        current: Section | None = section
        start: Commit | None = last
        while current is not None and start is not None:
            path = self._prefixes[tree.name] + current.path
            commits = self._repository.history(start.oid, [path], limit=MAX_COMMITS)
            start = None
            for commit in commits:
                if self._progress is not None:
                    self._progress("reading", 0, 0)
                if commit.oid in self._shallow:  # without its parents its changes are unknown
                    self.ends_at = commit.oid
                    return
                change = self._change_at(tree, current, commit)
                if change.is_change:
                    yield LogEntry(commit, change, current)
                moved = change.old is not None and change.old.path != current.path
                current = change.old
                if current is None:
                    return
                if moved:
                    start = self._repository.commit(commit.parents[0])
                    break

    def _change_at(self, tree: Tree, section: Section, commit: Commit) -> SectionChange:
        """Return the change by a commit of a section that it contains."""
        if not commit.parents:
            return SectionChange(("added",), None, section)
        paths = self._changed(tree, commit)
        own = next((change for change in paths if change.path == section.path), None)
        if own is None:
            return SectionChange(("unchanged",), section, section)  # only the mode changed
        before = self._pair(tree, own)[0]
        olds, news = ([] if before is None else [before]), [section.owner]
        change = _fate(section, olds, news)
        if change.old is not None or change.parts:
            return change
        others = [change for change in paths if change is not own]
        others.sort(
            key=lambda change: (change.new is not None, _name(change.path) != _name(section.path))
        )
        for other in others[:MAX_DOCUMENTS]:
            old, new = self._pair(tree, other)
            olds += [] if old is None else [old]
            news += [] if new is None else [new]
        return _fate(section, olds, news)

    def _changed(self, tree: Tree, commit: Commit) -> list[ChangedPath]:
        prefix = self._prefixes[tree.name]
        changes = self._repository.changed_paths(commit.parents[0], commit.oid, prefix.rstrip("/"))
        return [change._replace(path=change.path.removeprefix(prefix)) for change in changes]

    def _pair(
        self, tree: Tree, changed: ChangedPath
    ) -> tuple[SectionedDocument | None, SectionedDocument | None]:
        old, new = (
            None if oid is None else self._document(tree, changed.path, oid)
            for oid in (changed.old, changed.new)
        )
        return old, new

    def _document(self, tree: Tree, path: str, oid: str) -> SectionedDocument | None:
        data = self._objects.read(oid, tree.max_file_bytes)
        content = None if data is None else self._repository.large_file(data, tree.max_file_bytes)
        return None if content is None else self._parsed(tree, path, content)

    def _parsed(self, tree: Tree, path: str, data: bytes) -> SectionedDocument | None:
        parsed = read_sections(self._project, tree, path, data, "compared")
        return None if isinstance(parsed, Diagnostic) else parsed


def _name(path: str) -> str:
    return path.rpartition("/")[2].lower()


def _named(document: SectionedDocument | None, slug: str | None) -> Section | None:
    if document is None or not document.sections:
        return None
    if slug is None or slug == "preamble":
        return document.sections[0]
    position = document.names.get(slug)
    return None if position is None else document.sections[position]


def _fate(
    section: Section, olds: Sequence[SectionedDocument], news: Sequence[SectionedDocument]
) -> SectionChange:
    """Return the change that led to `section`."""
    comparison = compare_documents(olds, news)
    old = comparison.matching.old_of.get(section)
    if old is not None:
        return comparison.fates[old]
    whole = next((fate for fate in comparison.fates.values() if section in fate.parts), None)
    if whole is not None:
        return SectionChange(("added",), None, section, parts=(whole.old,) if whole.old else ())
    return SectionChange(("added",), None, section)
