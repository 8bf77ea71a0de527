"""The examples of the CommonMark and GFM specifications: same headings, code, tables and rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.expected_html import Outline, outline_of

from leafmark.model import Document
from leafmark.parsing import parse

FILES = ("commonmark-0.31.2", "gfm-0.29")

_RAW = "the expected page has raw HTML in it, which is no Markdown structure"
KNOWN_DEVIATIONS = {
    "commonmark-0.31.2-98": "two lines of three hyphens are front matter with nothing in it",
    **{f"commonmark-0.31.2-{number}": _RAW for number in (148, 149, 160, 169, 190, 191)},
}
"""Examples that are read differently, each with the reason."""


def load(name: str) -> dict[str, Any]:
    path = Path(__file__).with_name(f"{name}.json")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def outline(document: Document) -> Outline:
    """What `outline_of` finds in the HTML, from our document."""
    parts: list[tuple[int, tuple[str, ...]]] = []
    for heading in document.headings:
        place = "nested" if heading.nested else "top"
        parts.append((heading.start, (f"h{heading.level}", place, heading.title)))
    for block in document.blocks:
        place = "nested" if block.level else "top"
        if block.kind == "code":
            parts.append((block.start, ("code", place, block.info)))
        elif block.kind == "table":
            parts.append((block.start, ("table", place)))
        elif block.kind == "thematic_break":
            parts.append((block.start, ("hr", place)))
    return [part for _, part in sorted(parts, key=lambda part: part[0])]


def examples() -> list[Any]:
    params = []
    for name in FILES:
        for example in load(name)["examples"]:
            key = f"{name}-{example['example']}"
            reason = KNOWN_DEVIATIONS.get(key)
            marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
            case = (example["markdown"], example["html"])
            params.append(pytest.param(*case, id=key, marks=marks))
    return params


@pytest.mark.parametrize(("markdown", "html"), examples())
def test_structure_is_the_expected_one(markdown: str, html: str) -> None:
    assert outline(parse(markdown.encode(), "example.md")) == outline_of(html)


@pytest.mark.parametrize("name", FILES)
def test_examples_are_attributed_and_many(name: str) -> None:
    loaded = load(name)

    assert loaded["licence"] == "CC-BY-SA-4.0"
    assert loaded["author"]
    assert len(loaded["examples"]) == {"commonmark-0.31.2": 652, "gfm-0.29": 24}[name]
