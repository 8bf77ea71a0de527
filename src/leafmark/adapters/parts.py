"""A text cut into parts, each with where it stands, in characters of the text.

Chunks know bytes; frameworks count characters. A part is a slice of the text, so
that its offsets can be checked: it is one contiguous range of one chunk, with the
heading lines that stand before it and have no text of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from leafmark.chunking import Sizes, Strategy
from leafmark.errors import UsageError
from leafmark.library import chunk
from leafmark.model import Chunk
from leafmark.parsing import Utf8

__all__ = ["Content", "Cutter", "Part"]

Content = Literal["source", "text"]


class Part(NamedTuple):
    """A slice `[start, end)` of a text, in characters; `content` is what a framework indexes.

    `parent` is the number of the part that begins the nearest section around it, if any.
    """

    chunk: Chunk
    content: str
    start: int
    end: int
    parent: int | None
    metadata: Mapping[str, Any]


class _Range(NamedTuple):
    """Bytes of a document that belong to one chunk, and whether they are more than a heading."""

    start: int
    end: int
    chunk: Chunk
    has_text: bool


@dataclass(frozen=True)
class Cutter:
    """Cuts texts into parts under one strategy.

    With the content `source` a part's content is its slice; with `text` it is the text
    for models: breadcrumb, overlap, and readable text where the source is markup.

    Raises:
        ConfigError, UsageError: a size, the strategy, the tree or the content is wrong.
    """

    strategy: Strategy
    tree: str
    content: Content
    sizes: Sizes

    def __post_init__(self) -> None:
        if self.content not in get_args(Content):
            accepted = ", ".join(get_args(Content))
            raise UsageError(f"content is {self.content!r}", hint=f"one of {accepted}")
        self._chunks(b"", "document.md")

    def cut(self, text: str, path: str) -> list[Part]:
        """Return the parts of a text that is called `path`, in order of where they begin."""
        data = Utf8(text.encode("utf-8", "replace"))  # half a character stays one character
        ranges = list(_joined(_ranges(self._chunks(data, path))))
        if self.content == "text":
            ranges = _whole(ranges)
        places = _characters(data, text, (at for one in ranges for at in (one.start, one.end)))
        parts: list[Part] = []
        first: dict[int, int] = {}
        for one in ranges:
            start, end = _trimmed(text, places[one.start], places[one.end])
            if start == end:
                continue
            metadata = _metadata(
                one.chunk,
                one.start + _size(text, places[one.start], start),
                one.end - _size(text, end, places[one.end]),
            )
            content = text[start:end] if self.content == "source" else one.chunk.text
            parts.append(Part(one.chunk, content, start, end, _parent(one.chunk, first), metadata))
            first.setdefault(one.chunk.position, len(parts) - 1)
        return parts

    def _chunks(self, data: bytes, path: str) -> list[Chunk]:
        return chunk(data, path=path, tree=self.tree, strategy=self.strategy, **self.sizes)


def _ranges(chunks: Iterable[Chunk]) -> list[_Range]:
    """Return what the chunks hold, by where it begins; neighbours of one chunk are one range."""
    found: list[_Range] = []
    for one in chunks:
        data, front = one.owner.document.data, one.owner.document.front_matter
        least = 0 if front is None else front.end
        spans = [(max(start, least), end) for start, end in one.body_spans if end > least]
        bodies = [_Range(start, end, one, bool(data[start:end].strip())) for start, end in spans]
        if one.heading_start is not None and one.heading_end is not None:
            bodies.insert(0, _Range(one.heading_start, one.heading_end, one, False))
        for body in bodies:
            last = found[-1] if found else None
            if last is not None and last.chunk is one and last.end == body.start:
                has_text = last.has_text or body.has_text
                found[-1] = last._replace(end=body.end, has_text=has_text)
            else:
                found.append(body)
    return sorted(found, key=lambda each: (each.start, each.end))


def _joined(ranges: Iterable[_Range]) -> Iterator[_Range]:
    """Yield the ranges, headings without text as part of what follows directly."""
    waiting: _Range | None = None
    for one in ranges:
        if waiting is not None:
            if waiting.end == one.start:
                one = one._replace(start=waiting.start)
            else:
                yield waiting
        waiting = None if one.has_text else one
        if one.has_text:
            yield one
    if waiting is not None:
        yield waiting


def _whole(ranges: Iterable[_Range]) -> list[_Range]:
    """Make one range of all those of a chunk, from the first to the last."""
    found: dict[int, _Range] = {}
    for one in ranges:
        known = found.get(one.chunk.position)
        found[one.chunk.position] = one if known is None else known._replace(end=one.end)
    return list(found.values())


def _characters(data: bytes, text: str, offsets: Iterable[int]) -> dict[int, int]:
    """Return the place in the text of each byte offset; linear in the text."""
    if len(data) == len(text):
        return {at: at for at in offsets}
    found, seen, count = {}, 0, 0
    for at in sorted(set(offsets)):
        count += len(data[seen:at].decode("utf-8"))
        seen = at
        found[at] = count
    return found


def _size(text: str, start: int, end: int) -> int:
    return len(text[start:end].encode("utf-8", "replace"))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out blank lines before, and white space behind."""
    part = text[start:end]
    kept = part.rstrip()
    blank = part[: len(part) - len(part.lstrip())]
    first = max(blank.rfind("\n"), blank.rfind("\r")) + 1 if kept else 0
    return start + first, start + max(first, len(kept))


def _parent(chunk: Chunk, first: Mapping[int, int]) -> int | None:
    above = chunk.parent
    while above is not None and above.position not in first:
        above = above.parent
    return None if above is None else first[above.position]


def _metadata(chunk: Chunk, start: int, end: int) -> dict[str, Any]:
    """What a framework keeps beside the content; bytes and lines are those of the slice."""
    line_of = chunk.owner.line_of
    return {
        "chunk_id": chunk.id,
        "parent_id": chunk.parent_id,
        "breadcrumb": chunk.breadcrumb,
        "section_path": list(chunk.section_path),
        "kind": chunk.kind,
        "depth": chunk.depth,
        "byte_start": start,
        "byte_end": end,
        "line_start": line_of(start),
        "line_end": line_of(max(start, end - 1)),
    }
