"""Keep the block about leafmark in a project's agent files: AGENTS.md, CLAUDE.md, GEMINI.md."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from leafmark.app.agents.agent_block import AGENT_FILES, build_block
from leafmark.app.agents.marked_block import put_block
from leafmark.app.answering.opening import open_telling
from leafmark.app.configuration.project import Project
from leafmark.app.requests import AgentsRequest, Progress
from leafmark.app.writing import replace_file
from leafmark.errors import ForbiddenError, NotFoundError, UsageError, unreadable
from leafmark.model import AgentFile, AgentsReport

__all__ = ["package_folder", "update_agents"]

_MOST_BYTES = 4 << 20
"""No agent file that a program reads at its start is larger."""


def update_agents(
    project: Project, request: AgentsRequest, *, progress: Progress | None = None
) -> AgentsReport:
    """Return how each agent file stands, and what it would be; with `write`, write it.

    Without names, the files are those that exist in the project's folder, or
    AGENTS.md when none does. Nothing is written before all files are known to
    be sound.

    Raises:
        UsageError: a file's markers are broken, it is not UTF-8, or no regular file.
        NotFoundError, StorageError, ForbiddenError: a file cannot be read or written.
    """
    reader = open_telling(project, request, progress)
    block = build_block(project, reader)
    files = [_looked_at(path, shown, block) for path, shown in _targets(project, request)]
    if request.write:
        for file in files:
            if file.state != "fresh":
                replace_file(Path(file.target), file.after, what="the agent file")
    return AgentsReport(block, tuple(files))


def _targets(project: Project, request: AgentsRequest) -> list[tuple[Path, str]]:
    """Return the files, each once, with the path to show; a link stands for what it leads to."""
    folder = project.configuration.project if not request.files else project.directory
    names: Sequence[str] = request.files
    if not names:
        names = [name for name in AGENT_FILES if os.path.lexists(folder / name)]
        names = names or AGENT_FILES[:1]
    found: dict[str, tuple[Path, str]] = {}
    for name in names:
        path = folder / name
        real = os.path.realpath(path)
        if not request.files and not Path(real).is_relative_to(os.path.realpath(folder)):
            raise ForbiddenError(
                "the file is a link that leads out of the project",
                location=str(path),
                hint="name the file that you mean",
            )
        found.setdefault(real, (Path(real), name))
    return list(found.values())


def _looked_at(path: Path, shown: str, block: str) -> AgentFile:
    try:
        before: bytes | None = _read(path)
    except FileNotFoundError:
        before = None
        if not os.path.isdir(path.parent):
            raise NotFoundError("there is no such folder", location=str(path.parent)) from None
    except OSError as error:
        raise unreadable(error, str(path)) from error
    after = put_block(before or b"", block, shown)
    state = "missing" if before is None else "fresh" if before == after else "stale"
    return AgentFile(shown, str(path), state, before or b"", after)


def _read(path: Path) -> bytes:
    """Return the file's bytes; nothing is read from a pipe or device, which may never end.

    Raises:
        OSError: it cannot be read.
        UsageError: it is no file for people to read.
    """
    info = path.stat()
    if stat.S_ISREG(info.st_mode) and info.st_size <= _MOST_BYTES:
        return path.read_bytes()
    if stat.S_ISDIR(info.st_mode):
        raise UsageError("this is a folder", location=str(path), hint="name a file in it")
    what = (
        f"the file is larger than {_MOST_BYTES:,} bytes"
        if stat.S_ISREG(info.st_mode)
        else "this is a pipe or a device, not a file"
    )
    raise UsageError(what, location=str(path), hint="name an agent file, such as AGENTS.md")


def package_folder() -> Path:
    """Return the folder of the files that programs install: skill, plugin and registry files."""
    return Path(__file__).with_name("package")
