"""A query string to an expression, and back.

Pure; knows nothing of the engine. Every error has a place in the string.
"""
