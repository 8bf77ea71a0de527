"""The use cases: index, search, show, list, status, and the configuration they run under.

Finds files, reads configuration, clock and environment, wires the stages and
owns the locks. Below this room everything arrives as a parameter.
"""

from leafmark.app.indexing import index_project
from leafmark.app.listing import (
    list_chunks,
    list_documents,
    list_settings,
    list_tags,
    list_trees,
    project_status,
    write_config,
)
from leafmark.app.project import Project, open_project
from leafmark.app.searching import search_project
from leafmark.app.showing import show_chunks

__all__ = [
    "Project",
    "index_project",
    "list_chunks",
    "list_documents",
    "list_settings",
    "list_tags",
    "list_trees",
    "open_project",
    "project_status",
    "search_project",
    "show_chunks",
    "write_config",
]
