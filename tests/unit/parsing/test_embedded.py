"""Embedded data: which sources have some, and what is read in place of it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from support.embedded import ADDRESS, SIGN
from support.notebooks import make_notebook

from leafmark.parsing import parse
from leafmark.parsing.formats import reader_of


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("a.md", "![alt](@) after"),
        ("a.md", "![][image1] after\n\n[image1]: <@>"),
        ("a.md", "---\ntitle: T\n---\n\n```css\n  url(@)\n```"),
        ("a.rst", ".. image:: @\n   :alt: x"),
        ("a.adoc", "image::@[alt]"),
        ("a.org", "[[@]]"),
        ("a.rdoc", "rdoc-image:@"),
        ("a.txt", "é @ é, and @@"),
        ("a.unknown", "@"),
        ("a.py", "ICON = '@'"),
    ],
)
def test_data_is_read_as_what_it_is_data_of(path: str, written: str) -> None:
    source = written.replace("@", ADDRESS)
    document = parse(source.encode(), path)
    assert document.data == source.encode()
    assert document.read(0, len(document.data)) == written.replace("@", SIGN)
    assert reader_of(document.format, document.data) is document.reader
    assert not document.is_rendered


@pytest.mark.parametrize(
    "written",
    [
        "no data",
        "data:image/png;base64,iVBORw0KGgo=",
        f"![]({ADDRESS[:100]})",
        "iVBORw0KGgo" * 50,
        f"data, and more;base64,{'iVBO' * 50}",
    ],
)
def test_other_sources_have_no_reader(written: str) -> None:
    assert parse(written.encode(), "a.md").reader is None
    assert reader_of("markdown", written.encode()) is None


def test_a_source_that_is_read_as_plain_text_has_a_reader_for_its_data() -> None:
    document = parse(f'{{"cells": 1, "a": "{ADDRESS}"}}'.encode(), "a.ipynb")
    assert document.degraded
    assert document.read(0, len(document.data)) == f'{{"cells": 1, "a": "{SIGN}"}}'


def test_an_address_stands_for_its_bytes_as_a_whole() -> None:
    data = f"é ![alt]({ADDRESS}) end".encode()
    document = parse(data, "a.md")
    assert document.reader is not None
    found = document.reader(data, [(0, len(data))])
    start = data.index(b"data:")
    after = start + len(ADDRESS)
    png, end = found.text.index("png"), found.text.index("end")
    assert found.source_range(png, png + 3) == (start, after)
    assert found.source_range(end, end + 3) == (len(data) - 3, len(data))
    assert [found.cut_before(at)[1] for at in (png - 11, png, png + 12)] == [start, start, after]


@pytest.mark.parametrize("lines", [False, True])
def test_in_a_notebook_links_keep_what_is_not_read(lines: bool) -> None:
    cells = [("markdown", f"# A\n\n![x]({ADDRESS}) after\n"), ("code", f"f('{ADDRESS}')\n")]
    data = make_notebook(*cells, lines=lines)
    document = parse(data, "a.ipynb")
    assert document.reader is not None
    kept = [(hole.end, after.start) for hole, after in pairwise(document.dropped_spans)]
    text = document.reader(data, kept).text
    assert text == f"# A\n\n![x]({SIGN}) after\n\n\n```\nf('{SIGN}')\n```\n\n"
    assert [link.target for link in document.links] == [ADDRESS]
