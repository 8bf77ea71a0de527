"""Grapheme boundaries: examples of each rule of UAX 29."""

from __future__ import annotations

import pytest

from leafmark.chunking.cutting import token_cuts
from leafmark.chunking.graphemes import grapheme_boundary, next_boundary


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
