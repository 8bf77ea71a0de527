"""The heading strategy over hand-made documents."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

import pytest

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.model import ChunkedDocument, Document, Heading, Span
from leafmark.parsing import parse

HEADING = re.compile(rb"^(#{1,6}) ?([^\n]*)\n|^([^#\n][^\n]*)\n-{3,}\n", re.MULTILINE)


def document(source: bytes, *, path: str = "p.md", title: str = "", front: int = 0) -> Document:
    """A document with the headings of simple Markdown: `#` lines, and `-` underlines."""
    headings = []
    for match in HEADING.finditer(source, front):
        level = len(match[1]) if match[1] else 2
        text = (match[2] if match[1] else match[3]).decode()
        headings.append(Heading(level, text, text, match.start(), match.end(), len(source)))
    return Document(
        path=path,
        data=source,
        format="markdown",
        title=title or (headings[0].title if headings else path.rpartition(".")[0]),
        headings=tuple(headings),
        front_matter=Span(0, front) if front else None,
    )


def chunked(source: bytes, **fields: object) -> ChunkedDocument:
    options = ChunkingOptions(strategy="heading")
    return chunk_document(document(source, **fields), tree="t", options=options)  # type: ignore[arg-type]


WORKED_EXAMPLE = b"""---
title: Guide
---
Preamble.
# Guide

### Setup
text a
## Empty
# Usage
Setup
-----
long text
## Setup
x
"""


def test_worked_example() -> None:
    result = chunked(WORKED_EXAMPLE, title="Guide", front=21)

    def lines(spans: tuple[tuple[int, int], ...]) -> list[int]:
        found = []
        for start, end in spans:
            found += list(range(result.line_of(start), result.line_of(end - 1) + 1))
        return found

    rows = [
        (
            chunk.id,
            chunk.ordinal_id,
            chunk.position,
            chunk.depth,
            chunk.parent_id,
            lines(((chunk.byte_start, chunk.byte_end),)),
            lines(chunk.body_spans),
            chunk.sibling_count,
            chunk.breadcrumb,
        )
        for chunk in result.chunks
    ]

    def span(first: int, last: int) -> list[int]:
        return list(range(first, last + 1))

    usage = "t:p.md#usage"
    assert rows == [
        ("t:p.md", "t:p.md.0", 0, 0, None, span(1, 15), [1, 2, 3, 4], 1, "> Guide"),
        ("t:p.md#guide", "t:p.md.1", 1, 1, "t:p.md", span(6, 9), [6, 9], 2, "> Guide"),
        ("t:p.md#setup", "t:p.md.2", 2, 3, "t:p.md#guide", [8], [8], 1, "> Guide › Setup"),
        (usage, "t:p.md.3", 3, 1, "t:p.md", span(11, 15), [], 2, "> Guide › Usage"),
        ("t:p.md#setup-1", "t:p.md.4", 4, 2, usage, [13], [13], 2, "> Guide › Usage › Setup"),
        ("t:p.md#setup-2", "t:p.md.5", 5, 2, usage, [15], [15], 2, "> Guide › Usage › Setup"),
    ]
    assert result.slugs["empty"] == 1


@pytest.mark.parametrize(
    "source", [b"a\nb\r\nc\rd\n", b"a\r\n\r\nb", b"a\rb\r", b"a\n", b"ab\n\n\ncd"]
)
@pytest.mark.parametrize("size", [0, 1, 3])
def test_lines_are_those_of_all_portions(
    source: bytes, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafmark.model.chunk.PORTION_BYTES", size)
    document = chunked(source)
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]

    lines = [document.line_of(at) for at in range(len(source))]

    assert lines == [bisect_right(starts, at) for at in range(len(source))]


@pytest.mark.parametrize(
    ("title", "heading", "path"),
    [
        ("Lamp", "Class Lamp<T>", ["Lamp", "Use"]),
        ("Guide", "Guide", ["Guide", "Use"]),
        ("Reading lamps", "Reading Lamps?", ["Reading lamps", "Use"]),
        ("Class diagrams", "Class Lamp", ["Class diagrams", "Class Lamp", "Use"]),
        ("Using", "Using `<div>`", ["Using", "Using <div>", "Use"]),
        ("Lamp", "!", ["Lamp", "!", "Use"]),
    ],
)
def test_a_first_heading_that_says_no_more_than_the_title_is_in_no_breadcrumb(
    title: str, heading: str, path: list[str]
) -> None:
    source = f'---\ntitle: "{title}"\n---\n# {heading}\n\nText.\n\n## Use\n\nMore.\n'
    options = ChunkingOptions(strategy="heading")
    found = chunk_document(parse(source.encode(), "p.md"), tree="t", options=options)
    assert list(found.chunks[-1].section_path) == path


def test_the_heading_of_a_page_is_in_no_breadcrumb_though_a_banner_stands_above_it() -> None:
    page = b"<title>Lamps</title><h2>News</h2>a<h1>Lamps</h1>b<h2>Use</h2>c<h1>Notes</h1>d"
    options = ChunkingOptions(strategy="heading")
    found = chunk_document(parse(page, "p.html"), tree="t", options=options)
    paths = [" > ".join(chunk.section_path) for chunk in found.chunks]
    assert paths == ["Lamps", "Lamps > News", "Lamps", "Lamps > Use", "Lamps > Notes"]


def test_a_definition_is_in_its_breadcrumb_though_the_file_has_its_name() -> None:
    source = b"class Lamp:\n    def light(self):\n        return 1\n"
    options = ChunkingOptions(strategy="heading")
    found = chunk_document(parse(source, "lamp.py"), tree="t", options=options)
    assert len(found.chunks[-1].section_path) == 3
