"""The links of large sources, found portion by portion: the same as of the whole."""

from __future__ import annotations

import tracemalloc
from functools import partial

import pytest

from leafmark.parsing import markdown, markdown_portioned_links, parse
from leafmark.parsing.markdown_labels import labels_in
from leafmark.parsing.markdown_links import links_of
from leafmark.parsing.markdown_portioned_links import links_by_portions
from leafmark.parsing.markdown_portions import LARGE_BYTES
from leafmark.parsing.markdown_walk import walk

SOURCES = {
    "plain": "# One\n\n[a](x.md) ![b](y.png)\n\n## Two\n\n<http://c.d> and e@f.gh\n",
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
@pytest.mark.parametrize("size", [0, 30])
def test_portions_give_what_the_whole_gives(text: str, size: int) -> None:
    raw = text.encode()
    headings, rows = walk(text, raw, 0)

    found = links_by_portions(raw, 0, headings, size=size)

    assert tuple(found) == links_of(rows, text)


def test_the_links_of_a_large_source_take_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of what is large, in portions of a fifth: allocations are slow to count."""
    large_bytes, portion_bytes = LARGE_BYTES // 5, markdown_portioned_links._PORTION_BYTES // 5
    monkeypatch.setattr(markdown, "LARGE_BYTES", large_bytes)
    portioned = partial(links_by_portions, size=portion_bytes)
    monkeypatch.setattr(markdown, "links_by_portions", portioned)
    part = "# Part {} [notes]\n\n{}\n\n"
    words = "some *more* words and a [link](page.md), or `code`\n" * 400
    text = "".join(part.format(number, words) for number in range(large_bytes // 10_000))
    source = f"---\ntitle: Large\n---\n{text}[notes]: <the notes.md>\n".encode()
    document = parse(source, "a.md")
    assert [*document.headings]

    tracemalloc.start()
    count, targets = len(document.links), {link.target for link in document.links}
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == (large_bytes // 10_000) * 401
    assert targets == {"page.md", "the notes.md"}
    assert source[document.links[0].start : document.links[0].end] == b"[notes]"
    assert peak < 8 * len(source)


def test_labels_are_found_in_time_that_grows_with_the_text() -> None:
    for piece in (b"[\\", b"[", b"[a\\", b"\\", b"[a\n> "):
        assert labels_in(piece * 50_000) == set()
