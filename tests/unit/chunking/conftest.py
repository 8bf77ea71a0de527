"""Tokenizers that a test registers are gone after it."""

from __future__ import annotations

import pytest

from leafmark.chunking import tokens


@pytest.fixture(autouse=True)
def registered_tokenizers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "REGISTERED", dict(tokens.REGISTERED))
