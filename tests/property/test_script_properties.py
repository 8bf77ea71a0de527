"""What holds for every source in every language, however broken."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.model import Document
from leafmark.parsing.code.blocks import prose_places
from leafmark.parsing.code.languages import LANGUAGES, Language
from leafmark.parsing.code.sandbox import parse_script

HERE = [language for language in LANGUAGES if not language.in_child]
WORDS = """
    def class f A a ( ) { } [ ] : ; , . = => -> < > :: # // /* */ " ' ` @ $ & * ! if else end do
    function func fn struct impl enum interface namespace template public static void int const
    export return lambda module trait type var let CREATE TABLE FUNCTION AS begin <?php
""".split()
PROSE = [
    *["Words of a paragraph that goes on", "and ends.", "", "- item", "  of two lines"] * 8,
    "",
]
LONG = [
    opening + "\n".join(marker + line for line in PROSE) + closing
    for opening, marker, closing in [
        *[("", marker, "\n") for marker in ("# ", "// ", "/// ", "-- ")],
        *[("/**\n", " * ", "/\n"), ('"""', "    ", '"""\n'), ("`", "", "`\n"), ("/*", "", "*/ ")],
    ]
]
PARTS = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(["\n", "\r\n", "\r", "\n\n", "    ", "\t", "\0", "\ufeff", "é", "😀"]),
    st.sampled_from(["def f(a):\n    pass\n", "# c\n", "// c\n", "class A {\n", "f() {\n}\n"]),
    st.sampled_from(LONG),
)
SOURCES = st.lists(PARTS, max_size=60).map(lambda parts: " ".join(parts).encode())
EACH = pytest.mark.parametrize("language", HERE, ids=lambda language: language.name)


def parsed(language: Language, data: bytes) -> Document:
    return parse_script(data, f"a.{language.suffixes.split()[0]}")


@EACH
@given(data=st.one_of(SOURCES, st.binary(max_size=80)))
def test_definitions_nest_and_every_byte_is_in_one_body(language: Language, data: bytes) -> None:
    document = parsed(language, data)
    data, open_ends = document.data, [len(document.data)]
    for heading in document.headings:
        assert heading.line_offset is not None
        assert heading.start == heading.end <= heading.line_offset < heading.limit
        assert heading.level <= len(open_ends)
        del open_ends[heading.level :]
        assert heading.limit <= open_ends[-1]
        open_ends.append(heading.limit)
        assert heading.title
        assert heading.slug_path
        assert "\n" not in heading.title + heading.slug_path
    assert [h.start for h in document.headings] == sorted(h.start for h in document.headings)
    for strategy in ("heading", "auto", "section"):
        options = ChunkingOptions(strategy=strategy)
        chunks = chunk_document(document, tree="t", options=options).chunks
        spans = sorted(span for chunk in chunks for span in chunk.body_spans)
        assert b"".join(data[start:end] for start, end in spans) == data * bool(chunks)
        assert all(first[1] == second[0] for first, second in pairwise(spans))


@given(lines=st.lists(st.sampled_from([*PROSE, "```", "====", "# a", ":p x:", "\r", "é.", "\t"])))
def test_prose_is_parted_where_lines_begin_and_never_at_its_ends(lines: list[str]) -> None:
    for raw in ("\n".join(lines).encode(), "\r\n".join(lines).encode()):
        for marked in (True, False):
            places = [at for at, _ in prose_places(raw, marked=marked)]
            assert places == sorted(set(places))
            assert all(raw[at - 1 : at] == b"\n" for at in places)
            assert all(raw[:at].strip() and raw[at:].strip() for at in places)


@EACH
@given(data=SOURCES)
def test_blocks_nest_and_hold_all_that_is_not_blank(language: Language, data: bytes) -> None:
    document = parsed(language, data)
    open_blocks: list[tuple[int, int]] = []
    for block in document.blocks:
        del open_blocks[block.level :]
        assert len(open_blocks) == block.level
        assert all(s <= block.start < block.end <= e for s, e in open_blocks[-1:])
        if block.start not in (start for start, _ in open_blocks):
            assert not block.level or document.data[block.start - 1 : block.start] in b"\r\n"
        open_blocks.append((block.start, block.end))
    bare, at = b"", 0
    for block in document.blocks:
        if not block.level:
            assert block.start >= at
            bare, at = bare + document.data[at : block.start], block.end
    assert not (bare + document.data[at:]).removeprefix(b"\xef\xbb\xbf").strip(b"\0 \t\r\n\f\v")
