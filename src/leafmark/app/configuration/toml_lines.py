"""Where each key of a TOML file stands; the standard parser does not tell.

In: the text of a file that parses. Out: the line of every table header and
every key outside inline tables. Values are skipped, not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

__all__ = ["KeyPath", "find_line", "key_lines", "repeated_table"]

KeyPath = tuple[str | int, ...]
"""The way to a value: names, and positions in arrays of tables."""

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'""")
_HEADER_LINE = re.compile(r"\s*\[(?!\[)([^\]\n]*)\]")
_VALUE = re.compile(
    r'''"""(?:\\.|[^\\])*?"""(?:"{0,2})|\'\'\'.*?\'\'\'(?:'{0,2})'''
    r"""|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*|[\[{]|[\]}]|\n|[^"'#\[\]{}\n]+""",
    re.DOTALL,
)


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the 1-based line of each header and key.

    >>> key_lines('[search]\\nlimit = 5\\n\\n[[context.rules]]\\nterms = [\\n"a"]\\n')
    {('search',): 1, ('search', 'limit'): 2, ('context', 'rules', 0): 4, \
('context', 'rules', 0, 'terms'): 5}
    """
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    line, counted = 1, 0
    at = _end(_BLANK, text, 0)
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        if text[at] == "[":
            many = text.startswith("[[", at)
            keys, at = _keys(text, at + 1 + many)
            table = _located(keys, counts)
            if many:
                position = counts.get(table, -1) + 1
                counts[table] = position
                table = (*table, position)
            lines.setdefault(table, line)
            at += 1 + many
        else:
            keys, at = _keys(text, at)
            lines.setdefault((*table, *keys), line)
            at = _value_end(text, at + 1)
        at = _end(_BLANK, text, at)
    return lines


def _located(keys: Sequence[str], counts: Mapping[KeyPath, int]) -> KeyPath:
    """Put in the positions of the arrays of tables that a header's path goes through."""
    path: KeyPath = ()
    for number, key in enumerate(keys):
        path = (*path, key)
        if path in counts and number < len(keys) - 1:
            path = (*path, counts[path])
    return path


def _keys(text: str, at: int) -> tuple[list[str], int]:
    """Read a dotted key; the end is at the `=` or `]` behind it."""
    keys: list[str] = []
    while True:
        at = _end(_SPACE, text, at)
        match = _KEY.match(text, at)
        if match is None:
            return keys, at
        keys.append(_unquoted(match[0]))
        at = _end(_SPACE, text, match.end())
        if text[at : at + 1] != ".":
            return keys, at
        at += 1


def _unquoted(key: str) -> str:
    if key[0] not in "\"'":
        return key
    if "\\" not in key:
        return key[1:-1]
    import tomllib  # late: few files have such a key, and many searches no file

    return str(tomllib.loads(f"key = {key}")["key"])


def _value_end(text: str, at: int) -> int:
    """Return where the value at `at` ends: at the newline outside of brackets and strings."""
    depth = 0
    while match := _VALUE.match(text, at):
        token = match[0]
        if token == "\n" and depth == 0:
            return at
        depth += (token in "[{") - (token in "]}")
        at = match.end()
    return len(text)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def find_line(lines: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """Return the line of `path`, or of the nearest table or key around it."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


def repeated_table(text: str, line: int) -> str | None:
    """Return the name in the table header on `line` (1-based) if an earlier line has the same.

    For files that do not parse: only header lines are looked at.

    >>> repeated_table("[tree.a]\\n[ tree.a ]", 2)
    'tree.a'
    """
    rows = text.split("\n")[:line]
    names = [re.sub(r"\s", "", found[1]) for row in rows if (found := _HEADER_LINE.match(row))]
    if not rows or not _HEADER_LINE.match(rows[-1]):
        return None
    return names[-1] if names[-1] in names[:-1] else None
