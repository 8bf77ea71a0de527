"""Approve what a configuration that came with a folder asks for beyond it: `leafmark trust`.

An approval names the digest of what the user was shown, so that a file that
changes between the question and the answer is not approved.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from leafmark.app.configuration.config import Configuration, open_configuration
from leafmark.app.configuration.trust import GatedFile, digest, read_trust, write_trust
from leafmark.errors import ForbiddenError, NotFoundError
from leafmark.model import PermissionRequest, TrustedFile, TrustReport

__all__ = ["approve", "list_trust", "revoke"]


def list_trust(directory: Path, *, environ: Mapping[str, str]) -> TrustReport:
    """Return what the configuration in force in `directory` asks for, and all approvals.

    Raises:
        NotFoundError: the folder cannot be entered.
        ConfigError: a configuration file is wrong.
    """
    configuration = _open(directory, environ)
    trust = read_trust(configuration.directories.trust_file)
    here = [
        TrustedFile(str(file.path), _state(file), _permissions_of(file), _digest(file))
        for file in configuration.gated
    ]
    real = {os.path.realpath(file.path) for file in here}
    elsewhere = [
        TrustedFile(path, "recorded" if os.path.lexists(path) else "gone")
        for path in sorted(trust.approved)
        if path not in real
    ]
    problem = () if trust.problem is None else (trust.problem,)
    return TrustReport((*here, *elsewhere), warnings=problem)


def approve(directory: Path, files: Mapping[str, str], *, environ: Mapping[str, str]) -> None:
    """Approve the permissions of `files`: paths and digests as `list_trust` gave them.

    Raises:
        ForbiddenError: a file asks for something else by now; nothing is approved.
        StorageError: the approvals cannot be written.
    """
    configuration = _open(directory, environ)
    now = {str(file.path): _digest(file) for file in configuration.gated}
    for path, seen in files.items():
        if now.get(path) != seen:
            raise ForbiddenError(
                "the configuration has changed since it was shown; nothing is trusted",
                location=path,
                hint="run `leafmark trust` again",
            )
    place = configuration.directories.trust_file
    approvals = {os.path.realpath(path): seen for path, seen in files.items()}
    write_trust(place, read_trust(place).approved | approvals)


def revoke(directory: Path, *, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Take back the approvals of the configuration in force in `directory`; return its files.

    Raises:
        NotFoundError: there are none.
        StorageError: the approvals cannot be written; they stand.
    """
    configuration = _open(directory, environ)
    place = configuration.directories.trust_file
    approved = read_trust(place).approved
    done = {os.path.realpath(path) for path in configuration.project_files} & approved.keys()
    if not done:
        raise NotFoundError(
            "nothing of this folder's configuration is trusted",
            location=str(configuration.directory),
            exit_code=1,
        )
    write_trust(place, {path: said for path, said in approved.items() if path not in done})
    return tuple(sorted(done))


def _open(directory: Path, environ: Mapping[str, str]) -> Configuration:
    return open_configuration(directory, flags={}, environ=environ)


def _state(file: GatedFile) -> str:
    if file.approved:
        return "trusted"
    return "changed" if file.before else "pending"


def _permissions_of(file: GatedFile) -> tuple[PermissionRequest, ...]:
    return tuple(PermissionRequest(one.key, one.why, one.location) for one in file.permissions)


def _digest(file: GatedFile) -> str:
    return digest(file.path, file.permissions)
