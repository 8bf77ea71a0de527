"""Front matter: the metadata block that a Markdown source may begin with.

YAML between lines of `---`, TOML between lines of `+++`. It is data, so it is
read with limits: on size, depth, digits, and what aliases of YAML stand for. What
is not well-formed, or no set of keys, is no front matter: a diagnostic says why,
and the lines are read as Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from leafmark.model import Diagnostic, Span
from leafmark.parsing.metadata import BadMetadataError, read_toml, read_yaml, to_json
from leafmark.parsing.scalars import Scalar
from leafmark.parsing.titles import fold

__all__ = ["MAX_BYTES", "FrontMatter", "find_front_matter"]

MAX_BYTES = 65_536
"""The largest front matter that is read; the largest among some thousand repositories has 20 kB."""

_SHOWN_NAMES = 3
_OPENING = re.compile(rb"(---|\+\+\+)[ \t]*\r?\n")
_CLOSINGS = {
    b"---": re.compile(rb"\n(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)"),
    b"+++": re.compile(rb"\n\+\+\+[ \t]*\r?(?:\n|\Z)"),
}
"""With the line feed before, since a literal first byte makes the search fast."""

_BLANK_LINE = re.compile(rb"[ \t]*\r?\n")


class FrontMatter(NamedTuple):
    """What a source says about itself; `span`, with both fences, is None where it says nothing."""

    span: Span | None = None
    metadata: Mapping[str, Any] = {}
    title: str = ""
    tags: tuple[str, ...] = ()
    version: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


def find_front_matter(raw: bytes, start: int, path: str) -> FrontMatter:
    """Return the front matter of `raw`, whose lines end in LF or CRLF, at byte `start`."""
    opening = _OPENING.match(raw, start)
    closing = opening and _CLOSINGS[opening[1]].search(raw, opening.end() - 1)
    if not opening or not closing:
        return FrontMatter()
    first, last = opening.end(), closing.start() + 1
    try:
        if last - first > MAX_BYTES:
            raise BadMetadataError(f"it has {last - first} bytes, more than {MAX_BYTES}")
        text = raw[first:last].decode("utf-8", "replace")
        read = read_yaml if opening[1] == b"---" else read_toml
        values, repeated = read(text)
    except BadMetadataError as error:
        if _BLANK_LINE.match(raw, first):  # a rule, and prose up to another one
            return FrontMatter()
        message = f"the front matter is read as text: {error.reason}"
        line = 2 + error.line if error.line is not None else 1
        return FrontMatter(diagnostics=(Diagnostic(path, "front-matter", message, line),))
    span = Span(start, closing.end())
    return _front_matter(span, values, _repeated(repeated, path))


def _repeated(repeated: list[tuple[str, int]], path: str) -> tuple[Diagnostic, ...]:
    """One diagnostic for all keys that are in a mapping twice, at the line of the first."""
    if not repeated:
        return ()
    names = list(dict.fromkeys(name for name, _ in repeated))
    shown = ", ".join(repr(name) for name in names[:_SHOWN_NAMES])
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    message = f"the front matter has {shown}{more} twice; the last one counts"
    return (Diagnostic(path, "front-matter", message, repeated[0][1] + 2),)


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
