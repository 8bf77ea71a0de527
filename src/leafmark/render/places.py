"""Where results are: file paths that an editor can open, lines and columns of matches."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from leafmark.model import Entry, Result

__all__ = ["MatchLine", "Places", "match_lines"]


_BOM = "\ufeff".encode()


class Places(NamedTuple):
    """Turns the path of a chunk, relative to its tree, into one that can be opened.

    `roots` are the absolute folders of the trees, `directory` the current folder
    of whoever reads the output, absolute. Paths below it are given relative to it.
    """

    roots: Mapping[str, str]
    directory: str

    def absolute(self, entry: Entry) -> str | None:
        """Return the file's absolute path, or None when the tree's folder is not known."""
        root = self.roots.get(entry.tree)
        return None if root is None else os.path.join(root, *entry.path.split("/"))

    def shown(self, entry: Entry) -> str:
        """Return the path to print: the tree's own where its folder is not known."""
        path = self.absolute(entry)
        if path is None:
            return entry.path
        return path.removeprefix(self.directory.rstrip(os.sep) + os.sep)


class MatchLine(NamedTuple):
    """A line of a body with matches in it.

    `number` and `columns` (in bytes, one for each match) are 1-based places in
    the file; `ranges` are the matches in `text`, in characters.
    """

    number: int
    text: str
    columns: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]


def match_lines(result: Result) -> list[MatchLine]:
    """Return the lines of the result's own body on which a match begins, in order.

    A match that goes on over the end of its line is marked up to there. Empty
    where nothing was matched in the body, or where it could not be read.

    Raises:
        ValueError: there are matches, but not where each of the body's ranges begins.
    """
    if not result.match_ranges:
        return []
    if len(result.body_places) != len(result.entry.body_spans):
        raise ValueError(f"{result.entry.id}: matches without the places of its body")
    data = result.body_bytes
    if data is None:
        data = (result.body or "").encode("utf-8", "surrogatepass")
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    lines = _BodyLines(data, result)
    for start, end in result.match_ranges:
        if 0 <= start < end <= len(data):
            found.setdefault(lines.around(start), []).append((start, end))
    return [lines.describe(line, matches) for line, matches in sorted(found.items())]


class _BodyLines:
    """Lines of a body that is made of several ranges of its file.

    Each range is a part of the body that begins at a known line and column of
    the file; a line never reaches over the end of its part.
    """

    def __init__(self, data: bytes, result: Result):
        self.data = data
        self.starts = [0]
        for start, end in result.entry.body_spans:
            self.starts.append(self.starts[-1] + end - start)
        self.starts[-1] = max(self.starts[-1], len(data))
        self.places = result.body_places

    def around(self, offset: int) -> tuple[int, int]:
        """Return the range of the line that holds the byte at `offset`, without its end."""
        part = bisect_right(self.starts, offset) - 1
        least, most = self.starts[part], min(self.starts[part + 1], len(self.data))
        start = max(self.data.rfind(b"\n", least, offset), self.data.rfind(b"\r", least, offset))
        feed = self.data.find(b"\n", offset, most)
        end = most if feed < 0 else feed
        lone = self.data.find(b"\r", offset, end)
        return (least if start < 0 else start + 1), (end if lone < 0 else lone)

    def describe(self, line: tuple[int, int], matches: list[tuple[int, int]]) -> MatchLine:
        start, end = line
        part = bisect_right(self.starts, start) - 1
        begin = self.starts[part]
        number, column = self.places[part]
        before = self.data[begin:start]
        breaks = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
        first_column = column if breaks == 0 else 1
        if (number + breaks, first_column) == (1, 1) and self.data.startswith(_BOM, start):
            start += len(_BOM)  # no column of an editor
            matches = [match for match in matches if match[0] >= start]
        text = self.data[start:end].decode("utf-8", "replace")
        return MatchLine(
            number=number + breaks,
            text=text,
            columns=tuple(first_column + match[0] - start for match in matches),
            ranges=tuple(
                (self._characters(start, left), self._characters(start, min(right, end)))
                for left, right in matches
            ),
        )

    def _characters(self, start: int, end: int) -> int:
        return len(self.data[start:end].decode("utf-8", "replace"))
