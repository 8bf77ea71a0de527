"""AsciiDoc to a `Document`, by a scanner of our own.

In: the bytes of a source. Out: its titles with exact lines, blocks, ids and
links. No maintained parser for Python gives structure with places, so the
language's rules for what begins a block are followed here. `=` is depth 1, `==`
depth 2. Nothing is included, evaluated or run; attributes are not replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leafmark.model import Document, Heading, Link
from leafmark.parsing.asciidoc_blocks import AsciiDocScanner
from leafmark.parsing.lined_document import outside_code, parse_lined

__all__ = ["parse_asciidoc"]

_LINK = re.compile(
    rb"<<(?P<reference>[^<>,\n]{1,200}+)(?:,[^<>]{0,400}+)?>>"
    rb"|(?P<macro>xref|link|image):{1,2}(?P<target>[^\s\[\]]{1,1000}+)\[[^\]\n]{0,1000}+\]"
    rb"|(?P<address>https?://[^\s\[\]<>\"]{1,1000}+)\["
)
_MARKS = re.compile(
    r"(``|\*\*|__|##|\+\+\+)(?=\S)((?:(?!\1).)+?)(?<=\S)\1"
    r"|(?<![\w;:}])([`*_#+])(?=\S)((?:(?!\3).)+?)(?<=\S)\3(?!\w)"
)
"""Formatting; a single mark counts only at the edges of words."""

_MACROS = re.compile(r"(?:link|xref|https?)[:/]{1,3}[^\s\[\]]*\[([^\]]*)\]")
_LONGEST_TITLE = 1000


def parse_asciidoc(data: bytes, path: str) -> Document:
    """Return the document of an AsciiDoc source."""
    return parse_lined(
        data,
        path,
        "asciidoc",
        scanner=AsciiDocScanner,
        link_marks=b"<[",
        title_text=title_text,
        find_links=_links,
    )


def title_text(source: str) -> str:
    """Return what is shown of a title, marks of formatting left out.

    >>> title_text("The `git` *add* command")
    'The git add command'
    >>> title_text("multi_ack_detailed and un**con**strained")
    'multi_ack_detailed and unconstrained'
    """
    if len(source) > _LONGEST_TITLE:
        return source
    return _MARKS.sub(r"\2\4", _MACROS.sub(r"\1", source))


def _links(data: bytes, _headings: Sequence[Heading], scanner: AsciiDocScanner) -> Iterator[Link]:
    """The links outside of code; a reference to an id of the document is `#` and the id."""
    for found in outside_code(_LINK, data, scanner.blocks):
        raw = found["reference"] or found["target"] or found["address"]
        target = raw.decode("utf-8", "replace").strip()
        if found["reference"] and "#" not in target:
            target = f"#{target}"
        is_image = found["macro"] == b"image"
        yield Link(found.start(), found.end(), target, "image" if is_image else "link")
