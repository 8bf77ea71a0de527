"""An expression to results: engine query, candidates, cutoff, aggregation, snippets.

One pipeline for every kind of search; each phase goes from list to list and
reports what it did.
"""
