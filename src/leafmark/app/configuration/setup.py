"""Write a folder's configuration file, or approve the permissions that its file requests.

The text of a new file is made from the declarations of the settings.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping
from pathlib import Path

from leafmark.app.configuration.config import Configuration, open_configuration
from leafmark.app.configuration.paths import CONFIG_NAME, find_directories
from leafmark.app.configuration.trust import read_trust, write_trust
from leafmark.app.requests import InitRequest
from leafmark.app.settings import SETTINGS, TABLES
from leafmark.app.writing import replace_file
from leafmark.errors import ForbiddenError, NotFoundError, UsageError
from leafmark.model import TrustedFile, TrustReport, tree_name
from leafmark.model.option_types import Declaration

_HEAD = """\
# {what}
#
# Lines like `#limit = 10` show settings with their defaults. To change one, remove its `#`,
# and the `#` of the `#[table]` above it.
# `leafmark config --origin` lists the settings in force and where each comes from.
"""

_PROJECT_TREE = """
# A tree is a folder that is searched; name as many as you like.
# Patterns are those of .gitignore, relative to the tree.
[tree.{name}]
path = "."
# Only these files; data files (JSON, CSV, YAML, XML) and logs are read only if a pattern
# names them, such as "*.json":
#include = ["*"]
# Not these; "!dist" includes files that are left out by default:
#exclude = ["drafts/"]

# Many settings can also be set for one tree:
#[tree.{name}.chunking]
#target_tokens = 300
"""

_USER_TREE = """
# Trees named here are searched in every folder that names no trees, and beside the trees
# of every project.
#[tree.notes]
#path = "~/notes"
"""

_RULES = """
# Additions to `leafmark context` for certain files:
#[[context.rules]]
#match = ["*.py"]
#terms = ["style guide"]
#trees = ["{name}"]
#files = ["CONTRIBUTING.md"]
"""


def write_config(directory: Path, request: InitRequest, *, environ: Mapping[str, str]) -> Path:
    """Write a commented configuration file and return its path.

    Raises:
        UsageError: the file exists and `force` is not set.
        NotFoundError: there is no such folder.
        StorageError: the file cannot be written.
    """
    path = find_directories(environ).config_file if request.everywhere else directory / CONFIG_NAME
    if not request.everywhere and not os.path.isdir(directory):
        raise NotFoundError("there is no such folder", location=str(directory))
    if os.path.exists(path) and not request.force:
        raise UsageError(
            "the configuration file already exists",
            location=str(path),
            hint="edit it, or replace it with --force",
        )
    name = None if request.everywhere else tree_name(Path(os.path.realpath(directory)).name)
    text = initial_text(name)
    target = Path(os.path.realpath(path))  # a link stays a link
    replace_file(target, text.encode(), what="the configuration file")
    return path


def initial_text(tree: str | None) -> str:
    """Return a commented configuration that changes no setting.

    That of a project names the folder as a tree, with the same name as without a configuration, so
    ids stay the same. The user's own (`tree` None) names no tree.
    """
    what = (
        "leafmark: settings for all your projects."
        if tree is None
        else "leafmark: the trees of this project, and how they are searched."
    )
    trees = _USER_TREE if tree is None else _PROJECT_TREE.format(name=_toml_key(tree))
    tables = "".join(_table(table) for table in TABLES)
    rules = _RULES.format(name=tree or "notes")
    return _HEAD.format(what=what) + trees + tables + rules


def _table(table: str) -> str:
    """Return the lines of a table with its settings; empty if it has none."""
    own = [setting for name, setting in SETTINGS.items() if name.startswith(f"{table}.")]
    lines = [line for setting in own for line in _described(setting)]
    return "\n".join([f"\n#[{table}]", *lines, ""]) if own else ""


def _described(setting: Declaration) -> list[str]:
    unit = f" ({setting.option.unit})" if setting.option.unit else ""
    any_text = setting.kind in (str, str | None) and not setting.choices
    takes = "" if any_text else f": {setting.accepted}{unit}"
    sentence = f"{setting.sentence().removesuffix('.')}{takes}."
    key = setting.name.partition(".")[2]
    value = '"…"' if setting.default is None else _toml_value(setting.default)
    comment = textwrap.wrap(sentence, 90, initial_indent="# ", subsequent_indent="# ")
    return [*comment, f"#{key} = {value}"]


def _toml_key(name: str) -> str:
    """Return the name of a tree as a key; only a dot in it needs quotes."""
    return f'"{name}"' if "." in name else name


def _toml_value(value: object) -> str:
    """Return a setting's value in TOML.

    >>> _toml_value(True), _toml_value(0.5), _toml_value("a\\\\b")
    ('true', '0.5', '"a\\\\\\\\b"')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


# `leafmark trust`. An approval has the digest of the permissions that the user saw, so a file that
# changes between the question and the answer is not approved.


def list_trust(directory: Path, *, environ: Mapping[str, str]) -> TrustReport:
    """Return the permissions that the configuration of `directory` requests, and all approvals.

    Raises:
        NotFoundError: the folder cannot be entered.
        ConfigError: a configuration file is wrong.
    """
    configuration = _open(directory, environ)
    trust = read_trust(configuration.directories.trust_file)
    here = configuration.gated
    real = {os.path.realpath(file.path) for file in here}
    elsewhere = [
        TrustedFile(path, "recorded" if os.path.lexists(path) else "gone")
        for path in sorted(trust.approved)
        if path not in real
    ]
    problem = () if trust.problem is None else (trust.problem,)
    return TrustReport((*here, *elsewhere), warnings=problem)


def approve(directory: Path, files: Mapping[str, str], *, environ: Mapping[str, str]) -> None:
    """Approve the permissions of `files`: paths and digests from `list_trust`.

    Raises:
        ForbiddenError: a file requests other permissions now; nothing is approved.
        StorageError: the approvals cannot be written.
    """
    configuration = _open(directory, environ)
    now = {file.path: file.digest for file in configuration.gated}
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
    """Revoke the approvals of the configuration in force in `directory`; return its files.

    Raises:
        NotFoundError: there are none.
        StorageError: the approvals cannot be written; they stay in force.
    """
    configuration = _open(directory, environ)
    place = configuration.directories.trust_file
    approved = read_trust(place).approved
    revoked = {os.path.realpath(path) for path in configuration.project_files} & approved.keys()
    if not revoked:
        raise NotFoundError(
            "the configuration of this folder is not trusted",
            location=str(configuration.directory),
            exit_code=1,
        )
    left = {path: approval for path, approval in approved.items() if path not in revoked}
    write_trust(place, left)
    return tuple(sorted(revoked))


def _open(directory: Path, environ: Mapping[str, str]) -> Configuration:
    return open_configuration(directory, flags={}, environ=environ)
