"""Exact counts, registration, and prefixes of so many tokens."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import pytest

from leafmark.chunking import register_tokenizer, token_counter, tokenizer_names
from leafmark.chunking.tokens import least_tokens, take_tokens
from leafmark.errors import UsageError


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [
        ("", 0, 0),
        ("hello world", 2, 2),
        ("tiktoken is great!", 6, 6),
        ("antidisestablishmentarianism", 6, 6),
        ("2 + 2 = 4", 7, 7),
        ("お誕生日おめでとう", 8, 9),
    ],
)
def test_published_counts(text: str, o200k: int, cl100k: int) -> None:
    """The counts that the tokenizers' makers print in their own cookbook."""
    assert token_counter("o200k_base")(text) == o200k
    assert token_counter("cl100k_base")(text) == cl100k


def test_special_tokens_are_ordinary_text() -> None:
    assert token_counter("o200k_base")("<|endoftext|>") > 1


def test_characters() -> None:
    assert token_counter("characters")("naïve 🎉") == 7


def test_a_counter_can_be_pickled() -> None:
    counter = pickle.loads(pickle.dumps(token_counter("cl100k_base")))
    assert counter("hello world") == 2


def count_words(text: str) -> int:
    return len(text.split())


def test_registration() -> None:
    register_tokenizer("words", count_words)
    assert "words" in tokenizer_names()
    assert token_counter("words")("one two three") == 3


@pytest.mark.parametrize(
    ("name", "count", "message", "hint"),
    [
        ("o200k_base", len, "the tokenizer o200k_base is built in and cannot be replaced", None),
        ("", len, "a tokenizer cannot be called ''", "give a text"),
        (None, len, "a tokenizer cannot be called None", "give a text"),
        ("x", None, "count is None", "give a function from a text to the number of its tokens"),
        (
            "x",
            str.split,
            "the tokenizer x counts [] in the empty text",
            "return a whole number, such as len(encode(text))",
        ),
        (
            "x",
            lambda text: len(text) + 2,
            "the tokenizer x counts 2 tokens in the empty text",
            "count no special tokens: encode(text, add_special_tokens=False)",
        ),
    ],
)
def test_what_cannot_count_is_refused(name: Any, count: Any, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as wrong:
        register_tokenizer(name, count)
    assert (wrong.value.message, wrong.value.hint) == (message, hint)
    assert "x" not in tokenizer_names()


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base", "characters"])
@pytest.mark.parametrize(
    "text", ["hello world. " * 50, "=" * 900, " " * 900, "中文" * 300, "🎉" * 200, "qzxj" * 100]
)
@pytest.mark.parametrize("limit", [1, 7, 40])
def test_a_prefix_has_at_most_the_limit_and_one_more_character_more(
    tokenizer: str, text: str, limit: int
) -> None:
    count = token_counter(tokenizer)
    length = take_tokens(text, limit, tokenizer)
    assert 1 <= length <= len(text)
    assert count(text[:length]) <= limit or length == 1
    if tokenizer == "characters":
        assert length == limit


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("text", ["hello world. " * 90, "=" * 900, "中文" * 600, "qzxj" * 400])
@pytest.mark.parametrize("likely", [1, 30, 110, 260, 2000])
def test_a_guess_at_its_length_changes_no_prefix(tokenizer: str, text: str, likely: int) -> None:
    for limit in (7, 40, 300):
        length = take_tokens(text, limit, tokenizer)
        assert take_tokens(text, limit, tokenizer, likely=likely) == length


@pytest.mark.parametrize("text", ["", "a b", " " * 512, "=" * 512, "中文🎉" * 90, "\0\ufffd"])
@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base", "characters", "words"])
def test_no_text_has_fewer_tokens_than_its_bytes_tell(tokenizer: str, text: str) -> None:
    register_tokenizer("words", lambda text: len(text.split()))
    assert least_tokens(len(text.encode()), tokenizer) <= token_counter(tokenizer)(text)
    assert not text or tokenizer == "words" or least_tokens(10_000, tokenizer) > 70


@pytest.mark.parametrize("limit", [1, 90, 250, 500, 799])
def test_a_prefix_by_a_registered_tokenizer_is_nearly_as_long_as_can_be(limit: int) -> None:
    register_tokenizer("bytes", lambda text: len(text.encode()))
    text = "a" * 200 + "中" * 100 + "é" * 150
    length = take_tokens(text, limit, "bytes")
    longest = max(at for at in range(len(text)) if len(text[:at].encode()) <= limit)
    assert longest - len(text) // 64 <= length <= longest


def test_what_is_short_by_its_bytes_loads_no_tokenizer() -> None:
    """Loading one takes longer than all else that becomes of a small document."""
    code = """
import sys
from leafmark.chunking import chunk_document
from leafmark.parsing import parse
sources = {"a.md": b"# A\\n\\nhello <b>you</b>\\n", "b.html": b"<h1>B</h1><p>hello</p>"}
for name, text in sources.items():
    assert len(chunk_document(parse(text, name), tree="t").chunks)
print("toktok" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
