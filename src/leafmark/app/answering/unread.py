"""Why a file that is there is not read: for whoever asks for it by its path."""

from __future__ import annotations

import os
import re

from leafmark.app.configuration.project import Project
from leafmark.app.sources.walk import why_left_out
from leafmark.errors import NotFoundError

__all__ = ["explain_unread"]

_LINES = re.compile(r":[0-9]+(-[0-9]+)?$")
_LASTING = ("special", "broken", "link", "binary", ".")
"""How reasons begin that hold for a file that is named, too; a suffix is one of another format."""


def explain_unread(project: Project, wanted: str) -> NotFoundError | None:
    """Return what to say of the id or path `wanted`, of which nothing is indexed.

    None where no file of the project's trees is meant that a walk leaves out.
    """
    name = _LINES.sub("", wanted.strip().removeprefix("./").partition("#")[0])
    for tree in project.trees:
        path = name.removeprefix(f"{tree.name}:").replace(os.sep, "/")
        if os.path.isabs(path):
            path = os.path.relpath(path, tree.root).replace(os.sep, "/")
        if not path or ".." in path.split("/"):
            continue
        left_out = why_left_out(tree, path)
        if left_out is None:
            continue
        holder = "" if left_out.path == path else f" (its folder `{left_out.path}`)"
        reason = left_out.reason
        is_told = reason.startswith(".")  # that its format is not read
        return NotFoundError(
            f"`{wanted}` is there, but {'' if is_told else 'is not read: '}{reason}{holder}",
            hint=_hint(reason, path),
            exit_code=1,
        )
    return None


def _hint(reason: str, path: str) -> str | None:
    if reason.startswith("larger"):
        return "a larger index.max_file_bytes takes it in"
    if reason == "secret":
        return "only a pattern with `!` in your own configuration takes in what may hold secrets"
    if reason.startswith(_LASTING):
        return None
    return f"`leafmark index {path}` takes it in all the same"
