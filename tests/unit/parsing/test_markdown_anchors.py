"""Names that a Markdown source gives places: where each leads to."""

from __future__ import annotations

import re

import pytest

from leafmark.chunking import ChunkingOptions, Strategy, chunk_document
from leafmark.parsing import parse
from leafmark.parsing.markdown import parse_markdown

CASES = {
    "behind a heading": ("# Title {#name}\n", {"name": "# Title"}),
    "with classes": ("Title {#name .x data-y=z}\n---\n", {"name": "Title"}),
    "before the marks that close": ("## Title {#n-1.a} ##\n", {"n-1.a": "## Title"}),
    "in a comment of MDX": ("## Title {/* #name */}\n", {"name": "## Title"}),
    "in the middle of a heading": ("## Title {#name} more\n", {}),
    "in text": ("Title {#name}\n", {}),
    "a tag before a heading": ('<a id="name"></a>\n\n# Title\n', {"name": "# Title"}),
    "several": ("<a name='a'></a>\n<A NAME=b></A>\n# T\n", {"a": "# T", "b": "# T"}),
    "a tag in a heading": ('# <a id="name"></a> Title\n', {"name": "<a"}),
    "a tag before text": ('<a id="a"></a>\n<a id="b"></a>\nx\n\n# T\n', {"a": "<a", "b": "<a"}),
    "any tag with an id": ('<p class="x" id="name">x</p>\n', {"name": "<p"}),
    "a name of what is no link": ('<input name="name">\n', {}),
    "a tag in code": ('```html\n<a id="a"></a>\n```\n\n`<a id="b">`\n', {}),
    "a tag behind code": ('```\n<a id="a">\n```\n<b id="c">x</b>\n', {"c": "<b"}),
    "letters of other scripts": ("# Заголовок {#имя}\n", {"имя": "# Заг"}),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=list(CASES))
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_names_and_what_they_stand_for(
    source: str, expected: dict[str, str], line_end: str
) -> None:
    document = parse_markdown(source.replace("\n", line_end).encode(), "p.md")
    found = {name: document.data[at:].decode() for name, at in document.anchors}
    assert found.keys() == expected.keys()
    assert all(found[name].startswith(words) for name, words in expected.items())


@pytest.mark.parametrize("strategy", ["auto", "heading", "section", "fixed"])
def test_links_lead_to_what_is_named(strategy: Strategy) -> None:
    words = "Some words that fill the section. " * 40
    source = (
        f"# A\n\n[b](#bee) [c](#sea) [d](#b)\n\n{words}\n\n## B {{#bee}}\n\n{words}\n\n"
        f'{words}\n\n<p id="sea">Here.</p>\n\n{words}\n\n## <a id="b"></a> C\n\n{words}\n'
    )
    options = ChunkingOptions(strategy=strategy, min_tokens=20, target_tokens=100, max_tokens=200)
    found = chunk_document(parse(source.encode(), "p.md"), tree="t", options=options)
    bodies = {chunk.id: chunk.body for chunk in found.chunks}
    links = {
        link["target"]: link["id"] for chunk in found.chunks for link in chunk.to_dict()["links"]
    }
    assert 'id="sea"' in bodies[links["#sea"]]
    if strategy != "fixed":
        assert re.match(r"t:p\.md#b-bee", links["#bee"])
        assert links["#b"] == "t:p.md#c" or links["#b"].startswith("t:p.md#-c")


def test_a_slug_comes_before_a_name() -> None:
    source = "# A\n\n[x](#b)\n\n## B\n\nx\n\n## C {#b}\n\ny\n"
    found = chunk_document(parse(source.encode(), "p.md"), tree="t")
    assert found.chunks[1].to_dict()["links"][0]["id"] == "t:p.md#b"
    assert found.chunks[3].id == "t:p.md#c-b"
