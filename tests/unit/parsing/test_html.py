from __future__ import annotations

import cProfile
import pickle
import re
from collections.abc import Callable
from itertools import pairwise

import pytest

import leafmark
from leafmark.model import Diagnostic, Document, subtract
from leafmark.parsing.html import declared_charset, parse_html, read_html

PAGE = "<title>T</title><main><h1 id=a>Über</h1>\r\n<p>x&amp;y\r\n<h2>Zwei</h2>é</main>"


def outline(document: Document) -> list[tuple[int, str, str | None, bytes]]:
    return [(h.level, h.title, h.anchor, document.data[h.start : h.end]) for h in document.headings]


class TestEncodings:
    def test_spans_are_bytes_of_the_file_in_utf8_with_a_mark_and_any_line_ends(self) -> None:
        data = b"\xef\xbb\xbf" + PAGE.replace("\r\n", "\r").encode()
        document = parse_html(data, "a.html")

        assert document.data == data
        assert document.encoding == "utf-8"
        assert outline(document) == [
            (1, "Über", "a", "<h1 id=a>Über</h1>".encode()),
            (2, "Zwei", None, b"<h2>Zwei</h2>"),
        ]
        assert [data[b.start : b.end] for b in document.blocks] == [b"<p>x&amp;y\r", "é".encode()]
        assert document.diagnostics == ()

    @pytest.mark.parametrize("codec", ["utf-16", "cp1252"])
    def test_another_encoding_is_decoded_once(self, codec: str) -> None:
        page = PAGE.replace("<title>", "<meta charset='windows-1252'><title>")
        document = parse_html(page.encode(codec), "a.html")

        assert document.data == page.encode()
        assert outline(document)[0][3] == "<h1 id=a>Über</h1>".encode()
        assert document.encoding == ("utf-16-le" if codec == "utf-16" else "windows-1252")

    def test_bad_bytes_keep_their_places_and_are_shown_replaced(self) -> None:
        data = "<h1>Grüße, Größe, Äpfel, Öl, Übergrößen ".encode() + b"\xff</h1>a\xfeb"
        document = parse_html(data, "a.html")

        assert document.data == data
        assert document.headings[0].title == "Grüße, Größe, Äpfel, Öl, Übergrößen \ufffd"
        text = read_html(data, [(document.headings[0].end, len(data))])
        assert text.text == "a\ufffdb"
        assert text.source_range(1, 2) == (len(data) - 2, len(data) - 1)
        assert [d.code for d in document.diagnostics] == ["bad-utf8"]

    def test_nul_is_not_shown(self) -> None:
        document = parse_html(b"<h1>a\0b</h1>c\0d", "a.html")

        assert document.headings[0].title == "ab"
        assert read_html(document.data, [(12, 15)]).text == "cd"

    @pytest.mark.parametrize("page", [b"<a\0><h1>T</h1>x", b"<a\0b><h1>T</h1></a\0b>x"])
    def test_a_tag_may_have_a_nul_in_its_name(self, page: bytes) -> None:
        document = parse_html(page, "a.html")

        assert [heading.title for heading in document.headings] == ["T"]
        assert not document.degraded

    @pytest.mark.parametrize(
        ("head", "charset"),
        [
            (b"<meta charset=koi8-r>", "koi8-r"),
            (b'<META http-equiv=x content="text/html; charset=EUC-JP">', "EUC-JP"),
            (b'<?xml version="1.0" encoding="latin-1"?>', "latin-1"),
            (b'<!-- <meta charset="koi8-r"> --><meta charset="cp1252">', "cp1252"),
            (b"<!-- <meta charset=koi8-r> -->", None),
            (b"<p>charset=x</p>", None),
            (b" " * 1024 + b"<meta charset=x>", None),
        ],
    )
    def test_a_page_names_its_encoding(self, head: bytes, charset: str | None) -> None:
        assert declared_charset(head) == charset


class TestTitle:
    @pytest.mark.parametrize(
        ("page", "title"),
        [
            ("<title>A</title><h1>B</h1>", "A"),
            ("<title> </title><main><h2>x</h2><h1>B</h1></main>", "B"),
            ("<h1>Outer</h1><main><h1><img src=a></h1><h1>In</h1></main>", "In"),
            ("<nav><h1>Outer</h1></nav><main><h2>x</h2></main>", "Outer"),
            ("<p>x", "my page.v2"),
        ],
    )
    def test_title_of_the_page_then_its_h1_then_the_file(self, page: str, title: str) -> None:
        assert parse_html(page.encode(), "docs/my page.v2.html").title == title


class TestLimits:
    def test_a_page_of_too_many_tags_is_plain_text(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("leafmark.parsing.html.page.TAG_LIMIT", 3)
        found = parse_html(b"<h1>A</h1>\n\n<p>b<p>c", "a.html")

        assert (found.format, found.degraded, found.reader) == ("text", True, None)
        assert found.diagnostics == (
            Diagnostic(
                "a.html",
                "degraded",
                "read as plain text: it has 4 tags, more than 3",
            ),
        )
        assert len(found.blocks) == 2


class TestUnclosedInTables:
    def test_what_a_table_throws_out_ends_in_it(self) -> None:
        page = b"<table><blockquote>q<tr><td>x</table><p>y</p>"
        quote = next(b for b in parse_html(page, "a.html").blocks if b.kind == "quote")

        assert page[quote.start : quote.end] == b"<blockquote>q<tr><td>x"


def test_a_document_can_be_pickled_with_its_reader() -> None:
    document = pickle.loads(pickle.dumps(parse_html(PAGE.encode(), "a.html")))

    assert document.reader is read_html


def calls_of(run: Callable[[], object]) -> int:
    """Count the calls that `run` makes, of Python functions and of built-in ones."""
    profile = cProfile.Profile(subcalls=False)
    profile.runcall(run)
    return sum(entry.callcount for entry in profile.getstats())


HOSTILE = {
    "nested div": "<div>",
    "nested div with headings": "<div id=x><h2>a</h2>",
    "headings": "<h1>a</h1>",
    "open headings": "<h1>a<p>b",
    "headings in headings": "<h1><span>",
    "names of a site": "<title>U - H</title><h1>H</h1>x",
    "open h1s behind it": "<title>U - H</title><h1>H</h1><h1><span>x",
    "links to a site": "<title>U</title><h1><a href=/>H</a></h1>x",
    "nested lists": "<ul><li>",
    "nested tables": "<table><tr><td>x",
    "nested terms": "<dl><dt>a",
    "terms": "<dt>a<dd>b",
    "articles": "<article>",
    "empty articles": "<article></article>",
    "navigation": "<nav>x",
    "pre": "<pre>",
    "comments": "<!--",
    "quotes": '<a href="',
    "links": "<a href=x>y",
    "steps": "<a href=x>Next</a> | ",
    "steps and names": "<p><a href=x>Up</a><a href=y>y</a>",
    "permalinks": "<a href=#>",
    "formatting": "<b><p>",
    "fosters": "<table><p>x",
    "ampersands": "&amp",
    "less than": "<",
    "roles": "<div role=main>",
    "attributes": "<p a b c",
    "rows": "<tr><th>x",
    "selects": "<select><option>",
    "templates": "<template>",
    "drawings": "<svg><title>",
    "ordered lists": "<ol reversed><li>x",
    "tabs": "<ul role=tablist><li role=tab>a</ul><div role=tabpanel>x</div>",
    "open tabs": "<ul role=tablist><li role=tab>a<div role=tabpanel>",
    "boxes": '<div class="note"><h2>a</h2>',
    "entries": '<dl><dt id="f"><code>f()</code><dd>x',
    "nested entries": '<div id="f" class="method"><code>f()</code>',
    "powers": "x<sup>2",
    "open code": "<pre>x<pre>",
    "code": "<pre>x</pre>",
    "numbers of lines": '<td class="linenos"><pre>1</pre>',
    "feet": "<p>Generated by x",
    "spans": '<span class="line">',
    "quoted formatting": '<b title="',
    "identified formatting": "<b id",
    "badges": "<h2>a<span class=badge>b</span>",
    "shown titles": "<title>T</title><div class=title>T</div>x",
    "places": "<ul><li><a href=x>Index</a><li><a href=y>Search</a>",
    "posts": "<article><p>x<h2>a</h2></article>",
    "named code": "<table><tr><th>n<tr><td class=linenos><pre>1</pre><td><pre>x</pre></table>",
    "side bars": "<div id=a-sidebar><a href=x>y</a>",
    "names behind titles": "<h2>a {#b}",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_twice_the_input_is_about_twice_the_work(unit: str) -> None:
    def work(n: int) -> int:
        data = unit.encode() * n

        def read() -> None:
            document = parse_html(data, "a.html")
            read_html(document.data, [(0, len(document.data))])

        return calls_of(read)

    work(10)
    assert work(1040) <= 2.2 * work(520) + 500  # beyond the depth at which browsers stop nesting


def test_a_long_line_is_read_in_pieces_that_map_back() -> None:
    data = b"<p>" + "ä bc ".encode() * 50_000
    text = read_html(data, [(0, len(data))])
    at = text.text.rindex("bc")

    start, end = text.source_range(at, at + 2)
    assert (data[start:end], end) == (b"bc", len(data) - 1)
    assert max(after - first for first, after in pairwise(text.runs.places)) <= 1024


def test_every_span_is_read_from_the_start_of_a_line() -> None:
    data = b"<p>one <b>two</b> three</p>"

    assert read_html(data, [(3, 7), (10, 13), (17, 23)]).text == "one\ntwo\nthree"


def test_a_cell_is_parted_from_the_words_of_one_that_began_before_the_span() -> None:
    data = b"<table><tr><td>one</td><td>two</td></tr></table>"

    assert read_html(data, [(data.index(b"one"), len(data))]).text == "one\ttwo"


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ('Vec<span class="out-of-band">1.0 <span>source</span></span>', "Vec"),
        ('A<a class="headerlink" href="#a" title="Link">\u00b6</a>', "A"),
        ('<a class="header" href="#a">A b</a>', "A b"),
        ('A<a class="anchor" aria-hidden="true" href="#a"><svg><path d="M1"/></svg></a>', "A"),
        ('<a href="#a">&sect;</a>A', "A"),
        ("C# and #2", "C# and #2"),
        ("a<script>b</script>c", "ac"),
        ("&lt;T&gt;\u00a0x", "<T> x"),
        ('A <image aria-hidden="true" src="i.png"> B', "A B"),
    ],
)
def test_titles_are_the_words_of_the_heading(heading: str, title: str) -> None:
    document = parse_html(f"<h2>{heading}</h2>x".encode(), "a.html")

    assert document.headings[0].title == title
    assert re.match(rb"<h2>.*</h2>$", document.data[: document.headings[0].end])


@pytest.mark.parametrize(
    ("title", "headings", "found"),
    [
        ("Lamps", "<h1>Chapter 4: Lamps</h1>", "Chapter 4: Lamps"),
        ("Lamps", "<h1>Appendix B. Lamps</h1>", "Appendix B. Lamps"),
        ("Lamps", "<h1>Anhang A Lamps</h1><h2>A.1 x</h2>y", "Anhang A Lamps"),
        ("Lamps", "<h2>9.17. Lamps</h2><h3>x</h3>y", "9.17. Lamps"),
        ("Lamps", "<h1>Chapter 2. Lamps</h1>x<h1>2.1. Use</h1>y", "Chapter 2. Lamps"),
        ("3. Lamps", "<h1>Chapter 3: Lamps</h1>", "Chapter 3: Lamps"),
        ("Chapter 4: Lamps", "<h1>Lamps</h1>", "Lamps"),
        ("Chapter IV \u2013 Lamps", "<h1>Lamps</h1>", "Lamps"),
        ("s6: the lamp program", "<h1> The lamp program </h1>", "The lamp program"),
        ("Lamps \u2014 Notes - Site", "<h1>1. Lamps Notes</h1>", "1. Lamps Notes"),
        ("ProFTPD: ECCN", "<h1>ProFTPD ECCN</h1>", "ProFTPD ECCN"),
        # what differs
        ("Chapter 4: Lamps", "<h1>Chapter 5: Lamps</h1>", "Chapter 4: Lamps"),
        ("Lamps", "<h1>Chapter 4: Lamps and more</h1>", "Lamps"),
        ("Lamp 2", "<h1>Lamp</h1>", "Lamp 2"),
        ("C++", "<h1>C</h1>", "C++"),
        ("Usage - Lamps", "<h1>LAMPS</h1>", "Usage - Lamps"),
        ("lamps: all about them", "<h1>lamps</h1>", "lamps"),
        ("wonders", "<h1>7 wonders</h1>", "7 wonders"),
        ("Chapter 4", "<h1>Chapter 4</h1>", "Chapter 4"),
        ("Chapter 4: ", "<h1>Chapter 5: </h1>", "Chapter 4:"),
        ("\u2014", "<h1>:</h1>", "\u2014"),
        # a heading that is not above all others is one section of several
        ("A: the use", "<h2>The use</h2>x<h2>Sale</h2>y", "A: the use"),
        ("Use", "<h2>1. Use</h2>x<h2>2. Sale</h2>y", "Use"),
        ("Use", "<h1>Part 1: Use</h1>x<h1>Part 2: Sale</h1>y", "Use"),
        ("Use", "<h3>1. Use</h3>x<h2>Sale</h2>y", "Use"),
    ],
)
def test_a_title_that_says_the_same_as_the_heading_is_that(
    title: str, headings: str, found: str
) -> None:
    page = f"<title>{title}</title>{headings}<p>x"
    assert parse_html(page.encode(), "a.html").title == found


def test_breadcrumbs_of_a_manual_say_the_chapter_once() -> None:
    page = (
        b"<html><head><title>Configuring PuTTY</title></head><body>"
        b'<p><a href="Chapter3.html">Previous</a> | <a href="Chapter5.html">Next</a></p>'
        b'<h1><a name="C4"></a>Chapter 4: Configuring PuTTY</h1><p>All of it.</p>'
        b'<h2><a name="S4.1"></a>4.1 The Session panel</h2><p>Where to connect.</p></body></html>'
    )
    breadcrumbs = [chunk.breadcrumb for chunk in leafmark.chunk(page, path="Chapter4.html")]

    chapter = "> Chapter 4: Configuring PuTTY"
    assert breadcrumbs == [chapter, chapter, f"{chapter} \u203a 4.1 The Session panel"]


@pytest.mark.parametrize("tag", ["area", "col", "embed", "input", "source", "wbr"])
def test_an_element_without_content_ends_with_its_tag(tag: str) -> None:
    document = parse_html(f'<p><{tag} class="noprint">Words</p>'.encode(), "a.html")

    dropped = [document.data[span.start : span.end] for span in document.dropped_spans]
    assert b"Words" not in b"".join(dropped)


@pytest.mark.parametrize(
    ("title", "banner", "expected"),
    [
        ("3. Of lamps", '<a href="https://lamps.example/">Harbor</a>', ["Chapter 3 - Of lamps"]),
        ("Of lamps", '<a href="../index.html">The manual</a>', ["Chapter 3 - Of lamps"]),
        ("Harbor", '<a href="/">Harbor</a>', ["Harbor", "Chapter 3 - Of lamps"]),  # the title
        ("Of lamps", '<a href="#top">Harbor</a>', ["Harbor", "Chapter 3 - Of lamps"]),  # no other
        ("Of lamps", "Harbor", ["Harbor", "Chapter 3 - Of lamps"]),
        ("Of ships", '<a href="/">Harbor</a>', ["Harbor", "Chapter 3 - Of lamps"]),  # none has it
    ],
)
def test_an_h1_that_leads_to_the_site_is_no_heading_of_the_page(
    title: str, banner: str, expected: list[str]
) -> None:
    page = f"<title>{title}</title><h1>{banner}</h1><h2>Chapter 3 - Of lamps</h2><p>Light.</p>"
    document = parse_html(page.encode(), "lamps.html")
    assert [heading.title for heading in document.headings] == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Usage &mdash; Harbor 1.4", [(1, "Usage"), (2, "Basics")]),
        ("Usage | Harbor 1.4", [(1, "Usage"), (2, "Basics")]),
        ("Harbor 1.4", [(1, "Harbor 1.4"), (1, "Usage"), (2, "Basics")]),  # it is the title
        ("Usage of Harbor 1.4", [(1, "Harbor 1.4"), (1, "Usage"), (2, "Basics")]),
    ],
)
def test_an_h1_that_ends_the_title_behind_another_h1_names_the_site(
    title: str, expected: list[tuple[int, str]]
) -> None:
    page = (
        f"<title>{title}</title><div><h1>Harbor 1.4</h1></div><div><section id=usage>"
        '<h1>Usage<a class="headerlink" href="#usage">\u00b6</a></h1><p>Light.</p>'
        "<h2>Basics</h2><p>Lamps.</p></section></div>"
    )
    document = parse_html(page.encode(), "usage.html")
    assert [(heading.level, heading.title) for heading in document.headings] == expected


@pytest.mark.parametrize("name", ["belowStickyNavbar_Vz", "anchor topNav-offset", "no-print-break"])
def test_a_heading_is_not_taken_for_a_bar_that_its_class_speaks_of(name: str) -> None:
    page = f"<h1>Lamps</h1><p>Light.<h2 class='{name}' id=use>Use</h2><p>Switch it on."
    document = parse_html(page.encode(), "lamps.html")
    assert [heading.title for heading in document.headings] == ["Lamps", "Use"]


def test_a_heading_that_is_called_a_title_of_contents_is_dropped() -> None:
    page = b"<h1>Lamps</h1><p>Light.<h2 class='toc-title'>Here</h2><p>Switch it on."
    assert [heading.title for heading in parse_html(page, "a.html").headings] == ["Lamps"]


def readable(page: str) -> str:
    """What a page's chunks say."""
    document = parse_html(page.encode(), "lamps.html")
    dropped = [(span.start, span.end) for span in document.dropped_spans]
    kept = [*subtract(0, len(document.data), dropped)]
    return read_html(document.data, kept).text.strip() if kept else ""


NUMBERED = (
    '<table>{}<tr><td class="linenos"><div><pre class="lineno">1\n2\n</pre></div></td>'
    "<td class=code><pre># light\nlamp on\n</pre></td></tr></table>"
)


@pytest.mark.parametrize(
    ("around", "language"),
    [
        ('<pre><code class="language-sh" data-lang="sh">{}</code></pre>', "sh"),
        ('<pre class="rouge highlight"><code data-lang="sh">{}</code></pre>', "sh"),
        ('<div class="highlight-sh"><div class="highlight">{}</div></div>', "sh"),
        ('<div class="language-sh highlight">{}</div>', "sh"),
        ("<div>{}</div>", ""),
    ],
)
def test_code_beside_a_column_of_numbers_is_code_of_its_language(
    around: str, language: str
) -> None:
    page = f"<h1>Lamps</h1><p>Light.</p>{around.format(NUMBERED.format(''))}"
    assert f"Light.\n\n```{language}\n# light\nlamp on\n```" in readable(page)


def test_the_name_of_a_file_stands_above_numbered_code() -> None:
    head = '<tr><th colspan="2"><span>setup.sh</span></th></tr>'
    page = f"<h1>Lamps</h1><div class='language-sh highlight'>{NUMBERED.format(head)}</div>"
    assert "setup.sh\n\n```sh\n# light\nlamp on\n```" in readable(page)


def test_a_cell_of_code_below_a_header_stays_a_cell() -> None:
    page = "<h1>L</h1><table><tr><th>Name<th>Call<tr><td>dim<td><pre>dim()</pre></table>"
    assert "Name\tCall\ndim\tdim()" in readable(page)


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("Install {#inst}", "Install"),
        ('Install {#inst .big}<a class="anchor" href="#inst">#</a>', "Install"),
        ("Install {: .no_toc }", "Install"),
        ("Loop <code>{#each}</code>", "Loop {#each}"),
        ("{#each}", "{#each}"),
        ("Sets {a, b}", "Sets {a, b}"),
        ('Install <span class="VPBadge tip">^2.0</span>', "Install"),
        ('<span class="badge">New</span> lamps', "New lamps"),
        ('<span class="card-icon">\U0001f4c4\ufe0f</span><span>Install</span>', "Install"),
    ],
)
def test_what_names_or_marks_a_title_is_no_part_of_it(heading: str, title: str) -> None:
    page = f"<h1>Lamps</h1><p>Light.</p><h2>{heading}</h2><p>Plug it in.</p>"
    assert parse_html(page.encode(), "a.html").headings[1].title == title


@pytest.mark.parametrize("name", ["_top", "firstHeading", "page-title"])
def test_an_id_that_the_h1_of_every_page_has_names_none(name: str) -> None:
    page = f"<div id=base><h1 id={name}>Lamps</h1><p>Light.</div>"
    document = parse_html(page.encode(), "a.html")
    assert document.headings[0].anchor is None
    assert name in {anchor.name for anchor in document.anchors}


@pytest.mark.parametrize(
    "page",
    [
        "<main><h1>News</h1>{}</main>",
        "<div class=home><h1>News</h1><p>All of it.</p>{}</div>",
    ],
)
@pytest.mark.parametrize(
    "item",
    [
        "<article><ul><li>{0}</ul><h2>Lamp {0}</h2><p>It shines.</p></article>",
        "<article><p>{0}</p><h2>Lamp {0}</h2><p>It shines.</p></article>",
    ],
)
def test_the_date_above_a_post_is_not_in_the_post_before(page: str, item: str) -> None:
    posts = item.format("2025") + item.format("2026")
    document = parse_html(page.format(posts).encode(), "a.html")
    first = next(h for h in document.headings if h.title == "Lamp 2025")
    assert b"2026" not in document.data[first.end : first.limit]


def test_an_entry_of_a_list_with_words_before_its_title_ends_with_it() -> None:
    items = "".join(f"<li><span>{y}</span><h3><a href={y}>Lamp {y}</a></h3>" for y in (2025, 2026))
    document = parse_html(f"<h1>News</h1><ul>{items}</ul><p>END".encode(), "a.html")
    ends = [document.data[h.end : h.limit] for h in document.headings if h.level == 3]
    assert not any(b"2026" in text or b"END" in text for text in ends)


def test_a_signature_may_begin_with_a_link_to_its_type_but_not_to_what_it_names() -> None:
    terms = [
        ("c.lamp_new", '<a href="lamp.html">Lamp</a> *<b class="sig-name">lamp_new</b>(void)'),
        ("c.lamp_dim", '<a href="dim.html"><b class="sig-name">lamp_dim</b></a>(Lamp *)'),
    ]
    page = "".join(
        f'<dl><dt class="sig" id="{name}">{line}</dt><dd>Text.</dd></dl>' for name, line in terms
    )
    document = parse_html(f"<h1>Lamps</h1><p>All.</p>{page}".encode(), "a.html")
    assert [h.title for h in document.headings] == ["Lamps", "lamp_new"]


def test_a_side_bar_by_its_id_opens_no_sections() -> None:
    bar = (
        '<div id="docs-sidebar"><h3><a href="index.html">Parts</a></h3>'
        '<ul><li><a href="#use">Use</a><li><a href="#sale">Sale</a></ul>'
        '<h4>Next</h4><p><a href="bulbs.html">Bulbs</a></div>'
    )
    page = f'{bar}<div id="docs-body"><h1>Lamps</h1><p>Light.<h2 id=use>Use</h2><p>Switch.</div>'
    assert [h.title for h in parse_html(page.encode(), "a.html").headings] == ["Lamps", "Use"]


def test_a_list_that_leads_to_index_and_search_alone_is_dropped() -> None:
    links = "<ul><li><a href=genindex.html>Index</a><li><a href=search.html>Search Page</a></ul>"
    text = readable(f"<h1>Lamps</h1><p>Light.</p><h2>Indices</h2>{links}")
    assert text == "Lamps\n\nLight."


def test_a_page_of_nothing_but_notices_of_a_search_has_no_text() -> None:
    page = "<div class=SRStatus>Loading...</div><div class=SRStatus>No Matches</div>"
    assert readable(page) == ""


@pytest.mark.parametrize(
    "beside",
    [
        '<aside class="tsd-sources">Defined in <a href="https://e.org/l.ts#L1">l.ts:1</a></aside>',
        '<dl><dt class="tag-source">Source:<dd class="tag-source"><a href="l.html">l.js</a></dl>',
        '<div class="social"><h2>social</h2><ul><li><a href="/feed.xml">atom feed</a></ul></div>',
    ],
)
def test_what_leads_to_the_source_or_to_feeds_is_dropped(beside: str) -> None:
    assert readable(f"<h1>Lamp</h1><p>It shines.</p>{beside}") == "Lamp\n\nIt shines."


def test_the_title_that_an_element_shows_is_no_text() -> None:
    page = "<title>Light: Lamp</title><div class=header><div class=title>Lamp</div></div><p>Shines."
    assert readable(page) == "Shines."


def test_a_class_that_says_that_code_is_a_source_names_no_language() -> None:
    page = "<h1>Lamp</h1><pre class='prettyprint source linenums'><code># light</code></pre>"
    assert readable(page) == "Lamp\n\n```\n# light\n```"


def test_a_title_ends_before_what_an_h1_above_the_text_says() -> None:
    bar = "<div class=menu><h1>Lamp Book</h1></div>"
    page = f"<title>Dim - Lamp Book</title>{bar}<main><h1>How to dim</h1><p>Turn it.</main>"
    assert parse_html(page.encode(), "a.html").title == "Dim"
    page = f"<title>Dim - Lamp Book</title>{bar}<main><p>Turn it.</main>"
    assert parse_html(page.encode(), "a.html").title == "Dim - Lamp Book"


def test_the_code_in_a_block_in_a_block_names_its_language() -> None:
    page = (
        "<h1>L</h1><pre><pre class='play'><code class='language-rust editable'>x</code></pre></pre>"
    )
    assert "```rust\nx\n```" in readable(page)


@pytest.mark.parametrize(
    "button",
    [
        '<div class="toolbar"><a class="copy-to-clipboard-button" role="button">Copy</a></div>',
        '<clipboard-copy aria-label="Copy" value="x"><span>Copy</span></clipboard-copy>',
        '<span class="code-copy" tabindex="0" role="button">Copied!</span>',
        '<div class="buttonGroup"><button title="Copy">Copy</button></div>',
    ],
)
def test_a_button_beside_code_is_no_text_whatever_element_it_is(button: str) -> None:
    page = f"<h1>Lamps</h1><p>Light.</p><div><pre>lamp on</pre>{button}</div><p>Off.</p>"
    assert readable(page) == "Lamps\n\nLight.\n\n```\nlamp on\n```\n\nOff."


@pytest.mark.parametrize(("lang", "fence"), [("ruby", "```ruby"), ("de-CH", "```"), ("ru", "```")])
def test_a_language_of_people_is_none_of_code(lang: str, fence: str) -> None:
    assert readable(f"<h1>L</h1><pre lang={lang}>x</pre>") == f"L\n\n{fence}\nx\n```"
