"""leafmark inside other frameworks: `langchain` and `llamaindex`, each with its own extra.

An adapter uses the library as any program does, and gives its framework texts,
offsets in characters, relations and metadata in the framework's own types. No other
package imports an adapter, since the frameworks are large.
"""

from __future__ import annotations

__all__: list[str] = []
