"""Chunks with no index: as a tree, as records, as one page of HTML, and what they come to."""

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
from leafmark.render.jsontext import SCHEMA_VERSION, as_json, dump_line, fields_of, json_safe
from leafmark.render.records import diagnostic_records
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
"""In a record, the key alone is so: in a string, quotes have a backslash before them."""


def iter_chunk_lines(
    document: ChunkedDocument, options: ChunkingOptions, *, ascii_only: bool = False
) -> Iterator[str]:
    """Yield each chunk's record on a line of its own."""
    siblings = _WrittenSiblings(document, ascii_only=ascii_only)
    for chunk in document.chunks:
        line = dump_line(chunk.to_dict_beside([]), ascii_only=ascii_only)
        head, _, rest = line.partition(_NO_SIBLINGS)
        yield f"{head}{_NO_SIBLINGS[:-1]}{siblings.beside(chunk)}]{rest}"


class _WrittenSiblings:
    """The ids of the children of each chunk as JSON, written once.

    Each of thousands below one heading has all the others in its record.
    """

    def __init__(self, document: ChunkedDocument, *, ascii_only: bool) -> None:
        self._document = document
        self._ascii_only = ascii_only
        self._written: dict[int, tuple[str, list[int]]] = {}
        """By parent: the ids, a comma behind each, and where each begins and the last ends."""

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
        written = [one + _COMMA for one in together.split(_COMMA)] if len(ids) > 1 else []
        if len(written) != len(ids):  # a comma and a space stand in one
            written = [dump_line(one, ascii_only=self._ascii_only)[:-1] + _COMMA for one in ids]
        return "".join(written), [*accumulate(map(len, written), initial=0)]


def iter_chunk_items(
    document: ChunkedDocument, options: ChunkingOptions, *, ascii_only: bool = False
) -> Iterator[str]:
    """Yield records as items of an array, a comma before each; the very first loses it."""
    for line in iter_chunk_lines(document, options, ascii_only=ascii_only):
        yield f"{_SEPARATOR}\n    {line[:-1]}"


def open_chunk_object(items: Iterable[str]) -> Iterator[str]:
    """Yield the beginning of the object of `chunk --json`, and the items of its array."""
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
    """Return the rest of the object; `findings` is None where quality was not looked at."""
    rest = json.dumps(_notes(skipped, diagnostics, findings), ensure_ascii=ascii_only, indent=2)
    return json_safe(f",{rest[1:]}\n")


def outline_record(document: ChunkedDocument, options: ChunkingOptions) -> dict[str, Any]:
    """Return where each chunk of a document stands and how large it is, without any text."""
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
        "findings": None if findings is None else [one.to_dict() for one in findings],
    }


_WIDTH, _MIN_WIDTH = 80, 40
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


SHOWN = 10
"""Lines of each list without -v; chosen by eye."""


def render_statistics(
    found: Statistics,
    findings: Sequence[Finding],
    style: Style,
    *,
    tokenizers: Sequence[str],
    verbose: bool = False,
) -> str:
    """Return the statistics and the quality report; `tokenizers` are what sizes are counted in."""
    unit = "characters" if set(tokenizers) == {"characters"} else "tokens"
    deviating = count_of(len(found.deviations), "document") if found.deviations else "none"
    rows = [
        ("documents", f"{found.documents:,}"),
        ("chunks", f"{found.chunks:,} ({found.empty:,} without a body)"),
        (unit, f"{found.total_tokens:,} in bodies{_counted(unit, tokenizers)}"),
        (
            "sizes",
            f"min {found.min_tokens:,}, mean {found.mean_tokens:,.1f}, "
            f"median {found.median_tokens:,.1f}, max {found.max_tokens:,}",
        ),
        ("estimate", f"{found.estimate:,}; actual {found.chunks - found.empty:,}"),
        ("deviations", f"{deviating} over the tolerance"),
        ("time", _speed(found)),
        ("quality", _verdict(findings)),
    ]
    lines = []
    for name, value in rows:
        if not value:
            continue
        lines.append(f"{style.bold(name)}{' ' * (12 - len(name))}{value}\n")
        if name == "deviations":
            deviations = [
                f"{each.doc_id}: {count_of(each.actual, 'chunk')}, estimated {each.estimate:,}"
                for each in found.deviations
            ]
            lines += _listed(deviations, style, verbose)
    return "".join(lines) + render_findings(findings, style, verbose=verbose)


def _counted(unit: str, tokenizers: Sequence[str]) -> str:
    """What sizes were counted in, where their unit does not say it."""
    return "" if list(tokenizers) in ([], [unit]) else f" ({', '.join(tokenizers)})"


def _speed(found: Statistics) -> str:
    if not found.seconds:
        return ""
    speed = f"{found.megabytes_per_second:.1f} MB/s"
    return f"{found.seconds:.3f} s of one core for {found.size_bytes / 1e6:.2f} MB ({speed})"


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
    for kind, found in kinds.items():
        name = style.dim(kind) if found[0].excused else style.yellow(kind)
        lines.append(f"  {name} {len(found):,}\n")
        messages = [f"{finding.chunk_id}: {finding.message}" for finding in found]
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
    """Return what stands before the first document."""
    return html_head(fold(title), "chunkpage.css")


def close_page(summary: str) -> str:
    """Return what stands after the last document; `summary` is text of several lines."""
    return f"<footer><pre>{_safe(summary)}</pre></footer>\n</html>\n"


def iter_chunk_article(document: ChunkedDocument, options: ChunkingOptions) -> Iterator[str]:
    """Yield one document: its name and settings, its tree, its source."""
    anchor = hashlib.sha256(document.doc_id.encode()).hexdigest()[:8]
    sizes = [chunk.body_tokens for chunk in document.chunks]
    stretches = list(iter_stretches(document.chunks, len(document.document.data)))
    shown = {one.position for one in stretches}
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
    for stretch in stretches:
        new = bool(stretch.positions) and stretch.position not in named
        named.update(stretch.positions[:1])
        yield _stretch(document, sizes, stretch, f"{anchor}-" if new else None)
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
    inset = f"i{min(level, _DEEPEST_HEADING)}"
    tip = _safe(chunk.id)
    if anchor is None:
        return f'<span class="none {inset}" title="{tip}">{_safe(name)}</span>'
    target = f'href="#{anchor}{chunk.position}"'
    return f'<a class="{inset} e{color}" {target} title="{tip}">{_safe(name)}</a>'


class Stretch(NamedTuple):
    """A range of a source, and the positions of the chunks that have it, the last one first."""

    start: int
    end: int
    positions: tuple[int, ...] = ()

    @property
    def position(self) -> int | None:
        """The chunk that it is shown as; None where no chunk has it."""
        return self.positions[0] if self.positions else None

    @property
    def shared(self) -> bool:
        return len(self.positions) > 1


def iter_stretches(chunks: Sequence[Entry | Chunk], size: int) -> Iterator[Stretch]:
    """Cut all of a source of `size` bytes where the chunks that have it change."""
    ranges = sorted(
        (start, end, chunk.position) for chunk in chunks for start, end in _ranges(chunk)
    )
    cuts = sorted({0, size, *(at for each in ranges for at in each[:2])})
    active: list[tuple[int, int, int]] = []
    following = 0
    parts: list[Stretch] = []
    for start, end in pairwise(cuts):
        active = [each for each in active if each[1] > start]
        while following < len(ranges) and ranges[following][0] == start:
            active.append(ranges[following])
            following += 1
        positions = tuple(sorted({each[2] for each in active}, reverse=True))
        parts.append(Stretch(start, end, positions))
    for positions, group in groupby(parts, key=lambda part: part.positions):
        together = list(group)
        yield Stretch(together[0].start, together[-1].end, positions)


def _ranges(chunk: Entry | Chunk) -> Iterator[tuple[int, int]]:
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


# The head of a page of HTML that is whole in one file: its style within, and no script.
#
# Its policy allows nothing but that style, so that what a document holds can load nothing.


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
    """Return what a page begins with, up to its title; `stylesheet` is a file of this package."""
    style, digest = _style(stylesheet)
    return _HEAD.format(digest=digest, title=escape(title), style=style)


@cache
def _style(stylesheet: str) -> tuple[str, str]:
    style = files("leafmark.render").joinpath(stylesheet).read_text(encoding="utf-8")
    return style, b64encode(hashlib.sha256(style.encode()).digest()).decode()
