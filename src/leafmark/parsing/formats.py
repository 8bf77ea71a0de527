"""The format of a source, its parser and its reader: one table.

The core formats are rows of the tables here, whose modules are imported for the first such
file; all others are registered by packages (`plugins`). If the name of a file does not decide,
its `#!` line, the registered formats and last its markup do: a text that is clearly
reStructuredText or AsciiDoc is not plain text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

from leafmark.model import CORE_FORMATS, Document, Format, Reader
from leafmark.parsing.code.languages import SCRIPT_SUFFIXES, language_of
from leafmark.parsing.plugins import find_claim, foreign_formats, foreign_parser, foreign_reader
from leafmark.parsing.readable import data_reader

Parser = Callable[..., Document]
"""Takes the bytes and the path; a notebook's also `outputs`."""

_SUFFIXES_OF: dict[Format, str] = {
    "asciidoc": ".adoc .asciidoc",
    "html": ".htm .html .xhtml",
    "markdown": ".md .markdown .mdx .mdown .mdwn .mkd .mkdn .mkdown"
    " .qmd .rmd .rmarkdown .livemd .mdc .ronn",  # Quarto, R, Livebook, Nuxt and Cursor, manuals
    "notebook": ".ipynb",
    "rst": ".rest .rst",
    "script": " ".join(SCRIPT_SUFFIXES),
    "text": ".txt .text",
}
SUFFIXES: dict[str, Format] = {
    suffix: name for name, suffixes in _SUFFIXES_OF.items() for suffix in suffixes.split()
}
"""Core formats by the lower-case suffix of a file's name."""

_NAMES: dict[str, Format] = {"llms.txt": "markdown", "llms-full.txt": "markdown"}
"""Core formats of files whose name is a convention (llmstxt.org)."""

_SOURCES = frozenset(("asciidoc", "markdown", "rst"))
"""Formats that are published as source, with `.txt` behind their suffix."""

_PARSERS: dict[Format, str] = {
    "asciidoc": "leafmark.parsing.asciidoc:parse_asciidoc",
    "html": "leafmark.parsing.html:parse_html",
    "markdown": "leafmark.parsing.markdown:parse_markdown",
    "notebook": "leafmark.parsing.notebook:parse_notebook",
    "rst": "leafmark.parsing.rst:parse_rst",
    "script": "leafmark.parsing.code.sandbox:parse_script",
    "text": "leafmark.parsing.text:parse_text",
}

_READERS: dict[Format, str] = {"html": "leafmark.parsing.html:read_html"}
"""The readers of formats whose bytes are markup: they make the readable text of spans."""

_READER_MAKERS: dict[Format, str] = {
    "markdown": "leafmark.parsing.markdown_text:markdown_reader",
    "notebook": "leafmark.parsing.notebook:notebook_reader",
}
"""Functions that return the reader for the bytes of a source, which must be known as a whole."""

DATA_SUFFIXES = frozenset(
    ".json .json5 .jsonc .jsonl .geojson .ndjson .xml .xsd .xsl .xslt .plist .rss .svg .eps"
    " .csv .tsv .toml .yaml .yml .log".split()
)
"""Data files, drawings and logs: text, but read only if they are included by name."""

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
"""Suffixes of documents that are refused, each with a program that converts them to text."""

_PROSE = frozenset(("", ".text", ".txt"))
"""Suffixes of texts that may contain markup."""

NO_FORMATS: Mapping[str, Format] = MappingProxyType({})
"""No suffix has a configured format."""


# -- which format ------------------------------------------------------------------------


class DetectedFormat(NamedTuple):
    """The format of a source; `faults` names the formats that failed to decide, and why."""

    format: Format
    faults: tuple[str, ...] = ()


def suffix_of(path: str) -> str:
    """Return the last suffix of the file's name, lower-case, empty where it has none.

    >>> suffix_of("docs/Guide.v2.MD")
    '.md'
    """
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return name[dot:].lower() if 0 < dot < len(name) - 1 else ""


def format_of(path: str, formats: Mapping[str, Format] = NO_FORMATS) -> Format | None:
    """Return the core format for the file's name, None if it has none.

    `formats` says what suffixes mean here, and is asked first. A file without a format, that is
    no data file and needs no converter, is plain text if it is text at all. A source that was
    only called text besides, as Sphinx does, has the format of its own suffix.

    >>> format_of("_sources/usage.rst.txt"), format_of("notes.v2.txt"), format_of("llms.txt")
    ('rst', 'text', 'markdown')
    """
    listed_format = _by_suffix(path, formats) if formats else None
    if listed_format is not None:
        return listed_format
    suffix = suffix_of(path)
    format_ = SUFFIXES.get(suffix)
    if format_ != "text":
        return format_
    own = SUFFIXES.get(suffix_of(path[: -len(suffix)]))
    return own if own in _SOURCES else _NAMES.get(path[path.rfind("/") + 1 :], format_)


def _by_suffix(path: str, formats: Mapping[str, Format]) -> Format | None:
    """Return the configured format of the longest matching suffix of the file's name."""
    name = path[path.rfind("/") + 1 :].lower()
    dot = name.find(".", 1)
    while dot > 0:
        if name[dot:] in formats:
            return formats[name[dot:]]
        dot = name.find(".", dot + 1)
    return None


def detect_format(
    path: str, data: bytes, formats: Mapping[str, Format] = NO_FORMATS
) -> DetectedFormat:
    """Return the format of the file at `path` that holds `data`.

    Its name decides first, then its `#!` line, the formats of other packages, and last, for
    what would be plain text, whether its markup is plainly that of another format.

    >>> detect_format("a.pm", b"package A;\\n\\n=head1 NAME\\n").format
    'pod'
    """
    format_ = format_of(path, formats)
    if format_ not in (None, "text") or _by_suffix(path, formats) is not None:
        return DetectedFormat(format_ or "text")
    if format_ is None and language_of(path, data):
        return DetectedFormat("script")
    claim, faults = find_claim(path, data)
    if claim is not None:
        return DetectedFormat(claim)
    marked = _markup_of(data) if suffix_of(path) in _PROSE else None
    # all texts would say the same of a format that fails; those of unknown suffix may be its own
    return DetectedFormat(marked or "text", faults if format_ is None and suffix_of(path) else ())


def format_names() -> list[Format]:
    """Return the names of all formats that a suffix can stand for."""
    return sorted({*CORE_FORMATS, *foreign_formats()})


# -- what parses and reads it ---------------------------------------------------------------


def parser_of(format_name: Format) -> Parser:
    """Return the function that parses a format.

    Raises:
        FormatError: there is no such format, or it cannot be used; it says why.
    """
    if format_name not in _PARSERS:
        return foreign_parser(format_name)
    parser: Parser = _imported(_PARSERS[format_name])
    return parser


def reader_of(format_name: Format, data: bytes) -> Reader | None:
    """Return the reader of a source; None if its bytes are its text."""
    if format_name in _READER_MAKERS:
        return _imported(_READER_MAKERS[format_name])(data)  # type: ignore[no-any-return]
    reader = _reader_of_markup(format_name)
    return data_reader(data) if reader is None else reader


def _reader_of_markup(format_name: Format) -> Reader | None:
    if format_name not in _PARSERS:
        return foreign_reader(format_name)
    name = _READERS.get(format_name)
    return None if name is None else _imported(name)


@cache
def _imported(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)


# -- the markup of a text -------------------------------------------------------------------

_SAMPLE_BYTES = 65_536
"""The bytes of a text that are checked: the beginning of a manual shows its markup."""

_MIN_MARKS = 3
"""The least number of marks of one format, of two kinds: with fewer, a text may just quote it."""

_RST_TITLE = rb"^(?=[^\s\n])[^\n]+\n([=\-~^\"'`*+#.:_])\1{3,}[ \t\r]*$"
_RST_MARKS = (
    rb"^[ \t]*\.\. [a-z][\w:.+-]*::(?:[ \t]|\r?$)",  # .. note::
    rb"^[ \t]*\.\. (?:_[^:\n]+:|\|[^|\n]+\| [a-z]+::|\[[#\w]+\] )",  # .. _label:
    rb"(?<![\w`:]):[a-z][\w+.-]*(?::[a-z]+)?:`[^`\n]+`",  # :ref:`label`
    rb"(?<![\w`])`[^`\n]+ <[^<>`\n]+>`_",  # `words <address>`_
    rb"^[ \t]*:(?:param|type|returns?|rtype|raises|arg|ivar)\b[^:\n]*: ",
    rb"(?<![`\w])``[^`\n]+``(?![`\w])",  # ``literal``
    rb"[^\s:]::[ \t\r]*\n[ \t\r]*\n(?=[ \t]+\S)",  # a literal block
)
_RST_OWN = 4
"""So many of the marks, from the first, occur in no other markup."""

_ASCIIDOC_TITLE = rb"^(?:={1,5} [^\s=][^\n]*[^=\n]\r?$|(?=\w)[^\n]+\n([=\-~^+])\1{3,}[ \t\r]*$)"
_ASCIIDOC_MARKS = (
    rb"^\[(?:source|verse|listing|horizontal|quote|cols|options|subs|role|discrete|NOTE|TIP|%)"
    rb"[^\]\n]*\][ \t\r]*$",
    rb"^\[\[[\w:.-]+(?:,[^\]\n]*)?\]\][ \t\r]*$",
    rb"^(?:include|ifdef|ifndef|ifeval|endif|image)::[^\s\[\]]*\[[^\]\n]*\]",
    rb"(?<![\w:])(?:link|xref|linkgit|footnote|image|kbd|menu|btn):[^\s:\[\]`]*\[[^\]\n]*\]",
    rb"<<[\w:.-]+(?:,[^<>\n]+)?>>",
    rb"^:(?:toc|icons|author|revdate|doctype|imagesdir|source-highlighter|experimental)[\w-]*:",
    rb"^\S[^\n]{0,80}?::[ \t\r]*\n(?=[ \t]+\S)",  # term::
    rb"^(-{4,}|\.{4,}|={4,}|\*{4,}|\|===)[ \t\r]*\n(?=(?:[^\n]*\n){1,60}?\1[ \t\r]*$)",
)
_ASCIIDOC_OWN = 4
_FENCE = rb"^[ \t]*(?:```|~~~)[\w+-]*[ \t\r]*$|^#{1,6} \S"
"""Marks that only Markdown has."""


def _markup_of(data: bytes) -> Format | None:
    """Return the format that a text is clearly written in, None if it may be plain text.

    It has a title, and either a directive of reStructuredText or three marks of two kinds, some
    of which have no meaning anywhere else; and Markdown has fewer of its own.
    """
    sample = data[:_SAMPLE_BYTES]
    if b"::" not in sample and b"`" not in sample and b"[" not in sample:
        return None
    markdown = _count(_FENCE, sample)
    rows = (
        ("rst", _RST_TITLE, _RST_MARKS, _RST_OWN),
        ("asciidoc", _ASCIIDOC_TITLE, _ASCIIDOC_MARKS, _ASCIIDOC_OWN),
    )
    counts_by_format: dict[Format, int] = {}
    for name, title, marks, own in rows:
        if not _count(title, sample, 1):
            continue
        counts = [_count(mark, sample) for mark in marks]
        is_written = sum(counts) >= _MIN_MARKS and sum(map(bool, counts)) > 1
        is_written = is_written or (name == "rst" and counts[0] > 0)
        if is_written and any(counts[:own]) and sum(counts) > markdown:
            counts_by_format[name] = sum(counts[:own])
    return max(counts_by_format, key=lambda name: counts_by_format[name], default=None)


def _count(pattern: bytes, text: bytes, most: int = 20) -> int:
    return sum(1 for _ in islice(re.finditer(pattern, text, re.MULTILINE), most))
