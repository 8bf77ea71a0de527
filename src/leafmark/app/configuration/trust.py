"""What a configuration that came with a folder may do only after the user has said so.

A project's file is *gated*: what reaches outside its folder is left out, with a
warning, until `leafmark trust` has recorded the digest of exactly these permissions
for exactly this file. Any change to them asks again. The home folder and the
root of the file system are never taken from a project's file, trusted or not.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from leafmark.app.configuration.config_file import ConfigFile, PlacedValue, TreeTable
from leafmark.app.settings import SETTINGS
from leafmark.app.sources.selection import secret_patterns
from leafmark.app.writing import check_regular, replace_file
from leafmark.errors import StorageError
from leafmark.model import PermissionRequest, TrustedFile
from leafmark.namedtuples import NamedTuple

_MAX_TRUST_BYTES = 1 << 20


class Gated(NamedTuple):
    """One permission that needs trust: `what` is asked for, resolved; `why` it is gated."""

    key: str
    what: str
    why: str
    location: str


class Trust(NamedTuple):
    """The digests that the user has approved, by the real path of the configuration file."""

    approved: dict[str, str]
    problem: str | None = None


def digest(config_file: Path, permissions: Collection[Gated]) -> str:
    """Return the sha256, in hex, of a file's permissions, independent of order and lines."""
    stated = sorted([permission.key, permission.what] for permission in permissions)
    text = json.dumps([os.path.realpath(config_file), stated])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_trust(path: Path) -> Trust:
    """Read the user's trust file; one that is damaged approves nothing, and says so."""
    try:
        check_regular(path, what="the trust file")
        with open(path, "rb") as file:
            data = file.read(_MAX_TRUST_BYTES + 1)
        approved = json.loads(data[:_MAX_TRUST_BYTES])["trusted"]
        if isinstance(approved, dict) and all(isinstance(v, str) for v in approved.values()):
            return Trust(approved)
    except FileNotFoundError:
        return Trust({})
    except (StorageError, OSError, ValueError, RecursionError, KeyError, TypeError):
        pass
    return Trust({}, f"{path}: the trust file cannot be read; no configuration is trusted")


def write_trust(path: Path, approved: Mapping[str, str]) -> None:
    """Write the user's approvals so that a crash leaves the old file or the new one.

    Only the user can read it, since it names their folders.

    Raises:
        StorageError: it cannot be written; the old file stands.
    """
    text = json.dumps({"trusted": dict(sorted(approved.items()))}, indent=1) + "\n"
    with contextlib.suppress(OSError):  # what is wrong is told by the attempt to write
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_file(path, text.encode("utf-8", "surrogatepass"), what="the trust file", mode=0o600)


def distrusted_owner(path: Path) -> str | None:
    """Return why a file found by walking up must not be used at all, or None (POSIX only)."""
    if not hasattr(os, "geteuid"):
        return None
    file, folder = os.stat(path), os.stat(path.parent)
    for info, name in ((file, "it"), (folder, "its folder")):
        if info.st_uid not in (os.geteuid(), 0):
            return f"{name} belongs to another user"
        if info.st_mode & 0o002:
            return f"{name} can be written by every user"
    return None


# What is kept of a configuration that came with a folder: all that stays inside the folder.
#
# In: one project file, the files further away, the user's approvals. Out: the
# file without what is not approved, what it asks for, and a warning for each
# thing left out.


def admit(
    file: ConfigFile, further: Sequence[ConfigFile], home: Path, trust: Trust, warnings: list[str]
) -> tuple[ConfigFile, TrustedFile | None]:
    """Return `file` less what it asks for beyond its folder, unless `trust` covers that; and those.

    `further` are the files that it overrides, nearest first. The home folder, what lies
    above it, and the root of the file system are never admitted.
    """
    file = _without_forbidden(file, further, home, warnings)
    permissions = permissions_of(file, further, home)
    if not permissions:
        return file, None
    judged = _judged(file.path, permissions, trust)
    if judged.state == "trusted":
        return file._replace(trusted=True), judged
    warnings.extend(permission.notice for permission in judged.permissions)
    closed = {permission.key for permission in permissions}
    trees = tuple(
        tree._replace(values=_open_values(tree.values, f"tree.{tree.name}.", closed))
        for tree in file.trees
        if f"tree.{tree.name}" not in closed
    )
    admitted = file._replace(values=_open_values(file.values, "", closed), trees=trees)
    return admitted, judged


def _judged(config_file: Path, permissions: Collection[Gated], trust: Trust) -> TrustedFile:
    """Return what a file asks for, and whether the user approved all of that, and nothing else."""
    seen, known = (
        digest(config_file, permissions),
        trust.approved.get(os.path.realpath(config_file)),
    )
    state = "pending" if known is None else "trusted" if known == seen else "changed"
    requests = tuple(
        PermissionRequest(permission.key, permission.why, permission.location)
        for permission in permissions
    )
    return TrustedFile(str(config_file), state, requests, seen)


def _open_values(
    values: Mapping[str, PlacedValue], above: str, closed: Collection[str]
) -> dict[str, PlacedValue]:
    return {name: placed for name, placed in values.items() if above + name not in closed}


def permissions_of(file: ConfigFile, further: Sequence[ConfigFile], home: Path) -> list[Gated]:
    """List the permissions that a project's file needs beyond its folder, in the file's order."""
    permissions = _gated_values(file.values, "")
    for tree in file.trees:
        permissions.extend(_permissions_of_tree(file, tree, further, home))
    return permissions


def _permissions_of_tree(
    file: ConfigFile, tree: TreeTable, further: Sequence[ConfigFile], home: Path
) -> list[Gated]:
    key = f"tree.{tree.name}"
    root = _effective_root(file, tree, further, home)
    if root is not None and not _is_inside(root, file.path.parent):
        patterns = [tree.include and tree.include.value, tree.exclude and tree.exclude.value]
        values = {name: placed.value for name, placed in tree.values.items()}
        values |= {suffix: placed.value for suffix, placed in tree.formats.items()}
        what = json.dumps([os.path.realpath(root), patterns, values], sort_keys=True)
        place = tree.path.location if tree.path else tree.location
        return [Gated(key, what, f"lies outside of the project ({root})", place)]
    permissions = _gated_values(tree.values, f"{key}.")
    if tree.exclude is not None and (back := secret_patterns(tree.exclude.value)):
        why = "includes files that may hold secrets"
        permissions.append(Gated(f"{key}.exclude", json.dumps(back), why, tree.exclude.location))
    return permissions


def _gated_values(values: Mapping[str, PlacedValue], above: str) -> list[Gated]:
    """List the settings in a table that need trust; `above` is the prefix of their keys."""
    permissions = []
    for name, placed in values.items():
        setting = SETTINGS[name]
        if setting.option.gated and placed.value not in (setting.default, "none"):
            what = json.dumps(placed.value)
            permissions.append(Gated(above + name, what, setting.option.gated, placed.location))
    return permissions


def _without_forbidden(
    file: ConfigFile, further: Sequence[ConfigFile], home: Path, warnings: list[str]
) -> ConfigFile:
    trees = []
    for tree in file.trees:
        root = _effective_root(file, tree, further, home)
        if root is not None and _is_inside(home, root):
            place = tree.path.location if tree.path else tree.location
            warnings.append(
                f"{place}: tree.{tree.name} is the home folder or holds it ({root}); left out: "
                "only your own configuration may name it"
            )
        else:
            trees.append(tree)
    return file if len(trees) == len(file.trees) else file._replace(trees=tuple(trees))


def _effective_root(
    file: ConfigFile, tree: TreeTable, further: Sequence[ConfigFile], home: Path
) -> Path | None:
    """Return the root that a tree of `file` has, or gets from the files further away."""
    if tree.path is not None:
        return resolve_path(tree.path.value, file.path.parent, home)
    for other in further:
        for table in other.trees:
            if table.name == tree.name and table.path is not None:
                return resolve_path(table.path.value, other.path.parent, home)
    return None


def resolve_path(path: str, base: Path, home: Path) -> Path:
    """Return the absolute path for `path`, written in a file in `base`; `~` is the home folder.

    Links are kept as they are.
    """
    if path == "~" or path.startswith(("~/", "~" + os.sep)):
        return Path(os.path.normpath(home / path[2:]))
    return Path(os.path.normpath(base / path))


def _is_inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
