"""Names that a Markdown source gives places: where each leads to."""

from __future__ import annotations

import re

import pytest

from leafmark.chunking import ChunkingOptions, Strategy, chunk_document
from leafmark.parsing import parse
from leafmark.parsing.markdown import parse_markdown

HEADINGS = {
    "behind a heading": ("# Some *title* {#name}\n", "name"),
    "with blanks": ("# Some title { #name }\n", "name"),
    "right behind a word": ("# Some title{#name}\n", "name"),
    "with classes": ("Some title {#name .x data-y=z}\n---\n", "name"),
    "behind classes": ("# Some title {.x #name}\n", "name"),
    "as kramdown has it": ("# Some title {: .x #name}\n", "name"),
    "on the line below": ("## Some title\n{: #name .x}\n\ntext\n", "name"),
    "as an attribute": ('## Some title {id="name" class="x"}\n', "name"),
    "before the marks that close": ("## Some title {#n-1.a} ##\n", "n-1.a"),
    "behind the marks that close": ("## Some title ## {#name}\n", "name"),
    "in a comment of MDX": ("## Some title {/* #name */}\n", "name"),
    "in a comment without blanks": ("## Some title {/*a-name*/}\n", "a-name"),
    "a name with underlines": ("## Some title {#_a_name_}\n", "_a_name_"),
    "an escaped brace": ("## Some title \\{#name}\n", "name"),
    "letters of other scripts": ("# Some title {#имя}\n", "имя"),
    "classes alone": ("## Some title {.x}\n", None),
    "a comment that is no name": ("## Some title {/* to be said */}\n", None),
    "no number": ("## Some title {-}\n", None),
    "a label of MyST": ("(name)=\n## Some title\n", "name"),
    "a label behind a blank line": ("text\n\n(a.name)=\n\nSome title\n===\n", "a.name"),
    "an element before": ('<a id="name"></a>\n\n# Some title\n', "name"),
    "an element in front": ('## <a name="name"></a>Some title\n', "name"),
    "an element behind": ('## Some title <a id="name"></a>\n', "name"),
    "an element around": ('## <span id="name">Some title</span>\n', "name"),
    "in brackets": ("## Some title [#name]\n", "name"),
    "in a list": ("- ## Some title {#name}\n", "name"),
    "the name of a block": ("## Some title ^name-1\n", None),
}
PLAIN = {
    "in the middle": ("## Some {#name} title\n", "Some {#name} title"),
    "in code": ("## Some `{#name}`\n", "Some {#name}"),
    "a set": ("## The set {a, b}\n", "The set {a, b}"),
    "a variable": ("## The {variable}\n", "The {variable}"),
    "a template": ("## The {{ variable }}\n", "The {{ variable }}"),
    "an assignment": ("## Some {a=b}\n", "Some {a=b}"),
    "an element in code": ('## Some `<a id="x">`\n', 'Some <a id="x">'),
    "a link": ('## <a href="x">Some title</a>\n', "Some title"),
    "a power": ("## Some title ^2\n", "Some title ^2"),
    "the number of an issue": ("## Some title [#12]\n", "Some title [#12]"),
    "a link of that name": ("## Some [#name]\n\n[#name]: /x\n", "Some #name"),
    "text between": ('<a id="x"></a>\n\ntext\n\n## Some title\n', "Some title"),
}
CASES = {
    "in text": ("Title {#name}\n", {}),
    "a tag before a heading": ('<a id="name"></a>\n\n# Title\n', {"name": "# Title"}),
    "behind a heading": ("# Title {#name}\n", {}),
    "several": ("<a name='a'></a>\n<A NAME=b></A>\n# T\n", {"a": "# T", "b": "# T"}),
    "a tag in a heading": ('# <a id="name"></a> Title\n', {"name": "<a"}),
    "a tag before text": ('<a id="a"></a>\n<a id="b"></a>\nx\n\n# T\n', {"a": "<a", "b": "<a"}),
    "any tag with an id": ('<p class="x" id="name">x</p>\n', {"name": "<p"}),
    "a name of what is no link": ('<input name="name">\n', {}),
    "the block before": ("text ^a-1\n\n- b\n  ^b2 \n\nx^c [^d]\n", {"^a-1": "^a-1", "^b2": "^b2"}),
    "a label of MyST": ("x\n\n(a:b)=\nWords f(c)=\n\n# T\n", {"a:b": "a:b"}),
    "an option of MyST": (
        "```{figure} a.png\n:name: fig-a\nA lamp\n```\n\n```yaml\n:name: b\n```\n",
        {"fig-a": "fig-a"},
    ),
    "a block in code": ("```\ntext ^a\n```\n", {}),
    "a tag in code": ('```html\n<a id="a"></a>\n```\n\n`<a id="b">`\n', {}),
    "a tag behind code": ('```\n<a id="a">\n```\n<b id="c">x</b>\n', {"c": "<b"}),
}


LINE_ENDS = pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])


@pytest.mark.parametrize(("source", "name"), HEADINGS.values(), ids=list(HEADINGS))
@LINE_ENDS
def test_a_name_is_the_slug_and_in_no_title(source: str, name: str | None, line_end: str) -> None:
    document = parse(source.replace("\n", line_end).encode(), "p.md")

    assert [(h.title, h.anchor) for h in document.headings] == [("Some title", name)]


@pytest.mark.parametrize(("source", "title"), PLAIN.values(), ids=list(PLAIN))
def test_what_names_nothing_stays(source: str, title: str) -> None:
    document = parse(source.encode(), "p.md")

    assert [(h.title, h.anchor) for h in document.headings] == [(title, None)]


def test_the_slug_of_the_words_leads_to_a_named_heading_too() -> None:
    source = "# A\n\n## B {#x}\n\nb\n\n## B\n\nb\n\n## B {#y}\n\nb\n"
    found = chunk_document(parse(source.encode(), "p.md"), tree="t")

    assert [chunk.slug for chunk in found.chunks] == [None, "a", "x", "b", "y"]
    assert found.slugs == {"a": 1, "x": 2, "b": 3, "y": 4, "b-1": 3, "b-2": 4}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=list(CASES))
@LINE_ENDS
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
        assert re.match(r"t:p\.md#bee", links["#bee"])
        assert re.match(r"t:p\.md#b\b", links["#b"])


def test_a_name_comes_before_a_slug() -> None:
    source = "# A\n\n[x](#b) [y](#b-1)\n\n## B\n\nx\n\n## C {#b}\n\ny\n"
    found = chunk_document(parse(source.encode(), "p.md"), tree="t")

    assert [chunk.id for chunk in found.chunks[2:]] == ["t:p.md#b-1", "t:p.md#b"]
    assert [link["id"] for link in found.chunks[1].to_dict()["links"]] == [
        "t:p.md#b",
        "t:p.md#b-1",
    ]


def test_links_in_headings_are_in_the_record() -> None:
    source = "# A\n\n## See [b](b.md#sec) and <http://x.example>\n\nWords, [c](c.md).\n"
    found = chunk_document(parse(source.encode(), "p.md"), tree="t")

    targets = [link["target"] for link in found.chunks[2].to_dict()["links"]]
    assert targets == ["b.md#sec", "http://x.example", "c.md"]
