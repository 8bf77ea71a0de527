"""Large sources, read portion by portion: the same as of the whole."""

from __future__ import annotations

import tracemalloc

import pytest

from leafmark.model import Block
from leafmark.parsing import parse
from leafmark.parsing.markdown import LARGE_BYTES, MarkdownBlocks, PortionedText
from leafmark.parsing.markdown_walk import walk

SOURCES = {
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
    "plain links": "# One\n\n[a](x.md) ![b](y.png)\n\n## Two\n\n<http://c.d> and e@f.gh\n",
    "defined later": "# One\n\n[a], [b][A] and ![a][]\n\n## Two\n\n[a]: </x y> 'title'\n",
    "defined earlier": "[a b]: x.md\n\n# One\n\n[A\nB] c\n\n> [a\n> b]\n\n## Two\n\n[t][a  b]\n",
    "first": "# 1\n\n[a]\n\n[a]: 1\n\n## 2\n\n[a]: 2\n\n[a]\n\n## 3\n\n[A]\n\n[A]: 3\n",
    "other letters": "# One\n\n[SS]: 1\n\n## Two\n\n[ß]\n\n[ß]: 2\n\n## Three\n\n[ss]\n",
    "a note is no link": "# One\n\n[^1](x) and [^2](x)\n\n## Two\n\n[^1]: Said [there](y).\n",
    "not defined in code": "# One\n\n[a] `[b]`\n\n## Two\n\n```\n[a]: x\n```\n\n[b]: y\n",
    "in a quote and a list": "# One\n\n[a] [b]\n\n## Two\n\n> [a]: x\n\n- [b]: y\n",
    "signs in targets": "# 1\n\n[a] [b]\n\n## 2\n\n[a]: <a\\<b&amp;\\\\>\n[b]: /&#10;*_*(z)\n",
    "escaped brackets": "# 1\n\n[a\\]b] \\[c] [d\\\\]\n\n## 2\n\n[a\\]b]: 1\n[c]: 2\n[d\\\\]: 3\n",
    "wiki links": "# One\n\n[[A]] [[b]](c)\n\n## Two\n\n![[d|e]] [[f]]\n\n[f]: x\n",
    "returns": "# One\r\n\r\n[a\r\nb]\r\n\r\n# Two\r\n\r\n[a b]: x\r\n",
    "nested": "# One\n\n> # [a]\n\n- ## [b]\n\n## Two\n\n[a]: x\n[b]: y\n",
}


@pytest.mark.parametrize("text", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("size", [0, 8, 30])
def test_portions_give_what_the_whole_gives(text: str, size: int) -> None:
    raw = text.encode()
    whole, parted = PortionedText(raw, 0), PortionedText(raw, 0, large=0, size=size)

    assert [*whole.headings.headings()] == walk(raw).headings
    assert parted.headings == whole.headings
    assert [*parted.links()] == [*whole.links()]
    assert tops(parted) == tops(whole)


def tops(text: PortionedText) -> list[Block]:
    """The blocks at the top; definitions that a heading parts are several in any case."""
    return [block for block in MarkdownBlocks(text, None) if not block.level]


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


def test_the_links_of_a_large_source_take_little_memory() -> None:
    """A fifth of what is large, in portions of a fifth: allocations are slow to count."""
    part = "# Part {} [notes]\n\n{}\n\n"
    words = "some *more* words and a [link](page.md), or `code`\n" * 400
    text = "".join(part.format(number, words) for number in range(50))
    source = f"{text}[notes]: <the notes.md>\n".encode()
    parted = PortionedText(source, 0, large=0, size=100_000)

    tracemalloc.start()
    links = [*parted.links()]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(links) == 50 * 401
    assert {link.target for link in links} == {"page.md", "the notes.md"}
    assert source[links[0].start : links[0].end] == b"[notes]"
    assert peak < 8 * len(source)


@pytest.mark.parametrize("piece", ["[\\", "[", "[a\\", "\\", "[a\n> "])
def test_labels_are_found_in_time_that_grows_with_the_text(piece: str) -> None:
    source = f"# A\n\n[x]: y\n\n{piece * 20_000}\n\n# B\n".encode()

    assert not [*PortionedText(source, 0, large=0, size=0).links()]
