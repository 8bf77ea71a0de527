"""A `Document` to chunks: the node tree, slugs, ids, breadcrumbs, strategies.

Pure and deterministic: the same document and options give the same chunks on
every platform.
"""
