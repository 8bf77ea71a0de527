"""The lines of POD to headings and blocks.

A paragraph that begins with `=` and a word is a command, one that begins with a blank is
code. `=cut` ends POD and the next command begins it again; what is between them is Perl.
As in Perl's own parser, a command stands behind a blank line, but in Perl on any line, and
a heading closes the lists above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from leafmark.model import BlockKind
from leafmark.parsing.lined_document import LineScanner, Title
from leafmark.parsing.pod_inline import shown
from leafmark.parsing.source_lines import SourceLines

__all__ = ["PodScanner"]

_COMMAND = re.compile(r"=([a-zA-Z][a-zA-Z0-9]*)(?:\s+|\Z)")
_LEVELS = {f"head{level}": level for level in range(1, 7)}
_MARK = re.compile(r"(?:\*|\d+\.?)(?:\s|\Z)|\Z")
"""What begins an item that is no term."""

_UNSHOWN = frozenset(("pod", "cut", "encoding", "back", "end"))

_TEXT = ""
_CODE = "a"
_PERL = "perl"
"""What is no command; no command is called so."""

_NAME = "NAME"
_DEEPEST = 6
"""Lists in lists that are looked into."""


class _Paragraph(NamedTuple):
    """Lines `[first, after)`, and what they are: the word of a command, or one of three others."""

    kind: str
    first: int
    after: int


class PodScanner(LineScanner):
    """Reads by paragraphs; `items` are the words of items, and the bytes where they begin."""

    def __init__(self, lines: SourceLines) -> None:
        super().__init__(lines)
        self.items: list[tuple[str, int]] = []
        self._paragraphs = [*_paragraphs(lines.text)]
        self._ends = self._paired()

    def scan(self) -> None:
        self._between(0, len(self._paragraphs), 0)

    def _between(self, at: int, end: int, level: int) -> None:
        """Take the paragraphs with the numbers `[at, end)`."""
        while at < end:
            at = self._next(at, level)

    def _next(self, at: int, level: int) -> int:
        """Take the paragraph with number `at` and what it opens; return the number after that."""
        kind, first, after = self._paragraphs[at]
        if at in self._ends:
            return self._list(at, level) if kind == "over" else self._data(at, level)
        if kind in _LEVELS:
            self._heading(at, level)
        elif kind == _CODE:
            return self._verbatim(at, level)
        elif kind == _PERL:
            self._add("code", first, after, level, "perl")
        elif kind == "for":
            self._add(_kind_of(self._words(at)), first, after, level)
        else:
            self._add("thematic_break" if kind in _UNSHOWN else "paragraph", first, after, level)
        return at + 1

    def _words(self, at: int) -> str:
        """The words of a paragraph, without its command, on one line."""
        _, first, after = self._paragraphs[at]
        words = " ".join(self.lines.text[first:after])
        found = _COMMAND.match(words)
        return words[found.end() :] if found else words.strip()

    # -- what belongs together -----------------------------------------------------------

    def _paired(self) -> dict[int, int]:
        """The numbers of what opens something, and those of what closes it.

        That is a heading where a list is not closed, and the number of paragraphs at the end.
        """
        ends: dict[int, int] = {}
        opened: list[int] = []
        paragraphs = self._paragraphs
        data = -1  # what holds data of another program: nothing in it is a command
        for at, (kind, _, _) in enumerate(paragraphs):
            if data >= 0:
                if kind == "end":
                    ends[data] = at
                    data = -1
            elif kind == "begin" and not self._words(at).startswith(":"):
                data = at
            elif kind in ("over", "begin"):
                opened.append(at)
            elif kind in _LEVELS or kind == "end":
                while opened and paragraphs[opened[-1]].kind == "over":
                    ends[opened.pop()] = at
                if opened and kind == "end":
                    ends[opened.pop()] = at
            elif kind == "back" and opened and paragraphs[opened[-1]].kind == "over":
                ends[opened.pop()] = at
        size = len(paragraphs)
        return {**dict.fromkeys(opened if data < 0 else [*opened, data], size), **ends}

    def _after(self, at: int) -> int:
        """The number behind what paragraph `at` opens, the command that closes it included."""
        end = self._ends[at]
        closes = "back" if self._paragraphs[at].kind == "over" else "end"
        return end + (end < len(self._paragraphs) and self._paragraphs[end].kind == closes)

    def _cover(self, kind: BlockKind, at: int, after: int, level: int) -> None:
        """Note a block of the paragraphs with the numbers `[at, after)`."""
        lines = self._paragraphs[at].first, self._paragraphs[after - 1].after
        self._add(kind, *lines, level)

    # -- blocks ------------------------------------------------------------------------

    def _heading(self, at: int, level: int) -> None:
        kind, first, after = self._paragraphs[at]
        words = self._words(at)
        if level:
            self._add("heading", first, after, level)
        self.titles.append(Title(_LEVELS[kind], words, first, after, "", level > 0))
        if (
            shown(words).strip().upper() == _NAME
            and not self.title
            and at + 1 < len(self._paragraphs)
        ):
            named = self._paragraphs[at + 1].kind in (_TEXT, _CODE)
            self.title = self._words(at + 1) if named else ""

    def _verbatim(self, at: int, level: int) -> int:
        """Code: blank lines in it part nothing."""
        after = at + 1
        while after < len(self._paragraphs) and self._paragraphs[after].kind == _CODE:
            after += 1
        self._cover("code", at, after, level)
        return after

    def _data(self, at: int, level: int) -> int:
        """What only some programs read, or POD where the name has a colon."""
        after = self._after(at)
        words = self._words(at)
        self._cover(_kind_of(words), at, after, level)
        if words.startswith(":") and level < _DEEPEST:
            self._between(at + 1, self._ends[at], level + 1)
        return after

    def _list(self, at: int, level: int) -> int:
        """A list, or text that is only indented."""
        after, end = self._after(at), self._ends[at]
        items = [*self._items_of(at + 1, end)]
        for item in items:
            self.items.append((self._words(item), self.lines.starts[self._paragraphs[item].first]))
        self._cover("list" if items else "quote", at, after, level)
        if level > _DEEPEST:
            return after
        self._between(at + 1, items[0] if items else end, level + 1)
        for item, following in pairwise([*self._told_together(items, end), end]):
            self._cover("list_item", item, following, level + 1)
            self._between(item, following, level + 2)
        return after

    def _told_together(self, items: Sequence[int], end: int) -> Iterator[int]:
        """Yield the items without those that share the text of the item above them."""
        first = -1
        for item, following in pairwise([*items, end]):
            first = item if first < 0 else first
            if following > item + 1 or _MARK.match(self._words(item)):
                yield first
                first = -1
            elif following == end:
                yield from (each for each in items if each >= first)

    def _items_of(self, at: int, end: int) -> Iterator[int]:
        """Yield the numbers of the items of a list that are in no other list inside it."""
        while at < end:
            if self._paragraphs[at].kind == "item":
                yield at
            at = self._after(at) if at in self._ends else at + 1


def _paragraphs(text: Sequence[str]) -> Iterator[_Paragraph]:
    at, in_pod, size = 0, False, len(text)
    while at < size:
        if not text[at]:
            at += 1
            continue
        command = _command(text[at])
        in_pod = command != "cut" and (in_pod or bool(command))
        after = at + 1
        while command != "cut" and after < size and text[after]:
            if text[after][0] == "=" and _ends(_command(text[after]), in_pod=in_pod):
                break
            after += 1
        kind = _CODE if text[at][0] == " " else command or _TEXT
        yield _Paragraph(kind if in_pod or command else _PERL, at, after)
        at = after


def _command(line: str) -> str:
    found = _COMMAND.match(line)
    return found[1] if found else ""


def _ends(command: str, *, in_pod: bool) -> bool:
    """Whether a command ends the paragraph that stands right above it."""
    return command == "cut" if in_pod else bool(command)


def _kind_of(words: str) -> BlockKind:
    """What the data of another program is, by the first of the words behind `=begin` or `=for`."""
    name = words.partition(" ")[0]
    if name.startswith(":"):
        return "quote"
    return "html" if name.lower() == "html" else "thematic_break"
