"""A new configuration file: its text is made from the settings, so that it cannot fall behind."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping
from pathlib import Path

from leafmark.app.configuration.paths import CONFIG_NAME, find_directories
from leafmark.app.requests import InitRequest
from leafmark.app.settings import SETTINGS, TABLES
from leafmark.app.writing import replace_file
from leafmark.errors import NotFoundError, UsageError
from leafmark.model.options import Declaration

__all__ = ["initial_text", "write_config"]

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
[tree.docs]
path = "."
# Only these files; data files (JSON, CSV, YAML, XML) and logs are read only when a
# pattern names them, as "*.json" does:
#include = ["*"]
# Not these; "!dist" takes back in what is left out by default:
#exclude = ["drafts/"]

# Many settings can be said for one tree too:
#[tree.docs.chunking]
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
    text = initial_text(everywhere=request.everywhere)
    target = Path(os.path.realpath(path))  # a link to it stays one
    replace_file(target, text.encode(), what="the configuration file")
    return path


def initial_text(*, everywhere: bool = False) -> str:
    """Return a commented configuration that changes no setting.

    A project's names its folder as the tree `docs`; the user's own (`everywhere`) names none.
    """
    what = (
        "leafmark: what holds in all your projects."
        if everywhere
        else "leafmark: what is searched in this project, and how."
    )
    tree = _USER_TREE if everywhere else _PROJECT_TREE
    tables = "".join(_table(table) for table in TABLES)
    rules = _RULES.format(name="notes" if everywhere else "docs")
    return _HEAD.format(what=what) + tree + tables + rules


def _table(table: str) -> str:
    lines = [f"\n#[{table}]"]
    for name, setting in SETTINGS.items():
        if name.startswith(f"{table}."):
            lines.extend(_described(setting))
    return "\n".join(lines) + "\n"


def _described(setting: Declaration) -> list[str]:
    doc = setting.option.doc
    unit = f" ({setting.option.unit})" if setting.option.unit else ""
    sentence = f"{doc[0].upper()}{doc[1:]}: {setting.accepted}{unit}."
    key = setting.name.partition(".")[2]
    value = '"…"' if setting.default is None else _toml_value(setting.default)
    comment = textwrap.wrap(sentence, 90, initial_indent="# ", subsequent_indent="# ")
    return [*comment, f"#{key} = {value}"]


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
