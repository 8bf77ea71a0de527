"""The quick reader of simple YAML: what it takes, and what it leaves to the real parser."""

from __future__ import annotations

import pytest

from leafmark.parsing import frontmatter
from leafmark.parsing.frontmatter import read_simple_yaml, read_yaml, to_json

SIMPLE = [
    "",
    "a: b",
    "title: A B",
    "ms.date: 04/20/2017\nms.topic: reference",
    "external help file: X.dll-Help.xml",
    "a: \"b: c # d\"\ne: 'f'",
    'a: [x, y z, 3]\nb: ["p [q]", "r, s"]\nc: []',
    "a:\n- x\n- y\nb:\n    - 'z'\n",
    "a:\n\n  # comment\n  - x\n\n# end",
    "größe: ß\nb: 日本\nc: Windows\xa010",
    "a: <= DISPATCH_LEVEL",
    "a: x:y\nb: http://x.example/#z",
    "a: 1\r\nb: 2\r\n",
    "a:   spaced   ",
    "1: x\ntrue: y",
]

NOT_SIMPLE = [
    "a: b: c",
    "a: b #c",
    "a: b:",
    "a: *x",
    "a: &x y",
    "a: !t y",
    "a: |\n  x",
    "a: >-\n  x",
    "a: {b: c}",
    "a: [x, {y: z}]",
    "a: [x, , y]",
    'a: ["]',
    'a: ["b", "]',
    "\n\xa0",
    "a: b\n\u3000",
    "a: 'it''s'",
    'a: "x\\n"',
    "a: x\n  continued",
    "a:\n  b: c",
    "a:\n  - x: y",
    "a:\n  - - x",
    "a:\n  - x\n - y",
    "a:\n  - x\n    continued",
    "a: 1\na: 2",
    "- x",
    "word",
    "a:b",
    "? a",
    "a: -x",
    "a: @x",
    "a: %x",
    "a: \x01",
    "a: x\ty",
    "a:\tx",
    "a: x\u2028b: y",
    "a: x\x85b: y",
    "a: x\rb: y",
    "x" * 101 + ": y",
    "-: x",
    "a: x\n- y",
    "a:\n- ",
    "a: \ufeff",
]


@pytest.mark.parametrize("text", SIMPLE)
def test_simple_text_is_read_without_and_as_with_a_parser(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    simple = read_simple_yaml(text)
    assert simple is not None
    monkeypatch.setattr(frontmatter, "read_simple_yaml", lambda text: None)

    assert read_yaml(text) == (simple, [])
    assert to_json(simple).keys() == simple.keys()


@pytest.mark.parametrize("text", NOT_SIMPLE)
def test_all_else_is_left_to_the_parser(text: str) -> None:
    assert read_simple_yaml(text) is None
