"""How manual pages are called, what is read of them, and which files are some."""

from __future__ import annotations

from pathlib import Path

import pytest

from leafmark.app.sources.contents import refuse_contents
from leafmark.app.sources.folders import Tree
from leafmark.formats import leads_to_page
from leafmark.formats.roff import read as read_roff
from leafmark.model import ReadableText
from leafmark.parsing import parse


@pytest.mark.parametrize(
    ("source", "title"),
    [
        (".TH LAMP 1\n.SH NAME\nlamp \\- a \\fBlight\\fR\n.SH X\ny\n", "lamp(1) - a light"),
        (".TH LAMP 3\n.SH NAME\noff, lamp \\- two\n.br\nlights\n", "lamp(3) - two lights"),
        ('.TH "Lamp::On" 3pm\n.SH NAME\nLamp::On \\- on\n', "Lamp::On(3pm) - on"),
        (".TH LAMP 1\n.SH USE\nx\n", "lamp(1)"),
        (".Dd x\n.Dt LAMP 8\n.Os\n.Sh NAME\n.Nm lamp\n.Nd a light\n", "lamp(8) - a light"),
        (".SH NAME\nlamp\n", "NAME"),
        (".TH LAMP 1\n.SH NAME\nlamp \\- \\été \\*é\n", "lamp(1) - été"),
        (".TH LAMP 1\n.SH NAME\nlamp \\- on\n.Ré été\n", "lamp(1) - on été"),
    ],
)
def test_a_page_is_called_by_its_head_and_its_name(source: str, title: str) -> None:
    assert parse(source.encode(), "page.1").title == title


PAGE = b'.\\" x\n.TH LAMP 1\n.SH NAME\n'


@pytest.mark.parametrize(
    ("path", "source", "format"),
    [
        ("man/lamp.1", PAGE, "roff"),
        ("lamp.3PM", PAGE, "roff"),
        ("lamp.1.in", PAGE, "roff"),
        ("lamp.n", b"'\\\" t\n.TH lamp n\n", "roff"),
        ("lamp.mdoc", b".Dd x\n.Dt LAMP 1\n", "roff"),
        ("notes.1", b"Some notes.\nThe .TH macro\n", "text"),
        ("liblamp.so.1", b"text\n", "text"),
        ("lamp.10", PAGE, "text"),
        ("lamp.txt", PAGE, "text"),
    ],
)
def test_what_a_page_is_its_macros_tell(path: str, source: bytes, format: str) -> None:
    assert parse(source, path).format == format


def read(source: str, *spans: tuple[int, int]) -> ReadableText:
    data = source.encode()
    return read_roff(data, spans or [(0, len(data))])


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("The\n.B \\-\\-all\noption\n.RI ( see )\nhere\n", "The --all option (see) here"),
        ("One\ntwo\n.PP\nthree\n\nfour\n.br\nfive\n", "One two\n\nthree\n\nfour\nfive"),
        (".TP\n.B \\-a\nAll\nof it.\n.TP\n\\-b\nB.\n", "-a\n    All of it.\n\n-b\n    B."),
        (".TP\n-a\n\nAll.\n\nMore.\n", "-a\n    All.\n\n    More."),
        (".TP\n-a\n.TQ\n-b\nBoth.\n.PP\nText\n", "-a\n-b\n    Both.\n\nText"),
        (".IP \\(bu 2\none\n.IP 1. 2\ntwo\n.IP\nmore\n", "- one\n\n1. two\n\n    more"),
        (".PP\n\\-a\n.RS 4\nAll.\n.RE\n.PP\n\\-b\n", "-a\n    All.\n\n-b"),
        ("x\n.nf\na\n  b\n.B c\n\nd\n.fi\ny\nz\n", "x\n\na\n  b\nc\n\nd\n\ny z"),
        ('.\\" no\n.de X\nno\n..\n.ds a no\nyes\n.if t no\n.ie n .B a\n.el .B b\n', "yes a"),
        (".INDENT 3.5\n.sp\nSphinx\n.UNINDENT\nx\n", "Sphinx x"),
        (".TS\nl l.\na\tb\n_\nc\tT{\nd\ne\nT}\n.TE\n", "a\tb\nc\t d e"),
        (".UR https://x.y/z\nsite\n.UE .\nmore\n", "site <https://x.y/z>. more"),
        (".OP \\-a b\n.SM X\nlast\\c\n.B er\n", "[-a b] X laster"),
        (".Nm lamp\n.Nd light\n.Pp\n.Nm\n.Op Fl a Ar b\n", "lamp – light\n\nlamp [-a b]"),
        (".It Fl a , Fl -all\nAll.\n.It Ev X\nY.\n", "-a, --all\n    All.\nX\n    Y."),
        (".Bl -bullet\n.It\none\n.It\ntwo\n.El\nx\n", "- one\n- two\n\nx"),
        (".Fn f a b ,\n.Fn g .\n.Xr ls 1 ;\n.Dq x Ns y .\n", "f(a, b), g(). ls(1); “xy”."),
        (".Oo Fl a\n.Oc x\n.Pq Em y\n", "[-a] x (y)"),
        ("\ufeff.SH À\nvoilà\nÅ\n.B \\é Р\nx\n", "À\n\nvoilà Å é Р x"),
    ],
)  # fmt: skip
def test_what_is_shown_is_read(source: str, text: str) -> None:
    assert read(source).text == text


def test_a_piece_of_an_item_that_hangs_is_read_as_one() -> None:
    source = ".TH a 1\n.HP\n-a\n.br\nAll.\n.br\nMore.\n"
    assert read(source, (source.index(".HP"), source.index("All"))).text == "-a"
    assert read(source, (source.index("All"), len(source))).text == "All.\nMore."


def test_a_span_inside_lines_that_are_not_filled_has_its_own() -> None:
    source = ".TH a 1\n.nf\na\nb\n.fi\nc\nd\n"
    assert read(source, (source.index("b\n"), len(source))).text == "b\n\nc d"
    assert read(source, (source.index("c\n"), len(source))).text == "c d"


def test_a_word_is_found_where_it_stands() -> None:
    source = "The \\fBno\\-light\\fR of\n.BR x (1).\n"
    found = read(source)
    at = found.text.index("no-light")
    start, end = found.source_range(at, at + 8)
    assert source[start:end] == "no\\-light"
    at = found.text.index("(1)")
    assert source[slice(*found.source_range(at, at + 3))] == "(1)"


@pytest.mark.parametrize(
    ("path", "source", "leads"),
    [
        ("man3/fprintf.3", b".so man3/printf.3\n", True),
        ("fprintf.3", b'.\\" x\n\n.so printf.3', True),
        ("fprintf.3", b".so man.macros\n.TH fprintf 3\n", False),
        ("fprintf.txt", b".so man3/printf.3\n", False),
    ],
)
def test_a_page_that_only_leads_to_another_one_is_left_out(
    path: str, source: bytes, leads: bool
) -> None:
    assert leads_to_page(path, source) == leads
    tree = Tree("t", Path())
    assert (refuse_contents(tree, path, source) is not None) == leads
    assert refuse_contents(tree, path, source, named=True) is None
