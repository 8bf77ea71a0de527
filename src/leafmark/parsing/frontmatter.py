"""Front matter: the metadata block that a Markdown source may begin with.

YAML between lines of `---`, TOML between lines of `+++`. It is data, so it is
read with limits: on size, depth, digits, and what aliases of YAML stand for. What
is malformed is data all the same: a diagnostic says why, and each of its keys that can be
read alone counts. A rule and prose up to another rule, or a list, is no front matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from leafmark.model import Diagnostic, Span
from leafmark.parsing.metadata import (
    BadMetadataError,
    Scalar,
    Tree,
    read_toml,
    read_yaml,
    to_json,
)
from leafmark.parsing.titles import fold

__all__ = ["MAX_BYTES", "FrontMatter", "find_front_matter"]

MAX_BYTES = 65_536
"""The largest front matter that is read; the largest among some thousand repositories has 20 kB."""

_SHOWN_NAMES = 3
_OPENING = re.compile(rb"((?:[ \t]*+\r?\n|(?!))*+)(---|\+\+\+)[ \t]*+\r?\n")
_CLOSINGS = {
    b"---": re.compile(rb"\n(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)"),
    b"+++": re.compile(rb"\n\+\+\+[ \t]*\r?(?:\n|\Z)"),
}
"""With the line feed before, since a literal first byte makes the search fast."""

_BLANK_LINE = re.compile(rb"[ \t]*\r?\n")

_SIGNS = {b"---": "(?::(?=\\s|\\Z)| = )", b"+++": "[ \\t]*="}
_KEY = r"[ \t]*(?:[\w.$@/-]+(?: [\w.-]+){0,4}|\"[^\"\n]+\"|'[^'\n]+')"
_KEYS = {sign: re.compile(rf"({_KEY}){behind}") for sign, behind in _SIGNS.items()}
"""What begins a line with a key."""

_DATA = re.compile(r"\s|[-#\[\]{}\"',]|<{7}|={7}|>{7}|\Z")
"""What other lines of data begin with, or those of a conflict between two versions."""

_REMARKS = ("#", "<<<<<<<")
"""What lines begin with that may stand before the first key."""

_LIST = re.compile(r"\[[^\[\]{}]*\]?\s*\Z")
_ITEM = re.compile(r"[ \t]*- +(\S.*)")
_STRUCTURE = ("{", "|", ">", "&", "*", "!", "[", "#")
"""What a value begins with that is no plain word."""

_READERS = {b"---": read_yaml, b"+++": read_toml}


class FrontMatter(NamedTuple):
    """What a source says about itself; `span`, with both fences, is None where it says nothing."""

    span: Span | None = None
    metadata: Mapping[str, Any] = {}
    title: str = ""
    tags: tuple[str, ...] = ()
    version: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


def find_front_matter(raw: bytes, start: int, path: str) -> FrontMatter:
    """Return the front matter of `raw`, whose lines end in LF or CRLF, at byte `start`.

    Blank lines may stand before it where it is well-formed and not empty.
    """
    opening = _OPENING.match(raw, start)
    closing = opening and _CLOSINGS[opening[2]].search(raw, opening.end() - 1)
    if not opening or not closing:
        return FrontMatter()
    first, last = opening.end(), closing.start() + 1
    lines_before = raw.count(b"\n", 0, first)
    span = Span(opening.start(2), closing.end())
    try:
        if last - first > MAX_BYTES:
            raise BadMetadataError(f"it has {last - first} bytes, more than {MAX_BYTES}")
        values, repeated = _READERS[opening[2]](raw[first:last].decode("utf-8", "replace"))
    except BadMetadataError as error:
        line = 1 + lines_before + error.line if error.line is not None else max(1, lines_before)
        return _malformed(
            raw,
            span,
            (first, last),
            opening[2],
            Diagnostic(path, "front-matter", error.reason, line),
        )
    if opening[1] and not values:
        return FrontMatter()
    return _front_matter(span, values, _repeated(repeated, path, lines_before + 1))


def _malformed(
    raw: bytes, span: Span, inside: tuple[int, int], sign: bytes, reason: Diagnostic
) -> FrontMatter:
    """What the good lines of malformed front matter say, if it is any."""
    first, last = inside
    is_strict = _BLANK_LINE.match(raw, first) is not None  # perhaps a rule, and prose up to another
    text = raw[first : min(last, first + MAX_BYTES)].decode("utf-8", "replace")
    lines = text.replace("\r\n", "\n").split("\n")
    if not _is_data(lines, _KEYS[sign], is_strict=is_strict):
        if is_strict:
            return FrontMatter()
        message = f"the front matter is read as text: {reason.message}"
        return FrontMatter(diagnostics=(reason._replace(message=message),))
    values: dict[str, Any] = {}
    for entry in _entries(lines, _KEYS[sign]):
        values |= _read_entry(entry, sign)
    message = f"the front matter is malformed, and read key by key: {reason.message}"
    return _front_matter(span, values, (reason._replace(message=message),))


def _is_data(lines: list[str], key: re.Pattern[str], *, is_strict: bool) -> bool:
    """Whether lines begin with a key, or comments, and half of them look like data, or all."""
    said = [line for line in lines if line.strip()]
    first = next((line for line in said if not line.startswith(_REMARKS)), "")
    if not key.match(first):
        return False
    count = sum(1 for line in said if key.match(line) or _DATA.match(line))
    return count == len(said) > 1 if is_strict else 2 * count > len(said)


def _entries(lines: list[str], key: re.Pattern[str]) -> Iterator[list[str]]:
    """Yield the lines of each key at the margin; those before a table of TOML only."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if key.match(line)), default=0)
    entry: list[str] = []
    for line in lines:
        if line.startswith("[") and key is _KEYS[b"+++"]:
            break
        found = key.match(line)
        if found and len(line) - len(line.lstrip()) <= margin:
            if entry:
                yield entry
            entry = []
        if entry or found:
            entry.append(line[margin:] if not line[:margin].strip() else line)
    if entry:
        yield entry


def _read_entry(entry: list[str], sign: bytes) -> Tree:
    """What a key says, read with all its lines, with its first alone, or as it is written."""
    for lines in (entry, [line.replace("\t", "  ") for line in entry], entry[:1]):
        try:
            values, _ = _READERS[sign]("\n".join(lines))
        except BadMetadataError:
            continue
        if values and (lines is not entry[:1] or len(entry) == 1 or any(_json(values))):
            return values
    found = _KEYS[sign].match(entry[0])
    assert found is not None, "an entry begins with a key"
    value = _written_value(entry[0][found.end() :].strip(), entry[1:])
    return {} if value is None else {found[1].strip().strip("\"'"): value}


def _json(values: Tree) -> Iterator[bool]:
    return (not isinstance(value, Scalar) or value.value is not None for value in values.values())


def _written_value(text: str, below: list[str]) -> Scalar | list[Scalar] | None:
    """A value that no parser takes: the words of a list or of a line."""
    if _LIST.match(text):
        words = [word.strip() for word in text.strip("[] ").split(",")]
        return [_scalar(word) for word in words if word and not word.startswith(_STRUCTURE)]
    if text and not text.startswith(_STRUCTURE):
        return _scalar(text)
    items = [item[1] for line in below if (item := _ITEM.match(line))]
    return [_scalar(item) for item in items] if items and not text else None


def _scalar(text: str) -> Scalar:
    words = text.strip()
    if words[:1] in ("'", '"'):
        words = words[1:].removesuffix(words[0])
    return Scalar(words, words)


def _repeated(
    repeated: list[tuple[str, int]], path: str, first_line: int
) -> tuple[Diagnostic, ...]:
    """One diagnostic for all keys that are in a mapping twice, at the line of the first."""
    if not repeated:
        return ()
    names = list(dict.fromkeys(name for name, _ in repeated))
    shown = ", ".join(repr(name) for name in names[:_SHOWN_NAMES])
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    message = f"the front matter has {shown}{more} twice; the last one counts"
    return (Diagnostic(path, "front-matter", message, repeated[0][1] + first_line),)


def _front_matter(
    span: Span, values: dict[str, Any], diagnostics: tuple[Diagnostic, ...]
) -> FrontMatter:
    return FrontMatter(
        span,
        to_json(values),
        _written(values.get("title")),
        _tags(values["tags"] if "tags" in values else values.get("tag")),
        _written(values.get("version")) or None,
        diagnostics,
    )


def _written(value: Any) -> str:
    """A string, number or date as it would be read out; empty for anything else."""
    if not isinstance(value, Scalar) or value.value is None or isinstance(value.value, bool):
        return ""
    return fold(value.value if isinstance(value.value, str) else value.text)


def _tags(value: Any) -> tuple[str, ...]:
    """Tags from a list, or from a string with commas or else spaces; `#` in front is dropped."""
    if value is None:
        return ()
    if isinstance(value, list):
        names = [_written(item) for item in value]
    else:
        text = _written(value)
        names = text.split(",") if "," in text else text.split()
    cleaned = [name.strip().removeprefix("#").strip() for name in names]
    return tuple(dict.fromkeys(name for name in cleaned if name))
