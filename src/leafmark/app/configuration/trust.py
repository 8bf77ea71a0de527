"""The permissions of a configuration that came with a folder.

A project's file is *gated*: settings that reach outside its folder are left out, with a warning,
until `leafmark trust` has recorded the digest of these permissions for this file. If they change,
the user has to approve them again. A project's file, even if trusted, cannot name the home folder,
a folder above it, or the root of the file system as a tree.
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
    """One permission that needs trust: the resolved value `what`, and `why` it is gated."""

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
    values = sorted([permission.key, permission.what] for permission in permissions)
    text = json.dumps([os.path.realpath(config_file), values])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_trust(path: Path) -> Trust:
    """Read the user's trust file; a damaged one approves nothing, and is a `problem`."""
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
    """Write the user's approvals to a file that only the user can read.

    A crash leaves the old file or the new one.

    Raises:
        StorageError: it cannot be written; the old file stays.
    """
    text = json.dumps({"trusted": dict(sorted(approved.items()))}, indent=1) + "\n"
    with contextlib.suppress(OSError):  # writing the file will raise the reason
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
            return f"every user can write to {name}"
    return None


def admit(
    file: ConfigFile, further: Sequence[ConfigFile], home: Path, trust: Trust, warnings: list[str]
) -> tuple[ConfigFile, TrustedFile | None]:
    """Return `file` without settings that reach beyond its folder, unless `trust` has them.

    The second value has the requested permissions, if any. `further` are the files that `file`
    overrides, nearest first. There is a warning for each setting that is left out.
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
    """Return the permissions of a file, and whether the user approved exactly these."""
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
    """Return the permissions that a project's file needs beyond its folder, in the file's order."""
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
    if tree.exclude is not None and (secrets := secret_patterns(tree.exclude.value)):
        why = "includes files that may hold secrets"
        permissions.append(Gated(f"{key}.exclude", json.dumps(secrets), why, tree.exclude.location))
    return permissions


def _gated_values(values: Mapping[str, PlacedValue], above: str) -> list[Gated]:
    """Return the settings in a table that need trust; `above` is the prefix of their keys."""
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
                f"{place}: tree.{tree.name} is left out: it is the home folder or contains it "
                f"({root}), and only your own configuration may name that"
            )
        else:
            trees.append(tree)
    return file if len(trees) == len(file.trees) else file._replace(trees=tuple(trees))


def _effective_root(
    file: ConfigFile, tree: TreeTable, further: Sequence[ConfigFile], home: Path
) -> Path | None:
    """Return the root of a tree of `file`, which another file in `further` may have."""
    if tree.path is not None:
        return resolve_path(tree.path.value, file.path.parent, home)
    for other in further:
        for table in other.trees:
            if table.name == tree.name and table.path is not None:
                return resolve_path(table.path.value, other.path.parent, home)
    return None


def resolve_path(path: str, base: Path, home: Path) -> Path:
    """Return the absolute path of `path` in a file in `base`; `~` is the home folder.

    Links are not resolved.
    """
    if path == "~" or path.startswith(("~/", "~" + os.sep)):
        return Path(os.path.normpath(home / path[2:]))
    return Path(os.path.normpath(base / path))


def _is_inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
