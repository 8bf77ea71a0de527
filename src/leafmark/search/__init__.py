"""An expression to results: compile, score, cut, bring to the right grain, present.

One pipeline for every kind of search; each phase goes from list to list and reports what it
did. Read `pipeline` first, then `score`.
"""

from leafmark.search.options import MECHANISMS, SearchOptions
from leafmark.search.pipeline import search

__all__ = ["MECHANISMS", "SearchOptions", "search"]
