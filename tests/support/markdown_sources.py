"""Strategies for sources that look like Markdown, and for bytes that are none."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = st.sampled_from(
    [
        "word",
        "two words",
        "Größe",
        "日本語",
        "🎉 party",
        "e\u0301",
        "a_b",
        "x*y",
        "&amp;",
        "\\#",
        "1.",
    ]
)
_INLINE = st.sampled_from(
    [
        "plain", "*em*", "**strong**", "`code`", "``a ` b``", "[link](url 'title')", "[ref]",
        "[[wiki|page]]", "![alt](img.png)", "<b>raw</b>", "<http://auto.example>", "[^1]",
        "~~gone~~", "  ", "\\", "<!--", "](", "**", "`", "|", "\t",
    ]
)  # fmt: skip
_LINES = st.sampled_from(
    [
        "", "", " ", "---", "===", "***", "```", "```py", "~~~", "+++", "> ", ">", "- item",
        "* item", "1. one", "   continued", "    indented", "\ttabbed", "| a | b |", "|---|---|",
        "| 1 | 2 |", "<div>", "</div>", "<!-- open", "-->", "[ref]: target", "[^1]: note",
        "- [ ] task", "title: x", "# ", "#", "####### seven", "> # quoted", "- # listed",
        "# closed #",
    ]
)  # fmt: skip
_HEADINGS = st.builds(
    lambda marks, text, close: f"{marks} {text}{close}",
    st.integers(1, 6).map(lambda level: "#" * level),
    st.lists(st.one_of(_WORDS, _INLINE), max_size=3).map(" ".join),
    st.sampled_from(["", "", " #", "  "]),
)
_PROSE = st.lists(st.one_of(_WORDS, _INLINE), min_size=1, max_size=6).map(" ".join)
_ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n"])


def front_matter() -> st.SearchStrategy[str]:
    """Text that is front matter, or nearly."""
    lines = st.sampled_from(
        [
            "title: A title", "title: 1.10", "title: ''", "tags: [a, b]", "tags: a, b", "tags:",
            "  - x", "- x", "date: 2026-01-02", "version: 3", "a: {b: c}", "a: &x 1", "b: *x",
            "# note", "", "bad: [", "k = 1", "title = 'T'", "[table]", ": ", "a: b: c",
            "a: 'it''s'",
            'a: "q\\n"',
        ]
    )  # fmt: skip
    fence = st.sampled_from(["---", "+++", "--- ", "..."])
    return st.builds(
        lambda opening, body, closing: "\n".join([opening, *body, closing, ""]),
        st.sampled_from(["---", "+++"]),
        st.lists(lines, max_size=5),
        fence,
    )


def markdown_text() -> st.SearchStrategy[str]:
    """Text whose lines are headings, blocks and parts of them, in any order."""
    line = st.one_of(_HEADINGS, _PROSE, _LINES)
    lines = st.lists(st.tuples(line, _ENDS).map("".join), max_size=14).map("".join)
    start = st.one_of(st.just(""), st.just("\ufeff"), front_matter())
    return st.builds(lambda before, text: before + text, start, lines)


def heading_like_text() -> st.SearchStrategy[str]:
    """What decides whether a line is a heading, joined without regard to lines."""
    parts = st.sampled_from(
        [
            "# ", "## ", "#\n", "#", "# a # \n", "#\t", "- ", "> ", "1. ", "```", "```\n", "````\n",
            "~~~\n", "\n", "\n", "\n\n", "a", "word ", "`", "*", "\\", "[", "](x)", "|",
            "a|b\n-|-\n", "---\n", "===\n", "-\n", "    ", "  ", " ", "\t", "\r\n", "<b>", "</b>",
            "<div>\n", "<!--", "-->\n", "<!-->", "<?", "?>\n", "<pre>", "</pre>\n", "<!X ", ">\n",
            "[x]: y\n", '[x]: /u "t\n', "&amp;", "\u00a0", "é", "- [ ] ", "[x]", "[^1]", "[^1]: ",
            "]:", "**", "\\_", '<a id="x">', "</a>",
        ]
    )  # fmt: skip
    return st.lists(parts, max_size=16).map("".join)


def block_like_text() -> st.SearchStrategy[str]:
    """Lines that make or end blocks, each by itself."""
    lines = st.sampled_from(
        [
            "", "", "text", "text", "  more", "    deep", "- item", "- [ ] task", "-   wide",
            "* item", "+ item", "1. one", "2. two", "10. ten", "1) one", " - off", "- - x",
            "- ```", "  ```", "```", "```js", "~~~", "> quote", ">", "---", "***", "-",
            "| a | b |", "|---|---|", "| c | d |", "a|b", "-|-", "<div>", "</div>", "<b>",
            "<b>x</b>", "<T a='b'>", "<!-- c -->", "<!--", "-->", "<pre>", "</pre>", "[a]: b",
            '[a]: b "c', "[^a]: b", "::: note", "**b**", "`c`", "# title", "\t", "\f",
        ]
    )  # fmt: skip
    return st.lists(lines, max_size=12).map("\n".join)


def markdown_bytes() -> st.SearchStrategy[bytes]:
    """UTF-8 that looks like Markdown."""
    return markdown_text().map(str.encode)


def messy_bytes() -> st.SearchStrategy[bytes]:
    """Any bytes: Markdown, Markdown with bad bytes in it, other encodings, noise."""
    noise = st.sampled_from([b"\xff", b"\x80", b"\xe2\x82", b"\0", b"\xed\xa0\x80", b"\xf0\x9f"])
    broken = st.lists(st.one_of(markdown_bytes(), noise), max_size=6).map(b"".join)
    encoded = st.builds(
        lambda text, codec: text.encode(codec, "replace"),
        markdown_text(),
        st.sampled_from(["utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis", "utf-8-sig"]),
    )
    return st.one_of(markdown_bytes(), broken, encoded, st.binary(max_size=60))
