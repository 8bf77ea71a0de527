from __future__ import annotations

import pytest

from leafmark.parsing.html.tokens import attribute, iter_tokens, tag_name, unescape


def tokens(source: str) -> list[str]:
    data = source.encode()
    shown = []
    for name, start, end, closing in iter_tokens(data, 0, len(data)):
        kind = "-" if name is None else "/" * closing + name.decode() or "text"
        shown.append(f"{kind} {data[start:end].decode()}")
    return shown


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a<b>c</B >", ["text a", "b <b>", "text c", "/b </B >"]),
        ("<a href='>'x>", ["a <a href='>'x>"]),
        ('<a b"c>d', ['a <a b"c>', "text d"]),
        ("<a =b=c / d>", ["a <a =b=c / d>"]),
        ("<a x = >y>", ["a <a x = >", "text y>"]),
        (
            "<!-->a<!--->b<!-- > --!>c",
            ["- <!-->", "text a", "- <!--->", "text b", "- <!-- > --!>", "text c"],
        ),
        ("<!-- a", ["- <!-- a"]),
        ("<!x><?y></><//z>", ["- <!x>", "- <?y>", "- </>", "- <//z>"]),
        ("1<2 < 3<", ["text 1", "text <2 ", "text < 3", "text <"]),
        ("a</", ["text a", "text </"]),
        ('a<b c="d>', ["text a", '- <b c="d>']),
        ("<b", ["- <b"]),
        (
            "<script>if(a<b)</scripty></SCRIPT\n>c",
            ["script <script>", "text if(a<b)</scripty>", "/script </SCRIPT\n>", "text c"],
        ),
        (
            "<title><b></title><style>",
            ["title <title>", "text <b>", "/title </title>", "style <style>"],
        ),
        (
            '<script src="a"/>b<script/>c',
            ['script <script src="a"/>', "text b", "script <script/>", "text c"],
        ),
        ("<script src=a/>b", ["script <script src=a/>", "text b"]),
    ],
)
def test_a_source_is_cut_as_a_browser_cuts_it(source: str, expected: list[str]) -> None:
    assert tokens(source) == expected


@pytest.mark.parametrize(
    ("tag", "name", "value"),
    [
        ("<a ID=x>", b"id", "x"),
        ("<a data-id=1 id='a b'>", b"id", "a b"),
        ('<a id="&eacute;&lt;&amp;#38;">', b"id", "é<&#38;"),
        ("<a id=1 id=2>", b"id", "1"),
        ("<a id>", b"id", ""),
        ("<a id = 'x'/>", b"id", "x"),
        ("<a name='id=3'>", b"id", None),
        ("<a>", b"id", None),
        ("text", b"id", None),
    ],
)
def test_an_attribute_is_read_from_its_tag(tag: str, name: bytes, value: str | None) -> None:
    data = tag.encode()

    assert attribute(data, 0, len(data), name) == value


def test_a_tag_is_named_where_it_stands() -> None:
    data = b"x<DIV a='>'>y"

    assert tag_name(data, 1) == b"div"
    assert tag_name(data, 0) == b""


def test_bytes_that_are_not_utf8_become_replacement_characters() -> None:
    assert unescape(b"a\xffb&amp;") == "a\ufffdb&"
