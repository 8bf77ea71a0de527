"""A page divided where chunks begin: every element is closed, and the words stay as they are."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.server.web.rendering import CUT, Cut, Markings, render_html


def divided(text: str) -> list[tuple[str, int | None, bool]]:
    """The sections of a page with a chunk at each `|`, with labels as `|`."""
    cuts = [Cut(number, "") for number in range(1, text.count("|") + 1)]
    made = render_html(text.replace("|", CUT), lambda _: None, Markings(cuts=cuts, position=0))
    label = re.compile(r'<span class="cut .*?</span>\d+</span>')
    return [(label.sub("|", str(one.html)), one.position, one.is_new) for one in made]


@pytest.mark.parametrize(
    ("page", "sections"),
    [
        ("<p>a</p>|<p>b</p>", [("<p>a</p>", 0, True), ("<p>b</p>", 1, True)]),
        (
            "<div><h2>a</h2><p>b</p>|<h2>c</h2></div>",
            [("<div><h3>a</h3><p>b</p></div>", 0, True), ("<div><h3>c</h3></div>", 1, True)],
        ),
        ("<p>|a</p>", [("<p>a</p>", 1, True)]),
        (
            "<p>a|b</p><p>c</p>",
            [
                ('<p>a|<span class="k1">b</span></p>', 0, True),
                ("<p>c</p>", 1, False),
            ],
        ),
        (
            "<ol><li>a</li>|<li>b</li></ol>",
            [
                ("<ol><li>a</li></ol>", 0, True),
                ('<ol start="2"><li>b</li></ol>', 1, True),
            ],
        ),
        (
            "<ul><li>a<p>b</p>|<p>c</p></li><li>d</li></ul>",
            [
                ("<ul><li>a<p>b</p></li></ul>", 0, True),
                (
                    '<div><div class="within"><p>c</p></div></div><ul><li>d</li></ul>',
                    1,
                    True,
                ),
            ],
        ),
        (
            "<ul><li>a |b<br></li><li>d</li></ul>",
            [
                ('<ul><li>a |<span class="k1">b</span><br></li></ul>', 0, True),
                ("<ul><li>d</li></ul>", 1, False),
            ],
        ),
        (
            "<dl><dt>a</dt><dd>b</dd>|<dt>c</dt><dd>d</dd></dl>",
            [
                ("<dl><dt>a</dt><dd>b</dd></dl>", 0, True),
                ("<dl><dt>c</dt><dd>d</dd></dl>", 1, True),
            ],
        ),
        (
            "<ul>a<li>b</li><p>c</p></ul>",
            [("<ul><li>a</li><li>b</li><li><p>c</p></li></ul>", 0, True)],
        ),
        (
            "<div><dt>a</dt><dd>b</dd><p>c</p><li>d</li></div>e",
            [("<div><dl><dt>a</dt><dd>b</dd></dl><p>c</p><ul><li>d</li></ul></div>e", 0, True)],
        ),
        (
            "<dt>a</dt><dd>b</dd>|<dt>c</dt><dd>d</dd>",
            [
                ("<dl><dt>a</dt><dd>b</dd></dl>", 0, True),
                ("<dl><dt>c</dt><dd>d</dd></dl>", 1, True),
            ],
        ),
        (
            "<dl><div><dt>a</dt><dd>b</dd></div></dl>",
            [("<dl><div><dt>a</dt><dd>b</dd></div></dl>", 0, True)],
        ),
        ("<dl><dd>a</dd></dl>", [("<dl><dt></dt><dd>a</dd></dl>", 0, True)]),
        ("<dl><dt>a</dt></dl>", [("<dl><dt>a</dt><dd></dd></dl>", 0, True)]),
        (
            "<dl><dt>a</dt>|<dd>b</dd></dl>",
            [
                ("<dl><dt>a</dt><dd></dd></dl>", 0, True),
                ('<div><div class="within">b</div></div>', 1, True),
            ],
        ),
        (
            "<table><tr><td>|a</td></tr><tr><td>|b</td></tr></table><p>c</p>",
            [
                (
                    '<div class="scroll" tabindex="0"><table><tbody><tr><td>a</td></tr>'
                    '<tr><td>|<span class="k2">b</span></td></tr></tbody></table></div>',
                    1,
                    True,
                ),
                ("<p>c</p>", 2, False),
            ],
        ),
        (
            "<p>a</p>|<div> </div>|<p>b</p>",
            [("<p>a</p>", 0, True), ("<p>|b</p>", 2, True)],
        ),
    ],
)
def test_a_page_is_divided_between_blocks(page: str, sections: list[tuple[str, int, bool]]) -> None:
    assert divided(page) == sections


class _Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("br", "hr", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


TAGS = [
    f"<{end}{tag}>"
    for tag in ["div", "p", "ul", "li", "dl", "dt", "dd", "table", "tr", "td", "b", "h2"]
    for end in ("", "/")
]


@given(st.lists(st.sampled_from([*TAGS, "|", "a ", "b "]), max_size=30).map("".join))
def test_every_section_is_whole_and_no_word_is_lost(page: str) -> None:
    sections = divided(page)
    for text, _, _ in sections:
        balance = _Balance()
        balance.feed(text)
        assert balance.open == []
    words = [
        re.findall("[ab] ", re.sub("<[^>]*>", "", "".join(text for text, _, _ in made)))
        for made in (sections, divided(page.replace("|", "")))
    ]
    assert words[0] == words[1]
    positions = [position for _, position, _ in sections]
    assert positions == sorted(positions, key=lambda one: one or 0)
