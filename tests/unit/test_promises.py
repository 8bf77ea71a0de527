"""docs/RELIABILITY.md is what the table of promises says, and each promise has its test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.promises import PROMISES, Promise, page

TESTS = Path(__file__).parents[1]


def test_the_page_is_what_the_table_says() -> None:
    written = (TESTS.parent / "docs" / "RELIABILITY.md").read_text(encoding="utf-8")
    assert written == page(), "stale: python -m support.promises ../docs/RELIABILITY.md, in tests"


@pytest.mark.parametrize("promise", PROMISES, ids=lambda each: each.test.rpartition("::")[2])
def test_each_promise_has_its_test(promise: Promise) -> None:
    file, _, name = promise.test.partition("::")
    text = (TESTS / file).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", text, re.MULTILINE)
