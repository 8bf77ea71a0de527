"""What holds for every source that is parsed as Markdown or plain text."""

from __future__ import annotations

import json
import pickle
import re
from itertools import pairwise

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from support.markdown_sources import (
    block_like_text,
    front_matter,
    heading_like_text,
    markdown_bytes,
    markdown_text,
    messy_bytes,
)

from leafmark.model import Block, BlockRegions, Document, Heading, Link
from leafmark.parsing import decode, parse
from leafmark.parsing.frontmatter import read_simple_yaml, read_yaml, to_json
from leafmark.parsing.markdown import PortionedText
from leafmark.parsing.markdown_links import find_heads
from leafmark.parsing.markdown_walk import scan_headings, walk

ADDRESS_HEAD = re.compile(
    rb"(?<![A-Za-z])(?i:https?|ftp)://"
    rb"|(?<![^\s*_~(|])(?i:www)\.(?=[A-Za-z0-9\x80-\xff])"
    rb"|(?<![\w.+-])(?:(?:mailto|xmpp):)?(?:[\w.+-]|\\[_.+-])+\\?@",
)
"""What an address begins with, as one pattern that looks at every byte."""

ADDRESS_PARTS = st.sampled_from(
    ["http", "HTTPS", "ftp", "://", "www.", "WwW.", "mailto:", "xmpp:", *"a_-.\\@ \n(|é~*s1"]
)

PATHS = st.sampled_from(["a.md", "a.txt"])


def line_edges(document: Document) -> set[int]:
    """The offsets at which a line begins, and the two ends; a byte order mark is before them."""
    data, edges = document.data, {0, len(document.data)}
    if data.startswith(b"\xef\xbb\xbf"):
        edges.add(3)
    for at, byte in enumerate(data):
        if byte == 10 or (byte == 13 and data[at + 1 : at + 2] != b"\n"):
            edges.add(at + 1)
    return edges


@given(st.lists(ADDRESS_PARTS).map("".join))
@example("www.a\\--s@ _www.b@ www.c@ a_www.d@")
def test_addresses_begin_where_one_pattern_finds_them(text: str) -> None:
    raw = text.encode()

    assert find_heads(raw) == [head.span() for head in ADDRESS_HEAD.finditer(raw)]


@given(messy_bytes(), PATHS)
@example(b"\xff\xfe#\x00 \x00", "a.md")
@example(b"\0" * 9, "a.md")
def test_any_bytes_make_a_document_that_can_be_stored(data: bytes, path: str) -> None:
    document = parse(data, path)

    assert document == parse(data, path)
    assert pickle.loads(pickle.dumps(document)) == document
    json.dumps(dict(document.metadata), allow_nan=False).encode()
    for text in (document.title, *document.tags, *(h.slug_text for h in document.headings)):
        text.encode()


@given(st.one_of(markdown_text(), heading_like_text()))
@example("<!-->#\n# a\n")
def test_headings_that_are_certain_without_the_walk_are_those_of_the_walk(text: str) -> None:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\r\n")
    raw = text.encode()

    found = scan_headings(raw, 0)

    assert found is None or [*found.headings()] == walk(raw).headings


@given(
    st.lists(st.one_of(markdown_text(), heading_like_text(), block_like_text()), max_size=4),
    st.integers(0, 40),
)
@example(["# [a]\n", "# b\n", "[A]: c\n"], 0)
@example(["# [a\\]b]\n", "# b [^x]\n", "[^x]: y\n\n[a\\]b]: c\n"], 0)
@example(["<!--\n", "# a\n", "-->\n# [b][]\n", "> [b]: c\n", "# d\n"], 0)
@example(["# [^1]\n\n# \n```\n[^1]: note\n"], 0)
@example(["[a\nb]\n===\n", "# c\n", "[a b]: d\n"], 0)
def test_headings_by_portions_are_those_of_the_whole(texts: list[str], size: int) -> None:
    text = "\n\n".join(texts).replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\r\n")
    raw = text.encode()

    parted, whole = PortionedText(raw, 0, large=0, size=size), PortionedText(raw, 0)

    assert parted.headings == whole.headings
    assert [*whole.headings.headings()] == walk(raw).headings


@given(st.one_of(markdown_text(), heading_like_text(), block_like_text()))
@example("- x\n[a]: b\n# c\n")
@example("* x\n\n[a]: b\n")
@example("x\n[^a]: b\n")
@example("- 0. ```\n\n")
@example("\ufeff- # a\n- b\n")
@example("  [a]: b\n# c\n")
@example("| a | b |\n|---|---|")
@example("[^1]: [^1]: # ")
@example("- [ ] \r\na")
@example("- x\n- [x]\na\n\n- [X]\t\n`b`")
@example("- [ ]\n\n\tx")
@example("[a]: b\n\n[c]: d[e]<!--\n")
def test_blocks_by_regions_are_the_blocks_in_order(text: str) -> None:
    document = parse(text.encode(), "a.md")
    blocks = document.blocks
    assert isinstance(blocks, BlockRegions)

    regions = [blocks.region(number) for number in blocks.regions_of(0, len(document.data))]
    by_region = [
        block
        for region in regions
        for outer in region.top
        for block in (outer, *region.inside(outer))
    ]
    assert by_region == list(parse(text.encode(), "a.md").blocks)
    assert by_region == sorted(by_region, key=lambda block: block.start)


@given(messy_bytes(), PATHS)
def test_headings_and_blocks_are_whole_lines_in_order(data: bytes, path: str) -> None:
    document = parse(data, path)
    edges = line_edges(document)

    parts: list[Heading | Block] = [*document.headings, *document.blocks]
    for part in parts:
        assert part.start < part.end
        assert {part.start, part.end} <= edges
    for before, after in pairwise(document.headings):
        assert before.start < after.start
    starts = [block.start for block in document.blocks]
    assert starts == sorted(starts)


@given(messy_bytes(), PATHS)
def test_what_stands_at_the_top_level_is_disjoint_and_leaves_only_blanks(
    data: bytes, path: str
) -> None:
    document = parse(data, path)
    top = [(block.start, block.end) for block in document.blocks if not block.level]
    top += [(h.start, h.end) for h in document.headings if not h.nested]

    at = 3 if document.data.startswith(b"\xef\xbb\xbf") else 0
    for start, end in sorted(top):
        assert at <= start
        assert not document.data[at:start].strip()
        at = end
    assert not document.data[at:].strip()


@given(messy_bytes())
def test_nested_blocks_lie_in_the_container_before_them(data: bytes) -> None:
    open_blocks: list[tuple[int, int]] = []
    for block in parse(data, "a.md").blocks:
        assert block.level <= len(open_blocks)
        del open_blocks[block.level :]
        for start, _ in open_blocks[-1:]:
            assert start <= block.start
        open_blocks.append((block.start, block.end))


@given(markdown_bytes())
def test_offsets_into_valid_utf8_cut_no_character(data: bytes) -> None:
    document = parse(data, "a.md")

    assert document.data == data
    parts: list[Heading | Block | Link] = [*document.headings, *document.blocks, *document.links]
    for part in parts:
        data[part.start : part.end].decode()


@given(markdown_bytes())
def test_line_ends_change_nothing_but_offsets(data: bytes) -> None:
    def outline(source: bytes) -> list[tuple[object, ...]]:
        document = parse(source, "a.md")
        headings = [(h.level, h.title, h.slug_text, h.nested) for h in document.headings]
        blocks = [(block.kind, block.level, block.info) for block in document.blocks]
        return [(document.title, document.tags), *headings, *blocks]

    unix = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    assert outline(unix.replace(b"\n", b"\r\n")) == outline(unix)
    assert outline(unix.replace(b"\n", b"\r")) == outline(unix)


@given(messy_bytes())
def test_decoded_text_has_a_byte_for_each_byte(data: bytes) -> None:
    decoded = decode(data, "a.md")

    assert len(decoded.text.encode()) == len(decoded.data)
    if decoded.encoding == "utf-8":
        assert decoded.data == data
        assert decoded.restore(decoded.text) == data.decode("utf-8", "replace")


@given(front_matter() | st.lists(st.text(max_size=12), max_size=5).map("\n".join))
def test_simple_front_matter_is_read_as_the_yaml_parser_reads_it(text: str) -> None:
    body = text.partition("\n")[2]
    simple = read_simple_yaml(body)
    if simple is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leafmark.parsing.frontmatter.read_simple_yaml", lambda text: None)
        assert read_yaml(body) == (simple, [])
    strings = yaml.load(body, Loader=yaml.BaseLoader) or {}
    assert list(to_json(simple)) == list(strings)
