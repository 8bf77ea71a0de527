"""reStructuredText to a `Document`, by a scanner of our own.

In: the bytes of a source. Out: its section titles with exact lines, blocks,
labels and links. The reference parser, docutils, says on which line something
was noticed, not where it begins and ends, so its rules of recognition are
followed here: which line begins what, titles by their marks and levels by order
of appearance. Nothing is executed or included, and a directive is known by its
name only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from leafmark.model import Block, Document, Heading, Link
from leafmark.parsing.lined_document import parse_lined
from leafmark.parsing.rst_blocks import RstScanner
from leafmark.parsing.rst_inline import find_links, title_text

__all__ = ["parse_rst"]


def parse_rst(data: bytes, path: str) -> Document:
    """Return the document of a reStructuredText source."""
    return parse_lined(
        data,
        path,
        "rst",
        scanner=RstScanner,
        link_marks=b"`",
        title_text=title_text,
        find_links=_links,
    )


_MARKUP = re.compile(rb"[`_]")


def _links(data: bytes, headings: Sequence[Heading], scanner: RstScanner) -> list[Link]:
    """The links in what is not code, and those of directives and targets."""
    found = list(scanner.links)
    prose = [(h.start, h.end) for h in headings]
    prose += [(block.start, block.end) for block in _leaves(scanner.blocks) if block.kind != "code"]
    for start, end in prose:
        raw = data[start:end]
        if _MARKUP.search(raw):
            found += find_links(raw.decode("utf-8", "surrogateescape"), start)
    return sorted(set(found))


def _leaves(blocks: list[Block]) -> list[Block]:
    """The blocks that hold no other."""
    following = [*(block.level for block in blocks[1:]), 0]
    return [block for block, level in zip(blocks, following, strict=False) if level <= block.level]
