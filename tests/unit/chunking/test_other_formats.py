"""Chunks of pages and of source code: what is special about them."""

from __future__ import annotations

import re

import pytest

from leafmark.chunking import STRATEGIES, ChunkingOptions, chunk_document, inspect_quality
from leafmark.parsing import parse


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_code_in_a_row_of_a_table_is_not_cut(strategy: str) -> None:
    """Pages of DocBook put every listing into a table with one row."""
    listing = "<pre>" + "\n".join(f"setting {k} = value" for k in range(400)) + "</pre>"
    page = f"<h1>A</h1><p>Intro.</p><table><tr><td>\n{listing}\n</td></tr></table><p>More.</p>"
    options = ChunkingOptions(strategy=strategy)  # type: ignore[arg-type]
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    assert sum(listing in chunk.body for chunk in found.chunks) == 1
    assert [one for one in inspect_quality(found, options=options) if not one.excused] == []


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_tables_in_a_table_for_the_layout_are_not_cut(strategy: str) -> None:
    rows = "".join(f"<tr><td>key {k}</td><td>value of the key</td></tr>" for k in range(25))
    tables = [f"<table><tr><th>{name}</th><th>Value</th></tr>{rows}</table>" for name in "abcdef"]
    cell = "".join(f"<p>Some text before.</p>{table}" for table in tables) + "<p>More.</p>"
    page = f"<h1>A</h1><table><tr><td>{cell}</td></tr><tr><td>Foot.</td></tr></table>"
    options = ChunkingOptions(strategy=strategy, max_tokens=700)  # type: ignore[arg-type]
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    assert len(found.chunks) > len(tables)
    for table in tables:
        assert sum(table in chunk.body for chunk in found.chunks) == 1


def test_parts_of_a_table_without_a_header_carry_nothing() -> None:
    rows = "".join(f"<tr><td>key {k}</td><td>value of the key</td></tr>" for k in range(150))
    page = f"<h1>A</h1><table>{rows}</table>"
    options = ChunkingOptions(strategy="section")
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    assert len(found.chunks) > 4
    assert {chunk.context_spans for chunk in found.chunks} == {()}
    assert [one for one in inspect_quality(found, options=options) if not one.excused] == []


def test_the_quality_report_lets_a_function_be_cut_between_its_statements() -> None:
    code = "def f(x):\n" + "".join(f"    if x > {k}:\n        print(x)\n" for k in range(300))
    for strategy in STRATEGIES:
        options = ChunkingOptions(strategy=strategy)
        found = chunk_document(parse(code.encode(), "f.py"), tree="t", options=options)
        kinds = {one.kind for one in inspect_quality(found, options=options)}
        assert ("split_code" in kinds) == (strategy == "fixed")


def test_short_ranges_between_many_sections_may_come_to_more_than_the_bound() -> None:
    parts = [
        f"X{k} = [{', '.join(map(str, range(12)))}]\n\n\ndef f{k}():\n    return {k}\n\n\n"
        for k in range(60)
    ]
    options = ChunkingOptions()
    found = chunk_document(parse("".join(parts).encode(), "f.py"), tree="t", options=options)
    root = found.chunks[0]
    assert root.tokens > options.max_tokens
    assert len(root.body_spans) > 30
    assert root.oversize
    assert not re.search("above_bound", str(inspect_quality(found, options=options)))
