"""A file that somebody works on, taken apart by how much its words say about it.

The path and the headings (in code: the definitions) say most, then names,
imports and comments, then the rest. Formats are those of `parsing`; whatever
has another suffix than prose has is read as code, by what comments and imports
look like in most languages.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from leafmark.app.settings import ContextSettings
from leafmark.app.sources.names import is_secret, nearest_paths
from leafmark.errors import ForbiddenError, NotFoundError, unreadable
from leafmark.model import Document, WeightedText
from leafmark.parsing import is_binary, parse
from leafmark.parsing.formats import suffix_of

__all__ = ["KEYWORDS", "describe_document", "describe_path", "read_working_file"]

MAX_BYTES = 2_000_000
"""Bytes of a file that are looked at: the first ones say what it is about."""

_PROSE = frozenset(("", ".log", ".pod", ".tex", ".text", ".txt"))
_MIXED_FORMATS = frozenset(("pod", "script", "text"))
"""Formats whose suffix says whether they are prose."""

_OPENERS = re.compile(
    r'"""|\'\'\'|/\*|<!--|(?:^|(?<=[\s;{}]))(?:#(?!(?:include|define|undef|if|ifdef|ifndef|endif'
    r"|else|pragma|import)\b|[!\[{])|//|--(?=[ \t]))",
    re.MULTILINE,
)
_CLOSERS = {'"""': '"""', "'''": "'''", "/*": "*/", "<!--": "-->"}
_IMPORT = re.compile(
    r"^[ \t]*(?:import|from|use|using|require|require_relative|include|package|mod|extern crate"
    r"|source|#[ \t]*include|#[ \t]*import|@import)\b[^\n]*",
    re.MULTILINE,
)
_NAME = re.compile(r"(?<!\w)(?:[^\W\d]\w*+(?=\()|[^\W\d]\w*_\w+|[^\W\d]*[a-z][A-Z]\w*)")
_CODE_SPAN = re.compile(r"`([^`\n]+)`")

_KEYWORDS = """
abstract args array assert async await bool boolean break byte case catch char class const
continue def default del delete double elif else elsif end endif enum except export extends extern
false final finally float for foreach from func function global goto if impl implements import in
include init instanceof int integer interface is isinstance kwargs lambda len let long main match
mod module mut namespace new nil none nonlocal not null object operator or override package pass
print printf println private protected pub public raise range require return returns self short
signed sizeof static str string struct super switch template then this throw throws todo trait
true try tuple type typedef typename typeof undefined union unsafe unsigned until use using var vec
virtual void volatile while with yield
"""
KEYWORDS = frozenset(_KEYWORDS.split())
"""Words of programming languages, which say nothing about what a program does."""


def read_working_file(path: Path, name: str, settings: ContextSettings) -> list[WeightedText]:
    """Return the parts of the file `path`, which its project calls `name` (with `/`).

    Raises:
        ForbiddenError: it may hold secrets, whose words an answer would tell.
        NotFoundError: there is no such file.
        StorageError: it cannot be read.
    """
    if _may_hold_secrets(path, name):
        raise ForbiddenError(
            "the file may hold secrets by its name, and is not read", location=name
        )
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file")
            data = file.read(MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError) as error:
        near = nearest_paths(path, name)
        raise NotFoundError("there is no such file", location=name, did_you_mean=near) from error
    except (OSError, ValueError) as error:
        raise unreadable(error, name) from error
    parts = [describe_path(name, settings)]
    if not is_binary(data):
        parts += describe_document(parse(data, name), settings)
    return [part for part in parts if part.weight and part.text]


def _may_hold_secrets(path: Path, name: str) -> bool:
    """Whether an index leaves it out for its name, that of a folder or of what it leads to."""
    real = os.path.realpath(path)
    folders = [part for part in name.split("/")[:-1] if part.startswith(".")]
    return any(map(is_secret, (path.name, os.path.basename(real), *folders)))


def _open_at_once(path: str, flags: int) -> int:
    """Open without waiting for whoever writes to a pipe: a program's call would never end."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def describe_path(name: str, settings: ContextSettings) -> WeightedText:
    """Return the words of a path without the suffix."""
    stem = name[: len(name) - len(suffix_of(name))]
    return WeightedText("path", stem.replace("/", " "), settings.path_weight)


def describe_document(document: Document, settings: ContextSettings) -> list[WeightedText]:
    """Return the parts of a parsed file."""
    titles = [document.title, *document.tags, *(heading.title for heading in document.headings)]
    parts = [WeightedText("headings", "\n".join(titles), settings.heading_weight)]
    text = _readable(document)
    if document.format not in _MIXED_FORMATS or suffix_of(document.path) in _PROSE:
        names = "\n".join(_CODE_SPAN.findall(text))
        parts.append(WeightedText("symbols", names, settings.symbol_weight))
        parts.append(WeightedText("body", text, settings.body_weight))
        return parts
    return [*parts, *_describe_code(text, settings)]


def _readable(document: Document) -> str:
    """Return the text of a document without its front matter; of markup, what is read of it."""
    start = document.front_matter.end if document.front_matter else 0
    return document.read(start, len(document.data))


def _describe_code(text: str, settings: ContextSettings) -> Iterator[WeightedText]:
    comments, code = _split_comments(text)
    yield WeightedText("comments", comments, settings.comment_weight)
    yield WeightedText("imports", "\n".join(_IMPORT.findall(code)), settings.import_weight)
    code = _IMPORT.sub(" ", code)
    yield WeightedText("symbols", "\n".join(_NAME.findall(code)), settings.symbol_weight)
    yield WeightedText("body", _NAME.sub(" ", code), settings.body_weight)


def _split_comments(text: str) -> tuple[str, str]:
    """Return comments and doc strings, and all else; linear in the text."""
    comments: list[str] = []
    code: list[str] = []
    unclosed: set[str] = set()
    at = 0
    while match := _OPENERS.search(text, at):
        code.append(text[at : match.start()])
        opener = match[0]
        closer = _CLOSERS.get(opener, "\n")
        end = -1 if closer in unclosed else text.find(closer, match.end())
        if end < 0 and closer != "\n":
            unclosed.add(closer)
            code.append(opener)
            at = match.end()
            continue
        end = len(text) if end < 0 else end
        comments.append(text[match.end() : end])
        at = end + len(closer)
    code.append(text[at:])
    return "\n".join(comments), "\n".join(code)
