"""What holds for every notebook; the oracle is Python's own JSON reader."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from support.markdown_sources import markdown_text
from support.notebooks import make_notebook

import leafmark
from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.parsing import parse
from leafmark.parsing.json_text import BadJsonError, value_end
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.markdown_text import markdown_reader, read_markdown
from leafmark.parsing.notebook import notebook_reader

TEXTS = markdown_text() | st.text(max_size=40)
CELLS = st.lists(
    st.tuples(st.just("markdown"), TEXTS)
    | st.tuples(st.just("raw"), TEXTS)
    | st.tuples(st.just("code"), TEXTS, TEXTS),
    max_size=5,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


def kept(document: leafmark.Document) -> list[tuple[int, int]]:
    found, at = [], 0
    for hole in document.dropped_spans:
        assert at <= hole.start < hole.end
        if at < hole.start:
            found.append((at, hole.start))
        at = hole.end
    return found


@given(CELLS, st.booleans(), st.booleans(), st.none() | st.integers(0, 2))
def test_every_cell_s_text_is_kept_in_order_and_nothing_else_is(
    cells: list[Any], lines: bool, ascii: bool, indent: int | None
) -> None:
    if not ascii:
        cells = [tuple(part.encode("utf-8", "replace").decode() for part in cell) for cell in cells]
    cells = [("raw", "."), *cells]  # the first cell may hold front matter, which is dropped
    data = make_notebook(*cells, lines=lines, ascii=ascii, indent=indent)
    sources = [_whole_characters(text) for _, text, *_ in cells]

    found = notebook_reader(data)(data, kept(parse(data, "a.ipynb"))).text
    kinds = [kind for kind, *_ in cells]
    assert found == "".join(map(_read, kinds, sources))


def _read(kind: str, text: str) -> str:
    """A cell as it is read: Markdown without tags, code between fences longer than those in it."""
    if kind == "markdown":
        raw = text.encode()
        lines = without_lone_returns(raw)
        if markdown_reader(lines):
            for first, after, shown in [*read_markdown(lines, [(0, len(raw))]).edits()][::-1]:
                raw = raw[:first] + shown.encode() + raw[after:]
        return f"{raw.decode()}\n\n" if text else ""
    if kind != "code" or not text.strip():
        return f"{text}\n\n" if text else ""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}\n{text}{end}{fence}\n\n"


def _whole_characters(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(CELLS, st.sampled_from(["heading", "auto", "fixed"]), st.booleans())
def test_every_kept_byte_is_in_one_body_or_in_one_heading(
    cells: list[Any], strategy: Any, lines: bool
) -> None:
    data = make_notebook(*cells, lines=lines)
    sizes: dict[str, Any] = {
        "min_tokens": 2,
        "target_tokens": 8,
        "max_tokens": 20,
        "fixed_tokens": 50,
    }
    chunks = leafmark.chunk(data, path="a.ipynb", strategy=strategy, fixed_overlap=0, **sizes)
    bodies = [span for chunk in chunks for span in chunk.body_spans]
    headings = [
        (chunk.heading_start, chunk.heading_end)
        for chunk in chunks
        if chunk.heading_start is not None and chunk.heading_end is not None
    ]
    count = [0] * len(data)
    for start, end in bodies + headings:
        for at in range(start, end):
            count[at] += 1
    for start, end in kept(parse(data, "a.ipynb")):
        assert count[start:end] == [1] * (end - start)
    for start, end in bodies:
        assert any(a <= start < end <= b for a, b in kept(parse(data, "a.ipynb")))
    for chunk in chunks:
        text = notebook_reader(data)(data, chunk.body_spans)
        for at in range(0, len(text.text), 7):
            start, end = text.source_range(at, at + 1)
            assert 0 <= start <= end <= len(data)


@given(TEXTS, st.booleans())
def test_a_cell_is_read_as_the_same_markdown_in_a_file(text: str, lines: bool) -> None:
    text = text.encode("utf-8", "replace").decode()
    data = make_notebook(("raw", "."), ("markdown", text), lines=lines)
    cell, file = parse(data, "a.ipynb"), parse(b".\n\n" + text.encode(), "a.md")

    assert [(h.level, h.title, h.slug_text, h.nested) for h in cell.headings] == [
        (h.level, h.title, h.slug_text, h.nested) for h in file.headings
    ]
    if "[" not in text:  # definitions may be told apart by what is before them
        assert [(b.kind, b.level, b.info) for b in cell.blocks] == [
            (b.kind, b.level, b.info) for b in file.blocks
        ]


@given(JSON, st.none() | st.integers(0, 3), st.data())
def test_json_is_told_from_what_is_none(
    value: Any, indent: int | None, data: st.DataObject
) -> None:
    raw = json.dumps(value, indent=indent).encode()
    assert value_end(raw, 0) == len(raw)

    at = data.draw(st.integers(0, len(raw) - 1))
    broken = (
        raw[:at]
        + data.draw(st.sampled_from([b"", b",", b"]", b'"', b"}", b"1", b":"]))
        + raw[at + 1 :]
    )
    try:
        whole = value_end(broken, 0) == len(broken)
    except BadJsonError:
        whole = False
    try:
        json.loads(broken)
        expected = True
    except ValueError:
        expected = False
    if whole != expected:  # numbers such as 01 are two values to the one, an error to the other
        assert not expected or broken != broken.strip()


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps({"cells": value}).encode()))
def test_any_bytes_make_a_document(data: bytes) -> None:
    document = parse(data, "a.ipynb", notebook_outputs=True)

    assert pickle.loads(pickle.dumps(document)) == document
    leafmark.chunk(data, path="a.ipynb", notebook_outputs=True)


@example(
    cells=[("markdown", "one two\n<!-- open\n"), ("raw", "í\U000bf4e8%©ZfÝµ")], size=8, overlap=5
)
@given(cells=CELLS, size=st.integers(8, 40), overlap=st.integers(0, 7))
def test_windows_hold_all_that_is_read_and_tear_no_escape(
    cells: list[Any], size: int, overlap: int
) -> None:
    document = parse(make_notebook(*cells), "a.ipynb")
    options = ChunkingOptions(strategy="fixed", fixed_tokens=size, fixed_overlap=overlap)
    found = chunk_document(document, tree="t", options=options)
    windows = [chunk for chunk in found.chunks if chunk.kind == "piece"]
    for window in windows:
        characters = 0
        for start, end in window.body_spans:
            characters += len(json.loads(b'"%s"' % document.data[start:end], strict=False))
        assert window.body_tokens <= size or characters == 1  # which has fences around it
    if windows and not overlap:
        read = found.rendering.read_body(kept(document))
        assert "".join(window.readable_body for window in windows) == read
