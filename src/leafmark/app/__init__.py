"""The use cases: index, search, chunk, show, list, status, and the configuration they run under.

Finds files, reads configuration, clock and environment, wires the stages and
owns the locks. Below this room everything arrives as a parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leafmark.app.agents import package_folder, update_agents
    from leafmark.app.chunk_jobs import plan_chunking
    from leafmark.app.chunking import chunk_sources
    from leafmark.app.context import find_context
    from leafmark.app.doctor import examine
    from leafmark.app.evaluating import draft_judgments, evaluate_project
    from leafmark.app.indexing import index_project
    from leafmark.app.like import find_like
    from leafmark.app.listing import (
        list_chunks,
        list_documents,
        list_settings,
        list_tags,
        list_trees,
        project_status,
    )
    from leafmark.app.llms import write_llms
    from leafmark.app.project import Project, open_project
    from leafmark.app.searching import search_project
    from leafmark.app.showing import show_chunks
    from leafmark.app.template import write_config
    from leafmark.app.trusting import approve, list_trust, revoke
    from leafmark.app.verifying import verify_texts
    from leafmark.app.watching import Watcher
    from leafmark.app.whynot import explain_why_not

__all__ = [
    "Project",
    "Watcher",
    "approve",
    "chunk_sources",
    "draft_judgments",
    "evaluate_project",
    "examine",
    "explain_why_not",
    "find_context",
    "find_like",
    "index_project",
    "list_chunks",
    "list_documents",
    "list_settings",
    "list_tags",
    "list_trees",
    "list_trust",
    "open_project",
    "package_folder",
    "plan_chunking",
    "project_status",
    "revoke",
    "search_project",
    "show_chunks",
    "update_agents",
    "verify_texts",
    "write_config",
    "write_llms",
]

_HOMES = {
    "find_context": "leafmark.app.context",
    "find_like": "leafmark.app.like",
    "examine": "leafmark.app.doctor",
    "explain_why_not": "leafmark.app.whynot",
    "Project": "leafmark.app.project",
    "Watcher": "leafmark.app.watching",
    "approve": "leafmark.app.trusting",
    "chunk_sources": "leafmark.app.chunking",
    "draft_judgments": "leafmark.app.evaluating",
    "evaluate_project": "leafmark.app.evaluating",
    "index_project": "leafmark.app.indexing",
    "list_chunks": "leafmark.app.listing",
    "list_documents": "leafmark.app.listing",
    "list_settings": "leafmark.app.listing",
    "list_tags": "leafmark.app.listing",
    "list_trees": "leafmark.app.listing",
    "list_trust": "leafmark.app.trusting",
    "open_project": "leafmark.app.project",
    "package_folder": "leafmark.app.agents",
    "plan_chunking": "leafmark.app.chunk_jobs",
    "project_status": "leafmark.app.listing",
    "revoke": "leafmark.app.trusting",
    "search_project": "leafmark.app.searching",
    "show_chunks": "leafmark.app.showing",
    "verify_texts": "leafmark.app.verifying",
    "update_agents": "leafmark.app.agents",
    "write_config": "leafmark.app.template",
    "write_llms": "leafmark.app.llms",
}


def __getattr__(name: str) -> Any:
    """Import a use case when it is first asked for: a command runs one of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
