"""Ways to search, compared by judged queries: what `leafmark eval` does."""
