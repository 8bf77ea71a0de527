"""What other renderers of Markdown add: formulas, quoted code, boxes, tabs, and MDX."""

from __future__ import annotations

import pytest

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.model import Document
from leafmark.parsing import parse


def read(source: str, path: str = "p.md") -> Document:
    return parse(source.encode(), path)


def sections(source: str, path: str = "p.md") -> list[tuple[str, str]]:
    """The title and the body of every chunk, one for each section."""
    options = ChunkingOptions(strategy="heading")
    chunks = chunk_document(read(source, path), tree="t", options=options).chunks
    return [(chunk.title, chunk.body) for chunk in chunks]


LINE_ENDS = pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
BODY = "F\n=\nm a\n-\n- b\n# c\n"
QUOTED = {
    "a formula": f"$$\n{BODY}$$\n",
    "a formula behind its sign": f"$$ {BODY}$$\n",
    "a formula in brackets": f"\\[\n{BODY}\\]\n",
    "an environment": f"\\begin{{align*}}\n{BODY}\\end{{align*}}\n",
    "a formula with blank lines": "$$\nF\n\n=\nb\n---\n$$\n",
    "a formula with an instruction": "$$\nF ?> b\n=\n$$\n",
    "a formula below text": f"where\n$$\n{BODY}$$\nholds\n",
    "a formula in a quote": "> $$\n> F\n> =\n> b\n> $$\n",
    "a formula in a list": "- x\n\n  $$\n  F\n  =\n  b\n  $$\n",
    "code of Jekyll": f"{{% highlight ruby %}}\n{BODY}{{% endhighlight %}}\n",
    "code of PHP": "{% highlight php %}\n<?php\n# no\n?>\n# no\n{% endhighlight %}\n",
    "what is not filled in": f"{{% raw %}}\n{BODY}{{% endraw %}}\n",
    "code of Hugo": f'{{{{< highlight go "linenos=table" >}}}}\n{BODY}{{{{< /highlight >}}}}\n',
    "code of Hexo": f"{{% codeblock lang:sh %}}\n{BODY}{{% endcodeblock %}}\n",
    "code of Jinja": f"{{%- verbatim -%}}\n{BODY}{{%- endverbatim -%}}\n",
    "code of Markdoc": f"{{% code %}}\n{BODY}{{% /code %}}\n",
}


@pytest.mark.parametrize("quoted", QUOTED.values(), ids=list(QUOTED))
@LINE_ENDS
def test_no_heading_is_in_formulas_and_quoted_code(quoted: str, line_end: str) -> None:
    source = f"# A\n\n{quoted}\n## B\n\ntext\n".replace("\n", line_end)

    assert [heading.title for heading in read(source).headings] == ["A", "B"]


def test_a_formula_is_one_paragraph_and_quoted_code_is_code() -> None:
    source = "$$\nF\n\n=\n$$\n\n{% highlight ruby %}\n# x\n\ny\n{% endhighlight %}\n"
    blocks = read(source).blocks

    assert [(block.kind, block.info) for block in blocks] == [("paragraph", ""), ("code", "ruby")]
    assert source[blocks[1].content_start or 0 :].startswith("# x")


HEADED = {
    "a price": "It costs $$ 5.\n\n## B\n\nOr $$ 6.\n",
    "a sign on its own": "$$\n\n## B\n\ntext\n\n## C\n\n$$\n",
    "signs in code": "```sh\n$$\n```\n\n## B\n\n```sh\n$$\n```\n",
    "a formula that never ends": "$$\nx\n\n## B\n\ntext\n",
    "a formula in one line": "$$ x $$\n\n## B\n\n$$ y $$\n",
    "brackets": "\\[a\n\n## B\n\nb\\]\n",
    "a page that is not filled in": "{% raw %}\n\ntext\n\n## B\n\ntext\n\n{% endraw %}\n",
    "code between tags": "{% code %}\n```sh\n# x\n```\n\n## B\n\n{% endcode %}\n",
    "a tag that never ends": "{% highlight %}\n\n## B\n\ntext\n",
}


@pytest.mark.parametrize("source", HEADED.values(), ids=list(HEADED))
def test_what_is_no_formula_and_no_quoted_code_hides_nothing(source: str) -> None:
    titles = [heading.title for heading in read(f"# A\n\n{source}").headings]

    assert titles[:2] == ["A", "B"]


BOXES = {
    "an admonition": '!!! note "Title"\n\n    ## C\n\n    text\n',
    "a box that folds": "??? tip\n\n    ## C\n\n    text\n",
    "an open box that folds": "???+ tip\n\n    ## C\n\n    text\n",
    "tabs": '=== "One"\n\n    ## C\n\n=== "Two"\n\n    text\n',
    "tabs in a list": '1. x\n\n    === "One"\n\n        ## C\n\n        text\n',
    "tabs in a box": '!!! note\n\n    === "One"\n\n        ## C\n\n        text\n',
    "a directive": ":::note\n\n## C\n\ntext\n\n:::\n",
    "a directive with braces": ":::{tip} x\n## C\n\ntext\n:::\n",
    "a class in braces": "::: {.callout-note title='x'}\n## C\n\ntext\n:::\n",
    "a name and a class": "::: {#nte-x .callout-tip}\n## C\n\ntext\n:::\n",
    "tabs whose headings are labels": "::: {.panel-tabset}\n## C\n\ntext\n:::\n",
    "directives in directives": "::::tab-set\n:::tab-item\n\n## C\n\n:::\ntext\n\n::::\n",
    "a tab of GitBook": '{% tabs %}\n{% tab title="x" %}\n\n## C\n\n{% endtab %}\n{% endtabs %}\n',
    "a box of Hugo": '{{% alert title="x" %}}\n\n## C\n\n{{% /alert %}}\n',
}


@pytest.mark.parametrize("box", BOXES.values(), ids=list(BOXES))
@LINE_ENDS
def test_a_heading_in_a_box_opens_no_section_but_has_a_number(box: str, line_end: str) -> None:
    source = f"# A\n\n## B\n\n{box}\nbehind\n\n## C\n\ntext\n".replace("\n", line_end)
    found = chunk_document(read(source), tree="t", options=ChunkingOptions(strategy="heading"))

    assert [chunk.slug for chunk in found.chunks] == [None, "a", "b", "c-1"]
    assert found.slugs["c"] == 2
    assert "behind" in found.chunks[2].body
    assert not any(block.kind == "code" for block in found.document.blocks)


@pytest.mark.parametrize(
    ("before", "behind"),
    [("{% stepper %}\n{% step %}", "{% endstep %}\n{% endstepper %}"), ("::: steps", ":::")],
)
def test_a_section_in_a_step_ends_with_the_step(before: str, behind: str) -> None:
    source = f"# A\n\n{before}\n## B\n\nb\n\n{behind}\n\nafter\n\n## C\n\nc\n"
    found = chunk_document(read(source), tree="t", options=ChunkingOptions(strategy="heading"))

    assert [chunk.slug for chunk in found.chunks] == [None, "a", "b", "c"]
    assert "after" in found.chunks[1].body


NO_BOXES = {
    "an exclamation": "!!! note\n\ntext\n",
    "a directive of one line": ":::image src=x:::\n\n## C\n\ntext\n",
    "what shows for a version": "::: moniker range=x\n\n## C\n\ntext\n\n::: moniker-end\n",
    "a directive that never ends": ":::note\n\n## C\n\ntext\n",
    "tags that hold no text": "{% include x %}\n\n## C\n\ntext\n",
    "an example": "```\n:::note\n```\n\n## C\n\n```\n:::\n```\n",
}


@pytest.mark.parametrize("source", NO_BOXES.values(), ids=list(NO_BOXES))
def test_what_is_no_box_changes_nothing(source: str) -> None:
    document = read(f"# A\n\n{source}")

    assert not any(heading.nested for heading in document.headings)
    assert not any(block.kind in ("quote", "list") for block in document.blocks)


ELEMENTS = {
    "what folds away": "<details>\n<summary>x</summary>\n\n## C\n\nc\n\n</details>\n",
    "a component": '<TabItem value="x > y">\n\n## C\n\nc\n\n</TabItem>\n',
    "a component over lines": "<Tab\n  a={() => {x}}\n>\n\n## C\n\nc\n\n</Tab>\n",
    "components in components": "<Tabs>\n<Tab>\n\n## C\n\nc\n\n</Tab>\n</Tabs>\n",
}


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=list(ELEMENTS))
@pytest.mark.parametrize("path", ["p.md", "p.mdx"])
def test_a_heading_ends_with_its_element(element: str, path: str) -> None:
    found = dict(sections(f"# A\n\na\n\n{element}\nbehind\n\n## D\n\nd\n", path))

    assert list(found) == ["A", "C", "D"]
    assert "c\n" in found["C"]
    assert "behind" in found["A"]


def test_the_end_of_an_element_that_is_a_line_of_a_heading_ends_nothing() -> None:
    source = "<Tab>\n\ntext\n</Tab>\n---\n\nbehind\n"

    assert sections(source)[1] == ("text", "\nbehind\n")


def test_mdx_has_no_indented_code() -> None:
    source = (
        "# A\n\n<Tabs>\n  <Tab>\n\n    ## B\n\n    See [this](x.md).\n\n    - one\n"
        "      - two\n\n    ```js\n    # code\n    ```\n\n  </Tab>\n</Tabs>\n"
    )
    document = read(source, "p.mdx")

    assert [heading.title for heading in document.headings] == ["A", "B"]
    (link,) = document.links
    assert source[link.start : link.end] == "[this](x.md)"
    code = [block for block in document.blocks if block.kind == "code"]
    assert [(block.info, source[block.start : block.end].strip()[:5]) for block in code] == [
        ("js", "```js")
    ]
    lists = [block.level for block in document.blocks if block.kind == "list"]
    assert lists == [0, 2]


def test_the_tags_and_the_code_of_mdx_end_with_their_lines() -> None:
    source = (
        "import A from './a'\nexport const b = {\n\n  # no\n}\n\n<Box\n  a\n>\n## B\n- x\n</Box>\n"
        "{/*\n# no\n*/}\n# C\n"
    )
    document = read(source, "p.mdx")

    assert [heading.title for heading in document.headings] == ["B", "C"]
    assert [block.kind for block in document.blocks if not block.level] == [
        "html",
        "html",
        "list",
        "html",
        "html",
    ]


@pytest.mark.parametrize("source", ["import 'é'é", "export const a = é", "<Aé>", "{/*é*/}"])
def test_no_character_is_cut_in_mdx(source: str) -> None:
    assert read(f"{source}\n\n# B\n", "p.mdx").headings[0].title == "B"


@pytest.mark.parametrize("path", ["p.md", "p.mdx"])
@pytest.mark.parametrize(
    "part",
    [
        "$$\n",
        "{% raw %}\n",
        ":::note\n",
        "<Tab>\n",
        "</Tab>\n",
        "!!! a\n    ",
        "<A {",
        "    x\n\n",
        "{/*\n",
        "\\[\n",
        "\\[\n\n",
        "export const a = {\n\n",
        "{% raw %}\n```\n```\n",
    ],
)
def test_any_repetition_is_read_in_time_that_grows_with_it(part: str, path: str) -> None:
    assert read(part * 20_000, path).data


def test_headings_in_an_element_end_with_it_and_are_deeper_than_what_is_around() -> None:
    source = (
        "# A\n\n## B\n\nb\n\n<details>\n<summary>s</summary>\n\n## C\n\nc\n\n### D\n\nd\n\n"
        "</details>\n\n"
        "<Steps>\n\n### E\n\ne\n\n</Steps>\n\nb again\n\n## F\n\nf\n"
    )
    document = read(source)
    chunked = chunk_document(document, tree="t", options=ChunkingOptions(strategy="heading"))

    assert [(heading.level, heading.title) for heading in document.headings] == [
        *((1, "A"), (2, "B"), (3, "C"), (4, "D"), (3, "E"), (2, "F"))
    ]
    (last,) = (chunk for chunk in chunked.chunks if "b again" in chunk.body)
    assert last.title == "B"
