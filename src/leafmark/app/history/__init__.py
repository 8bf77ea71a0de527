"""Use cases over time: compare two states, read a revision, follow a section.

Modules are imported when a use case is first used: most runs need none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.lazy_imports import import_late

if TYPE_CHECKING:
    from leafmark.app.history.comparing import diff_project, log_section
    from leafmark.app.history.past_project import paths_at, project_at
    from leafmark.app.history.sides import list_revisions

__all__ = ["diff_project", "list_revisions", "log_section", "paths_at", "project_at"]

_HOMES = {
    "diff_project": "leafmark.app.history.comparing",
    "list_revisions": "leafmark.app.history.sides",
    "log_section": "leafmark.app.history.comparing",
    "paths_at": "leafmark.app.history.past_project",
    "project_at": "leafmark.app.history.past_project",
}


if not TYPE_CHECKING:
    __getattr__ = import_late(__name__, _HOMES)
