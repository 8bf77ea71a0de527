"""The bytes of one source to a `Document`: headings, blocks, metadata, diagnostics.

Pure: no files, no configuration, no clock. Bad input gives a document and
diagnostics, never an exception, in time linear in the input. Which headings
become sections, and what they are called, is decided in `chunking`.
"""

from functools import partial

from leafmark.model import Document, Format
from leafmark.parsing.contents import format_told_by
from leafmark.parsing.decoding import Decoded, Utf8, decode, is_binary
from leafmark.parsing.embedded import data_reader
from leafmark.parsing.formats import CONVERTERS, DATA_SUFFIXES, format_of, parser_of
from leafmark.parsing.script_languages import installed_grammars, language_of
from leafmark.parsing.text import degraded_document

__all__ = [
    "CONVERTERS",
    "DATA_SUFFIXES",
    "Decoded",
    "Utf8",
    "decode",
    "format_of",
    "installed_grammars",
    "is_binary",
    "parse",
]

MAX_HEADINGS = 200_000
"""Each becomes a chunk, which takes a kilobyte until it is indexed; no document has a tenth."""


def parse(data: bytes, path: str, *, notebook_outputs: bool = False) -> Document:
    """Return the document that `data`, the bytes of the file at `path`, holds.

    `path` is relative to the tree's root, with `/`. The format is told by its
    suffix; a file of unknown suffix is a script if its name or its `#!` line says
    so, else what its contents tell, else plain text. What a notebook's cells printed
    is content with `notebook_outputs`. Never raises for what `data` holds: problems
    are the document's `diagnostics`.

    >>> document = parse(b"# Guide\\n\\nText.\\n", "guide.md")
    >>> document.title, document.headings[0].end
    ('Guide', 8)
    """
    found = format_of(path)
    if found is None:
        found = "script" if language_of(path, data) else format_told_by(path, data) or "text"
    parser = parser_of(found)
    if notebook_outputs and found == "notebook":
        parser = partial(parser, outputs=True)
    document = _within_bounds(parser(data, path), data)
    if document.reader is not None:
        return document
    reader = data_reader(document.data)
    return document if reader is None else document._replace(reader=reader)


def _within_bounds(document: Document, data: bytes) -> Document:
    """Return a document, or its source as plain text if it has too many headings."""
    if len(document.headings) > MAX_HEADINGS:
        reason = f"it has more than {MAX_HEADINGS} headings"
        kept: Format = "markdown" if document.format == "markdown" else "text"
        return degraded_document(decode(data, document.path), document.path, kept, reason)
    return document
