"""The names of fields, which stand before a colon, and what each of them does.

Text fields score: the words after the colon are looked for only there. Filters admit or
refuse chunks and never score. `path` is a filter, a plain case-sensitive prefix
(`path:docs/api/`): words of paths need no field, since every word of a query is looked for in
paths too.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from leafmark.likeness import edits_from

__all__ = [
    "FIELDS",
    "FILTERS",
    "HALF_CHARACTER",
    "HAS_VALUES",
    "META_PATTERN",
    "META_PREFIX",
    "QUOTES",
    "SCORING_FIELDS",
    "is_filter",
    "is_scoring",
    "nearest_field",
]

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
"""Every name with a description of its value, in the order of the help."""

QUOTES: Final = '"“”„‟＂'
"""The straight quote, then those that text editors and telephones replace it by."""

HALF_CHARACTER: Final = re.compile("[\ud800-\udfff]")
"""What Python makes of bytes that are not UTF-8; no document holds it."""

HAS_VALUES: Final = ("code", "table", "list")

# A key of front matter may hold capitals, digits and hyphens: nothing else
# that people paste begins with `meta.` and has a colon.
META_PATTERN: Final = r"meta\.[^\s:()\\" + QUOTES + "]+"
_META = re.compile(META_PATTERN)


def is_scoring(name: str) -> bool:
    return name in SCORING_FIELDS


def is_filter(name: str) -> bool:
    return name in FILTERS or _META.fullmatch(name) is not None


_META_KEY = "meta.KEY"

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
    "meta": _META_KEY,
    "metadata": _META_KEY,
}
"""Names of the same fields in other search tools."""

NEAR_LETTERS = 4
"""One wrong letter is a slip if the longer name has this many letters: `tag` for `tags`.

A shorter name is another word: `is:open` does not mean `id`.
"""


def nearest_field(name: str) -> str | None:
    """Return the field that `name` may mean: its name in other tools, or one slip away from it.

    A slip is one letter too many, too few or wrong, or two letters in the wrong order.

    >>> nearest_field("titel"), nearest_field("folder"), nearest_field("node")
    ('title', 'path', None)
    """
    if name.startswith(META_PREFIX):
        return _META_KEY
    near = (known for known in (*SCORING_FIELDS, *FILTERS) if _is_slip(name, known))
    return _ELSEWHERE.get(name) or next(near, None)


def _is_slip(name: str, known: str) -> bool:
    return max(len(name), len(known)) >= NEAR_LETTERS and edits_from(name)(known) <= 1
