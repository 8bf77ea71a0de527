"""Snippets: an excerpt around the best of the known matches in a text.

All offsets are characters. A fragment never begins or ends inside what a reader sees as one
character, nor inside a word if a boundary is near. White space is folded, but for the line
breaks of code, items and rows: a snippet has their lines, and a wrapped paragraph is one.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import itemgetter

from leafmark.index.inline import INLINE_FORMATS, iter_unread
from leafmark.model import Snippet, span_at
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern

SNIPPET_CHARS = 150
"""Characters of a snippet, about; chosen by eye."""

MAX_FRAGMENTS = 3
"""A snippet has at most this many fragments (chosen by eye: more read as noise)."""

SEPARATOR = " … "
CUT = "…"

_NEAR = 24
"""The characters that a fragment's end may move to a word boundary (chosen by eye)."""

_FOLD = lazy_pattern(r"(?:[^\S ]| (?=\s))\s*")
"""White space except single spaces."""

_BEGINS = lazy_pattern(r"\s*(?:[-*+•|>]|#{1,6}\s|\d{1,3}[.)]\s|```|~~~|\$\s)|\s{4}|\t")
"""The beginning of a line outside of paragraphs: an item, a row, a quote, a title, code."""

_ALIGNED = lazy_pattern(r"\S {2,}\S")
"""Text in columns, which is never wrapped."""

_FENCE = lazy_pattern(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
"""The beginning of a line that opens or closes code."""

MIN_WRAPPED = 50
"""Wrapped lines of a paragraph have more characters than this; chosen by eye."""

MAX_INSET = 16
"""The deepest indentation of a line in a snippet, in columns; chosen by eye."""

_DRAWN = lazy_pattern(r"^[ \t]*(?:[-=~+|:*_][ \t]*){3,}(?:\n|\Z)", re.MULTILINE)
"""A line without words: below the head of a table, a rule, a border."""

_IN_WORDS = "_'’"
FIRST_MARK = "\u0300"
"""The first combining mark: no character before it joins with its neighbours."""

_SOLID_FROM = "\u2e80"
"""Scripts from here on are mostly written without spaces: a word may end at any character."""


Match = tuple[int, int, int]
"""Start and end of the characters that matched, and the number of the query's word.

A plain tuple, since a query has hundreds.
"""

_END, _WORD = itemgetter(1), itemgetter(2)


class _Fragment(NamedTuple):
    start: int
    end: int


def make_snippet(
    text: str, matches: Sequence[Match], *, size: int = SNIPPET_CHARS, is_code: bool = False
) -> Snippet:
    """Return an excerpt of about `size` characters with as many different words as fit.

    `matches` are sorted by start. Without any, the snippet is the text's lead.
    Linear in the text.
    """
    if not text or text.isspace():
        return Snippet()
    cores = _choose(matches, size) if matches else [_Fragment(*_lead(text))]
    room = max(1, size // len(cores))
    has_fences = not is_code and _FENCE.search(text) is not None
    fragments = _join(sorted(_widen(text, core, room, has_fences) for core in cores))
    first, last = fragments[0].start, fragments[-1].end
    near = [(start, end) for start, end, _ in matches if end > first and start < last]
    return _render(text, fragments, join_ranges(near), is_code)


def as_read(text: str, matches: Sequence[Match], written_in: str) -> tuple[str, Sequence[Match]]:
    r"""Return a text without the parts that waste an excerpt's room, and the moved matches.

    These parts are ruled lines and, in Markdown, the targets of links. A text with all its
    matches in them stays as it is.

    >>> as_read("see [lamps](dim.md) and [dim](x.md)", [(12, 15, 0), (25, 28, 0)], "markdown")
    ('see [lamps] and [dim]', [(17, 20, 0)])
    >>> as_read("see [lamps](dim.md)", [(12, 15, 0)], "markdown")
    ('see [lamps](dim.md)', [(12, 15, 0)])
    >>> as_read("|a|b|\n|---|:-:|\n|1|2|", [(17, 18, 0)], "markdown")
    ('|a|b|\n|1|2|', [(7, 8, 0)])
    """
    unread = [line.span() for line in _DRAWN.finditer(text)]
    if written_in in INLINE_FORMATS:
        links = ((start, end) for start, end, _ in iter_unread(text) if text[start] == "(")
        unread = join_ranges([*unread, *links])
    read = [
        match
        for match in matches
        if not (span_at(unread, match[0]) or span_at(unread, match[1] - 1))
    ]
    if not unread or (matches and not read):
        return text, matches
    parts, ends, moved, at = [], [], [0], 0
    for start, end in unread:
        parts.append(text[at:start])
        ends.append(end)
        moved.append(moved[-1] + end - start)
        at = end
    return "".join((*parts, text[at:])), [
        (start - moved[bisect_right(ends, start)], end - moved[bisect_right(ends, end)], word)
        for start, end, word in read
    ]


def join_snippets(snippets: Iterable[Snippet]) -> Snippet:
    """Return snippets one after the other with ` … ` between them, without empty ones.

    Snippets with the same text become one, with the matches of all of them.

    >>> join_snippets(Snippet(text, (mark,)) for text, mark in [("a b", (0, 1)), ("c", (0, 1))])
    Snippet(text='a b … c', ranges=((0, 1), (6, 7)))
    >>> join_snippets(Snippet("a b", (mark,)) for mark in [(2, 3), (0, 1)])
    Snippet(text='a b', ranges=((0, 1), (2, 3)))
    """
    parts = list(snippets)
    if len(parts) == 1:
        return parts[0]
    matches: dict[str, list[tuple[int, int]]] = {}
    for snippet in parts:
        if snippet.text:
            matches.setdefault(snippet.text, []).extend(snippet.ranges)
    text, ranges = "", []
    for shown, near in matches.items():
        text += SEPARATOR if text else ""
        ranges += [(len(text) + start, len(text) + end) for start, end in join_ranges(near)]
        text += shown
    return Snippet(text, tuple(ranges))


def join_ranges(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the union of half-open ranges, sorted and disjoint; ranges that touch are joined.

    >>> join_ranges([(5, 6), (0, 2), (1, 4), (4, 5)])
    [(0, 6)]
    """
    joined: list[tuple[int, int]] = []
    reached = -1
    for start, end in sorted(ranges):
        if start > reached:
            if start < end:
                joined.append((start, end))
                reached = end
        elif end > reached:
            joined[-1] = (joined[-1][0], end)
            reached = end
    return joined


def byte_ranges(text: str, ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Turn sorted, disjoint ranges of characters into ranges of the text's UTF-8 bytes.

    A byte that is not UTF-8 is a surrogate escape in `text`, and counts as one byte.

    >>> byte_ranges("é a", [(2, 3)])
    ((3, 4),)
    """
    if text.isascii():
        return tuple(ranges)
    ranges_in_bytes, at, byte = [], 0, 0
    for start, end in ranges:
        first = byte + _bytes(text[at:start])
        at, byte = end, first + _bytes(text[start:end])
        ranges_in_bytes.append((first, byte))
    return tuple(ranges_in_bytes)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _lead(text: str) -> tuple[int, int]:
    start = len(text) - len(text.lstrip())
    return start, start + 1


def _choose(matches: Sequence[Match], size: int) -> list[_Fragment]:
    """Return the cores of the fragments: the fewest with the most different words."""
    word_count = len(set(map(_WORD, matches)))
    best: list[_Fragment] = []
    most = 0
    for count in range(1, min(MAX_FRAGMENTS, word_count) + 1):
        cores, shown_words = _best_windows(matches, count, max(1, size // count))
        if shown_words > most:
            best, most = cores, shown_words
        if most == word_count:
            break
    return best


def _best_windows(matches: Sequence[Match], count: int, room: int) -> tuple[list[_Fragment], int]:
    """Choose `count` windows, each with the most words that the ones before lack."""
    shown: set[int] = set()
    cores: list[_Fragment] = []
    for _ in range(count):
        first, last = _best_window(matches, room, shown)
        window = matches[first : last + 1]
        words = set(map(_WORD, window))
        if cores and words <= shown:
            break
        shown |= words
        cores.append(_Fragment(window[0][0], max(map(_END, window))))
    return cores, len(shown)


def _best_window(matches: Sequence[Match], room: int, shown: set[int]) -> tuple[int, int]:
    """Return the first and last match of the window with the most new words, then matches.

    A window holds at least one match, and as many as fit into `room` characters.
    """
    if max(map(_END, matches)) - matches[0][0] <= room:
        return 0, len(matches) - 1
    counts: dict[int, int] = {}
    best, most_new, most = (0, 0), -1, -1
    first = new = 0
    for last, (_, end, word) in enumerate(matches):
        count = counts.get(word, 0)
        counts[word] = count + 1
        if not count and word not in shown:
            new += 1
        while first < last and end - matches[first][0] > room:
            dropped = matches[first][2]
            counts[dropped] -= 1
            if not counts[dropped] and dropped not in shown:
                new -= 1
            first += 1
        if new > most_new or (new == most_new and last - first > most):
            best, most_new, most = (first, last), new, last - first
    return best


def _widen(text: str, core: _Fragment, room: int, has_fences: bool) -> _Fragment:
    """Return the core with text around it, about `room` characters, cut between words."""
    spare = max(0, room - (core.end - core.start))
    start = max(0, core.start - spare // 2)
    end = min(len(text), start + max(room, core.end - start))
    start = max(0, min(start, end - room))
    start, end = _start_at(text, start, core.start), _end_at(text, end, core.end)
    widened = _Fragment(start, _before_cut_mark(text, core.end, end))
    return _without_lone_fences(text, widened, core) if has_fences else widened


def _before_cut_mark(text: str, earliest: int, end: int) -> int:
    """Return the end of a fragment before a last line that would be cut before its first word."""
    last = _line_of(text, end)
    feed = text.find("\n", end)
    rest = text[end : len(text) if feed < 0 else feed]
    is_mark = not _is_blank(rest) and not any(map(str.isalpha, text[last:end]))
    return last if is_mark and last >= earliest else end


def _without_lone_fences(text: str, fragment: _Fragment, core: _Fragment) -> _Fragment:
    """Return a fragment without a fence at its edge whose code is not in the fragment.

    That is a first line that closes code, and a last one that opens code or closes code that
    began before the fragment.
    """
    start, end = fragment
    first = _line_of(text, start + len(text[start:end]) - len(text[start:end].lstrip()))
    before = len(_FENCE.findall(text, 0, first))
    fence = _FENCE.match(text, first)
    if fence and fence.end() > start and before % 2:
        feed = text.find("\n", first) + 1
        if 0 < feed <= core.start:
            start = first = feed
            before += 1
    last = _line_of(text, start + len(text[start:end].rstrip()))
    if last >= max(first + 1, core.end) and _FENCE.match(text, last):
        within = len(_FENCE.findall(text, first, end))
        if within == 1 or (before + within) % 2:
            end = last
    return _Fragment(start, end)


def _line_of(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _start_at(text: str, at: int, latest: int) -> int:
    """Return a place behind white space near `at`, else the first word boundary from there on.

    It is no later than `latest`.
    """
    near = range(at, min(latest, at + _NEAR) + 1)
    for cut in chain(near, range(at - 1, max(-1, at - _NEAR), -1)):
        if not cut or text[cut - 1].isspace():
            return cut
    for cut in near:
        if not _inside_word(text, cut):
            return cut
    while at > 0 and _joins(text, at):
        at -= 1
    return at


def _end_at(text: str, at: int, earliest: int) -> int:
    """Return a place before white space near `at`, else the last word boundary up to there.

    It is no earlier than `earliest`.
    """
    near = range(at, max(earliest, at - _NEAR) - 1, -1)
    for cut in chain(near, range(at + 1, min(len(text), at + _NEAR) + 1)):
        if cut == len(text) or text[cut].isspace():
            return cut
    for cut in near:
        if not _inside_word(text, cut):
            return cut
    while at < len(text) and _joins(text, at):
        at += 1
    return at


def _inside_word(text: str, at: int) -> bool:
    if at <= 0 or at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    in_word = (before.isalnum() or before in _IN_WORDS) and (after.isalnum() or after in _IN_WORDS)
    if before < FIRST_MARK and after < FIRST_MARK:
        return in_word
    return _joins(text, at) or (in_word and max(before, after) < _SOLID_FROM)


def _joins(text: str, at: int) -> bool:
    """Whether the characters before and after `at` are read as one: a mark, an emoji, a flag."""
    before, after = text[at - 1], text[at]
    if max(before, after) < FIRST_MARK:
        return False
    marks = unicodedata.category(after)[0] == "M" or "\U0001f3fb" <= after <= "\U0001f3ff"
    flag = "\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff"
    return marks or flag or "\u200d" in (before, after)


def _join(fragments: Sequence[_Fragment]) -> list[_Fragment]:
    joined: list[_Fragment] = []
    for fragment in fragments:
        if joined and fragment.start <= joined[-1].end:
            joined[-1] = _Fragment(joined[-1].start, max(joined[-1].end, fragment.end))
        else:
            joined.append(fragment)
    return joined


def _render(
    text: str, fragments: Sequence[_Fragment], ranges: Sequence[tuple[int, int]], is_code: bool
) -> Snippet:
    """Return the joined fragments, with the matches inside them."""
    out, marks = "", []
    for number, fragment in enumerate(fragments):
        if number:
            out += SEPARATOR
        elif not _is_blank(text[: fragment.start]):
            out += CUT
        line, places = _laid_out(text, fragment, ranges, is_code)
        marks += [(len(out) + start, len(out) + end) for start, end in places if start < end]
        out += line
    if not _is_blank(text[fragments[-1].end :]):
        out += CUT
    return Snippet(out, tuple(marks))


def _laid_out(
    text: str, fragment: _Fragment, ranges: Sequence[tuple[int, int]], is_code: bool
) -> tuple[str, list[tuple[int, int]]]:
    """Return a fragment with its white space folded, and the matches inside it."""
    part = text[fragment.start : fragment.end]
    at = fragment.start + len(part) - len(part.lstrip())
    last = at + len(part.strip())
    touching = ranges[_first_after(ranges, at) : bisect_left(ranges, (last,))]
    inside = [(max(start, at), min(end, last)) for start, end in touching]
    line, places, moved = _folded(text, at, last, is_code)
    if not places:  # as often
        return line, [(start - at, end - at) for start, end in inside]
    return line, [
        (
            start - moved[bisect_right(places, start)],
            end - moved[bisect_right(places, end)],
        )
        for start, end in inside
    ]


def _folded(text: str, at: int, last: int, is_code: bool) -> tuple[str, list[int], list[int]]:
    """Return a part of a text with each run of white space as a space, or as a kept break.

    Behind a break, a line stays as far to the right of the first one as it was, up to
    `MAX_INSET`, or of the leftmost one where the first is cut. Also the places behind each run,
    and by how much what stands before the first, and behind each of them, has moved.
    """
    breaks = _kept_breaks(text, at, last, is_code)
    first = text[_line_of(text, at) : at]
    runs = [run.span() for run in _FOLD.finditer(text, at, last)]
    insets = {
        start: _columns(text[_line_of(text, end) : end])
        for start, end in runs
        if not breaks.isdisjoint(range(start, end))
    }
    is_cut = not _is_blank(first)
    least = min(insets.values(), default=0) if is_cut else _columns(first)
    line, places, moved = "", [], [at]
    for start, end in runs:
        line += text[at:start]
        if start in insets:
            line += "\n" + " " * max(0, min(insets[start] - least, MAX_INSET))
        else:
            line += " "
        at = end
        places.append(end)
        moved.append(end - len(line))
    return line + text[at:last], places, moved


def _columns(blanks: str) -> int:
    return len(blanks.expandtabs(4))


def _kept_breaks(text: str, start: int, end: int, is_code: bool) -> frozenset[int]:
    """Return the places of the line breaks in a range that are not those of a paragraph.

    A paragraph was wrapped after a long line if the next one begins no block. Code has no such
    breaks, nor does text between fences.
    """
    if "\n" not in text[start:end]:
        return frozenset()
    first = _line_of(text, start)
    feed = text.find("\n", end)
    lines = text[first : len(text) if feed < 0 else feed].split("\n")
    breaks, at = [], first
    fenced = is_code or len(_FENCE.findall(text, 0, first)) % 2 > 0
    goes_on = [not (_BEGINS.match(line) or _ALIGNED.search(line)) for line in lines]
    for line, *are_wrapped in zip(lines, goes_on, goes_on[1:], strict=False):
        at += len(line)
        fenced ^= not is_code and _FENCE.match(line) is not None
        if fenced or len(line) < MIN_WRAPPED or not all(are_wrapped):
            breaks.append(at)
        at += 1
    return frozenset(breaks)


def _first_after(ranges: Sequence[tuple[int, int]], at: int) -> int:
    """Return the index of the first of disjoint, sorted ranges that ends after `at`."""
    first = bisect_right(ranges, (at,))
    return first - 1 if first and ranges[first - 1][1] > at else first


def _is_blank(text: str) -> bool:
    return not text or text.isspace()
