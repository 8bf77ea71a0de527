"""The bytes of one source to a `Document`: headings, blocks, metadata, diagnostics.

Pure: no files, no configuration, no clock. Bad input gives a document and
diagnostics, never an exception, in time linear in the input. Which headings
become sections, and what they are called, is decided in `chunking`.
"""
