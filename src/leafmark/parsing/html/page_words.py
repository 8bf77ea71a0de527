"""The words by which pages name their parts: look-ups in `words.toml`.

In: classes, ids, labels. Out: the lists of the file that contain them. A class is split into words
at signs and capitals, and an entry matches where its words stand in a row.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from leafmark.environment import memo

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")
_MAX_CLASS = 100
_MAX_WORDS = 4

_MARKS = (
    rb"&(?:nbsp|[lr]a?quo|[lr]saquo|[lrud]arr|[lg]t|amp|middot|bull|para|sect|#[0-9]{1,6}"
    rb"|#x[0-9a-f]{1,5});|[\s\0\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e0-9]"
    rb"|\xc2[\xa0-\xbf]|\xe2[\x80-\xbf][\x80-\xbf]|\xee[\x80-\xbf]{2}|\xef[\x80-\xa3][\x80-\xbf]|\xef\xb8\x8f|\xf0\x9f[\x80-\xbf]{2}"
)
_LETTERS = re.compile(rb"[A-Za-z]+")
MAX_SIGN = 80
"""The longest text outside links, in bytes, that may be only signs."""

_PERMALINK = re.compile(
    rb"(?:\s|<(?!/a[\s>]|im)[^<>]*>|(?!))*+"
    rb"(?:\xc2[\xb6\xa7]|#|\xf0\x9f\x94\x97|\xef\x83\x81|\xe2\x9a\x93|\xe2\x97[\x86\x87]|\xe2\x86[\x91\xa9]"
    rb"|&(?:para|sect|num|#182|#167|#35|#x0*b6|#x0*a7|#x0*23|#128279|#x1f517|#xf0c1|#967[01]"
    rb"|#8617|#x21a9|larrhk|#8593|#x2191|uarr)\b;?|(?!))?+"
    rb"(?:&nbsp;|&#160;|\xc2\xa0|(?!))*+"
    rb"(?:\s|\xef\xb8[\x8e\x8f]|&\#xfe0[ef];|\xe2\x80\x8b|<(?!/a[\s>]|im)[^<>]*>|(?!))*+</a\s*+>",
    re.IGNORECASE,
)
_PERMALINK_SIZE = 400
"""The longest markup of a permalink (an SVG icon takes about 300 bytes)."""

_STRIPPED = " \t\r\n\f\xa0[](){}<>|:;,.*-\u2010\u2011\u2012\u2013\u2014«»‹›←→↑↓⇐⇒⇑⇓◀▶◄►▲▼△•·/\u200b"


@cache
def words_of(table: str, name: str) -> frozenset[str]:
    """Return the entries of a list, as in the file."""
    return frozenset(_file()[table][name])


@cache
def pattern_of(table: str, name: str) -> re.Pattern[str]:
    """Return a pattern for a list of patterns, which ignores case."""
    return re.compile("|".join(_file()[table][name]), re.IGNORECASE)


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


_CLASS_LISTS = "classes labels panels around credits shown whole languages badges boxes".split()


@cache
def _tables() -> dict[str, frozenset[str]]:
    """Return the tables that contain each entry of the lists of classes."""
    tables_by_entry: dict[str, set[str]] = {}
    for table, lists in _file().items():
        for name in _CLASS_LISTS:
            if name in lists and (table, name) != ("source", "labels"):
                for entry in lists[name]:
                    tables_by_entry.setdefault(entry, set()).add(f"{table}.{name}")
    return {entry: frozenset(tables) for entry, tables in tables_by_entry.items()}


_NONE: frozenset[str] = frozenset()


@memo(4096)
def id_lists(name: str) -> frozenset[str]:
    """Return the lists that contain a whole id: its words may be those of the text it names.

    The end of an id is enough for a side bar.

    >>> sorted(id_lists("titlearea")), sorted(id_lists("getLastModified()"))
    (['drop.classes'], [])
    >>> sorted(id_lists("docs-sidebar")), sorted(id_lists("sidebar-colours"))
    (['linked.classes'], [])
    """
    words = in_words(name[:_MAX_CLASS])
    entry = "-".join(words)
    tables = _tables()
    lists = tables.get(entry, _NONE) | tables.get(f"={entry}", _NONE)
    if words_of("linked", "ids").isdisjoint((*words[-1:], "-".join(words[-2:]))):
        return lists
    return lists | {"linked.classes"}


@memo(4096)
def class_lists(name: str) -> frozenset[str]:
    """Return the lists that contain a class, as `table.list`.

    >>> sorted(class_lists("md-topNav")), sorted(class_lists("navy"))
    (['drop.classes', 'linked.classes'], [])
    """
    if len(name) > _MAX_CLASS:
        return _NONE
    words = in_words(name)
    tables = _tables()
    lists: set[str] = set()
    for first in range(len(words)):
        for last in range(first + 1, min(len(words), first + _MAX_WORDS) + 1):
            lists |= tables.get("-".join(words[first:last]), _NONE)
    lists |= tables.get("=" + "-".join(words), _NONE)
    return frozenset(lists) if lists else _NONE


def in_words(name: str) -> list[str]:
    """Return the words of a class or an id, in lower case.

    >>> in_words("theme-docTOCMobile_x2")
    ['theme', 'doc', 'toc', 'mobile', 'x', '2']
    """
    return [word.lower() for word in _PARTS.findall(name)]


def is_sign(text: bytes) -> bool:
    """Whether a text outside links has no content: signs, numbers, names of steps.

    >>> is_sign(b" | "), is_sign(b"Next: "), is_sign(b"Next, wait.")
    (True, True, False)
    """
    if len(text) > MAX_SIGN:
        return False
    word = _LETTERS.search(text) if b"&" not in text else None
    if word is not None and word[0].lower() not in _sign_letters():
        return False
    return _sign_pattern().fullmatch(text) is not None


def is_permalink(data: bytes, start: int, end: int) -> int:
    """Return where the `a` element whose start tag is `[start, end)` ends, if it is a permalink.

    That is a link to a place in a page whose text is only a sign (`¶`, `#`, `§`,
    a chain) or nothing; -1 for any other.
    """
    if b"#" not in data[start:end]:
        return -1
    match = _PERMALINK.match(data, end, min(len(data), end + _PERMALINK_SIZE))
    return match.end() if match else -1


@cache
def _sign_letters() -> frozenset[bytes]:
    """Return the runs of letters in the words of signs."""
    words = {*words_of("pager", "steps"), *words_of("pager", "places")}
    return frozenset(run for word in words for run in _LETTERS.findall(word.lower().encode()))


@cache
def _sign_pattern() -> re.Pattern[bytes]:
    words = {*words_of("pager", "steps"), *words_of("pager", "places")}
    spelt = (re.escape(word.encode()) for word in sorted(words, key=len, reverse=True))
    return re.compile(
        rb"(?:%b|(?<![A-Za-z])(?:%b)(?![A-Za-z])|(?!))*+" % (_MARKS, b"|".join(spelt)),
        re.IGNORECASE,
    )


def label_of(text: str) -> str:
    """Return the text of a link without signs around it, folded.

    >>> label_of("[ Next\xa0>> ]")
    'next'
    """
    return " ".join(text.casefold().strip(_STRIPPED).split())


@memo(4096)
def lists_of(names: tuple[str, ...]) -> frozenset[str]:
    """Return the lists that contain any of some classes."""
    return _NONE.union(*map(class_lists, names))
