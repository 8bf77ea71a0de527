"""The hidden parts of Markdown text, which a reader does not see: targets of links, tags, entities.

`[the guide](guide.md) says` reads "the guide says", and `a&nbsp;b` is two adjacent words. So the
index has the visible text in one run, and after it each hidden part, separated: a phrase matches
the text that people read, and a search still finds the words of an address. Code is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from leafmark.index.analysis import Analyzer
from leafmark.patterns import lazy_pattern

INLINE_FORMATS = ("markdown",)
"""The formats whose text is indexed with its markup of links and tags."""

_TAGS = (
    "a|abbr|article|b|big|blockquote|br|center|cite|code|dd|del|details|dfn|div|dl|dt|em|figcaption"
    "|figure|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|picture|pre|q|s|samp|section|small|source"
    "|span|strike|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var|video"
)

_UNREAD = lazy_pattern(
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
"""Hidden parts, and code. All begin with one of a few characters, to which the search jumps;
so the alternatives look back at the first character."""

_OPENINGS = ("](", "<", "&", "][", "[^")
"""The beginnings of hidden parts; half of all texts have none of them, a fast check."""


def iter_unread(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the ranges of hidden parts, and whether a search should find their words.

    >>> text = "a&nbsp;[b](c.md) `[d](e)` <b>f</b>"
    >>> [text[start:end] for start, end, _ in iter_unread(text)]
    ['&nbsp;', '(c.md)', '<b>', '</b>']
    """
    if not any(map(text.__contains__, _OPENINGS)):
        return
    for match in _UNREAD.finditer(text):
        kind = match.lastgroup
        if kind is None or (kind == "entity" and _is_word(match[0])):
            continue
        start, end = match.start() + (kind == "target"), match.end()
        yield start, end, kind != "entity" and (kind != "tag" or "=" in match[0])


def iter_read(text: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the visible text as one run of parts, each with its start; nothing if all is visible.

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


def terms_by_part(analyzer: Analyzer, text: str) -> list[str]:
    """Return the terms of the visible text, then those of each hidden part."""
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
