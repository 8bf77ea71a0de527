"""Sources chunked with no index: what `leafmark chunk` does."""
