"""A text cut into parts, each with its place in characters of the text.

Chunks have offsets in bytes; frameworks count characters. A part is a slice of the text, so
that its offsets can be checked: one contiguous range of one chunk, with the heading lines
directly before it that have no text of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, get_args

from leafmark.chunking import Sizes, Strategy
from leafmark.errors import UsageError
from leafmark.library import Index, chunk
from leafmark.model import (
    Answer,
    Chunk,
    Entry,
    Grain,
    Omission,
    Passage,
    Related,
    Relation,
    Result,
    whole_range,
)
from leafmark.parsing import Utf8

Content = Literal["source", "text"]


class Part(NamedTuple):
    """A slice `[start, end)` of a text, in characters; `content` is the text for a framework.

    `parent` is the number of the part that begins the nearest section around it, if any.
    """

    chunk: Chunk
    content: str
    start: int
    end: int
    parent: int | None
    metadata: Mapping[str, Any]


class _Range(NamedTuple):
    """Bytes of a document that belong to one chunk; `has_text` if there is more than a heading."""

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
        """Return the parts of a text with the path `path`, in order of their starts."""
        data = Utf8(text.encode("utf-8", "replace"))  # half a character stays one character
        ranges = list(_join_headings(_ranges(self._chunks(data, path))))
        if self.content == "text":
            ranges = _merge_by_chunk(ranges)
        places = _characters(data, text, (at for span in ranges for at in (span.start, span.end)))
        parts: list[Part] = []
        first: dict[int, int] = {}
        for span in ranges:
            start, end = _trim(text, places[span.start], places[span.end])
            if start == end:
                continue
            metadata = _metadata(
                span.chunk,
                span.start + _size(text, places[span.start], start),
                span.end - _size(text, end, places[span.end]),
            )
            content = text[start:end] if self.content == "source" else span.chunk.text
            parts.append(
                Part(span.chunk, content, start, end, _parent(span.chunk, first), metadata)
            )
            first.setdefault(span.chunk.position, len(parts) - 1)
        return parts

    def _chunks(self, data: bytes, path: str) -> list[Chunk]:
        return chunk(data, path=path, tree=self.tree, strategy=self.strategy, **self.sizes)


def _ranges(chunks: Iterable[Chunk]) -> list[_Range]:
    """Return the ranges of the chunks in order; adjacent ranges of one chunk are joined."""
    ranges: list[_Range] = []
    for item in chunks:
        data, front = item.owner.document.data, item.owner.document.front_matter
        least = 0 if front is None else front.end
        spans = [(max(start, least), end) for start, end in item.body_spans if end > least]
        bodies = [_Range(start, end, item, bool(data[start:end].strip())) for start, end in spans]
        if item.heading_start is not None and item.heading_end is not None:
            bodies.insert(0, _Range(item.heading_start, item.heading_end, item, False))
        for body in bodies:
            last = ranges[-1] if ranges else None
            if last is not None and last.chunk is item and last.end == body.start:
                has_text = last.has_text or body.has_text
                ranges[-1] = last._replace(end=body.end, has_text=has_text)
            else:
                ranges.append(body)
    return sorted(ranges, key=lambda span: (span.start, span.end))


def _join_headings(ranges: Iterable[_Range]) -> Iterator[_Range]:
    """Yield the ranges; a heading without text is joined to the range directly after it."""
    waiting: _Range | None = None
    for span in ranges:
        if waiting is not None:
            if waiting.end == span.start:
                span = span._replace(start=waiting.start)
            else:
                yield waiting
        waiting = None if span.has_text else span
        if span.has_text:
            yield span
    if waiting is not None:
        yield waiting


def _merge_by_chunk(ranges: Iterable[_Range]) -> list[_Range]:
    """Return one range for each chunk, from its first range to its last."""
    merged: dict[int, _Range] = {}
    for span in ranges:
        known = merged.get(span.chunk.position)
        merged[span.chunk.position] = span if known is None else known._replace(end=span.end)
    return list(merged.values())


def _characters(data: bytes, text: str, offsets: Iterable[int]) -> dict[int, int]:
    """Return the character offset of each byte offset; linear in the text."""
    if len(data) == len(text):
        return {at: at for at in offsets}
    characters, seen, count = {}, 0, 0
    for at in sorted(set(offsets)):
        count += len(data[seen:at].decode("utf-8"))
        seen = at
        characters[at] = count
    return characters


def _size(text: str, start: int, end: int) -> int:
    return len(text[start:end].encode("utf-8", "replace"))


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range without the blank lines at its start and the white space at its end."""
    part = text[start:end]
    stripped = part.rstrip()
    blank = part[: len(part) - len(part.lstrip())]
    first = max(blank.rfind("\n"), blank.rfind("\r")) + 1 if stripped else 0
    return start + first, start + max(first, len(stripped))


def _parent(chunk: Chunk, first: Mapping[int, int]) -> int | None:
    above = chunk.parent
    while above is not None and above.position not in first:
        above = above.parent
    return None if above is None else first[above.position]


def _metadata(chunk: Chunk, start: int, end: int) -> dict[str, Any]:
    """Return the metadata for a framework; bytes and lines are those of the slice."""
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


# Results of a search for frameworks: texts with offsets in characters, and metadata.


_LINE_END = re.compile(rb"\r\n?|\n")


@dataclass(frozen=True)
class Search:
    """The arguments of a retriever for `Index.search` and `Index.fit`."""

    limit: int | None = None
    section: str | None = None
    trees: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: str | None = None
    grain: Grain | None = None
    expand: tuple[Relation, ...] = ()
    strict: bool = False
    plain: bool = True
    max_tokens: int | None = None


class RetrievedText(NamedTuple):
    """A text; `start` and `end` are characters of its source, `score` is None for context.

    `id` is that of the chunk; further parts of the same chunk have their citations as ids.
    """

    id: str
    entry: Entry
    text: str
    start: int
    end: int
    score: float | None
    metadata: dict[str, Any]


def find(index: Index, query: str, search: Search) -> list[RetrievedText]:
    """Return the texts that answer a query, best first, each followed by its `expand` texts.

    A result whose source changed while it was read is left out: it has no text. With
    `max_tokens` each passage of a result is a text of its own.
    """
    values = {field.name: getattr(search, field.name) for field in fields(search)}
    max_tokens = values.pop("max_tokens")
    answer = index.search(query, **values)
    if max_tokens is not None:
        answer = index.fit(answer, max_tokens=max_tokens)
    return list(_retrieved_texts(index, answer))


def _retrieved_texts(index: Index, answer: Answer) -> Iterator[RetrievedText]:
    sources: dict[str, bytes | None] = {}
    for result in answer.results:
        doc_id = result.document.doc_id
        if doc_id not in sources:
            sources[doc_id] = index.source(result.document)
        data = sources[doc_id]
        if data is not None and result.full_text is not None:
            texts = _ResultTexts(answer, result, data)
            yield from texts.whole() if result.passages is None else texts.parts()


class _ResultTexts(NamedTuple):
    """The texts of one result, from its answer and the bytes of its source."""

    answer: Answer
    result: Result
    data: bytes

    def whole(self) -> Iterator[RetrievedText]:
        """Yield the result with its heading and all below it, then the texts added to it."""
        result, entry = self.result, self.result.entry
        whole = Passage(*whole_range(entry), result.full_text or "", result.citation)
        yield self._of_result(entry.id, whole)
        for related in result.expanded:
            yield self._of_related(related.entry.id, _join_passages(related), related)

    def parts(self) -> Iterator[RetrievedText]:
        """Yield each shown passage of the result, then those of the chunks added to it."""
        for name, part in _name_passages(self.result.entry, self.result.passages or ()):
            yield self._with_lines(self._of_result(name, part), part)
        for related in self.result.expanded:
            for name, part in _name_passages(related.entry, related.passages):
                yield self._with_lines(self._of_related(name, part, related), part)

    def _of_result(self, name: str, part: Passage) -> RetrievedText:
        result = self.result
        metadata = {"score": result.score, "rank": result.rank, "relaxed": result.relaxed}
        return self._retrieved_text(name, result.entry, part, result.score, metadata)

    def _of_related(self, name: str, part: Passage, related: Related) -> RetrievedText:
        metadata = {"relation": related.relation, "relation_of": self.result.id}
        return self._retrieved_text(name, related.entry, part, None, metadata)

    def _retrieved_text(
        self, name: str, entry: Entry, part: Passage, score: float | None, more: dict[str, Any]
    ) -> RetrievedText:
        metadata = _metadata_of(self.result, entry, self.answer, part.start, part.end)
        metadata |= {"citation": part.citation, **more}
        places = _character_offset(self.data, part.start), _character_offset(self.data, part.end)
        return RetrievedText(name, entry, part.text, *places, score, metadata)

    def _with_lines(self, retrieved: RetrievedText, part: Passage) -> RetrievedText:
        """Return the text with the lines of the passage in place of those of the chunk."""
        first, last = (
            len(_LINE_END.findall(self.data[:at])) + 1
            for at in (part.start, max(part.start, part.end - 1))
        )
        return retrieved._replace(
            metadata=retrieved.metadata | {"line_start": first, "line_end": last}
        )


def _name_passages(
    entry: Entry, passages: Iterable[Passage | Omission]
) -> Iterator[tuple[str, Passage]]:
    """Yield the shown passages with their ids: the first has the chunk's, others a citation."""
    for number, part in enumerate(_shown_passages(passages)):
        yield part.citation if number and part.citation else entry.id, part


def _join_passages(related: Related) -> Passage:
    """Return the whole text of an added chunk as one passage."""
    passages = _shown_passages(related.passages)
    start = passages[0].start if passages else related.entry.byte_start
    return Passage(
        start,
        passages[-1].end if passages else start,
        "".join(passage.text for passage in passages),
        next((passage.citation for passage in passages if passage.citation), None),
    )


def _shown_passages(passages: Iterable[Passage | Omission]) -> list[Passage]:
    return [passage for passage in passages if isinstance(passage, Passage)]


def _character_offset(data: bytes, offset: int) -> int:
    return len(data[:offset].decode("utf-8", "replace"))


def _metadata_of(
    result: Result, entry: Entry, answer: Answer, start: int, end: int
) -> dict[str, Any]:
    return {
        "chunk_id": entry.id,
        "ordinal_id": entry.ordinal_id,
        "parent_id": entry.parent_id,
        "doc_id": entry.doc_id,
        "source": f"{answer.roots[entry.tree]}/{entry.path}",
        "title": entry.title,
        "breadcrumb": entry.breadcrumb,
        "section_path": list(entry.section_path),
        "document_tags": list(result.document.tags),
        "kind": entry.kind,
        "depth": entry.depth,
        "byte_start": start,
        "byte_end": end,
        "line_start": entry.line_start,
        "line_end": entry.line_end,
    }
