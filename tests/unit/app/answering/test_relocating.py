"""Bytes found again by length and digest."""

from __future__ import annotations

import hashlib
import re

from hypothesis import given
from hypothesis import strategies as st

from leafmark.app.answering.verifying import Edges, find_among, find_anywhere, find_in_all


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def test_spans_outside_the_source_hold_nothing() -> None:
    wanted = {3: {digest(b"abc")}}
    spans = [(0, 3), (3, 6), (4, 7), (-1, 2), (0, 3)]
    assert list(find_among(b"abcabc", spans, wanted)) == [
        (digest(b"abc"), 0, 3),
        (digest(b"abc"), 3, 6),
    ]


def test_spans_lie_between_the_ends_of_lines_tags_and_sentences() -> None:
    edges = Edges(b"one\ntwo. Three\n<p>x</p>")
    assert list(edges.windows(4)) == [0, 15, 19]
    assert list(edges.windows(5)) == [4, 18]
    assert list(edges.windows(11)) == [4]
    assert list(edges.windows(99)) == []
    assert list(Edges(b"").windows(1)) == []


def test_all_sources_are_looked_through_at_once() -> None:
    sources = [("a", b"one\ntwo\n"), ("b", b""), ("c", b"two\nthree\nfour"), ("d", b"two\n")]
    wanted = {4: {digest(b"two\n"), digest(b"four"), digest(b"none")}, 6: {digest(b"three\n")}}
    found = find_in_all(sources, wanted)
    assert {key: sorted(places) for key, places in found.items()} == {
        (digest(b"two\n"), 4): [("a", 4, 8), ("c", 0, 4), ("d", 0, 4)],
        (digest(b"four"), 4): [("c", 10, 14)],
        (digest(b"three\n"), 6): [("c", 4, 10)],
    }


def test_what_begins_and_ends_within_a_line_is_found_while_there_is_room() -> None:
    cited = "öne two".encode()
    sources = [("a", b"x" * 300), ("b", b"und " + cited + b"s here")]
    found = find_in_all(sources, {len(cited): {digest(cited)}})
    assert list(found.values()) == [[("b", 4, 4 + len(cited))]]


def test_nothing_is_found_over_the_end_of_a_source() -> None:
    assert find_in_all([("a", b"one"), ("b", b"two")], {7: {digest(b"one\ntwo")}}) == {}


@given(st.lists(st.binary(max_size=30), max_size=5))
def test_every_line_of_every_source_is_found(sources: list[bytes]) -> None:
    named = list(enumerate(sources))
    lines = [
        (number, match.start(), match.end())
        for number, source in named
        for match in re.finditer(rb"[^\n]*\n", source)
    ]
    for number, start, end in lines:
        line = sources[number][start:end]
        found = find_in_all(named, {end - start: {digest(line)}})[digest(line), end - start]
        assert (number, start, end) in found


def test_of_several_places_the_nearest_is_taken() -> None:
    data = b"ab--ab----ab"
    assert find_anywhere(data, digest(b"ab"), 2, near=5) == (4, 6)
    assert find_anywhere(data, digest(b"ab"), 2, near=9) == (10, 12)
    assert find_anywhere(data, digest(b"xy"), 2, near=0) is None


def test_the_nearest_places_are_tried_where_all_are_too_much_work() -> None:
    data = b"some words and more words to look at"
    few = 6 * (5 + 2048)
    assert find_anywhere(data, digest(b"words"), 5, near=4, most_hashed=few) == (5, 10)
    assert find_anywhere(data, digest(b"look "), 5, near=4, most_hashed=few) is None
    assert find_anywhere(data, digest(b"look "), 5, near=4) == (29, 34)


@given(st.text(max_size=60), st.data())
def test_what_stands_there_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    source, cited = text.encode(), text[start:end].encode()
    at = len(text[:start].encode())
    assert find_anywhere(source, digest(cited), len(cited), near=at) == (at, at + len(cited))
