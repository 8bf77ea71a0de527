"""HTML to elements by pairing tags: slower than `html_tree`, simpler than a browser, always linear.

For sources that the tree parser refuses or misplaces. An end tag closes the
nearest open element of its name and all that is open inside it; a heading's
closes any heading. Paragraphs, items, rows, cells and terms end where the next
begins. Formatting elements out of order are not repaired: they hold no structure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leafmark.parsing.decoding import BOM
from leafmark.parsing.html_page import HEADING_TAGS, TRACKED, HtmlElement, HtmlPage, roles_of
from leafmark.parsing.html_tokens import VOID_TAGS, attribute, iter_tokens

__all__ = ["read_soup"]

_IGNORED = frozenset((b"html", b"body", b"head"))
_FORMATTING = frozenset(b"b i u s em tt big code font small strike strong nobr".split())
_CLOSES_P = frozenset(
    b"address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption "
    b"figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p "
    b"plaintext pre search section summary table ul xmp".split()
)
_TABLE = frozenset((b"table", b"template"))
_ROW = _TABLE | {b"tr"}
_AROUND_ITEM = frozenset(b"ul ol menu dir dl table td th template button object".split())
_SECTIONS = frozenset((b"thead", b"tbody", b"tfoot"))
_CELLS = frozenset((b"td", b"th"))
_TERMS = frozenset((b"dt", b"dd"))
_SIBLINGS: dict[bytes, tuple[frozenset[bytes], frozenset[bytes]]] = {
    b"li": (frozenset((b"li",)), _AROUND_ITEM),
    **dict.fromkeys(_TERMS, (_TERMS, _AROUND_ITEM)),
    b"tr": (frozenset((b"tr",)), _TABLE),
    **dict.fromkeys(_CELLS, (_CELLS, _ROW)),
    **dict.fromkeys(_SECTIONS, (_SECTIONS, _TABLE)),
    b"option": (frozenset((b"option",)), frozenset((b"select",))),
}
"""Which open elements a start tag ends, and how far out it looks for them."""

_REACH = 128
"""How many open elements out a tag looks for the one it ends; so that each tag costs little."""

_ADDRESSES = {b"a": b"href", b"img": b"src"}
_TRACKED = frozenset(tag.encode() for tag in TRACKED)


@dataclass(slots=True, eq=False)
class _Open:
    """An open element; `parent` is what was open around it."""

    name: bytes
    start: int
    inner: int
    parent: _Open | None


def read_soup(data: bytes, reason: str) -> HtmlPage:
    """Return the elements of `data`; `reason` says why the tree parser did not serve."""
    return _Pairing(data).page(reason)


class _Pairing:
    """Pairs start and end tags; `_counts` tells what is open without a search."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.found: list[HtmlElement] = []
        self.links: list[HtmlElement] = []
        self._open: list[_Open] = []
        self._counts: dict[bytes, int] = {}
        self._body_start, self._body_end = 0, len(data)
        self._in_body = False

    def page(self, reason: str) -> HtmlPage:
        data = self.data
        start = len(BOM) if data.startswith(BOM) else 0
        for name, at, stop, closing in iter_tokens(data, start, len(data)):
            if name in _IGNORED:
                self._frame(name, at, stop, closing)
            elif name is not None and (name or data[at:stop].strip()):
                self._body_end = len(data)
                if name and name not in _FORMATTING:
                    (self._close if closing else self._begin)(name, at, stop)
        while self._open:
            self._end_top(len(data), len(data))
        for elements in (self.found, self.links):
            elements.sort(key=lambda element: element.start)
        found, links = tuple(self.found), tuple(self.links)
        body = self._body_start, max(self._body_start, self._body_end)
        return HtmlPage(data, found, links, *body, _parents, self._attribute, reason)

    def _frame(self, name: bytes | None, at: int, stop: int, closing: bool) -> None:
        """Note where the body begins and ends; what comes after its end tag belongs to it."""
        if name == b"body":
            if closing:
                self._body_end = at
            elif not self._in_body:
                self._body_start, self._in_body = stop, True
        elif name == b"head" and closing and not self._in_body:
            self._body_start = stop

    def _begin(self, name: bytes, at: int, stop: int) -> None:
        if name in _CLOSES_P and self._counts.get(b"p"):
            self._close(b"p", at, at)
        if name in _SIBLINGS:
            ended, limits = _SIBLINGS[name]
            self._end_sibling(ended, limits, at)
        elif name in HEADING_TAGS and self._open and self._open[-1].name in HEADING_TAGS:
            self._end_top(at, at)
        node = _Open(name, at, stop, self._open[-1] if self._open else None)
        if name in VOID_TAGS:
            self._record(node, stop, stop)
            return
        self._open.append(node)
        self._counts[name] = self._counts.get(name, 0) + 1

    def _end_sibling(self, ended: frozenset[bytes], limits: frozenset[bytes], at: int) -> None:
        """End the nearest open element of `ended`, unless one of `limits` is open inside it."""
        if not any(self._counts.get(name) for name in ended):
            return
        for node in reversed(self._open[-_REACH:]):
            if node.name in ended:
                self._end_down_to(node, at, at)
                return
            if node.name in limits:
                return

    def _close(self, name: bytes, at: int, stop: int) -> None:
        names = HEADING_TAGS if name in HEADING_TAGS else (name,)
        if not any(self._counts.get(each) for each in names):
            return
        for node in reversed(self._open[-_REACH:]):
            if node.name in names:
                self._end_down_to(node, at, stop)
                return
            if node.name in _FENCES and name != node.name and name not in _FENCES:
                return

    def _end_down_to(self, last: _Open, at: int, stop: int) -> None:
        """End `last` and all that is open inside it; those inside end without a tag."""
        while self._open[-1] is not last:
            self._end_top(at, at)
        self._end_top(at, stop)

    def _end_top(self, close: int, end: int) -> None:
        node = self._open.pop()
        self._counts[node.name] -= 1
        self._record(node, close, end)

    def _record(self, node: _Open, close: int, end: int) -> None:
        name = b"img" if node.name == b"image" else node.name
        roles = roles_of(self.data, node.start, node.inner)
        tag = name.decode("ascii", "replace")
        element = HtmlElement(tag, node.start, node.inner, close, end, node, roles)
        if name in _TRACKED or roles:
            self.found.append(element)
        address = _ADDRESSES.get(name)
        if address is not None and self._attribute(element, address) is not None:
            self.links.append(element)

    def _attribute(self, element: HtmlElement, name: bytes) -> str | None:
        return attribute(self.data, element.start, element.inner, name)


def _parents(node: _Open) -> Iterator[tuple[int, int]]:
    around = node.parent
    while around is not None:
        yield around.start, around.inner
        around = around.parent


_FENCES = frozenset((b"table", b"td", b"th", b"caption", b"template", b"button", b"object"))
"""Elements that an end tag or an implied end inside them does not reach out of."""
