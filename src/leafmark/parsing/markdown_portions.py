"""The headings of a large Markdown source, found portion by portion.

Read as a whole, a source of fifty megabytes takes ten times its size in memory. So it is cut
before headings at the top level: what stands before one does not depend on what follows.
Only definitions of links hold everywhere, and a heading may use one: such headings are read
again together with the definitions of all portions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from leafmark.model import Heading, HeadingColumns, Headings
from leafmark.parsing.markdown_labels import defined_in, labels_in
from leafmark.parsing.markdown_scan import defined_words, labelled_words, scan_headings
from leafmark.parsing.markdown_walk import walk_headings

__all__ = ["LARGE_BYTES", "headings_by_portions"]

LARGE_BYTES = 2_500_000
"""A source of this size is read by portions; more would cost a smaller one time."""

_PORTION_BYTES = 1_000_000

_CUT = re.compile(rb"\n[ \t]*\r?\n(?=#{1,6} )")
"""A blank line before what is a heading, but inside of code or HTML."""

_Extent = tuple[int, int]


def headings_by_portions(raw: bytes, start: int, *, size: int = _PORTION_BYTES) -> Headings | None:
    """Return the headings that `walk` would find, or None where only the walk can tell.

    `raw` is UTF-8 whose lines end in LF or CRLF. Content begins at byte `start`,
    where a line begins. A portion has `size` bytes or more.
    """
    extents: list[_Extent] = []
    columns: list[list[Any]] = [[] for _ in HeadingColumns._fields]
    for first, after, found in _portions(raw, start, size):
        extents.append((first, after))
        for column, more in zip(columns, found, strict=True):
            column.extend(more)
    _, titles, texts, starts, ends, limits, nested, *_ = columns
    limits[:] = [len(raw)] * len(limits)
    doubtful = _which_may_link(raw, extents, zip(starts, ends, strict=True))
    lines = [raw[starts[at] : ends[at]] for at in doubtful]
    again = _read_again(lines, _defined_labels(raw, extents, lines))
    if len(again) != len(doubtful) or any(nested[at] for at in doubtful):
        return None
    for at, heading in zip(doubtful, again, strict=True):
        titles[at], texts[at] = heading.title, heading.slug_text
    return Headings(HeadingColumns(*columns))


def _portions(raw: bytes, start: int, size: int) -> Iterator[tuple[int, int, HeadingColumns]]:
    """Yield where portions begin and end, and their headings as they are without the others.

    That of a cut in code or HTML, which is none, is read again, larger.
    """
    wanted = size
    while start < len(raw):
        cut = _CUT.search(raw, start + wanted)
        end = cut.end() if cut else len(raw)
        line_end = raw.find(b"\n", end) + 1 or len(raw)
        headings = _read(raw, start, line_end)
        if cut is None:
            yield start, end, headings
        elif headings.starts[-1:] == [end] and not headings.nested[-1]:
            yield start, end, headings.only([True] * (len(headings.starts) - 1) + [False])
        else:
            wanted = 2 * (end - start)
            continue
        start, wanted = end, size


def _read(raw: bytes, start: int, end: int) -> HeadingColumns:
    """The headings of a portion, or of one and the heading after it."""
    portion = raw[start:end]
    found: Sequence[Heading] | None = scan_headings(portion, 0)
    columns = HeadingColumns.of(walk_headings(portion) if found is None else found)
    starts, ends = ([at + start for at in places] for places in (columns.starts, columns.ends))
    return columns._replace(starts=starts, ends=ends)


def _which_may_link(raw: bytes, portions: Iterable[_Extent], lines: Iterable[_Extent]) -> list[int]:
    """The numbers of the headings that may use a definition of some portion."""
    labelled = {
        at: labelled_words(raw[start:end])
        for at, (start, end) in enumerate(lines)
        if raw.find(b"[", start, end) >= 0
    }
    if not labelled:
        return []
    defined = set[str]().union(*[defined_words(raw[start:end]) for start, end in portions])
    return [at for at, words in labelled.items() if _may_be_among(words, defined)]


def _may_be_among(words: Set[str], defined: Set[str]) -> bool:
    return "" in defined or not words.isdisjoint(defined)


def _defined_labels(raw: bytes, portions: Iterable[_Extent], lines: Iterable[bytes]) -> list[bytes]:
    """The labels on `lines` that are defined in some portion: each one is tried there."""
    labels = {label for line in lines for label in labels_in(line)}
    words = {label: labelled_words(b"[%b]" % label) for label in labels}
    found: set[bytes] = set()
    for start, end in portions if labels else ():
        portion = raw[start:end]
        defined = defined_words(portion)
        tried = [each for each in labels - found if _may_be_among(words[each], defined)]
        found.update(label for label, _ in defined_in(portion, tried))
    return sorted(found)


def _read_again(lines: Sequence[bytes], labels: Sequence[bytes]) -> list[Heading]:
    """The headings on `lines`, read where links with the `labels` are defined."""
    raw = b"\n\n".join([*lines, *[b"[%b]: x" % label for label in labels]])
    return walk_headings(raw)
