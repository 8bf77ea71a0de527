"""The links of a large Markdown source, found portion by portion.

Reading links takes many times the memory of what is read, so one portion is read at a time:
from one heading at the top level to another, for which `markdown_portions` gives the reason.
Definitions in other portions that a portion may use are written out before and behind it, in
the order of the portions, since the first definition of a label counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from leafmark.model import Heading, HeadingColumns, Link
from leafmark.parsing.markdown_labels import defined_in, labels_in
from leafmark.parsing.markdown_links import links_of
from leafmark.parsing.markdown_walk import walk_links

__all__ = ["links_by_portions"]

_PORTION_BYTES = 1_000_000

_LINE_END = re.compile(rb"\r?\n[ \t>]*")
"""What stands in a label that goes over lines, of a quote too."""

_SIGN = re.compile(r"[!-/:-@\[-`{-~]|[\x00-\x1f\x7f]")


class _Definition(NamedTuple):
    """What the first definition of a label leads to; a note has no target."""

    portion: int
    label: bytes
    target: str | None

    @property
    def source(self) -> bytes:
        target = "x" if self.target is None else f"<{_SIGN.sub(_written, self.target)}>"
        return b"[%b]: %b\n\n" % (self.label, target.encode())


def links_by_portions(
    raw: bytes, start: int, headings: Sequence[Heading], *, size: int = _PORTION_BYTES
) -> Iterator[Link]:
    """Yield what `links_of` returns for the whole.

    `raw` is UTF-8 whose lines end in LF or CRLF. Content begins at byte `start`. A
    portion has `size` bytes or more.
    """
    portions = [*pairwise([start, *_cuts(raw, start, headings, size), len(raw)])]
    definitions = _definitions(raw, portions)
    for number, (first, after) in enumerate(portions):
        named = _named_in(raw[first:after], definitions)
        before = b"".join([one.source for one in named if one.portion < number])
        behind = b"".join([one.source for one in named if one.portion > number])
        text = b"".join([before, raw[first:after], b"\n\n" if behind else b"", behind])
        moved = first - len(before)
        for link in _links(text):
            if len(before) <= link.start < after - moved:
                yield link._replace(start=link.start + moved, end=link.end + moved)


def _cuts(raw: bytes, start: int, headings: Sequence[Heading], size: int) -> Iterator[int]:
    """Yield where portions begin but the first: at headings at the top level."""
    columns = HeadingColumns.of(headings)
    places, nested = columns.starts, columns.nested
    at = bisect_left(places, start + size)
    while at < len(places):
        place = places[at]
        if nested[at] or not _begins_anew(raw, place):
            at += 1
            continue
        yield place
        at = bisect_left(places, place + max(1, size), at)


def _begins_anew(raw: bytes, place: int) -> bool:
    """Whether a heading that begins with its mark stands behind a blank line."""
    above = raw[raw.rfind(b"\n", 0, place - 1) + 1 : place]
    return raw.startswith(b"#", place) and not above.strip(b" \t\r\n")


def _definitions(raw: bytes, portions: Iterable[tuple[int, int]]) -> dict[bytes, list[_Definition]]:
    """The first definitions of labels, by what these have in common if they are the same."""
    found: dict[bytes, _Definition] = {}
    for number, (first, after) in enumerate(portions):
        portion = raw[first:after]
        labels = {_LINE_END.sub(b" ", label) for label in labels_in(portion, defined=True)}
        for label, target in defined_in(portion, sorted(labels.difference(found))):
            found[label] = _Definition(number, label, target)
    by_key: dict[bytes, list[_Definition]] = {}
    for definition in found.values():
        by_key.setdefault(_key(definition.label), []).append(definition)
    return by_key


def _named_in(portion: bytes, definitions: dict[bytes, list[_Definition]]) -> list[_Definition]:
    """What is defined under labels that stand in a portion, in the order of portions."""
    if not definitions:
        return []
    keys = {_key(label) for label in labels_in(portion)}
    found = [one for key in keys.intersection(definitions) for one in definitions[key]]
    return sorted(found, key=lambda one: (one.portion, one.label))


def _key(label: bytes) -> bytes:
    """What labels that are the same to the parser have in common."""
    return b" ".join(_LINE_END.sub(b" ", label).decode().casefold().encode().split())


def _links(raw: bytes) -> Sequence[Link]:
    text = raw.decode()
    return links_of(walk_links(text), text)


def _written(sign: re.Match[str]) -> str:
    """A character as it stands for itself in what a label is defined to be."""
    return f"&#{ord(sign[0])};" if sign[0] < " " or sign[0] == "\x7f" else f"\\{sign[0]}"
