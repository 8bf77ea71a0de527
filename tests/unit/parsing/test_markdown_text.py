"""The readable text of Markdown with HTML in it, and the titles that such pages have."""

from __future__ import annotations

import pytest

from leafmark.parsing import parse
from leafmark.parsing.formats import reader_of
from leafmark.parsing.markdown_text import markdown_reader


def read(source: str) -> str:
    document = parse(source.encode(), "README.md")
    return document.read(0, len(document.data))


TEXTS = {
    "words in elements": ('<p align="center">\n  <b>One</b> two\n</p>\n', "\nOne two\n\n"),
    "pictures": ('<img src="https://x.example/y.svg" width="9" alt="A &amp; b">\n', "A & b\n"),
    "pictures without words": ('<p><img src="x.svg"></p>\n', "\n"),
    "entities": ("<p>a &lt; b &#8212; c</p>\n", "a < b — c\n"),
    "badges": ("[![build](https://x.example/b.svg)](https://x.example/ci) text\n", "build text\n"),
    "badges without words": ("[![](b.svg)](https://x.example/ci) text\n", " text\n"),
    "comments": ("a\n\n<!-- b\n\nc -->\n\nd\n", "a\n\n\n\nd\n"),
    "scripts and styles": ("<style>\n.a { b: c }\n</style>\n\nd\n", "\n\nd\n"),
    "cells": ("<table>\n<tr><td>a</td><td>b</td></tr>\n</table>\n", "\na\tb\t\n\n"),
    "items": ("<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n", "\n- a\n- b\n\n"),
    "breaks in a line": ('a <b class="x">b</b><br>c\n', "a b c\n"),
    "names in angle brackets": (
        '<p class="x">\n\nRun <file> and <path>\n',
        "\n\nRun <file> and <path>\n",
    ),
    "code": ('<p>a</p>\n\n```html\n<p b="c">\n```\n', 'a\n\n```html\n<p b="c">\n```\n'),
    "code in a line": ('<p>a</p>\n\nb `<p c="d">`\n', 'a\n\nb `<p c="d">`\n'),
    "code that a tag quotes": (
        "<p>a</p>\n\n{% highlight html %}\n<p>b</p>\n{% endhighlight %}\n",
        "a\n\n{% highlight html %}\n<p>b</p>\n{% endhighlight %}\n",
    ),
    "components": ('<Tabs a="b">\n\nc\n\n</Tabs>\n', "\n\nc\n\n\n"),
    "MDX": (
        "import A from './a'\nexport const b = {\n\n  c\n}\n\n<A\n  d={() => 1}\n/>\n\ne {/* f */}"
        "\n",
        "\n\n\n\ne {/* f */}\n",
    ),
    "tags in capitals": ("<P>a</P>\n", "a\n"),
    "places that are named in a line of their own": ('a\n<a name="1.0"></a>\nb\n', "a\n\nb\n"),
    "a tag that never ends": ('<p>a</p>\n\n<p class="b\n', 'a\n\n<p class="b\n'),
}


@pytest.mark.parametrize(("source", "text"), TEXTS.values(), ids=list(TEXTS))
def test_what_is_read(source: str, text: str) -> None:
    assert read(source) == text


@pytest.mark.parametrize("source", ["# A\n\na < b\n", "List<String>\n", "a *b* [c](d)\n"])
def test_a_source_without_html_is_its_own_text(source: str) -> None:
    assert parse(source.encode(), "a.md").reader is None


def test_the_reader_of_a_document_is_that_of_its_source() -> None:
    source = b'<p align="center">a</p>\n'

    assert reader_of("markdown", source) is parse(source, "a.md").reader is not None


def test_words_stand_for_the_bytes_that_they_come_from() -> None:
    source = "<p>\nOne &amp; <b>two</b> é\n</p>\n\nthree\n"
    document = parse(source.encode(), "a.md")
    assert document.reader is not None
    readable = document.reader(document.data, [(0, len(document.data))])

    for word in ("One", "&", "two", "é", "three"):
        start = readable.text.index(word)
        first, last = readable.source_range(start, start + len(word))
        written = document.data[first:last].decode()
        assert written == ("&amp;" if word == "&" else word)


TITLES = {
    "an element": ('<h1 align="center">Tern</h1>\n\n## Use\n', "Tern"),
    "an element over lines": ("<div>\n<h1>\n  The <b>Tern</b>\n</h1>\n</div>\n", "The Tern"),
    "a picture in an element": ('<h1><img src="x.svg" alt="Tern"></h1>\n', "Tern"),
    "a picture": ("# ![Tern](logo.svg)\n\ntext\n", "Tern"),
    "a linked picture": ("# [![Tern](logo.svg)](https://x.example)\n", "Tern"),
    "words beside a picture": ("# ![logo](logo.svg) Tern\n", "Tern"),
    "an element behind a heading": ("# A\n\n<h1>Tern</h1>\n", "A"),
    "an element before a heading": ("<h1>Tern</h1>\n\n# A\n", "Tern"),
    "an element in code": ("```html\n<h1>Tern</h1>\n```\n", "README"),
    "an empty element": ("<h1></h1>\n\n# A\n", "A"),
    "front matter": ("---\ntitle: B\n---\n<h1>Tern</h1>\n", "B"),
}


@pytest.mark.parametrize(("source", "title"), TITLES.values(), ids=list(TITLES))
def test_the_title_of_a_page_in_html(source: str, title: str) -> None:
    assert parse(source.encode(), "README.md").title == title


@pytest.mark.parametrize(
    "part", ["<p ", "<p>", "<!--", "<h1>", "[![", "&amp;", '<a b="', "<b>x</b>\n\n"]
)
def test_any_repetition_is_read_in_time_that_grows_with_it(part: str) -> None:
    assert read(f"<p>{part * 20_000}") is not None


def test_an_image_where_a_text_begins_is_in_no_link() -> None:
    source = b"![alt](a.png)[link](b.md)\n<b>raw</b>\n"
    reader = markdown_reader(source)
    assert reader is not None
    assert reader(source, [(0, len(source))]).text.startswith("![alt](a.png)[link](b.md)\n")
