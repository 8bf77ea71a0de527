"""Options check themselves; every message is whole."""

from __future__ import annotations

from typing import Any

import pytest

from leafmark.chunking import PRESETS, ChunkingOptions, Yielding
from leafmark.errors import ConfigError


@pytest.mark.parametrize(
    ("fields", "message", "hint"),
    [
        (
            {"strategy": "magic"},
            "strategy is 'magic'",
            "strategy must be one of auto, heading, section, fixed",
        ),
        (
            {"tokenizer": "gpt9"},
            "tokenizer is 'gpt9'",
            "tokenizer must be one of o200k_base, cl100k_base, characters",
        ),
        (
            {"min_tokens": -1},
            "min_tokens is -1",
            "min_tokens must be a whole number of at least 0",
        ),
        (
            {"target_tokens": 0, "min_tokens": 0},
            "target_tokens is 0",
            "target_tokens must be a whole number of at least 1",
        ),
        (
            {"max_tokens": "9"},
            "max_tokens is '9'",
            "max_tokens must be a whole number of at least 1",
        ),
        (
            {"fixed_tokens": True},
            "fixed_tokens is True",
            "fixed_tokens must be a whole number of at least 1",
        ),
        (
            {"min_tokens": 500, "target_tokens": 300},
            "min_tokens is 500",
            "min_tokens must be at most target_tokens (300)",
        ),
        (
            {"min_tokens": 500, "max_tokens": 300},
            "min_tokens is 500",
            "min_tokens must be at most max_tokens (300)",
        ),
        (
            {"target_tokens": 2000, "max_tokens": 1000},
            "target_tokens is 2000",
            "target_tokens must be at most max_tokens (1000)",
        ),
        (
            {"fixed_overlap": 500, "fixed_tokens": 500},
            "fixed_overlap is 500",
            "fixed_overlap must be less than fixed_tokens (500)",
        ),
        (
            {"heading_levels": 7},
            "heading_levels is 7",
            "heading_levels must be a whole number from 0 to 6",
        ),
        (
            {"oversize_code": "cut"},
            "oversize_code is 'cut'",
            "oversize_code must be one of keep, split",
        ),
        (
            {"slug_style": "gitlab"},
            "slug_style is 'gitlab'",
            "slug_style must be one of github, collapse",
        ),
        ({"tolerance": -0.1}, "tolerance is -0.1", "tolerance must be a number of at least 0"),
        (
            {"tolerance": float("nan")},
            "tolerance is nan",
            "tolerance must be a number of at least 0",
        ),
    ],
)
def test_what_is_refused(fields: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ChunkingOptions(**fields)
    assert (caught.value.message, caught.value.hint) == (message, hint)


Sizes = tuple[int, int, int, int, int]


def sizes(options: ChunkingOptions) -> Sizes:
    """The least, the target, the most; the window and its overlap."""
    own = options.min_tokens, options.target_tokens, options.max_tokens
    return *own, options.fixed_tokens, options.fixed_overlap


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, (100, 300, 1000, 500, 50)),
        ({"max_tokens": 200}, (100, 200, 200, 200, 50)),
        ({"max_tokens": 60}, (30, 60, 60, 60, 30)),
        ({"max_tokens": 1}, (0, 1, 1, 1, 0)),
        ({"max_tokens": 3000}, (100, 300, 3000, 500, 50)),
        ({"target_tokens": 2000}, (100, 2000, 2000, 500, 50)),
        ({"target_tokens": 120}, (60, 120, 1000, 500, 50)),
        ({"min_tokens": 250}, (250, 500, 1000, 500, 50)),
        ({"min_tokens": 700}, (700, 1400, 1400, 500, 50)),
        ({"min_tokens": 0}, (0, 300, 1000, 500, 50)),
        ({"min_tokens": 150, "max_tokens": 200}, (150, 200, 200, 200, 50)),
        ({"min_tokens": 100, "target_tokens": 100}, (100, 100, 1000, 500, 50)),
        ({"fixed_tokens": 40}, (100, 300, 1000, 40, 20)),
        ({"fixed_tokens": 1}, (100, 300, 1000, 1, 0)),
        ({"fixed_overlap": 400}, (100, 300, 1000, 800, 400)),
        ({"fixed_tokens": 40, "fixed_overlap": 39}, (100, 300, 1000, 40, 39)),
        ({"fixed_tokens": 500, "max_tokens": 200}, (100, 200, 200, 500, 50)),
        ({"fixed_overlap": 150, "max_tokens": 200}, (100, 200, 200, 300, 150)),
    ],
)
def test_a_default_yields_to_what_is_stated(stated: dict[str, Any], expected: Sizes) -> None:
    options = ChunkingOptions(**stated)
    assert sizes(options) == expected
    assert {type(size) for size in sizes(options)} == {int}
    assert sizes(options._replace(strategy="section")) == expected


def test_sizes_of_a_preset_yield_where_they_are_said_to() -> None:
    preset: dict[str, Any] = {
        name: Yielding(size) if isinstance(size, int) else size
        for name, size in PRESETS["rag"].items()
    }
    assert sizes(ChunkingOptions(**preset)) == (100, 400, 1000, 500, 50)
    assert sizes(ChunkingOptions(**(preset | {"max_tokens": 150}))) == (75, 150, 150, 150, 50)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_valid(name: str) -> None:
    options = ChunkingOptions(**PRESETS[name])
    assert options.strategy == "section"
