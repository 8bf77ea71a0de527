"""Bytes found again by length and digest."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from leafmark.search.relocation import (
    effort,
    find_among,
    find_anywhere,
    find_at_edges,
    line_edges,
)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def test_spans_outside_the_source_hold_nothing() -> None:
    wanted = {3: {digest(b"abc")}}
    spans = [(0, 3), (3, 6), (4, 7), (-1, 2), (0, 3)]
    assert list(find_among(b"abcabc", spans, wanted)) == [
        (digest(b"abc"), 0, 3),
        (digest(b"abc"), 3, 6),
    ]


def test_edges_are_those_of_lines_and_tags() -> None:
    assert line_edges(b"a\nb\r\n<p>c</p>") == [0, 2, 4, 5, 8, 9, 13]
    assert line_edges(b"") == [0]


def test_lines_are_found_without_trying_every_place() -> None:
    data = b"one\ntwo\nthree\n"
    wanted = {10: {digest(b"two\nthree\n")}, 2: {digest(b"wo")}}
    assert list(find_at_edges(data, line_edges(data), wanted)) == [(digest(b"two\nthree\n"), 4, 14)]


def test_of_several_places_the_nearest_is_taken() -> None:
    data = b"ab--ab----ab"
    assert find_anywhere(data, digest(b"ab"), 2, near=5) == (4, 6)
    assert find_anywhere(data, digest(b"ab"), 2, near=9) == (10, 12)
    assert find_anywhere(data, digest(b"xy"), 2, near=0) is None


def test_where_every_place_is_too_much_work_words_are_tried() -> None:
    data = b"some words and more words to look at"
    most = effort(data, 5) - 1
    assert find_anywhere(data, digest(b"words"), 5, near=0, most_hashed=most) == (5, 10)
    assert find_anywhere(data, digest(b"ords "), 5, near=0, most_hashed=most) is None
    assert find_anywhere(data, digest(b"ords "), 5, near=0) == (6, 11)


@given(st.text(max_size=60), st.data())
def test_what_stands_there_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    source, cited = text.encode(), text[start:end].encode()
    at = len(text[:start].encode())
    assert find_anywhere(source, digest(cited), len(cited), near=at) == (at, at + len(cited))
