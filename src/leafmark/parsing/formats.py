"""Which format a file has by its name, and which parser reads it: one table.

A format is one module with one function from bytes and a path to a `Document`,
imported when the first such file comes. To add a format, add its suffixes and
its parser here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from leafmark.model import Document, Format, Reader
from leafmark.parsing.embedded import data_reader
from leafmark.parsing.script_languages import SCRIPT_SUFFIXES

__all__ = [
    "CONVERTERS",
    "DATA_SUFFIXES",
    "SUFFIXES",
    "format_of",
    "parser_of",
    "reader_of",
    "suffix_of",
]

Parser = Callable[..., Document]
"""Takes the bytes and the path; a notebook's also `outputs`."""

_NAMED_SUFFIXES: dict[str, Format] = {
    ".htm": "html",
    ".html": "html",
    ".xhtml": "html",
    ".ipynb": "notebook",
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
    ".org": "org",
    ".pod": "pod",
    ".rdoc": "rdoc",
    ".rest": "rst",
    ".rst": "rst",
    ".txt": "text",
    ".text": "text",
}
_MARKDOWN_SUFFIXES = (
    *(".md", ".markdown", ".mdx"),
    *(".qmd", ".rmd", ".rmarkdown"),  # Quarto, R Markdown
    *(".mdown", ".mdwn", ".mkd", ".mkdn", ".mkdown"),
    *(".livemd", ".mdc", ".ronn"),  # Livebook, Nuxt and Cursor, manual pages
)
SUFFIXES: dict[str, Format] = {
    **_NAMED_SUFFIXES,
    **dict.fromkeys(_MARKDOWN_SUFFIXES, "markdown"),
    **dict.fromkeys(SCRIPT_SUFFIXES, "script"),
}
"""Formats by the lower-case suffix of a file's name."""

_SOURCES = frozenset(("asciidoc", "markdown", "rst"))
"""What is published as it was written, with `.txt` behind its suffix."""

_PARSERS: dict[Format, str] = {
    "asciidoc": "leafmark.parsing.asciidoc:parse_asciidoc",
    "html": "leafmark.parsing.html:parse_html",
    "info": "leafmark.parsing.info:parse_info",
    "markdown": "leafmark.parsing.markdown:parse_markdown",
    "notebook": "leafmark.parsing.notebook:parse_notebook",
    "org": "leafmark.parsing.org:parse_org",
    "pod": "leafmark.parsing.pod:parse_pod",
    "rdoc": "leafmark.parsing.rdoc:parse_rdoc",
    "roff": "leafmark.parsing.roff:parse_roff",
    "rst": "leafmark.parsing.rst:parse_rst",
    "script": "leafmark.parsing.script:parse_script",
    "text": "leafmark.parsing.text:parse_text",
}

_READERS: dict[str, str] = {
    "html": "leafmark.parsing.html:read_html",
    "info": "leafmark.parsing.info_text:read_info",
    "notebook": "leafmark.parsing.notebook:read_notebook",
    "pod": "leafmark.parsing.pod_text:read_pod",
    "roff": "leafmark.parsing.roff_text:read_roff",
}
"""What makes the readable text of spans, for formats whose bytes are markup."""

DATA_SUFFIXES = frozenset(
    (
        *(".json", ".json5", ".jsonc", ".jsonl", ".geojson", ".ndjson"),
        *(".xml", ".xsd", ".xsl", ".xslt", ".plist", ".rss", ".svg", ".eps"),
        *(".csv", ".tsv", ".toml", ".yaml", ".yml", ".log"),
    )
)
"""Data files, drawings and logs: text, but read only where they are included by name."""

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
    ".ps": "ps2ascii",
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
    plain text if it is text at all. A source that was only called text besides, as
    Sphinx does, has the format of its own suffix.

    >>> format_of("_sources/usage.rst.txt"), format_of("notes.v2.txt")
    ('rst', 'text')
    """
    suffix = suffix_of(path)
    found = SUFFIXES.get(suffix)
    if found == "text":
        own = SUFFIXES.get(suffix_of(path[: -len(suffix)]))
        return own if own in _SOURCES else found
    return found


@cache
def parser_of(format_name: Format) -> Parser:
    """Return the function that parses a format.

    Raises:
        KeyError: no parser is registered for it.
    """
    parser: Parser = _imported(_PARSERS[format_name])
    return parser


def reader_of(format_name: str, data: bytes) -> Reader | None:
    """Return what makes the readable text of a source; None where its bytes are its text."""
    if format_name not in _READERS:
        return data_reader(data)
    return _reader_of_markup(format_name)


@cache
def _reader_of_markup(format_name: str) -> Reader:
    reader: Reader = _imported(_READERS[format_name])
    return reader


def _imported(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)
