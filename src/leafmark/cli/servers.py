"""What the commands that serve have in common: the project they answer for, the place they hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from leafmark.cli.options import Call
from leafmark.environment import install_extra
from leafmark.errors import UsageError

if TYPE_CHECKING:
    from leafmark.app import Project
    from leafmark.server.listening import Place
    from leafmark.server.workspace import Workspace

__all__ = ["open_workspace", "place_of", "require"]


def require(package: str, what: str, extra: str) -> None:
    """Refuse where the package that a server needs is not there, before anything else fails.

    Raises:
        UsageError: it is not.
    """
    if find_spec(package) is None:
        raise UsageError(f"{what} is not installed", hint=install_extra(extra))


def open_workspace(call: Call) -> Workspace:
    """Return the folder's project as servers keep it.

    Raises:
        ConfigError, NotFoundError: see `open_project`; told here, not in the first answer.
    """
    from leafmark.app import open_project
    from leafmark.server.workspace import Workspace

    console = call.console
    directory = console.directory

    def opened(settings: Mapping[str, object]) -> Project:
        return open_project(directory, flags={**call.settings, **settings}, environ=console.environ)

    opened({})
    directory = Path(os.path.abspath(directory))  # holds when the folder is made anew
    return Workspace(opened, confirmed=call.on("yes"))


def place_of(call: Call, port: int) -> Place:
    """Return where to listen; `port` is the command's own."""
    from leafmark.server.listening import Place

    return Place(
        host=call.values.get("host", "127.0.0.1"),
        port=call.values.get("port", port),
        token=call.console.environ.get("LEAFMARK_TOKEN") or None,
    )
