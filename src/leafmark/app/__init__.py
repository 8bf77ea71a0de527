"""The use cases of the front ends, and the configuration that they run under.

`__all__` has them: index and watch; search, and what stands beside it (show, list,
context, like, why-not, verify); chunk; agent files; status, trust and doctor.
Finds files, reads configuration, clock and environment, wires the stages and owns
the locks. Below this package everything arrives as a parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.lazy_imports import import_late

if TYPE_CHECKING:
    from leafmark.app.agents.agent_files import package_folder, update_agents, write_llms
    from leafmark.app.answering.browsing import browse_project, overview, read_document, text_marker
    from leafmark.app.answering.listing import (
        list_chunks,
        list_documents,
        list_folder,
        list_settings,
        list_tags,
        list_trees,
        project_status,
    )
    from leafmark.app.answering.related import find_context, find_like
    from leafmark.app.answering.resolving import explain_unread
    from leafmark.app.answering.searching import explain_why_not, search_project
    from leafmark.app.answering.showing import show_chunks
    from leafmark.app.answering.verifying import verify_texts
    from leafmark.app.chunking import chunk_sources, plan_chunking
    from leafmark.app.configuration.project import Project, open_project
    from leafmark.app.configuration.setup import approve, list_trust, revoke, write_config
    from leafmark.app.doctor import examine
    from leafmark.app.indexing.refreshing import index_project, make_vectors
    from leafmark.app.migrating import migrate
    from leafmark.app.session import Watcher

__all__ = [
    "Project",
    "Watcher",
    "approve",
    "browse_project",
    "chunk_sources",
    "examine",
    "explain_unread",
    "explain_why_not",
    "find_context",
    "find_like",
    "index_project",
    "list_chunks",
    "list_documents",
    "list_folder",
    "list_settings",
    "list_tags",
    "list_trees",
    "list_trust",
    "make_vectors",
    "migrate",
    "open_project",
    "overview",
    "package_folder",
    "plan_chunking",
    "project_status",
    "read_document",
    "revoke",
    "search_project",
    "show_chunks",
    "text_marker",
    "update_agents",
    "verify_texts",
    "write_config",
    "write_llms",
]

_NAMES = {
    "agents.agent_files": "package_folder update_agents write_llms",
    "answering.browsing": "browse_project overview read_document text_marker",
    "answering.listing": "list_chunks list_documents list_folder "
    "list_settings list_tags list_trees project_status",
    "answering.related": "find_context find_like",
    "answering.resolving": "explain_unread",
    "answering.searching": "explain_why_not search_project",
    "answering.showing": "show_chunks",
    "answering.verifying": "verify_texts",
    "chunking": "chunk_sources plan_chunking",
    "configuration.project": "open_project Project",
    "configuration.setup": "approve list_trust revoke write_config",
    "doctor": "examine",
    "indexing.refreshing": "index_project make_vectors",
    "migrating": "migrate",
    "session": "Watcher",
}
_HOMES = {
    name: f"leafmark.app.{module}" for module, names in _NAMES.items() for name in names.split()
}


if not TYPE_CHECKING:
    __getattr__ = import_late(__name__, _HOMES)
