"""Fonts of manual pages and of POD, as a page shows them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import leafmark
from leafmark.parsing import parse
from leafmark.server.web.document_parts import DocumentText
from leafmark.server.web.fonts import font_ranges

MAN = ".TH A 1\n.SH NAME\na \\- b\n.SH OPTIONS\n.PP\n"
MDOC = ".Dd May 1, 2026\n.Dt A 1\n.Os\n.Sh NAME\n.Nm a\n.Nd b\n.Sh OPTIONS\n"


def shown(source: str, path: str) -> str:
    data = source.encode()
    document = parse(data, path)
    chunks = leafmark.chunk(data, path=path, tree="t")
    text = DocumentText(data, document.format, chunks, describe=str, parsed=lambda: document)
    return "".join(str(one.html) for one in text.rendered(0))


@pytest.mark.parametrize(
    ("source", "path", "words"),
    [
        (MAN + "See \\fBgit add\\fR and \\fIfile\\fP here.\n", "a.1", "git add|file"),
        (MAN + "\\f[B]One\\f[R] and \\f(BItwo\\fP.\n", "a.1", "One|two"),
        (MAN + ".B run it\nnow.\n.I a file\n", "a.1", "run it|a file"),
        (MAN + "Use\n.BR find (1)\nor\n.IR name .\n", "a.1", "find|name"),
        (MAN + ".TP\n.B \\-x\nText of it.\n", "a.1", "-x"),
        (MAN + ".B\nThe next line\nnot this.\n", "a.1", "The next line"),
        (MAN + "Bold \\fBto the end\n.PP\nplain.\n", "a.1", "to the end"),
        (MDOC + "Use\n.Fl a Ar file ,\nor\n.Cm go .\n", "a.1", "-a|file|go"),
        (MDOC + "Use\n.Op Fl x Ar y\nnow.\n", "a.1", "-x|y"),
        ("=head1 NAME\n\nB<all> of I<it>, C<< $a->b >> too.\n", "a.pod", "all|it|$a-&gt;b"),
    ],
)
def test_words_stand_in_their_fonts(source: str, path: str, words: str) -> None:
    made = shown(source, path)
    found = re.findall(r"<(strong|em|code)>(.*?)</\1>", made.rpartition("</h3>")[2])
    assert "|".join(word for _, word in found) == words


@given(
    st.lists(
        st.sampled_from(
            [
                "\\fB",
                "\\fR",
                "\\fP",
                ".B",
                ".BR",
                ".Fl",
                ".PP",
                "\n",
                " ",
                "a",
                '"',
                "B<",
                ">",
                "I<",
            ]
        ),
        max_size=20,
    ).map("".join),
    st.sampled_from(["roff", "pod", "markdown"]),
)
def test_ranges_are_in_order_and_inside(source: str, format_name: str) -> None:
    data = source.encode()
    at = 1
    for one in font_ranges(data, format_name, 1, len(data)):
        assert at <= one.start <= one.end <= len(data)
        at = one.end
