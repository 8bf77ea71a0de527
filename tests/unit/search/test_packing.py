"""The order in which an answer's bytes are added, and what stands for those left out."""

from __future__ import annotations

from collections.abc import Sequence

import leafmark
from leafmark.model import Chunk, Item, Omission, Passage, Step
from leafmark.search.packing import Structure, make_item, own_ranges, pack, passages

GUIDE = """---
title: Guide
---
# Guide

First paragraph.

- one item
- another item

## Setup

```sh
one

two
```

Second block.

### Deep

Below.

## Empty

## Use

Last.
"""


def _chunks(text: str = GUIDE) -> dict[str, Chunk]:
    return {one.id.partition("#")[2]: one for one in leafmark.chunk(text, path="g.md", tree="t")}


def _owner(chunk: Chunk) -> Structure:
    owner = chunk.owner
    return Structure(owner.document, owner.chunks, owner.slugs)


def _item(chunk: Chunk, ranges: Sequence[tuple[int, int]] | None = None) -> Item:
    start = chunk.byte_start if chunk.heading_start is None else chunk.heading_start
    return make_item(chunk, _owner(chunk), ranges or [(start, chunk.byte_end)], len)


def _texts(item: Item) -> list[str]:
    return [item.source[unit.start : unit.end].decode() for unit in item.units]


def test_units_are_blocks_with_the_heading_before_them_and_nothing_is_lost() -> None:
    item = _item(_chunks()[""])
    assert _texts(item) == [
        "---\ntitle: Guide\n---\n",
        "# Guide\n\nFirst paragraph.\n\n",
        "- one item\n",
        "- another item\n\n",
        "## Setup\n\n```sh\none\n\ntwo\n```\n\n",
        "Second block.\n\n",
        "### Deep\n\nBelow.\n\n",
        "## Empty\n\n",
        "## Use\n\nLast.\n",
    ]
    assert "".join(_texts(item)) == GUIDE


def test_front_matter_comes_last_and_the_lead_first() -> None:
    assert _item(_chunks()[""]).order == (1, 2, 3, 4, 5, 6, 7, 8, 0)


def test_a_long_paragraph_is_cut_at_sentences_and_code_is_not() -> None:
    prose = "A sentence about things. " * 100
    code = "```\n" + "a line of code.\n" * 200 + "```\n"
    item = _item(_chunks(f"# A\n\n{prose}\n\n{code}")["a"])
    *cut, last = _texts(item)
    assert len(cut) > 2
    assert all(text.rstrip().endswith(".") and len(text) < 900 for text in cut)
    assert last == code


def test_a_piece_from_the_middle_of_a_paragraph_has_units_too() -> None:
    prose = "A sentence about things. " * 1000
    pieces = [
        one for one in leafmark.chunk(f"# A\n\n{prose}\n", path="g.md") if one.kind == "piece"
    ]
    assert len(pieces) > 2
    for piece in pieces:
        data = piece.owner.document.data
        assert "".join(_texts(_item(piece))).encode() == data[piece.byte_start : piece.byte_end]


def test_places_come_first_then_results_by_rank_then_what_was_added() -> None:
    chunks = _chunks()
    use, setup, deep = (_item(chunks[name]) for name in ("use", "setup", "deep"))
    assert pack([use, setup], [deep]).steps == (
        Step(0),
        Step(1),
        Step(0, 0),
        Step(1, 0),
        Step(1, 1),
        Step(1, 2),
        Step(2),
        Step(2, 0),
    )


def test_an_omission_names_the_deepest_chunk_that_holds_it() -> None:
    item = _item(_chunks()[""])
    assert passages(item, []) == (Omission("t:g.md", len(GUIDE)),)
    shown = passages(item, [1, 2, 3, 4, 7, 8])
    assert [one.id if isinstance(one, Omission) else one.text for one in shown] == [
        "t:g.md#preamble",
        GUIDE[GUIDE.index("# Guide") : GUIDE.index("Second block")],
        "t:g.md#setup",
        "## Empty\n\n## Use\n\nLast.\n",
    ]
    (whole,) = passages(item, range(9))
    assert isinstance(whole, Passage)
    assert (whole.start, whole.end, whole.text) == (0, len(GUIDE), GUIDE)


def test_an_omission_says_where_only_own_text_is_missing() -> None:
    chunks = _chunks()
    setup = chunks["setup"]
    (own,) = passages(_item(setup, own_ranges(setup)), [])
    assert own == Omission(
        "t:g.md#setup", len(GUIDE[GUIDE.index("## Setup") :].partition("###")[0]), own=True
    )
    *_, last = passages(_item(setup), [0])
    assert last == Omission("t:g.md#setup", len("Second block.\n\n### Deep\n\nBelow.\n\n"))
    (deep,) = passages(_item(chunks["deep"]), [])
    assert isinstance(deep, Omission)
    assert (deep.id, deep.own) == ("t:g.md#deep", False)  # nothing stands below it


def test_text_that_pieces_were_made_of_is_own_text() -> None:
    prose = "A sentence about things. " * 1000
    chunks = _chunks(f"# A\n\n{prose}\n\n## B\n\nBelow.\n")
    item = _item(chunks["a"])
    shown = passages(item, [0, len(item.units) - 1])
    assert [(one.id, one.own) for one in shown if isinstance(one, Omission)] == [("t:g.md#a", True)]


def test_small_sections_in_a_piece_are_no_own_text() -> None:
    small = "".join(f"## Small {at}\n\n{'It says little. ' * 20}\n\n" for at in range(8))
    large = "".join(f"## Large {at}\n\n{'It says a lot. ' * 150}\n\n" for at in range(2))
    for text, name in (
        (f"# A\n\nFirst.\n\n{small}{large}", "a"),
        (f"First.\n\n{small}{large}", ""),
    ):
        chunks = leafmark.chunk(text, path="g.md", tree="t", strategy="section")
        chunk = next(one for one in chunks if one.id.partition("#")[2] == name)
        assert len([one for one in chunk.children if one.covers]) > 1
        item = _item(chunk)
        after = next(at for at, one in enumerate(_texts(item)) if one.startswith("## Large"))
        omitted = passages(item, [0, *range(after, len(item.units))])[1]
        assert isinstance(omitted, Omission)
        assert (omitted.id, omitted.own) == (chunk.id, False)


def test_a_heading_alone_has_nothing_to_cite() -> None:
    setup = _chunks()["setup"]
    assert setup.heading_start is not None
    item = _item(setup, [(setup.heading_start, setup.byte_start)])
    (heading,) = passages(item, [0])
    assert isinstance(heading, Passage)
    assert (heading.text, heading.citation) == ("## Setup\n", None)


def test_a_chunk_s_own_text_is_its_heading_and_body() -> None:
    chunks = _chunks("# A\n\nbefore\n\n## B\n\nbelow\n\n## C\n\n## D\n\nx\n")
    a = chunks["a"]
    assert own_ranges(a) == [(0, 13), (26, 32)]
    data = a.owner.document.data
    assert data[26:32] == b"## C\n\n"
    assert own_ranges(chunks["d"]) == [(32, 40)]


def test_a_piece_that_begins_within_a_paragraph_has_units() -> None:
    text = "# A\n\n" + "A sentence of some length about nothing. " * 300
    pieces = [one for one in leafmark.chunk(text, path="a.md", tree="t") if one.kind == "piece"]
    assert len(pieces) > 2
    for piece in pieces:
        item = _item(piece)
        assert "".join(_texts(item)).encode() == piece.raw
        assert max(len(each) for each in _texts(item)) < 1000


PAGE = b"""<html><head><title>T</title><style>p {}</style></head><body><nav>Menu</nav><main>
<h2 id="a">A &amp; B</h2>
<p>One <b>bold</b>
word.</p><pre>x  &lt; y
z</pre>
<p>Two.</p></main></body></html>"""


def test_of_markup_the_units_are_what_is_read_and_citations_are_of_its_bytes() -> None:
    document = leafmark.parse(PAGE, path="p.html")
    chunk = leafmark.chunk(PAGE, path="p.html", tree="t")[0]
    assert document.reader is not None
    body = PAGE.index(b"<h2"), PAGE.index(b"</main>")
    item = make_item(
        chunk, _owner(chunk), [(0, len(PAGE))], len, reading=document.reader(PAGE, [body])
    )
    assert [one.text for one in _shown(item, [0])] == ["A & B\n\nOne bold word.\n"]
    (second,) = _shown(item, [1])
    assert second.text == "```\nx  < y\nz\n```\n"
    assert second.citation is not None
    start, end = map(int, second.citation.rpartition(":")[2].split("-"))
    assert PAGE[start:end].strip() == b"<pre>x  &lt; y\nz</pre>"


def test_a_term_with_what_explains_it_is_a_unit() -> None:
    page = b"<dl><dt>a</dt><dd>One.<dl><dt>b</dt><dd>Two.</dd></dl></dd><dt>c</dt><dd>Three.</dl>"
    document = leafmark.parse(page, path="p.html")
    chunk = leafmark.chunk(page, path="p.html", tree="t")[0]
    assert document.reader is not None
    whole = [(0, len(page))]
    item = make_item(chunk, _owner(chunk), whole, len, reading=document.reader(page, whole))
    shown = [one.text for at in range(len(item.units)) for one in _shown(item, [at])]
    assert shown == ["a\nOne.\n", "b\nTwo.\n", "c\nThree.\n"]


def _shown(item: Item, units: Sequence[int]) -> list[Passage]:
    return [one for one in passages(item, units) if isinstance(one, Passage)]
