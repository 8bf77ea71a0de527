"""Blocks found without the parser: where that is certain, and where not."""

from __future__ import annotations

import pytest

from leafmark.parsing import parse
from leafmark.parsing.markdown_blocks import MarkdownBlocks
from leafmark.parsing.markdown_outline import outline, plain_lines, plain_parts

CERTAIN = {
    "nothing": "",
    "blank lines": " \n\n\t\n",
    "paragraphs": "a\nb\n\n  c\n    d\n\n**e** f\n`g`\n(h\n1.5 i\n2020\n",
    "line ends": "a\r\nb\r\n\r\n- c\r\n- d\r\n\r\n```js\r\ne\r\n```\r\nf\r\n",
    "fenced code": "```JS x\na\n\n# b\n```\nc\n~~~~\n~~~\n~~~~~ \n\n```\n```\n",
    "code right after a paragraph": "a\n```\nb\n```\n",
    "lists": "- a\n- b\n  c\n\n  d\n    - e\n\n\n- f\ng\n\n* h\n* i\n+ j\n\nk\n",
    "lists with wide signs": "*   a\n\n    b\n*   c\n\n-  d\n",
    "numbered lists": "3. a\n4. b\n\n   c\n\nd\n1. e\n\nf\n\n9. g\n10. h\n\n    i\n",
    "code in a list": "- a\n\n  ```\n  b\n  ```\n- c\n",
    "tasks and markup in a list": "- [ ] a\n- **b**\n- `c`\n- <d>\n- > e\n",
    "tables": "| a | b |\n|---|:-:|\n| c |\n| d | e | f |\n\n|g|\n|-|\n",
    "quotes": "> a\n> b\n>\n> c\n\n>d\n",
    "HTML": "<div>\na\n</div>\n\n<!-- b\n\nc --> d\ne\n\n<pre>\n\nf</pre>\n\n<T u='v' />\ng\n",
    "tags in paragraphs": "<b>a</b>\nc\n<b>\n</b>\n\n<https://d>\n",
    "breaks": "---\na\n\n***\n___\n",
    "link definitions": 'a\n\n[b]: c\n\n[d e]: f "g"\n',
    "what looks like a definition": "a [b]: c\n\n```\n[d]: e\n```\n",
}
DOUBTFUL = {
    "a line under text": ("a\n\nb\n---\n", 1),
    "a table without a bar": ("a|b\n-|-\n", 0),
    "a table with other cells below": ("|a|\n|-|-|\n", 0),
    "a cell that holds a bar": ("|a \\| b|\n|-|\n", 0),
    "indented code": ("a\n\n    b\n", 1),
    "indented fences": (" ```\n a\n ```\n", 0),
    "code that never ends": ("a\n\n```\nb\n", 1),
    "code that ends with a tab": ("```\n```\t\n", 0),
    "an escape in the name of a language": ("```a\\*b\n```\n", 0),
    "an empty item": ("-\n", 0),
    "an item with code": ("-     a\n", 0),
    "items with another indent": ("- a\n\n - b\n", 0),
    "text that may belong to an item": ("1. a\n\n  b\n", 0),
    "text after what belongs to an item": ("- a\n  - b\nc\n", 0),
    "a number that is not one, below text": ("a\n2. b\n", 0),
    "text below a quote": ("> a\nb\n", 0),
    "text below a table": ("|a|\n|-|\nb\n", 0),
    "a definition below a list": ("a\n\n- b\n\n[c]: d\n", 1),
    "a definition of two lines": ("[a]:\nb\n", 0),
    "a definition in a list": ("- [a]: b\n", 0),
    "a footnote": ("a\n\n[^b]: c\n", 1),
    "a footnote below text": ("a\n[^b]: c\n", 0),
    "HTML of another kind": ("<?a\n?>\n", 0),
    "HTML that another tag ends": ("<pre>\n</script>\n</pre>\n", 0),
    "NUL": ("a\n\n\0\n", 0),
    "form feed": ("a\n\n\f\n", 0),
}


@pytest.mark.parametrize("source", CERTAIN.values(), ids=CERTAIN)
def test_what_is_certain_is_what_the_parser_finds(source: str) -> None:
    raw = source.encode()
    expected = [block for block in list(parse(raw, "a.md").blocks) if not block.level]

    blocks, end = outline(plain_lines(raw))

    assert (list(blocks), end) == (expected, len(raw))


@pytest.mark.parametrize("source", ["a", "a\n\nb", "# a\n\n```\nb\n```", "a\r\n\r\n- b\r\n- c"])
def test_the_last_block_ends_where_the_source_does(source: str) -> None:
    raw = source.encode()
    blocks = parse(raw, "a.md").blocks
    assert isinstance(blocks, MarkdownBlocks)

    top = [block for number in blocks.regions_of(0, len(raw)) for block in blocks.top(number)]

    assert top == [block for block in list(blocks) if not block.level]
    assert top[-1].end == len(raw)


@pytest.mark.parametrize(("source", "certain"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_what_is_doubtful_is_left_with_what_it_may_change(source: str, certain: int) -> None:
    raw = source.encode()
    expected = [block for block in list(parse(raw, "a.md").blocks) if not block.level]

    blocks, end = outline(plain_lines(raw))

    assert list(blocks) == expected[:certain]
    assert end < len(raw)
    assert not blocks or end >= blocks[-1].end


@pytest.mark.parametrize(
    "source",
    ["- a\n- b\n- [ ] c\n", "* **a**\n* <b>c</b>\n", "|a|b|\n|-|-|\n|c|\n|d|e|f|\n", "|a|\n|-|\n"],
)
def test_parts_of_a_line_each_are_what_the_parser_finds(source: str) -> None:
    raw = source.encode()
    (block,), _ = outline(plain_lines(raw))

    assert plain_parts(block, raw) == list(parse(raw, "a.md").blocks)[1:]


@pytest.mark.parametrize(
    "source",
    [
        "- a\n- b\n",
        "- a\n  - b\n\n\n- c\nd\n\n  - e\n-f\n\ng\n",
        "*   a\n\n        - b\n*  c\n\n      ```\n      - d\n      ```\n   \n* e\n\n\n# f\n",
        "+ a\r\n+ b\r\n  c\r\n\r\n+ d",
        "1. a\n2. b\n   1. c\n2019 was\n\n   d\n10. e\n",
        "9. a\n\n       - b\n10. c\n\n   \t\n",
        "> - a\n> - b\n\n- c\n\n  - d\n  - e\n",
    ],
)
def test_items_are_those_that_the_parser_finds(source: str) -> None:
    raw = source.encode()
    expected = list(parse(raw, "a.md").blocks)
    blocks = parse(raw, "a.md").blocks
    assert isinstance(blocks, MarkdownBlocks)

    for number in blocks.regions_of(0, len(raw)):
        for top in blocks.top(number):
            if top.kind != "list":
                continue
            inside = [each for each in expected if top.start <= each.start < top.end]
            starts = [each.start for each in inside if each.level == 1]
            assert blocks.item_starts(top) == starts
            blocks.inside(top)
            assert blocks.item_starts(top) == starts


@pytest.mark.parametrize(
    "source",
    ["- a\n\n- b\n", "- a\n  b\n", "- a\nb\n", "- > a\n", "- <b>\n", "- a\r\n", "1. a\n", "> a\n"],
)
def test_other_parts_are_for_the_parser(source: str) -> None:
    raw = source.encode()
    (block,), _ = outline(plain_lines(raw))

    assert plain_parts(block, raw) is None


MANY = "# {0}\n\n- a\n\n      code\n- b\n\n[{0}]: x\n\n> - q\n\n| a |\n|---|\n| c |\n\n"
"""A stretch whose blocks are found in every way: in text, by the walk, and with a definition."""


def test_blocks_that_were_forgotten_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = "".join(MANY.format(number) for number in range(5)).encode()
    expected = list(parse(raw, "a.md").blocks)
    monkeypatch.setattr("leafmark.parsing.markdown_blocks.MAX_REGIONS", 2)
    blocks = parse(raw, "a.md").blocks
    assert isinstance(blocks, MarkdownBlocks)

    top = [block for number in blocks.regions_of(0, len(raw)) for block in blocks.top(number)]
    lists = [block for block in top if block.kind == "list"]

    assert [part for outer in top for part in (outer, *blocks.inside(outer))] == expected
    assert [len(blocks.item_starts(block)) for block in lists] == [2] * 5
