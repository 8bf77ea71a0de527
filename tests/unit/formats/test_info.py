"""What Info says of itself, what is read of it, and which files are some."""

from __future__ import annotations

import pytest

import leafmark
from leafmark.formats import leads_to_page
from leafmark.formats.info import read as read_info
from leafmark.parsing import is_binary, parse

TOP = "A.\n\x1f\nFile: lamp.info,  Node: Top,  Next: Use,  Up: (dir)\n\n"
USE = "\x1f\nFile: lamp.info,  Node: Use,  Prev: Top,  Up: Top\n\n1 Use\n*****\n\n"
TABLE = "\x1f\nTag Table:\nNode: Top\x7f3\nRef: Use-1\x7f{}\n\x1f\nEnd Tag Table\n"


@pytest.mark.parametrize(
    ("path", "source", "format"),
    [
        ("lamp.info", TOP, "info"),
        ("lamp.INFO-12", USE, "info"),
        ("lamp.info", "A.\r\n\x1f\x0c\r\nFile: a,\tNode: b\r\n", "info"),
        ("lamp.info", "A.\r\x1f\rFile: a, Node: b\r", "info"),
        ("lamp.info", "A.\n\x1f\nIndirect:\nlamp.info-1: 70\n", "info"),
        ("lamp.info", "Suite: stable\n", "text"),
        ("lamp.info", "File: lamp.info,  Node: Top\n", "text"),
        ("lamp.info-a", TOP, "text"),
        ("info", TOP, "text"),
    ],
)
def test_what_is_info(path: str, source: str, format: str) -> None:
    assert parse(source.encode(), path).format == format


@pytest.mark.parametrize(
    ("source", "title"),
    [
        (TOP + "GNU Lamp\n********\n\nx\n\n" + USE + "x\n", "GNU Lamp"),
        (TOP + "x\n\n" + USE + "x\n", "lamp"),
        (USE + "x\n", "lamp"),
        ("\x1f\nFile:,  Node: Use\n\nx\n", "Use"),
    ],
)
def test_the_title_is_that_of_the_top_node(source: str, title: str) -> None:
    assert parse(source.encode(), "lamp.info-2").title == title


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("A.\n" + USE + "x\n\n" + TABLE, "1 Use\n*****\n\nx"),
        (USE + "* Menu:\n\n* A::  B\n    c\n\nThem\n\n* D: E.\n\nx\n", "1 Use\n*****\n\nx"),
        (USE + "* Menu:\r\n\r\n* A::\r\n\r\nThem\r\n\r\n* D::\r\n", "1 Use\n*****"),
        (USE + "Them.\n\n* Menu:\n\n* A::\n", "1 Use\n*****\n\nThem."),
        (USE + "   * an item: x\n\n* no entry\n", "1 Use\n*****\n\n   * an item: x\n\n* no entry"),
        (USE + "\0\b[index\0\b]\n* Menu:\n\n* a::\n", "1 Use\n*****"),
        (USE + "a *note B\nc::, *Note d: (e)F.  g\n", "1 Use\n*****\n\na B\nc, d.  g"),
        (USE + "*note a, *note\n", "1 Use\n*****\n\n*note a, *note"),
        (
            USE + '\0\b[image src="a.png" alt="A" text="\\"-\\\\\n->"\0\b]\n',
            '1 Use\n*****\n\n"-\\\n->',
        ),
        (USE + '\0\b[image src="a.png" alt="A"\0\b]\n', "1 Use\n*****\n\nA"),
        (USE + "x\n\n\x1f\nLocal Variables:\ncoding: utf-8\nEnd:\n", "1 Use\n*****\n\nx"),
        ("Nothing.\n", ""),
    ],
)
def test_what_is_read(source: str, text: str) -> None:
    data = source.encode()
    assert read_info(data, [(0, len(data))]).text == text


def test_a_span_is_read_by_what_it_stands_in() -> None:
    data = (TOP + "x\n\n" + USE + "y\n\n* Menu:\n\n* a::\n\n" + TABLE).encode()
    begin, use, table = data.index(b"File"), data.index(b"1 Use"), data.index(b"Node: Top\x7f")

    assert read_info(data, [(0, 2)]).text == ""
    assert read_info(data, [(begin + 3, use)]).text == "x"
    assert read_info(data, [(use, table + 9)]).text == "1 Use\n*****\n\ny"
    assert read_info(data, [(table, len(data))]).text == ""


def test_the_table_at_the_end_is_in_no_section() -> None:
    data = (TOP + "x\n\n" + USE + "y\n\n" + TABLE).encode()
    document, top, use = leafmark.chunk(data, path="lamp.info")

    assert use.body == "\ny\n\n"
    assert top.body == "\nx\n\n"
    assert document.body == "A.\n" + TABLE


def test_references_lead_to_nodes_and_to_named_places() -> None:
    source = TOP + "*note Use:: *note Use-1::\n\n" + USE + "y\n"
    data = (source + "\n" + TABLE.format(source.index("y\n"))).encode()
    document = parse(data, "lamp.info")

    assert [link.target for link in document.links] == ["#Use", "#Use-1"]
    assert [(one.name, data[one.at : one.at + 1]) for one in document.anchors] == [("Use-1", b"y")]


@pytest.mark.parametrize(
    ("source", "leads"),
    [(TOP, False), ("A.\n\x1f\nIndirect:\nlamp.info-1: 70\n", True), ("Indirect:\n", False)],
)
def test_the_first_file_of_parts_only_leads_to_them(source: str, leads: bool) -> None:
    assert leads_to_page("lamp.info", source.encode()) == leads


@pytest.mark.parametrize(
    ("data", "binary"),
    [(b"a\0\b[index\0\b]\n", False), (b"a\0\b[image\0\b] \0", True), (b"a\0\b", True)],
)
def test_marks_of_info_make_no_binary_file(data: bytes, binary: bool) -> None:
    assert is_binary(data) == binary
