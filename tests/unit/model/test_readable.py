from __future__ import annotations

import pytest

from leafmark.model import ReadableText, Runs

DATA = "<p>caf\u00e9 &amp; <b>bar</b></p>".encode()


def readable(
    text: str, runs: tuple[tuple[int, int, int], ...], spans: tuple[tuple[int, int], ...]
) -> ReadableText:
    return ReadableText(text, Runs(*zip(*runs, strict=True)), spans)


TEXT = readable(
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
    text = readable("ab", ((0, 10, 11), (1, 20, 21)), ((10, 12), (20, 22)))

    assert text.source_range(0, 2) == (10, 21)
    assert text.body_range(0, 1) == (0, 1)
    assert text.body_range(1, 2) == (2, 3)
    assert text.body_range(0, 2) == (0, 3)


def test_text_that_was_inserted_leads_to_the_place_where_it_appears() -> None:
    text = readable("a\n- b", ((0, 3, 4), (1, 4, 4), (2, 8, 8), (4, 8, 9)), ((0, 12),))

    assert text.source_range(1, 2) == (4, 4)
    assert text.source_range(1, 4) == (4, 8)
    assert text.source_range(2, 5) == (8, 9)


@pytest.mark.parametrize(
    ("at", "found"),
    [
        (0, (0, 0, 3)),
        (1, (2, 4, 8)),  # a line break goes with what it ends
        (2, (2, 4, 8)),
        (3, (2, 4, 8)),  # inside the mark
        (4, (2, 4, 8)),  # between the mark and its word
        (5, (5, 9, 9)),
        (6, (6, 10, 14)),
        (7, (6, 10, 14)),  # inside an image's words
        (8, (9, 20, 20)),  # the break at the end
        (9, (9, 20, 20)),
    ],
)
def test_the_source_can_be_cut_between_two_words_but_in_nothing_that_stands_for_bytes(
    at: int, found: tuple[int, int, int]
) -> None:
    runs = ((0, 3, 4), (1, 4, 4), (2, 8, 8), (4, 8, 10), (6, 14, 20), (8, 20, 20))
    text = readable("a\n- bcim\n", runs, ((0, 20),))

    assert text.cut_before(at) == found


def test_what_begins_with_a_mark_is_cut_before_it_from_the_start_on() -> None:
    text = readable("- ab", ((0, 5, 5), (2, 5, 7)), ((2, 10),))
    assert [text.cut_before(at) for at in (0, 1, 2)] == [(0, 2, 5)] * 3
    assert text.cut_before(3) == (3, 6, 6)


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
