"""HTML as it is written out, divided where chunks begin: each chunk has a section of its own.

The elements that are open there are closed, and opened again in the next section. A chunk that
begins where nothing can be divided, as in a paragraph or a table, has its label there, and its
section from the next block on.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

COLORS = 4
"""Chunks take turns in so many colours."""

_ITEMS = {"ul": ("li",), "ol": ("li",), "dl": ("dd", "dt", "div")}
"""What lists have in them, first what anything else that is there stands in."""

_CONTAINERS = _ITEMS.keys() | {"div", "blockquote", "center", "figure", "details", "li", "dd"}
"""What can be closed in its middle, and opened again."""

_BLOCKS = (
    _CONTAINERS | {f"h{level}" for level in range(1, 7)} | {"p", "pre", "table", "dt", "summary"}
)
_SEEN = frozenset(("img", "input", "hr"))
"""Elements without text that are seen."""

_VOID = _SEEN | {"br", "wbr", "col"}
_EMPTY = re.compile(r"<(ul|ol|dl|li|div|blockquote|p)\b[^<>]*>\s*</\1>")
_START = re.compile(r' start="(-?\d{1,9})"')


class Cut(NamedTuple):
    """Where a chunk begins: its number in the document, and what its label says."""

    position: int
    label: str


class Section(NamedTuple):
    """The HTML of a chunk, or what follows of one; `is_new` where it has no label in it yet."""

    html: Markup
    position: int | None
    is_new: bool


@dataclass
class _Element:
    """An element that is open; a list that is `continued` has no item of its own yet."""

    tag: str
    opening: str
    closing: str
    attributes: str = ""
    items: int = 0
    is_continued: bool = False
    is_implied: bool = False
    last: str = ""

    def continued(self) -> _Element:
        """Return what stands for it in the next section: no second marker, no second term."""
        if self.tag in ("div", "blockquote", "center"):
            return self
        kind = ' class="within"' if self.tag in ("li", "dd") else ""
        opening = f"<div{kind}{self.attributes if not kind else ''}>"
        is_list = self.tag in _ITEMS
        return _Element(
            self.tag, opening, "</div>", self.attributes, self.items, is_list, self.is_implied
        )


class SectionWriter:
    """Collects HTML in its order; `position` is the chunk that it begins in, None without one."""

    def __init__(self, position: int | None):
        self._position = self._chunk = position
        self._is_new = position is not None
        self._labels: list[Cut] = []
        self._done: list[Section] = []
        self._parts: list[str] = []
        self._is_seen = False
        self._open: list[_Element] = []
        self._begin: tuple[int, int] | None = None
        self._is_in_words = False

    @property
    def color(self) -> int | None:
        """The colour of a text whose chunk is not that of its section."""
        if self._chunk is None or self._chunk == self._position:
            return None
        return self._chunk % COLORS

    def begin_chunk(self, cut: Cut) -> None:
        self._chunk = cut.position
        self._labels.append(cut)

    def add(self, written: str) -> None:
        """Add what is no element, and is not seen."""
        self._parts.append(written)

    def see(self) -> None:
        """Get ready for something that is seen: it stands in the section of its chunk."""
        self._imply("")
        if self._chunk != self._position and self._is_divisible():
            self._divide()
        self._parts += map(cut_label, self._labels)
        self._labels.clear()
        self._begin, self._is_seen, self._is_in_words = None, True, True

    def open(self, tag: str, attributes: str = "", opening: str = "", closing: str = "") -> None:
        """Open an element, which is written as `opening` where that is not its own tag."""
        if tag in _SEEN:
            self.see()
        opening, closing = opening or f"<{tag}{attributes}>", closing or f"</{tag}>"
        if tag in _VOID:
            self.add(opening)
            return
        self._imply(tag)
        above = self._open[-1] if self._open else None
        if above is not None and above.is_continued and tag == "dd":
            opening, closing = '<div class="within">', "</div>"
        elif above is not None and above.tag == "dl" and tag == "dd" and not above.last:
            self._parts.append("<dt></dt>")  # what a list begins with is a term
        elif above is not None and above.is_continued:
            self._resume(above, above.items)
        self._is_in_words = self._is_in_words and tag not in _BLOCKS
        if tag in _BLOCKS and tag != "dd" and self._begin is None and self._is_divisible():
            self._begin = len(self._parts), len(self._open)
        if above is not None:
            above.last = tag
            above.items += tag == "li"
        start = _START.search(attributes) if tag == "ol" else None
        items = int(start[1]) - 1 if start else 0
        attributes = _START.sub("", attributes) if tag in _ITEMS else ""
        self._open.append(_Element(tag, opening, closing, attributes, items))
        self._parts.append(opening)

    def _imply(self, tag: str) -> None:
        """Let what stands in a list without being an item be in one, and items be in a list."""
        above = self._open[-1] if self._open else None
        if above is not None and above.is_implied and tag in self._items_at(-2):
            self._end()
        elif above is not None and above.is_implied and tag not in _ITEMS.get(above.tag, (tag,)):
            self._end()
            self._imply(tag)
        elif tag in ("li", "dt", "dd") and tag not in self._items_at(-1):
            self._open_implied("ul" if tag == "li" else "dl")
        elif (
            above is not None
            and not above.is_continued
            and tag not in _ITEMS.get(above.tag, (tag,))
        ):
            self._open_implied(_ITEMS[above.tag][0])

    def _items_at(self, place: int) -> Sequence[str]:
        """Return what may stand in a list that is open there, or in a group of one."""
        tags = [one.tag for one in self._open[: len(self._open) + place + 1]][-2:]
        is_group = tags == ["dl", "div"]
        return _ITEMS.get("dl" if is_group else tags[-1], ()) if tags else ()

    def _open_implied(self, tag: str) -> None:
        self.open(tag)
        self._open[-1].is_implied = True

    def _resume(self, above: _Element, items: int) -> None:
        """Let the next item of a list begin the list anew, after so many items."""
        above.is_continued = False
        if self._parts[-1:] == [above.opening]:
            self._parts.pop()
        else:
            self._parts.append(above.closing)
        number = f' start="{items + 1}"' if above.tag == "ol" else ""
        above.opening = f"<{above.tag}{above.attributes}{number}>"
        above.closing = f"</{above.tag}>"
        self._parts.append(above.opening)

    def close(self, tag: str) -> None:
        if tag in _VOID or not self._open:
            return
        while self._open[-1].is_implied:
            self._end()
        self._end()

    def _end(self) -> None:
        """Close the innermost element."""
        closed = self._open.pop()
        tag = closed.tag
        if tag == "dl" and closed.last == "dt":
            self._parts.append("<dd></dd>")  # a list of terms ends with what the last one means
        self._parts.append(closed.closing)
        self._is_in_words = self._is_in_words and tag not in _BLOCKS
        if self._begin is not None and len(self._open) < self._begin[1]:
            self._begin = None

    def _is_divisible(self) -> bool:
        """Whether a section can end here, or where the blocks began that are still empty."""
        if self._begin is not None:
            return True
        above = self._open[-1] if self._open else None
        is_after_term = above is not None and above.tag == "dl" and above.last == "dt"
        is_between = not self._is_in_words and not is_after_term
        return is_between and all(one.tag in _CONTAINERS for one in self._open)

    def _divide(self) -> None:
        at, depth = self._begin or (len(self._parts), len(self._open))
        tail = self._parts[at:]
        del self._parts[at:]
        around = self._open[:depth]
        self._parts += [one.closing for one in reversed(around)]
        self._finish_section()
        self._open[:depth] = around = [one.continued() for one in around]
        self._parts = [one.opening for one in around]
        if tail and around and around[-1].is_continued:
            self._resume(around[-1], around[-1].items - 1)
            around[-1].last = self._open[depth].tag
        self._parts += tail
        self._position, self._is_new = self._chunk, bool(self._labels)
        del self._labels[-1:]

    def _finish_section(self) -> None:
        if self._is_seen:
            made = "".join(self._parts)
            while (fuller := _EMPTY.sub("", made)) != made:
                made = fuller
            self._done.append(Section(Markup(made), self._position, self._is_new))
        self._is_seen = False

    def finish(self) -> Sequence[Section]:
        while self._open:
            self._end()
        self._finish_section()
        return self._done


def cut_label(cut: Cut, *, begins_line: bool = False) -> str:
    """Return the label of a chunk as it stands where the chunk begins: in the text, or beside."""
    label = html.escape(cut.label)
    kind = "cut begin" if begins_line else "cut"
    return (
        f'<span class="{kind} e{cut.position % COLORS}" id="c{cut.position}" '
        f'data-n="{cut.position}" title="{label}">'
        f'<span class="unseen">Chunk </span>{cut.position}</span>'
    )
