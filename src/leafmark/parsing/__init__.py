"""The bytes of one source to a `Document`: headings, blocks, metadata, diagnostics.

Pure: no files, no configuration, no clock. Bad input gives a document and
diagnostics, never an exception, in time linear in the input. Which headings
become sections, and what they are called, is decided in `chunking`.
"""

from collections.abc import Mapping

from leafmark.model import Diagnostic, Document, Format
from leafmark.parsing.code.languages import installed_grammars
from leafmark.parsing.decoding import Decoded, Utf8, decode, is_binary
from leafmark.parsing.formats import (
    CONVERTERS,
    DATA_SUFFIXES,
    NO_FORMATS,
    detect_format,
    format_names,
    format_of,
    parser_of,
)
from leafmark.parsing.plugins import FormatError, SourceFormat, installed_formats
from leafmark.parsing.readable import ReadableBuilder, data_reader
from leafmark.parsing.text import degraded_document, parse_text

__all__ = [
    "CONVERTERS",
    "DATA_SUFFIXES",
    "FORMAT_FAILED",
    "Decoded",
    "ReadableBuilder",
    "SourceFormat",
    "Utf8",
    "decode",
    "format_names",
    "format_of",
    "installed_formats",
    "installed_grammars",
    "is_binary",
    "parse",
]

MAX_HEADINGS = 200_000
"""The most headings of a document: each becomes a chunk of about a kilobyte in memory."""

FORMAT_FAILED = "format-failed"
"""The code of a source that was read as plain text because the parser of its format failed."""


def parse(
    data: bytes,
    path: str,
    *,
    formats: Mapping[str, Format] = NO_FORMATS,
    notebook_outputs: bool = False,
) -> Document:
    """Return the document that `data`, the bytes of the file at `path`, holds.

    `path` is relative to the tree's root, with `/`. The format is told by its suffix, which
    `formats` may give another meaning; a file of unknown suffix is a script if its name or its
    `#!` line says so, else what a registered format takes it for, else plain text. What a
    notebook's cells printed is content with `notebook_outputs`. Never raises for what `data`
    holds: problems are the document's `diagnostics`.

    >>> document = parse(b"# Guide\\n\\nText.\\n", "guide.md")
    >>> document.title, document.headings[0].end
    ('Guide', 8)
    """
    detected = detect_format(path, data, formats)
    document = _within_bounds(_parsed(detected.format, data, path, outputs=notebook_outputs), data)
    if detected.faults:
        notes = [Diagnostic(path, FORMAT_FAILED, fault) for fault in detected.faults]
        document = document._replace(diagnostics=(*document.diagnostics, *notes))
    if document.reader is not None:
        return document
    reader = data_reader(document.data)
    return document if reader is None else document._replace(reader=reader)


def _parsed(format_name: Format, data: bytes, path: str, *, outputs: bool) -> Document:
    """Return the document of a format, as plain text if its parser fails.

    A failure of one of our parsers is a bug, which the diagnostic names.
    """
    try:
        parser = parser_of(format_name)
        if outputs and format_name == "notebook":
            return parser(data, path, outputs=True)
        return parser(data, path)
    except (MemoryError, OSError):  # no fault of the source: it may pass
        raise
    except BaseException as error:
        is_panic = type(error).__module__ == "pyo3_runtime"  # of a parser in Rust
        if format_name == "text" or not (is_panic or isinstance(error, Exception)):
            raise
        kind = "" if isinstance(error, FormatError) else f"{type(error).__name__}: "
        return _as_text(data, path, f"{kind}{error}")


def _as_text(data: bytes, path: str, reason: str) -> Document:
    note = Diagnostic(path, FORMAT_FAILED, f"read as plain text: {reason}")
    document = parse_text(data, path)
    return document._replace(degraded=True, diagnostics=(*document.diagnostics, note))


def _within_bounds(document: Document, data: bytes) -> Document:
    """Return a document, or its source as plain text if it has too many headings."""
    if len(document.headings) > MAX_HEADINGS:
        reason = f"it has more than {MAX_HEADINGS} headings"
        fallback: Format = "markdown" if document.format == "markdown" else "text"
        return degraded_document(decode(data, document.path), document.path, fallback, reason)
    return document
