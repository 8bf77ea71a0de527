"""Strategies for sources of formats that are read by lines, which are often broken."""

from __future__ import annotations

from hypothesis import strategies as st

_RST = [
    "", "", "Title", "Größe 日本", "=====", "-----", "=========", "~~", "====  ====", "a     b",
    "* item", "  more", "1. one", "(a) x", "#. auto", ":field: body", "-o, --opt=X  option",
    "--long", ">>> 1", "| line", "+---+---+", "| a | b |", "+===+===+", "..", ".. comment",
    ".. _label:", ".. _url: http://x.y", ".. code-block:: python", "   :linenos:", "   x = 1",
    ".. note:: text", "     deep", "__ anonymous", ".. |s| replace:: x", "text::", "::", "> quoted",
    ":mod:`os` --- x", "``lit`` *em* `a <b>`_ ref_", "`open", "\tTabbed", ".. image:: p.png",
    "term", "    definition", ".. [1] note", ".. highlight:: c",
]  # fmt: skip
_ASCIIDOC = [
    "", "", "= Title", "== Sub", "=== Deep ===", "## Marked", "Title", "-----", "=====", "~~~~~",
    "----", "....", "====", "****", "____", "++++", "////", "--", "```", "```py", "|===", "|a |b",
    ",===", "* item", "** nested", ". one", "+", "term:: def", "term;;", " literal", "[source,py]",
    "[[id]]", "[#anchor]", "[discrete]", ".Block title", ":attr: value", ":leveloffset: +1",
    ":leveloffset: 0", "// comment", "ifdef::x[]", "endif::[]", "include::a.adoc[]", "'''",
    "image::p.png[]", "<<id,text>> https://x.y[z] xref:b.adoc#c[d]", "Größe `code` *b*",
    "Title[[inline]]", "NOTE: text", "value \\", "- dash", "*** deep", "**** x", "***** y", "a. x",
    "<1> callout", "term::", "in term:::", "[loweralpha]",
]  # fmt: skip
_RDOC = [
    "", "", "= Title", "== Sub", "===Deep", "======= Deepest", "=", "  = code", "* item", "  more",
    "    code", "- item", "1. one", "a. x", "[label] text", "[label]", "name:: text", "name::",
    "  * nested", "  == in item", "---", "----- ", ">>>", "  quoted", "\tTabbed", "Größe 日本",
    "{a b}[rdoc-ref:b.rdoc] c[https://x.y] \\Name +code+ *b* <tt>t t</tt>", "=> 1", ":title: x",
]  # fmt: skip
_ORG = [
    "", "", "* One", "** TODO [#A] Two :a:b:", "*** COMMENT =x= [[file:a.org::*B][b]]", "*",
    "* :t:", ":PROPERTIES:", ":CUSTOM_ID: c", ":KEY: v", ":END:", ":note:", "#+TITLE: *T*",
    "#+TODO: A | B", "#+begin_src py", "#+end_src", "#+BEGIN_QUOTE", "  #+END_QUOTE",
    "#+begin: x", "#+end:", "#+end", "#+caption: c", "#+name: n", "#+key: v", "# note", "#",
    ": fixed", ":", "| a | b |", "|---+---|", "#+TBLFM: $1", "- item", "  - nested", "  more",
    " * star", "1. one", "2) two", "- t :: d", "[fn:1] note", "-----", "\\begin{a}", "\\end{a}",
    "+--+--+", "[[id:x]] [[./p.png]] [[Größe]]", "\tTabbed", "Größe ~c~ /i/ https://x.y/z.",
    "<<a>>",
]  # fmt: skip
_POD = [
    "", "", "", "=head1 NAME", "=head2 C<sub> X<x>", "=head6 B<b", "=pod", "=cut", "=cut off",
    "=over", "=over 4", "=back", "=item * bullet", "=item *", "=item 1.", "=item --opt", "=item",
    "=begin html", "=begin :html", "=end html", "=end", "=for html <b>", "=for :x y",
    "=encoding utf8", "  verbatim", "\tTabbed", "=other", "=", "==", "my $x = 1;", "}",
    "sub f {", "Größe S<a b>",
    "See L<perlop/\"Quote\"> L<text|Foo::Bar> L<https://x.y/z> L</NAME>", "C<< a >> b >>",
    "I<open B<C<", ">>> E<gt>E<233>E<x> Z<> |", "L<< a|b >>",
]  # fmt: skip
_ROFF = [
    "", "", ".TH LAMP 1", ".Dd x", ".Dt LAMP 1", ".SH NAME", ".SH \"TWO \\fBx\\fR\"", ".SS",
    ".Sh A", ".Ss B", ".SH", "lamp \\- a light", ".Nm lamp", ".Nd a light", ".PP", ".sp", ".br",
    ".TP", ".TP 4", ".TQ", ".IP", ".IP \\(bu 2", ".IP \"a b\" 4", ".RS 4", ".RE", ".nf", ".fi",
    ".EX", ".EE", ".Vb 1", ".Ve", ".TS", "lb l.", "a\tb", "T{", "T}\tc", "_", ".TE", ".Bl -tag",
    ".Bl -bullet", ".Bl -column a", ".It Fl a Ar b", ".It", ".El", ".Bd -literal", ".Bd -filled",
    ".Ed", ".B bold", ".BI a \" b\" c", ".BR ls (1)", ".Xr ls 1 .", ".Fl a Op Fl b", ".Oo", ".Oc",
    ".\\\" comment", ".de XX", "..", ".ds a b", ".ie n \\{\\", ".el \\{\\", ".\\}", ".if t .SH NO",
    ".ie n .IP x", ".el .IP y", ".UR https://x.y/z", ".UE .",
    "\\fBText\\fR \\(em \\*(lqx\\*(rq\\c", "  indented", "'quote", "Größe \\[u00E9] \\e", "\\",
    ".ig", ".", "'", ".Fn f a", ".Rs", ".Re", ".OP -a b", "\tTabbed", "https://x.y/z foo(3)",
    ".Dl x", ".HP", ".HP 4", ".HP\n-a\n.br\nAll.",
]  # fmt: skip
_INFO = [
    "", "", "", "\x1f", "\x1f", "\x1f\nFile: a.info,  Node: Top,  Next: B,  Up: (dir)", "GNU\n***",
    "\x1f\nFile: a.info,  Node: B c,  Prev: Top,  Up: Top", "1 B c\n=====", "\x1f\f",
    "\x1f\nFile: a.info,  Node: D,  Up: B c\n\n1.1 Größe\n---------", "Größe 日本\n..........",
    "\x1f\nFile: a.info,  Node: D-Footnotes,  Up: D", "\x1f\nFile: b,  Node: \x7fE, f\x7f,  Up: D",
    "* Menu:", "* B c::   Words", "* D: B c.   (line 6)", "     (line 7)", "A title", "* ", "* a",
    "*note B c:: and *Note Größe: (b)E.", "*note", "*note a:", "\0\b[index\0\b]", "\0\b[", "\0",
    '\0\b[image src="p.png" text="+--+\n|\\"|"\0\b]', "\x1f\nTag Table:", "Ref: D-1\x7f40",
    "\x1f\nEnd Tag Table", "\x1f\nIndirect:", "File: x,  Node: y", "   Text", "\tTabbed", "****",
]  # fmt: skip
_NUMBERED = [
    "1. Use\n\na", "1.1 On\n\nb", "1.2 Größe\n-------\n\nc", "2. Sale\n\nd", "2.1. A\n\n2.1.1 x y",
    "3. Ende\n\n  e", "", "", "Text.", "4. A sentence.", "1. Use", "0. Zero\n\nf", "9.9 Far\n\ng",
    "   Foot 1\n\f\nHead\n\n", "3. Broken\nby text",
]  # fmt: skip
_ENDS = st.sampled_from(["\n", "\n", "\n", "\n\n", "\r\n", "\r"])


_SIGNS = st.sampled_from(["\\", "é", "日", "\x80", "\xa0", "<", ">", "'", '"', "(", "[", " ", "\t"])


def _broken(lines: list[str]) -> st.SearchStrategy[str]:
    """Lines with signs put into them, which may tear apart what they stand for."""
    places = st.lists(st.tuples(st.integers(0, 40), _SIGNS), min_size=1, max_size=3)
    return st.tuples(st.sampled_from(lines), places).map(_with_signs)


def _with_signs(parts: tuple[str, list[tuple[int, str]]]) -> str:
    line, places = parts
    for at, sign in places:
        line = line[:at] + sign + line[at:]
    return line


def _sources(lines: list[str]) -> st.SearchStrategy[bytes]:
    words = st.sampled_from(lines) | _broken(lines) | st.text(max_size=8)
    line = st.tuples(words, _ENDS).map("".join)
    text = st.lists(line, max_size=16).map("".join)
    return st.tuples(st.sampled_from(["", "\ufeff"]), text).map(
        lambda parts: "".join(parts).encode("utf-8", "replace")
    )


def rst_bytes() -> st.SearchStrategy[bytes]:
    return _sources(_RST)


def asciidoc_bytes() -> st.SearchStrategy[bytes]:
    return _sources(_ASCIIDOC)


def info_bytes() -> st.SearchStrategy[bytes]:
    return _sources(_INFO)


def org_bytes() -> st.SearchStrategy[bytes]:
    return _sources(_ORG)


def pod_bytes() -> st.SearchStrategy[bytes]:
    return _sources(_POD)


def rdoc_bytes() -> st.SearchStrategy[bytes]:
    return _sources(_RDOC)


def roff_bytes() -> st.SearchStrategy[bytes]:
    return _sources(_ROFF)


def numbered_bytes() -> st.SearchStrategy[bytes]:
    """Texts of numbered titles in order, with something behind them that may belie them."""
    parts = st.lists(st.sampled_from(_NUMBERED) | _broken(_NUMBERED), max_size=2)
    end = st.sampled_from(["\n\n", "\r\n\r\n", "\n \n"])
    return st.tuples(parts, end).map(
        lambda drawn: drawn[1].join([*_NUMBERED[:6], *drawn[0]]).encode("utf-8", "replace")
    )
