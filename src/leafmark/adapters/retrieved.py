"""What a search found, as frameworks take it: texts with offsets in characters, and metadata."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from leafmark.library import Index
from leafmark.model import (
    Answer,
    Entry,
    Grain,
    Omission,
    Passage,
    Related,
    Relation,
    Result,
    whole_range,
)

__all__ = ["RetrievedText", "Search", "find"]

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
    answer = index.search(
        query,
        limit=search.limit,
        section=search.section,
        trees=search.trees,
        tags=search.tags,
        since=search.since,
        grain=search.grain,
        expand=search.expand,
        strict=search.strict,
        plain=search.plain,
    )
    if search.max_tokens is not None:
        answer = index.fit(answer, max_tokens=search.max_tokens)
    return list(_found(index, answer))


def _found(index: Index, answer: Answer) -> Iterator[RetrievedText]:
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
            yield self._of_related(related.entry.id, _joined(related), related)

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
        return self._found(name, result.entry, part, result.score, metadata)

    def _of_related(self, name: str, part: Passage, related: Related) -> RetrievedText:
        metadata = {"relation": related.relation, "relation_of": self.result.id}
        return self._found(name, related.entry, part, None, metadata)

    def _found(
        self, name: str, entry: Entry, part: Passage, score: float | None, more: dict[str, Any]
    ) -> RetrievedText:
        metadata = _metadata(self.result, entry, self.answer, part.start, part.end)
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


def _joined(related: Related) -> Passage:
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


def _metadata(result: Result, entry: Entry, answer: Answer, start: int, end: int) -> dict[str, Any]:
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
