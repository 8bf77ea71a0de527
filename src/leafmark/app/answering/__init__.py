"""Use cases that answer from an index: search, show, list, verify, like, context."""
