from __future__ import annotations

import pytest

from leafmark.model import ReadableText

DATA = "<p>caf\u00e9 &amp; <b>bar</b></p>".encode()
TEXT = ReadableText(
    "caf\u00e9 & bar", ((0, 3, 9), (5, 9, 14), (6, 14, 15), (7, 18, 21)), ((3, 9), (9, 25))
)


def found(start: int, end: int) -> bytes:
    first, last = TEXT.source_range(start, end)
    return DATA[first:last]


@pytest.mark.parametrize(
    ("start", "end", "source"),
    [
        (0, 4, "caf\u00e9"),
        (3, 4, "\u00e9"),
        (5, 6, "&amp;"),
        (0, 6, "caf\u00e9 &amp;"),
        (5, 8, "&amp; <b>b"),
        (8, 10, "ar"),
    ],
)
def test_characters_lead_to_their_bytes(start: int, end: int, source: str) -> None:
    assert found(start, end) == source.encode()


def test_a_range_counts_from_the_start_of_the_joined_spans() -> None:
    text = ReadableText("ab", ((0, 10, 11), (1, 20, 21)), ((10, 12), (20, 22)))

    assert text.source_range(0, 2) == (10, 21)
    assert text.body_range(0, 1) == (0, 1)
    assert text.body_range(1, 2) == (2, 3)
    assert text.body_range(0, 2) == (0, 3)


def test_text_that_was_inserted_leads_to_the_place_where_it_appears() -> None:
    text = ReadableText("a\nb", ((0, 3, 4), (1, 8, 8), (2, 8, 9)), ((0, 12),))

    assert text.source_range(1, 2) == (8, 8)
    assert text.source_range(1, 3) == (8, 9)


@pytest.mark.parametrize(("start", "end"), [(0, 0), (-1, 2), (3, 2), (0, 11)])
def test_a_range_outside_the_text_is_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match=rf"no characters \[{start}, {end}\) in a text of 10"):
        TEXT.source_range(start, end)


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        (0, 3, ""),
        (3, 8, "café"),
        (3, 9, "café "),
        (9, 14, "&"),
        (10, 15, " "),
        (4, 21, "afé & bar"),
        (19, 25, "ar"),
        (21, 25, ""),
    ],
)
def test_bytes_lead_to_their_characters(start: int, end: int, text: str) -> None:
    assert TEXT.shown(*TEXT.text_range(start, end)) == text
