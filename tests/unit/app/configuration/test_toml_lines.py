"""Where keys stand in a TOML file."""

from __future__ import annotations

import pytest

from leafmark.app.configuration.config_file import KeyPath, find_line, key_lines, repeated_table

CASES: list[tuple[str, dict[KeyPath, int]]] = [
    ("", {}),
    ("# only a comment", {}),
    ("a = 1\n\nb = 2", {("a",): 1, ("b",): 3}),
    ("a = 1\r\nb = 2\r\n", {("a",): 1, ("b",): 2}),
    ("[t]\na = 1 # c = 2\n", {("t",): 1, ("t", "a"): 2}),
    ("[ t . u ]\na.b = 1", {("t", "u"): 1, ("t", "u", "a", "b"): 2}),
    ("['t.x']\n\"a b\" = 1", {("t.x",): 1, ("t.x", "a b"): 2}),
    ('"\\u0061" = 1', {("a",): 1}),
    ("a = [\n1, # ]\n2,\n]\nb = 1", {("a",): 1, ("b",): 5}),
    ("a = {x = 1, y = [\n2]}\nb = 1", {("a",): 1, ("b",): 3}),
    ('a = """\nb = 1\n"""\nc = 1', {("a",): 1, ("c",): 4}),
    ('a = """x\\"""\n""""\nc = 1', {("a",): 1, ("c",): 3}),
    ("a = '''\nb = 1\n'''''\nc = 1", {("a",): 1, ("c",): 4}),
    ("a = \"#\"\nb = '['\nc = 1", {("a",): 1, ("b",): 2, ("c",): 3}),
    (
        "[[r]]\na = 1\n[[r]]\na = 2\n[r.s]\nb = 1",
        {
            ("r", 0): 1,
            ("r", 0, "a"): 2,
            ("r", 1): 3,
            ("r", 1, "a"): 4,
            ("r", 1, "s"): 5,
            ("r", 1, "s", "b"): 6,
        },
    ),
]


@pytest.mark.parametrize(("text", "lines"), CASES)
def test_each_key_has_its_line(text: str, lines: dict[KeyPath, int]) -> None:
    assert key_lines(text) == lines


def test_a_key_inside_an_inline_table_has_the_line_around_it() -> None:
    lines = key_lines("\ntree = {docs = {path = 1}}")
    assert find_line(lines, ("tree", "docs", "path")) == 2
    assert find_line(lines, ("other",)) is None


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        ("[a]\n[b]\n[a]", 3, "a"),
        ("[tree.x]\npath = 1\n\n[tree . x] # again", 4, "tree.x"),
        ("[a]\n[b]", 2, None),
        ("[a]\nx = 1", 2, None),
        ("[[a]]\n[[a]]", 2, None),
        ("", 1, None),
    ],
)
def test_a_table_that_stands_twice_is_recognised(text: str, line: int, name: str | None) -> None:
    assert repeated_table(text, line) == name
