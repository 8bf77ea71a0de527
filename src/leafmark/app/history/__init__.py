"""Use cases over time: compare two states, read a revision, follow a section, report what broke."""
