"""One section back through time: when it came, moved, was renamed and changed.

In: an id and a revision at which it stands. Out: an entry for each commit of the main line that
did something to the section, newest first, with the section as that commit left it. A commit that
touched only other sections of the file is none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from leafmark.app.configuration.project import Project
from leafmark.app.history.comparing import read_sections
from leafmark.app.history.sides import find_revision, project_repository, tree_prefixes
from leafmark.app.requests import LogRequest, Progress
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.trees import Tree
from leafmark.errors import NotFoundError
from leafmark.history import (
    LogEntry,
    Section,
    SectionChange,
    SectionedDocument,
    SectionLog,
    compare_documents,
)
from leafmark.history.git import Blobs, ChangedPath, Commit, Repository
from leafmark.model import Diagnostic, document_id, document_part
from leafmark.suggest import nearest

MAX_COMMITS = 100_000
"""Commits of one path that are looked at."""

MAX_DOCUMENTS = 300
"""Documents of one commit in which a section is looked for that its own file did not have."""


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
        trail = _Trail(project, repository, objects, progress)
        tree, path, slug = trail.find(request.id, commit)
        entries: list[LogEntry] = []
        section = trail.section_at(tree, path, slug, commit)
        if request.at is None:
            working = trail.working(tree, path, slug)
            if working is not None:
                section, found = _uncommitted(working, section)
                entries += found
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
    """Return what a section of a working file is in the last commit, and what was done since."""
    before = [] if committed is None else [committed.owner]
    change = _fate(working, before, [working.owner])
    return change.old, [LogEntry(None, change, working)] if change.is_change else []


class _Trail:
    """Reads documents of commits."""

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

    def find(self, wanted: str, commit: Commit) -> tuple[Tree, str, str | None]:
        """Return tree, path and slug that an id means; the tree may be left out."""
        doc, slug = document_part(wanted), wanted.partition("#")[2].partition("~")[0] or None
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
        """Return a section at a commit, None where it is not there."""
        whole = self._prefixes[tree.name] + path
        for entry in self._repository.paths(commit.oid, os.path.dirname(whole)):
            if entry.path == whole and entry.kind == "file":
                return _named(self._document(tree, path, entry.oid), slug)
        return None

    def working(self, tree: Tree, path: str, slug: str | None) -> Section | None:
        """Return a section of the working files, None where it is not there."""
        try:
            data = read_beneath(tree, path)[0]
        except OSError:
            return None
        return _named(self._parsed(tree, path, data), slug)

    def unknown(self, wanted: str, tree: Tree, path: str, commit: Commit) -> NotFoundError:
        """Return what to say of an id that names no section of its document."""
        root = self.section_at(tree, path, None, commit)
        known = [] if root is None else [section.id for section in root.owner.sections]
        return NotFoundError(
            f"there is no section {wanted!r}", did_you_mean=nearest(wanted, known), exit_code=1
        )

    def back(self, tree: Tree, section: Section, last: Commit) -> Iterator[LogEntry]:
        """Yield what each commit did to a section, newest first, until it came.

        In a shallow clone this ends with what is here, and `ends_at` says where.
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
                if commit.oid in self._shallow:  # what it did to the section is not known
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
        """Return what a commit did to a section that stands in it."""
        if not commit.parents:
            return SectionChange(("added",), None, section)
        paths = self._changed(tree, commit)
        own = next((one for one in paths if one.path == section.path), None)
        if own is None:
            return SectionChange(("unchanged",), section, section)  # it became executable
        before = self._pair(tree, own)[0]
        olds, news = ([] if before is None else [before]), [section.owner]
        change = _fate(section, olds, news)
        if change.old is not None or change.parts:
            return change
        others = [one for one in paths if one is not own]
        others.sort(key=lambda one: (one.new is not None, _name(one.path) != _name(section.path)))
        for each in others[:MAX_DOCUMENTS]:
            old, new = self._pair(tree, each)
            olds += [] if old is None else [old]
            news += [] if new is None else [new]
        return _fate(section, olds, news)

    def _changed(self, tree: Tree, commit: Commit) -> list[ChangedPath]:
        prefix = self._prefixes[tree.name]
        found = self._repository.changed_paths(commit.parents[0], commit.oid, prefix.rstrip("/"))
        return [one._replace(path=one.path.removeprefix(prefix)) for one in found]

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
        found = read_sections(self._project, tree, path, data, "compared")
        return None if isinstance(found, Diagnostic) else found


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
    """Return what became of the section that is `section` now."""
    comparison = compare_documents(olds, news)
    old = comparison.matching.old_of.get(section)
    if old is not None:
        return comparison.fates[old]
    whole = next((one for one in comparison.fates.values() if section in one.parts), None)
    if whole is not None:
        return SectionChange(("added",), None, section, parts=(whole.old,) if whole.old else ())
    return SectionChange(("added",), None, section)
