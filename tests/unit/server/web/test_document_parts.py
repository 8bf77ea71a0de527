"""A document in parts: every byte once and in order, whatever the strategy, and cuts as marks."""

from __future__ import annotations

import html
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import leafmark
from leafmark.chunking import STRATEGIES, Strategy
from leafmark.parsing import parse
from leafmark.render.chunks import iter_source_ranges
from leafmark.server.web import document_parts
from leafmark.server.web.document_parts import DocumentText, outline

BOOK = "# Book\n\nPreface.\n\n" + "".join(
    f"## Part {n}\n\n" + f"Sentence {n} of it. " * 30 + "\n\n- item\n- item\n\n" for n in range(40)
)


def opened(source: str, strategy: Strategy = "auto", **sizes: int) -> DocumentText:
    chunks = leafmark.chunk(source, path="a.md", tree="t", strategy=strategy, **sizes)  # type: ignore[arg-type]
    return DocumentText(source.encode(), "markdown", chunks, describe=str)


def written(text: DocumentText) -> str:
    made = "".join(str(row.html) for part in range(text.count) for row in text.source(part))
    without = re.sub(r'<span class="cut.*?</span>\d+</span>', "", made)
    return html.unescape(re.sub(r"<[^>]+>", "", without))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_source_is_whole_under_every_strategy(strategy: Strategy) -> None:
    assert written(opened(BOOK, strategy)) == BOOK


@given(
    st.lists(st.sampled_from(["# A\n", "## B\n", "text é 😀\n", "\n", "- x\n", "```\n"])).map(
        "".join
    )
)
def test_stretches_are_all_bytes_in_order(source: str) -> None:
    data = source.encode()
    for strategy in STRATEGIES:
        chunks = leafmark.chunk(source, path="a.md", tree="t", strategy=strategy)
        at = 0
        for part in iter_source_ranges(chunks, len(data)):
            assert (part.start, part.end > at) == (at, True)
            at = part.end
        assert at == len(data)


def test_a_large_document_is_cut_into_parts_at_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_parts, "PART_BYTES", 2_000)
    text = opened(BOOK)
    assert text.count > 8
    assert written(text) == BOOK
    last = 0
    for part in range(text.count):
        first, end = text.lines(part)
        assert first == last + 1
        last = end
    assert text.part_of(0) == 0
    assert text.part_of(len(BOOK)) == text.count - 1


def test_windows_that_overlap_are_told_apart_and_read_once() -> None:
    text = opened(BOOK, "fixed", fixed_tokens=50, fixed_overlap=10)
    rows = "".join(str(row.html) for row in text.source(0))
    assert 'shared"' in rows
    assert written(opened(BOOK, "fixed", fixed_tokens=50, fixed_overlap=10)) == BOOK


def test_a_cut_in_a_sentence_is_a_mark_in_its_paragraph() -> None:
    text = opened(
        "# A\n\n" + "One two three four. " * 60, "fixed", fixed_tokens=40, fixed_overlap=0
    )
    made = "".join(str(one.html) for one in text.rendered(0))
    assert made.count("<p>") == 1
    assert made.count('class="cut') >= 3
    plain = re.sub(r'<span class="cut.*?</span>\d+</span>', "", made)
    assert " ".join(html.unescape(re.sub(r"<[^>]+>", "", plain)).split()) == "A " + " ".join(
        ["One two three four."] * 60
    )


NESTED = """\
# A

- one alpha beta gamma
    - two alpha beta gamma delta
        - three alpha beta gamma delta
- four

  ```sh
  run it now please
  ```

  after the code there are words

> quote one two three four
>
> quote more of the same kind
"""


def test_chunks_that_begin_inside_lists_and_quotes_stay_inside_them() -> None:
    text = opened(NESTED, "auto", min_tokens=1, target_tokens=8, max_tokens=10)
    shown = {one.position: str(one.html) for one in text.rendered(0)}
    for words, element in (
        ("two alpha beta gamma delta", "li"),
        ("three alpha beta gamma delta", "li"),
        ("quote more of the same kind", "p"),
        ("run it now please", "code"),
        ("after the code there are words", "p"),
    ):
        (made,) = (one for one in shown.values() if words in one)
        assert re.search(rf"<{element}>\s*{words}\s*</", made), made
    assert len(shown) == 9
    assert sum(made.count("<pre") for made in shown.values()) == 1
    assert sum(made.count("<blockquote") for made in shown.values()) == 2


def test_the_tree_of_many_sections_shows_those_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_parts, "MAX_NODES", 20)
    chunks = leafmark.chunk(BOOK, path="a.md", tree="t", strategy="heading")
    current = next(chunk for chunk in chunks if chunk.title == "Part 30")
    (document,) = outline(chunks, current.position)
    (book,) = document.children
    titles = [node.chunk.title for node in book.children]
    assert "Part 30" in titles
    assert len(titles) + book.hidden == 40
    assert len(titles) <= 20
    assert [node.here for node in book.children if node.chunk.title == "Part 30"] == [True]


PAGE = (
    "<html><body><nav><ul><li>Elsewhere</li></ul></nav><div role='navigation'>Up</div><main>"
    "<h1 id='a'>Reading<a class='headerlink' href='#a'>¶</a></h1><p>First words.</p>"
    "<h2 id='b'>Writing</h2><p>Second words.</p></main><footer>Made by hand</footer></body></html>"
)


def test_of_a_page_the_text_is_shown_without_menus_and_each_chunk_is_marked_once() -> None:
    chunks = leafmark.chunk(PAGE, path="a.html", tree="t", strategy="section", min_tokens=0)
    text = DocumentText(PAGE.encode(), "html", chunks, describe=str)
    made = "".join(str(one.html) for one in text.rendered(0))
    assert ("First words" in made, "Second words" in made) == (True, True)
    for unwanted in ("Elsewhere", "Up", "Made by hand", "¶"):
        assert unwanted not in made
    marked = re.findall(r'class="cut [^>]*data-n="(\d+)"', made)
    assert marked == sorted(set(marked))


def test_cells_of_code_in_a_notebook_are_code() -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Lines\n", "\n", "Some *words*."]},
        {"cell_type": "code", "metadata": {}, "source": ["a = 1\n", "b = 2"], "outputs": []},
    ]
    data = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
    text = DocumentText(
        data,
        "notebook",
        leafmark.chunk(data.decode(), path="n.ipynb", tree="t"),
        describe=str,
        parsed=lambda: parse(data, "n.ipynb"),
    )
    made = "".join(str(one.html) for one in text.rendered(0))
    assert re.findall(r"<pre[^>]*>\s*<code>([^<]*)<", made) == ["a = 1\nb = 2\n"]
    assert "<em>words</em>" in made
