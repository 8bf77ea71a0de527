"""What a text costs under a budget."""

from __future__ import annotations

import pytest

from leafmark.chunking import register_tokenizer, token_counter
from leafmark.render.budgets import count_tokens

TEXT = "# One\n\nTwo, three.\n    four\n/five\nsix\n"


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base", "characters"])
def test_a_text_costs_what_its_tokenizer_counts(tokenizer: str) -> None:
    count = count_tokens(tokenizer)
    assert [count(TEXT), count(TEXT * 2)] == [
        token_counter(tokenizer)(text) for text in (TEXT, TEXT * 2)
    ]


def test_a_tokenizer_whose_words_reach_over_lines_is_given_whole_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("leafmark.chunking.tokens.REGISTERED", {})  # for this test alone
    register_tokenizer("squares", lambda text: len(text) ** 2)
    assert count_tokens("squares")(TEXT) == len(TEXT) ** 2
