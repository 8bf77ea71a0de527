"""Names that a page gives places: which ones, and where links to them lead."""

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
    "a paragraph": ('<p id="a"></p><h2>T</h2>y', ["a"]),
    "a link": ('<a href="x.html"></a><h2>T</h2>y', []),
    "no name": ('<a name=""></a><h2>T</h2>y', []),
    "in a comment": ('<!-- <a name="a"></a> --><h2>T</h2>y', []),
    "what a heading is the first of": (
        '<div id="a"><section id=b><h2>T</h2>y</section></div>',
        ["a", "b"],
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=list(CASES))
def test_names_before_a_heading(source: str, expected: list[str]) -> None:
    document = parse_html(f"<h1>A</h1><p>Text.</p>{source}".encode(), "p.html")
    second = document.headings[1]
    assert [one.name for one in document.anchors if one.at == second.start] == expected


ELSEWHERE = {
    "a term": ('<dl><dt id="os.join">join</dt><dd>x</dd></dl>', ["os.join"]),
    "an anchor with words": ('<a name="a">x</a>', ["a"]),
    "a name with `>` in another value": ('<p title=">" id="a">x</p>', ["a"]),
    "line numbers of code": ('<pre><a id="l1"></a>x\n<a id="l2"></a>y</pre>', []),
    "names in lines of code": (
        '<pre>All.\nopen x   *<a name=":open"></a><b>:open</b>*\n<a name="l3"></a>y\n'
        '<a name="l4"></a>z\n<a name="ERR_OK"></a>ERR_OK</pre>',
        [":open", "ERR_OK"],
    ),
    "what is left out": ('<nav id="a">x</nav><script id="b">"<p id=c>"</script>', []),
    "of no anchor": ('<input name="b"><meta name="c">', []),
}


@pytest.mark.parametrize(("source", "expected"), ELSEWHERE.values(), ids=list(ELSEWHERE))
def test_names_of_other_places(source: str, expected: list[str]) -> None:
    page = f"<h1>A</h1><p>Text.</p>{source}<p>More.</p>".encode()
    document = parse_html(page, "p.html")
    assert [one.name for one in document.anchors] == expected
    assert all(page[one.at : one.at + 1] == b"<" for one in document.anchors)


def test_links_to_a_term_lead_to_the_section_that_holds_it() -> None:
    page = (
        b'<h1>A</h1><p>See <a href="#term-f">f</a>.</p><h2>One</h2><p>x</p>'
        b'<h2>Two</h2><dl><dt id="term-f">the lamp</dt><dd>y</dd></dl>'
    )
    chunked = chunk_document(parse(page, "p.html"), tree="t")
    assert chunked.chunks[chunked.slugs["term-f"]].title == "Two"


def test_links_to_a_name_before_a_heading_lead_to_its_section() -> None:
    page = (
        b'<h1>A</h1><p>See <a href="#cairo-arc">arc</a>, <a href="#a">A</a>.</p>'
        b'<a name="a"></a><a name="cairo-arc"></a> \n<h2>cairo_arc ()</h2><p>Arcs.</p>'
    )
    chunked = chunk_document(parse(page, "p.html"), tree="t")
    assert {slug for slug, at in chunked.slugs.items() if at == 2} == {
        *("a", "cairo-arc", "cairo_arc-")
    }
    assert chunked.chunks[2].slug == "a", "the first of those that the page gives it"
    assert chunked.slugs["a-1"] == 1, "what a page names goes before what a heading says"


@pytest.mark.parametrize(
    "part",
    ["<a name=a></a>", "<a name=", "<a id ", " id ", "<p id=a>x", "<h2>", "<!--", "-->", "> "],
)
def test_hostile_pages_take_no_longer(part: str) -> None:
    page = (part * (200_000 // len(part))).encode() + b"<h2>T</h2>x" + b"<h2></h2>" * 2_000
    assert len(parse_html(page, "p.html").anchors) <= 200_000 // len(part)


def test_a_name_in_code_counts_where_a_link_leads_there_from_elsewhere() -> None:
    page = (
        b'<h1>A</h1><p>See <a href="a.html#l2">two</a>.</p>'
        b'<pre><a id="l1" href="#l1"></a>x\n<a name="l2"></a>y</pre>'
    )
    assert [anchor.name for anchor in parse(page, "a.html").anchors] == ["l2"]


TOPS = {
    "the page's own name": '<body id="up"><nav>x</nav><h1>A</h1>x<h2>B</h2><a href="#up">^</a> x',
    "that of its text": '<nav>x</nav><main id="up"><h1>A</h1>x<h2>B</h2><a href="#up">^</a> x',
    "none": '<h1>A</h1>x<h2>B</h2><a href="#Top">^</a> x',
}


@pytest.mark.parametrize("source", TOPS.values(), ids=list(TOPS))
def test_a_link_to_the_top_leads_to_the_first_section_or_the_document(source: str) -> None:
    chunked = chunk_document(parse_html(source.encode(), "p.html"), tree="t")
    (link,) = chunked.chunks[-1].to_dict()["links"]
    assert link["id"] in ("t:p.html", "t:p.html#a")


def test_a_link_with_capitals_leads_to_the_heading_that_has_none() -> None:
    source = "# API\n\nSee [it](#makeRe) or [that](#Gone).\n\n## makeRe\n\nx\n"
    chunked = chunk_document(parse(source.encode(), "p.md"), tree="t")
    found = [link["id"] for link in chunked.chunks[1].to_dict()["links"]]
    assert found == ["t:p.md#makere", None]
