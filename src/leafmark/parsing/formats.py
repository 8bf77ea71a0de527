"""Which format a file has by its name, and which parser reads it: one table.

A format is one module with one function from bytes and a path to a `Document`,
imported when the first such file comes. To add a format, add its suffixes and
its parser here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from leafmark.model import Document, Format

__all__ = ["CONVERTERS", "DATA_SUFFIXES", "SUFFIXES", "format_of", "parser_of", "suffix_of"]

Parser = Callable[[bytes, str], Document]

SUFFIXES: dict[str, Format] = {
    ".htm": "html",
    ".html": "html",
    ".xhtml": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "markdown",
    ".txt": "text",
    ".text": "text",
}
"""Formats by the lower-case suffix of a file's name."""

_PARSERS: dict[Format, str] = {
    "html": "leafmark.parsing.html:parse_html",
    "markdown": "leafmark.parsing.markdown:parse_markdown",
    "text": "leafmark.parsing.text:parse_text",
}

DATA_SUFFIXES = frozenset(
    (
        ".csv",
        ".geojson",
        ".json",
        ".json5",
        ".jsonc",
        ".jsonl",
        ".log",
        ".ndjson",
        ".plist",
        ".rss",
        ".svg",
        ".toml",
        ".tsv",
        ".xml",
        ".xsd",
        ".xsl",
        ".xslt",
        ".yaml",
        ".yml",
    )
)
"""Data files and logs: text, but read only where they are included by name."""

CONVERTERS = {
    ".doc": "libreoffice --convert-to docx, then pandoc",
    ".docx": "pandoc",
    ".epub": "pandoc",
    ".odp": "libreoffice --convert-to pdf, then pdftotext",
    ".ods": "libreoffice --convert-to csv",
    ".odt": "pandoc",
    ".pdf": "pdftotext or docling",
    ".ppt": "libreoffice --convert-to pdf, then pdftotext",
    ".pptx": "markitdown",
    ".rtf": "pandoc",
    ".xls": "libreoffice --convert-to csv",
    ".xlsx": "markitdown",
}
"""Suffixes of documents that are refused, each with a program that makes text of them."""


def suffix_of(path: str) -> str:
    """Return the last suffix of the file's name, lower-case, empty where it has none.

    >>> suffix_of("docs/Guide.v2.MD")
    '.md'
    """
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return name[dot:].lower() if 0 < dot < len(name) - 1 else ""


def format_of(path: str) -> Format | None:
    """Return the format that the file's name tells, None where it tells none.

    A file without a format, that is no data file and needs no converter, is
    plain text if it is text at all.
    """
    return SUFFIXES.get(suffix_of(path))


@cache
def parser_of(format_name: Format) -> Parser:
    """Return the function that parses a format.

    Raises:
        KeyError: no parser is registered for it.
    """
    module, _, function = _PARSERS[format_name].partition(":")
    parser: Parser = getattr(import_module(module), function)
    return parser
