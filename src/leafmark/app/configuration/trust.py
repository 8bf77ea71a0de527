"""What a configuration that came with a folder may do only after the user has said so.

A project's file is *gated*: what reaches outside its folder is left out, with a
warning, until `leafmark trust` has recorded the digest of exactly these wishes
for exactly this file. Any change to them asks again. The home folder and the
root of the file system are never taken from a project's file, trusted or not.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from leafmark.app.writing import check_regular, replace_file
from leafmark.errors import StorageError

__all__ = ["Gated", "Trust", "digest", "distrusted_owner", "read_trust", "write_trust"]

_MAX_TRUST_BYTES = 1 << 20


class Gated(NamedTuple):
    """One wish that needs trust: `what` is asked for, resolved; `why` it is gated."""

    key: str
    what: str
    why: str
    location: str

    @property
    def notice(self) -> str:
        """Where the wish stands, why it is not granted, and what grants it."""
        return f"{self.location}: {self.key} {self.why}; left out: `leafmark trust` allows it"


class Trust(NamedTuple):
    """The digests that the user has approved, by the real path of the configuration file."""

    approved: dict[str, str]
    problem: str | None = None

    def knows(self, config_file: Path) -> bool:
        """Say whether anything was approved for `config_file`, be it what it wishes now or not."""
        return os.path.realpath(config_file) in self.approved

    def covers(self, config_file: Path, wishes: Collection[Gated]) -> bool:
        """Say whether all `wishes` of `config_file`, and no others, were approved."""
        known = self.approved.get(os.path.realpath(config_file))
        return known is not None and known == digest(config_file, wishes)


def digest(config_file: Path, wishes: Collection[Gated]) -> str:
    """Return the sha256, in hex, of what a file wishes, whatever the order and the lines."""
    stated = sorted([wish.key, wish.what] for wish in wishes)
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
    """Return why a file found by walking up is not to be used at all, or None (POSIX only)."""
    if not hasattr(os, "geteuid"):
        return None
    file, folder = os.stat(path), os.stat(path.parent)
    for info, name in ((file, "it"), (folder, "its folder")):
        if info.st_uid not in (os.geteuid(), 0):
            return f"{name} belongs to another user"
        if info.st_mode & 0o002:
            return f"{name} can be written by every user"
    return None
