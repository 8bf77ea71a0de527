"""Blocks of a script: code separated by blank lines and, within large blocks, by statements.

Every range of a source that is one definition's own, or the document's, consists of
code blocks. A large block contains others: first its statements, then the parts of its
largest statements, and last the paragraphs of its comments and docstrings, so that a body
can be cut along its syntax or its prose, as deep as needed and no deeper.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from leafmark.model import Block

if TYPE_CHECKING:  # pages ask for prose, and need no parser of code
    import tree_sitter

    from leafmark.parsing.code.definitions import Definition
    from leafmark.parsing.code.grammars import Grammar

# -- script_prose ------------------------------------------------------------
# Prose in source code: the lines at which a long comment or docstring can be parted.
#
# A comment is read without its markers. A paragraph begins below a line that is
# blank then, a section above its underline, an item at a bullet, at a tag
# (`@param`, `:param`) or where the indentation goes back. A heading, and a line that
# announces something, stay with what follows. Code between fences stays whole. Sentences
# and then lines are the last places to cut.

Grade = int
"""The quality of a cut of prose before a line; lower is better."""

PARAGRAPH: Grade = 0
ITEM: Grade = 1
SENTENCE: Grade = 2
LINE: Grade = 3

_MARKER = re.compile(rb"[ \t]*(?:/{2,}!?|/\*+!?|\*+/?|#+[!:]?|--+)?[ \t]*")
_INDENT = re.compile(rb"[ \t]*")
_ITEM = re.compile(rb"(?:[-*+]|\xe2\x80\xa2|\(?[0-9]{1,3}[.)])[ \t]|[@:\\][a-zA-Z]")
_HEADING = re.compile(rb"#{1,6}[ \t]|<h[1-6]>")
_FENCES = b"```", b"~~~"
_SENTENCE_END = re.compile(rb"[.!?;][\"'`)\]*]*\Z")
_WORD = re.compile(
    rb"[\"'`(*]{0,4}(?:[A-Za-z]?[a-z]{0,20}(?:['-][a-z]{1,20})?|[\x80-\xff]+)[\"'`)*.,;:!?]{0,4}"
)
_RULERS = b"=-~^*#+_:./<>"
_SIGNS = b" \t\r\"'`*/=-#]"
_BLANKS = b" \t\r\n"

_TAB = 8

_WORDS_SHARE = 0.75
"""The least share of words, not in capitals and without signs inside, in prose."""

_MIN_LINES = 4


class _Line(NamedTuple):
    """A line without its marker; `column` is where its text begins."""

    at: int
    column: int
    text: bytes

    @property
    def is_ruler(self) -> bool:
        """Whether it repeats one sign, as above and below headings."""
        text = self.text
        return len(text) > 2 and text[:1] in _RULERS and text == text[:1] * len(text)


def is_prose(raw: bytes) -> bool:
    """Whether a string reads like prose of several lines, and not like code, data or markup."""
    if raw.count(b"\n") < _MIN_LINES:
        return False
    parts = raw.split()
    words = sum([_WORD.fullmatch(part) is not None for part in parts])
    return words >= max(1, _WORDS_SHARE * len(parts))


def prose_places(raw: bytes, *, marked: bool) -> Iterator[tuple[int, Grade]]:
    """Yield the lines at which prose can be cut, and the quality of the cut; never the first line.

    `raw` begins anywhere in a line. With `marked`, its lines have the markers of
    a comment.
    """
    lines = list(_lines(raw, _MARKER if marked else _INDENT))
    base = min([line.column for line in lines[1:] if line.text], default=0)
    solid = _fenced(lines)
    begun = [number for number, line in enumerate(lines) if line.text.strip(_SIGNS)]
    if not begun:
        return
    last = lines[begun[0]]
    for number in range(begun[0] + 1, len(lines)):
        above, line = lines[number - 1 : number + 1]
        last = above if above.text else last
        following = lines[number + 1 : number + 2]
        if not line.text or number in solid or number > begun[-1]:
            continue
        if above.text:
            yield line.at, _grade_inside(last, line, following)
        else:
            yield line.at, _grade_below_blank(last, line, base)


def _lines(raw: bytes, marker: re.Pattern[bytes]) -> Iterator[_Line]:
    at = 0
    for line in raw.rstrip(_BLANKS).split(b"\n"):
        match = marker.match(line)
        lead = match.group() if match else b""
        yield _Line(at, len(lead.expandtabs(_TAB)), line[len(lead) :].rstrip(_BLANKS))
        at += len(line) + 1


def _fenced(lines: Sequence[_Line]) -> set[int]:
    """Return the numbers of the lines below an opening fence, up to its closing one."""
    fences = [number for number, line in enumerate(lines) if line.text.startswith(_FENCES)]
    pairs = zip(fences[::2], fences[1::2], strict=False)
    return {number for first, last in pairs for number in range(first + 1, last + 1)}


def _grade_below_blank(last: _Line, line: _Line, base: int) -> Grade:
    if last.is_ruler or _HEADING.match(last.text):
        return LINE
    announced = last.text.endswith(b":")
    return ITEM if announced or line.column > base else PARAGRAPH


def _grade_inside(last: _Line, line: _Line, following: Sequence[_Line]) -> Grade:
    """Return the grade of a line without a blank one above it."""
    if last.is_ruler or line.is_ruler:
        return LINE
    if _HEADING.match(line.text) or any(below.is_ruler for below in following):
        return PARAGRAPH
    if _ITEM.match(line.text) or line.column < last.column:
        return ITEM
    return SENTENCE if _SENTENCE_END.search(last.text) else LINE


_SMALL = 512
"""Code of up to so many bytes is not split: hardly more than a hundred tokens."""

_BODY_SHARE = 0.8

_DEEPEST = 7
"""Levels of blocks in blocks."""

_PROSE = 1 << 30
"""The depth of prose: cuts at statements are always better."""

_WELL = _PROSE + 1, False
"""On the last level but one, code is cut at all cuts up to this rank, else at the best ones."""


class _Cut(NamedTuple):
    """A line that begins a statement or prose; a lower `rank` is a better cut.

    The rank is the depth in the syntax tree, and then whether no blank line stands
    above; for prose, the grade adds to the depth.
    """

    at: int
    rank: tuple[int, bool]


def script_blocks(
    tree: tree_sitter.Tree,
    source: bytes,
    definitions: Sequence[Definition],
    grammar: Grammar,
    info: str,
) -> tuple[Block, ...]:
    """Return the code blocks of a source in the language `info`, in pre-order."""
    own = list(_own_ranges(definitions, len(source)))
    cuts: list[_Cut] = []
    if any(end - start > _SMALL for start, end in own):
        cuts = sorted(_cuts(tree, grammar, source), key=lambda cut: cut.at)
    places = [cut.at for cut in cuts]
    blocks: list[Block] = []
    for start, end in own:
        inside = cuts[bisect_left(places, start + 1) : bisect_left(places, end)]
        blocks += _blocks(source, (start, end), inside, info)
    return tuple(blocks)


def _own_ranges(definitions: Sequence[Definition], size: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges between the bounds of definitions, in order; none is empty."""
    at = 0
    open_ends: list[int] = []
    for definition in definitions:
        while open_ends and open_ends[-1] <= definition.start:
            end = open_ends.pop()
            if at < end:
                yield at, end
                at = end
        if at < definition.start:
            yield at, definition.start
        at = definition.start
        open_ends.append(definition.end)
    for end in (*reversed(open_ends), size):
        if at < end:
            yield at, end
            at = end


def _cuts(tree: tree_sitter.Tree, grammar: Grammar, source: bytes) -> Iterator[_Cut]:
    """Yield the lines at which code can be cut, in no order."""
    comments: list[tuple[int, int]] = []
    strings: list[tuple[int, int]] = []
    open_nodes = [(tree.root_node, 0)]
    while open_nodes:
        parent, depth = open_nodes.pop()
        yield from _statements(parent, depth, grammar)
        comments += [
            node.byte_range for node in parent.children if node.kind_id in grammar.comments
        ]
        large = [node for node in parent.children if node.end_byte - node.start_byte > _SMALL]
        strings += _prose_strings(parent, large, grammar, source)
        open_nodes += [(node, depth + 1) for node in large if node.child_count]
    for extents, marked in ((_runs(comments, source), True), (strings, False)):
        for start, end in extents:
            if end - start > _SMALL:
                for at, grade in prose_places(source[start:end], marked=marked):
                    yield _Cut(start + at, (_PROSE + grade, False))


def _statements(parent: tree_sitter.Node, depth: int, grammar: Grammar) -> Iterator[_Cut]:
    """Yield the lines on which a child of a large node begins, and its depth.

    A comment stays with the next line, and a child that is nearly all of a node, its
    body, with the line before it.
    """
    most = (parent.end_byte - parent.start_byte) * _BODY_SHARE
    last_row, sticks = parent.start_point.row, True
    for node in parent.children:
        size = node.end_byte - node.start_byte
        (row, column), (end_row, end_column) = node.start_point, node.end_point
        begins, blank = row > last_row, row > last_row + 1
        kind = node.kind_id
        is_part = node.is_named and size < most and kind not in grammar.in_strings
        if begins and is_part and (blank or not sticks):
            yield _Cut(node.start_byte - column, (depth, not blank))
        is_above = kind in grammar.comments or kind in grammar.annotations
        sticks = is_above and (begins or sticks)
        last_row = max(end_row - (not end_column and end_row > row), last_row)


def _prose_strings(
    parent: tree_sitter.Node, large: list[tree_sitter.Node], grammar: Grammar, source: bytes
) -> list[tuple[int, int]]:
    """Yield the strings among the large children that are docstrings or look like prose."""
    is_docstring = parent.kind_id in grammar.docstrings and parent.child_count == 1
    return [
        node.byte_range
        for node in large
        if node.kind_id in grammar.strings
        and (is_docstring or is_prose(source[node.start_byte : node.end_byte]))
    ]


def _runs(comments: list[tuple[int, int]], source: bytes) -> Iterator[tuple[int, int]]:
    """Yield the comments; those on neighbouring lines are joined."""
    run: tuple[int, int] | None = None
    for start, end in sorted(comments):
        if run is not None:
            # some grammars take the line's end for a part of the comment
            gap = source[max(run[1] - 1, run[0]) : start]
            if not gap[1:].strip() and gap.count(b"\n") == 1:
                run = run[0], end
                continue
            yield run
        run = start, end
    if run is not None:
        yield run


def _blocks(
    source: bytes, extent: tuple[int, int], cuts: Sequence[_Cut], info: str
) -> Iterator[Block]:
    """Yield the blocks of one range: split at the best cuts, then within large parts."""
    waiting = [(*part, inside, 0) for part, inside in reversed(_part(extent, cuts))]
    while waiting:
        start, end, inside, level = waiting.pop()
        lines = _trim(source, start, end)
        if lines is None:
            continue
        yield Block("code", *lines, level, info)
        if end - start <= _SMALL or level == _DEEPEST:
            continue
        parts = _part((start, end), inside, at_once=level == _DEEPEST - 1)
        if len(parts) > 1:
            waiting += [(*part, deeper, level + 1) for part, deeper in reversed(parts)]


def _part(
    extent: tuple[int, int], cuts: Sequence[_Cut], *, at_once: bool = False
) -> list[tuple[tuple[int, int], Sequence[_Cut]]]:
    """Return the parts of a range between its best or all good cuts, with their inner cuts."""
    if not cuts:
        return [(extent, ())]
    most = best = min(cut.rank for cut in cuts)
    if at_once:
        most = max(best, _WELL)
    chosen = [index for index, cut in enumerate(cuts) if cut.rank <= most]
    starts = [extent[0], *[cuts[index].at for index in chosen], extent[1]]
    bounds = [-1, *chosen, len(cuts)]
    return [
        ((start, end), cuts[first + 1 : after])
        for (start, end), (first, after) in zip(pairwise(starts), pairwise(bounds), strict=True)
        if start < end
    ]


def _trim(source: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Return a range without blank lines at its ends; None if all lines are blank."""
    raw = source[start:end]
    used = len(raw.rstrip())
    if not used:
        return None
    lead = len(raw) - len(raw.lstrip())
    first = raw.rfind(b"\n", 0, lead) + 1
    after = raw.find(b"\n", used) + 1
    return start + first, start + (after or len(raw))
