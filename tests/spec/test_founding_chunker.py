"""Founding documents 002 and 003, point by point.

`POINTS` names, for each acceptance point, the tests that show it; the functions
below show what no other test does: that the stage is pure, and that its rules
hold for whole documents, judged by a second tokenizer and by the source alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import leafmark
from leafmark.chunking import token_counter

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent

POINTS = {
    "002: functions are small, with few parameters": (
        "unit/chunking/test_limits.py::test_functions_are_small"
    ),
    "002: no side effects": (
        "spec/test_founding_chunker.py::test_the_room_reads_no_file_and_no_clock"
    ),
    "002: deterministic": (
        "spec/test_founding_chunker.py::test_the_same_source_gives_the_same_records"
    ),
    "002: sections end at the next heading of the same or a higher level": (
        "spec/test_founding_chunker.py::test_complete_sections_end_where_the_next_begins"
    ),
    "002: h1 sections are never mixed": (
        "unit/chunking/test_section.py::test_h1_sections_are_never_mixed"
    ),
    "002: siblings are not mixed": (
        "unit/chunking/test_section.py::test_siblings_are_not_mixed_when_none_is_small"
    ),
    "002: entered only where a section is too large": (
        "unit/chunking/test_section.py::test_sections_that_fit_are_chunks_and_others_are_entered"
    ),
    "002: sizes in tokens, between the least and the most": (
        "spec/test_founding_chunker.py::test_chunks_are_between_the_sizes"
    ),
    "002: exact counts": "unit/chunking/test_second_tokenizer.py",
    "002: greedy packing with look-ahead": "unit/chunking/test_packing.py",
    "002: the last sentences are carried over": (
        "unit/chunking/test_auto.py::test_overlap_is_the_last_sentences_of_the_piece_before"
    ),
    "002: of a table the header only": (
        "unit/chunking/test_auto.py::test_no_overlap_after_the_rows_of_a_table_that_began_before"
    ),
    "002: the heading trail of each chunk": (
        "unit/chunking/test_section.py::test_section_path_accuracy"
    ),
    "002: one chunk of any size for a small document": (
        "unit/chunking/test_section.py::test_a_document_that_fits_is_one_chunk"
    ),
    "002: a small last chunk goes back": (
        "unit/chunking/test_section.py::test_a_small_last_child_goes_back"
    ),
    "002: no small chunk in documents of several": (
        "spec/test_founding_chunker.py::test_chunks_are_between_the_sizes"
    ),
    "002: linear work": "unit/chunking/test_cost.py::test_twice_the_document_is_twice_the_work",
    "002: one document at a time": (
        "unit/app/chunking/test_run.py::test_output_that_grows_too_large_is_not_held_by_a_worker"
    ),
    "002: white space is cleaned, code dedented, fences intact": (
        "unit/chunking/test_record.py::test_code_is_dedented_and_its_fences_stay"
    ),
    "002: sentences, then a hard cut": "unit/chunking/test_sentences.py",
    "002: statistics against the estimate": "unit/chunking/test_reports.py::test_statistics",
    "002: deviations are flagged": (
        "unit/chunking/test_reports.py::test_deviations_over_the_tolerance"
    ),
    "002: quality is reported, and can be an error": "unit/cli/test_chunk.py",
    "003: test_markdown_heading_extraction": (
        "unit/chunking/test_section.py::test_markdown_heading_extraction"
    ),
    "003: test_code_block_integrity": "unit/chunking/test_section.py::test_code_block_integrity",
    "003: test_table_integrity": "unit/chunking/test_section.py::test_table_integrity",
    "003: test_section_path_accuracy": "unit/chunking/test_section.py::test_section_path_accuracy",
    "003: test_large_section_splitting": (
        "unit/chunking/test_section.py::test_large_section_splitting"
    ),
    "003: test_small_section_merging": "unit/chunking/test_section.py::test_small_section_merging",
    "003: indexing a CLAUDE.md, and the search for a section": (
        "integration/test_founding_sessions.py::test_a_section_is_found_by_its_title"
    ),
    "003: context around a code block": (
        "integration/test_founding_sessions.py"
        "::test_code_is_found_and_read_with_what_stands_around_it"
    ),
    "003: a document of code": "spec/test_founding_chunker.py::test_no_code_is_cut",
}
"""Acceptance points, and the test that shows each."""


@pytest.mark.parametrize("test", sorted(set(POINTS.values())))
def test_every_point_has_its_test(test: str) -> None:
    file, _, name = test.partition("::")
    source = (TESTS / file).read_text(encoding="utf-8")
    names = {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    assert name in names if name else any(each.startswith("test_") for each in names)


ALLOWED = frozenset(
    (
        *("__future__", "bisect", "collections", "dataclasses", "functools", "itertools"),
        *("operator", "re", "statistics", "string", "toktok", "types", "typing", "unicodedata"),
    )
)


def imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_the_room_reads_no_file_and_no_clock() -> None:
    room = ROOT / "src/leafmark/chunking"
    names = {name for file in room.glob("*.py") for name in imported(file.read_text("utf-8"))}
    outside = {name for name in names if not name.startswith("leafmark.")}
    assert {name.partition(".")[0] for name in outside} <= ALLOWED


DOCUMENTS = sorted(ROOT.glob("docs/*.md"))
CODE = re.compile(r"^(`{3,})[^`\n]*\n.*?^\1`*[ \t]*$", re.MULTILINE | re.DOTALL)


@pytest.fixture(params=DOCUMENTS, ids=[file.stem for file in DOCUMENTS])
def source(request: pytest.FixtureRequest) -> bytes:
    file: Path = request.param
    return file.read_bytes()


def chunks_of(source: bytes) -> list[leafmark.Chunk]:
    return leafmark.chunk(source, path="p.md", tree="t", strategy="section")


def test_the_same_source_gives_the_same_records(source: bytes) -> None:
    records = [chunk.to_dict() for chunk in chunks_of(source)]
    assert records == [chunk.to_dict() for chunk in chunks_of(bytes(bytearray(source)))]


def test_chunks_are_between_the_sizes(source: bytes) -> None:
    """Counted anew, with the counter that a second implementation is compared with."""
    count = token_counter("o200k_base")
    chunks = chunks_of(source)
    for chunk in chunks:
        assert chunk.oversize or count(chunk.text) < 1000 + 100
        if len(chunks) > 1 and chunk.has_content and not chunk.undersize:
            assert count(chunk.body) >= 100
    assert b"".join(sorted_bytes(chunks, source)) == source


def sorted_bytes(chunks: list[leafmark.Chunk], source: bytes) -> Iterator[bytes]:
    """Bodies and heading lines, by place."""
    spans = [span for chunk in chunks for span in chunk.body_spans]
    spans += [
        (chunk.heading_start, chunk.heading_end)
        for chunk in chunks
        if chunk.heading_start is not None and chunk.heading_end is not None
    ]
    return (source[start:end] for start, end in sorted(spans))


def test_complete_sections_end_where_the_next_begins(source: bytes) -> None:
    chunks = [chunk for chunk in chunks_of(source) if chunk.kind == "section"]
    for chunk, after in pairwise(chunks):
        if chunk.is_complete_section:
            assert chunk.byte_end <= (after.heading_start or 0)
            outer = [line for line in CODE.sub("", chunk.body).splitlines() if line.startswith("#")]
            levels = [len(line) - len(line.lstrip("#")) for line in outer]
            assert all(level > chunk.depth for level in levels)


def test_no_code_is_cut(source: bytes) -> None:
    text = source.decode()
    wholes = [match[0] for match in CODE.finditer(text)]
    bodies = [chunk.body for chunk in chunks_of(source)]
    assert all(any(whole in body for body in bodies) for whole in wholes)
