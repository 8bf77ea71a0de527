"""The embedded engine: the only package that imports Tantivy.

It compiles queries, reads and writes one generation of an index, and keeps to itself where a
chunk lies in the engine's files.
"""
