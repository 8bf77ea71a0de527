"""What holds for every source of a format that is read by lines."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.lined_sources import (
    asciidoc_bytes,
    info_bytes,
    numbered_bytes,
    org_bytes,
    pod_bytes,
    rdoc_bytes,
    roff_bytes,
    rst_bytes,
)
from support.markdown_sources import messy_bytes

import leafmark
from leafmark.model import Block, Document
from leafmark.parsing import parse

_MANUALS = info_bytes().map(lambda source: source + b"\n\x1f\nFile: a,  Node: b\n\nText.\n")
_PAGES = roff_bytes().map(lambda source: b".TH a 1\n" + source.removeprefix(b"\xef\xbb\xbf"))
SOURCES = (
    st.tuples(rst_bytes(), st.just("a.rst"))
    | st.tuples(asciidoc_bytes(), st.just("a.adoc"))
    | st.tuples(rdoc_bytes(), st.just("a.rdoc"))
    | st.tuples(org_bytes(), st.just("a.org"))
    | st.tuples(pod_bytes(), st.just("a.pod"))
    | st.tuples(_PAGES, st.just("a.1"))
    | st.tuples(_MANUALS, st.just("a.info"))
    | st.tuples(numbered_bytes(), st.just("a.txt"))
    | st.tuples(messy_bytes(), st.sampled_from(["a.rst", "a.adoc", "a.rdoc", "a.org", "a.pod"]))
)


def top(document: Document) -> list[tuple[int, int]]:
    found = [(block.start, block.end) for block in document.blocks if not block.level]
    return sorted(found + [(h.start, h.end) for h in document.headings if not h.nested])


@given(SOURCES)
def test_what_stands_at_the_top_level_is_disjoint_and_leaves_only_blanks(
    source: tuple[bytes, str],
) -> None:
    document = parse(*source)
    data = document.data

    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    for start, end in top(document):
        assert at <= start < end
        assert not data[at:start].decode("utf-8", "replace").strip()
        at = end
    assert at <= len(data)
    assert not data[at:].decode("utf-8", "replace").strip()
    assert pickle.loads(pickle.dumps(document)) == document


@given(SOURCES)
def test_nested_blocks_lie_in_the_block_before_them_and_are_whole_lines(
    source: tuple[bytes, str],
) -> None:
    document = parse(*source)
    opened: list[Block] = []
    for block in document.blocks:
        assert block.level <= len(opened)
        del opened[block.level :]
        for outer in opened[-1:]:
            assert outer.start <= block.start < block.end <= outer.end
        opened.append(block)
        before, last = document.data[: block.start], document.data[block.end - 1 : block.end]
        assert not before or before[-1:] in b"\r\n" or before == b"\xef\xbb\xbf"
        assert last in (b"\n", b"\r") or block.end == len(document.data)
    for first, second in pairwise(document.headings):
        assert first.end <= second.start


@given(SOURCES)
def test_links_and_titles_can_be_stored(source: tuple[bytes, str]) -> None:
    document = parse(*source)

    for link in document.links:
        assert 0 <= link.start < link.end <= len(document.data)
        link.target.encode()
    for heading in document.headings:
        heading.slug_text.encode()
        assert heading.level >= 1


@given(SOURCES, st.sampled_from(["auto", "heading"]))
def test_every_byte_is_in_one_body_or_one_heading_line(
    source: tuple[bytes, str], strategy: str
) -> None:
    data, path = source
    chunks = leafmark.chunk(data, path=path, strategy=strategy, min_tokens=2, target_tokens=8)  # type: ignore[arg-type]
    if not chunks:
        return
    spans = [span for chunk in chunks for span in chunk.body_spans]
    spans += [
        (chunk.heading_start, chunk.heading_end)
        for chunk in chunks
        if chunk.heading_start is not None and chunk.heading_end is not None
    ]
    at = 0
    for start, end in sorted(spans):
        assert start == at
        at = end
    assert at == len(chunks[0].owner.document.data)


@pytest.mark.parametrize(
    ("strategy", "path"),
    [
        (rst_bytes, "a.rst"),
        (asciidoc_bytes, "a.adoc"),
        (rdoc_bytes, "a.rdoc"),
        (org_bytes, "a.org"),
        (pod_bytes, "a.pod"),
        (lambda: _PAGES, "a.1"),
        (lambda: _MANUALS, "a.info"),
        (numbered_bytes, "a.txt"),
    ],
)
@given(data=st.data())
def test_line_ends_change_nothing_but_offsets(strategy, path, data) -> None:  # type: ignore[no-untyped-def]
    def outline(source: bytes) -> list[tuple[object, ...]]:
        document = parse(source, path)
        headings = [(h.level, h.title, h.anchor, h.nested) for h in document.headings]
        return [*headings, *[(block.kind, block.level, block.info) for block in document.blocks]]

    unix = data.draw(strategy()).replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    assert outline(unix.replace(b"\n", b"\r\n")) == outline(unix)
    assert outline(unix.replace(b"\n", b"\r")) == outline(unix)
