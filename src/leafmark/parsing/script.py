"""Source code to a `Document`: a heading for each definition, code blocks for everything.

A definition has no heading line: its heading is empty and stands where its span
begins. A language without a grammar, or whose grammar is not installed, is plain
text; so is a source that is too much for the parser, and then the document says so.
"""

from __future__ import annotations

from leafmark.model import NO_PROCESS, Document, Heading
from leafmark.parsing.decoding import Decoded, decode
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.readable import without_mark
from leafmark.parsing.script_definitions import Definition
from leafmark.parsing.script_languages import has_module, language_of
from leafmark.parsing.script_worker import (
    KilledError,
    NoChildError,
    NoPythonError,
    TooMuchWorkError,
    parse_apart,
    parse_here,
)
from leafmark.parsing.text import degraded_document, document_of_text
from leafmark.parsing.titles import file_title

__all__ = ["MAX_SCRIPT_BYTES", "parse_script"]

MAX_SCRIPT_BYTES = 2_000_000
"""A syntax tree takes up to a hundred times the memory of its source."""

CALM_BYTES = 2000
"""Sources up to this size are parsed in this process: they cannot take much, whatever they hold."""


_NO_PYTHON = "longer code is parsed in a process of its own, and no Python can be started"


def parse_script(data: bytes, path: str) -> Document:
    """Return the document of a source in a programming language."""
    decoded = decode(data, path)
    language = language_of(path, decoded.data)
    if language is None or not has_module(f"tree_sitter_{language.module}"):
        return document_of_text(decoded, path)
    if len(decoded.data) > MAX_SCRIPT_BYTES:
        limit = f"{MAX_SCRIPT_BYTES:,} bytes"
        return degraded_document(decoded, path, "text", f"code of more than {limit} is not parsed")
    source = _parseable(decoded)
    try:
        is_apart = language.apart or len(source) > CALM_BYTES
        definitions, blocks = (parse_apart if is_apart else parse_here)(language, source)
    except TooMuchWorkError:
        reason = f"too much work for the {language.name} parser"
        return degraded_document(decoded, path, "text", reason)
    except NoPythonError:
        return degraded_document(decoded, path, "text", _NO_PYTHON)
    except NoChildError:
        return degraded_document(decoded, path, "text", _NO_PYTHON, code=NO_PROCESS)
    except KilledError:
        reason = "the process that parses longer code was killed, perhaps for lack of memory"
        return degraded_document(decoded, path, "text", reason, code=NO_PROCESS)
    return Document(
        path,
        decoded.data,
        "script",
        file_title(path),
        encoding=decoded.encoding,
        headings=tuple(_heading(each, decoded) for each in definitions),
        blocks=blocks,
        diagnostics=decoded.diagnostics,
    )


def _heading(definition: Definition, decoded: Decoded) -> Heading:
    """A definition has no heading line: its span is all of it."""
    return Heading(
        level=definition.depth + 1,
        title=decoded.restore(definition.title),
        slug_text=definition.title,
        start=definition.start,
        end=definition.start,
        limit=definition.end,
        slug_path=decoded.restore(definition.path),
        line_offset=definition.signature,
    )


def _parseable(decoded: Decoded) -> bytes:
    """The source for the parser, byte for byte as long: no bad bytes, NUL or lone CR."""
    source = without_lone_returns(without_mark(decoded.encoded))
    return source.replace(b"\0", b" ")
