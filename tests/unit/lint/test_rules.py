"""Each rule finds what it is about, and not what looks like it."""

from __future__ import annotations

import pytest
from support.histories import sectioned
from support.hostile import quadratic_fails

from leafmark.lint import (
    LEVELS,
    RULES,
    Baseline,
    Collection,
    Finding,
    LinkOutcome,
    LintReport,
    MissedQuery,
    check_collection,
    check_document,
    check_missed,
    facts_of,
    fingerprint,
    read_silences,
    with_confirmed,
)
from leafmark.lint.rule_words import INCLUDES

_LONG = "word " * 1300


def _found(text: str, path: str = "a.md") -> list[tuple[str, int]]:
    return [(one.rule, one.line) for one in check_document(sectioned(path, text))]


@pytest.mark.parametrize(
    ("rule", "line", "text"),
    [
        (
            "repeated-title",
            7,
            "# A\n\n## Use\n\none\n\n\n## Use\n\ntwo\n".replace("\n\n\n", "\n\n"),
        ),
        ("vague-title", 3, "# A\n\n## Misc\n\none\n"),
        ("vague-title", 3, "# A\n\n## 3.\n\none\n"),
        ("vague-title", 3, "# A\n\n## Chapter 2\n\none\n"),
        ("long-section", 3, f"# A\n\n## Much\n\n{_LONG}\n"),
        ("leaning-section", 5, "# A\n\n## Use\n\nHowever, it may fail.\n"),
        ("leaning-section", 5, "# A\n\n## Use\n\nAs mentioned above, it may fail.\n"),
        ("empty-section", 7, "# A\n\n## Use\n\none\n\n## Nothing\n"),
        ("image-without-words", 3, "# A\n\n![](a.png) text\n"),
        ("image-without-words", 3, '# A\n\n<img src="a.png">\n'),
        ("table-without-header", 3, "# A\n\n| | |\n|-|-|\n| a | b |\n"),
        ("code-without-language", 11, "# A\n\n```py\na\n```\n\n```py\na\n```\n\n```\nf(a);\n```\n"),
    ],
)
def test_a_rule_finds_its_place(rule: str, line: int, text: str) -> None:
    assert _found(text) == [(rule, line)]


@pytest.mark.parametrize(
    "text",
    [
        '# A\n\none\n\n<!--\n<img src="a.png">\n-->\n',
        "# A\n\n## `more`\n\none\n",
        "# A\n\n```py\na\n```\n\n```py\na\n```\n\n```\nuse [--all] {a|b}\nif [<name>...]\n```\n",
        "# A\n\n## Linux\n\n### Use\n\none\n\n## Mac\n\n### Use\n\ntwo\n",
        "# A\n\n# Begin\n\none\n\n# End\n\ntwo\n",
        "# A\n\n## Miscellaneous settings\n\none\n",
        "# A\n\n## Placeholder\n\nIt stands for a value.\n",
        "# A\n\n```py\na\n```\n\n```py\na\n```\n\n```\n# HELP counts all\ncount_total 5\n```\n",
        "# A\n\n## 3 ways to start\n\none\n",
        "# A\n\n## 2.0.1 (2015-05-28)\n\none\n",
        f"# A\n\n## Much\n\n```\n{_LONG}\n```\n",
        "# A\n\n## Use\n\nThis page describes its use.\n",
        "# A\n\n## Use\n\n### Here it is\n\ntext\n",
        "# A\n\n![a boat](a.png)\n",
        '# A\n\n<img src="a.png" alt="">\n',
        '# A\n\n```html\n<img src="a.png">\n```\n',
        '# A\n\n- a\n\n  ```html\n  <img src="a.png">\n  ```\n',
        '# A\n\nWrite `<img src="a.png">` there.\n',
        "# A\n\n| a | |\n|-|-|\n| a | b |\n",
        "# A\n\n```\nf(a);\n```\n",
        "# A\n\n```py\na\n```\n\n```\nplain output of it\n```\n",
        "",
        "\n\n",
    ],
)
def test_what_only_looks_like_it_is_no_finding(text: str) -> None:
    assert _found(text) == []


def test_words_of_markup_are_no_prose() -> None:
    drawing = "<svg>" + '<path d="M1 2 L3 4"/>' * 400 + "</svg>"
    text = f"<title>A</title><main><h2>Use</h2><p>Few words.</p><p>{drawing}</p></main>"
    assert _found(text, "a.html") == []
    table = f"<table><tr><th>Word<tr><td>{_LONG}</table>"
    for quoted in (table, f"<pre>{_LONG}</pre>"):
        page = f"<title>A</title><main><h2>Use</h2><blockquote>{quoted}</blockquote></main>"
        assert _found(page, "a.html") == []
    long = f"<title>A</title><main><h2>Use</h2><p>{_LONG}</p></main>"
    assert [rule for rule, _ in _found(long, "a.html")] == ["long-section"]


def test_records_repeat_themselves_by_their_nature() -> None:
    text = "# 2.0\n\n## Misc\n\none\n\n## Misc\n\ntwo\n\n## 1.0\n"
    assert _found(text, "CHANGELOG.md") == []
    assert len(_found(text, "guide.md")) == 4


def _repeated(**pages: str) -> list[tuple[str, int, str]]:
    """Return the near duplicates in pages, whose letters stand for sections of 200 words."""
    texts = {
        path: "# Page\n\n"
        + "\n".join(
            f"## {one}\n\n{' '.join(f'{one}{n * n % 97}' for n in range(200))}\n" for one in said
        )
        for path, said in pages.items()
    }
    facts = [facts_of(sectioned(path, text)) for path, text in texts.items()]
    found = check_collection(Collection(facts, lambda *_: LinkOutcome("ok")))
    return [(one.path, one.line, one.text) for one in found if one.rule == "near-duplicate"]


def test_near_duplicates_are_one_finding_for_each_group() -> None:
    assert _repeated(**{"a.md": "xy", "b.md": "zx", "c.md": "x"}) == [("b.md", 7, "t:a.md#x")]
    assert _repeated(**{"a.md": "xyx"}) == [("a.md", 11, "t:a.md#x")]


def test_a_page_put_together_of_others_is_one_finding() -> None:
    pages = {"all.md": "uvwxyz", "one.md": "u", "two.md": "vwx", "three.md": "z"}
    assert _repeated(**pages) == [("all.md", 1, "t:one.md")]
    late = {"one.md": "u", "two.md": "v", "three.md": "z", "whole.md": "uvzabc"}
    assert _repeated(**late) == [("whole.md", 1, "t:one.md")]


def test_editions_of_a_page_are_no_duplicates() -> None:
    assert (
        _repeated(**{"7.4/use/a.md": "x", "7.5/use/a.md": "x", "en/a.md": "y", "de/a.md": "y"})
        == []
    )
    assert _repeated(**{"spec.md": "x", "spec_2_0.md": "x", "up-v4.md": "y", "up-v5.md": "y"}) == []
    assert len(_repeated(**{"one/use/a.md": "x", "two/start/a.md": "x"})) == 1
    assert len(_repeated(**{"1.md": "x", "2.md": "x"})) == 1


def test_pages_that_others_take_in_and_news_need_no_links() -> None:
    pages = {f"{n}.md": f"# {n}\n\ntext\n" for n in range(12)} | {
        "alone.md": "# Alone\n\ntext\n",
        "parts/list.md": "# List\n\ntext\n",
        "blog/now.md": "# Now\n\ntext\n",
        "index.md": "# All\n\n{{#include parts/list.md}}\n" + "\n[x](x)\n" * 12,
    }
    facts = [facts_of(sectioned(path, text)) for path, text in pages.items()]
    numbers = iter(range(12))
    follow = lambda *_: LinkOutcome("ok", f"t:{next(numbers)}.md")  # noqa: E731
    found = check_collection(Collection(facts, follow))
    assert [one.path for one in found if one.rule == "unlinked-page"] == ["alone.md"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("page.hbs", "<!DOCTYPE html><body><h1>{{ title }}</h1><h2></h2></body>"),
        ("step.html", '<h1 v-if="awesome">One</h1>\n<h1 v-else>Two</h1>\n'),
    ],
)
def test_forms_for_pages_are_no_pages(path: str, text: str) -> None:
    assert _found(text, path) == []
    assert _found("<body><h1>One</h1><p>{{ it }}</p><h2>Two</h2></body>", "a.html") != []


def test_a_comment_silences_its_section_or_the_whole_document() -> None:
    text = "# A\n\n## Misc\n\none\n\n## Other\n\n<!-- leafmark-lint: off vague-title -->\ntwo\n"
    document = sectioned("a.md", text)
    silences = read_silences(document)
    kept = [one.line for one in check_document(document) if not silences.covers(one.rule, one.line)]
    assert kept == [3]
    assert not silences.covers("long-section", 7)
    whole = read_silences(sectioned("a.md", f"<!-- leafmark-lint: off -->\n\n{text}"))
    assert whole.covers("vague-title", 5)
    assert whole.covers("long-section", 1)
    assert read_silences(document, ["long-section"]).covers("long-section", 1)


def test_a_baseline_knows_findings_when_lines_move_and_counts_them() -> None:
    text = "# A\n\n## Misc\n\none\n"
    known = Baseline.of(check_document(sectioned("a.md", text)))
    again = Baseline.parse(known.dump(), "file")
    moved = list(check_document(sectioned("a.md", text.replace("# A\n", "# A\n\nmore\n"))))
    assert list(again.new_among(moved)) == []
    twice = [*moved, *moved]
    assert list(again.new_among(twice)) == moved
    other = list(check_document(sectioned("a.md", "# A\n\n## Stuff\n\none\n")))
    assert list(again.new_among(other)) == other
    assert fingerprint(moved[0]) != fingerprint(other[0])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "findings": []}', "[" * 10_000])
def test_what_is_no_baseline_is_told(text: str) -> None:
    from leafmark.errors import UsageError

    with pytest.raises(UsageError, match="the file is not a baseline"):
        Baseline.parse(text, "file")


def test_a_missed_query_is_a_finding_where_no_title_has_its_words() -> None:
    text = "# Cooling\n\n## Misc\n\nput the jacket on\n"
    document = sectioned("a.md", text)
    section = document.sections[2].chunk
    span = section.byte_start, section.byte_end
    missed = MissedQuery("how do I wear it?", "t:a.md", *span, "q:1", "t:b.md")
    findings = [*check_missed(document, [missed]), *check_document(document)]
    assert [(one.rule, one.confirmed) for one in findings] == [
        ("missed-query", True),
        ("vague-title", False),
    ]
    confirmed = list(with_confirmed(findings, {findings[0].section_id}))
    assert [one.confirmed for one in confirmed] == [True, True]
    titled = MissedQuery("what is cooled?", "t:a.md", *span, "q:2")
    assert list(check_missed(document, [titled])) == []


def test_a_report_fails_from_a_level_on() -> None:
    one = Finding("long-section", "warning", "t:a.md", "a.md", 1, "t:a.md", "long")
    report = LintReport((one,))
    assert [report.fails(level) for level in LEVELS] == [False, True, True]
    assert not report.fails("never")


def test_every_rule_says_why_and_what_to_do() -> None:
    for name, rule in RULES.items():
        assert rule.name == name
        assert rule.reason
        assert rule.fix
        assert rule.level in LEVELS


def test_a_page_about_a_word_may_be_called_so() -> None:
    assert _found("# Files\n\n## More\n\none\n", "man/more.md") == []
    assert _found("# Files\n\n## More\n\none\n") == [("vague-title", 3)]


def test_blank_lines_are_looked_through_once() -> None:
    with quadratic_fails():
        assert not INCLUDES.findall("\n" * 500_000)
