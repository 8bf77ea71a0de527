"""`chunk_document`: the tree, the strategy's choice of nodes, the chunks.

`heading` takes every node. `auto` does, too, and divides a body over the target into pieces: as
few as possible, of nearly equal size. A code block, or a table that fits the bound, may make a
piece larger. Each piece is one contiguous range of the body; a range that is blank or under
`min_tokens` stays the node's own. Many such ranges may add up to more than the bound: then the
node is `oversize`. `fixed` cuts overlapping windows of the same size without regard to structure:
the baseline for the other strategies, and the way to cut unstructured text. `section` has its own
module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from leafmark.chunking.block_regions import DocumentText
from leafmark.chunking.context import ChunkingContext
from leafmark.chunking.cuts import (
    byte_length,
    count_ready,
    decode_for_cutting,
    grapheme_boundary,
    next_boundary,
)
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.section import choose_section
from leafmark.chunking.splitting import Units, split
from leafmark.chunking.text import Renderer
from leafmark.chunking.tokens import MAX_TOKEN_CHARACTERS, Prefixes, token_counter
from leafmark.chunking.tree import Spans, build_tree, emit, is_blank_source
from leafmark.model import ChunkedDocument, Document, Emitted, FindLink, leads_nowhere

_COUNTED_AT_ONCE = 4
"""A body of more bytes than this for each token of the target is only counted block by block."""

_FINER = 4
"""A group is split into about so many parts if its blocks do not divide evenly."""


def choose_auto(context: ChunkingContext) -> Sequence[int]:
    """Return the nodes and pieces that become chunks, in pre-order."""
    tree = context.tree
    pieces = [piece for node in _large(context) for piece in _split_body(context, node)]
    # A parent and its first piece begin at the same byte; sorting is stable.
    return sorted([*tree.nodes, *pieces], key=tree.places.__getitem__) if pieces else tree.nodes


def _large(context: ChunkingContext) -> list[int]:
    """Return the nodes whose bodies may be over the target.

    Bodies of one range are counted in one call, if their number of bytes does not decide.
    A body of at most `sure` tokens is small enough with any breadcrumb.
    """
    tree, target = context.tree, context.options.target_tokens
    sure, most = min(target, context.sure_room), target * _COUNTED_AT_ONCE
    single = [
        node
        for node, start, end in zip(tree.nodes, tree.starts, tree.body_ends, strict=True)
        if end - start > sure and node not in tree.bodies
    ]
    starts, ends = [tree.starts[node] for node in single], [tree.body_ends[node] for node in single]
    sizes = context.meter.counts(starts, ends, most_bytes=most)
    large = [
        node
        for node, size in zip(single, sizes, strict=True)
        if size > sure and (size > most or size > context.capacity(node))
    ]
    large += [node for node in tree.bodies if _is_large(context, node, sure)]
    return large


def _is_large(context: ChunkingContext, node: int, sure: int) -> bool:
    """Whether a body of several ranges may be over the target."""
    meter, most = context.meter, context.options.target_tokens * _COUNTED_AT_ONCE
    body = context.tree.body(node)
    size = sum([meter.size_bytes(start, end) for start, end in body])
    if size <= sure or size > most:
        return size > sure
    tokens = sum([meter.tokens(start, end) for start, end in body])
    return tokens > sure and tokens > context.capacity(node)


def _split_body(context: ChunkingContext, node: int) -> list[int]:
    """Return the node's pieces, or none instead of a single one.

    Ranges that are blank or under `min_tokens` stay the node's own body.
    """
    tree = context.tree
    remaining: Spans = []
    pieces: list[Units] = []
    for span in tree.body(node):
        groups = _split_evenly(context, node, span)
        if len(groups) == 1 and _is_leftover(context, groups[0]):
            remaining.append(span)
        else:
            pieces += groups
    if len(pieces) < 2:
        has_oversize = any(_is_oversize(context, node, piece) for piece in pieces)
        if has_oversize or context.is_scattered(node):
            tree.oversize.add(node)
        return []
    tree.bodies[node] = remaining
    if context.is_scattered(node):
        tree.oversize.add(node)
    return [_piece(context, node, piece, number=number) for number, piece in enumerate(pieces, 1)]


def _is_leftover(context: ChunkingContext, units: Units) -> bool:
    """Whether a range is too little to be a piece."""
    is_small = context.size(units) < context.options.min_tokens
    return is_small or context.meter.is_blank(units.starts[0], units.ends[-1])


def _piece(context: ChunkingContext, node: int, units: Units, *, number: int) -> int:
    tree = context.tree
    piece = tree.add_piece(node, (units.starts[0], units.ends[-1]), number)
    if _is_oversize(context, node, units):
        tree.oversize.add(piece)
    if context.size(units) < context.options.min_tokens:
        tree.undersize.add(piece)
    return piece


def _is_oversize(context: ChunkingContext, node: int, units: Units) -> bool:
    """Whether one block that cannot be cut takes the text of units over `max_tokens`."""
    if True not in units.wholes:
        return False
    return context.is_over(node, [(units.starts[0], units.ends[-1])], sum(units.tokens))


def _split_evenly(context: ChunkingContext, node: int, span: tuple[int, int]) -> list[Units]:
    """Split a range and group its units, with finer units if only these keep the sizes.

    Blank groups join their neighbours.
    """
    cutter = context.cutter(node)
    units = split(cutter, *span)
    packing = context.divide(units, cutter.capacity)
    if packing.faults:
        finer = split(cutter._replace(grain=max(1, cutter.capacity // _FINER)), *span)
        other = context.divide(finer, cutter.capacity)
        if other.faults < packing.faults:
            packing, units = other, finer
    groups = packing.groups
    spans = [(units.starts[first], units.ends[after - 1]) for first, after in groups]
    runs = context.without_blanks(node, spans)
    return [units.between(groups[first][0], groups[last - 1][1]) for first, last in runs]


def choose_fixed(context: ChunkingContext) -> list[int]:
    """Return the document and its windows; a document that fits one window has none."""
    tree, size = context.tree, len(context.reader.document.data)
    windows = list(_windows(context, size))
    if len(windows) < 2:
        tree.bodies[0] = [(0, size)]
        return [0]
    tree.bodies[0] = [(0, windows[0][0])] if windows[0][0] else []
    return [0, *[tree.add_piece(0, window, k) for k, window in enumerate(windows, 1)]]


def _windows(context: ChunkingContext, size: int) -> Iterator[tuple[int, int]]:
    """Return the byte ranges of the windows; front matter is before the first one."""
    document, document_text = context.reader.document, context.reader.document_text
    if document_text is not None:
        text = _ReadableText(document_text, context.options)
        return (text.span(*window) for window in text.windows())
    start = 0 if document.front_matter is None else min(document.front_matter.end, size)
    return _byte_ranges(_Text(decode_for_cutting(document.data[start:]), context.options), start)


def _byte_ranges(text: _Text, begin: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the windows of a text that begins at the byte `begin`."""
    last = 0
    for at, end in text.windows():
        begin += byte_length(text.own[last:at])
        last = at
        yield begin, begin + byte_length(text.own[at:end])


class _Text:
    """A text to cut into windows."""

    def __init__(self, own: str, options: ChunkingOptions) -> None:
        self.own = own
        self._shown = count_ready(own)
        self._size, self._overlap = options.fixed_tokens, options.fixed_overlap
        self._count = token_counter(options.tokenizer)
        self._prefixes = Prefixes(options.tokenizer)

    def windows(self) -> Iterator[tuple[int, int]]:
        """Yield the windows, as ranges of characters; each begins in the one before it."""
        at = end = 0
        while end < len(self.own):
            at, end = self._window(at, end)
            yield at, end
            following = self._stop(at, end, self._size - self._overlap)
            at = min(following if following > at else self._after(at), end)

    def _window(self, at: int, before: int) -> tuple[int, int]:
        """Return the window from `at` on; the previous window ended at `before`.

        A window that would not end after `before` begins later: it overlaps less, and is not
        larger.
        """
        longest = self._size * MAX_TOKEN_CHARACTERS
        end = self._stop(at, at + longest, self._size)
        while end <= before and at < before:
            at = self._later(at, before)
            end = self._stop(at, at + longest, self._size)
        return at, end if end > at else self._after(at)

    def _later(self, at: int, before: int) -> int:
        """Return a later start for a window that, from `at`, would not end after `before`."""
        return self._after(at)

    def _after(self, at: int) -> int:
        """Return the first place to cut after `at`."""
        return next_boundary(self.own, at + 1)

    def _place(self, at: int) -> int:
        """Return the last place to cut up to `at`."""
        return grapheme_boundary(self.own, at)

    def _stop(self, at: int, end: int, limit: int) -> int:
        """Return where graphemes from `at` to `end` fill `limit` tokens; `at` if one has more."""
        stop = at + self._prefixes.take(self._shown[at:end], limit)
        boundary = max(at, self._place(stop))
        if boundary == stop:
            return stop
        while boundary > at and self._count(self._shown[at:boundary]) > limit:
            boundary = max(at, self._place(boundary - 1))
        return boundary


class _ReadableText(_Text):
    """The readable text of a page or notebook, cut outside tags, entities and escapes."""

    def __init__(self, document_text: DocumentText, options: ChunkingOptions) -> None:
        super().__init__(document_text.text, options)
        self._document_text = document_text

    def span(self, at: int, end: int) -> tuple[int, int]:
        """Return the byte range of a window, without dropped spans at its ends."""
        outside = self._document_text.outside_dropped
        start = 0 if not at else self._document_text.cut_before(at)[1]
        return outside(start)[1], outside(self._document_text.cut_before(end)[1])[0]

    def _later(self, at: int, before: int) -> int:
        return before

    def _after(self, at: int) -> int:
        later = at
        while (place := self._place(later)) <= at:
            later = next_boundary(self.own, self._document_text.step(later))
        return place

    def _place(self, at: int) -> int:
        place = grapheme_boundary(self.own, at)
        while (cut := self._document_text.cut_before(place)[0]) < place:
            place = grapheme_boundary(self.own, cut)
        return cut

    def _stop(self, at: int, end: int, limit: int) -> int:
        for allowed in range(limit, 0, -1):
            stop = at + self._prefixes.take(self._shown[at:end], allowed)
            place = self._place(stop)
            if place <= at or place == stop or self._count(self._shown[at:place]) <= limit:
                return max(at, place)
        return at


_DEFAULTS = ChunkingOptions()

_CHOOSE: dict[str, Callable[[ChunkingContext], Sequence[int]]] = {
    "auto": choose_auto,
    "section": choose_section,
    "fixed": choose_fixed,
}
"""The function that chooses nodes and pieces, by strategy; for `heading` every node is a chunk."""


def chunk_document(
    document: Document,
    *,
    tree: str,
    options: ChunkingOptions = _DEFAULTS,
    find_link: FindLink = leads_nowhere,
) -> ChunkedDocument:
    """Return the chunks of `document` in the tree called `tree`, in order of position.

    A blank source has none. The cost is linear in the source. `find_link` resolves
    links to other documents for records.
    """
    renderer = Renderer(document, options)
    if is_blank_source(document.data):
        emitted = Emitted()
    else:
        section_tree = build_tree(
            document, slug_style=options.slug_style, heading_levels=options.heading_levels
        )
        chosen: Sequence[int] = section_tree.nodes
        if options.strategy in _CHOOSE:
            context = ChunkingContext(section_tree, options, renderer.reader, renderer.meter)
            chosen = _CHOOSE[options.strategy](context)
        emitted = emit(section_tree, chosen)
    return ChunkedDocument(
        document=document,
        tree=tree,
        strategy=options.strategy,
        emitted=emitted,
        rendering=renderer,
        find_link=find_link,
    )
