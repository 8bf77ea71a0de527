"""What a reader does not see within the text of Markdown: targets of links, tags, entities.

`[the guide](guide.md) says` reads "the guide says", and `a&nbsp;b` is two words beside each other.
So the index holds what is read in one run, and behind it what is not, each part apart: a phrase
matches what people read, and the words of an address are found all the same. Code is left as it
is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from leafmark.index.analysis import Analyzer
from leafmark.patterns import late_pattern

INLINE_FORMATS = ("markdown",)
"""The formats whose text is indexed as it is written, with what links and tags are made of."""

_TAGS = (
    "a|abbr|article|b|big|blockquote|br|center|cite|code|dd|del|details|dfn|div|dl|dt|em|figcaption"
    "|figure|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|picture|pre|q|s|samp|section|small|source"
    "|span|strike|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var|video"
)

_UNREAD = late_pattern(
    r"[`~\][<&](?:"
    r"(?<=`)(?<!``)(?:``[^`\n]*\n(?:[^`]|`(?!``)){0,20000}(?:```|\Z)"  # code, which is skipped
    r"|`*[^`]{1,1000}`+)"
    r"|(?<=~)~~[^~\n]*\n(?:[^~]|~(?!~~)){0,20000}(?:~~~|\Z)"
    r"|(?<=\])(?P<target>\([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?"
    r"(?:\s{1,9}(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?\s{0,9}\)"
    r"|\[[^\[\]\n]{0,200}\])"
    r"|(?<=\[)(?P<note>\^[^\]\s]{1,100}\])"
    rf"|(?<=<)(?P<tag>/?(?:{_TAGS})(?=[\s/>])[^<>]{{0,2000}}>)"
    r"|(?<=<)(?P<comment>!--(?:[^-<]|-(?!->)|<(?!!--)|(?!)){0,5000}+-->)"
    r"|(?<=&)(?P<entity>(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});))",
    re.IGNORECASE,
)
"""All begin with one of a few characters, to which the search jumps; what begins is behind it."""

_BEGINNINGS = ("](", "<", "&", "][", "[^")
"""What all but code begin with; half of all texts have none, which is told at once."""


def iter_unread(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the ranges of what is not read, and whether their words are to be found.

    >>> text = "a&nbsp;[b](c.md) `[d](e)` <b>f</b>"
    >>> [text[start:end] for start, end, _ in iter_unread(text)]
    ['&nbsp;', '(c.md)', '<b>', '</b>']
    """
    if not any(map(text.__contains__, _BEGINNINGS)):
        return
    for found in _UNREAD.finditer(text):
        kind = found.lastgroup
        if kind is None or (kind == "entity" and _is_word(found[0])):
            continue
        start, end = found.start() + (kind == "target"), found.end()
        yield start, end, kind != "entity" and (kind != "tag" or "=" in found[0])


def iter_read(text: str) -> Iterator[list[tuple[int, str]]]:
    """Yield what is read as one run of parts, each with its place; nothing if that is all.

    >>> list(iter_read("[a](x) b"))
    [[(0, '[a]'), (6, ' b')]]
    """
    parts: list[tuple[int, str]] = []
    at = 0
    for start, end, _ in iter_unread(text):
        if start > at:
            parts.append((at, text[at:start]))
        at = end
    if at:
        yield [*parts, (at, text[at:])]


def _is_word(entity: str) -> bool:
    from html import unescape  # late: most searches meet none

    return unescape(entity).isalnum()


def terms_apart(analyzer: Analyzer, text: str) -> list[str]:
    """Return the terms of what is read, and then those of each part that is not."""
    unread = list(iter_unread(text))
    if not unread:
        return [analyzer.for_index(text)]
    parts: list[str] = []
    at = 0
    for start, end, _ in unread:
        parts.append(text[at:start])
        at = end
    behind = (analyzer.for_index(text[start:end]) for start, end, is_kept in unread if is_kept)
    return [analyzer.for_index(" ".join((*parts, text[at:]))), *filter(None, behind)]
