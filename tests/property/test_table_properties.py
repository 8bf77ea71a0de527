"""What a piece of a table shows above its cells, judged by how tables are read elsewhere.

Every word says which row and column it is of, so that it is seen where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.model import Chunk
from leafmark.parsing import parse

WORD = re.compile(r"r(\d+)c(\d+)w")
READER = MarkdownIt("commonmark").enable("table")


@st.composite
def options_of(draw: st.DrawFn) -> ChunkingOptions:
    target = draw(st.integers(30, 120))
    return ChunkingOptions(
        strategy=draw(st.sampled_from(["auto", "section"])),
        tokenizer=draw(st.sampled_from(["o200k_base", "characters"])),
        min_tokens=draw(st.integers(0, target // 2)),
        target_tokens=target,
        max_tokens=target + draw(st.integers(0, 100)),
    )


def words_of(draw: st.DrawFn, row: int, column: int) -> str:
    count = draw(st.sampled_from([0, 1, 1, 2, 5, 40]))
    joint = draw(st.sampled_from([" ", " \\| ", ". "]))
    return joint.join(f"r{row}c{column}w{number}" for number in range(count))


@st.composite
def markdown_tables(draw: st.DrawFn) -> str:
    width = draw(st.integers(1, 9))
    pad = " " * draw(st.sampled_from([1, 1, 30]))
    heads = [f"h{column}" + draw(st.sampled_from(["", " x" * 9])) for column in range(width)]
    marks = [draw(st.sampled_from(["---", ":--", "-" * 30 + ":"])) for _ in heads]
    lines = [heads, marks]
    edge = draw(st.sampled_from(["|", "|", ""])) if width > 1 else "|"
    for row in range(draw(st.integers(1, 6))):
        cells = [words_of(draw, row, column) for column in range(draw(st.integers(1, width)))]
        lines.append([cells[0] if edge else f"r{row}c0w", *cells[1:]])
    rows = [f"{pad}|{pad}".join(line) for line in lines]
    return "".join(f"{edge}{pad if edge else ''}{row}{pad}{edge}\n" for row in rows)


def pieces(source: str, path: str, options: ChunkingOptions) -> list[Chunk]:
    document = parse(source.encode(), path)
    found = chunk_document(document, tree="t", options=options).chunks
    ranges = sorted(span for chunk in found for span in chunk.body_spans)
    assert b"".join(document.data[start:end] for start, end in ranges) == document.data
    for chunk in found:
        assert chunk.tokens < options.max_tokens + max(1, options.min_tokens)
        assert not chunk.context_spans or chunk.tokens <= options.max_tokens
    return [chunk for chunk in found if chunk.kind == "piece"]


def cells_below_heads(text: str) -> Iterator[tuple[str, str]]:
    """The cells of the tables in a text, each with the one above it in the header."""
    heads: list[str] = []
    column = 0
    tokens = READER.parse(text)
    for token, inner in pairwise(tokens):
        if token.type == "thead_open":
            heads = []
        elif token.type == "th_open":
            heads.append(inner.content)
        elif token.type == "tr_open":
            column = 0
        elif token.type == "td_open":
            yield heads[column], inner.content
            column += 1


@given(markdown_tables(), options_of())
def test_cells_of_markdown_stand_below_the_header_of_their_column(
    table: str, options: ChunkingOptions
) -> None:
    header = "".join(table.splitlines(keepends=True)[:2])
    if not READER.parse(table) or READER.parse(table)[0].type != "table_open":
        return  # a line of words, say
    for chunk in pieces(table, "p.md", options):
        if not chunk.context_spans:
            continue
        assert all(end <= len(header.encode()) for _, end in chunk.context_spans[:1])
        below = chunk.text.partition("\n\n")[2]
        shown = [*cells_below_heads(below)]
        for head, cell in shown:
            assert {column for _, column in WORD.findall(cell)} <= {head[1:].split(" ")[0]}
        seen = {word for _, cell in shown for word in WORD.findall(cell)}
        assert seen >= {*WORD.findall(chunk.body)}


@st.composite
def page_tables(draw: st.DrawFn) -> tuple[str, dict[str, set[int]]]:
    """A table of a page, and the columns that each of its cells takes."""
    width = draw(st.integers(2, 7))
    parts: list[list[str]] = []
    columns: dict[str, set[int]] = {}
    row = 0
    for height, tag in ((draw(st.integers(1, 3)), "th"), (draw(st.integers(1, 5)), "td")):
        taken: set[tuple[int, int]] = set()
        parts.append([])
        for line in range(height):
            cells: list[str] = []
            for column in range(width):
                if (line, column) in taken:
                    continue
                wide = draw(st.integers(1, 3))
                high = draw(st.sampled_from([1, 1, 1, 2, 3]))
                free = next(
                    (n for n in range(wide) if column + n >= width or (line, column + n) in taken),
                    wide,
                )
                high = min(high, height - line)
                taken |= {(line + y, column + x) for y in range(high) for x in range(free)}
                name = f"r{row}c{column}w"
                columns[name] = {*range(column, column + free)}
                count = draw(st.sampled_from([1, 1, 2, 5, 40]))
                said = ". ".join([name] * (count if tag == "td" else 1))
                spans = f' colspan="{free}"' * (free > 1) + f" rowspan={high}" * (high > 1)
                cells.append(f"<{tag}{spans}>{said}</{tag}>")
            parts[-1].append(f"<tr>{''.join(cells)}</tr>\n")
            row += 1
    head, body = ("".join(part) for part in parts)
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>", columns


@given(page_tables(), options_of())
def test_parts_of_a_row_of_a_page_repeat_what_is_above_their_columns(
    drawn: tuple[str, dict[str, set[int]]], options: ChunkingOptions
) -> None:
    table, columns = drawn
    header, _, _ = table.partition("</thead>")
    above = set(re.findall(r"r\d+c\d+w", header))
    for chunk in pieces(table, "p.html", options):
        body = re.findall(r"r\d+c\d+w", chunk.body)
        if (
            not chunk.context_spans
            or not body
            or len({WORD.findall(one)[0][0] for one in body}) > 1
        ):
            continue
        shown = {*re.findall(r"r\d+c\d+w", chunk.text)} - {*body}
        own = {*chain.from_iterable(columns[word] for word in body)}
        wanted = {head for head in above if columns[head] & own}
        assert shown >= wanted
        if "<tr" not in chunk.body:
            key = {*chain.from_iterable(columns[word] for word in shown - above)}
            assert not key or 0 in key
            assert all(columns[head] & key for head in (shown & above) - wanted)
