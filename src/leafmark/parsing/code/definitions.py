"""Definitions in a syntax tree: their names, depths, and byte ranges.

A definition's bytes begin with the first comment or annotation directly above
it, at the beginning of that line, and end with its last line. They nest as the
syntax does. A name path has the names of everything around a definition, also of
object literals and enum constants, which are not definitions themselves.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter

from leafmark.parsing.code.grammars import Grammar
from leafmark.parsing.code.javascript import Role, Symbol
from leafmark.parsing.code.languages import Language
from leafmark.parsing.titles import fold

MAX_DEPTH = 32
"""The deepest nesting of definitions; deeper ones are part of the one around them."""

MAX_TITLE_CHARS = 400
MAX_NAME_CHARS = 100

_BLANKS = b" \t\r\n\f\v"
_BLANK_LEAD = re.compile(rb"[ \t\f\v\r]*+")
_TAIL = re.compile(rb"[ \t]*[;,]?[ \t]*")
_LINE_END = re.compile(rb"[ \t\r]*(?:\n|\Z)")
_EMPTY_BODY = re.compile(r"(?:[\s;,:]|\{\s*\}?|=>?)+$")
_EMPTY_BLOCK = re.compile(r"[\s;]+end$")
_END_WORD = frozenset(("ruby", "lua"))
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_QUOTES = "\"'`"
_LEAD = re.compile(
    rb"[ \t\f\v\r]*+(?:[A-Za-z_][\w:]*+"
    rb"(?:[ \t]*+\([^(){};\n]*+\)|<[^<>(){};\n]*+>|[ \t]*+\"\w*+\"|(?!))?+[ \t*&]++|(?!))*+"
)
"""Words before a definition on its line that the grammar does not know: macros, `friend`,
`extern "C"`, `private` of Ruby, the type behind a macro."""


class Definition(NamedTuple):
    """A definition: its bytes `[start, end)`, and where its signature begins.

    `depth` is 0 for one outside of all others.
    """

    start: int
    end: int
    depth: int
    title: str
    path: str
    signature: int


class _Item(NamedTuple):
    """A finding of a rule; `[start, end)` are its bytes with its wrappers."""

    start: int
    end: int
    symbol: Symbol
    depth: int = 0
    path: tuple[str, ...] = ()
    is_member: bool = False


class _Extras(NamedTuple):
    """The comments and annotations of a source, in order."""

    starts: list[int]
    ends: list[int]


def find_definitions(
    tree: tree_sitter.Tree, source: bytes, grammar: Grammar, language: Language
) -> list[Definition]:
    """Return the definitions in order of `start`, each one before those inside it."""
    items, extras = _walk(tree, source, grammar)
    items = _without_repeats(list(_nest(items, language)))
    definitions = []
    for item, start, end in _extents(items, source, extras):
        signature = _signature_start(item, source, extras)
        title = _title(item, signature, source, extras)
        if language.name in _END_WORD:
            title = _EMPTY_BLOCK.sub("", title)
        path = language.separator.join(item.path)
        definitions.append(Definition(start, end, item.depth, title or path, path, signature))
    return definitions


def _walk(tree: tree_sitter.Tree, source: bytes, grammar: Grammar) -> tuple[list[_Item], _Extras]:
    """Apply the rules to every node; items and extras are in order of start."""
    rules, comments, annotations = grammar.rules, grammar.comments, grammar.annotations
    items: list[_Item] = []
    extras: list[tuple[int, int]] = []
    outer: dict[tuple[int, int], tuple[int, int]] = {}
    open_nodes = [tree.root_node]
    while open_nodes:
        for node in open_nodes.pop().children:
            kind = node.kind_id
            if kind in comments or kind in annotations:
                extras.append(node.byte_range)
                continue
            if kind in rules:
                finding = rules[kind](node, source)
                if finding is not None:
                    extent = outer.get(node.byte_range, node.byte_range)
                    if finding.inner is not None:
                        outer[finding.inner.byte_range] = extent
                    else:
                        items.append(_Item(*extent, finding))
            if node.child_count:
                open_nodes.append(node)
    items.sort(key=lambda item: (item.start, -item.end))
    extras.sort()
    return items, _Extras([start for start, _ in extras], [end for _, end in extras])


def _nest(items: list[_Item], language: Language) -> Iterator[_Item]:
    """Yield the definitions and declarations among `items` with their depths and paths."""
    around: list[tuple[int, Symbol, int, tuple[str, ...]]] = []  # end, what, depth inside, path
    for item in items:
        while around and around[-1][0] <= item.start:
            around.pop()
        _, outside, depth, path = around[-1] if around else (0, None, 0, ())
        finding = item.symbol
        if len(around) >= MAX_DEPTH:
            continue
        if finding.role == "declaration" and outside is not None and outside.is_function:
            continue
        names = [_clean(name, language) for name in finding.names]
        own = (*path, *[name for name in names if name])
        if finding.role != "container":
            is_member = outside is not None and outside.is_class
            yield item._replace(depth=depth, path=own or ("_",), is_member=is_member)
            depth += 1
        inside = own if finding.scope is None else (*path, *finding.scope)
        around.append((item.end, finding, depth, inside))


def _clean(name: str, language: Language) -> str:
    """Return a name without quotes and white space, cut if it is too long."""
    name = _SPACE.sub("-", name.strip().strip(_QUOTES))
    if language.separator == ".":
        name = name.replace("::", ".").replace("\\", ".")
    return name[:MAX_NAME_CHARS]


def _without_repeats(items: list[_Item]) -> list[_Item]:
    """Drop declarations of names that the same source defines."""
    role: Role = "declaration"
    defined = {item.path for item in items if item.symbol.role != role}
    members = {item.path for item in items if item.symbol.role != role and item.is_member}
    return [
        item
        for item in items
        if item.symbol.role != role
        or item.path not in defined
        or (item.is_member and item.path in members)
    ]


def _extents(
    items: list[_Item], source: bytes, extras: _Extras
) -> Iterator[tuple[_Item, int, int]]:
    """Yield each item with its bytes, as whole lines if nothing else is on them."""
    ends = [len(source)]  # of the definitions around
    taken = [0]  # where the last one ended that lies beside it, at each depth
    for item in items:
        del ends[item.depth + 1 :], taken[item.depth + 1 :]
        start = _extend_up(item.start, taken[-1], source, extras)
        end = _extend_down(item, min(ends[-1], len(source)), source, extras)
        taken[-1] = end
        ends.append(end)
        taken.append(item.start)
        yield item, start, end


def _extend_up(start: int, floor: int, source: bytes, extras: _Extras) -> int:
    """Return the start of the first comment or annotation directly above, not before `floor`."""
    begin = _line_start(start, floor, source, lead=_LEAD)
    if begin is None:
        return start
    at = bisect_left(extras.starts, begin) - 1
    while at >= 0 and extras.starts[at] >= floor:
        above, end = extras.starts[at], extras.ends[at]
        gap = source[end:begin]
        line = _line_start(above, floor, source)
        while line is None and at and _stand_together(at, floor, source, extras):
            at -= 1
            above = extras.starts[at]
            line = _line_start(above, floor, source)
        joined = source[end - 1 : end] == b"\n"
        if gap.strip() or gap.count(b"\n") + joined > 1 or line is None:
            break
        if not above and source.startswith(b"#!"):
            break
        begin = line
        at -= 1
    return begin


def _stand_together(at: int, floor: int, source: bytes, extras: _Extras) -> bool:
    """Whether there are only blanks between an extra and the one before it: `#[inline] // hot`."""
    above, end = extras.starts[at - 1], extras.ends[at - 1]
    return above >= floor and not source[end : extras.starts[at]].strip(b" \t")


def _line_start(
    at: int, floor: int, source: bytes, *, lead: re.Pattern[bytes] = _BLANK_LEAD
) -> int | None:
    """Return the start of the line of `at` if only `lead` stands before it there."""
    line = source.rfind(b"\n", floor, at) + 1
    if not line:
        if floor and source[floor - 1] != 10:
            return None
        line = floor
    return line if lead.fullmatch(source, line, at) else None


def _extend_down(item: _Item, limit: int, source: bytes, extras: _Extras) -> int:
    """Return the end of the definition's last line if only a comment follows there."""
    end = _code_end(item, limit, source, extras)
    tail = _TAIL.match(source, end, limit)
    after = tail.end() if tail else end
    at = bisect_left(extras.starts, after)
    if at < len(extras.starts) and extras.starts[at] == after:
        comment = source[after : min(extras.ends[at], limit)].rstrip()
        if b"\n" not in comment:
            after += len(comment)
    line_end = _LINE_END.match(source, after, limit)
    return line_end.end() if line_end else end


def _code_end(item: _Item, limit: int, source: bytes, extras: _Extras) -> int:
    """Return the end of a definition's code, without blanks.

    In languages with indented bodies, grammars include the comments below a body. Those
    that are not indented deeper than the definition belong to the next one.
    """
    end = min(item.end, limit)
    at = bisect_left(extras.starts, end)
    while True:
        while end > item.start and source[end - 1] in _BLANKS:
            end -= 1
        at -= 1
        if at < 0 or extras.starts[at] <= item.start or extras.ends[at] < end:
            return end
        line = _line_start(extras.starts[at], item.start, source)
        if line is None or extras.starts[at] - line > _indent_at(item.start, source):
            return end
        end = line


def _indent_at(at: int, source: bytes) -> int:
    """Return the indentation of the line of `at`."""
    line = source.rfind(b"\n", 0, at) + 1
    return len(source[line:at]) - len(source[line:at].lstrip())


def _signature_start(item: _Item, source: bytes, extras: _Extras) -> int:
    """Return the start of the item behind its leading annotations and comments."""
    start = item.start
    at = bisect_left(extras.starts, start)
    while at < len(extras.starts) and extras.starts[at] == start and extras.ends[at] < item.end:
        start = extras.ends[at]
        while start < item.end and source[start] in b" \t\r\n":
            start += 1
        at = bisect_left(extras.starts, start, at)
    return start


def _title(item: _Item, start: int, source: bytes, extras: _Extras) -> str:
    """Return the signature on one line, without comments, annotations and body."""
    end = item.end if item.symbol.body is None else max(item.symbol.body, start)
    end = min(end, start + MAX_TITLE_CHARS * 8)
    first, last = bisect_right(extras.starts, start - 1), bisect_left(extras.starts, end)
    parts = []
    for at in range(first, last):
        parts.append(source[start : extras.starts[at]])
        start = max(start, extras.ends[at])
    parts.append(source[start:end])
    if item.symbol.tail is not None:
        parts.append(source[item.symbol.tail : item.end])
    text = fold(b" ".join(parts).decode("utf-8", "replace"))
    text = _EMPTY_BODY.sub("", text)
    return text if len(text) <= MAX_TITLE_CHARS else text[: MAX_TITLE_CHARS - 1] + "…"
