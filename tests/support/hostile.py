"""Sources made to do harm, by size: each is what some parser of its format breaks on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Make = Callable[[int], bytes]

MOST_S = 10.0
"""Of processor time: ten times what any source of 200 kB takes on a busy machine."""


@contextmanager
def quadratic_fails() -> Iterator[None]:
    """Fail where the work inside takes many times the processor time of linear work.

    Inside a pattern, work is not counted in any other way.
    """
    began = time.process_time()
    yield
    assert time.process_time() - began < MOST_S


def _notebook(kind: str, source: str | list[str], count: int = 1) -> bytes:
    cells: list[dict[str, object]] = [{"cell_type": kind, "source": source, "metadata": {}}] * count
    return json.dumps({"cells": cells, "metadata": {}}).encode()


HOSTILE: dict[tuple[str, str], Make] = {
    ("md", "strong in emphasis"): lambda n: b"*a **a " * n + b"b" + b" a** a*" * n,
    ("md", "closers of emphasis"): lambda n: b"a_ " * n,
    ("md", "openers of links"): lambda n: b"[a" * n,
    ("md", "openers of links and emphasis"): lambda n: b"[ a_" * n,
    ("md", "images in images"): lambda n: b"![[]()" * n,
    ("md", "brackets in brackets"): lambda n: b"[" * n + b"a" + b"]" * n,
    ("md", "links without end"): lambda n: b"[a](<b" * n,
    ("md", "comments without end"): lambda n: b"</" + b"<!--" * n,
    ("md", "processing instructions"): lambda n: b"a <?" * n,
    ("md", "wiki links without end"): lambda n: b"[[a|" * n,
    ("md", "fences"): lambda n: b"```\n" * n,
    ("md", "headings"): lambda n: b"# a\n\nx\n\n" * n,
    ("md", "headings with nothing below"): lambda n: b"# a\n" * n,
    ("md", "headings of brackets"): lambda n: (b"# [" + b"]" * 60 + b"\n") * n,
    ("md", "a long heading"): lambda n: b"# " + b"h " * n + b"\n\nx\n",
    ("md", "marks in a heading"): lambda n: b"# " + b"#" * 4 * n + b"x\n\ny\n",
    ("md", "a fence of the other kind"): lambda n: b"~" * 4 * n + b"```\nx\n",
    ("md", "names of no address"): lambda n: b"\\_" * 4 * n + b" @ x",
    ("md", "names broken at their end"): lambda n: b"\\_" * 4 * n + b"\\a@ x",
    ("md", "names behind a colon"): lambda n: b"\\_" * 4 * n + b":a@ x",
    ("md", "a long word"): lambda n: b"a" * n,
    ("md", "white space"): lambda n: b"a" + b" " * n + b"b",
    ("md", "names in a tag without end"): lambda n: b"<a" + b" id=x" * n,
    ("md", "names without a value"): lambda n: b"<a" + b" id=" * n + b">\n\n<b id=a>",
    ("md", "tags with names"): lambda n: b'<a id="x"></a>\n' * n + b"# a\n\nx\n",
    ("md", "names behind a heading"): lambda n: b"# a" + b" {#a" * n + b"}\n\nx\n",
    ("md", "front matter in brackets"): lambda n: b"---\na: " + b"[" * n + b"\n---\n",
    ("md", "front matter of anchors"): lambda n: (
        b"---\na: &a [x]\n" + b"b: [*a,*a]\n" * n + b"---\n"
    ),
    ("md", "front matter without end"): lambda n: b"---\n" + b"a: b\n" * n,
    ("html", "elements in elements"): lambda n: b"<div>" * n,
    ("html", "headings in headings"): lambda n: b"<h1><div>a" * n,
    ("html", "formatting never closed"): lambda n: b"<b>x<p>" * n,
    ("html", "tables in tables"): lambda n: b"<table>" * n,
    ("html", "rows in rows"): lambda n: b"<table><tr><td>" * n,
    ("html", "names of many words"): lambda n: b'<p id="%b"><code>x</code></p>' % (b"x " * n),
    ("html", "headings without end"): lambda n: b"<q>x<h4>z" * n,
    ("html", "attributes"): lambda n: b"<a " + b" x=1" * n + b">y</a>",
    ("html", "quotes without end"): lambda n: b'<a b="x ' * n,
    ("html", "what a maker's link has"): lambda n: b"<a " + b'class="link-seesrc" ' * 4 * n,
    ("html", "what stands before it"): lambda n: b'"link-seesrc"' + b"&nbsp;" * 8 * n,
    ("html", "numbers in titles"): lambda n: (
        b"<title>" + b"1.1 - A.1: " * n + b"</title><h1>" + b"1." * n + b" b</h1>c"
    ),
    ("html", "comments without end"): lambda n: b"<!-- " * n,
    ("html", "permalinks"): lambda n: b'<a href="#"><i>' * n,
    ("html", "an endless entity"): lambda n: b"<p>&" + b"a" * n,
    ("rst", "a border that ends otherwise"): lambda n: b"== ==\na  b\n" + b"=" * 8 * n + b"x\n",
    ("org", "blanks in a headline"): lambda n: b"* a" + b" " * 8 * n + b"b\n\nx\n",
    ("adoc", "anchors in a title"): lambda n: b"= T\n\n== x " + b"[[a," * 4 * n + b"\n\ny\n",
    ("1", "blanks in a name"): lambda n: b".TH A 1\n.SH NAME\na" + b" " * 8 * n + b"b\n.SH X\ny\n",
    ("txt", "full stops"): lambda n: b". " * n,
    ("txt", "numbered titles"): lambda n: b"".join(b"%d. A a\n\nx\n\n" % i for i in range(1, n)),
    ("txt", "numbers in numbers"): lambda n: b"1. A a\n\n" + b"1." * n + b" b\n",
    ("txt", "titles without text"): lambda n: b"1. A a\n\n" * n,
    ("txt", "blanks above titles"): lambda n: (b" " * 20 + b"\n1. A a\n" + b"-" * 20 + b"\n") * n,
    ("txt", "backticks"): lambda n: b"`" * n,
    ("txt", "carriage returns"): lambda n: b"\r" * n + b"a",
    ("txt", "blank lines"): lambda n: b"\n \n" * n + b"x",
    ("ipynb", "brackets"): lambda n: b"[" * n,
    ("ipynb", "objects"): lambda n: b'{"a":' * n,
    ("ipynb", "a string without end"): lambda n: b'{"cells":["' + b"\\n" * n,
    ("ipynb", "cells"): lambda n: _notebook("markdown", "# a\n\nx", n),
    ("ipynb", "lines of code"): lambda n: _notebook("code", ["x = 1\n"] * n),
    ("ipynb", "escapes"): lambda n: _notebook("markdown", "é " * n),
    ("ipynb", "keys"): lambda n: b'{"cells":[],' + b'"a":{},' * n + b'"b":1}',
    ("rst", "titles"): lambda n: b"T\n==\n\nx\n\n" * n,
    ("rst", "lines above titles"): lambda n: b"====\n" * n,
    ("rst", "bullets in bullets"): lambda n: b"- " * n + b"a",
    ("rst", "tables without end"): lambda n: b"== ==\na b\n\n" * n,
    ("rst", "literal blocks"): lambda n: b"a::\n\n>x\n" * n,
    ("rst", "markup without end"): lambda n: b"`a <" * n + b"`_",
    ("rst", "words with hyphens"): lambda n: b"a-" * n + b"_ `",
    ("rst", "spaces before a target"): lambda n: b"`" + b" " * n + b"<a>`_",
    ("rst", "fields"): lambda n: b":a" * n + b"`",
    ("rst", "an endless label"): lambda n: b".. _a" + b":a" * n,
    ("org", "headlines"): lambda n: b"* a\n\nx\n\n" * n,
    ("org", "marks in a headline"): lambda n: (b"* " + b"=*a*= " * 160 + b"\n") * (n // 200 + 1),
    ("org", "blocks never closed"): lambda n: b"#+begin_a\n" * n + b"#+end_b\n" * n,
    ("org", "blocks in blocks"): lambda n: b"#+begin_a\n" * n + b"#+end_a\n" * n,
    ("org", "drawers"): lambda n: b":a:\n" * n + b":end:\n" * n,
    ("org", "items in items"): lambda n: b"".join(b" " * i + b"- a\n" for i in range(n // 8)),
    ("org", "links without end"): lambda n: b"[[a][" * n,
    ("pod", "headings"): lambda n: b"=head1 a\n\nx\n\n" * n,
    ("pod", "codes never closed"): lambda n: b"=pod\n\n" + b"B<L<C<<< " * n,
    ("pod", "codes in codes"): lambda n: b"=pod\n\n" + b"L<B<" * n + b"a|b" + b">" * 2 * n,
    ("pod", "bars"): lambda n: b"=pod\n\nL<" + b"|" * n + b">" + b">" * n,
    ("pod", "lists in lists"): lambda n: b"=over\n\n=item a\n\n" * n + b"=back\n\n" * n,
    ("pod", "items without text"): lambda n: b"=over\n\n" + b"=item a\n\n" * n,
    ("pod", "data never closed"): lambda n: b"=begin a\n\n" * n,
    ("pod", "Perl and POD"): lambda n: b"=pod\n=cut\n" * n,
    ("1", "headings"): lambda n: b".TH a 1\n" + b".SH a\nx\n" * n,
    ("1", "tags"): lambda n: b".TH a 1\n" + b".TP\na\n" * n,
    ("1", "lists in lists"): lambda n: b".TH a 1\n" + b".Bl -tag\n.It a\n" * n + b".El\n" * n,
    ("1", "set in"): lambda n: b".TH a 1\n" + b".PP\na\n.RS\n" * n + b".RE\n" * n,
    ("1", "never closed"): lambda n: b".TH a 1\n" + b".RS\n.nf\n.Bd -literal\n" * n,
    ("1", "terms"): lambda n: b".TH a 1\n" + b".PP\na\n.RS\nb\n.RE\n" * n,
    ("1", "tables"): lambda n: b".TH a 1\n" + b".TS\nl.\na\n.TE\n" * n,
    ("1", "cells never closed"): lambda n: b".TH a 1\n.TS\nl.\n" + b"T{\n" * n,
    ("1", "conditions"): lambda n: b".TH a 1\n" + b".ie n \\{\\\n" * n + b".el \\{\\\n" * n,
    ("1", "escapes"): lambda n: b".TH a 1\n" + b"\\f\\*\\(\\[\\h'" * n,
    ("1", "quotes"): lambda n: b".TH a 1\n.B " + b'"' * n + b"\n",
    ("1", "macros in a line"): lambda n: b".TH a 1\n.Op " + b"Op Fl a " * n + b"\n",
    ("1", "parted lines"): lambda n: b".TH a 1\n" + b".sp\n" * n,
    ("1", "pages"): lambda n: b".TH a 1\n" + b"a-b" * n + b"(1" * n,
    ("info", "nodes"): lambda n: b"\x1f\nFile: a,  Node: b\n\nx\n" * n,
    ("info", "separators"): lambda n: b"\x1f\nFile: a,  Node: b\n" + b"\x1f\n" * n,
    ("info", "separators without a node"): lambda n: b"\x1f\nFile:\n" * n + b"\x1f\nFile: Node:\n",
    ("info", "titles"): lambda n: b"\x1f\nFile: a,  Node: b\n\n" + b"T\n=\n\n" * n,
    ("info", "menus"): lambda n: b"\x1f\nFile: a,  Node: b\n" + b"* Menu:\n\nT\n\n* a::\n" * n,
    ("info", "entries without a colon"): lambda n: b"\x1f\nFile: a,  Node: b\n" + b"* a" * n,
    ("info", "titles of menus"): lambda n: b"\x1f\nFile: a,  Node: b\n\n" + b"T\n\n" * n,
    ("info", "blank lines"): lambda n: b"\x1f\nFile: a,  Node: b\n\nT" + b"\n \n" * n + b"x",
    ("info", "references"): lambda n: b"\x1f\nFile: a,  Node: b\n\n" + b"*note a" * n,
    ("info", "fields"): lambda n: b"\x1f\nFile: a,  Node: b" + b"  Up:\x7f" * n + b"\n\nx\n",
    ("info", "pictures"): lambda n: b'\x1f\nFile: a,  Node: b\n\n\0\b[image text="' + b"\\a" * n,
    ("adoc", "titles"): lambda n: b"== a\n\nx\n\n" * n,
    ("adoc", "delimiters"): lambda n: b"====\n*****\n" * n,
    ("adoc", "attached lines"): lambda n: b"* a\n+\n" * n,
    ("adoc", "markers in turn"): lambda n: (
        b"* a\n** a\n- a\n. a\na. a\nI) a\na::\na;;\n" * (n // 8)
    ),
    ("adoc", "markers of any length"): lambda n: b"".join(
        b"*" * (i % 9) + b" a\n" for i in range(n)
    ),
    ("adoc", "attributes of lists"): lambda n: b"* a\n[a]\n** a\n[a]\n" * n,
    ("adoc", "attributes of no list"): lambda n: b"* a\n" + b"[a]\n" * n + b"* a\n",
    ("adoc", "lists in what is attached"): lambda n: b"* a\n** a\n+\n--\n. a\n+\n====\n" * n,
    ("adoc", "attributes"): lambda n: b"[a]\n\n" * n + b"x",
    ("adoc", "an endless attribute"): lambda n: b"[" + b"a#" * n + b"]\n== x",
    ("adoc", "spaces in a title"): lambda n: b"== a" + b" " * n + b"= b",
    ("adoc", "formatting in a title"): lambda n: b"== " + b"*a_" * n,
    ("adoc", "references without end"): lambda n: b"<<a" * n,
}
"""By suffix and name: a function from a size to bytes, of about a few times the size."""
