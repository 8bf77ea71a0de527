"""The node tree: headings to sections with spans, breadcrumbs, and nodes to the rows of chunks.

In: a parsed document. Out: its tree, in columns, because a document of a megabyte may have forty
thousand nodes: numbers in lists cost a fraction of objects. Invariant: every byte of a Markdown,
text or script source is in exactly one body or exactly one kept heading line. The strategies
choose the nodes that become chunks.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import compress, repeat
from operator import not_
from typing import Any

from leafmark.chunking.cuts import next_boundary
from leafmark.chunking.slugs import distinct_slugs
from leafmark.chunking.tokens import Count
from leafmark.model import (
    ChunkKind,
    Deferred,
    Document,
    Emitted,
    HeadingColumns,
    Row,
    format_breadcrumb,
    rejoin,
    subtract,
)

BREADCRUMB_SHARE = 4
"""A shortened breadcrumb still has at least one in this many of `max_tokens`."""

GAP = "\n\n"
"""Separates a breadcrumb from the text below it."""


def under_breadcrumb(path: Sequence[str], rest: str, *, limit: int | None, count: Count) -> str:
    """Return `rest` below its breadcrumb, shortened from the left to fit `limit` tokens.

    >>> under_breadcrumb(("Guide", "Installation"), "Body.", limit=29, count=len)
    '> Guide › Installation\\n\\nBody.'
    >>> under_breadcrumb(("Guide", "Installation"), "Body.", limit=28, count=len)
    '> … › Installation\\n\\nBody.'
    >>> under_breadcrumb(("Guide", "Installation"), "Body.", limit=24, count=len)
    '> …lation\\n\\nBody.'
    """
    text = _above(format_breadcrumb(path), rest)
    most = len(text) if text.isascii() else len(text) * 4  # bytes; a token has at least one
    if limit is None or most <= limit or count(text) <= limit:
        return text
    allowed = max(limit // BREADCRUMB_SHARE - count(GAP), limit - count(GAP + rest))
    return _above(_shortened(path, allowed, count), rest)


def _above(breadcrumb: str, rest: str) -> str:
    return breadcrumb + GAP + rest if rest else breadcrumb


def _shortened(path: Sequence[str], allowed: int, count: Count) -> str:
    breadcrumb = format_breadcrumb(path)
    while count(breadcrumb) > allowed and len(path) > 1:
        path = path[1:]
        breadcrumb = format_breadcrumb(("…", *path))
    title = path[-1]
    while count(breadcrumb) > allowed and len(title) > 1:
        title = title[next_boundary(title, (len(title) + 1) // 2) :]
        breadcrumb = f"> …{title}"
    return breadcrumb


_KIND = re.compile(
    r"(?:abstract |static |final |public )*(?:annotation|class|constant|enum|function|interface"
    r"|macro|method|module|namespace|package|protocol|record|struct|trait|type|union) (?=\S)",
    re.IGNORECASE,
)
"""The kind of a documented item, which reference pages put before its name."""

_PARAMETERS = re.compile(r"(?<=\w)<[^<>]*>")
_NO_WORDS = re.compile(r"[\W_]+")


def _repeats_title(heading: str, title: str) -> bool:
    """Whether a heading repeats a title, except for case, marks, and the kind of the named item.

    >>> _repeats_title("Class Lamp<T>", "Lamp"), _repeats_title("Class Lamp", "Class diagrams")
    (True, False)
    """
    if heading[:1].casefold() != title[:1].casefold() and not (
        _KIND.match(heading) or _KIND.match(title)
    ):
        return False
    if heading == title:
        return any(map(str.isalnum, title))
    ends = [text[-1:].casefold()[-1:] for text in (heading, title)]
    if ends[0] != ends[1] and ends[0].isalnum() and ends[1].isalnum():  # decides most cases
        return False
    names = [_NO_WORDS.sub(" ", _PARAMETERS.sub("", text)) for text in (heading, title)]
    bare = [_KIND.sub("", name.strip(), count=1).casefold() for name in names]
    return bare[0] == bare[1] != ""


def path_of(tree: SectionTree, node: int) -> tuple[str, ...]:
    """Return the section path of a node (not a piece), as in `ChunkedDocument.section_paths`."""
    titles: list[str] = []
    folded = tree.folded
    while node:
        if node != folded and tree.titles[node]:
            titles.append(tree.titles[node])
        node = tree.parents[node]
    titles.append(tree.titles[0])
    return tuple(reversed(titles))


Spans = list[tuple[int, int]]


@dataclass(slots=True)
class SectionTree:
    """The kept nodes in document order, which is pre-order, followed by their pieces.

    Node 0 is the document, its own parent. A node begins at `places`, including its heading
    line; its span is from `starts` to `ends`, and its own text up to
    `body_ends`, unless `bodies` has its ranges. `afters` is the next node that is not
    below it. `definitions` maps the sections without a heading to the start of their
    signature. Strategies add pieces, change bodies, and mark nodes as `oversize`,
    `undersize` or part of a piece (`covers`).
    """

    document: Document
    titles: list[str]
    slugs: Sequence[str | None]
    """The slugs of the nodes. Pieces have none."""

    places: list[int]
    starts: list[int]
    ends: list[int]
    definitions: dict[int, int | None]
    heading_slugs: Sequence[str]
    """The slug of every heading, including discarded and nested ones."""

    own_slugs: Sequence[str]
    """The slugs of the headings' texts if the page has its own anchors, otherwise empty."""

    heading_nodes: Sequence[int]
    """The deepest kept node that holds each heading."""

    parents: list[int]
    depths: list[int]
    body_ends: list[int]
    afters: list[int]
    folded: int | None = None
    """The section that only repeats the document's title, if any."""

    dropped: Spans = field(default_factory=list)
    """The ranges that are in no body."""

    bodies: dict[int, Spans] = field(default_factory=dict)
    pieces: dict[int, int] = field(default_factory=dict)
    """The number of each piece among those of its node, from 1."""

    covers: dict[int, Sequence[int]] = field(default_factory=dict)
    """The sections that are part of a piece, and so not chunks."""

    oversize: set[int] = field(default_factory=set)
    undersize: set[int] = field(default_factory=set)

    @property
    def nodes(self) -> range:
        """All nodes, without the pieces."""
        return range(len(self.afters))

    def body(self, node: int) -> Spans:
        """Return the ranges of the node's own text, in order."""
        spans = self.bodies.get(node)
        if spans is None:
            start, end = self.starts[node], self.body_ends[node]
            spans = [(start, end)] if start < end else []
        return spans

    def children(self, node: int) -> Sequence[int]:
        """Return the nodes right below a node, in order."""
        child, after, afters = node + 1, self.afters[node], self.afters
        children = []
        while child < after:
            children.append(child)
            child = afters[child]
        return children

    def count_headings(self, start: int, end: int) -> int:
        """Return how many kept headings begin in `[start, end)`."""
        places, count = self.places, len(self.afters)
        return bisect_left(places, end, 0, count) - bisect_left(places, start, 0, count)

    def add_piece(self, parent: int, span: tuple[int, int], number: int) -> int:
        """Add a piece, one level below its node and with its title, and return its number."""
        start, end = span
        piece = len(self.parents)
        self.parents.append(parent)
        self.depths.append(self.depths[parent] + 1)
        self.titles.append(self.titles[parent])
        self.places.append(start)
        self.starts.append(start)
        self.ends.append(end)
        self.body_ends.append(end)
        self.pieces[piece] = number
        return piece


_BOM = b"\xef\xbb\xbf"
_BLANK = re.compile(rb"\s*+")


def is_blank_source(data: bytes) -> bool:
    """Whether the source has only ASCII white space; a BOM at the start is blank too."""
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    return not data or data.isspace()


def build_tree(document: Document, *, slug_style: str, heading_levels: int) -> SectionTree:
    """Return the tree of `document`; headings deeper than `heading_levels` are content."""
    headings = HeadingColumns.of(document.headings)
    paths = headings.slug_paths
    opens = [*map(not_, headings.nested)]
    if max(headings.levels, default=0) > heading_levels:
        columns = opens, headings.levels, paths
        opens = [
            may_open and (level <= heading_levels or path is not None)
            for may_open, level, path in zip(*columns, strict=True)
        ]
    stays = _opening_sections(document, headings, opens)
    sections = headings.only(stays)
    holders, parents, ends, body_ends, afters = _grow(
        headings, opens, stays, size=len(document.data)
    )
    slugs = Deferred(lambda: _slugs(headings, slug_style))
    tree = SectionTree(
        document,
        titles=[document.title, *sections.titles],
        slugs=Deferred(lambda: (None, *compress(slugs, stays))),
        places=[0, *sections.starts],
        starts=[0, *sections.ends],
        definitions=_definitions(sections),
        heading_slugs=slugs,
        own_slugs=_own_slugs(headings, slug_style),
        heading_nodes=holders,
        parents=parents,
        depths=[0, *sections.levels],
        ends=ends,
        body_ends=body_ends,
        afters=afters,
    )
    tree.folded = _title_node(tree)
    _give_gaps(tree)
    if document.dropped_spans:
        _drop(tree)
    return tree


def _title_node(tree: SectionTree) -> int | None:
    """Return the section that repeats the document's title: the first one, or None.

    In a page, the largest h1 with that title: the site's or a banner's may stand above it.
    """
    if len(tree.parents) < 2:
        return None
    first, title = tree.titles[1], tree.document.title
    if tree.document.format == "html":
        tops = [at for at, parent in enumerate(tree.parents) if at and not parent]
        same = [at for at in tops if tree.depths[at] == 1 and tree.titles[at] == title]
        if same:
            return max(same, key=lambda at: tree.ends[at] - tree.starts[at])
    is_same = first == title or (1 not in tree.definitions and _repeats_title(first, title))
    return 1 if is_same else None


def _slugs(headings: HeadingColumns, style: str) -> tuple[str, ...]:
    """Return the slug of every heading."""
    texts, anchors, paths = headings.slug_texts, headings.anchors, headings.slug_paths
    return tuple(distinct_slugs(texts, anchors=anchors, paths=paths, style=style))


def _own_slugs(headings: HeadingColumns, style: str) -> Sequence[str]:
    """Return the slugs of the headings' texts alone, or () if no heading has an anchor."""
    nothing = [None] * len(headings.starts)
    if headings.anchors.count(None) == len(nothing):
        return ()
    texts, paths = headings.slug_texts, headings.slug_paths
    return Deferred(lambda: tuple(distinct_slugs(texts, anchors=nothing, paths=paths, style=style)))


def _definitions(sections: HeadingColumns) -> dict[int, int | None]:
    """Return the sections that are definitions, with the start of their signature."""
    paths = sections.slug_paths
    if paths.count(None) == len(paths):
        return {}
    named = enumerate(zip(paths, sections.line_offsets, strict=True), 1)
    return {node: offset for node, (path, offset) in named if path is not None}


def _opening_sections(
    document: Document, headings: HeadingColumns, opens: Sequence[bool]
) -> Sequence[bool]:
    """Return for each heading whether it opens a section.

    It must be allowed to (`opens`), and have more than white space in its span. A discarded
    heading still ends the sections before it.
    """
    data, is_blank = document.data, _blankness(document)
    opening = headings.only(opens)
    levels, starts = opening.levels, opening.starts
    deeper, following = [*levels[1:], 0], [*starts[1:], len(data) + 1]
    columns = levels, opening.ends, opening.limits, deeper, following
    stays = [
        # a deeper heading below is content
        (below > level and start < limit)
        or not is_blank(data, end, start if start < limit else limit)
        for level, end, limit, below, start in zip(*columns, strict=False)
    ]
    if len(stays) == len(opens):
        return stays
    decisions = iter(stays)
    return [may_open and next(decisions) for may_open in opens]


def _blankness(document: Document) -> Callable[[bytes, int, int], object]:
    """Return a predicate for blank ranges of the source."""
    reader = document.reader
    if document.format != "notebook" or reader is None:
        return _BLANK.fullmatch
    dropped = document.dropped_ranges
    read = reader
    return lambda data, start, end: not read(data, list(subtract(start, end, dropped))).text.strip()


def _grow(
    headings: HeadingColumns, opens: Sequence[bool], stays: Sequence[bool], *, size: int
) -> tuple[list[int], ...]:
    """Make a node of each heading that stays, below that of the document of `size` bytes.

    Return the deepest node that holds each heading, and the columns `parents`, `ends`,
    `body_ends` and `afters` of the nodes.
    """
    if all(stays) and min(headings.limits, default=size) == size:
        return _grow_plainly(headings, size)
    depths = [0, *compress(headings.levels, stays)]
    parents, ends = [0], [size]
    body_ends: list[int] = []
    holders: list[int] = []
    afters = [len(depths)] * len(depths)
    node = last = 0
    columns = headings.levels, headings.starts, headings.limits, opens, stays
    for level, start, limit, may_open, does_stay in zip(*columns, strict=True):
        while node and (ends[node] <= start or (may_open and depths[node] >= level)):
            if start < ends[node]:
                ends[node] = start
            afters[node] = last + 1
            node = parents[node]
        if does_stay:
            end = ends[last]
            body_ends.append(start if start < end else end)
            end = ends[node]
            ends.append(limit if limit < end else end)
            parents.append(node)
            node = last = last + 1
        holders.append(node)
    body_ends.append(ends[last])
    return holders, parents, ends, body_ends, afters


def _grow_plainly(headings: HeadingColumns, size: int) -> tuple[list[int], ...]:
    """Return the columns of `_grow` if all headings stay and have no limit but the source's end."""
    count = len(headings.levels)
    depths, parents = [0, *headings.levels], [0]
    afters = [count + 1] * (count + 1)
    add = parents.append
    node = 0
    for new, level in enumerate(headings.levels, 1):
        while depths[node] >= level:
            afters[node] = new
            node = parents[node]
        add(node)
        node = new
    starts = [*headings.starts, size]
    ends = [starts[after - 1] for after in afters]
    return [*range(1, count + 1)], parents, ends, starts, afters


def _give_gaps(tree: SectionTree) -> None:
    """Add to every body the bytes after the nodes below it; it has those before them already."""
    ends, afters, parents = tree.ends, tree.afters, tree.parents
    bounds = [*tree.places, ends[0]]
    following = [*map(bounds.__getitem__, afters)]
    if following == ends:
        return
    gaps: dict[int, Spans] = {}
    for node, (end, after) in enumerate(zip(ends, following, strict=True)):
        parent = parents[node]
        if end < after and end < ends[parent]:
            gaps.setdefault(parent, []).append((end, min(after, ends[parent])))
    for node, spans in gaps.items():
        tree.bodies[node] = [*tree.body(node), *spans]


def _drop(tree: SectionTree) -> None:
    """Remove dropped spans from the bodies."""
    tree.dropped = tree.document.dropped_ranges
    for node in tree.nodes:
        body = [part for span in tree.body(node) for part in subtract(*span, tree.dropped)]
        tree.bodies[node] = rejoin(body, tree.dropped)


def emit(tree: SectionTree, chosen: Sequence[int]) -> Emitted:
    """Return the rows of the chosen nodes and pieces.

    `chosen` is in pre-order, begins with the document, and holds the parent of each. The slug
    of another node leads to the piece that holds its text, or else to the nearest chosen node
    above it.
    """
    positions: Sequence[int] = chosen
    leads_to: Sequence[int] = tree.heading_nodes
    if chosen != tree.nodes:
        positions = _positions(tree, chosen)
        leads_to = Deferred(lambda: _heading_positions(tree, positions))
    rows = _usual_rows(tree, chosen, positions)
    unusual = {0, *tree.pieces, *tree.definitions, *tree.bodies, *tree.oversize, *tree.undersize}
    for number in unusual:
        if positions[number] >= 0:
            usual = rows[positions[number]]
            rows[positions[number]] = _unusual_row(tree, number, usual)
    folded = tree.folded
    at = -1 if folded is None else positions[folded]
    slugs = tree.heading_slugs, tree.own_slugs
    return Emitted(rows, *slugs, leads_to, tree.slugs, None if at < 0 else at)


def _positions(tree: SectionTree, chosen: Sequence[int]) -> list[int]:
    """Return the position of each node and piece, -1 if it is not chosen."""
    positions = [-1] * len(tree.parents)
    for position, number in enumerate(chosen):
        positions[number] = position
    return positions


def _heading_positions(tree: SectionTree, positions: Sequence[int]) -> tuple[int, ...]:
    """Return the position of the chunk that each heading's slug leads to."""
    homes = [*positions]
    for piece, covered in tree.covers.items():
        for node in covered:
            homes[node] = positions[piece]
    for node in tree.nodes:
        if homes[node] < 0:
            homes[node] = homes[tree.parents[node]]
    return tuple([homes[node] for node in tree.heading_nodes])


def _usual_rows(tree: SectionTree, chosen: Sequence[int], positions: Sequence[int]) -> list[Row]:
    """Return the fields of each chunk, in order, as those of a section with a heading."""
    columns: Sequence[Sequence[Any]] = (
        *(tree.depths, tree.titles, tree.places),
        *(tree.starts, tree.ends, tree.body_ends),
    )
    parents = tree.parents
    if chosen is not positions:
        columns = [[*map(column.__getitem__, chosen)] for column in columns]
        parents = [positions[parents[number]] for number in chosen]
    depths, titles, places, starts, ends, body_ends = columns
    counts, lasts = _below(parents)
    siblings = map(counts.__getitem__, parents)
    no, nothing = repeat(False), repeat(())
    structure = range(len(parents)), parents, lasts, repeat("section"), depths, titles, chosen
    extents = starts, ends, places, starts, siblings, body_ends
    marks = repeat(None), no, no, nothing
    return [*zip(*structure, repeat(0), *extents, *marks, strict=False)]  # repeat has no end


def _below(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return each chunk's number of children, and the position of its last descendant or itself."""
    counts, last = [0] * len(parents), list(range(len(parents)))
    for position in range(len(parents) - 1, 0, -1):  # the last child of each comes first
        parent = parents[position]
        counts[parent] += 1
        if last[parent] == parent:
            last[parent] = last[position]
    return counts, last


def _unusual_row(tree: SectionTree, number: int, usual: Row) -> Row:
    """Return the fields of a chunk that is not a usual section; `usual` are those of a section."""
    position, parent, last, _, depth, title, _, _, start, end, place, _, siblings, *_ = usual
    piece = tree.pieces.get(number, 0)
    kind: ChunkKind = "piece" if piece else "section" if number else "document"
    has_heading = kind == "section" and number not in tree.definitions
    return (
        position,
        parent if number else -1,
        last,
        kind,
        depth,
        title,
        tree.parents[number] if piece else number,
        piece,
        start,
        end,
        place if has_heading else None,
        start if has_heading else None,
        siblings if number else 1,
        _body_extent(tree, number),
        tree.definitions.get(number),
        number in tree.oversize,
        number in tree.undersize,
        tuple(tree.covers.get(number, ())),
    )


def _body_extent(tree: SectionTree, number: int) -> int | tuple[tuple[int, int], ...]:
    """Return the end of the own text of a node or piece, or its ranges without dropped spans."""
    if number not in tree.bodies and not tree.dropped:
        return tree.body_ends[number]
    body = tree.body(number)
    if tree.dropped:
        body = [part for span in body for part in subtract(*span, tree.dropped)]
    return tuple(body)
