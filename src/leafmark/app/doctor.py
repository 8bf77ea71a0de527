"""Look at everything that can be wrong, and say what to do: `leafmark doctor`.

Reads only. The index is read byte by byte, which no other command does. Each
check stands for itself: one that fails does not keep the others from being made.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from leafmark.app.configuration.project import Project, open_project
from leafmark.app.indexing.changes import plan_changes
from leafmark.app.indexing.outcome import source_notes
from leafmark.app.indexing.refreshing import read_index
from leafmark.app.indexing.scanning import Scan, scan
from leafmark.app.installation import check_installation
from leafmark.app.model_checks import check_reranker, check_vectors
from leafmark.app.remote import RemoteIndex
from leafmark.errors import MAKE_ROOM, ConfigError, LeafmarkError, NotFoundError
from leafmark.index import (
    NO_RIGHT,
    OTHER_LEAFMARK,
    IndexReader,
    check_index,
    has_index,
    has_other,
    lock_holder,
)
from leafmark.model import Check, DoctorReport, count_of

__all__ = ["examine"]

_SAMPLE = "Tokens are counted offline: 1,234 of them."
_SAMPLE_TOKENS = {"o200k_base": 12, "cl100k_base": 12, "characters": 42}


def examine(
    directory: Path, *, flags: Mapping[str, object], environ: Mapping[str, str]
) -> DoctorReport:
    """Return what is right and wrong with leafmark and with the project of a folder."""
    checks = list(check_installation())
    try:
        project = open_project(directory, flags=flags, environ=environ)
    except LeafmarkError as error:
        checks.append(_failure("configuration", error))
        return DoctorReport(tuple(checks))
    checks += _configuration(project)
    found = scan(project, ())
    checks += _trees(project, found)
    reader, findings = _index(project)
    checks += findings
    if all(check.state != "problem" for check in findings):
        checks += _place(project.index_dir)
    checks += check_vectors(project, reader, environ)
    checks += check_reranker(project)
    checks += _languages(reader)
    checks += _sources(found, reader)
    checks += _tokenizer(project)
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
    """Say of each tree whose sizes do not fit together that no chunks can be made of it."""
    for tree in project.trees:
        try:
            project.chunking_options(tree)
        except ConfigError as error:
            yield _failure("configuration", error)


def _trees(project: Project, found: Scan) -> Iterator[Check]:
    if not project.trees:
        hint = "`leafmark init` writes a configuration with one"
        yield Check("trees", "warning", "there is no tree to search", hint)
    for tree in project.trees:
        if tree.is_missing:
            message = f"the folder of tree {tree.name!r} is missing: {tree.root}"
            yield Check("trees", "problem", message, "correct its path, or bring the folder back")
            continue
        count = sum(source.tree == tree.name for source in found.found)
        if count:
            yield Check("trees", "ok", f"{tree.name}: {count_of(count, 'source')} in {tree.root}")
        else:
            hint = "`leafmark status -v` says what was left out and why"
            yield Check("trees", "warning", f"{tree.name}: no sources in {tree.root}", hint)


def _index(project: Project) -> tuple[IndexReader | None, list[Check]]:
    """Return the index, None for one that cannot be used, and what is to be said of it."""
    if project.remote is not None:
        return _cluster(project, project.remote)
    root = project.index_dir
    try:
        if not has_index(root):
            hint = "`leafmark index` makes it, and so does the first search"
            if has_other(root):
                return None, [Check("index", "ok", f"there is none yet: {OTHER_LEAFMARK}", hint)]
            return None, [Check("index", "ok", f"there is none yet, it will be in {root}", hint)]
        reader = read_index(project)
        problems = check_index(root)
    except LeafmarkError as error:
        return None, [_failure("index", error)]
    again = "make it again: leafmark index --rebuild"
    if problems:
        return None, [Check("index", "problem", each, again) for each in problems]
    assert reader is not None
    meta = reader.meta
    checks = [
        Check("index", "ok", f"{count_of(meta.documents, 'document')}, every byte sound, in {root}")
    ]
    checks += _index_notes(project, reader)
    return reader, checks


def _cluster(project: Project, remote: RemoteIndex) -> tuple[IndexReader | None, list[Check]]:
    """Return the index in a cluster, and what is to be said of both."""
    try:
        health = remote.health()
        reader = project.open_reader()
    except NotFoundError as error:
        return None, [Check("index", "ok", error.placed_message, error.hint)]
    except LeafmarkError as error:
        return None, [_failure("index", error)]
    nodes = count_of(int(health["nodes"]), "node")
    about = f"{health['distribution'] or 'cluster'} {health['version']}, {nodes}"
    documents = count_of(reader.meta.documents, "document")
    checks = [Check("index", "ok", f"{documents} in {remote.location} ({about})")]
    if health["missing_shards"]:
        many = count_of(int(health["missing_shards"]), "shard")
        level = "problem" if health["status"] == "red" else "warning"
        message = f"the cluster is {health['status']}: {many} of all have no place"
        checks.append(Check("index", level, message, "start the nodes that are missing"))
    if reader.fingerprint not in ("", project.index_options().fingerprint):
        message = "it was made under other settings: the next `leafmark index` reads all anew"
        checks.append(Check("index", "ok", message))
    return reader, checks


def _index_notes(project: Project, reader: IndexReader) -> Iterator[Check]:
    root = project.index_dir
    if reader.fingerprint != project.index_options().fingerprint:
        message = "settings have changed: the next run makes it again"
        yield Check("index", "ok", message)
    holder = lock_holder(root / "LOCK")
    if holder is not None:
        yield Check("index", "ok", f"it is being written by {holder}")


def _place(root: Path) -> Iterator[Check]:
    """Say what would keep a run from writing in `root`, which may have to be made first."""
    standing = next(each for each in (root, *root.parents) if os.path.lexists(each))
    if not (standing.is_dir() and os.access(standing, os.W_OK | os.X_OK)):
        what = "it cannot be written" if standing == root else "nothing can be made in its place"
        yield Check("index", "problem", f"{what}: {standing}", NO_RIGHT)
    elif (room := shutil.disk_usage(standing).free) < _LEAST_ROOM:
        message = f"there are {room:,} bytes of room on the disk: {standing}"
        yield Check("index", "problem", message, MAKE_ROOM)


_LEAST_ROOM = 1_000_000
"""Bytes below which no run is to be counted on: a small index, or one commit of a large one."""


def _sources(found: Scan, reader: IndexReader | None) -> Iterator[Check]:
    _, diagnostics = source_notes(found, reader)
    if diagnostics:
        many, first = count_of(len(diagnostics), "diagnostic"), diagnostics[0]
        message = f"{many}, the first of {first.path}: {first.message}"
        yield Check("sources", "warning", message, "`leafmark status -v` lists them all")
    else:
        yield Check("sources", "ok", "no problem was found in what was indexed")
    if reader is not None:
        plan = plan_changes(found, reader.manifest, last_run_ns=reader.looked_ns)
        changed = len(plan.added) + len(plan.suspects) + len(plan.removed)
        if changed:
            message = f"{changed:,} may have changed: the next run looks at them"
            yield Check("sources", "ok", message)


def _languages(reader: IndexReader | None) -> Iterator[Check]:
    """Say of trees whose texts are not in the language that their words are stemmed as."""
    if reader is None:
        return
    from leafmark.search.words import text_language

    for language in reader.languages:
        found = text_language(reader, language)
        if found is not None:
            message = (
                f"most texts of {', '.join(language.trees)} look {found.capitalize()}, and "
                f"are searched as {str(language.name).capitalize()}"
            )
            hint = f'stemmer = "{found}" in [search] finds their words in all forms'
            yield Check("language", "warning", message, hint)


def _tokenizer(project: Project) -> Iterator[Check]:
    from leafmark.chunking import token_counter

    names: set[str] = set()
    for tree in project.trees:
        with suppress(ConfigError):  # it was told with the configuration
            names.add(project.chunking_options(tree).tokenizer)
    for name in sorted(names):
        try:
            counted = token_counter(name)(_SAMPLE)
        except Exception as error:  # whatever a tokenizer's own code raises
            hint = "install leafmark again, or choose another `chunking.tokenizer`"
            message = f"{name} cannot count: {type(error).__name__}: {error}"
            yield Check("tokenizer", "problem", message, hint)
            continue
        wanted = _SAMPLE_TOKENS.get(name, counted)
        if counted == wanted:
            yield Check("tokenizer", "ok", f"{name} counts as it should")
        else:
            message = f"{name} counts {counted} tokens where there are {wanted}"
            yield Check("tokenizer", "problem", message, "install leafmark again")
