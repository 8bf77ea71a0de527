"""`leafmark doctor`: check installation, configuration, sources and index, and suggest remedies.

Nothing is written. Every byte of the index is read, which no other command does. If a check fails,
the others still run.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path

from leafmark.app.background import reranker_spec
from leafmark.app.cluster_index import RemoteIndex
from leafmark.app.configuration.project import Project, open_project
from leafmark.app.embedder import embedder_spec, index_vectors, lost_vectors, vector_model
from leafmark.app.indexing.outcome import is_document, source_notes
from leafmark.app.indexing.refreshing import read_index
from leafmark.app.indexing.scanning import Scan, scan
from leafmark.app.indexing.source_changes import plan_changes
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.walk import SourceFile
from leafmark.embedding import EmbedderSpec, load_numpy, open_embedder, open_reranker
from leafmark.environment import install_extra
from leafmark.errors import ConfigError, LeafmarkError, NotFoundError, reason_of
from leafmark.index import IndexReader, Manifest, check_index, has_index
from leafmark.index.embedded.checking import note_damage
from leafmark.index.engine import NO_RIGHT
from leafmark.index.folder import OTHER_LEAFMARK, has_other, read_missing, view_path
from leafmark.index.lock import lock_holder
from leafmark.index.vector_view import read_view
from leafmark.index.vectors import has_whole_documents, stored_model, vector_folder
from leafmark.model import Check, ClusterState, DoctorReport, age_in_words, age_of, count_of


def examine(
    directory: Path, *, flags: Mapping[str, object], environ: Mapping[str, str]
) -> DoctorReport:
    """Return the results of all checks of the installation and of a folder's project."""
    checks = list(check_installation())
    try:
        project = open_project(directory, flags=flags, environ=environ)
    except LeafmarkError as error:
        checks.append(_failure("configuration", error))
        return DoctorReport(tuple(checks))
    checks += _configuration(project)
    scan_result = scan(project, ())
    checks += _trees(project, scan_result)
    reader, findings = _index(project)
    checks += findings
    if all(check.state != "problem" for check in findings):
        checks += _place(project.index_dir)
    checks += check_vectors(project, reader, environ)
    checks += check_reranker(project)
    checks += _sources(project, scan_result, reader)
    return DoctorReport(tuple(checks))


def _failure(area: str, error: LeafmarkError) -> Check:
    return Check(area, "problem", error.placed_message, error.hint)


def _configuration(project: Project) -> Iterator[Check]:
    files = project.configuration.config_files
    named = ", ".join(map(str, files)) if files else "no file, the defaults are in force"
    yield Check("configuration", "ok", named)
    for warning in project.configuration.warnings:
        yield Check("configuration", "warning", warning)
    yield from dict.fromkeys(_misfits(project))


def _misfits(project: Project) -> Iterator[Check]:
    """Yield a problem for each tree whose chunking settings contradict each other."""
    for tree in project.trees:
        try:
            project.chunking_options(tree)
        except ConfigError as error:
            yield _failure("configuration", error)


def _trees(project: Project, scan_result: Scan) -> Iterator[Check]:
    if not project.trees:
        hint = "`leafmark init` writes a configuration with one"
        yield Check("trees", "warning", "there is no tree to search", hint)
    for tree in project.trees:
        if tree.is_missing:
            message = f"the folder of tree {tree.name!r} is missing: {tree.root}"
            yield Check("trees", "problem", message, "correct its path, or bring the folder back")
            continue
        count = sum(source.tree == tree.name for source in scan_result.sources)
        if count:
            yield Check("trees", "ok", f"{tree.name}: {count_of(count, 'source')} in {tree.root}")
        else:
            hint = "`leafmark status -v` lists the files that are left out, and the reasons"
            yield Check("trees", "warning", f"{tree.name}: no sources in {tree.root}", hint)


def _index(project: Project) -> tuple[IndexReader | None, list[Check]]:
    """Return the index, or None if it cannot be used, and the checks of it."""
    if project.remote is not None:
        return _cluster(project, project.remote)
    root = project.index_dir
    try:
        if not has_index(root):
            hint = "`leafmark index` or the first search creates it"
            if has_other(root):
                return None, [Check("index", "ok", f"there is none yet: {OTHER_LEAFMARK}", hint)]
            return None, [Check("index", "ok", f"there is none yet, it will be in {root}", hint)]
        reader = read_index(project)
        problems = check_index(root)
    except LeafmarkError as error:
        return None, [_failure("index", error)]
    again = "the next run rebuilds it: leafmark index"
    if problems:
        note_damage(root)
        return None, [Check("index", "problem", problem, again) for problem in problems]
    assert reader is not None
    meta = reader.meta
    checks = [
        Check("index", "ok", f"{count_of(meta.documents, 'document')}, every byte sound, in {root}")
    ]
    checks += _index_notes(project, reader)
    return reader, checks


def _cluster(project: Project, remote: RemoteIndex) -> tuple[IndexReader | None, list[Check]]:
    """Return the index in a cluster, and the checks of both."""
    checks = list[Check]()
    try:
        health = remote.health()
        checks += _missing_shards(health)
        reader = project.open_reader()
    except NotFoundError as error:
        return None, [*checks, Check("index", "ok", error.placed_message, error.hint)]
    except LeafmarkError as error:
        return None, [*checks, _failure("index", error)]
    nodes, shards = count_of(health.nodes, "node"), count_of(health.shards, "shard")
    about = f"{health.version}, {nodes}, {shards}"
    documents = count_of(reader.meta.documents, "document")
    checks.append(Check("index", "ok", f"{documents} in {remote.location} ({about})"))
    age_s = age_of(reader.looked_ns)
    if age_s is not None:
        message = f"the last run read its sources {age_in_words(age_s)}"
        checks.append(Check("index", "ok", message))
    if reader.fingerprint not in ("", project.index_options().fingerprint):
        message = "the settings have changed: the next `leafmark index` rebuilds it"
        checks.append(Check("index", "ok", message))
    return reader, checks


def _missing_shards(cluster: ClusterState) -> Iterator[Check]:
    if cluster.missing_shards:
        many = count_of(cluster.missing_shards, "shard")
        level = "problem" if cluster.is_degraded else "warning"
        missing = "answers are incomplete" if cluster.is_degraded else "only copies are missing"
        message = f"{many} of the index without a node, the cluster is {cluster.status}: {missing}"
        yield Check("index", level, message, "start the missing nodes")


def _index_notes(project: Project, reader: IndexReader) -> Iterator[Check]:
    root = project.index_dir
    if reader.fingerprint != project.index_options().fingerprint:
        yield Check("index", "ok", "the settings have changed: the next run rebuilds it")
    holder = lock_holder(root / "LOCK")
    if holder is not None:
        yield Check("index", "ok", f"it is being written by {holder}")
    for message in read_missing(root).values():
        hint = "if no disk is missing, `leafmark index --prune` forgets them"
        yield Check("index", "warning", message, hint)


def _place(root: Path) -> Iterator[Check]:
    """Yield a problem if a run could not write in `root`, which may not exist yet."""
    folder = next(folder for folder in (root, *root.parents) if os.path.lexists(folder))
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        problem = "it cannot be written" if folder == root else "it cannot be created"
        yield Check("index", "problem", f"{problem}: {folder}", NO_RIGHT)


def _sources(project: Project, scan_result: Scan, reader: IndexReader | None) -> Iterator[Check]:
    _, diagnostics = source_notes(scan_result, reader)
    if diagnostics:
        many, first = count_of(len(diagnostics), "diagnostic"), diagnostics[0]
        message = f"{many}, the first of {first.path}: {first.message}"
        yield Check("sources", "warning", message, "`leafmark status -v` lists them all")
    else:
        yield Check("sources", "ok", "all indexed sources could be read")
    if reader is not None:
        plan = plan_changes(scan_result, reader.manifest, last_run_ns=reader.looked_ns)
        changed = len(plan.added) + len(plan.suspects) + len(plan.removed)
        if changed:
            message = f"{changed:,} may have changed: the next run reads them"
            yield Check("sources", "ok", message)
        yield from _unreadable(project, plan.suspects, reader.manifest)


def _unreadable(
    project: Project, suspects: Iterable[SourceFile], manifest: Manifest
) -> Iterator[Check]:
    """Yield a warning about documents in the index whose files can no longer be read."""
    trees = {tree.name: tree for tree in project.trees}
    unread = list[str]()
    for source in suspects:
        if is_document(manifest, (source.tree, source.path)):
            try:
                read_beneath(trees[source.tree], source.path)
            except OSError as error:
                unread.append(f"{source.path}: {reason_of(error)}")
    if unread:
        many = count_of(len(unread), "document")
        message = f"{many} kept though files cannot be read, the first {unread[0]}"
        hint = "make them readable, or forget the documents with `leafmark index --prune`"
        yield Check("sources", "warning", message, hint)


# The installation: required packages and extras, by the metadata of the package. Whether their
# versions are compatible, `pip check` says.

_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"""\bextra\s*==\s*["']([^"']+)["']""")
_AREA = "installation"


def check_installation() -> Iterator[Check]:
    """Yield the versions, then the missing packages, then the extras."""
    own = _installed("leafmark") or "of no known version"
    python = ".".join(map(str, sys.version_info[:3]))
    yield Check(_AREA, "ok", f"leafmark {own}, Python {python} on {sys.platform}")
    try:
        requirements = _requirements()
    except metadata.PackageNotFoundError:
        yield Check(
            _AREA,
            "warning",
            "leafmark was not installed by a package manager: its requirements are not checked",
            "install it: pip install leafmark",
        )
        return
    for name in requirements.pop("", ()):
        if _installed(name) is None:
            hint = f"install leafmark again: {install_extra(again=True)}"
            yield Check(_AREA, "problem", f"{name} is not installed", hint)
    for extra, names in requirements.items():
        missing = [name for name in names if _installed(name) is None]
        state = f"is incomplete without {', '.join(missing)}" if missing else "is installed"
        if missing == names:  # some may be there because another package needs them
            state = "is not installed"
        yield Check("extras", "ok", f"{extra} {state}", install_extra(extra) if missing else None)


def _requirements() -> dict[str, list[str]]:
    """Return the packages that leafmark requires, by extra; "" has those for all.

    Raises:
        PackageNotFoundError: leafmark was not installed by a package manager.
    """
    requirements: dict[str, list[str]] = {}
    for text in metadata.requires("leafmark") or ():
        package, extra = _REQUIREMENT.match(text), _EXTRA.search(text)
        if package is not None:
            requirements.setdefault(extra[1] if extra else "", []).append(package[0])
    requirements.pop("all", None)
    return requirements


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


# The embedder, its vectors, and the reranker. The embedder computes one vector of a query, in one
# attempt; the reranker rates one text.

_QUESTION = "What answers this question?"


def check_vectors(
    project: Project, reader: IndexReader | None, environ: Mapping[str, str]
) -> Iterator[Check]:
    """Yield checks of the embedder and the vectors; none if the settings name no embedder."""
    spec = embedder_spec(project, environ)
    if spec is None:
        return
    try:
        load_numpy()
        name = vector_model(spec).name
    except LeafmarkError as error:
        yield Check("embedder", "problem", error.placed_message, error.hint)
        return
    dimension: int | None = None
    try:
        vectors = open_embedder(replace(spec, retries=0)).embed_query(_QUESTION)
        dimension = int(vectors.shape[1])
    except LeafmarkError as error:
        yield Check("embedder", "problem", error.placed_message, error.hint)
    else:
        yield Check("embedder", "ok", f"{name} answers, with vectors of {dimension} numbers")
    if reader is not None:
        yield _vectors(project, reader, spec, dimension)


def _vectors(
    project: Project, reader: IndexReader, spec: EmbedderSpec, dimension: int | None
) -> Check:
    """Return the check of the stored vectors, which reads all of them."""
    view = index_vectors(project, reader, spec)
    is_named = project.configuration.embedding.is_named
    folder = vector_folder(project.shared_dir, vector_model(spec))
    damage = None if project.remote is not None else _damaged_vectors(project, spec, folder)
    if damage is not None:
        return damage
    if not is_named and (view is None or view.pending):
        return Check("vectors", "ok", "a search computes the vectors of its best matches")
    if view is None and any(folder.glob("rows-*")):
        message = "there are vectors of other indexes, none of this one"
        return Check(
            "vectors", "warning", message, "`leafmark index` keeps those that are still valid"
        )
    if view is None:
        return Check("vectors", "warning", "there are none yet", "`leafmark index` makes them")
    if dimension not in (None, view.dimension):
        message = f"those of the index have {view.dimension} numbers: they are of another model"
        return Check("vectors", "problem", message, "`leafmark index --rebuild` makes them again")
    if view.pending:
        message = f"{view.pending:,} of {reader.meta.chunks:,} chunks have none yet"
        return Check("vectors", "warning", message, "`leafmark index` makes them")
    checked = "" if project.remote is not None else ", every byte sound"
    return Check("vectors", "ok", f"every chunk has its own{checked}")


def _damaged_vectors(project: Project, spec: EmbedderSpec, folder: Path) -> Check | None:
    """Return the problem with the files of vectors; None if they are as they were written."""
    lost = lost_vectors(project, spec)
    if lost:
        message = f"{lost}: the disk or its files may be damaged"
        return Check("vectors", "problem", message, "`leafmark index` makes those again")
    view = view_path(folder, project.index_dir)
    part = ""
    if (folder / "MODEL").exists() and stored_model(folder) is None:
        part = "their description"
    elif not has_whole_documents(folder):
        part = "the list of their texts"
    elif view.exists() and read_view(view) is None:
        part = "the list of vectors by chunk"
    if not part:
        return None
    message = f"{part} is damaged: check the disk"
    return Check("vectors", "problem", message, "`leafmark index` writes it again")


def check_reranker(project: Project) -> Iterator[Check]:
    """Yield the check of the reranker; none if the settings name no reranker."""
    spec = reranker_spec(project)
    if spec is None:
        return
    try:
        reranker = open_reranker(spec)
        reranker.relevance(_QUESTION, [_QUESTION])
    except LeafmarkError as error:
        yield Check("reranker", "problem", error.placed_message, error.hint)
    else:
        yield Check("reranker", "ok", f"{reranker.name} answers")
