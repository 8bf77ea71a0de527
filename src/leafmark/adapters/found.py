"""What a search found, as frameworks take it: texts with offsets in characters, and metadata."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from leafmark.app.requests import Grain
from leafmark.library import Index
from leafmark.model import Answer, Entry, Passage, Related, Relation, Result

__all__ = ["Found", "Search", "find"]


@dataclass(frozen=True)
class Search:
    """What a retriever asks for each time, as `Index.search` takes it."""

    limit: int | None = None
    section: str | None = None
    trees: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: str | None = None
    grain: Grain = "auto"
    expand: tuple[Relation, ...] = ()
    strict: bool = False
    plain: bool = True


class Found(NamedTuple):
    """A text; `start` and `end` are characters of its source, `score` is None for context."""

    entry: Entry
    text: str
    start: int
    end: int
    score: float | None
    metadata: dict[str, Any]


def find(index: Index, query: str, search: Search) -> list[Found]:
    """Return what answers a query, best first, each followed by what `expand` adds to it.

    A result whose source changed while it was read is left out: it has no text.
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
    return list(_found(index, answer))


def _found(index: Index, answer: Answer) -> Iterator[Found]:
    sources: dict[str, bytes | None] = {}
    for result in answer.results:
        doc_id = result.document.doc_id
        if doc_id not in sources:
            sources[doc_id] = index.source(result.document)
        data = sources[doc_id]
        if data is not None and result.full_text is not None:
            yield _of_result(result, answer, data)
            for related in result.expanded:
                yield _of_related(related, result, answer, data)


def _of_result(result: Result, answer: Answer, data: bytes) -> Found:
    entry = result.entry
    start = entry.byte_start if entry.heading_start is None else entry.heading_start
    metadata = _metadata(result, entry, answer, start, entry.byte_end) | {
        "citation": result.citation,
        "score": result.score,
        "rank": result.rank,
        "relaxed": result.relaxed,
    }
    places = _place(data, start), _place(data, entry.byte_end)
    return Found(entry, result.full_text or "", *places, result.score, metadata)


def _of_related(related: Related, result: Result, answer: Answer, data: bytes) -> Found:
    passages = [each for each in related.passages if isinstance(each, Passage)]
    entry = related.entry
    start = passages[0].start if passages else entry.byte_start
    end = passages[-1].end if passages else start
    metadata = _metadata(result, entry, answer, start, end) | {
        "citation": next((each.citation for each in passages if each.citation), None),
        "relation": related.relation,
        "relation_of": result.id,
    }
    text = "".join(each.text for each in passages)
    return Found(entry, text, _place(data, start), _place(data, end), None, metadata)


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
