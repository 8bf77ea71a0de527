"""The changes on disk since the index was written.

In: the sources of a scan and the rows of the index. Out: a `Plan`, which `run` carries out. A
file whose size, times and inode are as recorded counts as unchanged, unless it changed so shortly
before the last run that a later change may have the same time; then it is read and hashed. The
time of modification alone is not enough: tools that copy files set it back.

If most of a tree is gone at once, an unmounted disk is more likely than a deletion: nothing is
removed until the user confirms it (see `_vanished`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from leafmark.app.configuration.project import Project
from leafmark.app.indexing.scanning import Scan, is_below
from leafmark.app.sources.folders import Tree, is_there
from leafmark.app.sources.source_formats import CONF_NAME, is_undecided
from leafmark.app.sources.walk import SourceFile, WalkNotes, named_source
from leafmark.errors import LeafmarkError, Remedy
from leafmark.index import IndexReader, Manifest
from leafmark.index.manifest import TO_RETRY, ManifestRow
from leafmark.model import Diagnostic, DocumentKey, count_of, document_id

CLOCK_GRAIN_NS = 2_000_000_000
"""The coarsest modification time of a file system in use (FAT: two seconds)."""

EMPTIED = "tree-emptied"
"""The code of the diagnostic for a tree whose documents are kept though their files are gone."""

EMPTIED_FROM = 3
"""If all sources of a tree are gone, they are kept from this number on (chosen by eye)."""

HALVED_FROM = 100
"""If over half of a tree with more sources than this is gone, they are kept (chosen by eye)."""


class Plan:
    """Sources to read (`added`, `suspects`), keys to remove, and the number of unchanged documents.

    A suspect is in the index but looks different, or is too young to tell; its hash decides. The
    suspects in `anew` are indexed again in any case: their bytes have a new meaning. A source
    without chunks is not a document.
    """

    def __init__(self, unchanged: int = 0):
        self.added: list[SourceFile] = []
        self.suspects: list[SourceFile] = []
        self.removed: list[DocumentKey] = []
        self.anew: set[DocumentKey] = set()
        self.unchanged = unchanged

    def release(self) -> None:
        """Release the sources, once the run has them."""
        self.added, self.suspects = [], []

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.suspects or self.removed)


def plan_since(
    reader: IndexReader,
    project: Project,
    scan: Scan,
    *,
    known: Manifest | None = None,
    retry: bool = False,
    prune: bool = False,
) -> Plan:
    """Compare a scan with the committed index; `known` is the reader's manifest, or equal to it.

    With `retry`, sources that failed for lack of memory or permission are suspects, too. With
    `prune`, missing sources are removed however many they are.
    """
    retry = retry and reader.manifest.has_retries
    if not retry and scan.is_whole and _are_old(scan, reader) and reader.has_exactly(scan.sources):
        return Plan(unchanged=reader.meta.documents)
    known = reader.manifest if known is None else known
    plan = plan_changes(
        scan,
        known,
        last_run_ns=reader.looked_ns,
        still_there=lambda key: named_before(project, reader, key),
        retry=retry,
    )
    if plan.removed and not prune:
        for tree in project.trees:
            vanished = _vanished(plan, known, tree)
            if vanished and not is_explained(project, reader, tree):
                _keep(vanished, plan, scan, known, tree)
    return plan


def _are_old(scan: Scan, reader: IndexReader) -> bool:
    """Say whether no source is so young that a later write may have gone unnoticed."""
    newest = max((max(source.modified_ns, source.changed_ns) for source in scan.sources), default=0)
    return newest < reader.looked_ns - CLOCK_GRAIN_NS


def named_before(project: Project, reader: IndexReader, key: DocumentKey) -> SourceFile | None:
    """Return the file of a key that is indexed only because the user named it, else None."""
    name, path = key
    tree = project.tree(name)
    entry = reader.document(document_id(name, path))
    if tree is None or entry is None or not entry.named:
        return None
    try:
        return named_source(tree, path, WalkNotes())
    except LeafmarkError:
        return None


def has_same_state(source: SourceFile, row: ManifestRow) -> bool:
    """Say whether size, times and inode are as recorded; a young file may still differ.

    See `CLOCK_GRAIN_NS`.
    """
    return row[:4] == source[2:6]


def plan_changes(
    scan: Scan,
    known: Manifest,
    *,
    last_run_ns: int,
    still_there: Callable[[DocumentKey], SourceFile | None] = lambda key: None,
    retry: bool = False,
) -> Plan:
    """Compare a scan with the rows of the index, written at `last_run_ns`.

    A source that was refused for its contents but is named now is a suspect: it may be accepted.

    `still_there` is called with keys that are missing from the scan: a file that the user named
    once stays indexed, even if an ignore rule leaves it out. For `retry`, see `plan_since`.
    """

    def is_known(source: SourceFile, row: ManifestRow) -> bool:
        return has_same_state(source, row) and not (retry and row.noted == TO_RETRY)

    plan = Plan()
    young = last_run_ns - CLOCK_GRAIN_NS
    seen = 0
    for source in scan.sources:
        row = known.get((source.tree, source.path))
        if row is None:
            plan.added.append(source)
            continue
        seen += 1
        left_out = row.chunks == 0 and (source.tree, source.path) in scan.named
        if (
            not left_out
            and is_known(source, row)
            and max(source.modified_ns, source.changed_ns) < young
        ):
            plan.unchanged += row.chunks > 0
        else:
            plan.suspects.append(source)
    if seen < len(known):
        _plan_missing(plan, scan, known, still_there, is_known)
    _plan_new(plan, scan, known)
    return plan


def _plan_new(plan: Plan, scan: Scan, known: Manifest) -> None:
    """Read texts anew below a `conf.py` that came, went or changed: it may set their format."""
    changed = [
        *((source.tree, source.path) for source in [*plan.added, *plan.suspects]),
        *plan.removed,
    ]
    folders = [
        (tree, path.removesuffix(CONF_NAME))
        for tree, path in changed
        if f"/{path}".endswith(f"/{CONF_NAME}")
    ]
    if not folders:
        return
    suspects = {(source.tree, source.path) for source in plan.suspects}
    for source in scan.sources:
        key = source.tree, source.path
        if key in known and is_undecided(source.path) and is_below(*key, folders):
            plan.anew.add(key)
            if key not in suspects:
                plan.suspects.append(source)
                plan.unchanged -= known[key].chunks > 0


def _vanished(plan: Plan, known: Manifest, tree: Tree) -> set[DocumentKey]:
    """Return the sources of a tree that are gone from the disk, if they are all or over half of it.

    A source that a rule leaves out now is still on the disk, and a moved one is among the added.
    """
    removed = [key for key in plan.removed if key[0] == tree.name]
    if len(removed) < EMPTIED_FROM:
        return set()
    before = sum(key[0] == tree.name for key in known)
    after = before - len(removed) + sum(source.tree == tree.name for source in plan.added)
    if after and not (before > HALVED_FROM and 2 * after < before):
        return set()
    vanished = {key for key in removed if not _stands_there(tree, key[1])}
    return vanished if 2 * len(vanished) > len(removed) else set()


def _keep(vanished: set[DocumentKey], plan: Plan, scan: Scan, known: Manifest, tree: Tree) -> None:
    """Keep sources that the plan would remove, and record why."""
    plan.removed = [key for key in plan.removed if key not in vanished]
    plan.unchanged += sum(known[key].chunks > 0 for key in vanished)
    many = count_of(len(vanished), "source")
    message = f"{many} of tree {tree.name!r} are gone from {tree.root}, and kept in the index"
    scan.missing[tree.name] = Diagnostic(str(tree.root), EMPTIED, emptied(message))


def emptied(message: str) -> Remedy:
    """Return the message about documents that are kept, with the remedy that removes them."""
    return Remedy(EMPTIED, message)


def _stands_there(tree: Tree, path: str) -> bool:
    try:
        return is_there(os.path.join(tree.root, path))
    except LeafmarkError:  # without the right to look, it is not known to be gone
        return True


def is_explained(project: Project, reader: IndexReader, *trees: Tree) -> bool:
    """Say whether the settings were written, or git's HEAD moved, since the last run."""
    witnesses = list(project.configuration.config_files)
    witnesses += [path for tree in trees for path in _git_logs(tree.root)]
    return any(_written_ns(path) > reader.looked_ns for path in witnesses)


_MAX_LINK_BYTES = 10_000


def _git_logs(root: Path) -> Iterator[Path]:
    """Yield the path of git's log of HEAD, for the repository that holds a folder."""
    for folder in (root, *root.parents):
        git = folder / ".git"
        with suppress(OSError, ValueError):
            if os.path.isfile(git):  # of another work tree, or of a module
                with open(git, "rb") as file:
                    pointer = file.read(_MAX_LINK_BYTES).decode()
                git = folder / pointer.partition("gitdir:")[2].strip()
        if os.path.isdir(git):  # `Path.is_dir` raises without permission
            yield git / "logs" / "HEAD"
            return


def _written_ns(path: Path) -> int:
    try:
        facts = path.stat()
    except OSError:
        return 0
    return max(facts.st_mtime_ns, facts.st_ctime_ns)


def _plan_missing(
    plan: Plan,
    scan: Scan,
    known: Manifest,
    still_there: Callable[[DocumentKey], SourceFile | None],
    is_known: Callable[[SourceFile, ManifestRow], bool],
) -> None:
    paths_by_tree: dict[str, set[str]] = {}
    for file in scan.sources:
        paths_by_tree.setdefault(file.tree, set()).add(file.path)
    for key in known:
        if key[1] in paths_by_tree.get(key[0], ()) or not scan.covers(*key):
            continue
        source = still_there(key)
        if source is None:
            plan.removed.append(key)
        elif is_known(source, known[key]):
            plan.unchanged += known[key].chunks > 0
        else:
            plan.suspects.append(source)
    plan.removed.sort()
