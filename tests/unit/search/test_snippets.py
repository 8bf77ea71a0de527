"""Snippets and ranges."""

from __future__ import annotations

import re

import pytest

from leafmark.model import Snippet
from leafmark.search.snippets import Match, byte_ranges, join_ranges, join_snippets, make_snippet


def _matches(text: str, *words: str) -> list[Match]:
    found = [
        (at.start(), at.end(), number)
        for number, word in enumerate(words)
        for at in re.finditer(re.escape(word), text)
    ]
    return sorted(found)


@pytest.mark.parametrize(
    ("name", "text", "words", "size", "html"),
    [
        ("nothing to show", " \n", [], 150, ""),
        ("the lead without a match", "\n\nOne two\nthree.", [], 150, "One two\nthree."),
        ("the lead ends between words", "alpha beta gamma", [], 13, "alpha beta…"),
        (
            "a short text whole",
            "a rust\n\n  b",
            ["rust"],
            150,
            "a <b>rust</b>\n  b",
        ),
        (
            "a wrapped paragraph as one line, items and code on their own",
            f"{'word ' * 12}rust\n{'goes on ' * 4}\n- one  rust\n\n        x = 1\n",
            ["rust"],
            200,
            f"{'word ' * 12}<b>rust</b> {'goes on ' * 4}".rstrip()
            + "\n- one <b>rust</b>\n        x = 1",
        ),
        (
            "around the match, between words",
            "one two three four five six seven eight",
            ["four"],
            20,
            "…three <b>four</b> five…",
        ),
        (
            "two fragments where the words are far apart",
            "start alpha middle " + "x " * 30 + "then omega end",
            ["alpha", "omega"],
            30,
            "…<b>alpha</b> … then <b>omega</b> end",
        ),
        (
            "one fragment where the words stand together",
            "alpha " + "x " * 40 + "alpha omega " + "y " * 40,
            ["alpha", "omega"],
            30,
            "…x x x x <b>alpha</b> <b>omega</b> y y y y y…",
        ),
        ("markup is text", "a <b>&amp; rust", ["rust"], 150, "a &lt;b&gt;&amp;amp; <b>rust</b>"),
    ],
)
def test_snippets(name: str, text: str, words: list[str], size: int, html: str) -> None:
    snippet = make_snippet(text, _matches(text, *words), size=size)
    assert snippet.html == html


CODE = """\
class Lamp:
    # Turns the light of this lamp down by as much as is asked for.
    def dim(self, by):
\t\tself.light -= by
"""


@pytest.mark.parametrize(("before", "is_code"), [("", True), ("Text.\n\n```python\n", False)])
def test_lines_of_code_stay_lines_and_where_they_were(before: str, is_code: bool) -> None:
    shown = make_snippet(before + CODE, [], size=200, is_code=is_code).text
    assert shown.split("\n")[-4:] == [
        "class Lamp:",
        "    # Turns the light of this lamp down by as much as is asked for.",
        "    def dim(self, by):",
        "        self.light -= by",
    ]
    text = before + CODE
    whole = [(text.index("def"), len(text), 0)]
    shown = make_snippet(text, whole, size=1, is_code=is_code).text
    assert shown == "…def dim(self, by):\n    self.light -= by"


FENCED = """one lamp two lamps three lamps
```
four = dim(five)
```
six lamps seven lamps eight lamps
```
nine = dim(ten)
"""


@pytest.mark.parametrize(
    ("word", "size", "shown"),
    [
        ("six", 20, "…six lamps…"),
        ("eight", 32, "…seven lamps eight lamps…"),
        ("five", 50, "…lamps\n```\nfour = dim(five)\n```\nsix lamps seven…"),
    ],
)
def test_no_fence_stands_at_an_edge_without_its_code(word: str, size: int, shown: str) -> None:
    at = FENCED.index(word)
    snippet = make_snippet(FENCED, [(at, at + len(word), 0)], size=size)
    assert snippet.text == shown
    assert [snippet.text[start:end] for start, end in snippet.ranges] == [word]


def test_below_a_cut_line_lines_stand_to_the_right_of_the_leftmost() -> None:
    """An excerpt may begin in a line that stands further to the right than those below it."""
    text = (
        "if bad {\n\t\t\treturn fail(one, two, three, four)\n\t\t}\n\t\tfor lamp {\n\t\t\tdim()\n"
    )
    at, dim = text.index("four"), text.index("dim")
    snippet = make_snippet(text, [(at, at + 4, 0), (dim, dim + 3, 1)], size=40, is_code=True)
    assert snippet.text.endswith("four)\n}\nfor lamp {\n    dim()")


def test_no_line_is_cut_before_its_first_word() -> None:
    text = "The lamps are lit at night:\n\n- **wicks** are cut\n"
    assert make_snippet(text, [(4, 9, 0)], size=30).text == "The lamps are lit at night:…"


def test_marks_and_joined_characters_stay_whole() -> None:
    family = "👩\u200d👩\u200d👧"
    for unit in ("e\u0301", family, "🇩🇪", "👍🏽"):
        text = unit * 60
        snippet = make_snippet(text, [(len(unit) * 30, len(unit) * 31, 0)], size=31)
        plain = snippet.text.strip("…")
        assert plain == unit * (len(plain) // len(unit))


def test_scripts_without_spaces_are_cut_anywhere() -> None:
    text = "日本語" * 100
    snippet = make_snippet(text, [(150, 152, 0)], size=20)
    assert snippet.html == "…日本語日本語日本語<b>日本</b>語日本語日本語日本…"


def test_joined_snippets_keep_their_ranges() -> None:
    one, two = Snippet("a b", ((2, 3),)), Snippet("c d", ((0, 1),))
    joined = join_snippets([one, Snippet(), two, one])
    assert joined.html == "a <b>b</b> … <b>c</b> d"


def test_a_text_that_two_topics_found_is_shown_once_with_what_both_found() -> None:
    text = "A backup that was never restored is a hope."
    matches = [(2, 8, 0)], [(24, 32, 0)], [(2, 8, 0), (24, 32, 1)]
    joined = join_snippets(make_snippet(text, each) for each in matches)
    assert joined.html == "A <b>backup</b> that was never <b>restored</b> is a hope."


def test_byte_ranges_count_bytes_that_are_not_text() -> None:
    raw = "é ".encode() + b"\xff\xfe wort"
    text = raw.decode("utf-8", "surrogateescape")
    (found,) = byte_ranges(text, [(text.index("wort"), len(text))])
    assert raw[slice(*found)] == b"wort"


def test_ranges_that_touch_become_one() -> None:
    assert join_ranges([(3, 3), (4, 6), (0, 2), (2, 3)]) == [(0, 3), (4, 6)]
