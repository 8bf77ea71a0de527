"""Which paths of a revision are sources of a tree: the rules of a walk, over a list of names.

Ignore files are those of the revision itself, from the top of the repository downwards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from leafmark.app.sources.ignore import parse_ignore_file
from leafmark.app.sources.makers import MAKERS_MARKS, made_by_program
from leafmark.app.sources.names import IGNORE_FILES
from leafmark.app.sources.selection import TELLING, Frame, Layer, ReadFile, Selection
from leafmark.app.sources.trees import Tree
from leafmark.app.sources.walk import needs_converter
from leafmark.model import Diagnostic

__all__ = ["list_sources"]

_TOLD = TELLING | MAKERS_MARKS


class _Folder:
    """The names in a folder."""

    __slots__ = ("files", "folders")

    def __init__(self) -> None:
        self.files: list[str] = []
        self.folders: dict[str, _Folder] = {}

    def add(self, path: str) -> None:
        *above, name = path.split("/")
        folder = self
        for part in above:
            folder = folder.folders.setdefault(part, _Folder())
        folder.files.append(name)


def list_sources(
    tree: Tree,
    paths: Iterable[str],
    read: ReadFile,
    *,
    above: Collection[str] = (),
    diagnostics: list[Diagnostic] | None = None,
) -> Iterator[str]:
    """Yield those of the `paths`, relative to the tree's root, that are sources of it.

    `read` gives the bytes of a path; `above` are the folders around the root, as paths that it
    takes (`../`, `../../`), as far as the repository reaches.
    """
    notes: list[Diagnostic] = [] if diagnostics is None else diagnostics
    top = _Folder()
    for path in paths:
        top.add(path)
    selection = Selection(tree)
    root = selection.root_frame([*_layers_above(tree, above, read)])
    waiting = [(root, top)]
    while waiting:
        frame, folder = waiting.pop()
        if frame.path and not frame.asked and _is_made(tree, frame, folder):
            continue
        marks = TELLING.intersection(folder.files)
        frame = selection.enter(frame, marks, read, notes)
        for name in sorted(folder.files):
            if _is_source(selection, frame, name):
                yield frame.path + name
        waiting += [
            (selection.child(frame, name), folder.folders[name])
            for name in sorted(folder.folders, reverse=True)
            if selection.refuse_folder(frame, name) is None
        ]


def _is_source(selection: Selection, frame: Frame, name: str) -> bool:
    if selection.refuse_file(frame, name) is not None:
        return False
    return selection.is_stated(name) or needs_converter(name) is None


def _is_made(tree: Tree, frame: Frame, folder: _Folder) -> bool:
    marks = MAKERS_MARKS.intersection(folder.files)
    names = (*folder.files, *folder.folders)
    return bool(marks) and made_by_program(tree.root, frame.path, marks, names) is not None


def _layers_above(tree: Tree, above: Collection[str], read: ReadFile) -> Iterator[Layer]:
    spelled = ""
    names = [*reversed(tree.root.parts)]
    for name, folder in zip(names, above, strict=False):
        spelled = f"{name}/{spelled}"
        for kind in IGNORE_FILES:
            rules, _ = parse_ignore_file(read(folder + kind) or b"", folder + kind)
            if rules:
                yield Layer(kind, rules, above=spelled)
