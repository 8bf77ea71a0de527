"""Chunks without an index: as a tree, as records, as one page of HTML, and their statistics."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from itertools import accumulate, groupby, pairwise
from typing import Any

from leafmark.chunking import ChunkingOptions, Finding, Statistics
from leafmark.model import Chunk, ChunkedDocument, Diagnostic, Entry, Skipped, count_of
from leafmark.namedtuples import NamedTuple
from leafmark.render.json_objects import diagnostic_records
from leafmark.render.jsontext import SCHEMA_VERSION, as_json, dump_line, fields_of, json_safe
from leafmark.render.terminal import (
    Style,
    clean,
    clean_line,
    display_width,
    fold,
    shorten,
    size_flags,
    unit_of,
    version_and_tags,
)

_SEPARATOR = ","
_COMMA = ", "
_NO_SIBLINGS = '"sibling_ids": []'
"""Unique in a record: within strings, quotes have a backslash before them."""


def iter_chunk_lines(
    document: ChunkedDocument, options: ChunkingOptions, *, ascii_only: bool = False
) -> Iterator[str]:
    """Yield each chunk's record on a line of its own."""
    siblings = _WrittenSiblings(document, ascii_only=ascii_only)
    for chunk in document.chunks:
        line = dump_line(chunk.to_dict_with_siblings([]), ascii_only=ascii_only)
        head, _, rest = line.partition(_NO_SIBLINGS)
        yield f"{head}{_NO_SIBLINGS[:-1]}{siblings.beside(chunk)}]{rest}"


class _WrittenSiblings:
    """The ids of the children of each chunk as JSON, written once for all of them.

    The record of each of thousands of siblings names all the others.
    """

    def __init__(self, document: ChunkedDocument, *, ascii_only: bool) -> None:
        self._document = document
        self._ascii_only = ascii_only
        self._written: dict[int, tuple[str, list[int]]] = {}
        """By parent: the ids, each followed by a comma, and the offsets of their bounds."""

    def beside(self, chunk: Chunk) -> str:
        """Return the ids of the chunk's siblings, commas between them."""
        parent = chunk.parent_position
        if parent < 0:
            return ""
        if parent not in self._written:
            self._written[parent] = self._write(parent)
        ids, starts = self._written[parent]
        number = self._document.child_numbers[chunk.position]
        return (ids[: starts[number]] + ids[starts[number + 1] :]).removesuffix(_COMMA)

    def _write(self, parent: int) -> tuple[str, list[int]]:
        ids = self._document.child_ids[parent]
        together = dump_line(ids, ascii_only=self._ascii_only)[1:-2]
        written = [text + _COMMA for text in together.split(_COMMA)] if len(ids) > 1 else []
        if len(written) != len(ids):  # a comma and a space stand in one
            written = [
                dump_line(chunk_id, ascii_only=self._ascii_only)[:-1] + _COMMA for chunk_id in ids
            ]
        return "".join(written), [*accumulate(map(len, written), initial=0)]


def iter_chunk_items(
    document: ChunkedDocument, options: ChunkingOptions, *, ascii_only: bool = False
) -> Iterator[str]:
    """Yield records as items of an array, each after a comma; the caller drops the first comma."""
    for line in iter_chunk_lines(document, options, ascii_only=ascii_only):
        yield f"{_SEPARATOR}\n    {line[:-1]}"


def open_chunk_object(items: Iterable[str]) -> Iterator[str]:
    """Yield the JSON object that `chunk --json` prints up to the end of its array."""
    yield f'{{\n  "schema_version": {SCHEMA_VERSION},\n  "chunks": ['
    first = True
    for item in items:
        yield item.removeprefix(_SEPARATOR) if first else item
        first = False
    yield "]" if first else "\n  ]"


def close_chunk_object(
    skipped: Sequence[Skipped],
    diagnostics: Sequence[Diagnostic],
    findings: Sequence[Finding] | None,
    *,
    ascii_only: bool = False,
) -> str:
    """Return the rest of the object; `findings` is None if quality was not checked."""
    rest = json.dumps(_notes(skipped, diagnostics, findings), ensure_ascii=ascii_only, indent=2)
    return json_safe(f",{rest[1:]}\n")


def outline_record(document: ChunkedDocument, options: ChunkingOptions) -> dict[str, Any]:
    """Return the place and the size of each chunk of a document, without text."""
    return {
        "schema_version": SCHEMA_VERSION,
        "doc_id": document.doc_id,
        "title": document.chunks[0].title if document.chunks else "",
        "bytes": len(document.document.data),
        "strategy": options.strategy,
        "tokenizer": options.tokenizer,
        "chunks": [fields_of(chunk, *_OUTLINED) for chunk in document.chunks],
        "diagnostics": diagnostic_records(document.document.diagnostics),
    }


_OUTLINED = (
    *("id", "ordinal_id", "parent_id", "kind", "title", "depth", "position"),
    *("heading_start", "heading_end", "byte_start", "byte_end", "body_spans"),
    *("line_start", "line_end", "body_tokens", "oversize", "undersize"),
)


def statistics_record(
    statistics: Statistics,
    skipped: Sequence[Skipped],
    diagnostics: Sequence[Diagnostic],
    findings: Sequence[Finding],
) -> dict[str, Any]:
    """Return the object of `chunk -o stats --json`."""
    head = {"schema_version": SCHEMA_VERSION, "statistics": statistics.to_dict()}
    return head | _notes(skipped, diagnostics, findings)


def _notes(
    skipped: Sequence[Skipped],
    diagnostics: Sequence[Diagnostic],
    findings: Sequence[Finding] | None,
) -> dict[str, Any]:
    return {
        "skipped": as_json(skipped),
        "diagnostics": diagnostic_records(diagnostics),
        "findings": None if findings is None else [finding.to_dict() for finding in findings],
    }


_WIDTH, _MIN_WIDTH = 80, 40
_FLAGS = 16
"""Columns kept for the kind of content and the flags."""
_DEEPEST = 8
"""Levels that are indented; deeper ones have the indentation of the last."""
_GLIMPSE = 200
"""Characters of a piece looked at for its first words."""


def iter_chunk_tree(
    document: ChunkedDocument, options: ChunkingOptions, *, style: Style
) -> Iterator[str]:
    """Yield an empty line, a line for the document, and one for each of its chunks."""
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
        room = max(style.width or _WIDTH, _MIN_WIDTH) - len(number) - len(right) - _FLAGS
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
    """Return the name of a chunk and its width, at most `room` columns."""
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
    """Return the sections in a piece, or its first words."""
    if chunk.covers:
        return " ".join("#" + clean_line(covered.partition("#")[2]) for covered in chunk.covers)
    return fold(chunk.readable_body[:_GLIMPSE])


SHOWN = 10
"""Lines of each list without -v; chosen by eye."""


def render_statistics(
    statistics: Statistics,
    findings: Sequence[Finding],
    style: Style,
    *,
    tokenizers: Sequence[str],
    verbose: bool = False,
) -> str:
    """Return the statistics and the quality report; `tokenizers` counted the sizes."""
    unit = "characters" if set(tokenizers) == {"characters"} else "tokens"
    deviating = (
        count_of(len(statistics.deviations), "document") if statistics.deviations else "none"
    )
    rows = [
        ("documents", f"{statistics.documents:,}"),
        ("chunks", f"{statistics.chunks:,} ({statistics.empty:,} without a body)"),
        (unit, f"{statistics.total_tokens:,} in bodies{_counted(unit, tokenizers)}"),
        (
            "sizes",
            f"min {statistics.min_tokens:,}, mean {statistics.mean_tokens:,.1f}, "
            f"median {statistics.median_tokens:,.1f}, max {statistics.max_tokens:,}",
        ),
        ("estimate", f"{statistics.estimate:,}; actual {statistics.chunks - statistics.empty:,}"),
        ("deviations", f"{deviating} over the tolerance"),
        ("time", _speed(statistics)),
        ("quality", _verdict(findings)),
    ]
    lines = []
    for name, value in rows:
        if not value:
            continue
        lines.append(f"{style.bold(name)}{' ' * (12 - len(name))}{value}\n")
        if name == "deviations":
            deviations = [
                f"{other.doc_id}: {count_of(other.actual, 'chunk')}, estimated {other.estimate:,}"
                for other in statistics.deviations
            ]
            lines += _listed(deviations, style, verbose)
    return "".join(lines) + render_findings(findings, style, verbose=verbose)


def _counted(unit: str, tokenizers: Sequence[str]) -> str:
    """Return the tokenizers' names in parentheses, "" if `unit` says the same."""
    return "" if list(tokenizers) in ([], [unit]) else f" ({', '.join(tokenizers)})"


def _speed(statistics: Statistics) -> str:
    if not statistics.seconds:
        return ""
    speed = f"{statistics.megabytes_per_second:.1f} MB/s"
    return (
        f"{statistics.seconds:.3f} s of one core for {statistics.size_bytes / 1e6:.2f} MB ({speed})"
    )


def _verdict(findings: Sequence[Finding]) -> str:
    excused = sum(finding.excused for finding in findings)
    bad = len(findings) - excused
    verdict = count_of(bad, "finding") if bad else "no finding"
    return f"{verdict}, {excused:,} excused (undersize)" if excused else verdict


def render_findings(
    findings: Sequence[Finding], style: Style, *, verbose: bool = False, excused: bool = True
) -> str:
    """Return the findings by kind, the excused ones last, each kind cut short unless `verbose`."""
    kinds: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: finding.excused):
        if excused or not finding.excused:
            kinds.setdefault(finding.kind, []).append(finding)
    lines: list[str] = []
    for kind, same_kind in kinds.items():
        name = style.dim(kind) if same_kind[0].excused else style.yellow(kind)
        lines.append(f"  {name} {len(same_kind):,}\n")
        messages = [f"{finding.chunk_id}: {finding.message}" for finding in same_kind]
        lines += _listed(messages, style, verbose, inset="    ")
    return "".join(lines)


def _listed(messages: Iterable[str], style: Style, verbose: bool, inset: str = "  ") -> list[str]:
    every = [f"{inset}{clean_line(line)}\n" for line in messages]
    left = len(every) - SHOWN
    if verbose or left <= 0:
        return every
    return [*every[:SHOWN], style.dim(f"{inset}and {left:,} more: -v prints them all") + "\n"]


COLORS = 6
_DEEPEST_HEADING = 6


def open_page(title: str) -> str:
    """Return the text before the first document."""
    return html_head(fold(title), "chunkpage.css")


def close_page(summary: str) -> str:
    """Return the text after the last document; `summary` is text of several lines."""
    return f"<footer><pre>{_safe(summary)}</pre></footer>\n</html>\n"


def iter_chunk_article(document: ChunkedDocument, options: ChunkingOptions) -> Iterator[str]:
    """Yield one document: its name and settings, its tree, its source."""
    anchor = hashlib.sha256(document.doc_id.encode()).hexdigest()[:8]
    sizes = [chunk.body_tokens for chunk in document.chunks]
    ranges = list(iter_source_ranges(document.chunks, len(document.document.data)))
    shown = {range_.position for range_ in ranges}
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
    for range_ in ranges:
        new = bool(range_.positions) and range_.position not in named
        named.update(range_.positions[:1])
        yield _source_range(document, sizes, range_, f"{anchor}-" if new else None)
    yield "</div>\n</div>\n</article>\n"


def _about(document: ChunkedDocument, tokens: int, options: ChunkingOptions) -> str:
    size = count_of(tokens, unit_of(options.tokenizer))
    counts = f"{count_of(len(document.chunks), 'chunk')}, {size}"
    sizes = f"min {options.min_tokens}, target {options.target_tokens}, max {options.max_tokens}"
    if options.strategy == "fixed":
        sizes = f"windows of {options.fixed_tokens} that share {options.fixed_overlap}"
    return f"{counts} · {options.strategy} · {sizes} · {options.tokenizer}"


def _entry(chunk: Chunk, level: int, anchor: str | None) -> str:
    """Return one line of the tree, linked to the chunk's own text if it has any."""
    title = fold(chunk.title) or "(no title)"
    name = f"~{chunk.piece} {title}" if chunk.piece else title
    color = chunk.position % COLORS
    inset = f"i{min(level, _DEEPEST_HEADING)}"
    tip = _safe(chunk.id)
    if anchor is None:
        return f'<span class="none {inset}" title="{tip}">{_safe(name)}</span>'
    target = f'href="#{anchor}{chunk.position}"'
    return f'<a class="{inset} e{color}" {target} title="{tip}">{_safe(name)}</a>'


class SourceRange(NamedTuple):
    """A range of a source, and the positions of the chunks that contain it, the last one first."""

    start: int
    end: int
    positions: tuple[int, ...] = ()

    @property
    def position(self) -> int | None:
        """The position of the chunk that it is shown as; None outside of all chunks."""
        return self.positions[0] if self.positions else None

    @property
    def shared(self) -> bool:
        return len(self.positions) > 1


def iter_source_ranges(chunks: Sequence[Entry | Chunk], size: int) -> Iterator[SourceRange]:
    """Cut a source of `size` bytes wherever a chunk begins or ends."""
    ranges = sorted(
        (start, end, chunk.position) for chunk in chunks for start, end in _ranges(chunk)
    )
    cuts = sorted({0, size, *(at for extent in ranges for at in extent[:2])})
    active: list[tuple[int, int, int]] = []
    following = 0
    parts: list[SourceRange] = []
    for start, end in pairwise(cuts):
        active = [extent for extent in active if extent[1] > start]
        while following < len(ranges) and ranges[following][0] == start:
            active.append(ranges[following])
            following += 1
        positions = tuple(sorted({extent[2] for extent in active}, reverse=True))
        parts.append(SourceRange(start, end, positions))
    for positions, group in groupby(parts, key=lambda part: part.positions):
        together = list(group)
        yield SourceRange(together[0].start, together[-1].end, positions)


def _ranges(chunk: Entry | Chunk) -> Iterator[tuple[int, int]]:
    yield from (span for span in chunk.body_spans if span[0] < span[1])
    if chunk.heading_start is not None and chunk.heading_end is not None:
        yield chunk.heading_start, chunk.heading_end


def _source_range(
    document: ChunkedDocument, sizes: list[int], range_: SourceRange, anchor: str | None
) -> str:
    start, end, positions = range_
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
    """Return the text of a range, with the chunk's own heading lines in bold."""
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


# The head of a self-contained HTML page: an inline style and no script.
#
# Its policy allows nothing but that style, so that no document can make it load anything.


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


def html_head(title: str, stylesheet: str) -> str:
    """Return the beginning of a page, up to its title; `stylesheet` is a file of this package."""
    style, digest = _style(stylesheet)
    return _HEAD.format(digest=digest, title=escape(title), style=style)


@cache
def _style(stylesheet: str) -> tuple[str, str]:
    style = files("leafmark.render").joinpath(stylesheet).read_text(encoding="utf-8")
    return style, b64encode(hashlib.sha256(style.encode()).digest()).decode()
