"""An expression to results: compile, score, cut, bring to the right grain, present.

One pipeline for every kind of search; each phase goes from list to list and reports what it
did. Read `pipeline` first, then `score`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.lazy_imports import import_late
from leafmark.search.options import MECHANISMS, SearchOptions

if TYPE_CHECKING:
    from leafmark.search.pipeline import search

__all__ = ["MECHANISMS", "SearchOptions", "search"]


if not TYPE_CHECKING:  # options are needed without the engine
    __getattr__ = import_late(__name__, {"search": "leafmark.search.pipeline"})
