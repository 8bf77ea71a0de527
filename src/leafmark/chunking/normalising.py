"""Normalised text for models: how prose is tidied, code dedented, a header made narrow.

Lines end with LF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from operator import itemgetter

from leafmark.model import Block

__all__ = [
    "TABLE_PADDING",
    "dedent_code",
    "is_dedented",
    "narrow_ends",
    "narrow_header",
    "tidy_prose",
]

TABLE_PADDING = " \t\r\n\xa0|:-"
"""What the rows of a table in Markdown have besides words."""

_BLANK_LINES = re.compile(r"\n{3,}")
_LEADING_BLANK_LINES = re.compile(r"\A\n{2,}")
_FENCES = b"`~"
_WHITE_SPACE = b" \t\r\n"
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*")
_PADDING = re.compile(r"(?<!\\\|)(?<=\|)[ \t]{2,}+|(?<![ \t])[ \t]{2,}+(?=\|)")
"""Space beside the bars of a table, without which its columns are the same."""
_DASHES = re.compile(r"-{4,}+")


def tidy_prose(text: str) -> str:
    """Remove trailing white space, and all but one of neighbouring blank lines.

    >>> tidy_prose("a  \\n\\n \\n\\nb")
    'a\\n\\nb'
    """
    # Line by line: a regular expression for trailing space takes quadratic time
    # on a long run of spaces inside a line.
    text = "\n".join(map(str.rstrip, text.split("\n")))
    return _BLANK_LINES.sub("\n\n", _LEADING_BLANK_LINES.sub("\n", text))


def dedent_code(text: str, *, fenced: bool) -> str:
    """Remove the indentation that all lines share; fences lose their own.

    >>> dedent_code("  ```py\\n    if x:\\n      y\\n  ```\\n", fenced=True)
    '```py\\nif x:\\n  y\\n```\\n'
    >>> dedent_code("  ```\\n  a\\n    b", fenced=True), dedent_code("```\\n", fenced=True)
    ('```\\na\\n  b', '```\\n')
    """
    lines = text.split("\n")
    if not fenced:
        return "\n".join(_dedent(lines))
    closing = next((i for i in range(len(lines) - 1, 0, -1) if lines[i].strip()), 0)
    if not closing or not _FENCE.fullmatch(lines[closing]):
        closing = len(lines)
    opening, content, rest = lines[0].lstrip(), lines[1:closing], lines[closing:]
    return "\n".join([opening, *_dedent(content), *[line.strip() for line in rest]])


def narrow_header(text: str) -> str:
    """Remove from the header of a table in Markdown what only lines up its columns.

    >>> narrow_header("| Name      | Means |\\n|-----------|:-----:|\\n")
    '| Name | Means |\\n|---|:---:|\\n'
    """
    words, line, delimiters = text.rstrip("\n").rpartition("\n")
    below = text[len(words) + len(line) + len(delimiters) :]
    return _PADDING.sub(" ", words) + line + _narrowed(delimiters) + below


def narrow_ends(text: str) -> Iterator[str]:
    """Yield a text without what only lines up columns at its ends, which are rows of a table.

    At last without rows that have nothing else, and without all that is behind the last word.

    >>> [*narrow_ends("|      |\\n| Name - |   |\\n|--------|-----")]
    ['| |\\n| Name - | |\\n|---|---', '| Name']
    """
    words = text.strip(TABLE_PADDING)
    start = text.index(words)
    before, behind = text[:start], text[start + len(words) :]
    yield _narrowed(before) + words + _narrowed(behind)
    yield _narrowed(before.rpartition("\n")[2]) + words


def _narrowed(padding: str) -> str:
    return _DASHES.sub("---", _PADDING.sub(" ", padding))


def is_dedented(data: bytes, code: Block) -> bool:
    """Whether the fences of a code block are at the margin, and so is the first line between them.

    `dedent_code` then changes no line that is not blank.
    """
    content = code.content_start
    if content is None or not code.start < content < code.end or data[code.start] not in _FENCES:
        return False
    last = data.rfind(b"\n", 0, code.end - 1) + 1
    return data[content] not in _WHITE_SPACE and data[last] not in _WHITE_SPACE


def _dedent(lines: list[str]) -> list[str]:
    kept = [*filter(str.strip, lines)]
    # what the least and the greatest in order share, all share
    pairs = zip(min(kept), max(kept), strict=False) if kept else ()
    width = sum(1 for _ in takewhile(_is_indent, pairs))
    if len(kept) + lines.count("") < len(lines):
        lines = ["" if line.isspace() else line for line in lines]
    return [*map(itemgetter(slice(width, None)), lines)] if width else lines


def _is_indent(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1] and pair[0] in " \t"
