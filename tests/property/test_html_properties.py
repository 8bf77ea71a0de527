"""What holds for every HTML source, however broken."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.model import merge, subtract
from leafmark.parsing.html import parse_html, read_html
from leafmark.parsing.html.tokens import iter_tokens

TAGS = """
    h1 h2 h3 p ul li ol table thead tbody tr td th dl dt dd pre blockquote div section main
    article nav script style template title a b i span button select option svg math body html head
    textarea form br hr img
""".split()
PARTS = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
    st.sampled_from(
        ["<a href=x>", "<img src=y alt='z w'>", '<div id="i" role="main">', "<h2 id=j>"]
    ),
    st.sampled_from(
        ["<!-- c -->", "<!--", "<", "</", '<a b="', "&amp;", "&lt", "&", "\0", "\r\n", "\r"]
    ),
    st.text("ab \n\té€😀¶#", max_size=6),
)
_MARK = re.compile(r"\s*(?:- |[0-9]+\. )?")
SOURCES = st.lists(PARTS, max_size=40).map(lambda parts: "".join(parts).encode())


@given(data=st.one_of(SOURCES, st.binary(max_size=60)))
def test_every_span_is_what_it_claims(data: bytes) -> None:
    document = parse_html(data, "a.html")
    data, at = document.data, 0
    for heading in document.headings:
        is_entry = heading.slug_path is not None
        assert is_entry or re.match(rb"<h[1-6][\s/>]", data[heading.start :], re.I)
        assert at <= heading.start <= heading.end <= heading.limit <= len(data)
        assert (heading.start == heading.end) == is_entry
        at = heading.end
    for link in document.links:
        assert re.match(rb"<(a|ima?ge?)\b", data[link.start :], re.I)
        assert link.start < link.end <= len(data)
    dropped = [(span.start, span.end) for span in document.dropped_spans]
    assert dropped == merge(dropped)
    assert not dropped or (dropped[0][0] >= 0 and dropped[-1][1] <= len(data))


@given(data=SOURCES)
@example(b"<textarea><h1>").via("a field that holds what looks like a tag")
def test_blocks_nest_and_hold_every_word_that_no_heading_holds(data: bytes) -> None:
    document = parse_html(data, "a.html")
    # one that opens no section is content, so its words are held, too
    headings = [(one.start, one.end) for one in document.headings if not one.nested]
    dropped = [(span.start, span.end) for span in document.dropped_spans]
    open_blocks: list[tuple[int, int]] = []
    for block in document.blocks:
        del open_blocks[block.level :]
        assert len(open_blocks) == block.level
        assert all(s <= block.start < block.end <= e for s, e in open_blocks[-1:])
        assert all(block.end <= s or e <= block.start for s, e in headings)
        assert block.content_start is None or block.start <= block.content_start <= block.end
        open_blocks.append((block.start, block.end))
    top = [(block.start, block.end) for block in document.blocks if not block.level]
    assert all(a[1] <= b[0] for a, b in pairwise(top))
    left = list(subtract(0, len(document.data), merge([*headings, *dropped, *top])))
    assert not read_html(document.data, left).text.strip("- \t\n")


@given(data=SOURCES, cuts=st.lists(st.integers(0, 200), max_size=4))
def test_every_character_of_the_readable_text_leads_to_its_bytes(
    data: bytes, cuts: list[int]
) -> None:
    bounds = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    spans = list(pairwise(bounds))
    text = read_html(data, spans)
    last = 0
    for at, character in enumerate(text.text):
        start, end = text.source_range(at, at + 1)
        assert last <= start <= end <= len(data)
        if character.isalpha():  # the numbers of items stand for no bytes
            assert start < end
        last = start
    if len(text.text) > 1:
        assert text.source_range(0, len(text.text))[1] <= len(data)


@given(data=st.one_of(SOURCES, st.binary(max_size=60)))
def test_tokens_cover_the_source(data: bytes) -> None:
    at = 0
    for _, start, end, _ in iter_tokens(data, 0, len(data)):
        assert (start, end > start) == (at, True)
        at = end
    assert at == len(data)


@given(data=SOURCES, cuts=st.lists(st.integers(0, 200), max_size=8))
def test_ranges_of_bytes_that_follow_each_other_are_read_once_each(
    data: bytes, cuts: list[int]
) -> None:
    read = read_html(data, [(0, len(data))])
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data) + 1]
    ranges = [read.text_range(*each) for each in pairwise(places)]
    assert "".join(read.text[start:end] for start, end in ranges) == read.text


@given(data=SOURCES, size=st.integers(8, 40), overlap=st.integers(0, 7))
def test_windows_hold_all_that_is_read_and_end_in_no_tag(
    data: bytes, size: int, overlap: int
) -> None:
    document = parse_html(data * 3, "a.html")
    options = ChunkingOptions(strategy="fixed", fixed_tokens=size, fixed_overlap=overlap)
    found = chunk_document(document, tree="t", options=options)
    windows = [chunk for chunk in found.chunks if chunk.kind == "piece"]
    tags = [(start, end) for name, start, end, _ in iter_tokens(data * 3, 0, len(data * 3)) if name]
    for window in windows:
        assert window.body_tokens <= size
        assert not any(start < window.byte_start < end for start, end in tags)
        assert not any(start < window.byte_end < end for start, end in tags)
    for before, after in pairwise(windows):
        shared = [(after.byte_start, before.byte_end)]
        assert before.byte_start < after.byte_start
        assert found.count_tokens(found.rendering.read_body(shared)) <= overlap + 4
        assert not found.rendering.read_body([(before.byte_end, after.byte_start)]).strip()
    if windows and not overlap:
        read = found.rendering.read_body([(0, len(document.data))])
        assert "".join(window.readable_body for window in windows) == read


@given(data=SOURCES)
@example(b"<h1><textarea></h1><img src=y alt='z w'>").via("an end tag that is text of a field")
@example(b"<li><p><img src=y alt='z w'>").via("an item's mark stands before its first word")
@example(b"<pre><nav><img src=y alt='z w'>").via("navigation in code")
@example(b"<pre><img src=y alt='z w'><h1><img src=y alt='z w'>").via("a heading in code")
@example(b"<pre>a<h1>b</h1>c</pre>").via("code that goes on behind a heading")
@example(b"<td><p><img src=y alt='z w'><td><img src=y alt='z w'>").via("from inside a cell on")
def test_the_slices_of_a_page_are_what_is_read_in_its_blocks(data: bytes) -> None:
    document = parse_html(data, "a.html")
    found = chunk_document(document, tree="t")
    for block in document.blocks:
        spans = [*subtract(block.start, block.end, document.dropped_ranges)]
        alone = read_html(document.data, spans).text
        read = found.rendering.read_body([(block.start, block.end)])
        assert _MARK.sub("", read, count=1).split() == _MARK.sub("", alone, count=1).split()
