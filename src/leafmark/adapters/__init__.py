"""leafmark inside other frameworks: `langchain` and `llamaindex`, each with its own extra.

An adapter uses the library as any program does and gives its framework what that
has names for: texts, offsets in characters, relations, metadata. Nothing is
imported from here unasked, since the frameworks are large.
"""

from __future__ import annotations

__all__: list[str] = []
