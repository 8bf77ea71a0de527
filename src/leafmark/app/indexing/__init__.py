"""The index brought up to date with the sources: what `leafmark index` and every search do."""
