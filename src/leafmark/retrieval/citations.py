"""Citations: `id@h:start-end`, which anybody can check against the source.

`h` are the first 12 hex digits of the sha256 of exactly `source[start:end]`.
"""

from __future__ import annotations

import re

__all__ = ["DIGEST_DIGITS", "format_citation"]

DIGEST_DIGITS = 12

_UNSAFE = re.compile(r"[\s\"'`()\[\]{}<>«»‘’“”„‹›（）［］｛｝「」『』【】〈〉《》]")


def format_citation(chunk_id: str, sha256: str, start: int, end: int) -> str:
    """Return the citation of bytes `[start, end)`, whose hex digest is `sha256`.

    White space, quotes and brackets of the id are percent-encoded, so that a
    citation ends where it stands in a text.

    >>> format_citation("docs:a (1).md", "0123456789abcdef", 3, 9)
    'docs:a%20%281%29.md@0123456789ab:3-9'
    """
    name = _UNSAFE.sub(_escape, chunk_id)
    return f"{name}@{sha256[:DIGEST_DIGITS]}:{start}-{end}"


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
