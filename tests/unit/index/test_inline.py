"""What is read in Markdown in one run, and what stands behind it in the index."""

from __future__ import annotations

import pytest
from support.hostile import quadratic_fails

from leafmark.index.analysis import analyzer_for
from leafmark.index.inline import iter_read, iter_unread, terms_by_part


@pytest.mark.parametrize(
    ("text", "read", "behind"),
    [
        ("a **b** c", "a b c", []),
        ("a [b](c.md) d", "a b d", ["c md"]),
        ("a [b](<c>) d", "a b d", ["c"]),
        ('a [b](c.md "The D") e', "a b e", ["c md the d"]),
        ("a [b](c_(d)) e", "a b e", ["c d"]),
        ("a [b][c] d", "a b d", ["c"]),
        ("a [b][] d", "a b d", []),
        ("a[^1] b", "a b", ["1"]),
        ("a&nbsp;b", "a b", []),
        ("a&#160;b&mdash;c", "a b c", []),
        ("a<b>b</b> c<br/>d", "a b c d", []),
        ('a <a href="x.md">b</a> c', "a b c", ["a href x md"]),
        ('a <img alt="b"> c', "a c", ["img alt b"]),
        ("a <!-- b --> c", "a c", ["b"]),
        ("a `[b](c)` d", "a b c d", []),
        ("a\n```md\n[b](c)\n```\nd [e](f)", "a md b c d e", ["f"]),
        ("a <https://x.y> b", "a https x y b", []),
        ("Rc<T> is a < b > c", "rc t is a b c", []),
        ("caf&eacute; a", "caf eacute a", []),
        ("a](b", "a b", []),
        ("a [b](c d", "a b c d", []),
        ("", "", []),
    ],
)
def test_what_is_read_stands_together(text: str, read: str, behind: list[str]) -> None:
    analyzer = analyzer_for(None)
    assert terms_by_part(analyzer, text) == [read, *behind]
    for parts in iter_read(text):
        assert all(text[at : at + len(part)] == part for at, part in parts)
        assert analyzer.terms(" ".join(part for _, part in parts)) == read.split()


@pytest.mark.parametrize(
    "begun", ["[a](", "<!-- ", "`", "`a", "~", "```\n", "&a", "<a href=", "[^"]
)
def test_the_time_is_linear_in_what_is_never_closed(begun: str) -> None:
    with quadratic_fails():
        list(iter_unread(begun * (150_000 // len(begun)) + "<"))
