"""The embedded engine: the only package that imports Tantivy.

It compiles queries, and reads and writes one generation of an index. No other package knows
where a chunk lies in the engine's files.
"""
