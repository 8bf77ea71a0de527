"""Where lines begin and end."""

from __future__ import annotations

import pytest

from leafmark.parsing.lines import Lines

RAW = b"ab\n\ncd\r\n  ef"


@pytest.mark.parametrize(
    ("offset", "start"), [(0, 0), (1, 0), (3, 3), (4, 4), (5, 4), (8, 8), (10, 8), (12, 8)]
)
def test_start_of(offset: int, start: int) -> None:
    assert Lines(RAW, 0).start_of(offset) == start


def test_start_of_remembers_the_line_of_the_offset_before() -> None:
    lines = Lines(RAW, 0)

    assert [lines.start_of(at) for at in (0, 1, 1, 5, 6, 10, 11)] == [0, 0, 0, 4, 4, 8, 8]


def test_the_first_line_begins_where_content_does() -> None:
    assert Lines(b"\xef\xbb\xbf  a", 3).start_of(5) == 3


@pytest.mark.parametrize(("offset", "end"), [(1, 3), (3, 3), (4, 4), (5, 8), (8, 8), (10, 12)])
def test_end_of(offset: int, end: int) -> None:
    assert Lines(RAW, 0).end_of(offset) == end


def test_before_blank_remembers_a_long_stretch() -> None:
    raw = b"a" + b" \n" * 100 + b"b" + b"\n" * 3
    lines = Lines(raw, 0)

    assert [lines.before_blank(at) for at in (201, 150, 1, 205, 202, 203)] == [
        1,
        1,
        1,
        202,
        202,
        202,
    ]
    assert Lines(b" \n ", 0).before_blank(3) == 0
