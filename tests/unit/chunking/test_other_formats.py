"""Chunks of pages and of source code: what is special about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from support.documents import words

from leafmark.chunking import (
    STRATEGIES,
    ChunkingOptions,
    chunk_document,
    inspect_quality,
    token_counter,
)
from leafmark.model import ReadableText
from leafmark.parsing import parse
from leafmark.parsing.html import read_html


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_code_in_a_row_of_a_table_is_not_cut(strategy: str) -> None:
    """Pages of DocBook put every listing into a table with one row."""
    listing = "<pre>" + "\n".join(f"setting {k} = value" for k in range(400)) + "</pre>"
    page = f"<h1>A</h1><p>Intro.</p><table><tr><td>\n{listing}\n</td></tr></table><p>More.</p>"
    options = ChunkingOptions(strategy=strategy)  # type: ignore[arg-type]
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    assert sum(listing in chunk.body for chunk in found.chunks) == 1
    assert [one for one in inspect_quality(found, options=options) if not one.excused] == []


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_tables_in_a_table_for_the_layout_are_not_cut(strategy: str) -> None:
    rows = "".join(f"<tr><td>key {k}</td><td>value of the key</td></tr>" for k in range(25))
    tables = [f"<table><tr><th>{name}</th><th>Value</th></tr>{rows}</table>" for name in "abcdef"]
    cell = "".join(f"<p>Some text before.</p>{table}" for table in tables) + "<p>More.</p>"
    page = f"<h1>A</h1><table><tr><td>{cell}</td></tr><tr><td>Foot.</td></tr></table>"
    options = ChunkingOptions(strategy=strategy, max_tokens=700)  # type: ignore[arg-type]
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    assert len(found.chunks) > len(tables)
    for table in tables:
        assert sum(table in chunk.body for chunk in found.chunks) == 1


def test_a_heading_at_the_end_of_a_page_is_not_blamed_for_what_is_left_out_below_it() -> None:
    page = "<html><body><h1>A</h1><p>x</p><h2>B</h2>\n</body>\n</html>"
    options = ChunkingOptions(strategy="section")
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    assert list(inspect_quality(found, options=options)) == []


def test_parts_of_a_table_without_a_header_carry_nothing() -> None:
    rows = "".join(f"<tr><td>key {k}</td><td>value of the key</td></tr>" for k in range(150))
    page = f"<h1>A</h1><table>{rows}</table>"
    options = ChunkingOptions(strategy="section")
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    assert len(found.chunks) > 4
    assert {chunk.context_spans for chunk in found.chunks} == {()}
    assert [one for one in inspect_quality(found, options=options) if not one.excused] == []


@pytest.mark.parametrize(
    ("first", "is_header"),
    [
        ("<td></td><th>One</th><th>Two</th>", True),
        ("<TD> </TD><TH>One</TH><TD>&nbsp;<TH>Two", True),
        ("<td><p dir=auto>\n</p></td><th>One</th>", True),
        ("<th>One</th><td></td>", False),  # a name and its value
        ("<td>A</td><th>One</th>", False),
        ("<td><img src=a.png></td><th>One</th>", False),
    ],
)
def test_blank_cells_before_header_cells_are_of_the_header(first: str, is_header: bool) -> None:
    rows = "".join(f"<tr><td>key {k}</td><td>value of it</td></tr>" for k in range(150))
    page = f"<h1>A</h1><table><tr>{first}</tr>{rows}</table>"
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=ChunkingOptions())
    parts = [chunk for chunk in found.chunks if chunk.body.startswith("<tr><td>key")]
    assert len(parts) > 1
    assert {"One" in chunk.text for chunk in parts} == {is_header}


def test_the_quality_report_lets_a_function_be_cut_between_its_statements() -> None:
    code = "def f(x):\n" + "".join(f"    if x > {k}:\n        print(x)\n" for k in range(300))
    for strategy in STRATEGIES:
        options = ChunkingOptions(strategy=strategy)
        found = chunk_document(parse(code.encode(), "f.py"), tree="t", options=options)
        kinds = {one.kind for one in inspect_quality(found, options=options)}
        assert ("split_code" in kinds) == (strategy == "fixed")


def test_windows_inside_a_block_of_code_are_code() -> None:
    rows = "".join(f"{number};{number * 7}\n" for number in range(200))
    source = f'ROWS = """\n{rows}"""\n'.encode()
    options = ChunkingOptions(strategy="fixed", fixed_tokens=60, fixed_overlap=10)
    chunked = chunk_document(parse(source, "p.py"), tree="t", options=options)
    windows = [chunk for chunk in chunked.chunks if chunk.kind == "piece"]
    assert len(windows) > 5
    assert {(w.content_type, w.block_types) for w in windows} == {("code", ("code",))}


def test_short_ranges_between_many_sections_may_come_to_more_than_the_bound() -> None:
    parts = [
        f"X{k} = [{', '.join(map(str, range(12)))}]\n\n\ndef f{k}():\n    return {k}\n\n\n"
        for k in range(60)
    ]
    options = ChunkingOptions()
    found = chunk_document(parse("".join(parts).encode(), "f.py"), tree="t", options=options)
    root = found.chunks[0]
    assert root.tokens > options.max_tokens
    assert len(root.body_spans) > 30
    assert root.oversize
    assert not re.search("above_bound", str(inspect_quality(found, options=options)))


def rows_of(name: str, count: int, attributes: str = "") -> str:
    return "".join(
        f"<tr{attributes}><td{attributes}>{name} {k}</td><td{attributes}>what it means</td></tr>\n"
        for k in range(count)
    )


HEADER = "<thead><tr><th>Name</th><th>Meaning</th></tr></thead>\n"
STYLED = ' class="cell wide numbered" style="padding: 2px"'


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_tables_of_pages_are_judged_by_their_text(strategy: str) -> None:
    """The markup of this one has several times the tokens that a reader sees."""
    table = f"<table>{HEADER}{rows_of('key', 60, STYLED)}</table>"
    page = f"<h1>A</h1><p>{'Some words. ' * 500}</p><h2>B</h2>{table}<h2>C</h2>{table * 2}"
    options = ChunkingOptions(strategy=strategy)  # type: ignore[arg-type]
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    holders = [chunk for chunk in found.chunks if table in chunk.body]
    assert sum(chunk.body.count(table) for chunk in holders) == 3
    count = token_counter(options.tokenizer)
    assert all(count(chunk.body) > 2 * options.max_tokens for chunk in holders)
    assert all(chunk.body_tokens <= chunk.tokens for chunk in holders)
    assert all(chunk.tokens <= options.max_tokens for chunk in holders)
    assert not any(chunk.oversize for chunk in found.chunks)
    assert inspect_quality(found, options=options) == []


def test_sections_of_pages_are_judged_by_their_text() -> None:
    paragraph = f"<p{STYLED}>{f'<b{STYLED}>Some</b> words. ' * 40}</p>"
    page = f"<h1>A</h1>{'<h2>B</h2>' + paragraph * 2}<h2>C</h2>{paragraph * 20}"
    options = ChunkingOptions(strategy="section")
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    small, *large = found.chunks[2:]
    assert small.is_complete_section
    assert token_counter(options.tokenizer)(small.body) > options.max_tokens
    assert small.body_tokens < small.tokens <= options.max_tokens
    assert len(large) > 1


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_the_parts_of_a_table_in_a_table_carry_its_own_header(strategy: str) -> None:
    first, second = (f"<table>{HEADER}{rows_of(name, 250)}</table>" for name in ("key", "word"))
    outer = f"<tr><td>One</td><td>{first}</td></tr><tr><td>Two</td><td>{second}</td></tr>"
    page = f"<h1>A</h1><table><thead><tr><th>Outer</th></tr></thead>{outer}</table>"
    options = ChunkingOptions(strategy=strategy)  # type: ignore[arg-type]
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    parts = [chunk for chunk in found.chunks if chunk.body.lstrip().startswith("<tr><td>key")]
    parts += [chunk for chunk in found.chunks if chunk.body.lstrip().startswith("<tr><td>word")]
    assert len(parts) > 8
    assert {chunk.text.split("\n\n")[1].split("\n")[0] for chunk in parts} == {"Name\tMeaning"}
    assert [one for one in inspect_quality(found, options=options) if not one.excused] == []


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_a_row_within_the_bound_is_not_cut(strategy: str) -> None:
    rows = [f"| {k} | {f'Sentence number {k} of it. ' * 80}|\n" for k in range(6)]
    table = "| Name | Meaning |\n|---|---|\n" + "".join(rows)
    options = ChunkingOptions(strategy=strategy)  # type: ignore[arg-type]
    found = chunk_document(parse(f"# A\n\n{table}".encode(), "p.md"), tree="t", options=options)
    assert [sum(row in chunk.body for chunk in found.chunks) for row in rows] == [1] * 6
    assert max(chunk.tokens for chunk in found.chunks) <= options.max_tokens


def test_a_first_row_is_not_cut_for_a_header_that_it_has_with_it() -> None:
    first = "# A\n\n# A\n\n# A\n\n| Name | Value |\n|---|---|\n| x`/\t`/ | 1 |\n"
    options = ChunkingOptions(
        min_tokens=0, target_tokens=20, max_tokens=39, overlap_sentences=0, heading_levels=0
    )
    found = chunk_document(
        parse(f"{first}| x` | 1 |\n".encode(), "p.md"), tree="t", options=options
    )
    assert [chunk.body for chunk in found.chunks] == ["", first, "| x` | 1 |\n"]


MARKED = (
    '<em class="sig param"><span class="n long">{word}</span> &amp; <span class="o">=</span></em>'
)


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_no_cut_tears_a_tag_or_an_entity_of_a_page(strategy: str) -> None:
    words = [f"word{k}" for k in range(1200)]
    signature = ", ".join(MARKED.format(word=word) for word in words)
    page = f"<h1>A</h1><p>Intro.</p><dl><dt>call({signature})</dt><dd>Does it.</dd></dl>"
    options = ChunkingOptions(strategy=strategy)  # type: ignore[arg-type]
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    assert len(found.chunks) > 10
    assert all(chunk.body_tokens <= 1.2 * options.target_tokens for chunk in found.chunks)
    read = " ".join(chunk.text.partition("\n\n")[2] for chunk in found.chunks)
    assert not re.search(r"span|class|amp|[<>\"]", read)
    assert re.findall(r"word\d+", read) == words


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_blank_lines_of_code_in_a_page_make_no_piece(strategy: str) -> None:
    code = "line of it\n" + "\n<i> </i>" * 200 + "and more of it\n" * 30
    page = f"<h1>A</h1><p>{'Words. ' * 30}</p><pre>{code}</pre>"
    options = ChunkingOptions(
        strategy=strategy,  # type: ignore[arg-type]
        tokenizer="characters",
        min_tokens=0,
        target_tokens=50,
        max_tokens=60,
        oversize_code="split",
    )
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options).chunks
    assert len(found) > 9
    assert all(chunk.has_content for chunk in found if chunk.kind == "piece")


def test_a_tag_that_is_larger_than_a_piece_is_not_torn() -> None:
    image = f'<img alt="Map" src="data:image/png;base64,{"QUJD " * 4000}">'
    page = f"<h1>A</h1><p>{'Some words. ' * 300}{image}{'More words. ' * 300}</p>"
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=ChunkingOptions())
    assert sum(image in chunk.body for chunk in found.chunks) == 1
    assert not any("QUJD" in chunk.text for chunk in found.chunks)


def test_windows_are_cut_from_what_is_not_dropped() -> None:
    page = f"<p>{words(300)}</p><script>{'x = 1; ' * 2000}</script><p>{words(100)}</p>"
    options = ChunkingOptions(strategy="fixed", fixed_tokens=200, fixed_overlap=0)
    chunks = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options).chunks

    assert [chunk.body_tokens for chunk in chunks] == [0, 200, 200]
    assert not any("x = 1" in chunk.body for chunk in chunks)
    assert "</p><p>" in chunks[2].body


def test_a_window_of_a_page_is_so_much_of_what_is_read_there() -> None:
    cell = f"<td{STYLED}><p{STYLED}><b{STYLED}>Some</b> words &amp; more.</p></td>"
    page = f"<h1>A</h1><table>{f'<tr{STYLED}>{cell * 3}</tr>' * 100}</table>"
    options = ChunkingOptions(strategy="fixed", fixed_tokens=100, fixed_overlap=20)
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    windows = found.chunks[1:]
    assert all(90 < window.body_tokens <= 100 for window in windows[:-1])
    assert min(len(window.body_bytes) for window in windows[:-1]) > 1500
    shared = [(after.byte_start, before.byte_end) for before, after in pairwise(windows)]
    assert {20, 21} == {found.count_tokens(found.rendering.read_body([each])) for each in shared}


def test_a_page_that_fits_one_window_is_not_cut_whatever_its_markup() -> None:
    page = f"<main><style>{'p { } ' * 3000}</style><p{STYLED * 200}>{words(300)}</p></main>"
    options = ChunkingOptions(strategy="fixed", fixed_tokens=400)
    (chunk,) = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options).chunks
    assert chunk.body_tokens == 300


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("page", ["<p><img src=a.png></p>" * 500, "<div class=x></div>" * 900])
def test_a_page_without_a_word_is_one_chunk(strategy: str, page: str) -> None:
    options = ChunkingOptions(strategy=strategy)  # type: ignore[arg-type]
    (chunk,) = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options).chunks
    assert (chunk.kind, chunk.body_tokens, chunk.byte_end) == ("document", 0, len(page))


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_code_of_a_page_keeps_its_lines_where_it_is_cut(strategy: str) -> None:
    lines = "".join(f"<span class=l>if value_{k}:\n    call({k})</span>\n" for k in range(400))
    page = f"<h1>A</h1><pre>{lines}</pre>"
    options = ChunkingOptions(strategy=strategy, oversize_code="split")  # type: ignore[arg-type]
    found = chunk_document(parse(page.encode(), "p.html"), tree="t", options=options)
    assert len(found.chunks) > 5
    assert all(chunk.body_tokens <= options.target_tokens for chunk in found.chunks)
    pieces = [chunk for chunk in found.chunks if chunk.kind == "piece"]
    shown = [re.fullmatch(r"> A\n\n```\n(.+)\n```", piece.text, re.DOTALL) for piece in pieces]
    between_fences = [match[1] for match in shown if match]
    assert len(between_fences) == len(pieces)
    assert "\n".join(between_fences).splitlines() == [
        line for k in range(400) for line in (f"if value_{k}:", f"    call({k})")
    ]


def test_twice_the_page_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All sizes, cuts and texts are slices of one reading."""
    read: list[int] = []
    document = parse(f"<h1>A</h1>{f'<p>{words(200)}</p>' * 30}".encode(), "p.html")

    def reader(data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
        read.append(sum(end - start for start, end in spans))
        return read_html(data, spans)

    for strategy in STRATEGIES:
        options = ChunkingOptions(strategy=strategy)
        found = chunk_document(document._replace(reader=reader), tree="t", options=options)
        assert [chunk.tokens + chunk.body_tokens for chunk in found.chunks]
        assert read == [len(document.data)]
        read.clear()


def test_a_text_that_is_not_cut_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many sentences an image's alternative text has; each look reads all of it."""
    looked: list[int] = []
    cut_before = ReadableText.cut_before

    def see(text: ReadableText, at: int) -> tuple[int, int, int]:
        looked.append(at)
        return cut_before(text, at)

    monkeypatch.setattr(ReadableText, "cut_before", see)
    page = f'<p>Before. <img alt="{"Some words. " * 2000}"> Behind.</p>'
    chunk_document(parse(page.encode(), "p.html"), tree="t", options=ChunkingOptions())
    assert 0 < len(looked) < 10


@pytest.mark.parametrize("nothing", [b"<pre>\0</pre>", b"<pre>\0<div>", b"<pre><li>\0<ul>"])
def test_no_window_is_nothing_but_what_tags_make(nothing: bytes) -> None:
    """A browser drops the character U+0000: an item or code without another has no words."""
    page = b"<h1>A</h1>One" + nothing + b"Two"
    options = ChunkingOptions(strategy="fixed", fixed_tokens=2, fixed_overlap=0)
    windows = chunk_document(parse(page, "p.html"), tree="t", options=options).chunks[1:]
    words = [window.readable_body.strip("- \n`") for window in windows]
    assert all(words)
    assert words[:2] == ["A", "One"]
    assert "".join(words[2:]).replace("\n", "") == "Two"
    assert all(window.byte_start < window.byte_end for window in windows)


def test_a_page_that_begins_with_a_rule_has_no_small_chunk_of_it() -> None:
    page = "<body><hr><a id='top'></a><h1>A</h1><p>x</p><h2>B</h2><p>y</p></body>"
    found = chunk_document(parse(page.encode(), "p.html"), tree="t")
    record = found.chunks[0].to_dict()
    assert (record["content_type"], record["block_types"]) == ("empty", ["thematic_break"])
    assert record["body_tokens"] == 0


def test_code_that_loses_its_indent_alone_takes_in_no_more_than_the_bound_lets_it() -> None:
    """As a section it is measured without its indent, in a piece with what is around it."""
    body, own = "        a = b\n" * 86, "    x = 1\n" * 21
    source = f"class A:\n{own}\n    def method(self):\n{body}\n\nclass B:\n{body}"
    options = ChunkingOptions(
        strategy="section",
        tokenizer="characters",
        min_tokens=250,
        target_tokens=1000,
        max_tokens=1200,
    )
    found = chunk_document(parse(source.encode(), "p.py"), tree="t", options=options)
    sizes = {chunk.id: chunk.to_dict()["tokens"] for chunk in found.chunks}
    assert sizes["t:p.py#A.method"] < 1200
    assert max(sizes.values()) < 1200 + 250


@pytest.mark.parametrize("length", [71, 72, 73])
def test_blank_lines_before_a_definition_count_where_a_piece_is_called_too_small(
    length: int,
) -> None:
    """A definition has no heading line: what is blank above it is of the piece before."""
    methods = "".join(f"    def m{k}(self):\n        return {k} + 1000000\n" for k in range(30))
    small = f"import {'x' * length}\n\ndef f():\n    pass\n"
    source = f"{small}\nclass Big:\n{methods}"
    options = ChunkingOptions(
        strategy="section",
        tokenizer="characters",
        min_tokens=100,
        target_tokens=200,
        max_tokens=250,
    )
    found = chunk_document(parse(source.encode(), "a.py"), tree="t", options=options)
    piece = next(chunk for chunk in found.chunks if chunk.has_content)
    assert piece.body == f"{small}\n"
    assert piece.undersize == (piece.body_tokens < 100)


@pytest.mark.parametrize("strategy", ["auto", "section"])
@pytest.mark.parametrize("gap", ["", "\n"])
@pytest.mark.parametrize(
    ("outer", "inner"), [("* {}", "** "), ("{}::", "* "), (". {}", "- "), ("{}::", "::: ")]
)
def test_an_item_of_asciidoc_stays_with_the_list_below_it(
    outer: str, inner: str, gap: str, strategy: str
) -> None:
    lines = ("description: what it says of the lamp.", "type: a string.", "default value: none.")
    if inner == "::: ":
        below = "".join(line.replace(":", ":::") + "\n" for line in lines)
    else:
        below = "".join(f"{inner}{line}\n" for line in lines)
    items = [f"{outer.format(f'lamp.look.{number}')}\n{below}{gap}" for number in range(60)]
    options = ChunkingOptions(strategy=strategy)  # type: ignore[arg-type]
    document = parse("".join(items).encode(), "options.adoc")
    found = chunk_document(document, tree="t", options=options).chunks
    bodies = [chunk.body for chunk in found if chunk.kind == "piece"]
    assert len(bodies) > 4
    assert all(sum(item.strip() in body for body in bodies) == 1 for item in items)
    assert all(body.startswith(outer.format("lamp")[:4]) for body in bodies)
