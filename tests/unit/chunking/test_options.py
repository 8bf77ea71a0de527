"""Options check themselves; every message is whole."""

from __future__ import annotations

from typing import Any

import pytest

from leafmark.chunking import PRESETS, ChunkingOptions
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
            {"min_tokens": 500},
            "min_tokens is 500",
            "min_tokens must be at most target_tokens (300)",
        ),
        (
            {"target_tokens": 2000},
            "target_tokens is 2000",
            "target_tokens must be at most max_tokens (1000)",
        ),
        (
            {"fixed_overlap": 500},
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


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_valid(name: str) -> None:
    options = ChunkingOptions(**PRESETS[name])
    assert options.strategy == "section"
