"""The headings of large sources, found portion by portion: what one must know of another."""

from __future__ import annotations

import pytest

from leafmark.parsing import parse
from leafmark.parsing.markdown_portions import LARGE_BYTES, headings_by_portions
from leafmark.parsing.markdown_walk import walk

LINES = {
    "plain": "# One\n\ntext\n\n## Two\n\nmore\n\n# Three\n",
    "a link defined later": "# See [notes]\n\n## Two\n\n# Three\n\n[Notes]: n.md\n",
    "a link defined earlier": "[notes]: n.md\n\n# One\n\n## See ![notes] and [x][notes]\n",
    "a link defined nowhere": "# See [notes]\n\n## Two\n\n[other notes]: n.md\n",
    "a link with an escape": "# See [a\\]b]\n\n## Two\n\n[a\\]b]: n.md\n",
    "a note": "# One[^1]\n\n## Two\n\n# Three\n\n[^1]: Said there.\n",
    "a link defined in code": "# See [notes]\n\n## Two\n\n```\n[notes]: n.md\n```\n\n# Three\n",
    "code with marks in it": "# One\n\n```\n\n# no\n\n# no\n\n```\n\n## Two\n",
    "code without an end": "# One\n\n```\n\n# no\n\n# no\n",
    "a comment": "# One\n\n<!--\n\n# no\n\n-->\n\n## Two\n",
    "an underline": "Some [notes]\n===\n\n# Two\n\n[notes]: n.md\n",
    "carriage returns": "# One\r\n\r\n## [Two]\r\n\r\n# Three\r\n\r\n[two]: n.md\r\n",
}


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
@pytest.mark.parametrize("size", [0, 8, 30])
def test_portions_give_what_the_whole_gives(text: str, size: int) -> None:
    raw = text.encode()

    found = headings_by_portions(raw, 0, size=size)

    assert found is not None
    assert [*found] == walk(text, raw, 0)[0]


def test_a_nested_heading_that_may_link_is_left_to_the_walk() -> None:
    raw = b"# One\n\n> # [notes]\n\n## Two\n\n[notes]: n.md\n"

    assert headings_by_portions(raw, 0, size=0) is None


def test_a_large_source_has_the_headings_of_its_parts() -> None:
    part = "# Part {} ([notes])\n\n```\n# no\n```\n\n<p>\n# in HTML\n</p>\n\n{}\n\n"
    count = LARGE_BYTES // 10_000 + 1
    text = "".join(part.format(number, "word " * 2_000) for number in range(count))
    source = f"---\ntitle: Large\n---\n{text}[notes]: n.md\n".encode()

    document = parse(source, "a.md")

    assert len(source) > LARGE_BYTES
    assert document.title == "Large"
    assert [heading.title for heading in document.headings] == [
        f"Part {number} (notes)" for number in range(count)
    ]
    assert {source[heading.start : heading.start + 6] for heading in document.headings} == {
        b"# Part"
    }
