"""The numbered titles of plain text: manuals, specifications and RFCs have them (`2.1 Scope`).

A number at the left edge begins lists, steps and dates as well. So titles are taken only where all
of a text bears them out: each stands alone or above a line of marks, is short and ends no sentence;
there are at least four, the first of them in the first half; their numbers run in order without a
gap; and text stands below each. Otherwise there are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = ["NumberedTitle", "numbered_titles"]

_LEAST = 4
_LONGEST = 72
"""Characters of a title; a line of text has as many and goes on."""

_MOST_WORDS = 12
_MOST_BEFORE = 2
"""The first title stands in the first of so many parts of a text."""

_LINE = re.compile(
    rb"^(?P<number>[0-9]{1,3}+(?:\.[0-9]{1,3}+|(?!)){0,7}+)(?P<dot>\.?+)[ \t]++"
    rb"(?P<words>\S[^\n]*+)",
    re.MULTILINE,
)
_RULE = re.compile(rb"([-=~*^\"'+#])\1{2,}+")
_LEADER = re.compile(r"\.{3}|\t|\s{3}|(?:\. ){3}")
"""What stands between a title and the number of its page in a table of contents."""

_WORD = re.compile(r"[^\W\d_]{2}")
_ENDS = (".", ",", ";", ":")


class NumberedTitle(NamedTuple):
    """The number and the words of a title, and the bytes of its lines."""

    number: tuple[int, ...]
    words: str
    start: int
    end: int


def numbered_titles(data: bytes) -> list[NumberedTitle]:
    """Return the titles of a text with LF or CRLF at the ends of its lines, none if in doubt.

    >>> text = b"1. Use\\n\\na\\n\\n1.1 On\\n\\nb\\n\\n1.2 Off\\n\\nc\\n\\n2. Sale\\n\\nd\\n"
    >>> [(title.number, title.words) for title in numbered_titles(text)]
    [((1,), '1. Use'), ((1, 1), '1.1 On'), ((1, 2), '1.2 Off'), ((2,), '2. Sale')]
    >>> numbered_titles(text + b"\\n4. Rent\\n\\ne\\n")
    []
    """
    if not (data.startswith((b"0", b"1")) or b"\n0" in data or b"\n1" in data):
        return []
    found = [*_titles(data)]
    if len(found) < _LEAST or found[0].start * _MOST_BEFORE > len(data):
        return []
    in_order = found[0].number in ((0,), (1,)) and all(
        _follows(before.number, after.number) for before, after in pairwise(found)
    )
    return found if in_order and _have_text(data, found) else []


def _titles(data: bytes) -> Iterator[NumberedTitle]:
    """Yield the lines that may be titles."""
    below = 0
    for line in _LINE.finditer(data):
        start, end = line.span()
        if start < below or not _is_blank_before(data, start):
            continue
        written, is_chapter = line[0].rstrip(), b"." not in line["number"]
        if len(written) > 4 * _LONGEST or (is_chapter and not line["dot"]):
            continue
        words = written.decode("utf-8", "replace")
        if not _is_title(words, words[line.start("words") - start :]):
            continue
        after = min(end + 1, len(data))
        following = _line(data, after)
        is_ruled = _RULE.fullmatch(following.strip()) is not None
        if is_ruled:
            after = min(after + len(following) + 1, len(data))
        if is_ruled or not following.strip():
            number = tuple(map(int, line["number"].split(b".")))
            yield NumberedTitle(number, words, start, after)
            below = after


def _line(data: bytes, start: int) -> bytes:
    end = data.find(b"\n", start)
    return data[start : end if end >= 0 else len(data)]


def _is_blank_before(data: bytes, start: int) -> bool:
    """Whether the line above is blank, or there is none; a form feed is blank."""
    return not data[data.rfind(b"\n", 0, max(start - 1, 0)) + 1 : start].strip()


def _is_title(line: str, words: str) -> bool:
    words = words.rstrip()
    if len(line) > _LONGEST or len(words.split()) > _MOST_WORDS or words.endswith(_ENDS):
        return False
    return bool(_WORD.search(words)) and not _LEADER.search(words)


def _follows(before: Sequence[int], number: Sequence[int]) -> bool:
    """Whether a number is the first one below another, or the next beside it or what is above it.

    >>> _follows((1, 2), (1, 2, 1)), _follows((1, 2, 3), (1, 3)), _follows((1, 2), (2,))
    (True, True, True)
    >>> _follows((1,), (3,)), _follows((1,), (1, 1, 1)), _follows((1, 2), (1, 2))
    (False, False, False)
    """
    above, last = number[:-1], number[-1]
    if number == (*before, 1):
        return True
    deep = len(above)
    return deep < len(before) and above == before[:deep] and last == before[deep] + 1


def _have_text(data: bytes, titles: Sequence[NumberedTitle]) -> bool:
    """Whether something stands below each title: text, or a title that is deeper."""
    ends = [*(title.start for title in titles[1:]), len(data)]
    depths = [*(len(title.number) for title in titles[1:]), 0]
    return all(
        depth > len(title.number) or data[title.end : end].strip()
        for title, end, depth in zip(titles, ends, depths, strict=True)
    )
