"""Markdown to documents: spans, titles, levels, line ends, links, limits."""

from __future__ import annotations

import pytest
from support.sources import show_document

from leafmark.model import Diagnostic, Document, Link
from leafmark.parsing import markdown, parse


def read(source: str | bytes, path: str = "notes/page.md") -> Document:
    return parse(source.encode() if isinstance(source, str) else source, path)


def titles(source: str) -> list[str]:
    return [heading.title for heading in read(source).headings]


STRUCTURE = {
    "headings of both kinds with all their lines": (
        "  # One #\n\ntwo\nlines\n---\ntext\n",
        ['[0:10) h1 "One"', '[11:25) h2 "two lines"', "[25:30) paragraph"],
    ),
    "a heading after a link definition begins at its own line": (
        "[a]: b\nfoo\n===\n",
        ["[0:7) definition", '[7:15) h1 "foo"'],
    ),
    "nested headings are marked, and blocks of their container": (
        "> # q\n\n- # l\n\n# top\n",
        [
            '[0:6) h1 "q" nested',
            "[0:6) quote",
            "[0:6)   heading",
            '[7:13) h1 "l" nested',
            "[7:13) list",
            "[7:13)   list_item",
            "[7:13)     heading",
            '[14:20) h1 "top"',
        ],
    ),
    "a heading in a footnote is nested": (
        "x[^1]\n\n[^1]: a\n\n    # in\n\n# out\n",
        [
            "[0:6) paragraph",
            "[7:25) definition",
            "[7:15)   paragraph",
            '[16:25) h1 "in" nested',
            "[16:25)   heading",
            '[26:32) h1 "out"',
        ],
    ),
    "raw HTML headings make none": (
        "<h1>no</h1>\n\ntext <h2>no</h2>\n",
        ["[0:12) html", "[13:30) paragraph"],
    ),
    "fenced code has a language and a content start": (
        "```Py title=x\ncode\n```\n\n   ~~~\n   y\n   ~~~\n",
        ["[0:23) code py from 14", "[24:43) code from 31"],
    ),
    "indented code takes in its indentation": (
        "text\n\n    a\n\n    b\n\n\nend\n",
        ["[0:5) paragraph", "[6:19) code", "[21:25) paragraph"],
    ),
    "an unclosed fence runs to the end": ("```\n# no\n\n", ["[0:10) code from 4"]),
    "a table has rows after its header": (
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
        ["[0:40) table from 20", "[20:30)   table_row", "[30:40)   table_row"],
    ),
    "a table without rows": ("| a |\n|---|\n", ["[0:12) table from 12"]),
    "a list ends before the blank lines behind it": (
        "- a\n\n\n\ntext\n",
        ["[0:4) list", "[0:4)   list_item", "[7:12) paragraph"],
    ),
    "code in an item": (
        "1. a\n\n   ```sh\n   ls\n   ```\n",
        [
            "[0:28) list",
            "[0:28)   list_item",
            "[0:5)     paragraph",
            "[6:28)     code sh from 15",
        ],
    ),
    "containers in containers on one line": (
        "> - a\n",
        ["[0:6) quote", "[0:6)   list", "[0:6)     list_item"],
    ),
    "a rule and its neighbours": (
        "a\n\n---\n\nb",
        ["[0:2) paragraph", "[3:7) thematic_break", "[8:9) paragraph"],
    ),
    "definitions that stand together are one block": (
        "text\n\n[a]: b\n  [c]: d 'e'\n\nmore\n",
        ["[0:5) paragraph", "[6:26) definition", "[27:32) paragraph"],
    ),
    "a list ends before the definitions below it": (
        "- a\n\n[b]: c\n[d]: e\n[f]: g\n\n- h\n",
        [
            "[0:4) list",
            "[0:4)   list_item",
            "[5:26) definition",
            "[27:31) list",
            "[27:31)   list_item",
        ],
    ),
    "and so does one whose items hold lists": (
        "- a\n\n  - b\n\n[c]: d\n[e]: f\n",
        [
            "[0:11) list",
            "[0:11)   list_item",
            "[0:4)     paragraph",
            "[5:11)     list",
            "[5:11)       list_item",
            "[12:26) definition",
        ],
    ),
    "items below a tab begin at their own lines": (
        "- a\n\t- b\n\t- c\n\n[x]: y\n[z]: y\n",
        [
            "[0:14) list",
            "[0:14)   list_item",
            "[4:14)     list",
            "[4:9)       list_item",
            "[9:14)       list_item",
            "[15:29) definition",
        ],
    ),
    "a footnote is a definition": (
        "x[^n]\n\n[^n]: note\n",
        ["[0:6) paragraph", "[7:18) definition", "[7:18)   paragraph"],
    ),
    "lone carriage returns end lines": (
        "# a\rtext\r\r# b\r\n",
        ['[0:4) h1 "a"', "[4:9) paragraph", '[10:15) h1 "b"'],
    ),
    "a byte order mark is in no heading": ("\ufeff# a\nb", ['[3:7) h1 "a"', "[7:8) paragraph"]),
    "front matter is a block and hides no line after it": (
        "---\ntitle: T\n---\n# a\n",
        ["[0:17) front_matter", '[17:21) h1 "a"'],
    ),
    "front matter after a byte order mark, with CRLF": (
        "\ufeff---\r\ntitle: T\r\n---\r\n# a\r\n",
        ["[3:23) front_matter", '[23:28) h1 "a"'],
    ),
    "nothing but blanks": (" \n\t\n", []),
}


@pytest.mark.parametrize(("source", "expected"), STRUCTURE.values(), ids=STRUCTURE)
def test_structure(source: str, expected: list[str]) -> None:
    assert show_document(read(source)) == expected


TITLES = {
    "# a *b* **c** ~~d~~ `e  f`": "a b c d e f",
    "# [text](url) and [ref]\n\n[ref]: u": "text and ref",
    "# ![alt](i.png) logo": "logo",
    "# ![a [b](c) d](i.png)": "a b d",
    "# [![alt](i.png) kept](url)": "kept",
    "# <b>bold</b> <br/> x<!-- c -->": "bold x",
    "# &amp; &#65; \\# \\*": "& A # *",
    "# <http://auto.example>": "http://auto.example",
    "# a[^1]\n\n[^1]: n": "a",
    "# a[^2]": "a[^2]",
    "# [ ] task": "[ ] task",
    "# :tada: www.example.com": ":tada: www.example.com",
    "# [[Page|shown]]": "[[Page|shown]]",
    "# a\tb  c ##\t": "a b c",
    "# a\t#": "a",
    "# a #\t ": "a",
    "#\t#": "",
    "# a\t\\#": "a #",
    "# `a\t#`": "a #",
    "# a\t#b": "a #b",
    "# a#": "a#",
    "# C# #\t": "C#",
    "# x\0y": "x\ufffdy",
    "#": "",
    "a\\\nb  \nc\n===": "a b c",
}


@pytest.mark.parametrize(("source", "expected"), TITLES.items(), ids=TITLES)
def test_title_is_the_rendered_text(source: str, expected: str) -> None:
    assert titles(source) == [expected]


@pytest.mark.parametrize(
    ("source", "slug_text"),
    [
        ("# a  b", "a  b"),
        ("# <b> x</b>", " x"),
        ("a\n  b\n===", "a b"),
        ("a  \nb\n===", "a b"),
        ("# ![x](y) a", " a"),
    ],
)
def test_slug_text_is_not_folded_and_a_line_break_is_one_space(source: str, slug_text: str) -> None:
    assert read(source).headings[0].slug_text == slug_text


def test_headings_reach_to_the_end_of_the_source_at_most() -> None:
    assert [heading.limit for heading in read("# a\n## b\ntext").headings] == [13, 13]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("---\ntitle: Front\n---\n# H", "Front"),
        ("---\ntitle: 1.10\n---\n", "1.10"),
        ("---\ntitle: 2026-01-02\n---\n", "2026-01-02"),
        ("---\ntitle: '  '\n---\n# H", "H"),
        ("---\ntitle: true\n---\n# H", "H"),
        ("---\ntitle: [a]\n---\n# H", "H"),
        ("+++\ntitle = 'Toml'\n+++\n# H", "Toml"),
        ("## two\n# ![](x)\n# One\n# Other", "One"),
        ("> # quoted\n\n## two", "page"),
        ("text", "page"),
    ],
)
def test_document_title(source: str, title: str) -> None:
    assert read(source).title == title


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("rust,no_run", "rust"),
        ("{.python .numberLines}", "python"),
        ("{r, echo=FALSE}", "r"),
        ("js{1,3}", "js"),
        ("C++", "c++"),
        ("  sh  -x", "sh"),
        ("a&amp;b", "a&b"),
        ("{}", ""),
    ],
)
def test_language_is_the_first_word_of_the_info_string(info: str, language: str) -> None:
    assert read(f"~~~{info}\nx\n~~~\n").blocks[0].info == language


def test_links_as_written() -> None:
    source = "[a](b 'c') ![i](j&amp;k) <x@y.z> <uu:v> [r][d] [d] `[no](no)`\n\n[d]: <e f>\n"
    document = read(source)

    assert [(source[x.start : x.end], x.target, x.kind) for x in document.links] == [
        ("[a](b 'c')", "b", "link"),
        ("![i](j&amp;k)", "j&k", "image"),
        ("<x@y.z>", "mailto:x@y.z", "autolink"),
        ("<uu:v>", "uu:v", "autolink"),
        ("[r][d]", "e f", "link"),
        ("[d]", "e f", "link"),
    ]


def test_links_of_headings_and_of_cells_are_in_order() -> None:
    document = read("# [a](1)\n\n|[b](2)|\n|-|\n|![c](3)|\n\n> # [d](4)\n")

    assert [link.target for link in document.links] == ["1", "2", "3", "4"]


def test_wiki_links_are_links_outside_of_code_only() -> None:
    source = (
        "[[Page]] `[[no]]` ![[pic.png]] [[a|b]] [[ref]] \\[[no]] [[ ]]\n\n    [[no]]\n\n[ref]: u\n"
    )
    document = read(source)

    assert [(source[x.start : x.end], x.target, x.kind) for x in document.links] == [
        ("[[Page]]", "Page", "wiki"),
        ("![[pic.png]]", "pic.png", "wiki"),
        ("[[a|b]]", "a", "wiki"),
        ("[[ref]]", "ref", "wiki"),
    ]


def test_a_link_whose_text_is_in_brackets_is_no_wiki_link() -> None:
    source = "[[Bug #1]](u) [[Page]] ![[i]](v) [[r]][d]\n\n[d]: w\n"
    document = read(source)

    assert [(source[x.start : x.end], x.target, x.kind) for x in document.links] == [
        ("[[Bug #1]](u)", "u", "link"),
        ("[[Page]]", "Page", "wiki"),
        ("![[i]](v)", "v", "image"),
        ("[[r]][d]", "w", "link"),
    ]


def test_wiki_link_in_a_table_has_an_escaped_bar() -> None:
    document = read("| [[a\\|b]] | x |\n|---|---|\n")

    assert document.links == (Link(2, 10, "a", "wiki"),)


def test_bad_bytes_are_shown_as_replacement_characters() -> None:
    document = read(
        b"# " + 4 * b"\xc3\xa9" + b" b\xe2\x82d\xff\n\n[x](<" + 8 * b"\xc3\xa9" + b"\xe2\x82>)\n"
    )

    assert document.data.startswith(b"# \xc3\xa9")
    assert document.headings[0].title == "éééé b\ufffdd\ufffd"
    assert document.links[0].target == "éééééééé\ufffd"
    assert document.diagnostics == (
        Diagnostic(
            "notes/page.md", "bad-utf8", "3 sequences are not valid UTF-8 and shown as U+FFFD", 1
        ),
    )


def test_bad_bytes_in_front_matter_are_shown_so_and_spoil_no_value() -> None:
    document = read(
        "---\ntitle: Größe\nabout: {of: 'é".encode() + b"\xe2\x82'}\ntags: [a\xff, b]\n---\nx\n"
    )

    assert document.title == "Größe"
    assert document.metadata["about"] == {"of": "é\ufffd"}
    assert document.tags == ("a\ufffd", "b")
    assert [diagnostic.code for diagnostic in document.diagnostics] == ["bad-utf8"]


def test_utf16_is_read_by_its_byte_order_mark() -> None:
    document = read("# Größe\n\ntext".encode("utf-16"))

    assert document.encoding == "utf-16-le"
    assert document.data == "# Größe\n\ntext".encode()
    assert show_document(document) == ['[0:10) h1 "Größe"', "[11:15) paragraph"]
    assert document.diagnostics == ()


def test_too_many_marks_make_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "MAX_MARKS", 5)
    monkeypatch.setattr(markdown, "LARGE", 0)
    document = read("# a\n\n*b*\n\n# c\n")

    assert document.degraded
    assert document.format == "markdown"
    assert show_document(document) == ["[0:4) paragraph", "[5:9) paragraph", "[10:14) paragraph"]
    message = "read as plain text: it has more than 5 line ends and characters of markup"
    assert document.diagnostics == (Diagnostic("notes/page.md", "degraded", message),)


def test_marks_may_be_as_many_as_in_large_tables() -> None:
    assert markdown.find_excess(b"![[]()" * 500_000) == (
        "it has more than 1700000 line ends and characters of markup"
    )
    assert not markdown.find_excess(b"| 1.2 | 345 |\n" * 800_000)


@pytest.mark.parametrize("start", ["", "text\n\n"])
@pytest.mark.parametrize("marker", [">", "- ", "1. ", " \t+ "])
def test_too_deep_lines_make_plain_text(
    start: str, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(markdown, "LARGE", 0)
    source = start + marker * (markdown.MAX_DEPTH + 1) + "x\n"
    document = read(source)

    message = "read as plain text: a line is nested more than 1000 levels deep"
    assert document.diagnostics == (Diagnostic("notes/page.md", "degraded", message),)


@pytest.mark.parametrize("line", ["-" * 5000, "*" * 5000, "=" * 5000, "1" * 5000])
def test_long_rules_are_not_deep(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "LARGE", 0)

    assert not read(f"a\n\n{line}\n").degraded


@pytest.mark.parametrize(
    "source",
    [
        "# h\n" * 20_000,
        "[" * 20_000,
        "> " * 900 + "x",
        "".join(">" * depth + "x\n" for depth in range(300)),
        "- " * 900 + "x" + "\n" * 20_000,
        "| a " * 2000 + "|\n" + "|-" * 2000 + "|\n" + "|b|\n" * 200,
        "".join(f"[{n}]: u\n" for n in range(5000)) + "".join(f"[{n}]" for n in range(5000)),
        "# " + "*a `b` " * 5000,
        "*a **b " * 5000,
    ],
    ids=lambda source: repr(source[:12]),
)
def test_hostile_sources_are_parsed(source: str) -> None:
    document = read(source)

    assert not document.degraded
    assert not document.diagnostics
    assert document.headings or document.blocks


@pytest.mark.xfail(strict=True, reason="pulldown-cmark wants no tab in the delimiter row")
def test_a_table_may_have_tabs_in_its_delimiter_row() -> None:
    assert read("| a\t|\n|---\t|\n| b\t|\n").blocks[0].kind == "table"


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        (":::note\ntext\n:::\n", ["paragraph"]),
        ("import A from './a'\n\n{{< alert >}}\n", ["paragraph", "paragraph"]),
    ],
)
def test_what_other_renderers_add_is_read_as_commonmark_has_it(
    source: str, kinds: list[str]
) -> None:
    document = parse(source.encode(), "p.md")
    assert ([block.kind for block in document.blocks], list(document.headings)) == (kinds, [])
