"""Documents of formats other than Markdown and HTML, as the page shows them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import leafmark
from leafmark.parsing import parse
from leafmark.server.web.document_parts import DocumentText


def shown(source: str, path: str) -> str:
    """Return the whole text of a document as HTML, without what only styles it."""
    data = source.encode()
    document = parse(data, path)
    chunks = leafmark.chunk(data, path=path, tree="t", strategy="section")
    text = DocumentText(
        document.data, document.format, chunks, describe=str, parsed=lambda: document
    )
    made = "".join(str(one.html) for part in range(text.count) for one in text.rendered(part))
    for pattern in (
        ' (?:tabindex="0"|target="_blank"|rel="[^"]*")',
        "</?span[^>]*>",
        "</?div[^>]*>",
    ):
        made = re.sub(pattern, "", made)
    return re.sub(r"\n+(?=<)", "", made)


RST = """\
Guide
=====

Words with *stress*, ``code``, :func:`~a.run`, :pep:`8` and `a link <https://x.org/>`_.

* one
* two

.. note:: Take care.

.. function:: run(name)

   Runs it.

.. index:: hidden

Like this::

   $ make

====== ====
Name   Size
====== ====
a      1
====== ====
"""
ASCIIDOC = """\
= Guide

Words with *stress*, _more_ and `code`, see https://x.org/[a link].

. one
. two

Options:

-f::
--force::
  Do it.

[NOTE]
Take care.

[source,python]
----
x = 1
----

|===
|Name |Size

|a |1
|===
"""
ORG = """\
* Guide
Words with *stress* and =code=, see [[https://x.org/][a link]].

- one
- two

#+begin_src python
x = 1
#+end_src

| Name | Size |
|------+------|
| a    | 1    |
"""
MANUAL = """\
.TH GUIDE 1
.SH OPTIONS
Words with \\fBstress\\fR.
.TP
.B \\-f
Do it.
.TP
.B \\-q
Say nothing.
"""
TABLE = (
    "<table><thead><tr><th>Name</th><th>Size</th></tr></thead>"
    "<tbody><tr><td>a</td><td>1</td></tr></tbody></table>"
)
LINK = '<a href="https://x.org/">a link</a>'


@pytest.mark.parametrize(
    ("source", "path", "expected"),
    [
        (
            RST,
            "a.rst",
            "<h3>Guide</h3><p>Words with <em>stress</em>, <code>code</code>, <code>a.run</code>, "
            f"PEP 8 and {LINK}.</p><ul><li>one</li><li>two</li></ul>"
            '<blockquote class="markdown-alert-note"><p>Take care.</p></blockquote>'
            "<dl><dt><code>run(name)</code></dt><dd><p>Runs it.</p></dd></dl>"
            f"<p>Like this:</p><pre><code>$ make</code></pre>{TABLE}",
        ),
        (
            ASCIIDOC,
            "a.adoc",
            "<h3>Guide</h3><p>Words with <strong>stress</strong>, <em>more</em> and "
            f"<code>code</code>, see {LINK}.</p><ol><li>one</li><li>two</li></ol><p>Options:</p>"
            "<dl><dt>-f</dt><dt>--force</dt><dd>Do it.</dd></dl>"
            '<blockquote class="markdown-alert-note"><p>Take care.</p></blockquote>'
            f"<pre><code>x = 1</code></pre>{TABLE}",
        ),
        (
            ORG,
            "a.org",
            "<h3>Guide</h3><p>Words with <strong>stress</strong> and <code>code</code>, see "
            f"{LINK}.</p><ul><li>one</li><li>two</li></ul><pre><code>x = 1</code></pre>{TABLE}",
        ),
        (
            MANUAL,
            "a.1",
            "<h3>OPTIONS</h3><p>Words with <strong>stress</strong>.</p>"
            "<dl><dt><strong>-f</strong></dt><dd>Do it.</dd>"
            "<dt><strong>-q</strong></dt><dd>Say nothing.</dd></dl>",
        ),
    ],
)
def test_lists_code_tables_and_terms_are_shown_as_such(
    source: str, path: str, expected: str
) -> None:
    assert shown(source, path) == expected


_TABLES = (
    "=== ===\n", "\t=== ===\n", "+--+--+\n", "+==+==+\n", "| a | b |\n", "|===\n", "|--+--|\n",
    ".. list-table::\n\n", "   * - a\n", "     - b\n", ".. csv-table::\n\n", "   a,\"b\n", "a  b\n",
)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "links"),
    [
        (":ref:`My_Label`", [("#my-label", "Its title")]),
        (":ref:`the part <other>`", [("#other", "the part")]),
        (":std:doc:`guide`", [("guide", "guide")]),
        (
            "`Python`_ and python_, not elsewhere_",
            [("https://p.org/", "Python"), ("https://p.org/", "python")],
        ),
        ("see `Guide`_", [("#guide", "Guide")]),
        ("``:ref:`a` `` and :func:`b`", []),
    ],
)
def test_references_of_restructuredtext_are_links(words: str, links: list[tuple[str, str]]) -> None:
    source = f"Guide\n=====\n\n{words}.\n\n.. _Python: https://p.org/\n"
    data = source.encode()
    document = parse(data, "a.rst")
    text = DocumentText(
        data,
        "rst",
        leafmark.chunk(data, path="a.rst", tree="t"),
        describe=str,
        find_link=lambda target: target,
        find_title={"#my-label": "Its title"}.get,
        parsed=lambda: document,
    )
    made = "".join(str(one.html) for one in text.rendered(0))
    assert re.findall(r'<a[^>]* href="([^"]*)"[^>]*>([^<]*)<', made) == links


_HOSTILE = [*"*_`|:.=-+/[]{}<>&\\\n ", "ab ", "\n\n", ":: ", ".. x::", *_TABLES]


@pytest.mark.parametrize("path", ["a.rst", "a.adoc", "a.org", "a.1", "a.pod", "a.txt", "a.info"])
@given(words=st.lists(st.sampled_from(_HOSTILE), max_size=30))
def test_no_markup_is_broken_by_what_stands_in_a_document(path: str, words: list[str]) -> None:
    made = shown("".join(words), path)
    open_tags: list[str] = []
    for closing, tag in re.findall(r"<(/?)([a-z0-9]+)[^>]*>", made):
        if tag not in ("br", "hr"):
            assert not closing or open_tags.pop() == tag
            open_tags += [] if closing else [tag]
    assert open_tags == []


@pytest.mark.parametrize(("source", "path"), [(RST, "a.rst"), (ASCIIDOC, "a.adoc"), (ORG, "a.org")])
def test_every_chunk_that_begins_in_a_block_is_marked_where_it_begins(
    source: str, path: str
) -> None:
    data = source.encode()
    document = parse(data, path)
    chunks = leafmark.chunk(
        data, path=path, tree="t", strategy="fixed", fixed_tokens=12, fixed_overlap=0
    )
    text = DocumentText(data, document.format, chunks, describe=str, parsed=lambda: document)
    fragments = text.rendered(0)
    marked = {int(n) for one in fragments for n in re.findall(r'data-n="(\d+)"', one.html)}
    begun = {one.position for one in fragments}
    with_bytes = {one.position for one in chunks if any(a < b for a, b in one.body_spans)}
    assert marked | begun == with_bytes


def test_words_from_right_to_left_stand_from_right_to_left() -> None:
    assert '<p dir="rtl">' in shown("\u05e9\u05dc\u05d5\u05dd\n\nwords\n", "a.txt")
    assert "dir=" not in shown("words\n", "a.txt")


def test_a_line_above_an_indented_block_is_the_term_that_it_describes() -> None:
    source = ".TH A 1\n.SH B\n" + "".join(f".PP\nrun.{n}\n.RS 4\nSets {n}.\n.RE\n" for n in "xy")
    assert shown(source, "a.1").endswith(
        "<dl><dt>run.x</dt><dd><p>Sets x.</p></dd><dt>run.y</dt><dd><p>Sets y.</p></dd></dl>"
    )


def test_cells_of_a_grid_stand_between_its_corners() -> None:
    source = """\
+------+----------+
| Code | Meaning  |
+======+==========+
| ``a``|| one ||  |
|      || two     |
+------+----------+
"""
    assert shown(source, "a.rst") == (
        "<table><thead><tr><th>Code</th><th>Meaning</th></tr></thead>"
        "<tbody><tr><td><code>a</code></td><td>one two</td></tr></tbody></table>"
    )
