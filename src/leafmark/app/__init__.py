"""The use cases: index, search, show, status, and the configuration they run under.

Finds files, reads configuration, clock and environment, wires the stages and
owns the locks. Below this room everything arrives as a parameter.
"""
