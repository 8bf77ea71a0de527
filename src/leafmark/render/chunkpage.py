"""The chunks of documents as one static page: the tree beside the source, coloured by chunk.

The page is whole in one file and holds no script; its policy lets a browser
load and run nothing. Whatever comes from a document is escaped. It is written
document by document: the totals come last and are shown first.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files
from itertools import groupby, pairwise

from leafmark.chunking import ChunkingOptions
from leafmark.model import Chunk, ChunkedDocument, count_of
from leafmark.render.names import size_flags, unit_of
from leafmark.render.terminal import clean, fold

__all__ = ["close_page", "iter_chunk_article", "open_page"]

COLORS = 6
_DEEPEST = 6

_HEAD = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<meta name="generator" content="leafmark">
<title>{title}</title>
<style>{style}</style>
<header><h1>{title}</h1></header>
"""


@cache
def _style() -> str:
    return files("leafmark.render").joinpath("chunkpage.css").read_text(encoding="utf-8")


def open_page(title: str) -> str:
    """Return what stands before the first document."""
    style = _style()
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return _HEAD.format(digest=digest, title=_safe(fold(title)), style=style)


def close_page(summary: str) -> str:
    """Return what stands after the last document; `summary` is text of several lines."""
    return f"<footer><pre>{_safe(summary)}</pre></footer>\n</html>\n"


def iter_chunk_article(document: ChunkedDocument, options: ChunkingOptions) -> Iterator[str]:
    """Yield one document: its name and settings, its tree, its source."""
    anchor = hashlib.sha256(document.doc_id.encode()).hexdigest()[:8]
    sizes = [chunk.body_tokens for chunk in document.chunks]
    stretches = list(_regions(document))
    shown = {position for _, _, positions in stretches for position in positions[:1]}
    yield f"<article>\n<h2>{_safe(document.doc_id)}</h2>\n"
    yield f'<div class="about">{_safe(_about(document, sum(sizes), options))}</div>\n'
    yield '<div class="columns">\n<nav><ol>\n'
    levels: list[int] = []
    most = max([options.max_tokens, *sizes])
    for chunk, size in zip(document.chunks, sizes, strict=True):
        levels.append(levels[chunk.parent_position] + 1 if levels else 0)
        name = _entry(chunk, levels[-1], f"{anchor}-" if chunk.position in shown else None)
        meter = f'<meter max="{most}" value="{size}"></meter>' if size else "<span></span>"
        yield f'<li>{name}{meter}<span class="size">{size:,}</span></li>\n'
    yield '</ol></nav>\n<div class="source">\n'
    named: set[int] = set()
    for start, end, positions in stretches:
        new = bool(positions) and positions[0] not in named
        named.update(positions[:1])
        yield _stretch(document, sizes, (start, end, positions), f"{anchor}-" if new else None)
    yield "</div>\n</div>\n</article>\n"


def _about(document: ChunkedDocument, tokens: int, options: ChunkingOptions) -> str:
    size = count_of(tokens, unit_of(options.tokenizer))
    counts = f"{count_of(len(document.chunks), 'chunk')}, {size}"
    sizes = f"min {options.min_tokens}, target {options.target_tokens}, max {options.max_tokens}"
    if options.strategy == "fixed":
        sizes = f"windows of {options.fixed_tokens} that share {options.fixed_overlap}"
    return f"{counts} · {options.strategy} · {sizes} · {options.tokenizer}"


def _entry(chunk: Chunk, level: int, anchor: str | None) -> str:
    """One line of the tree, linked to its source if it has any of its own."""
    title = fold(chunk.title) or "(no title)"
    name = f"~{chunk.piece} {title}" if chunk.piece else title
    color = chunk.position % COLORS
    inset = f"i{min(level, _DEEPEST)}"
    tip = _safe(chunk.id)
    if anchor is None:
        return f'<span class="none {inset}" title="{tip}">{_safe(name)}</span>'
    target = f'href="#{anchor}{chunk.position}"'
    return f'<a class="{inset} e{color}" {target} title="{tip}">{_safe(name)}</a>'


Stretch = tuple[int, int, tuple[int, ...]]
"""A range of the source and the positions of the chunks that have it, the last one first."""


def _regions(document: ChunkedDocument) -> Iterator[Stretch]:
    """Cut the whole source where the chunks that have it change."""
    ranges = sorted(
        (start, end, chunk.position) for chunk in document.chunks for start, end in _ranges(chunk)
    )
    cuts = sorted({0, len(document.document.data), *(at for each in ranges for at in each[:2])})
    active: list[tuple[int, int, int]] = []
    following = 0
    parts: list[Stretch] = []
    for start, end in pairwise(cuts):
        active = [each for each in active if each[1] > start]
        while following < len(ranges) and ranges[following][0] == start:
            active.append(ranges[following])
            following += 1
        parts.append((start, end, tuple(sorted({each[2] for each in active}, reverse=True))))
    for positions, group in groupby(parts, key=lambda part: part[2]):
        together = list(group)
        yield together[0][0], together[-1][1], positions


def _ranges(chunk: Chunk) -> Iterator[tuple[int, int]]:
    yield from (span for span in chunk.body_spans if span[0] < span[1])
    if chunk.heading_start is not None and chunk.heading_end is not None:
        yield chunk.heading_start, chunk.heading_end


def _stretch(
    document: ChunkedDocument, sizes: list[int], stretch: Stretch, anchor: str | None
) -> str:
    start, end, positions = stretch
    if not positions:
        text = _text(document, start, end)
        return (
            f'<details class="dropped"><summary>{end - start:,} bytes in no chunk</summary>'
            f"<pre>{text}</pre></details>\n"
        )
    chunk = document.chunks[positions[0]]
    color = chunk.position % COLORS
    name = f' id="{anchor}{chunk.position}"' if anchor else ""
    flags = "".join(f' <span class="flag">{flag}</span>' for flag in size_flags(chunk))
    label = " ".join(f".{position}" for position in sorted(positions))
    size = f" · {sizes[chunk.position]:,}" if anchor else ""
    kind = "block shared" if len(positions) > 1 else f"block k{color}"
    tip = _safe(" ".join(document.chunks[position].id for position in sorted(positions)))
    return (
        f'<div class="{kind} e{color}"{name} title="{tip}">'
        f'<span class="id">{label}{size}{flags}</span><pre>{_body(chunk, start, end)}</pre></div>\n'
    )


def _body(chunk: Chunk, start: int, end: int) -> str:
    """The text of a range, the chunk's own heading lines in bold."""
    first, last = chunk.heading_start, chunk.heading_end
    if first is None or last is None or not start <= first <= last <= end:
        return _text(chunk.owner, start, end)
    heading = _text(chunk.owner, first, last).rstrip("\n")
    before, after = _text(chunk.owner, start, first), _text(chunk.owner, last, end)
    return f"{before}<b>{heading}</b>\n{after}".rstrip("\n")


def _text(document: ChunkedDocument, start: int, end: int) -> str:
    text = document.document.data[start:end].decode("utf-8", "replace")
    return _safe(text.removeprefix("\ufeff"))


def _safe(text: str) -> str:
    return escape(clean(text))
