"""`leafmark lint`: the findings about documents that are hard to find or to cite.

Each document is read once; afterwards only the facts for rules about all documents stay in memory.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

from leafmark.app.configuration.project import Project
from leafmark.app.history.comparing import read_sections
from leafmark.app.history.sides import FolderSide, RevisionSide, find_revision, project_repository
from leafmark.app.indexing.scanning import find_place, is_below
from leafmark.app.linking import KnownKeys, Links, slugs_of, split_target
from leafmark.app.requests import LintRequest, Progress
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.ignore import parse_rules
from leafmark.errors import UsageError, reason_of
from leafmark.history import SectionedDocument
from leafmark.lint import (
    LEVELS,
    RULES,
    Baseline,
    Collection,
    DocumentFacts,
    Finding,
    LinkFact,
    LinkOutcome,
    LintReport,
    Silences,
    check_collection,
    check_document,
    check_missed,
    facts_of,
    included_pages,
    read_silences,
    with_confirmed,
)
from leafmark.model import Diagnostic, DocumentKey, document_id
from leafmark.suggest import choices_hint

_SUFFIXES = frozenset(
    (".md", ".markdown", ".mdx", ".rst", ".adoc", ".html", ".htm", ".xhtml", ".txt", ".ipynb")
)
"""Suffixes of files that must exist if a link leads to them; a site's build may create others."""

_TEMPLATE = re.compile(r"[{}<>$%*|]|\.\.\.")
"""Marks of a template or an example in a target."""

_NO_ANCHORS = re.compile(r"(?:L\d+.*|:~:.*|!.*|/.*|__.*|top|start|-|)", re.IGNORECASE)
"""Fragments that are no anchors: lines of code, texts, routes, the top."""

_TERMS = re.compile(rb"^[ \t]*([^\s:][^\n]*)\n(?:[ \t]*\n)?[ \t]*:[ \t]", re.MULTILINE)
"""Terms in lists of definitions; some generators give them anchors."""

_NUMBERED = re.compile(r"-\d+$")
_SIGNS = re.compile(r"[\W_]+")


def lint_project(
    project: Project, request: LintRequest, *, progress: Progress | None = None
) -> LintReport:
    """Return the findings about the project's documents, as they are now.

    Levels, disabled rules, ignored paths and the baseline are those of the configuration, unless
    the request has others.

    Raises:
        UsageError: a rule is unknown, a path is in no tree, or the configured baseline is invalid.
        NotFoundError: a path does not exist.
        NotFoundError, ForbiddenError, StorageError: see `diff_project`; only with `since`.
    """
    _check_names(request)
    run = _Run(project, request)
    levels = project.configuration.lint.levels
    findings = [
        finding._replace(level=levels.get(finding.rule, finding.level))
        for finding in run.all_findings(progress)
    ]
    missed = {finding.section_id for finding in findings if finding.rule == "missed-query"}
    findings = list(with_confirmed(findings, missed))
    reported = [
        finding
        for finding in findings
        if not run.is_silenced(finding) and not run.is_ignored(finding)
    ]
    silenced = len(findings) - len(reported)
    if request.rules:
        reported = [finding for finding in reported if finding.rule in request.rules]
    reported = [finding for finding in reported if run.is_chosen(finding.doc_id)]
    baseline = request.baseline or _configured_baseline(project)
    new = reported if baseline is None else list(baseline.new_among(_ordered(reported)))
    return LintReport(
        tuple(_ordered(new)),
        documents=sum(run.is_chosen(document.doc_id) for document in run.facts),
        silenced=silenced,
        known=len(reported) - len(new),
        diagnostics=run.diagnostics,
    )


def _check_names(request: LintRequest) -> None:
    for name in (*request.rules, *request.off):
        if name not in RULES:
            raise UsageError(f"there is no rule `{name}`", hint=choices_hint(name, tuple(RULES)))


def _configured_baseline(project: Project) -> Baseline | None:
    path = project.configuration.lint.baseline
    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the baseline cannot be read: {reason_of(error)}",
            location=str(path),
            hint=f"leafmark lint --write-baseline {path.name} writes it",
        ) from error
    return Baseline.parse(text, str(path))


def _ordered(findings: Iterable[Finding]) -> list[Finding]:
    def place(finding: Finding) -> tuple[object, ...]:
        return (
            not finding.confirmed,
            LEVELS.index(finding.level),
            finding.doc_id,
            finding.line,
            finding.rule,
        )

    return sorted(findings, key=place)


class _Run:
    """The state of one run: facts, silences and diagnostics of the documents."""

    def __init__(self, project: Project, request: LintRequest) -> None:
        self._project, self._request = project, request
        names = request.trees or [tree.name for tree in project.trees]
        self._trees = [project.get_tree(name) for name in names]
        settings = project.configuration.lint
        self._off = {*request.off, *(settings.off - {*request.rules})}
        self._ignored = parse_rules(settings.ignore)
        self._silences: dict[str, Silences] = {}
        self.facts: list[DocumentFacts] = []
        self._files = FolderSide(self._trees, "")
        self._keys = self._files.keys
        self._chosen = self._choose()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(dict.fromkeys(self._files.diagnostics))

    def _changed_since(self, revision: str) -> frozenset[str]:
        """Return the documents whose bytes differ from those at a revision."""
        repository = project_repository(self._project)
        commit = find_revision(repository, revision)
        with ExitStack() as stack:
            old = stack.enter_context(RevisionSide(self._trees, repository, commit))
            new = FolderSide(self._trees, "", like=commit.oid)
            return frozenset(
                document_id(*key) for key, oid in new.ids.items() if old.ids.get(key) != oid
            )

    def is_chosen(self, doc_id: str) -> bool:
        """Say whether the request includes a document."""
        return self._chosen is None or doc_id in self._chosen

    def _choose(self) -> frozenset[str] | None:
        """Return the documents that the request includes; None stands for all."""
        request = self._request
        if request.since is None and not request.paths:
            return None
        places = [find_place(self._project, path).prefix for path in request.paths]
        ids = (document_id(*key) for key in self._keys if not places or is_below(*key, places))
        if request.since is None:
            return frozenset(ids)
        return self._changed_since(request.since).intersection(ids)

    def is_silenced(self, finding: Finding) -> bool:
        silences = self._silences.get(finding.doc_id)
        return silences is not None and silences.covers(finding.rule, finding.line)

    def is_ignored(self, finding: Finding) -> bool:
        return self._ignored.covers(finding.path)

    def all_findings(self, progress: Progress | None) -> Iterator[Finding]:
        for done, key in enumerate(self._keys, start=1):
            document = self._read(key)
            if progress is not None:
                progress("checking", done, len(self._keys))
            if document is None or not document.sections:
                continue
            self._silences[document.id] = read_silences(document, self._off)
            self.facts.append(facts_of(document))
            missed = [query for query in self._request.missed if query.doc_id == document.id]
            yield from check_missed(document, missed)
            if self.is_chosen(document.id):
                yield from check_document(document)
        follow = _LinkFollower(self._project, self._keys, self.facts).follow
        yield from check_collection(Collection(self.facts, follow))

    def _read(self, key: DocumentKey) -> SectionedDocument | None:
        data = self._files.read(key)
        tree = self._files.tree(key[0])
        if data is None:
            return None
        parsed = read_sections(self._project, tree, key[1], data, "checked")
        if isinstance(parsed, Diagnostic):
            self._files.diagnostics.append(parsed)
            return None
        return parsed


class _LinkFollower:
    """Follows links among sources, and to other files below the roots of their trees."""

    def __init__(
        self, project: Project, keys: Iterable[DocumentKey], documents: Iterable[DocumentFacts]
    ) -> None:
        self._project = project
        self._links = Links(lambda tree, path, slug: None, KnownKeys(frozenset(keys)))
        self._documents = {(document.tree, document.path): document for document in documents}
        self._plain: dict[DocumentKey, frozenset[str]] = {}
        self._included = frozenset(included_pages(self._documents.values()))

    def follow(self, document: DocumentFacts, link: LinkFact) -> LinkOutcome:
        parts = split_target(link.target)
        if parts is None or _TEMPLATE.search(link.target) or not link.target.strip():
            return LinkOutcome("outside")
        path, fragment = parts
        target = self._links.find_path(path, link.kind, document)
        if target is None:
            return LinkOutcome(self._state_of_file(document, path, link.kind))
        key = document.tree, target
        doc_id = document_id(*key)
        if not fragment or key not in self._documents:
            return LinkOutcome("ok", doc_id)
        if self._has_place(key, fragment, is_own=not path):
            return LinkOutcome("ok", doc_id)
        return LinkOutcome("anchor", doc_id)

    def _state_of_file(self, document: DocumentFacts, path: str, kind: str) -> str:
        if kind == "wiki":
            return "outside"  # the page may not be written yet
        if not path or path[0] in "/@~" or ":" in path or "base" in document.metadata:
            return "outside"  # a path of the site, whose top is unknown, or of another module
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(document.path), path))
        if joined == ".." or joined.startswith("../"):
            return "outside"
        root = self._project.get_tree(document.tree).root
        if self._exists(root, joined):
            return "ok"
        if not self._exists(root, posixpath.dirname(joined)):
            return "outside"  # the folder is elsewhere, or a site's build creates it
        suffix = posixpath.splitext(joined)[1].lower()
        if suffix in (".html", ".htm", ".xhtml") and document.format != "html":
            return "outside"  # a site's build may create the page from a source
        is_file = suffix in _SUFFIXES if kind != "image" else bool(suffix)
        return "file" if is_file else "outside"

    @staticmethod
    def _exists(root: Path, path: str) -> bool:
        try:
            return os.path.lexists(root / path)
        except (OSError, ValueError):
            return False

    def _has_place(self, key: DocumentKey, fragment: str, *, is_own: bool) -> bool:
        document = self._documents[key]
        if _NO_ANCHORS.fullmatch(fragment) or document.format in ("script", "text", "notebook"):
            return True
        if any(slug in document.names for slug in slugs_of(fragment)):
            return True
        if document.includes or document.doc_id in self._included:
            return True  # the page consists of several files
        if document.is_drawn and not document.names:
            return True
        if is_own and (document.format == "rst" or _folded(fragment) in self._all_names):
            return True  # a label of the project, or of another part of the same page
        return _folded(fragment) in self._plain_names(key) or self._is_written(key, fragment)

    @cached_property
    def _all_names(self) -> frozenset[str]:
        """The names and anchors of all documents, folded."""
        names: set[str] = set()
        for (_, path), document in self._documents.items():
            names.add(_folded(posixpath.splitext(posixpath.basename(path))[0]))
            names.update(map(_folded, document.names))
        return frozenset(names)

    def _plain_names(self, key: DocumentKey) -> frozenset[str]:
        """Return the anchors of a document, folded."""
        if key not in self._plain:
            self._plain[key] = frozenset(map(_folded, self._documents[key].names))
        return self._plain[key]

    def _is_written(self, key: DocumentKey, fragment: str) -> bool:
        """Say whether the source has an id that names no section, or defines the term."""
        try:
            data = read_beneath(self._project.get_tree(key[0]), key[1])[0]
        except OSError:
            return True
        terms = {_folded(term.decode("utf-8", "replace")) for term in _TERMS.findall(data)}
        if not terms.isdisjoint((_folded(fragment), _folded(_NUMBERED.sub("", fragment)))):
            return True
        name = re.escape(fragment.encode("utf-8", "surrogatepass"))
        pattern = rb"(?:\b(?:id|name)\s*=\s*[\"']?|[{ ]#|\[\[|\^|^[ \t]*\.\. _)" + name + rb"\b"
        return re.search(pattern, data, re.IGNORECASE | re.MULTILINE) is not None


def _folded(name: str) -> str:
    """Return the name without case and signs, in which generators of anchors differ."""
    return _SIGNS.sub("", name.casefold())
