"""A long `pre` that reads like prose is text of several paragraphs; code stays one block."""

from __future__ import annotations

import pytest

from leafmark.parsing.html import parse_html, read_html

SENTENCE = (
    "       The  <b>mail</b> system looks up the name &quot;here&quot;\n"
    "       and in other places.\n"
)
PARAGRAPHS = [f"<b>PART {letter}</b>\n{SENTENCE * 8}\n" for letter in "ABC"]
MANUAL = "".join(PARAGRAPHS)


def blocks(page: str) -> list[tuple[str, int, str]]:
    document = parse_html(page.encode(), "a.html")
    return [(b.kind, b.level, page[b.start : b.end]) for b in document.blocks]


def test_each_paragraph_of_a_manual_page_is_one() -> None:
    first, second, third = PARAGRAPHS
    assert blocks(f"<body><pre>{MANUAL}</pre><p>end") == [
        ("paragraph", 0, f"<pre>{first}"),
        ("paragraph", 0, second),
        ("paragraph", 0, f"{third}</pre>"),
        ("paragraph", 0, "<p>end"),
    ]


def test_they_lie_in_what_the_text_lies_in() -> None:
    found = blocks(f"<body><ul><li>x<pre>\n\n{MANUAL}</pre></ul>")
    assert [(kind, level) for kind, level, _ in found] == [
        ("list", 0),
        ("list_item", 1),
        *[("paragraph", 2)] * 3,
    ]


@pytest.mark.parametrize(
    "pre",
    [
        f"<pre>{PARAGRAPHS[0]}</pre>",  # short
        f"<pre><code>{MANUAL}</code></pre>",
        f'<pre class="language-text"><span>{MANUAL}</span></pre>',
        f'<pre class="lang-python">{MANUAL}</pre>',
        f'<pre class="programlisting">{MANUAL}</pre>',
        f"<pre>{'x = f(a_b, 2) + [c.d];' * 9}\n\n{'y += g[i] * h(3)' * 60}\n\n\n\n\n</pre>",
        f"<pre>{MANUAL.replace(chr(10), ' ')}</pre>",  # one line
    ],
)
def test_other_preformatted_text_stays_code(pre: str) -> None:
    assert blocks(f"<body>{pre}") == [("code", 0, pre)]


def test_a_part_of_preformatted_text_keeps_its_lines() -> None:
    page = f"<body><p>a\n  b<PRE>\n{MANUAL}</PRE><p>c\n  d".encode()
    begin, after = page.index(b"<b>PART B"), page.index(b"<p>c")
    text = '       The  mail system looks up the name "here"\n       and in other places.\n'
    assert read_html(page, [(begin, after)]).text.startswith(f"PART B\n{text}{text}")
    parts = [(6, 14), (begin, begin + 20), (begin + 20, begin + 40), (after, len(page))]
    assert read_html(page, parts).text == "a b\nPART B\n      \n The  mail sy\n\nc d"
