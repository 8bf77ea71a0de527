"""Facts: what a chunk can be filtered on, as terms of the form `name=value`.

`tree=docs`, `kind=section`, `role=test` (see `roles`), `has=code`, `lang=python`, `tag=api`,
`meta.KEY=value` for each value of the front matter, `above=TERM` (see `headed`), and
`name=cache.pop` for a definition: in source code, of a definition inside another one; in manuals,
of an option, a setting or a function (see `definitions`). Each value has one spelling
(`canonical`), so that equal values are equal terms; a comparison lists the terms that begin with
`meta_prefix(key)` and compares their values.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from leafmark.index.folding import fold

__all__ = [
    "SECONDARY_FACT",
    "canonical",
    "defined_facts",
    "fact",
    "language_fact",
    "meta_facts",
    "meta_prefix",
    "name_facts",
    "tag_fact",
    "term_facts",
]

SECONDARY_FACT = "role=secondary"
"""What each chunk of a secondary source has: where none does, a search need not look for them."""

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
    """Return the term for a fact whose value is used as it is.

    >>> fact("tree", "docs")
    'tree=docs'
    """
    return f"{name}={value}".encode("utf-8", "replace").decode()


def tag_fact(tag: str) -> str:
    """Return the term for a tag, in any case and spelling.

    >>> tag_fact("API")
    'tag=api'
    """
    return fact("tag", fold(tag).casefold())


def language_fact(language: str) -> str:
    """Return the term for code in `language`, whatever it is called.

    >>> language_fact("py") == language_fact("Python")
    True
    """
    name = language.casefold()
    return fact("lang", _LANGUAGES.get(name, name)[:MAX_VALUE_CHARS])


_JOINT = re.compile(r"::|->|[.#]")
"""The signs between the name of a definition and that of the one it is in."""

_NAME = re.compile(r"(?![0-9])[\w$]+")

MAX_NAMES = 8
"""The most names in a qualified name: nobody types more."""


def name_facts(path: str) -> list[str]:
    """Return the terms for a qualified name and for its ends of two or more names.

    There are none for a single name, which is a word like any other.

    >>> name_facts("Outer::Cache.pop()")
    ['name=outer.cache.pop', 'name=cache.pop']
    >>> name_facts("pop"), name_facts("2.0"), name_facts("a..b")
    ([], [], [])
    """
    names = _JOINT.split(_uncalled(path), MAX_NAMES)
    if len(names) < 2 or not all(map(_NAME.fullmatch, names)):
        return []
    said = [name.casefold() for name in names]
    return [fact("name", ".".join(said[at:])) for at in range(len(said) - 1)]


def _uncalled(name: str) -> str:
    """Return a folded name without the brackets of a call."""
    return fold(name).removesuffix("()")


_OPTION = re.compile(r"--?(?=[^\W_])[\w.-]{2,}")
_COMPOUND = re.compile(r"(?=[^\W\d]|[$_])[\w$]+(?:-[\w$]+)*")
_IN_NAMES = re.compile(r"[^\W_]_+[^\W_]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
"""What only names have, and ordinary words do not: `a_b`, `aB`, `ABc`."""

_BEFORE_NAMES = "`*'‘"
_AFTER_NAMES = "`*'’.,;!?"
"""Marks that stand around a name in a sentence."""

_HYPHEN = re.compile(r"[^\W_]-[^\W_]")
"""What options, settings and ordinary words may have: `text-transform`, `read-only`."""


def term_facts(word: str, *, alone: bool = True) -> list[str]:
    """Return the terms for definitions that are called like a word of a query.

    There are none for an ordinary word: a text about it is as good as its definition. A word
    with a hyphen is taken as a name only if it is `alone` in the query. Marks that a sentence
    puts around a name are no part of it. A colon is one only where the name is alone: before a
    message (`pool.PoolError: pool exhausted`) the name is not what is asked for.

    >>> term_facts("max_connections"), term_facts("os.path.join"), term_facts("amend")
    (['name=max_connections'], ['name=os.path.join', 'name=path.join'], [])
    >>> term_facts("--ff-only"), term_facts("--amend"), term_facts("read-only", alone=False)
    (['name=ff-only'], ['name=-amend'], [])
    >>> term_facts("`max_connections`?", alone=False)
    ['name=max_connections']
    >>> term_facts("pool.PoolError:"), term_facts("pool.PoolError:", alone=False)
    (['name=pool.poolerror'], [])
    """
    name = word.lstrip(_BEFORE_NAMES).rstrip(_AFTER_NAMES + ":" if alone else _AFTER_NAMES)
    return name_facts(name) or _name_alone(_uncalled(name), may_be_hyphened=alone)


def _name_alone(name: str, *, may_be_hyphened: bool = True) -> list[str]:
    is_name = _IN_NAMES.search(name) is not None
    if _OPTION.fullmatch(name):
        said = name.lstrip("-")
        is_name = is_name or _HYPHEN.search(said) is not None
        return [fact("name", (said if is_name else f"-{said}").casefold())]
    is_name = is_name or (may_be_hyphened and _HYPHEN.search(name) is not None)
    return [fact("name", name.casefold())] if is_name and _COMPOUND.fullmatch(name) else []


def defined_facts(name: str) -> list[str]:
    """Return the terms for a name that a manual defines.

    >>> defined_facts("importlib.util.module_from_spec")[1:]
    ['name=util.module_from_spec', 'name=module_from_spec']
    """
    return name_facts(name) + _name_alone(_JOINT.split(_uncalled(name))[-1])


def meta_prefix(key: str) -> str:
    """Return the beginning of all terms of a front matter key.

    >>> meta_prefix("Status")
    'meta.status='
    """
    return f"meta.{fold(key).casefold()}="


def canonical(value: object) -> str:
    """Return the one spelling of a front matter value: folded text, shortest number.

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
    """Return the terms of all values: one for each item of a list; dotted keys for tables.

    >>> meta_facts({"status": "Draft", "n": [1, 2.5], "a": {"b": None, "c": "x"}})
    ['meta.status=draft', 'meta.n=1', 'meta.n=2.5', 'meta.a.c=x']
    """
    found = [
        _short_fact(key, value) if _is_short(value) else _meta_fact(key, value)
        for key, value in islice(_leaves(metadata, "", 0), MAX_META_FACTS)
    ]
    return list(dict.fromkeys(found))


def _meta_fact(key: str, value: object) -> str:
    return fact(meta_prefix(key)[:-1], canonical(value))


_short_fact = lru_cache(4096)(_meta_fact)
"""`_meta_fact`, remembered: many values repeat in file after file."""


def _is_short(value: object) -> bool:
    """Whether to remember a value: only short texts, since 1, 1.0 and True are equal."""
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
