"""GNU Info to a `Document`, by a scanner of our own.

In: the bytes of a manual as makeinfo writes it, or of a part of one. Out: its nodes and titles with
exact lines, blocks, references and named places. The title of the node Top names the manual. The
tables behind the last node are the document's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leafmark.model import Anchor, Document, Heading, Link
from leafmark.parsing.info_nodes import InfoScanner, anchor_of
from leafmark.parsing.info_text import REFERENCE, read_info
from leafmark.parsing.lined_document import parse_lined
from leafmark.parsing.titles import fold

__all__ = ["parse_info"]

_PLACE = re.compile(rb"^Ref: ([^\n\x7f]{1,1000}+)\x7f(\d{1,10})$", re.MULTILINE)
_PARTS = re.compile(rb"^\x1f\f?+[ \t\r]*+\nIndirect:", re.MULTILINE)
_NODE = re.compile(r"\x7f?(?:\((?P<file>[^()]*)\))?\s*(?P<name>[^\x7f]*)")


def parse_info(data: bytes, path: str) -> Document:
    """Return the document of an Info file."""
    places: list[Anchor] = []

    def links(source: bytes, _headings: Sequence[Heading], scanner: InfoScanner) -> Iterator[Link]:
        if not _PARTS.search(source):
            places.extend(_places(source))
        return _links(source, scanner, {*scanner.levels, *(place.name for place in places)})

    document = parse_lined(
        data,
        path,
        "info",
        scanner=InfoScanner,
        link_marks=b"\x1f",
        title_text=fold,
        find_links=links,
    )
    if document.degraded:
        return document
    named = tuple(place._replace(name=anchor_of(place.name)) for place in places)
    return document._replace(reader=read_info, anchors=named)


def _places(data: bytes) -> Iterator[Anchor]:
    """The places with a name, as the table at the end has them."""
    for found in _PLACE.finditer(data):
        if int(found[2]) < len(data):
            yield Anchor(fold(found[1].decode("utf-8", "replace")), int(found[2]))


def _links(data: bytes, scanner: InfoScanner, names: set[str]) -> Iterator[Link]:
    """The references in the text; one to what is not in this file names the manual."""
    manual = scanner.manual
    for found in REFERENCE.finditer(data):
        node = _NODE.match((found["node"] or found["shown"]).decode("utf-8", "replace"))
        assert node is not None, "it matches any text"
        name, file = fold(node["name"]), (node["file"] or "").strip().removesuffix(".info")
        if not file and name in names:
            yield Link(*found.span(), f"#{anchor_of(name)}", "link")
        elif file or manual:
            place = f"#{anchor_of(name)}" if name and name != "Top" else ""
            yield Link(*found.span(), f"{file or manual}{place}", "wiki")
