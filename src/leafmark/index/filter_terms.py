"""Facts: the properties of a chunk for filters, as terms of the form `name=value`.

`tree=docs`, `format=html`, `kind=section`, `has=code`, `lang=python`, `tag=api`, `meta.KEY=value`
for each value of the front matter, `above=TERM` (see `text_with_titles`), and `cut=HASH`, which the
pieces of one section share. Each value has one spelling (`canonical`), so that equal values are
equal terms; a comparison lists the terms that begin with `meta_prefix(key)` and compares their
values.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from leafmark.environment import memo
from leafmark.index.folding import fold

MAX_VALUE_CHARS = 40
"""Longer values are shortened to their start and a hash: nobody filters on a description."""

_KEPT_CHARS = 16

MAX_META_FACTS = 1000
MAX_META_DEPTH = 8

_LANGUAGES = {
    alias: name
    for name, aliases in {
        "python": "py py3 python3 pycon",
        "javascript": "js jsx mjs cjs node",
        "typescript": "ts tsx",
        "shell": "sh bash zsh ksh console shell-session terminal",
        "yaml": "yml",
        "markdown": "md mdx",
        "rust": "rs",
        "ruby": "rb",
        "go": "golang",
        "csharp": "cs c#",
        "cpp": "c++ cxx cc hpp",
        "kotlin": "kt",
        "powershell": "ps1 pwsh",
        "html": "htm xhtml",
        "docker": "dockerfile",
        "make": "makefile mk",
        "perl": "pl",
        "text": "txt plain plaintext",
    }.items()
    for alias in aliases.split()
}


def fact(name: str, value: str) -> str:
    """Return the term for a fact; the value is used unchanged.

    >>> fact("tree", "docs")
    'tree=docs'
    """
    return f"{name}={value}".encode("utf-8", "replace").decode()


def format_fact(name: str) -> str:
    """Return the term for the format of a document, in any case."""
    return fact("format", name.lower())


def tag_fact(tag: str) -> str:
    """Return the term for a tag, in any case and spelling.

    >>> tag_fact("API")
    'tag=api'
    """
    return fact("tag", fold(tag).casefold())


def language_fact(language: str) -> str:
    """Return the term for code in `language`, by any of its names.

    >>> language_fact("py") == language_fact("Python")
    True
    """
    name = language.casefold()
    return fact("lang", _LANGUAGES.get(name, name)[:MAX_VALUE_CHARS])


def cut_number(doc_id: str, position: int) -> int:
    """Return the number that all pieces of one section share: a hash of its place, never 0."""
    return zlib.crc32(f"{doc_id}.{position}".encode("utf-8", "surrogatepass")) or 1


def cut_fact(number: int) -> str:
    """Return the term for the pieces of one section.

    >>> cut_fact(255)
    'cut=ff'
    """
    return f"cut={number:x}"


def meta_prefix(key: str) -> str:
    """Return the beginning of all terms of a front matter key.

    >>> meta_prefix("Status")
    'meta.status='
    """
    return f"meta.{fold(key).casefold()}="


def canonical(value: object) -> str:
    """Return the canonical spelling of a front matter value: folded text, shortest number.

    A long text becomes its start, for comparisons, and a hash of the whole.

    >>> canonical(" Draft "), canonical(3.0), canonical("3"), canonical(True)
    ('draft', '3', '3', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return str(int(value))
    text = " ".join(fold(str(value)).casefold().split())
    if len(text) <= MAX_VALUE_CHARS:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:_KEPT_CHARS]}…{digest[:8]}"


def meta_facts(metadata: Mapping[str, Any]) -> list[str]:
    """Return the terms of all values: one for each item of a list, with dotted keys for tables.

    >>> meta_facts({"status": "Draft", "n": [1, 2.5], "a": {"b": None, "c": "x"}})
    ['meta.status=draft', 'meta.n=1', 'meta.n=2.5', 'meta.a.c=x']
    """
    facts = [
        _short_fact(key, value) if _is_short(value) else _meta_fact(key, value)
        for key, value in islice(_leaves(metadata, "", 0), MAX_META_FACTS)
    ]
    return list(dict.fromkeys(facts))


def _meta_fact(key: str, value: object) -> str:
    return fact(meta_prefix(key)[:-1], canonical(value))


_short_fact = memo(4096)(_meta_fact)
"""`_meta_fact` with a cache: many values repeat in file after file."""


def _is_short(value: object) -> bool:
    """Whether to cache a value: only short texts, since 1, 1.0 and True are equal."""
    return value.__class__ is str and len(str(value)) <= MAX_VALUE_CHARS


def _leaves(value: object, key: str, depth: int) -> Iterator[tuple[str, object]]:
    if depth > MAX_META_DEPTH or value is None:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, f"{key}.{name}" if key else str(name), depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, key, depth + 1)
    else:
        yield key, value
