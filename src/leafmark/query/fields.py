"""The names that may stand before a colon, and what each one does.

Text fields score: the words after the colon are looked for there and nowhere
else. Filters admit or refuse and never score. `path` is a filter, a plain
case-sensitive prefix (`path:docs/api/`): words of a path need no field of their
own, because every word of a query is looked for in the path too.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

__all__ = ["FIELDS", "FILTERS", "META_PREFIX", "SCORING_FIELDS", "is_filter", "is_scoring"]

SCORING_FIELDS: Final = ("title", "tags", "body")
FILTERS: Final = ("tree", "path", "id", "under", "has", "lang")
META_PREFIX: Final = "meta."

FIELDS: Final = MappingProxyType(
    {
        "title": "words of the title",
        "tags": "words of the tags",
        "body": "words of the text",
        "tree": "the name of a tree",
        "path": "how the path begins",
        "id": "one id, whole",
        "under": "the id of a section or document: it and all below it",
        "has": "a kind of block: code, table or list",
        "lang": "the language of a code block or script",
        "meta.KEY": "a value in the front matter, or a range of values",
    }
)
"""Every name with a line on its value, in the order in which help shows them."""

QUOTES: Final = '"“”„‟＂'
"""The straight quote first, then those that text editors and telephones put in its place."""

HALF_CHARACTER: Final = re.compile("[\ud800-\udfff]")
"""What Python keeps of bytes that are not UTF-8; no document holds it."""

HAS_VALUES: Final = ("code", "table", "list")

# A key of front matter may hold capitals, digits and hyphens: nothing else
# that people paste begins with `meta.` and has a colon.
META_PATTERN: Final = r"meta\.[^\s:()\\" + QUOTES + "]+"
_META = re.compile(META_PATTERN)


def is_scoring(name: str) -> bool:
    return name in SCORING_FIELDS


def is_filter(name: str) -> bool:
    return name in FILTERS or _META.fullmatch(name) is not None


_ELSEWHERE = {
    "content": "body",
    "text": "body",
    "dir": "path",
    "file": "path",
    "filename": "path",
    "folder": "path",
    "in": "under",
    "section": "under",
    "language": "lang",
    "type": "has",
    "repo": "tree",
}
"""What other tools call the same."""


def nearest_field(name: str) -> str | None:
    """The known name that `name` may stand for: another tool's, or one that looks like it."""
    from difflib import get_close_matches  # only for an error: it costs 3 ms to import

    if name.startswith("meta"):
        return "meta.KEY"
    known = [*SCORING_FIELDS, *FILTERS]
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    return _ELSEWHERE.get(name) or next(iter(close), None)
