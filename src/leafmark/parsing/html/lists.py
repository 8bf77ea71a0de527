"""The marks of list items, as a browser shows them: bullets, numbers, letters, and how deep.

In: the tags of lists and items, in order. Kept: the lists that are open at a place. An ordered
list begins where it says (`start`, `reversed`), an item where it says (`value`), and both count in
figures, letters or Roman numbers as their `type`, class or style says.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice

from leafmark.parsing.html.recent import Recent
from leafmark.parsing.html.tokens import attribute

__all__ = ["Lists", "items_of"]

_TAG = re.compile(
    rb"<!--(?s:.*?)(?:-->|\Z)|<(/?)(ol|ul|menu|dir|li)(?=[\s/>])[^<>]*+>", re.IGNORECASE
)
_INTEGER = re.compile(r"\s*([+-]?[0-9]{1,9})")
_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*([a-z-]+)")
_STYLES = {
    "a": "a", "loweralpha": "a", "lower-alpha": "a", "lower-latin": "a",
    "A": "A", "upperalpha": "A", "upper-alpha": "A", "upper-latin": "A",
    "i": "i", "lowerroman": "i", "lower-roman": "i",
    "I": "I", "upperroman": "I", "upper-roman": "I",
}  # fmt: skip
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MAX_ROMAN = 3999
_MAX_REVERSED = 400
"""Tags in which the items of a list that counts down are counted."""

_DEEPEST = 20
"""Lists in each other whose items are indented further."""


@dataclass(slots=True)
class _List:
    """A list that is open: the number of its next item, None for bullets, and how it counts."""

    number: int | None = None
    step: int = 1
    style: str = "1"

    @property
    def width(self) -> int:
        return 2 if self.number is None else 3

    def next_mark(self, value: str | None) -> str:
        if self.number is None:
            return "- "
        found = _INTEGER.match(value or "")
        number = int(found[1]) if found else self.number
        self.number = number + self.step
        return f"{_spelt(number, self.style)}. "


class Lists:
    """The lists that are open at a place of a source, the innermost last."""

    def __init__(self) -> None:
        self._open: list[_List] = []
        self.is_between = False
        """Whether nothing was read since a list or an item began or ended."""

    def __bool__(self) -> bool:
        return bool(self._open)

    def open(self, data: bytes, start: int, end: int) -> None:
        """Open the list whose start tag is `[start, end)`."""
        if data[start + 1 : start + 3].lower() != b"ol":
            self._open.append(_List())
            return
        is_reversed = attribute(data, start, end, b"reversed") is not None
        found = _INTEGER.match(attribute(data, start, end, b"start") or "")
        number = int(found[1]) if found else _count(data, end) if is_reversed else 1
        self._open.append(_List(number, -1 if is_reversed else 1, _style(data, start, end)))

    def close(self) -> None:
        if self._open:
            self._open.pop()

    def mark(self, data: bytes, start: int, end: int) -> str:
        """The mark of the item whose start tag is `[start, end)`, with blanks for its depth."""
        if not self._open:
            return "- "
        indent = sum(each.width for each in self._open[:-1][:_DEEPEST])
        return " " * indent + self._open[-1].next_mark(attribute(data, start, end, b"value"))

    def copy(self) -> Lists:
        """The same lists, to be read on from here."""
        new = Lists()
        new._open = [_List(each.number, each.step, each.style) for each in self._open]
        return new


class _Items:
    """The lists that are open at the items of a source."""

    def __init__(self, data: bytes) -> None:
        self._starts: list[int] = []
        self._states: list[tuple[_State, ...]] = []
        lists = Lists()
        for tag in _TAG.finditer(data):
            if tag[2] is None:
                continue
            start, end = tag.span()
            if tag[2].lower() != b"li":
                if tag[1]:
                    lists.close()
                else:
                    lists.open(data, start, end)
            elif not tag[1]:
                self._starts.append(start)
                kept = lists._open[-_DEEPEST:]
                self._states.append(tuple((each.number, each.step, each.style) for each in kept))
                lists.mark(data, start, end)

    def before(self, start: int) -> Lists:
        """The lists that are open before the item that begins at `start`."""
        lists = Lists()
        at = bisect_left(self._starts, start)
        if at < len(self._starts) and self._starts[at] == start:
            lists._open = [_List(*state) for state in self._states[at]]
        return lists


_State = tuple[int | None, int, str]
items_of = Recent(_Items)
"""The items of a source, kept for the sources of the last calls."""


def _count(data: bytes, start: int) -> int:
    """The items of the list whose content begins at `start`."""
    depth = count = 0
    for tag in islice(_TAG.finditer(data, start), _MAX_REVERSED):
        if tag[2] is None:
            continue
        if tag[2].lower() == b"li":
            count += not tag[1] and not depth
        else:
            depth += -1 if tag[1] else 1
            if depth < 0:
                break
    return count


def _style(data: bytes, start: int, end: int) -> str:
    named = attribute(data, start, end, b"type") or ""
    if named in _STYLES:
        return _STYLES[named]
    style = _STYLE.search((attribute(data, start, end, b"style") or "").lower())
    names = [style[1]] if style else []
    names += (attribute(data, start, end, b"class") or "").lower().split()
    return next((_STYLES[name] for name in names if len(name) > 1 and name in _STYLES), "1")


def _spelt(number: int, style: str) -> str:
    """A number as a list counts.

    >>> [_spelt(28, style) for style in "1aAiI"], _spelt(0, "i")
    (['28', 'ab', 'AB', 'xxviii', 'XXVIII'], '0')
    """
    if style in "aA" and number > 0:
        letters = ""
        while number:
            number, rest = divmod(number - 1, 26)
            letters = chr(ord("a") + rest) + letters
    elif style in "iI" and 0 < number <= _MAX_ROMAN:
        letters = ""
        for value, letter in _ROMAN:
            count, number = divmod(number, value)
            letters += letter * count
    else:
        return str(number)
    return letters.upper() if style.isupper() else letters
