"""Set a folder up: write its configuration file, or trust what one that came with it asks for.

The text of a new file is made from the settings, so that it cannot fall behind.
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
from leafmark.model.options import Declaration

_HEAD = """\
# {what}
#
# Lines like `#limit = 10` show settings with the values in force without them. To change
# one, take its `#` away, and that of the `#[table]` above it.
# `leafmark config --origin` lists what is in force and where it comes from.
"""

_PROJECT_TREE = """
# A tree is a folder that is searched; name as many as you like.
# Patterns are those of .gitignore, relative to the tree.
[tree.{name}]
path = "."
# Only these files; data files (JSON, CSV, YAML, XML) and logs are read only when a
# pattern names them, as "*.json" does:
#include = ["*"]
# Not these; "!dist" takes back in what is left out by default:
#exclude = ["drafts/"]

# Many settings can also be made for one tree alone:
#[tree.{name}.chunking]
#target_tokens = 300
"""

_USER_TREE = """
# Trees named here can be searched from every folder that names none itself, and beside
# the trees of every project.
#[tree.notes]
#path = "~/notes"
"""

_RULES = """
# What `leafmark context` adds for the files that you work on:
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
            "there is a configuration file already",
            location=str(path),
            hint="edit it, or replace it with --force",
        )
    name = None if request.everywhere else tree_name(Path(os.path.realpath(directory)).name)
    text = initial_text(name)
    target = Path(os.path.realpath(path))  # a link to it stays one
    replace_file(target, text.encode(), what="the configuration file")
    return path


def initial_text(tree: str | None) -> str:
    """Return a commented configuration that changes no setting.

    A project's names its folder as a tree, as it is called without one: ids stay as they are.
    The user's own (`tree` None) names none.
    """
    what = (
        "leafmark: what holds in all your projects."
        if tree is None
        else "leafmark: what is searched in this project, and how."
    )
    trees = _USER_TREE if tree is None else _PROJECT_TREE.format(name=_toml_key(tree))
    tables = "".join(_table(table) for table in TABLES)
    rules = _RULES.format(name=tree or "notes")
    return _HEAD.format(what=what) + trees + tables + rules


def _table(table: str) -> str:
    """Return a table with its settings, nothing where it has none."""
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
    """Return the name of a tree as a key: of its signs, only the dot needs quotes."""
    return f'"{name}"' if "." in name else name


def _toml_value(value: object) -> str:
    """Return a setting's value as it stands in TOML.

    >>> _toml_value(True), _toml_value(0.5), _toml_value("a\\\\b")
    ('true', '0.5', '"a\\\\\\\\b"')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


# Approve what a configuration that came with a folder asks for beyond it: `leafmark trust`.
#
# An approval names the digest of what the user was shown, so that a file that
# changes between the question and the answer is not approved.


def list_trust(directory: Path, *, environ: Mapping[str, str]) -> TrustReport:
    """Return what the configuration in force in `directory` asks for, and all approvals.

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
    """Approve the permissions of `files`: paths and digests as `list_trust` gave them.

    Raises:
        ForbiddenError: a file asks for something else by now; nothing is approved.
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
    write_trust(place, {path: approval for path, approval in approved.items() if path not in done})
    return tuple(sorted(done))


def _open(directory: Path, environ: Mapping[str, str]) -> Configuration:
    return open_configuration(directory, flags={}, environ=environ)
