"""Citations: `id@h:start-end`, which anybody can check against the source.

`h` are the first 12 hex digits of the sha256 of exactly `source[start:end]`. This module
writes citations, and finds them in any text: in prose, Markdown, JSON or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from leafmark.model import encode_path
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern

DIGEST_DIGITS = 12

MAX_NAME = 16_384
"""Characters before an `@` that may be an id: four times the longest path of most systems."""

_ENDING = lazy_pattern(r"@([0-9a-f]{12}):([0-9]{1,15})-([0-9]{1,15})(?![0-9])")
_UNSAFE_SIGNS = r"\s\"'`()\[\]{}<>«»‘’“”„‹›（）［］｛｝「」『』【】〈〉《》"
_UNSAFE = lazy_pattern(rf"[{_UNSAFE_SIGNS}]|@(?=[0-9a-f]{{12}}:[0-9])")
_ESCAPED = lazy_pattern(
    "%[0-7][0-9A-F]|%[CD][0-9A-F]%[89AB][0-9A-F]|%E[0-9A-F](?:%[89AB][0-9A-F]){2}"
)
"""A character as `citation_name` escapes it; all escaped characters are below U+10000."""

_BOUNDARY = lazy_pattern(rf"[{_UNSAFE_SIGNS}]")
_TREE = lazy_pattern(r"(?<![A-Za-z0-9._-])[A-Za-z0-9._-]++(?=:)")
_JSON_ESCAPE = lazy_pattern(r"\\(?:u[0-9a-fA-F]{4}|[bfnrt])")
_MARKDOWN_ESCAPE = lazy_pattern(r"\\([!-/:-@\[-`{-~])")


class Citation(NamedTuple):
    """A citation found in a text.

    `names` are the ids that it may cite, as `citation_name` writes them, likeliest first.
    `offset` is its place in the text, in characters.
    """

    names: tuple[str, ...]
    digest: str
    start: int
    end: int
    offset: int = 0

    @property
    def text(self) -> str:
        return f"{self.names[0]}@{self.digest}:{self.start}-{self.end}"


def format_citation(chunk_id: str, sha256: str, start: int, end: int) -> str:
    """Return the citation of bytes `[start, end)`, whose hex digest is `sha256`.

    White space, quotes and brackets of the id are percent-encoded, so that a
    citation ends where it stands in a text.

    >>> format_citation("docs:a (1).md", "0123456789abcdef", 3, 9)
    'docs:a%20%281%29.md@0123456789ab:3-9'
    """
    return f"{citation_name(chunk_id)}@{sha256[:DIGEST_DIGITS]}:{start}-{end}"


def citation_name(chunk_id: str) -> str:
    """Return an id as citations have it: white space, quotes and brackets percent-encoded.

    An `@` that would look like the end of the id is encoded too. Citations are looked up in
    this form and never decoded: `%09` may be a tab in a slug or three characters of a path.
    """
    return _UNSAFE.sub(_escape, chunk_id)


def cited_ids(citation: str) -> tuple[str, ...]:
    """Return the ids that a citation may cite, likeliest first; none if it is no citation.

    >>> cited_ids("docs:a%20b.md#c@0123456789ab:3-9")
    ('docs:a%20b.md#c', 'docs:a b.md#c')
    >>> cited_ids("docs:a.md")
    ()
    """
    citation_read = read_citation(citation)
    return () if citation_read is None else citation_read.names


def read_citation(citation: str) -> Citation | None:
    """Return the citation that a text consists of; None if it is not a citation."""
    ending = _ENDING.search(citation, max(0, citation.rfind("@")))
    if ending is None or ending.end() != len(citation):
        return None
    name = citation[: ending.start()]
    document, mark, slug = name.partition("#")
    read = f"{_ESCAPED.sub(_unescape, document)}{mark}{_ESCAPED.sub(_unescape_slug, slug)}"
    names = tuple(dict.fromkeys((name, read)))
    return Citation(names, ending[1], int(ending[2]), int(ending[3]))


def _unescape(match: re.Match[str]) -> str:
    """Return the character of an escape, unless ids also contain that escape."""
    sign = _unescape_slug(match)
    return sign if encode_path(sign) == sign else match[0]


def _unescape_slug(match: re.Match[str]) -> str:
    """Return the character of an escape that `citation_name` would write, else the escape."""
    sign = bytes.fromhex(match[0].replace("%", "")).decode()
    return sign if _UNSAFE.fullmatch(sign) or sign == "@" else match[0]


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogatepass"))


def find_citations(text: str, trees: Collection[str] = ()) -> list[Citation]:
    """Return the citations in a text, in order; linear in the text.

    A word may stand directly before an id (`see:docs:a.md@…`). So the id begins at the name
    of one of `trees`, or if there is none, at the first word that could be a tree's name.

    >>> [found.text for found in find_citations("(docs:a.md#b@0123456789ab:3-9).", ["docs"])]
    ['docs:a.md#b@0123456789ab:3-9']
    """
    citations = []
    after = 0
    for ending in _ENDING.finditer(text):
        run = text[max(after, ending.start() - MAX_NAME) : ending.start()]
        written = _BOUNDARY.split(run)[-1]
        after = ending.end()
        if ":" in written:
            offset = ending.start() - len(_from_tree(written, trees))
            digits = ending[1], int(ending[2]), int(ending[3])
            citations.append(Citation(_names(written, trees), *digits, offset))
    return citations


def _names(written: str, trees: Collection[str]) -> tuple[str, ...]:
    """Return the names that the characters before a citation's `@` may mean, likeliest first.

    They are read as written, and unescaped as in JSON, Markdown and HTML: a backslash may
    also be part of a path.
    """
    readings = [written]
    if "\\" in written:
        readings.append(_BOUNDARY.split(_JSON_ESCAPE.sub(_read_json_escape, written))[-1])
        readings.append(_MARKDOWN_ESCAPE.sub(r"\1", written))
    if "&" in written:
        from html import unescape  # late: few ids are copied from a page

        readings.append(_BOUNDARY.split(unescape(written))[-1])
    names = dict.fromkeys(_from_tree(reading, trees) for reading in readings)
    return tuple(sorted(names, key=lambda name: name.partition(":")[0] not in trees))


def _read_json_escape(match: re.Match[str]) -> str:
    sign = match[0][1:]
    return chr(int(sign[1:], 16)) if sign[0] == "u" else " "


def _from_tree(written: str, trees: Collection[str]) -> str:
    """Return the text from where an id begins; all of it if it holds no tree's name."""
    first = None
    for match in _TREE.finditer(written):
        first = match.start() if first is None else first
        for at in range(match.start(), match.end()):
            begins = at == match.start() or not written[at - 1].isalnum()
            if begins and written[at : match.end()] in trees:
                return written[at:]
    return written if first is None else written[first:]
