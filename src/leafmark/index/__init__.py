"""What is on disk: schema, analyzers, writer, reader, manifest, generations, locks.

The only room that writes index files and, with `retrieval`, the only one that
imports Tantivy. One commit changes text and manifest together.
"""
