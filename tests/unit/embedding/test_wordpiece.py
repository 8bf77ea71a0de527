"""WordPiece against what the tokenizer that the model came with answers (`tokenizers` 0.23.3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.embedding.minilm import CLS, SEP, token_ids, vocabulary

CASES = json.loads(Path(__file__).with_name("wordpiece.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_pieces_are_those_of_the_model(case: dict[str, Any]) -> None:
    assert token_ids(case["text"], limit=10_000) == case["ids"]


def test_the_vocabulary_is_whole() -> None:
    known = vocabulary()
    assert len(known) == 30_522
    assert (known["[CLS]"], known["[SEP]"], known["[PAD]"]) == (CLS, SEP, 0)


@given(st.text(), st.integers(min_value=3, max_value=40))
def test_a_limit_cuts_and_changes_nothing_before(text: str, limit: int) -> None:
    whole = token_ids(text, limit=10_000)
    found = token_ids(text, limit=limit)
    assert len(found) <= limit
    assert found[:-1] == whole[: len(found) - 1]
    assert found[-1] == SEP
