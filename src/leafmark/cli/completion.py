"""Completion in a shell: commands, options, choices, and values from the index.

The scripts are click's. They call this program for each completion, and it answers from the
present index: it reads no documents, and reports no errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leafmark.cli.command import Argument, Complete, command
from leafmark.cli.console import Call
from leafmark.errors import LeafmarkError

if TYPE_CHECKING:
    from leafmark.app import Project

SHELLS = ("bash", "zsh", "fish")
MAX_OFFERED = 200
"""Most values for one completion; chosen by eye."""


def _from_index(names: Complete) -> Complete:
    """Return a function for the first names that begin with a value, or none after an error."""

    def complete(ctx: click.Context, beginning: str) -> Iterable[str]:
        try:
            matches = (name for name in names(ctx, beginning) if name.startswith(beginning))
            return list(islice(dict.fromkeys(matches), MAX_OFFERED))
        except (LeafmarkError, OSError):
            return []

    return complete


def _project(ctx: click.Context) -> Project:
    from leafmark.app import open_project

    folders = (context.params.get("directory") for context in (ctx, ctx.parent) if context)
    folder = next((folder for folder in folders if folder), ".")
    return open_project(Path(folder), flags={}, environ=ctx.find_root().obj)


@_from_index
def trees(ctx: click.Context, beginning: str) -> Iterator[str]:
    """Names of trees."""
    yield from (tree.name for tree in _project(ctx).trees)


@_from_index
def tags(ctx: click.Context, beginning: str) -> Iterator[str]:
    """Tags of documents."""
    from leafmark.app import list_tags
    from leafmark.app.requests import ListRequest

    yield from (name for name, _ in list_tags(_project(ctx), ListRequest(refresh=False)))


@_from_index
def ids(ctx: click.Context, beginning: str) -> Iterator[str]:
    """Paths of documents; after a `#`, the sections of one. Each comes first without its tree.

    Shells split words at the colon at the end of a tree.
    """
    from leafmark.app import list_chunks, list_documents
    from leafmark.app.requests import ListRequest

    document, is_section, _ = beginning.partition("#")
    list_request = ListRequest(under=document or None, refresh=False)
    project = _project(ctx)
    if is_section:
        names = [chunk.id for chunk in list_chunks(project, list_request)]
    else:
        names = list(list_documents(project, list_request).ids)
    yield from (name.partition(":")[2] for name in names)
    yield from names


@command(
    "completion",
    examples=(
        ("source <(leafmark completion bash)", "in ~/.bashrc"),
        ("source <(leafmark completion zsh)", "in ~/.zshrc, after compinit"),
        ("leafmark completion fish | source", "in ~/.config/fish/config.fish"),
    ),
    argument=Argument("SHELL", "bash, zsh or fish.", least=1, most=1, choices=SHELLS),
)
def _script(call: Call) -> int:
    """Print a script that completes what you type in a shell.

    Completes commands, options, their values, files, and what the index holds: trees, tags,
    paths and sections.
    """
    from click.shell_completion import get_completion_class

    from leafmark.cli.entry import COMPLETE, PROGRAM

    kind = get_completion_class(call.words[0])
    assert kind is not None, "the shell is one of SHELLS"
    script = kind.source_template % kind(PROGRAM, {}, "leafmark", COMPLETE).source_vars()
    call.console.write(script)
    return 0
