"""leafmark: find, read and cite the one part of many documents that matters.

`chunk` and `parse` work on one source and need no index. The record types and
the errors are here too. Nothing is imported before it is asked for.

>>> import leafmark
>>> [c.breadcrumb for c in leafmark.chunk("# A\\n\\none\\n\\n## B\\n\\ntwo\\n", path="p.md")]
['> A', '> A', '> A › B']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leafmark.errors import LeafmarkError
    from leafmark.library import chunk, parse
    from leafmark.model import Chunk, ChunkRecord, Diagnostic, Document, Span

__version__ = "0.1.0"

__all__ = [
    "Chunk",
    "ChunkRecord",
    "Diagnostic",
    "Document",
    "LeafmarkError",
    "Span",
    "__version__",
    "chunk",
    "parse",
]

_HOMES = {
    "Chunk": "leafmark.model",
    "ChunkRecord": "leafmark.model",
    "Diagnostic": "leafmark.model",
    "Document": "leafmark.model",
    "LeafmarkError": "leafmark.errors",
    "Span": "leafmark.model",
    "chunk": "leafmark.library",
    "parse": "leafmark.library",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its home when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
