"""Queries drafted from the documents themselves, without a model.

A heading becomes a query for its section, a definition (`**word**: …` or `word – …`) for its
paragraph, the text of a link for its target. People must check the drafts: a heading's own words
find it far more easily than a reader's words.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import itemgetter
from urllib.parse import unquote

from leafmark.evaluation.judgments import JudgedQuery, Reference
from leafmark.model import Chunk, ChunkedDocument, encode_path, whole_range

KINDS = ("heading", "definition", "link")
"""The sources of drafts."""

MIN_WORDS = 2
"""Minimum words of a query: shorter headings and link texts (`Notes`, `v3.3.4`) are too vague."""

MAX_WORDS = 12
"""Maximum words of a query: longer headings and link texts are sentences that nobody types."""

MAX_WORDS_DEFINED = 4
"""Maximum words of a term: a longer text before a colon is the beginning of a paragraph."""

MIN_WORDS_DEFINING = 3
"""Minimum words of a definition (`**Type**: integer` defines nothing)."""

MAX_BYTES = 8000
"""Largest answer, about 2,000 tokens: a reader would have to read half of a longer one."""

_LETTERS = re.compile(r"[^\W\d_]{2}")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts without spaces between words; two of them count as a word."""

_NUMBERING = re.compile(r"\A\s*\d+(?:\.\d+)*[.):]?\s+(?:[-–—]\s+)?")
_DEFINED = re.compile(
    r"\s*(?:[-*+]\s+)?(?:\*\*([^*\n]{3,60}?):\*\*|\*\*([^*\n]{3,60}?)\*\*\s*(?::|–|—|-|is\b|are\b))"
)
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_EMPHASIS = re.compile(r"(?<!\w)[*_]+|[*_]+(?!\w)|[`<>]")
_RST_TEXT = re.compile(r"[^`]*`([^`<]+)<[^`]*`", re.DOTALL)
_NAME_PART = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")


def draft_queries(
    documents: Iterable[ChunkedDocument],
    *,
    limit: int,
    kinds: Collection[str] = KINDS,
    ask: Callable[[str], str] = str,
) -> list[JudgedQuery]:
    """Return at most `limit` drafts of some `KINDS` from documents chunked by heading, in order.

    They are drawn at random, but always the same ones: one from each document, then a second, and
    so on. A query with answers in two places is left out, whatever their kinds. `ask` returns the
    query for a text; a text without one is left out.
    """
    owners = list(documents)
    paths = {(owner.tree, owner.document.path): owner for owner in owners}
    candidates = (draft for owner in owners for draft in _of_document(owner, paths))
    queries = (draft._replace(query=ask(draft.query)) for draft in candidates)
    drafts = [draft for draft in queries if draft.query]
    answers: dict[tuple[str, str], set[Reference]] = {}
    for draft in drafts:
        answers.setdefault(_key(draft), set()).add(draft.answers[0])
    order: dict[tuple[str, str], JudgedQuery] = {}
    for draft in drafts:
        if draft.kind in kinds and len(answers[_key(draft)]) == 1:
            order.setdefault(_key(draft), draft)
    chosen = _draw(list(order.values()), limit)
    return [draft for key, draft in order.items() if key in chosen]


def _key(draft: JudgedQuery) -> tuple[str, str]:
    return draft.tree, draft.query.lower()


def _draw(drafts: Sequence[JudgedQuery], limit: int) -> set[tuple[str, str]]:
    """Return the keys of the chosen drafts: one of each document, then a second one, by lot."""
    rounds: Counter[str] = Counter()
    drawn = []
    for draft in sorted(drafts, key=_lot):
        document = _document(draft)
        rounds[document] += 1
        drawn.append((rounds[document], _lot(draft), _key(draft)))
    return {key for _, _, key in sorted(drawn)[:limit]}


def _document(draft: JudgedQuery) -> str:
    """Return the id of the document with the answer, however the answer names it."""
    answer = draft.answers[0]
    return f"{draft.tree}:{answer.path}" if answer.path else answer.id.partition("#")[0]


def _lot(draft: JudgedQuery) -> bytes:
    return hashlib.sha256(draft.query.encode("utf-8", "surrogatepass")).digest()


def _of_document(
    owner: ChunkedDocument, paths: dict[tuple[str, str], ChunkedDocument]
) -> Iterator[JudgedQuery]:
    blocks = _defining_blocks(owner)
    for chunk in owner.chunks:
        if chunk.kind == "section" and chunk.byte_end - chunk.byte_start > 0:
            yield from _draft(_title(chunk), chunk, "heading", owner)
        yield from _definitions(chunk, owner, blocks)
    for link in owner.document.links:
        if link.kind in ("link", "wiki"):
            target = _target(owner, link.target, paths)
            if target is not None:
                text = _as_typed(_link_text(owner, link.start, link.end))
                yield from _draft(text, target, "link", owner)


def _title(chunk: Chunk) -> str:
    """Return a heading without its number, or the name of a definition in code; may be empty."""
    if chunk.heading_start is None:
        name = chunk.slug or ""
        return name if len(_NAME_PART.findall(name)) >= MIN_WORDS else ""
    return _as_typed(_NUMBERING.sub("", chunk.title))


def _as_typed(text: str) -> str:
    """Return a text as a user would type it; empty if it is too short or too long."""
    words = " ".join(text.split())
    return words if MIN_WORDS <= _word_count(words) <= MAX_WORDS else ""


def _draft(text: str, answer: Chunk, kind: str, owner: ChunkedDocument) -> Iterator[JudgedQuery]:
    start, end = whole_range(answer)
    if text and end - start <= MAX_BYTES:
        yield JudgedQuery(text, (Reference(id=answer.id),), kind=kind, tree=owner.tree, draft=True)


def _word_count(text: str) -> int:
    """Return the number of words with letters; in a script without spaces, two letters are one."""
    words = [word for word in text.split() if _LETTERS.search(word)]
    return sum(max(1, len(_UNSPACED.findall(word)) // 2) for word in words)


def _definitions(
    chunk: Chunk, owner: ChunkedDocument, blocks: Sequence[tuple[int, int]]
) -> Iterator[JudgedQuery]:
    data = owner.document.data
    for start, end in chunk.body_spans:
        for block in _within(blocks, start, end):
            text = data[block[0] : block[1]].decode("utf-8", "replace")
            match = _DEFINED.match(text)
            if match is None:
                continue
            term = match[1] or match[2]
            if not _defines(term, text[match.end() :]):
                continue
            answer = Reference(path=encode_path(owner.document.path), start=block[0], end=block[1])
            yield JudgedQuery(
                f"what is {term}", (answer,), kind="definition", tree=owner.tree, draft=True
            )


def _defines(term: str, text: str) -> bool:
    return 1 <= _word_count(term) <= MAX_WORDS_DEFINED and _word_count(text) >= MIN_WORDS_DEFINING


def _defining_blocks(owner: ChunkedDocument) -> list[tuple[int, int]]:
    """Return the spans of the blocks that may define a term, by start; outer before inner ones."""
    blocks = owner.document.blocks
    kinds = ("paragraph", "list_item")
    spans = [(block.start, block.end) for block in blocks if block.kind in kinds]
    return sorted(spans, key=itemgetter(0))


def _within(blocks: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the blocks inside `[start, end)`."""
    first, last = bisect_left(blocks, (start,)), bisect_left(blocks, (end,))
    return (block for block in blocks[first:last] if block[1] <= end)


def _link_text(owner: ChunkedDocument, start: int, end: int) -> str:
    """Return the text of a link; empty if it has none of its own."""
    document = owner.document
    source = document.read(start, end)
    if document.is_rendered:
        return source
    if document.format == "rst":
        match = _RST_TEXT.match(source)
        return match[1] if match else ""
    return _EMPHASIS.sub("", re.sub(r"<[^>]*>|\]\(.*|\]\[.*|\[|\]", "", source))


def _target(
    owner: ChunkedDocument, address: str, paths: dict[tuple[str, str], ChunkedDocument]
) -> Chunk | None:
    """Return the section or document that is the target of a link inside the documents."""
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
