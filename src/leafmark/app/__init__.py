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
    from leafmark.app.agents.agent_files import package_folder, update_agents
    from leafmark.app.agents.llms import write_llms
    from leafmark.app.answering.browsing import (
        browse_project,
        overview,
        read_document,
        text_marker,
    )
    from leafmark.app.answering.listing import (
        list_chunks,
        list_document_ids,
        list_documents,
        list_folder,
        list_settings,
        list_tags,
        list_trees,
        project_status,
    )
    from leafmark.app.answering.related import find_context, find_like
    from leafmark.app.answering.resolving import explain_unread
    from leafmark.app.answering.searching import search_project
    from leafmark.app.answering.showing import show_chunks
    from leafmark.app.answering.verifying import verify_texts
    from leafmark.app.answering.whynot import explain_why_not
    from leafmark.app.chunking.jobs import plan_chunking
    from leafmark.app.chunking.run import chunk_sources
    from leafmark.app.configuration.project import Project, open_project
    from leafmark.app.configuration.template import write_config
    from leafmark.app.configuration.trusting import approve, list_trust, revoke
    from leafmark.app.doctor import examine
    from leafmark.app.indexing.refreshing import index_project, make_vectors
    from leafmark.app.migrating import migrate
    from leafmark.app.watching import Watcher

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
    "list_document_ids",
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

_HOMES = {
    "browse_project": "leafmark.app.answering.browsing",
    "overview": "leafmark.app.answering.browsing",
    "read_document": "leafmark.app.answering.browsing",
    "text_marker": "leafmark.app.answering.browsing",
    "find_context": "leafmark.app.answering.related",
    "find_like": "leafmark.app.answering.related",
    "examine": "leafmark.app.doctor",
    "explain_unread": "leafmark.app.answering.resolving",
    "explain_why_not": "leafmark.app.answering.whynot",
    "Project": "leafmark.app.configuration.project",
    "Watcher": "leafmark.app.watching",
    "approve": "leafmark.app.configuration.trusting",
    "chunk_sources": "leafmark.app.chunking.run",
    "index_project": "leafmark.app.indexing.refreshing",
    "list_chunks": "leafmark.app.answering.listing",
    "list_document_ids": "leafmark.app.answering.listing",
    "list_documents": "leafmark.app.answering.listing",
    "list_folder": "leafmark.app.answering.listing",
    "list_settings": "leafmark.app.answering.listing",
    "list_tags": "leafmark.app.answering.listing",
    "list_trees": "leafmark.app.answering.listing",
    "list_trust": "leafmark.app.configuration.trusting",
    "migrate": "leafmark.app.migrating",
    "make_vectors": "leafmark.app.indexing.refreshing",
    "open_project": "leafmark.app.configuration.project",
    "package_folder": "leafmark.app.agents.agent_files",
    "plan_chunking": "leafmark.app.chunking.jobs",
    "project_status": "leafmark.app.answering.listing",
    "revoke": "leafmark.app.configuration.trusting",
    "search_project": "leafmark.app.answering.searching",
    "show_chunks": "leafmark.app.answering.showing",
    "verify_texts": "leafmark.app.answering.verifying",
    "update_agents": "leafmark.app.agents.agent_files",
    "write_config": "leafmark.app.configuration.template",
    "write_llms": "leafmark.app.agents.llms",
}


if not TYPE_CHECKING:
    __getattr__ = import_late(__name__, _HOMES)
