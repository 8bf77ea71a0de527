"""The chunks of a document as a tree for people: ids, titles, sizes, and what is wrong.

```
docs:guide.md › Guide (v2) [setup]: 3 chunks, 412 tokens
  .0 Guide                                                  12 prose undersize
  .1   Setup #setup                                          0
  .2     ~1 First install the package. Then…               400 mixed
```
"""

from __future__ import annotations

from collections.abc import Iterator

from leafmark.chunking import ChunkingOptions
from leafmark.model import Chunk, ChunkedDocument, count_of
from leafmark.render.names import size_flags, unit_of, version_and_tags
from leafmark.render.terminal import Style, clean_line, display_width, fold, shorten

__all__ = ["iter_chunk_tree"]

_WIDTH, _LEAST_WIDTH = 80, 40
_FLAGS = 16
"""Columns kept for the kind of content and the flags."""
_DEEPEST = 8
"""Levels that are still set in further."""
_GLIMPSE = 200
"""Characters of a piece looked at for its first words."""


def iter_chunk_tree(
    document: ChunkedDocument, options: ChunkingOptions, *, style: Style
) -> Iterator[str]:
    """Yield an empty line, the document's, and one for each of its chunks."""
    sizes = [chunk.body_tokens for chunk in document.chunks]
    yield "\n" + _head(document, count_of(sum(sizes), unit_of(options.tokenizer)), style)
    digits = len(str(len(sizes)))
    depths: list[int] = []
    widest = max([len(f"{size:,}") for size in sizes], default=1)
    for chunk, size in zip(document.chunks, sizes, strict=True):
        depths.append(depths[chunk.parent_position] + 1 if depths else 0)
        number = f"  .{chunk.position:<{digits}} "
        warned = size_flags(chunk)
        flags = " ".join([chunk.content_type, *warned])
        right = f" {size:>{widest},} "
        inset = "  " * min(depths[-1], _DEEPEST)
        room = max(style.width or _WIDTH, _LEAST_WIDTH) - len(number) - len(right) - _FLAGS
        left = _left(chunk, room - len(inset), style)
        gap = " " * max(0, room - len(inset) - left[1])
        marked = style.yellow(flags) if warned else style.dim(flags)
        yield f"{style.dim(number)}{inset}{left[0]}{gap}{right}{marked}\n"


def _head(document: ChunkedDocument, size: str, style: Style) -> str:
    source = document.document
    counts = f"{count_of(len(document.chunks), 'chunk')}, {size}"
    name = style.bold(clean_line(document.doc_id))
    return f"{name} › {fold(source.title)}{style.dim(version_and_tags(source))}: {counts}\n"


def _left(chunk: Chunk, room: int, style: Style) -> tuple[str, int]:
    """What a chunk is called, and how many columns that takes: at most `room`."""
    if chunk.kind == "piece":
        name = f"~{chunk.piece}"
        about = _glimpse(chunk)
    else:
        name = fold(chunk.title) or "(no title)"
        about = clean_line(chunk.fragment)
    name = shorten(name, max(room, 4))
    about = shorten(about, room - display_width(name) - 1)
    if not about:
        return name, display_width(name)
    return f"{name} {style.dim(about)}", display_width(name) + 1 + display_width(about)


def _glimpse(chunk: Chunk) -> str:
    """What a piece is about: the sections in it, or its first words."""
    if chunk.covers:
        return " ".join("#" + clean_line(covered.partition("#")[2]) for covered in chunk.covers)
    return fold(chunk.readable_body[:_GLIMPSE])
