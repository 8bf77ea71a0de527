"""Front matter: where it begins and ends, what it holds, and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from leafmark.model import Diagnostic, Span
from leafmark.parsing import parse
from leafmark.parsing.frontmatter import MAX_BYTES, FrontMatter, find_front_matter


def find(source: str, start: int = 0) -> FrontMatter:
    return find_front_matter(source.encode(), start, "a.md")


def yaml(body: str) -> FrontMatter:
    return find(f"---\n{body}\n---\ntext\n")


def complaint(found: FrontMatter) -> tuple[str, int | None]:
    (diagnostic,) = found.diagnostics
    assert (diagnostic.path, diagnostic.code) == ("a.md", "front-matter")
    how = "is read as text" if found.span is None else "is malformed, and read key by key"
    return diagnostic.message.removeprefix(f"the front matter {how}: "), diagnostic.line


@pytest.mark.parametrize(
    ("source", "end"),
    [
        ("---\na: 1\n---\n# x", 13),
        ("---\na: 1\n---", 12),
        ("---\na: 1\n...\nx", 13),
        ("---  \t\na: 1\n--- \n", 17),
        ("---\r\na: 1\r\n---\r\nx", 16),
        ("---\n---\n", 8),
        ("---\n# only a comment\n---\n", 25),
        ("+++\na = 1\n+++\n", 14),
        ("---\n\na: 1\n---\n", 14),
        ("---\na: 1\n\n--- abstract\n\nx\n\n--- middle\n\n# y\n", 23),
    ],
)
def test_where_it_ends(source: str, end: int) -> None:
    assert find(source).span == Span(0, end)


def test_it_begins_after_a_byte_order_mark() -> None:
    assert find("\ufeff---\na: 1\n---\n", 3).span == Span(3, 16)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "text",
        "---",
        "---\nno end",
        "----\na: 1\n----\n",
        " ---\na: 1\n---\n",
        "---\n\nProse between two rules.\n\n---\n",
        "--- x\na: 1\n---\n",
        "+++\na = 1\n---\n",
        "---\na: 1\n ---\n",
    ],
)
def test_what_is_none_is_not_complained_about(source: str) -> None:
    assert find(source) == FrontMatter()


VALUES: dict[str, dict[str, Any]] = {
    "a: text": {"a": "text"},
    "a: 'it''s'": {"a": "it's"},
    'a: "x\\ty"': {"a": "x\ty"},
    "a: 1\nb: -2\nc: 1.5\nd: .5e3": {"a": 1, "b": -2, "c": 1.5, "d": 500.0},
    "a: 1e3\nb: 12.\nc: " + "9" * 25: {"a": 1000.0, "b": 12.0, "c": "9" * 25},
    "a: 0x1F\nb: 0o17\nc: 017": {"a": 31, "b": 15, "c": 17},
    "a: true\nb: False\nc: yes\nd: no": {"a": True, "b": False, "c": "yes", "d": "no"},
    "a:\nb: ~\nc: null": {"a": None, "b": None, "c": None},
    "a: 2026-01-02": {"a": "2026-01-02"},
    "a: 2026-1-2 3:04:05": {"a": "2026-01-02T03:04:05"},
    "a: 2026-01-02T03:04:05.678+01:30": {"a": "2026-01-02T03:04:05.678+01:30"},
    "a: 2026-01-02 03:04:05 Z": {"a": "2026-01-02T03:04:05Z"},
    "a: 2026-13-40\nb: 12:30:00": {"a": "2026-13-40", "b": "12:30:00"},
    "a: .inf\nb: .nan\nc: 1e999": {"a": ".inf", "b": ".nan", "c": "1e999"},
    "a: 9223372036854775807\nb: 9223372036854775808": {
        "a": 9223372036854775807,
        "b": "9223372036854775808",
    },
    "a: [x, 'y', 3]": {"a": ["x", "y", 3]},
    "a:\n  - x\n  - y": {"a": ["x", "y"]},
    "a:\n- x: 1\n  y: 2": {"a": [{"x": 1, "y": 2}]},
    "a: {b: {c: d}}": {"a": {"b": {"c": "d"}}},
    "a: |\n  x\n  y\nb: >\n  x\n  y": {"a": "x\ny\n", "b": "x y\n"},
    "1: x\ntrue: y\n2026-01-02: z": {"1": "x", "true": "y", "2026-01-02": "z"},
    "a: !!python/object:os.system ls": {"a": "ls"},
    "a: &anchor x": {"a": "x"},
    "a: '1'\nb: \"true\"": {"a": "1", "b": "true"},
    "größe: 日本\na b.c: x": {"größe": "日本", "a b.c": "x"},
    "a: x # comment\n# comment\nb: y": {"a": "x", "b": "y"},
    "a: https://x.example/y?z#w": {"a": "https://x.example/y?z#w"},
    "a: []\nb: {}\nc: ''": {"a": [], "b": {}, "c": ""},
}


@pytest.mark.parametrize(("body", "metadata"), VALUES.items(), ids=VALUES)
def test_yaml_values(body: str, metadata: dict[str, Any]) -> None:
    found = yaml(body)

    assert found.metadata == metadata
    assert found.diagnostics == ()


def test_toml_values() -> None:
    body = (
        "a = 1\nb = 1.50\nc = true\nd = 2026-01-02\ne = 2026-01-02T03:04:05Z\nf = 03:04:05\n"
        "g = ['x', {h = 'y'}]\ni = 9223372036854775808\nj = inf\n[k]\nl = 'm'\n"
    )

    assert find(f"+++\n{body}+++\n").metadata == {
        "a": 1,
        "b": 1.5,
        "c": True,
        "d": "2026-01-02",
        "e": "2026-01-02T03:04:05Z",
        "f": "03:04:05",
        "g": ["x", {"h": "y"}],
        "i": "9223372036854775808",
        "j": "inf",
        "k": {"l": "m"},
    }


BAD: dict[str, tuple[str, int | None]] = {
    "---\na: [\n---\n": (
        "not valid YAML: did not find expected node content",
        3,
    ),
    "---\na: 1\nb: x: y\n---\n": (
        "not valid YAML: mapping values are not allowed in this context",
        3,
    ),
    "---\na: \x01\n---\n": ("not valid YAML: it has a character that YAML forbids", 1),
    "---\njust words\n---\n": ("it has no keys", 1),
    "---\n- a\n- b\n---\n": ("it has no keys", 1),
    "---\na: &x [*x]\n---\n": ("the alias *x stands for nothing whole", 2),
    "---\na: *x\n---\n": ("the alias *x stands for nothing whole", 2),
    "---\na: &x [1]\n*x : b\n---\n": ("a key is a list or a mapping", 3),
    "---\na: &a " + "[" * 12 + "]" * 12 + "\nb: " + "[" * 9 + "*a" + "]" * 9 + "\n---\n": (
        "it is more than 20 levels deep",
        3,
    ),
    "---\na: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
    "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n---\n": (
        "its aliases stand for more than 10,000 values",
        5,
    ),
    "---\n? [a]\n: b\n---\n": ("a key is a list or a mapping", 2),
    "---\na: {{ b }}\n---\n": ("a key is a list or a mapping", 2),
    "---\na: " + "[" * 21 + "]" * 21 + "\n---\n": ("it is more than 20 levels deep", 2),
    "---\na: " + "x" * MAX_BYTES + "\n---\n": ("it has 65540 bytes, more than 65536", 1),
    "+++\na = \n+++\n": ("not valid TOML: Invalid value", 2),
    "+++\na = 1\na = 2\n+++\n": ("not valid TOML: Cannot overwrite a value", 3),
    "+++\na = " + "[" * 21 + "]" * 21 + "\n+++\n": ("it is more than 20 levels deep", 1),
    "+++\na = " + "[" * 5000 + "\n+++\n": ("it is more than 20 levels deep", 1),
    "+++\n" + "a." * 21 + "a = 1\n+++\n": ("it is more than 20 levels deep", 1),
}


@pytest.mark.parametrize(("source", "expected"), BAD.items(), ids=lambda case: repr(case)[:30])
def test_what_is_not_well_formed_is_said(source: str, expected: tuple[str, int | None]) -> None:
    assert complaint(find(source)) == expected


@pytest.mark.parametrize(
    "source",
    [
        "---\njust words\n---\n",
        "---\n- a\n- b\n---\n",
        "---\nSome words\nand: more\nof them\nin prose\n---\n",
        "---\n? [a]\n: b\n---\n",
        "+++\njust words\n+++\n",
    ],
)
def test_what_does_not_look_like_data_is_text(source: str) -> None:
    found = find(source)

    assert (found.span, found.metadata, found.title) == (None, {}, "")


GOOD_LINES: dict[str, tuple[str, dict[str, Any]]] = {
    "a colon in a title": ("title: Runbook: part 2\ntags: [db]", {"tags": ["db"]}),
    "a sign that begins no word": ("owner: @ann\ntitle: Runbook: part 2", {"owner": "@ann"}),
    "a quote that is never closed": ('a: "b\ntitle: Runbook: part 2', {"a": "b"}),
    "a list that is never closed": (
        "a: [b, 'c'\ntitle: 'Runbook: part 2'",
        {"a": ["b", "c"]},
    ),
    "tabs": ("a:\n\t- b\n\t- c\ntitle: 'Runbook: part 2'", {"a": ["b", "c"]}),
    "a line of prose": ("title: Runbook: part 2\nand more\na: 1\nb: 2", {"a": 1, "b": 2}),
    "a template": ("title: 'Runbook: part 2'\na: {{ b }}\nc: x", {"c": "x"}),
    "a conflict": (
        "<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> b\ntitle: 'Runbook: part 2'",
        {"a": 2},
    ),
    "an alias of nothing": ("title: 'Runbook: part 2'\na: *b\nc: [*d, e]", {"c": ["e"]}),
    "values of several lines": (
        "title: Runbook: part 2\na: >\n  b\n  c\nd:\n  e: f",
        {"a": "b c", "d": {"e": "f"}},
    ),
    "everything indented": (" title: Runbook: part 2\n a: 1", {"a": 1}),
}


@pytest.mark.parametrize(("body", "values"), GOOD_LINES.values(), ids=list(GOOD_LINES))
def test_the_good_lines_of_malformed_front_matter_count(body: str, values: dict[str, Any]) -> None:
    found = yaml(body)

    assert found.span == Span(0, len(f"---\n{body}\n---\n"))
    assert found.title == "Runbook: part 2"
    assert {key: value for key, value in found.metadata.items() if key != "title"} == values
    assert [diagnostic.code for diagnostic in found.diagnostics] == ["front-matter"]


def test_one_quote_in_a_list_loses_no_file() -> None:
    found = yaml('s: ["]\ntitle: A')

    assert (found.title, len(found.diagnostics)) == ("A", 1)


def test_toml_between_the_lines_of_yaml_counts() -> None:
    assert yaml('title = "A"\ntags = ["x", "y"]').title == "A"


def test_the_good_lines_of_malformed_toml_count() -> None:
    found = find(
        '+++\ntitle = "A"\ndate = 2026-13-45\ntags = ["x", "y"\ndraft = yes\n[a]\nb = 1\n+++\n'
    )

    assert (found.title, found.tags) == ("A", ("x", "y"))
    assert found.metadata["draft"] == "yes"


@pytest.mark.parametrize("before", ["\n", " \n\n", "\r\n"])
def test_blank_lines_before_it_are_no_part_of_it(before: str) -> None:
    found = find(f"{before}---\ntitle: A\n---\nx")

    assert found.span == Span(len(before), len(before) + 17)
    assert found.title == "A"


def test_rules_behind_blank_lines_are_none() -> None:
    assert find("\n---\n---\n") == FrontMatter()


def test_what_is_as_deep_and_as_large_as_allowed_is_read() -> None:
    deep = "a: " + "[" * 19 + "]" * 19
    assert yaml(deep).span
    assert yaml("a: " + "x" * (MAX_BYTES - 4)).span


def test_a_number_of_very_many_digits_is_text_in_yaml_and_refused_by_toml() -> None:
    digits = "9" * 5000

    assert yaml(f"a: {digits}").metadata == {"a": digits}
    reason, line = complaint(find(f"+++\na = {digits}\n+++\n"))
    assert reason.startswith("not valid TOML: Exceeds the limit")
    assert line is None or line == 1


def test_repeated_keys_are_named_and_the_last_one_counts() -> None:
    found = yaml("a: 1\nb: 1\na: 2\nc: {d: 1, d: 2}\na: 3\nb: 2\ne: 1\ne: 2\nf: 1\nf: 2")

    assert found.metadata == {"a": 3, "b": 2, "c": {"d": 2}, "e": 2, "f": 2}
    message = "the front matter has 'a', 'd', 'b' and 2 more twice; the last one counts"
    assert found.diagnostics == (Diagnostic("a.md", "front-matter", message, 4),)


@pytest.mark.parametrize(
    ("body", "tags"),
    [
        ("tags: [a, b c, 'd']", ("a", "b c", "d")),
        ("tags:\n  - a\n  - b/c", ("a", "b/c")),
        ("tags: a b  c", ("a", "b", "c")),
        ("tags: a b, c", ("a b", "c")),
        ("tags: '#a #b/c'", ("a", "b/c")),
        ("tags: ['#a', \"#b\"]", ("a", "b")),
        ("tag: x", ("x",)),
        ("tags: []\ntag: x", ()),
        ("tags: 2026", ("2026",)),
        ("tags: [1.10, 2026-01-02, true, null, [x], {y: z}]", ("1.10", "2026-01-02")),
        ("tags: [a, a, ' a ']", ("a",)),
        ("tags:", ()),
        ("tags: {a: b}", ()),
        ("other: x", ()),
    ],
)
def test_tags(body: str, tags: tuple[str, ...]) -> None:
    assert yaml(body).tags == tags


@pytest.mark.parametrize(
    ("body", "title", "version"),
    [
        ("title: A  title\nversion: 1.10", "A title", "1.10"),
        ("title: 2026-1-2\nversion: 3", "2026-01-02", "3"),
        ("title: 'x'\nversion: v2", "x", "v2"),
        ("title: ''\nversion: ''", "", None),
        ("title: null\nversion: true", "", None),
        ("title: [a]\nversion: {b: c}", "", None),
    ],
)
def test_title_and_version_are_written_out(body: str, title: str, version: str | None) -> None:
    found = yaml(body)

    assert (found.title, found.version) == (title, version)


def test_toml_numbers_are_written_out() -> None:
    found = find("+++\ntitle = 1.10\nversion = 2\ntags = ['a', 3]\n+++\n")

    assert (found.title, found.version, found.tags) == ("1.10", "2", ("a", "3"))


def test_an_alias_is_what_it_stands_for() -> None:
    found = find(
        "---\ntitle: &t Guide\ntags: &own [a, b]\nauthors: &team\n  - {name: &n ann}\n"
        "reviewers: *team\nkeywords: [*n, *t, *own]\n&key x: 1\ny: *key\n---\n"
    )
    assert (found.title, found.tags) == ("Guide", ("a", "b"))
    assert found.metadata == {
        "title": "Guide",
        "tags": ["a", "b"],
        "authors": [{"name": "ann"}],
        "reviewers": [{"name": "ann"}],
        "keywords": ["ann", "Guide", ["a", "b"]],
        "x": 1,
        "y": "x",
    }


def test_a_blank_line_behind_its_first_one_takes_nothing_from_malformed_front_matter() -> None:
    document = parse(b"---\n\ntitle: Lamp\ntags: dim\nbad: : :\n---\n\nText.\n", "a.md")
    assert (document.title, document.tags, document.headings) == ("Lamp", ("dim",), ())
    rule = parse(b"---\n\nNote: a: b\n---\n\nText.\n", "a.md")
    assert rule.front_matter is None
