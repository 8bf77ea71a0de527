"""Slugs: the anchors of a document's headings, as github.com renders them.

A slug is the heading's rendered text in lower case, without all characters
except alphabetic ones, marks, decimal digits, connector punctuation, hyphens and
spaces, and with a hyphen for each space. Repeats are numbered from top
to bottom, each with the first free number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from leafmark.chunking.word_characters import WORD_CHARACTERS
from leafmark.patterns import lazy_pattern


@cache
def dropped_characters() -> re.Pattern[str]:
    """Return the pattern of one character that a slug drops; compiled when first needed."""
    ranges = (part.partition("-") for part in WORD_CHARACTERS.split())
    classes = (chr(int(a, 16)) + (f"-{chr(int(b, 16))}" if b else "") for a, _, b in ranges)
    return re.compile(rf"[^a-z0-9_\- {''.join(classes)}]")


_EMPTY = "heading"
"""The slug of a heading whose text has no characters that slugs keep."""

_LOWER = bytes(range(256)).lower().replace(b" ", b"-")
_DROPPED = bytes(code for code in range(128) if not (chr(code).isalnum() or chr(code) in "_- "))
"""A translation table for ASCII characters in slugs; and the dropped characters."""

_DROPPED_OF_LINES = _DROPPED.replace(b"\n", b"")

_HYPHENS = lazy_pattern(r"-+")


def github_slug(text: str) -> str:
    """Return GitHub's anchor for a heading's rendered text; may be empty.

    >>> github_slug("What's new in 2.0 — naïve `x_y`?")
    'whats-new-in-20--naïve-x_y'
    """
    if not text.isascii():
        text = text.lower()
    if not text.isascii():
        return dropped_characters().sub("", text).replace(" ", "-")
    # a quarter of the time of translating a string
    return text.encode().translate(_LOWER, _DROPPED).decode()


def slug_of(text: str, style: str) -> str:
    """Return the slug for `text`; `collapse` merges runs of hyphens and trims the ends.

    >>> slug_of("A & B", "github"), slug_of("A & B", "collapse"), slug_of("!", "github")
    ('a--b', 'a-b', 'heading')
    """
    slug = github_slug(text)
    if style == "collapse":
        slug = _HYPHENS.sub("-", slug).strip("-")
    return slug or _EMPTY


def distinct_slugs(
    texts: Sequence[str],
    *,
    anchors: Sequence[str | None],
    paths: Sequence[str | None],
    style: str,
) -> list[str]:
    """Return each heading's slug: the page's anchor, the definition's path, or from its text.

    >>> distinct_slugs(["A b"] * 2, anchors=[None] * 2, paths=[None] * 2, style="github")
    ['a-b', 'a-b-1']
    """
    names = _slugs_of(texts, style)
    if anchors.count(None) + paths.count(None) < 2 * len(names):
        own = zip(names, anchors, paths, strict=True)
        names = [
            anchor if anchor is not None else name if path is None else path
            for name, anchor, path in own
        ]
    return names if len(set(names)) == len(names) else number_slugs(names, anchors)


def _slugs_of(texts: Sequence[str], style: str) -> list[str]:
    """Return the slug of each text; ASCII texts are translated at once, in a fifth of the time."""
    together = "\n".join(texts)
    if style != "github" or not together.isascii() or together.count("\n") >= len(texts):
        return [slug_of(text, style) for text in texts]
    slugs = together.encode().translate(_LOWER, _DROPPED_OF_LINES).decode().split("\n")
    return slugs if all(slugs) else [slug or _EMPTY for slug in slugs]


def number_slugs(names: Sequence[str], anchors: Sequence[str | None]) -> list[str]:
    """Return a distinct slug for each name, in order; the names of anchors are the anchors.

    Anchors are the page's own and come first; the other names are numbered
    from top to bottom. Linear in the number of names: a name's counter only
    goes up, and each slug that makes it skip belongs to that name alone.

    >>> number_slugs(["echo", "echo", "echo-1", "echo-1", "echo"], [None] * 5)
    ['echo', 'echo-1', 'echo-1-1', 'echo-1-2', 'echo-2']
    >>> number_slugs(["setup"] * 3, [None, "setup", "setup"])
    ['setup-1', 'setup', 'setup-2']
    """
    owners = _first_places(anchors)
    following = dict.fromkeys(owners, 1)
    """Every slug in use, with the number of its next repeat."""
    slugs = []
    for index, name in enumerate(names):
        slug, number = name, following.get(name)
        if number is None:
            following[name] = 1
        elif owners.get(name) != index:
            while (slug := f"{name}-{number}") in following:
                number += 1
            following[name] = number + 1
            following[slug] = 1
        slugs.append(slug)
    return slugs


def _first_places(anchors: Sequence[str | None]) -> dict[str, int]:
    """The first place of each anchor."""
    places: dict[str, int] = {}
    for index, anchor in enumerate(anchors):
        if anchor is not None:
            places.setdefault(anchor, index)
    return places
