"""What the chunks of real documents must show: counts of what is wrong, each to be 0.

Headings, code and tables are found by cmark-gfm, which shares nothing with
leafmark; the paths of sections are walked again from its headings. Documents
whose headings the two parsers see differently are counted apart.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from benchmarks.corpus import Corpus
from benchmarks.measure import Row
from benchmarks.outline import Lines, Outline, Title, is_available, outline
from leafmark.chunking import ChunkingOptions, Strategy, chunk_document, inspect_quality
from leafmark.model import Chunk, ChunkedDocument, subtract
from leafmark.parsing import parse

STRATEGIES: tuple[Strategy, ...] = ("section", "auto", "heading")
MUST_BE_ZERO = (
    "bytes lost or doubled",
    "spans out of order",
    "split code blocks",
    "split tables that fit",
    "chunks under min_tokens, not undersize",
    "chunks over the bound that could be cut",
    "wrong section paths",
    "quality findings",
)
SHOWN = 5
_FLAGS = re.DOTALL | re.IGNORECASE
_TAGS = re.compile(rb"(?:\s*<[^>]*>\s*)+")
_LAYOUT = re.compile(rb"<(table|h[1-6])\b", re.IGNORECASE)
"""What a table holds that is there for the layout: its headings open sections."""


def run(corpus: Corpus) -> list[Row]:
    """Return one row for each count and strategy; none where cmark-gfm is not installed."""
    if not is_available():
        print("structure: cmark-gfm is not installed")
        return []
    rows = []
    for strategy in STRATEGIES:
        counts, examples = _count(corpus, ChunkingOptions(strategy=strategy))
        for name in MUST_BE_ZERO:
            if name.startswith(("chunks", "quality")) and strategy == "heading":
                continue
            for example in examples.get(name, ())[:SHOWN]:
                print(f"{strategy}: {name}: {example}", flush=True)
            beside = f"of {counts['chunks']:,} chunks in {counts['documents']:,} documents"
            found = counts[name]
            rows.append(
                Row(f"{strategy}: {name}", f"{found:,}", beside, found, 0.0, higher_is_better=False)
            )
        print(
            f"{strategy}: {counts['code blocks']:,} code blocks, {counts['tables']:,} tables, "
            f"{counts['paths']:,} section paths checked; headings seen differently in "
            f"{counts['parsers differ']:,} documents, not readable for cmark-gfm "
            f"{counts['no outline']:,}; {counts['undersize']:,} undersize, "
            f"{counts['oversize']:,} oversize",
            flush=True,
        )
    return rows


def _count(corpus: Corpus, options: ChunkingOptions) -> tuple[Counter[str], dict[str, list[str]]]:
    counts: Counter[str] = Counter()
    examples: dict[str, list[str]] = {}
    for path in corpus.files:
        data = path.read_bytes()
        name = path.relative_to(corpus.root).as_posix()
        document = parse(data, name)
        chunked = chunk_document(document, tree="c", options=options)
        counts["documents"] += 1
        counts["chunks"] += len(chunked.chunks)
        counts["undersize"] += sum(chunk.undersize for chunk in chunked.chunks)
        counts["oversize"] += sum(chunk.oversize for chunk in chunked.chunks)
        for problem, where in _problems(chunked, options, counts):
            counts[problem] += 1
            examples.setdefault(problem, []).append(where)
    return counts, examples


def _problems(
    chunked: ChunkedDocument, options: ChunkingOptions, counts: Counter[str]
) -> Iterator[tuple[str, str]]:
    yield from _lost_bytes(chunked)
    if options.strategy != "heading":
        yield from _sizes(chunked, options)
        for finding in inspect_quality(chunked, options=options):
            small = finding.kind == "below_min" and options.strategy == "auto"
            if not finding.excused and not small:  # under auto a section of its own may be small
                yield "quality findings", f"{finding.kind} {finding.chunk_id}: {finding.message}"
    document = chunked.document
    if document.format == "html":
        yield from _split_elements(chunked, options, counts)
    if document.format != "markdown":
        return
    seen = outline(document.data, document.front_matter.end if document.front_matter else 0)
    if seen is None or document.encoding != "utf-8":
        counts["no outline"] += 1
        return
    counts["code blocks"] += len(seen.code)
    counts["tables"] += len(seen.tables)
    yield from _split_blocks(chunked, options, seen)
    yield from _paths(chunked, seen, counts)


def _lost_bytes(chunked: ChunkedDocument) -> Iterator[tuple[str, str]]:
    """Bodies and heading lines must be the file; spans must nest and follow each other."""
    ranges = [span for chunk in chunked.chunks for span in chunk.body_spans]
    dropped = [(span.start, span.end) for span in chunked.document.dropped_spans]
    ranges += [
        part  # a heading of two lines in a notebook has what parts their strings inside
        for chunk in chunked.chunks
        if chunk.heading_start is not None and chunk.heading_end is not None
        for part in subtract(chunk.heading_start, chunk.heading_end, dropped)
    ]
    ranges += dropped
    ranges = sorted(span for span in ranges if span[0] < span[1])
    ends = [0, *[end for _, end in ranges]]
    size = len(chunked.document.data) if chunked.chunks else 0
    if [start for start, _ in ranges] != ends[:-1] or ends[-1] != size:
        yield "bytes lost or doubled", chunked.doc_id
    for chunk in chunked.chunks:
        for before, after in pairwise(chunk.children):
            if before.byte_end > after.byte_start:
                yield "spans out of order", after.id
        if any(
            child.byte_start < chunk.byte_start or child.byte_end > chunk.byte_end
            for child in chunk.children
        ):
            yield "spans out of order", chunk.id


def _sizes(chunked: ChunkedDocument, options: ChunkingOptions) -> Iterator[tuple[str, str]]:
    for chunk in chunked.chunks:
        bounded = options.strategy == "section" or chunk.kind == "piece"
        small = chunk.has_content and chunk.body_tokens < options.min_tokens
        if bounded and small and not chunk.undersize and len(chunked.chunks) > 1:
            yield "chunks under min_tokens, not undersize", f"{chunk.id}: {chunk.body_tokens}"
        if chunk.tokens > options.max_tokens + options.min_tokens and not _is_solid(chunk):
            yield "chunks over the bound that could be cut", f"{chunk.id}: {chunk.tokens}"


def _is_solid(chunk: Chunk) -> bool:
    """Whether most of the chunk is one block that is not cut: code, a row, a table that fits."""
    blocks = [
        block
        for block in chunk.owner.document.blocks
        if block.kind in ("code", "table", "table_row") and block.start < chunk.byte_end
        if chunk.byte_start < block.end
    ]
    largest = max((block.end - block.start for block in blocks), default=0)
    body = sum(end - start for start, end in chunk.body_spans)
    return chunk.oversize and largest * 2 > body


def _split_blocks(
    chunked: ChunkedDocument, options: ChunkingOptions, seen: Outline
) -> Iterator[tuple[str, str]]:
    cuts = sorted({at for chunk in chunked.chunks for span in chunk.body_spans for at in span})
    starts = _line_starts(chunked.document.data)
    for block in seen.code:
        if _is_cut(block, starts, cuts):
            yield "split code blocks", f"{chunked.document.path}:{block.first}"
    for block in seen.tables:
        if _is_cut(block, starts, cuts) and _fits(chunked, block, starts, options):
            yield "split tables that fit", f"{chunked.document.path}:{block.first}"


def _is_cut(block: Lines, starts: Sequence[int], cuts: Sequence[int]) -> bool:
    """Whether a chunk begins or ends after the block's first line and before its last one ends."""
    first = starts[min(block.first, len(starts) - 1)]
    end = starts[min(block.last, len(starts) - 1)]
    return bisect_right(cuts, end - 1) > bisect_right(cuts, first - 1)


def _split_elements(
    chunked: ChunkedDocument, options: ChunkingOptions, counts: Counter[str]
) -> Iterator[tuple[str, str]]:
    """The `pre` and `table` elements of a page, as a regular expression sees them."""
    data = chunked.document.data
    dropped = [(span.start, span.end) for span in chunked.document.dropped_spans]
    cuts = sorted({at for chunk in chunked.chunks for span in chunk.body_spans for at in span})
    for name, problem in ((b"pre", "split code blocks"), (b"table", "split tables that fit")):
        for found in re.finditer(rb"<%b\b[^>]*>.*?</%b\s*>" % (name, name), data, _FLAGS):
            start, end = found.span()
            if any(start < last and first < end for first, last in dropped):
                continue  # what is left out of it makes pieces of it
            counts["code blocks" if name == b"pre" else "tables"] += 1
            if bisect_right(cuts, end - 1) == bisect_right(cuts, start):
                continue
            text = _TAGS.sub(b"\n", found[0]).decode("utf-8", "replace")
            if name == b"table" and (
                _LAYOUT.search(found[0][6:]) or chunked.count_tokens(text) > options.max_tokens
            ):
                continue
            yield problem, f"{chunked.document.path}:{chunked.line_of(start)}"


def _fits(
    chunked: ChunkedDocument, block: Lines, starts: Sequence[int], options: ChunkingOptions
) -> bool:
    """Whether the table and the breadcrumb above it are within the bound."""
    start, end = starts[block.first - 1], starts[min(block.last, len(starts) - 1)]
    holder = max(
        (chunk for chunk in chunked.chunks if chunk.byte_start <= start < chunk.byte_end),
        key=lambda chunk: chunk.depth,
    )
    table = chunked.document.data[start:end].decode("utf-8", "replace")
    return chunked.count_tokens(f"{holder.breadcrumb}\n\n{table}") <= options.max_tokens


def _line_starts(data: bytes) -> list[int]:
    """Where lines begin, and the end of the data after them."""
    text = data.replace(b"\r\n", b" \n").replace(b"\r", b"\n")
    return [0, *[at + 1 for at, byte in enumerate(text) if byte == 10], len(data)]


def _paths(
    chunked: ChunkedDocument, seen: Outline, counts: Counter[str]
) -> Iterator[tuple[str, str]]:
    document = chunked.document
    ours = [heading for heading in document.headings if not heading.nested]
    lines = [chunked.line_of(heading.start) for heading in ours]
    if lines != [title.line for title in seen.titles]:
        counts["parsers differ"] += 1
        return
    expected = _walk(chunked, seen.titles)
    for chunk in chunked.chunks:
        if chunk.kind == "section":
            assert chunk.heading_start is not None
            counts["paths"] += 1
            path = expected.get(chunked.line_of(chunk.heading_start))
            if path != chunk.section_path:
                yield "wrong section paths", f"{chunk.id}: {chunk.section_path} is not {path}"
        elif chunk.parent is not None and chunk.section_path != chunk.parent.section_path:
            yield "wrong section paths", f"{chunk.id}: not that of {chunk.parent_id}"


def _walk(chunked: ChunkedDocument, titles: Sequence[Title]) -> dict[int, tuple[str, ...]]:
    """The section path of every heading with something below it, by its line."""
    document = chunked.document
    starts = _line_starts(document.data)
    named = document.metadata.get("title")
    first = next((title.text for title in titles if title.level == 1 and title.text), None)
    root = document.title if named is not None else first or document.title
    paths: dict[int, tuple[str, ...]] = {}
    above: list[tuple[int, tuple[str, ...]]] = [(0, (root,))]
    for number, title in enumerate(titles):
        following = next((t for t in titles[number + 1 :] if t.level <= title.level), None)
        end = len(document.data) if following is None else starts[following.line - 1]
        own_lines = document.data[starts[title.line - 1] : end]
        if not _below_heading(own_lines).strip():
            continue
        while above[-1][0] >= title.level:
            above.pop()
        parent = above[-1][1]
        folded = not title.text or (not paths and title.text == root)
        paths[title.line] = parent if folded else (*parent, title.text)
        above.append((title.level, paths[title.line]))
    return paths


def _below_heading(section: bytes) -> bytes:
    """What follows a heading's line, or the underline of a setext heading."""
    lines = section.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    if lines[0].lstrip(b" \xef\xbb\xbf")[:1] == b"#":
        return b"\n".join(lines[1:])
    for number, line in enumerate(lines):
        if (number and line.strip() and not line.strip().strip(b"=")) or _is_dashes(number, line):
            return b"\n".join(lines[number + 1 :])
    return b""


def _is_dashes(number: int, line: bytes) -> bool:
    return bool(number and line.strip() and not line.strip().strip(b"-"))
