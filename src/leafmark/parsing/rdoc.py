"""RDoc to a `Document`, by a scanner of our own.

In: the bytes of a source, as Ruby's gems have them for a README or a guide. Out:
its headings with exact lines, blocks and links. RDoc's own parser keeps no places,
so its rules for what a line begins are followed in `rdoc_blocks`. Directives
(`:include:`, `:title:`) are text, and nothing is included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leafmark.model import Document, Heading, Link
from leafmark.parsing.lined_document import outside_code, parse_lined
from leafmark.parsing.rdoc_blocks import RdocScanner

__all__ = ["parse_rdoc"]

_LABELLED = (
    r"(?:\{([^{}\n]{1,400})\}|(?<![\w{}])(\w{1,100}))\[(?=[^\[\]\s]*[:/.#])[^\[\]\s]{1,1000}\]"
)
_LINK = re.compile(
    rb"(?:\{[^{}\n]{1,400}+\}|(?<!\w)\w{1,100}+)"
    rb"\[(?P<target>(?=[^\[\]\s]{0,100}[:/.#])[^\[\]\s]{1,1000}+)\]"
    rb"|(?<![\w:])(?P<address>(?:https?://|link:|rdoc-ref:)[^\s\[\]{}<>\"]{0,1000}[\w/=#&])"
)
_MARKS = re.compile(
    r"<(tt|code|b|em|i|s|del)>(.+?)</\1>|(?<!\w)([*_+])(?=\S)([\w:./#?!=\[\]-]+?)\3(?!\w)"
)
"""Formatting: tags, and marks around one word."""

_ESCAPE = re.compile(r"\\(?=[A-Z#:<*_+{])")
_FILE = re.compile(
    r"(?:rdoc-ref:|link:)(?:/?((?:[\w.-]+/)*[\w.-]+\.(?:rdoc|md|txt|rb|html)))?(?:[@#].*)?"
)
_LONGEST_TITLE = 1000


def parse_rdoc(data: bytes, path: str) -> Document:
    """Return the document of an RDoc source."""
    return parse_lined(
        data,
        path,
        "rdoc",
        scanner=RdocScanner,
        link_marks=b"[",
        title_text=title_text,
        find_links=_links,
    )


def title_text(source: str) -> str:
    r"""Return what is shown of a heading, marks of formatting and targets left out.

    >>> title_text("The +many_to_many+ type of \\Sequel, <tt>a b</tt>")
    'The many_to_many type of Sequel, a b'
    >>> title_text("See {the guide}[rdoc-ref:doc/a.rdoc] and Ruby[https://example.org/]")
    'See the guide and Ruby'
    """
    if len(source) > _LONGEST_TITLE:
        return source
    words = re.sub(_LABELLED, r"\1\2", source)
    return _ESCAPE.sub("", _MARKS.sub(r"\2\4", words))


def _links(data: bytes, _headings: Sequence[Heading], scanner: RdocScanner) -> Iterator[Link]:
    """The links outside of code; a file of the project is named from the project's folder."""
    for found in outside_code(_LINK, data, scanner.blocks):
        target = (found["target"] or found["address"]).decode("utf-8", "replace")
        file = _FILE.fullmatch(target)
        if file and file[1]:
            target = f"/{file[1]}"
        yield Link(found.start(), found.end(), target, "link")
