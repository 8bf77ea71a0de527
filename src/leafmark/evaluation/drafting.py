"""Queries drafted from the documents themselves, with no model.

A heading asks for its section, a definition (`**word**: …` or `word – …`) for its
paragraph, the text of a link for the section that it leads to. People must look
at drafts: a heading's own words find it far more easily than a reader's would.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote

from leafmark.evaluation.judgments import JudgedQuery, Reference
from leafmark.model import Chunk, ChunkedDocument
from leafmark.model.ids import encode_path

__all__ = ["draft_queries"]

LEAST_WORDS = 2
"""Shorter headings and link texts (`Notes`, `here`) ask for nothing in particular."""

MOST_WORDS = 12
"""Longer ones are sentences that nobody types."""

_WORD = re.compile(r"\w+")
_DEFINED = re.compile(
    r"\s*(?:[-*+]\s+)?(?:\*\*([^*\n]{3,60}?):\*\*|\*\*([^*\n]{3,60}?)\*\*\s*(?::|–|—|-|is\b|are\b))"
)
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def draft_queries(documents: Iterable[ChunkedDocument], *, limit: int) -> list[JudgedQuery]:
    """Return at most `limit` drafts from documents chunked by heading.

    They are taken evenly from all documents: the first of each, then the second.
    A query that would have two answers in different places is left out.
    """
    owners = list(documents)
    paths = {(owner.tree, owner.document.path): owner for owner in owners}
    drafts = [list(_of_document(owner, paths)) for owner in owners]
    answers: dict[tuple[str, str], set[Reference]] = {}
    for each in drafts:
        for draft in each:
            answers.setdefault((draft.tree, draft.query.lower()), set()).add(draft.answers[0])
    taken: dict[tuple[str, str], JudgedQuery] = {}
    for round_ in range(max(map(len, drafts), default=0)):
        for each in drafts:
            if round_ < len(each):
                draft = each[round_]
                key = (draft.tree, draft.query.lower())
                if len(answers[key]) == 1:
                    taken.setdefault(key, draft)
    return list(taken.values())[:limit]


def _of_document(
    owner: ChunkedDocument, paths: dict[tuple[str, str], ChunkedDocument]
) -> Iterator[JudgedQuery]:
    for chunk in owner.chunks:
        if chunk.kind == "section" and chunk.byte_end - chunk.byte_start > 0:
            yield from _draft(chunk.title, chunk.id, "heading", owner)
        yield from _definitions(chunk, owner)
    for link in owner.document.links:
        if link.kind in ("link", "wiki"):
            target = _target(owner, link.target, paths)
            if target is not None:
                yield from _draft(_link_text(owner, link.start, link.end), target.id, "link", owner)


def _draft(text: str, answer: str, kind: str, owner: ChunkedDocument) -> Iterator[JudgedQuery]:
    words = " ".join(text.split())
    if LEAST_WORDS <= len(_WORD.findall(words)) <= MOST_WORDS:
        yield JudgedQuery(words, (Reference(id=answer),), kind=kind, tree=owner.tree, draft=True)


def _definitions(chunk: Chunk, owner: ChunkedDocument) -> Iterator[JudgedQuery]:
    data = owner.document.data
    for start, end in chunk.body_spans:
        for block in _blocks_within(owner, start, end):
            found = _DEFINED.match(data[block[0] : block[1]].decode("utf-8", "replace"))
            if found is None:
                continue
            term = found[1] or found[2]
            answer = Reference(path=encode_path(owner.document.path), start=block[0], end=block[1])
            if _WORD.search(term):
                yield JudgedQuery(
                    f"what is {term}", (answer,), kind="definition", tree=owner.tree, draft=True
                )


def _blocks_within(owner: ChunkedDocument, start: int, end: int) -> Sequence[tuple[int, int]]:
    kinds = ("paragraph", "list_item")
    return [
        (block.start, block.end)
        for block in owner.document.blocks
        if block.kind in kinds and start <= block.start and block.end <= end
    ]


def _link_text(owner: ChunkedDocument, start: int, end: int) -> str:
    written = owner.document.data[start:end].decode("utf-8", "replace")
    return re.sub(r"[*_`<>]|\]\(.*|\]\[.*|\[|\]", "", re.sub(r"<[^>]*>", "", written))


def _target(
    owner: ChunkedDocument, address: str, paths: dict[tuple[str, str], ChunkedDocument]
) -> Chunk | None:
    """Return the section or document that a link inside the documents leads to."""
    if _OUTSIDE.match(address):
        return None
    name, _, anchor = unquote(address).partition("#")
    folder = posixpath.dirname(owner.document.path)
    path = posixpath.normpath(posixpath.join(folder, name)) if name else owner.document.path
    to = paths.get((owner.tree, path))
    if to is None or not to.chunks or (to is owner and not anchor):
        return None
    position = to.slugs.get(anchor) if anchor else 0
    return None if position is None else to.chunks[position]
