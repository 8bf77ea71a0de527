"""The Python examples in the documents run, with the real frameworks, over the handbook."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["library.md", "langchain.md", "llamaindex.md"])
def test_examples_do_what_the_page_says(
    name: str, handbook: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAFMARK_HOME", str(home / "leafmark"))
    monkeypatch.chdir(handbook.parent)
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(page, {}, name, name, 0)
    assert len(test.examples) > 10
    told: list[str] = []
    doctest.DocTestRunner().run(test, out=told.append)
    assert not told, "".join(told)
