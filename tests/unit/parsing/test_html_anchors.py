"""Names that a page gives its headings from outside: which ones, and where links to them lead."""

from __future__ import annotations

import pytest

from leafmark.chunking import chunk_document
from leafmark.parsing import parse
from leafmark.parsing.html import parse_html

CASES = {
    "GTK-Doc": ('<div><a name="f"></a><h3>f ()</h3>x</div>', ["f"]),
    "Doxygen": ('<a id="f" name="f"></a>\n<h2 class="memtitle">f</h2>x', ["f"]),
    "Javadoc": ('<a name="f"><!-- > --></a>\n<h3>f</h3>x', ["f"]),
    "several": ("<p><A NAME=a></A><a id='b' ></a></p>\r\n<hr/><div><h2>T</h2>x</div>", ["a", "b"]),
    "references in it": ('<a name="a&amp;b"></a><h2>T</h2>x', ["a&b"]),
    "words between": ('<a name="a"></a>x <h2>T</h2>y', []),
    "the anchor has words": ('<a name="a">x</a><h2>T</h2>y', []),
    "a list between": ('<a name="a"></a><ul></ul><h2>T</h2>y', []),
    "of what is no anchor": ('<p id="a"></p><input name="b"><h2>T</h2>y', []),
    "a link": ('<a href="x.html"></a><h2>T</h2>y', []),
    "no name": ('<a name=""></a><h2>T</h2>y', []),
    "another tag that begins so": ('<abbr id="a"></abbr><h2>T</h2>y', []),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=list(CASES))
def test_names_before_a_heading(source: str, expected: list[str]) -> None:
    document = parse_html(f"<h1>A</h1><p>Text.</p>{source}".encode(), "p.html")
    second = document.headings[1]
    assert [*document.anchors] == [(name, second.start) for name in expected]


def test_links_to_them_lead_to_the_section() -> None:
    page = (
        b'<h1>A</h1><p>See <a href="#cairo-arc">arc</a>, <a href="#a">A</a>.</p>'
        b'<a name="a"></a><a name="cairo-arc"></a><h2>cairo_arc ()</h2><p>Arcs.</p>'
    )
    chunked = chunk_document(parse(page, "p.html"), tree="t")
    assert [slug for slug, at in chunked.slugs.items() if at == 2] == ["cairo_arc-", "cairo-arc"]
    assert chunked.slugs["a"] == 1, "a slug goes before a name"


@pytest.mark.parametrize("part", ["<a name=a></a>", "<a name=", "<h2>", "<!--", "-->", "> "])
def test_hostile_pages_take_no_longer(part: str) -> None:
    page = (part * (200_000 // len(part))).encode() + b"<h2>T</h2>x" + b"<h2></h2>" * 2_000
    assert len(parse_html(page, "p.html").anchors) <= 600
