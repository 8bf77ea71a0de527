"""Tabs: which label introduces which panel.

In: a page. A tab and its panel name each other (`aria-controls`, `aria-labelledby`, an address in
the page); else the labels of a list of tabs belong to the panels behind it in order, if they are
as many. Roles and classes (`words.toml`) tell what is a tab and what is a panel.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from leafmark.parsing.html.dom import Element, Page, read_page, start_of
from leafmark.parsing.html.recent import Recent
from leafmark.parsing.html.tokens import unescape

__all__ = ["Tabs", "find_tabs", "labels_of_panels"]

_MARKS = (b"tablist", b'role="tab', b"tabbed", b"tabs")
"""What stands in a page with tabs, one of it."""

_LABEL_TAGS = ("label", "button", "a", "li", "span")
_LONGEST_LABEL = 80
_MOST_LABELS = 40
_LONGEST_TAB = 1_000
"""Bytes of a tab, with all that is in it."""


class Tabs:
    """The labels of panels by where these start, the panels, and the lists of labels."""

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
    panels, lists = _panels(page), _lists(page)
    labels: dict[int, str] = {}
    used: list[Element] = []
    starts = [panel.start for panel in panels]
    beside: dict[Element | None, list[Element]] = {}
    for panel in panels:
        beside.setdefault(panel.parent, []).append(panel)
    by_id = {panel.open.id: panel for panel in panels if panel.open.id}
    for group in lists:
        tabs = _labels_in(page, group)
        if not 0 < len(tabs) <= _MOST_LABELS or (used and group.start < used[-1].end):
            continue
        found = _named(tabs, by_id) or _behind(group, len(tabs), panels, starts, beside)
        if len(found) == len(tabs) and not any(panel.start in labels for panel in found):
            used.append(group)
            labels |= {p.start: text for p, (_, text) in zip(found, tabs, strict=True)}
    return Tabs(labels, panels, used)


def _may_have_tabs(data: bytes) -> bool:
    return any(mark in data for mark in _MARKS)


def _panels(page: Page) -> list[Element]:
    own = page.called("tabs.panels") | {o for o in page.openings if o.role == "tabpanel"}
    around = page.called("tabs.around")
    if not own and not around:
        return []
    return [
        element
        for element in page.elements
        if element.open in own or (element.parent is not None and element.parent.open in around)
    ]


def _lists(page: Page) -> list[Element]:
    own = page.called("tabs.labels") | {o for o in page.openings if o.role == "tablist"}
    return [element for element in page.elements if element.open in own] if own else []


def _labels_in(page: Page, group: Element) -> list[tuple[Element, str]]:
    """The tabs in a list of them, each with what it says."""
    inside = _elements_in(page, group)
    tabs = [each for each in inside if each.open.role == "tab"]
    for tag in _LABEL_TAGS:
        tabs = tabs or [each for each in inside if each.tag == tag]
    said = [(tab, _said(page, tab)) for tab in tabs]
    return said if all(0 < len(text) <= _LONGEST_LABEL for _, text in said) else []


def _elements_in(page: Page, group: Element) -> list[Element]:
    first = bisect_left(page.elements, group.inner, key=start_of)
    inside = page.elements[first : first + 8 * _MOST_LABELS]
    return [element for element in inside if element.start < group.close]


def _said(page: Page, element: Element) -> str:
    if element.close - element.inner > _LONGEST_TAB:
        return ""
    return " ".join(unescape(b" ".join(page.texts_in(element.inner, element.close))).split())


def _named(tabs: Sequence[tuple[Element, str]], by_id: Mapping[str, Element]) -> list[Element]:
    """The panels that the tabs name."""
    found = []
    for tab, _ in tabs:
        attributes = tab.open.attributes
        targets = [attributes.get("aria-controls", "")]
        targets += [
            attributes.get(n, "").partition("#")[2]
            for n in ("href", "data-target", "data-bs-target")
        ]
        panel = next((by_id[target] for target in targets if target in by_id), None)
        if panel is not None:
            found.append(panel)
    return found


def _behind(
    group: Element,
    count: int,
    panels: Sequence[Element],
    starts: Sequence[int],
    beside: Mapping[Element | None, list[Element]],
) -> list[Element]:
    """The panels of one element behind a list of tabs, if they are so many."""
    at = bisect_left(starts, group.end)
    if at == len(panels):
        return []
    found = beside[panels[at].parent]
    return found if len(found) == count and found[0] is panels[at] else []


_NO_LABELS: Mapping[int, str] = MappingProxyType({})


def _labels(data: bytes) -> Mapping[int, str]:
    return find_tabs(read_page(data)).labels if _may_have_tabs(data) else _NO_LABELS


labels_of_panels = Recent(_labels)
"""The label of each panel of a source by where that starts, for the sources of the last calls."""
