"""Headings found without a walk over the whole source: where that is certain, and where not."""

from __future__ import annotations

import pytest

from leafmark.model import HeadingColumns
from leafmark.parsing.markdown_walk import scan_headings, walk

CERTAIN = {
    "nothing": "",
    "no heading": "text\n",
    "every level": "".join(f"{'#' * level} h{level}\n" for level in range(1, 8)),
    "a mark alone, and marks with nothing after them": "#\n## \n# #\n### ###\n",
    "no space after the marks": "#no\n# yes\n",
    "closing marks": "# a #\n# b ## \n# c#\n# d \\#\n# e\t#\t\n",
    "markup in titles": "# *a* `b` [c](d) ![e](f)\n## a_b_c &amp; <i>d</i> ~~e~~\n# [x]\n",
    "simple markup in titles": (
        '# `a` *b* **c d**\n## <a name="e"></a> f::g\n# h <span id="i"></span>\n# j\\_k \\(l\\)\n'
    ),
    "markup that only looks simple": (
        '# *a* b*\n# ***a***\n# **a* b\n# *a_b*_\n# `*a`*\n# <a name="`">`\n# \\*a*\n# \\`b`\n'
    ),
    "signs that mark nothing": "# a [b] ![c] [d\n# e & f; #g {#h} &#\n# [i] (j)\n## &amp\n# k&l;\n",
    "white space": "#   a   b  \n#\tc\n# d\u00a0\u3000e\u00a0\n",
    "separators that white space is, too": "# a\x1cb\n## c\x1f \x1ed\n",
    "line ends": "# a\r\n\r\ntext\r\n## b\r\n```\r\n# c\r\n```\r\n# d",
    "directly after a paragraph, a list, a quote, a table": (
        "p\n# a\n- l\n# b\n> q\n# c\n|t|\n|-|\n|u|\n# d\n1. x\n\n   y\n# e\n"
    ),
    "fenced code": "```\n# a\n````\n# b\n~~~ x\n```\n# c\n~~\n~~~~ \n# d\n",
    "code behind white space": "# a\n   ```\n   x\n   ```\n# b\n",
    "code that is never closed": "# a\n```\n# b\n",
    "code in a paragraph that looks like a fence": "``` a `b`\n# c\n",
    "code in a list": "- x\n\n  ```\n  y\n  ```\n\n# a\n",
    "rules": "---\n\n# a\n---\n***\n\n===\n\n> q\n\n- - -\n# b\n",
    "tables and lists of options": "a | b\n--|--\n1 | 2\n# c\n- --all\n# d\n",
    "HTML up to a blank line": "<div>\ntext\n\n# a\n\n<b>x</b>\n\n# b\n",
    "HTML over blank lines": "<!--\n\n# a\n\n--> y\n# b\n<PRE>\n\n# c\n</pre>\n# d\n",
    "instructions and declarations": "<?\n\n# a\n?>\n# b\n<!X\n# c\n>\n# d\n",
    "HTML that is never closed": "# a\n<!--\n# b\n",
    "HTML of several lines": "<div>\na\n<b>\n  <i>\n\n# a\n<!--\n<b>\nc -->\n# b\n",
    "HTML in code": "```\n<div>\na\n```\n# a\n",
    "code with shorter fences in it": "````\n```\n~~~\n# a\n````\n# b\n",
    "HTML in HTML": "<div>\n<!-- x -->\n\n# a\n",
    "code with backticks in it, and code that more of them end": (
        "```\n`a` ``\n # b\n  ```\n# c\n```\nd\n`````\n# e\n```x\n~~~\n```\n# f\n"
    ),
    "links to elsewhere, with none in titles": "# a\n\n[b]: c\n\n## d\n",
    "links to elsewhere, and other words in brackets": "# [a] `f([g])`\n\n[b]: c\n",
    "notes": "# a\n\nb[^1]\n\n[^1]: c\n# d\n[^2]:\n    e\n# f\n[^3]: ```\n# g\n",
}
UNCERTAIN = {
    "a line under text": "a\n---\n",
    "a line under text in a quote": "> a\n> ===\n",
    "a heading in a list": "- # a\n",
    "a heading in a quote": ">#\ta\n",
    "a heading behind white space": "  # a\n",
    "code of a list or of the document": "1. a\n\n ```\n b\n```\n",
    "code in a list with what may be a heading": "- a\n  ```\n  # b\n  ```\n",
    "code in a list that is never closed": "- a\n  ```\n  b\n",
    "HTML right before": "<b>\n# a\n",
    "code that ends with a tab": "```\n```\t\n# a\n",
    "code in HTML": "<b>\n```\n",
    "HTML that another tag ends": "<pre>\n# a\n</script>\n",
    "HTML that ends in capitals": "<pre>\n# a\n</PRE>\n",
    "HTML that goes on after a comment": "<!--\n<b>\nc -->\n<div>\n# a\n",
    "a comment in HTML": "<b>\n<!--\n",
    "a comment in a list that is never closed": "- a\n\n  <!-- b\n",
    "HTML in the last line of an instruction in a list": "- a\n\n  <?\n<b>?>\n<i>\n# c\n",
    "a title that links to elsewhere": "# [a]\n\n[a]: b\n",
    "a title that links by a label of several lines": "# [É b]\n\n> [é\n> B]: c\n",
    "a title with a note": "# a[^1]\n\n[^1]: b\n",
    "a heading in a note": "[^a]: > # b\n",
    "NUL": "\0\n",
    "form feed": "\f\n",
}


def scanned(source: str) -> HeadingColumns | None:
    """What the scan finds; it agrees with the walk wherever it answers."""
    raw = source.encode()
    found = scan_headings(raw, 0)
    assert found is None or [*found.headings()] == walk(raw).headings
    return found


@pytest.mark.parametrize("source", CERTAIN.values(), ids=CERTAIN)
def test_what_is_certain_is_what_the_walk_finds(source: str) -> None:
    assert scanned(source) is not None


@pytest.mark.parametrize("source", UNCERTAIN.values(), ids=UNCERTAIN)
def test_what_is_not_certain_is_left_to_the_walk(source: str) -> None:
    assert scanned(source) is None
    assert scanned(f"text\n\n# a\n\n{source}") is None


def test_offsets_count_from_the_beginning_of_the_source() -> None:
    raw = b"---\na: b\n---\n# t\n\n```\n# x\n```\n# u"

    found = scan_headings(raw, 13)

    assert found is not None
    assert [(h.title, h.start, h.end, h.limit) for h in found.headings()] == [
        ("t", 13, 17, 33),
        ("u", 30, 33, 33),
    ]
