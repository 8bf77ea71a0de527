"""What leads on to what stands behind it: no cut is made between the two where sizes allow it."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.chunking import ChunkingOptions, Strategy, chunk_document
from leafmark.chunking.block_regions import BodyReader
from leafmark.chunking.keep_with_next import cut_penalty
from leafmark.parsing import parse

LEADING = {
    "a colon": "Do it like this:",
    "two colons": "Do it like this::",
    "a full-width colon": "例如：",
    "emphasis behind a colon": "**Do it like this:**",
    "a quote behind a colon": "He said “do it like this:”",
    "a colon in brackets": "(do it like this:)",
    "bold type": "**Getting started**",
    "bold type with a full stop": "__Getting started__.",
    "an anchor": '<a name="setup"></a>',
    "a tag that opens a box": "<details>\n<summary>More</summary>",
    "the tag of a component": '<Listing number="8-8" caption="A loop">',
    "two tags": "<DiagramGroup>\n\n<Diagram>",
    "a break behind a colon": "The parameters are these:\n\n****",
    "an item with a colon": "- Do it like this:",
}
ENDING = {
    "a full stop": "Do it like this.",
    "nothing": "Do it like this",
    "an emoji": "It works :tada:",
    "the end of a box": "Take care.\n:::",
    "a closing tag": "</details>",
    "an element that is closed": "<p>More</p>",
    "an element without content": "<br>",
    "an image": '<img src="a.png">',
    "a self-closing component": '<Listing number="8-8" />',
    "bold type inside a sentence": "This is **Getting started** and **more**",
    "two bold words": "**Getting** **started**",
    "a comment": "<!-- prettier-ignore -->",
    "a fence": "```text\nname:\n```",
    "indented code": "Text.\n\n    if it:",
    "a break": "The end.\n\n****",
}


def leads_on(reader: BodyReader, start: int, at: int) -> bool:
    return cut_penalty(reader, start, at) > 0


def reads_as_leading(
    source: bytes, *, path: str = "p.md", behind: bytes = b"What follows\n"
) -> bool:
    reader = BodyReader(parse(source + behind, path))
    return leads_on(reader, 0, len(source))


@pytest.mark.parametrize("text", LEADING.values(), ids=list(LEADING))
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_what_leads_on(text: str, line_end: str) -> None:
    source = f"Some text before.\n\n{text}\n\n".replace("\n", line_end)
    assert reads_as_leading(source.encode())
    assert reads_as_leading(f"{text}\n\n".replace("\n", line_end).encode())


@pytest.mark.parametrize("text", ENDING.values(), ids=list(ENDING))
def test_what_does_not(text: str) -> None:
    assert not reads_as_leading(f"Some text before.\n\n{text}\n\n".encode())


def test_a_cut_is_poorer_behind_a_tag_that_opens_a_box_than_before_it() -> None:
    source = b"So:\n\n<Sandpack>\n\n```\ncode\n```\n"
    reader = BodyReader(parse(source, "p.md"))
    before, behind = source.index(b"<"), source.index(b"```")
    assert 0 < cut_penalty(reader, 0, before) < cut_penalty(reader, 0, behind)


def test_nothing_leads_on_to_a_heading() -> None:
    assert not reads_as_leading(b"And this:\n\n", behind=b"# Next\n\ntext\n")


@pytest.mark.parametrize(
    ("path", "code", "heading"),
    [
        ("p.md", "```\nmake\n```\n\n", "make it\n-------\n\ntext\n"),
        ("p.rst", "Make::\n\n    make\n\n", "os.path\n=======\n\ntext\n"),
    ],
)
def test_a_heading_in_lower_case_does_not_go_on_with_what_stands_before_code(
    path: str, code: str, heading: str
) -> None:
    assert not reads_as_leading(code.encode(), path=path, behind=heading.encode())


def test_the_words_of_a_term_lead_on_to_what_closes_it() -> None:
    behind = b'<a id="x"></a></span></dt><dd>Text.</dd></dl>'
    assert reads_as_leading(b"<dl><dt><span>a_b (integer)", path="p.html", behind=behind)
    assert not reads_as_leading(b"<p>It is.</p>", path="p.html", behind=b"<dl><dt>a</dt></dl>")


def test_code_does_not_lead_on_to_its_own_lines() -> None:
    assert not reads_as_leading(b"```\nx = 1\n", behind=b"y = 2\n```\n")


@pytest.mark.parametrize("before", ["", "- One\n"])
def test_the_text_of_an_item_leads_on_to_what_stands_below(before: str) -> None:
    source = f"{before}- Set up\n\n".encode()
    reader = BodyReader(parse(source + b"  - this\n  - that\n- More\n", "p.md"))
    assert leads_on(reader, len(before), len(source))
    assert not leads_on(reader, len(source), len(source) + len("  - this\n  - that\n"))


@pytest.mark.parametrize("behind", [": What it does.\n", " :   What it does\n    in lines.\n"])
def test_what_defines_a_term_goes_on_with_it(behind: str) -> None:
    assert reads_as_leading(b"`--no-cargo`\n\n", behind=behind.encode())
    for other in (":What it does.\n", "::: warning\n", ":   \n"):
        assert not reads_as_leading(b"`--no-cargo`\n\n", behind=other.encode())


@pytest.mark.parametrize(
    "closing", ["</Tabs>", ":::", " ///", "{% endtab %}", "{%- endif -%}", "{{< /tabs >}}"]
)
def test_what_is_in_a_box_stays_with_what_closes_it(closing: str) -> None:
    code = b"```sh\nrun\n```\n\n"

    for before in (code, b"The end.\n\n", b"- an item\n\n"):
        assert reads_as_leading(before, behind=f"{closing}\n\nMore.\n".encode())


@pytest.mark.parametrize("other", ["<Tabs>", ":::note", "/// tab | A", "{% tab %}", "{{< tabs >}}"])
def test_what_opens_a_box_does_not(other: str) -> None:
    assert not reads_as_leading(b"The end.\n\n", behind=f"{other}\n\nMore.\n".encode())


def test_a_long_line_of_bold_type_is_text() -> None:
    assert not reads_as_leading(b"**" + b"word " * 60 + b"end**\n\n")


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("p.html", "<p>Do it like this:</p>\n", True),
        ("p.html", "<p>Do it like <em>this:</em> </p>\n", True),
        ("p.html", '<p class="x"><strong>Getting started</strong></p>\n', True),
        ("p.html", '<p>\n<span class="bold"><strong>NO WARRANTY</strong></span>\n</p>', True),
        ("p.html", '<P><A NAME="x"></A><B\n>Example 2. <I>An</I> and list</B\n></P\n>', True),
        ("p.html", '<p class="rubric">Examples</p>\n<div class="highlight">', True),
        ("p.html", '<p class="first admonition-title">Note</p>\n', True),
        ("p.html", '<p>Do it like this:</p>\n<div class="a"><div>\n', True),
        ("p.html", '<div><div><p class="title">Examples</p></div></div><a id="x"></a><div>', True),
        ("p.html", '<div><p>Examples</p></div><a id="x"></a><div>', False),
        ("p.html", '<p class="prev-next-title">Examples</p>\n', False),
        ("p.html", '<div class="title">Example 1. A <b>box</b></div>\n<div class="content">', True),
        ("p.html", '<div class="method-heading">\n<span>name</span></div>\n\n<div><div>', True),
        ("p.html", '<div class="subtitles">Words</div>\n<div>', False),
        ("p.html", '<div class="title">Words</div><div>More</div>\n', False),
        ("p.html", "<p><b>Do</b> it like <b>this</b></p>\n", False),
        ("p.html", "<p>Do it like this:</p>\n<p>More.</p>\n<div>", False),
        ("p.html", "<dl><dt>--quiet</dt>\n<dd>", True),
        ("p.html", '<dl><dt><code>a_b</code> (<i>integer</i>) <a id="x"></a></dt>', True),
        ("p.html", "<dl><dt>--quiet</dt><dd>Say less.</dd>\n", False),
        ("p.html", "<p>Do it like this.</p>\n", False),
        ("p.html", "<pre>if it:</pre>\n", False),
        ("p.rst", "Do it like this::\n\n", True),
        ("p.rst", ".. _setup:\n\n", True),
        ("p.adoc", "Do it like this:\n\n", True),
        ("p.txt", "Do it like this:\n\n", True),
        ("p.py", "for name in names:\n", True),
        ("p.py", "names = [\n", True),
        ("p.py", "names = []\n", False),
        ("p.rs", "/// Do it like this:\n///\n", True),
        ("p.rs", "/// Do it like this.\n///\n", False),
        ("p.java", "public static void main(String[] arguments) {\n", True),
    ],
)
def test_other_formats(path: str, text: str, expected: bool) -> None:
    assert reads_as_leading(text.encode(), path=path) is expected


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("markdown", "code"), True),
        (("code", "code"), False),
        (("code", "markdown"), False),
        (("markdown", "markdown"), False),
    ],
)
def test_the_text_of_a_notebook_leads_on_to_the_code_below_it(
    kinds: tuple[str, str], expected: bool
) -> None:
    cells = [{"cell_type": kind, "source": "All is well.", "metadata": {}} for kind in kinds]
    source = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    reader = BodyReader(parse(source.encode(), "p.ipynb"))
    first, second = [block.start for block in reader.document.blocks]
    assert leads_on(reader, first, second) is expected


@pytest.mark.parametrize(
    ("path", "code", "sentence", "expected"),
    [
        ("p.md", "```\nmake\n```\n\n", "and start it.\n", True),
        ("p.md", "```\nmake\n```\n\n", "Start it.\n", False),
        ("p.md", "It is made.\n\n", "and started.\n", False),
        ("p.rst", "Make::\n\n    make\n\n", "and start it.\n", True),
        ("p.html", "<pre>make</pre>\n", "<p>and start it.</p>\n", True),
        ("p.html", "<pre>make</pre>\n", "<p>Start it.</p>\n", False),
    ],
)
def test_a_sentence_that_goes_on_behind_code(
    path: str, code: str, sentence: str, expected: bool
) -> None:
    assert reads_as_leading(code.encode(), path=path, behind=sentence.encode()) is expected


def paragraph(words: int) -> str:
    return "word " * (words - 1) + "end.\n\n"


def first_piece(source: str, strategy: Strategy = "auto") -> str:
    options = ChunkingOptions(strategy=strategy, target_tokens=400)
    chunks = chunk_document(parse(source.encode(), "p.md"), tree="t", options=options).chunks
    assert "".join(chunk.body for chunk in chunks) == source
    return chunks[1].body


def test_an_introduction_goes_with_what_it_introduces() -> None:
    code = "```\n" + "x = 1\n" * 40 + "```\n"
    text = paragraph(230) + "**Example**\n\nDo it like this:\n\n" + code
    assert first_piece(text) == paragraph(230)


def test_so_it_does_where_sections_are_gathered() -> None:
    code = "```\n" + "x = 1\n" * 62 + "```\n\n"
    source = (
        paragraph(150) + "**Example**\n\nDo it like this:\n\n" + code + "# A\n\n" + paragraph(200)
    )
    options = ChunkingOptions(strategy="section", target_tokens=400, max_tokens=500)
    chunks = chunk_document(parse(source.encode(), "p.md"), tree="t", options=options).chunks
    assert chunks[1].body == paragraph(150)


def test_an_item_that_fits_is_not_torn_for_equal_sizes() -> None:
    item = "- " + "word " * 170 + "end.\n\n  " + "word " * 160 + "end.\n\n"
    text = item + "- " + "word " * 70 + "end.\n"
    options = ChunkingOptions(strategy="auto", target_tokens=400)
    chunks = chunk_document(parse(text.encode(), "p.md"), tree="t", options=options).chunks
    assert [chunk.body for chunk in chunks] == [text]


def test_the_text_of_an_item_stays_with_the_list_below_it() -> None:
    below = "".join(f"  - {'word ' * 60}end.\n\n" for _ in range(9))
    item = "- " + "word " * 250 + "end.\n\n"
    assert first_piece(item + "- " + "word " * 25 + "begins.\n\n" + below) == item


def test_so_it_does_in_the_first_item() -> None:
    below = "".join(f"  - {'word ' * 60}end.\n\n" for _ in range(9))
    before = paragraph(250)
    assert first_piece(before + "- " + "word " * 25 + "begins.\n\n" + below) == before


def test_it_stays_where_the_next_piece_would_be_too_large() -> None:
    behind = "".join(paragraph(130) for _ in range(3))
    introduction = "word " * 20 + "like this:\n\n"
    assert first_piece(paragraph(300) + introduction + behind) == paragraph(300) + introduction


def test_it_stays_where_the_piece_before_would_be_too_small() -> None:
    code = "```\n" + "x = 1\n" * 90 + "```\n"
    text = paragraph(90) + "a " * 40 + "like this:\n\n" + code
    assert first_piece(text) == paragraph(90) + "a " * 40 + "like this:\n\n"


def test_code_that_is_too_large_takes_its_introduction_in() -> None:
    code = "```\n" + "x = 1\n" * 200 + "```\n"
    text = paragraph(200) + "Do it like this:\n\n" + code
    assert first_piece(text) == paragraph(200)


ABOVE = {
    "code": b"```rust\nloop {}\n```",
    "a table": b"| a |\n|---|\n| b |",
}
CAPTIONS = {
    "a figure's number": "Figure 3: a loop\n",
    "a short word": "*Fig. 3*\n",
    "a listing's number in bold type": "**Listing 4-7**: a loop\n",
    "German": "Abb. 3: eine Schleife\n",
    "Russian": "Рисунок 3. Цикл\n",
    "Chinese": "图 3 循环\n",
    "attributes": "{: .wide}\n",
    "a block of Python-Markdown": "/// caption\nA loop\n///\n",
}
BELOW_TEXT = ("Text.", "An ![icon](i.png) in a sentence.")


@pytest.mark.parametrize("above", ABOVE.values(), ids=list(ABOVE))
@pytest.mark.parametrize("caption", CAPTIONS.values(), ids=list(CAPTIONS))
def test_a_caption_belongs_to_what_is_above_it(above: bytes, caption: str) -> None:
    assert reads_as_leading(above + b"\n\n", behind=caption.encode())


@pytest.mark.parametrize("text", BELOW_TEXT)
def test_the_number_of_a_figure_begins_a_sentence_below_text(text: str) -> None:
    assert not reads_as_leading(f"{text}\n\n".encode(), behind=b"Figure 3 shows a loop.\n")


def test_the_caption_of_a_table_may_stand_below_it() -> None:
    assert reads_as_leading(ABOVE["a table"] + b"\n\n", behind=b"Table: words\n")
    assert reads_as_leading(ABOVE["a table"] + b"\n\n", behind=b": words\n")


PAGE_CAPTIONS = {
    "code": b'<pre>loop {}</pre><p><span class="caption">Listing 4-7: a loop</span></p>',
    "a table": b"<table><tr><td>a<tr><td>b</table><p><b>Table 2.</b> Words</p>",
    "a figure": b'<figure><img src="l.png"><figcaption><p>A loop</p></figcaption></figure>',
}


@pytest.mark.parametrize("page", PAGE_CAPTIONS.values(), ids=list(PAGE_CAPTIONS))
def test_a_caption_in_a_page(page: bytes) -> None:
    at = page.rfind(b"<p>")
    assert leads_on(BodyReader(parse(page, "p.html")), 0, at)
    before = page[:at].removesuffix(b"<figcaption>")
    other = BodyReader(parse(before + b"<p>Then it ends.</p>", "p.html"))
    assert not leads_on(other, 0, len(before))


BELOW_A_LABEL = ("- one\n- two\n", "```\ncode\n```\n", "| a |\n|---|\n| b |\n")
LABELS = {
    "a label": b"What you need",
    "a sentence that the items end": b"It fails if",
    "a comma": b"Then,",
    "Chinese": "所需工具".encode(),
}


@pytest.mark.parametrize("label", LABELS.values(), ids=list(LABELS))
@pytest.mark.parametrize("below", BELOW_A_LABEL)
def test_a_text_without_an_end_leads_on_to_what_is_no_text(label: bytes, below: str) -> None:
    assert reads_as_leading(label + b"\n\n", behind=below.encode())
    assert not reads_as_leading(label + b".\n\n", behind=below.encode())
    assert not reads_as_leading(label + b"\n\n", behind=b"What follows\n")


@pytest.mark.parametrize("below", ["<ul><li>one</ul>", "<pre>code</pre>", "<dl><dt>a<dd>b</dl>"])
def test_a_text_of_a_page_without_an_end_leads_on(below: str) -> None:
    for end, leads in (("", True), (".", False), ("?", False)):
        page = f"<p>It fails <em>if{end}</em> </p>"
        reader = BodyReader(parse((page + below).encode(), "p.html"))
        assert leads_on(reader, 0, len(page)) is leads


ANNOUNCEMENTS = {
    "following": "The following table lists **all** sizes.",
    "below": "Run the script below (it takes a while).",
    "an escaped stop": "Use this command, as follows\\.",
    "a second sentence": "It is long. Consider the following\nexample.",
    "Chinese": "它有三个选项。可用的值如下表所示。",
    "Japanese": "設定は次のコマンドで行います。",
    "Korean": "다음 원칙을 따르세요.",
}


@pytest.mark.parametrize("text", ANNOUNCEMENTS.values(), ids=list(ANNOUNCEMENTS))
@pytest.mark.parametrize("below", BELOW_A_LABEL)
def test_a_sentence_that_announces_leads_on_to_what_is_no_text(text: str, below: str) -> None:
    before = f"Some text.\n\n{text}\n\n".encode()
    assert reads_as_leading(before, behind=below.encode())
    assert not reads_as_leading(before)
    assert not reads_as_leading(before + b"It ends here.\n\n", behind=below.encode())
    ended = f"{text} Then all is said.\n\n".encode()
    assert not reads_as_leading(ended, behind=below.encode())


def test_so_it_does_in_a_page() -> None:
    below = "<pre>code</pre>"
    for text, leads in (
        ("The <b>following</b> code is it.", True),
        ("See <i>below.</i> Then go on.", False),
        ('Go <a href="following.html">on</a>.', False),
    ):
        page = f"<p>{text}</p>\n"
        reader = BodyReader(parse((page + below).encode(), "p.html"))
        assert leads_on(reader, 0, len(page)) is leads


TITLES = [
    ("coreutils (7.5-1) unstable; urgency=low", "  * new upstream version.\n", True),
    ("  17. Interpretation of Sections 15 and 16.", "  If the disclaimer of\nwarranty\n", True),
    ("UI, Workflows & Features", " * Comes with new version.\n", True),
    ("1.2 Basic Format", "  A file consists of lines.\n", True),
    ("TITLE", "One line at the same margin.\n", False),
    ("What is it?\n===========", "One line at the same margin.\n", True),
    ("=====\nTITLE (short)\n=====", "One line at the same margin.\n", True),
    ("  A centred title\n  ~~~~~~~~~~~~~~~", "Text at the margin,\nand more of it\n", True),
    ("It ends like a sentence.\n-----", "One line at the same margin.\n", False),
    ("Two lines\nare no title\n-----", "One line at the same margin.\n", False),
    ("  5.2. Appointment", "    1. One item,\n       in two lines\n", True),
    ("The options\nare", "    a and b,\n    and c\n", True),
    ("The options\nare", "    a, b and c\n", True),
    ("The options\nare these.", "    a, b and c\n", False),
    ("A text that ends.", "-- An item of a list that goes on\nin another line\n", False),
    ("A text that ends.", "— Yes, said he.\n", False),
    ("It ends like a sentence.", "    and goes on\nin lines\n", False),
    ("Two lines\nare no title", "    and go on\nin lines\n", False),
    (" -- A. Writer <a@b.example>  Mon, 28 Jan 2008", "    and goes on\nin lines\n", False),
    ("    the end of an indented text", "What is next is not,\nand goes on\n", False),
    ("1. One item.", "2. Another,\n   in two lines\n", False),
    ("A line of more than eighty characters, " * 3, "    and goes on\nin lines\n", False),
]


@pytest.mark.parametrize(("title", "behind", "expected"), TITLES)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_line_alone_is_the_title_of_plain_text(
    title: str, behind: str, expected: bool, line_end: str
) -> None:
    for before in ("Some text before.\n\n", ""):
        source = f"{before}{title}\n\n".replace("\n", line_end).encode()
        below = behind.replace("\n", line_end).encode()
        assert reads_as_leading(source, path="p.txt", behind=below) == expected
    assert not reads_as_leading(f"{title}\n\n".encode(), path="p.md", behind=b"Text.\n")


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_no_piece_of_a_changelog_ends_with_the_title_of_an_entry(strategy: Strategy) -> None:
    entries = [
        f"tool (1.{number}-1) unstable; urgency=low\n\n"
        + "".join(f"  * What was changed {k} in it.\n" for k in range(number % 7 + 1))
        + "\n -- A. Writer <writer@example.org>  Mon, 28 Jan 2008 21:11:32 -0500\n\n"
        for number in range(90)
    ]
    options = ChunkingOptions(strategy=strategy)
    document = parse("".join(entries).encode(), "changelog.txt")
    found = chunk_document(document, tree="t", options=options).chunks
    ends = [chunk.body.rstrip().rpartition("\n")[2] for chunk in found if chunk.kind == "piece"]
    assert len(ends) > 10
    assert not [end for end in ends if end.startswith("tool")]


SOLD = "It is sold. " * 40 + "It is not sold.\n\n"
BOX = "<Sandpack>\n\n```js\n" + "sold(it);\n" * 44 + "```\n\n</Sandpack>\n\n"


@pytest.mark.parametrize(
    ("before", "begins"),
    [
        (SOLD, "<Sandpack>"),
        (SOLD + "</Sandpack>\n\n", "<Sandpack>"),  # such crumbs are joined, but for the tag
        (SOLD + "So:\n\n", "So:\n\n<Sandpack>"),
        ("It is sold: " * 40 + "so:\n\n", "<Sandpack>"),  # what leads on to it is too large
    ],
)
@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_a_tag_that_opens_a_box_goes_with_what_is_in_the_box(
    before: str, begins: str, strategy: Strategy
) -> None:
    options = ChunkingOptions(strategy=strategy, min_tokens=20, target_tokens=200, max_tokens=260)
    document = parse(f"# A\n\n{before}{BOX}".encode(), "p.md")
    found = chunk_document(document, tree="t", options=options).chunks
    bodies = [chunk.body for chunk in found if chunk.kind == "piece"]
    assert bodies[-1].startswith(begins)
    assert len(bodies) == 2


@given(
    st.lists(
        st.integers(2, 12).map(lambda count: "It is sold. " * count)
        | st.sampled_from(["<details>", "<div>", "<!-- sold -->", "</div>"]),
        min_size=4,
        max_size=24,
    )
)
def test_a_piece_ends_with_an_opening_tag_only_where_the_next_has_no_room_for_it(
    blocks: list[str],
) -> None:
    source = "# A\n\n" + "\n\n".join(blocks) + "\n"
    options = ChunkingOptions(target_tokens=64, max_tokens=200, min_tokens=0)
    found = chunk_document(parse(source.encode(), "p.md"), tree="t", options=options).chunks
    for before, behind in pairwise(found):
        *_, above, last = ["<div>", *before.body.strip().split("\n\n")]
        if behind.kind == "piece" and last in ("<details>", "<div>"):
            is_alone = above in ("<details>", "<div>")  # no cut among several is better
            assert is_alone or behind.body_tokens + 4 > 64
