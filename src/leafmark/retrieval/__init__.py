"""An expression to results: engine query, candidates, cutoff, aggregation, snippets.

One pipeline for every kind of search; each phase goes from list to list and
reports what it did. Read `pipeline` first.
"""

from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.pipeline import search

__all__ = ["SearchParams", "search"]
