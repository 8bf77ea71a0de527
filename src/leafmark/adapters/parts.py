"""A text cut into parts, each with where it stands, in characters of the text.

Chunks know bytes; frameworks count characters. A part is a slice of the text, so
that its offsets can be checked: it is one contiguous range of one chunk, with the
heading lines that stand before it and have no text of their own.
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


# What a search found, as frameworks take it: texts with offsets in characters, and metadata.


_LINE_END = re.compile(rb"\r\n?|\n")


@dataclass(frozen=True)
class Search:
    """What a retriever asks for each time, as `Index.search` and `Index.fit` take it."""

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

    `id` is that of the chunk; of a further part of the same chunk, it is its citation.
    """

    id: str
    entry: Entry
    text: str
    start: int
    end: int
    score: float | None
    metadata: dict[str, Any]


def find(index: Index, query: str, search: Search) -> list[RetrievedText]:
    """Return what answers a query, best first, each followed by what `expand` adds to it.

    A result whose source changed while it was read is left out: it has no text. Under
    `max_tokens` each part of a result that is shown by itself is a text by itself.
    """
    asked = {each.name: getattr(search, each.name) for each in fields(search)}
    max_tokens = asked.pop("max_tokens")
    answer = index.search(query, **asked)
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
            place = _Place(answer, result, data)
            yield from place.whole() if result.passages is None else place.parts()


class _Place(NamedTuple):
    """Where a result stands: what its texts have in common."""

    answer: Answer
    result: Result
    data: bytes

    def whole(self) -> Iterator[RetrievedText]:
        """The result with its heading and all below it, then what was added to it."""
        result, entry = self.result, self.result.entry
        whole = Passage(*whole_range(entry), result.full_text or "", result.citation)
        yield self._of_result(entry.id, whole)
        for related in result.expanded:
            yield self._of_related(related.entry.id, _joined_texts(related), related)

    def parts(self) -> Iterator[RetrievedText]:
        """What is shown of the result, then of what was added to it, each part by itself."""
        for name, part in _named(self.result.entry, self.result.passages or ()):
            yield self._with_lines(self._of_result(name, part), part)
        for related in self.result.expanded:
            for name, part in _named(related.entry, related.passages):
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
        places = _place(self.data, part.start), _place(self.data, part.end)
        return RetrievedText(name, entry, part.text, *places, score, metadata)

    def _with_lines(self, found: RetrievedText, part: Passage) -> RetrievedText:
        """The same text with the lines of the part, in place of those of the whole chunk."""
        first, last = (
            len(_LINE_END.findall(self.data[:at])) + 1
            for at in (part.start, max(part.start, part.end - 1))
        )
        return found._replace(metadata=found.metadata | {"line_start": first, "line_end": last})


def _named(entry: Entry, passages: Iterable[Passage | Omission]) -> Iterator[tuple[str, Passage]]:
    """The parts that are shown, each with an id of its own: the first one has the chunk's."""
    for number, part in enumerate(_shown(passages)):
        yield part.citation if number and part.citation else entry.id, part


def _joined_texts(related: Related) -> Passage:
    """The whole text of what was added, as one part."""
    found = _shown(related.passages)
    start = found[0].start if found else related.entry.byte_start
    return Passage(
        start,
        found[-1].end if found else start,
        "".join(each.text for each in found),
        next((each.citation for each in found if each.citation), None),
    )


def _shown(passages: Iterable[Passage | Omission]) -> list[Passage]:
    return [each for each in passages if isinstance(each, Passage)]


def _place(data: bytes, offset: int) -> int:
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
