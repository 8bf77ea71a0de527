"""What is asked of an index: search, show, list, verify, and what is like something."""
