"""Grapheme boundaries: examples of each rule of UAX 29."""

from __future__ import annotations

import pytest

from leafmark.chunking.cuts import grapheme_boundary, next_boundary, token_cuts


@pytest.mark.parametrize(
    "clusters",
    [
        ["a", "b"],
        ["\r\n", "x"],
        ["\n", "\r"],
        ["e\u0301\u0323", "x"],
        ["👩\u200d👩\u200d👧", "👍🏽", "x"],
        ["🇩🇪", "🇫🇷", "🇮"],
        ["a", "🇩🇪", "🇫🇷"],
        ["❤\ufe0f", "1\ufe0f\u20e3"],
        ["각", "각", "한"],
        ["ᄀ", "x"],
        ["ꥠᄀퟆퟻ", "한ퟻ", "x"],
        ["\uff76\uff9e", "\uff8a\uff9f", "x"],
        ["\u0600١", "٢", "x"],
        ["क्षि", "x"],
        ["\u0915\u094d\u093c\u0937", "\u0915\u093c", "\u0937"],
        ["x\u0301", "\u0915"],
        ["\u1cf5\u0915", "\U00011a3a\U00011a0b", "x"],
        # the ends of the ranges that Hangul, skin tones, flags and tags have
        ["\u1100\u115f\ua960\ua97c\u1160\u11a7\ud7b0\ud7c6\u11a8\u11ff\ud7cb\ud7fb", "\u1200"],
        ["\u1100\uac00\u1160", "\ud7a3\u11a8", "\uac01", "\u1160", "\uac00", "\ua97d"],
        ["\u10ff", "\u1100", "\ud7a4", "x", "\u1160", "x", "\u11a8", "\u1160"],
        ["👍\U0001f3fb", "👍\U0001f3ff", "👍", "\U0001f400", "🇦🇿", "🇦", "x\U000e0020\U000e007f"],
        ["🏴\U000e0067\U000e0062\U000e007f", "x"],
    ],
)
def test_boundaries(clusters: list[str]) -> None:
    text = "".join(clusters)
    edges = {0}
    for cluster in clusters:
        edges.add(max(edges) + len(cluster))
    for at in range(len(text) + 1):
        assert grapheme_boundary(text, at) == max(edge for edge in edges if edge <= at)
        assert next_boundary(text, at) == min(edge for edge in edges if edge >= at) or at == 0


def test_an_endless_cluster_is_cut_all_the_same() -> None:
    text = "a" + "\u0301" * 500
    assert grapheme_boundary(text, 400) == 400
    assert next_boundary(text, 400) == 464


def test_a_cut_at_a_space_leaves_it_the_mark_that_it_carries() -> None:
    raw = ("ab \u0301" * 200).encode()
    cuts = token_cuts(raw, 50, "characters")
    assert len(cuts) > 10
    assert not any(raw[cut:].startswith("\u0301".encode()) for cut in cuts)
