"""Parts of a span's text that depend on the bytes before it: the marks of items, labels of panels.

In: the tags of lists and items, in order. State: the lists that are open at an offset. `start`,
`reversed` and `value` set the numbers of ordered lists and items; `type`, class or style choose
figures, letters or Roman numbers.

A tab and its panel name each other (`aria-controls`, `aria-labelledby`, an address in the page);
else the labels of a list of tabs belong to the panels behind it in order, if there are as many.
Tabs and panels are known by roles and classes (`words.toml`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from types import MappingProxyType
from typing import Generic, TypeVar

from leafmark.environment import reset_after_fork
from leafmark.parsing.html.dom import Element, Page, read_page, start_of
from leafmark.parsing.html.tokens import attribute, unescape

T = TypeVar("T")

_KEPT_BYTES = 16_000_000
"""The total size of the sources whose results are kept: those of a few answers."""


class Recent(Generic[T]):
    """A function of a source that keeps its last results, keyed by the source's bytes."""

    def __init__(self, make: Callable[[bytes], T]) -> None:
        self._make = make
        self.reset()
        reset_after_fork(self.reset)

    def __call__(self, data: bytes) -> T:
        value = self._cache.get((len(data), hash(data)))
        if value is None:
            value = self._make(data)
            self.keep(data, value)
        return value

    def keep(self, data: bytes, value: T) -> None:
        """Keep a result that is known without a call."""
        key = len(data), hash(data)
        with self._lock:
            if key not in self._cache:
                self._bytes += len(data)
            self._cache[key] = value
            while self._bytes > _KEPT_BYTES and len(self._cache) > 1:
                oldest = next(iter(self._cache))
                del self._cache[oldest]
                self._bytes -= oldest[0]

    def reset(self) -> None:
        """Forget all results; also in a forked child, with a new lock."""
        self._cache: dict[tuple[int, int], T] = {}
        self._bytes = 0
        self._lock = Lock()


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
"""Tags within which the items of a list that counts down are counted."""

_DEEPEST = 20
"""The deepest nesting of lists at which items are still indented further."""


@dataclass(slots=True)
class _List:
    """An open list: the number of its next item, None for bullets, and how it counts."""

    number: int | None = None
    step: int = 1
    style: str = "1"

    @property
    def width(self) -> int:
        return 2 if self.number is None else 3

    def next_mark(self, value: str | None) -> str:
        if self.number is None:
            return "- "
        match = _INTEGER.match(value or "")
        number = int(match[1]) if match else self.number
        self.number = number + self.step
        return f"{_spelt(number, self.style)}. "


class Lists:
    """The lists that are open at an offset of a source, the innermost last."""

    def __init__(self) -> None:
        self._open: list[_List] = []
        self.is_between = False
        """Whether no text was read since a list or an item began or ended."""

    def __bool__(self) -> bool:
        return bool(self._open)

    def open(self, data: bytes, start: int, end: int) -> None:
        """Open the list whose start tag is `[start, end)`."""
        if data[start + 1 : start + 3].lower() != b"ol":
            self._open.append(_List())
            return
        is_reversed = attribute(data, start, end, b"reversed") is not None
        match = _INTEGER.match(attribute(data, start, end, b"start") or "")
        number = int(match[1]) if match else _count(data, end) if is_reversed else 1
        self._open.append(_List(number, -1 if is_reversed else 1, _style(data, start, end)))

    def close(self) -> None:
        if self._open:
            self._open.pop()

    def mark(self, data: bytes, start: int, end: int) -> str:
        """Return the mark of the item with the start tag `[start, end)`, indented by its depth."""
        if not self._open:
            return "- "
        indent = sum(level.width for level in self._open[:-1][:_DEEPEST])
        return " " * indent + self._open[-1].next_mark(attribute(data, start, end, b"value"))

    def copy(self) -> Lists:
        """Return a copy, to continue from here."""
        new = Lists()
        new._open = [_List(level.number, level.step, level.style) for level in self._open]
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
                innermost = lists._open[-_DEEPEST:]
                self._states.append(
                    tuple((level.number, level.step, level.style) for level in innermost)
                )
                lists.mark(data, start, end)

    def before(self, start: int) -> Lists:
        """Return the lists that are open before the item that begins at `start`."""
        lists = Lists()
        at = bisect_left(self._starts, start)
        if at < len(self._starts) and self._starts[at] == start:
            lists._open = [_List(*state) for state in self._states[at]]
        return lists


_State = tuple[int | None, int, str]
items_of = Recent(_Items)
"""Returns the items of a source, kept for the sources of the last calls."""


def _count(data: bytes, start: int) -> int:
    """Return the number of items of the list whose content begins at `start`."""
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
    """Return a number in the style of a list.

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


_MARKS = (b"tablist", b'role="tab', b"tabbed", b"tabs", b"-tab")
"""Signs of a page with tabs; each such page has at least one."""

_MARK = re.compile(
    rb"\b(?i:class|role)\s*=\s*(?:[\"'][^\"'<>]*?|[^\s\"'<>]*?)"
    rb"(?:(?<![A-Za-z])[tT]|T)(?:ab|AB)(?!le|LE|ular)"
)
"""The same as whole words, since tables are not tabs."""

_LABEL_TAGS = ("label", "button", "a", "li", "span")
_MAX_LABEL = 80
_MAX_LABELS = 40
_MAX_TAB = 1_000
"""The largest tab, in bytes, with its contents."""


class Tabs:
    """The labels of panels by their start, the panels, and the lists of labels."""

    def __init__(
        self, labels: Mapping[int, str], panels: list[Element], lists: list[Element]
    ) -> None:
        self.labels = labels
        self.panels = panels
        self.lists = lists


def find_tabs(page: Page) -> Tabs:
    """Return the tabs of a page; a list of labels is one only if all of them have a panel."""
    if not _may_have_tabs(page.data):
        return Tabs({}, [], [])
    own = page.tags_in_list("tabs.labels") | {o for o in page.openings if o.role == "tablist"}
    panels = _panels(page)
    lists = [element for element in page.elements if element.open in own] if own else []
    labels: dict[int, str] = {}
    used: list[Element] = []
    starts = [panel.start for panel in panels]
    beside: dict[Element | None, list[Element]] = {}
    for panel in panels:
        beside.setdefault(panel.parent, []).append(panel)
    by_id = {panel.open.id: panel for panel in panels if panel.open.id}
    for group in lists:
        tabs = _labels_in(page, group)
        if not 0 < len(tabs) <= _MAX_LABELS or (used and group.start < used[-1].end):
            continue
        panels_found = _named(tabs, by_id) or _behind(group, len(tabs), panels, starts, beside)
        panels_found = [
            panel for panel in panels_found if not group.start <= panel.start < group.end
        ]
        if len(panels_found) == len(tabs) and not any(
            panel.start in labels for panel in panels_found
        ):
            used.append(group)
            labels |= {p.start: text for p, (_, text) in zip(panels_found, tabs, strict=True)}
    return Tabs(labels, panels, used)


def _may_have_tabs(data: bytes) -> bool:
    return any(mark in data for mark in _MARKS) and _MARK.search(data) is not None


def _panels(page: Page) -> list[Element]:
    own = page.tags_in_list("tabs.panels") | {o for o in page.openings if o.role == "tabpanel"}
    around = page.tags_in_list("tabs.around")
    if not own and not around:
        return []
    return [
        element
        for element in page.elements
        if element.open in own or (element.parent is not None and element.parent.open in around)
    ]


def _labels_in(page: Page, group: Element) -> list[tuple[Element, str]]:
    """Return the tabs in a list of tabs, each with its label."""
    first = bisect_left(page.elements, group.inner, key=start_of)
    inside = page.elements[first : first + 8 * _MAX_LABELS]
    inside = [element for element in inside if element.start < group.close]
    tabs = [element for element in inside if element.open.role == "tab"]
    for tag in _LABEL_TAGS:
        tabs = tabs or [element for element in inside if element.tag == tag]
    around = [(tab, tab.parent or tab) for tab in tabs]  # an `a` that leads nowhere has no end
    labels = [(tab, _label_text(page, tab) or _label_text(page, outer)) for tab, outer in around]
    return labels if all(0 < len(text) <= _MAX_LABEL for _, text in labels) else []


def _label_text(page: Page, element: Element) -> str:
    if element.close - element.inner > _MAX_TAB:
        return ""
    return " ".join(unescape(b" ".join(page.texts_in(element.inner, element.close))).split())


def _named(tabs: Sequence[tuple[Element, str]], by_id: Mapping[str, Element]) -> list[Element]:
    """Return the panels that the tabs name."""
    panels_found = []
    for tab, _ in tabs:
        attributes = tab.open.attributes
        targets = [attributes.get("aria-controls", "")]
        targets += [
            attributes.get(n, "").partition("#")[2]
            for n in ("href", "data-target", "data-bs-target")
        ]
        panel = next((by_id[target] for target in targets if target in by_id), None)
        if panel is not None:
            panels_found.append(panel)
    return panels_found


def _behind(
    group: Element,
    count: int,
    panels: Sequence[Element],
    starts: Sequence[int],
    beside: Mapping[Element | None, list[Element]],
) -> list[Element]:
    """Return the panels of one element behind a list of tabs, if there are `count` of them."""
    at = bisect_left(starts, group.end)
    if at == len(panels):
        return []
    siblings = beside[panels[at].parent]
    return siblings if len(siblings) == count and siblings[0] is panels[at] else []


_NO_LABELS: Mapping[int, str] = MappingProxyType({})


def _labels(data: bytes) -> Mapping[int, str]:
    return find_tabs(read_page(data)).labels if _may_have_tabs(data) else _NO_LABELS


labels_of_panels = Recent(_labels)
"""Returns the labels of a source's panels by start, kept for the sources of the last calls."""
