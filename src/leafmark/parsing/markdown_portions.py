"""The headings of a large Markdown source, found portion by portion.

Read as a whole, a source of fifty megabytes takes ten times its size. It is cut before
headings at the top level: what stands before one of them is read as it is without what
follows. Only what defines a link is known everywhere, and may be named in a heading: such
headings are read again, with what is defined in any portion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import pyromark

from leafmark.model import Heading, HeadingColumns, Headings
from leafmark.parsing.lines import with_line_feeds
from leafmark.parsing.markdown_scan import defined_words, labelled_words, scan_headings
from leafmark.parsing.markdown_walk import OPTIONS, walk

__all__ = ["LARGE_BYTES", "headings_by_portions"]

LARGE_BYTES = 2_500_000
"""A source of this size is read by portions; more would cost a smaller one time."""

_PORTION_BYTES = 2_000_000

_CUT = re.compile(rb"\n[ \t]*\r?\n(?=#{1,6} )")
"""A blank line before what is a heading, but inside of code or HTML."""

_LABEL = re.compile(rb"\[((?:[^\[\]\\]|\\.)+)\]", re.DOTALL)
"""What may be the label of a link."""


class _Portion(NamedTuple):
    """Where a portion begins and ends, and its headings, as they are without the others."""

    start: int
    end: int
    headings: Sequence[Heading]


def headings_by_portions(
    raw: bytes, start: int, *, size: int = _PORTION_BYTES
) -> Sequence[Heading] | None:
    """Return what `walk` returns for headings, or None where it takes the walk to tell.

    `raw` is UTF-8 whose lines end in LF or CRLF. Content begins at byte `start`,
    where a line begins. A portion has `size` bytes or more.
    """
    portions = [*_portions(raw, start, size)]
    headings = [_placed(each, portion, len(raw)) for portion in portions for each in portion[2]]
    lines = {at: raw[h.start : h.end] for at, h in enumerate(headings)}
    doubtful = _which_may_link(raw, portions, {at: w for at, w in lines.items() if b"[" in w})
    if any(headings[at].nested for at in doubtful):
        return None
    again = _read_again(doubtful.values(), _defined_labels(raw, portions, doubtful.values()))
    if len(again) != len(doubtful):
        return None
    for at, read in zip(doubtful, again, strict=True):
        headings[at] = headings[at]._replace(title=read.title, slug_text=read.slug_text)
    return Headings(HeadingColumns.of(headings)) if headings else ()


def _portions(raw: bytes, start: int, size: int) -> Iterator[_Portion]:
    """Yield the portions; that of a cut in code or HTML, which is none, is read again, larger."""
    while start < len(raw):
        end, wanted = 0, size
        while not end:
            cut = _CUT.search(raw, start + wanted)
            if cut is None:
                yield _Portion(start, len(raw), _read(raw[start:]))
                return
            line_end = raw.find(b"\n", cut.end()) + 1 or len(raw)
            headings = _read(raw[start:line_end])
            last = headings[-1] if headings else None
            if last is not None and last.start == cut.end() - start and not last.nested:
                end = cut.end()
                yield _Portion(start, end, headings[:-1])
            wanted *= 2
        start = end


def _read(raw: bytes) -> Sequence[Heading]:
    """The headings of a portion, or of one and the heading after it."""
    found = scan_headings(with_line_feeds(raw), 0)
    return walk(raw.decode(), raw, 0)[0] if found is None else found


def _placed(heading: Heading, portion: _Portion, limit: int) -> Heading:
    start = portion.start
    return heading._replace(start=heading.start + start, end=heading.end + start, limit=limit)


def _which_may_link(
    raw: bytes, portions: Iterable[_Portion], lines: Mapping[int, bytes]
) -> dict[int, bytes]:
    """Those of the headings on `lines` that may name what is defined in some portion."""
    defined: set[str] = set()
    if lines:
        defined.update(*[defined_words(raw[start:end]) for start, end, _ in portions])
    return {
        at: line
        for at, line in lines.items()
        if "" in defined or not defined.isdisjoint(labelled_words(line))
    }


def _defined_labels(
    raw: bytes, portions: Iterable[_Portion], lines: Iterable[bytes]
) -> list[bytes]:
    """The labels on `lines` that are defined in some portion: each one is tried there."""
    labels = {label for line in lines for label in _LABEL.findall(line)}
    defined: set[bytes] = set()
    for start, end, _ in portions:
        words = defined_words(raw[start:end])
        asked = [
            label
            for label in labels - defined
            if "" in words or not words.isdisjoint(labelled_words(b"[%b]" % label))
        ]
        if asked:
            defined |= _links(asked, raw[start:end])
    return sorted(defined)


def _links(labels: Sequence[bytes], portion: bytes) -> set[bytes]:
    """Those of the labels that lead to what a portion defines: to a link or a note."""
    paragraphs = b"".join(b"[%b]\n\n" % label for label in labels)
    events = iter(pyromark.events((paragraphs + portion).decode(), options=OPTIONS))
    found: set[bytes] = set()
    for label in labels:
        next(events)
        event = next(events)
        if "Text" not in event:  # else it begins with a bracket
            found.add(label)
        while event != {"End": "Paragraph"}:
            event = next(events)
    return found


def _read_again(lines: Iterable[bytes], labels: Iterable[bytes]) -> list[Heading]:
    """The headings on `lines`, read where links with the `labels` are defined."""
    definitions = [b"[%b]: x" % label for label in labels]
    raw = b"\n\n".join([*lines, *definitions])
    return walk(raw.decode(), raw, 0)[0]
