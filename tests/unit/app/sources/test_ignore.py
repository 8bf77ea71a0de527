"""Ignore files: which rule decides about a path, and which rules are not heeded."""

from __future__ import annotations

import pytest

from leafmark.app.sources.ignore import MAX_RULES, IgnoreRules, parse_ignore_file, parse_rules
from leafmark.model import Diagnostic


def decide(rules: IgnoreRules, path: str) -> str | None:
    """Return the rule that decides; a path that ends with `/` is a folder's."""
    is_folder = path.endswith("/")
    path = path.removesuffix("/")
    rule = rules.find(path, path.rpartition("/")[2], is_folder=is_folder)
    return None if rule is None else rule.text


CASES = [
    ("*.md", "a/b.md", "*.md"),
    ("*.md", "md", None),
    ("*.tar.gz", "a.tar.gz", "*.tar.gz"),
    ("name", "a/name", "name"),
    ("name", "name/", "name"),
    ("/name", "a/name", None),
    ("/name", "name", "/name"),
    ("a/name", "x/a/name", None),
    ("a/name", "a/name", "a/name"),
    ("name/", "name", None),
    ("name/", "a/name/", "name/"),
    ("a\n!a", "a", "!a"),
    ("!a\na", "a", "a"),
    ("*.md\n!keep.md\n/keep.md", "keep.md", "/keep.md"),
    ("*.md\n!keep.md\n/keep.md", "x/keep.md", "!keep.md"),
    ("tmp*\n!tmpl", "tmpl", "!tmpl"),
    ("*~", "a~", "*~"),
    ("# comment\n\\#a", "#a", "\\#a"),
    ("\\!a", "!a", "\\!a"),
    ("a  ", "a", "a"),
    ("a\\ ", "a ", "a\\ "),
    ("a\t", "a", None),
    ("a\r\nb\r\n", "b", "b"),
    ("\ufeffa", "a", "a"),
    ("//a", "a", None),
    ("/", "a", None),
    ("!", "a", None),
    ("a\0b", "a", "a"),
    ("*.Md", "a.md", None),
    ("*.", "a.", "*."),
    ("*.md\n!*.md", "a.md", "!*.md"),
]


@pytest.mark.parametrize(("text", "path", "rule"), CASES)
def test_the_last_rule_that_fits_decides(text: str, path: str, rule: str | None) -> None:
    rules, diagnostics = parse_ignore_file(text.encode(), ".gitignore")
    assert decide(rules, path) == rule
    assert diagnostics == []


@pytest.mark.parametrize(("text", "path", "rule"), CASES)
def test_the_fast_test_never_denies_a_rule(text: str, path: str, rule: str | None) -> None:
    rules, _ = parse_ignore_file(text.encode(), ".gitignore")
    if rule is not None and not path.endswith("/"):
        folder, slash, name = path.rpartition("/")
        assert rules.may_match(folder + slash)(name, name.rpartition(".")[2])


def test_the_fast_test_is_quiet_where_no_rule_can_fit() -> None:
    rules = parse_rules(["/docs/**/x", "*.tmp", "b*d", "src/a.md"])
    test = rules.may_match("docs/")
    assert [test(name, "md") for name in ("a.md", "x", "bd")] == [False, True, True]
    assert not rules.may_match("src/")("c.md", "md")


def test_names_that_are_not_utf_8_are_matched_by_their_bytes() -> None:
    rules, _ = parse_ignore_file(b"caf\xe9.md\n", ".gitignore")
    assert decide(rules, "caf\udce9.md") is not None


def test_rules_over_the_limit_are_not_heeded_and_said() -> None:
    text = "\n".join(["#", *(f"name{n}" for n in range(MAX_RULES + 5))])
    rules, diagnostics = parse_ignore_file(text.encode(), "docs/.gitignore")
    assert rules.count == MAX_RULES
    assert decide(rules, "name999") == "name999"
    assert decide(rules, "name1000") is None
    message = "only the first 1000 rules are used"
    assert diagnostics == [Diagnostic("docs/.gitignore", "ignore-file", message, line=1002)]


def test_a_rule_that_is_too_long_is_not_heeded_and_said() -> None:
    rules, diagnostics = parse_ignore_file(b"a" * 1025 + b"\nb\n", ".ignore")
    assert decide(rules, "b") == "b"
    message = "a rule of 1025 characters is ignored: the limit is 1024"
    assert diagnostics == [Diagnostic(".ignore", "ignore-file", message, line=1)]


def test_wildcards_over_the_limit_are_not_heeded_and_said() -> None:
    """All of them would be tried for each file: a second for every few."""
    text = "\n".join(["*.log", *("*a" * 500 + str(number) for number in range(1000))])
    rules, diagnostics = parse_ignore_file(text.encode(), ".gitignore")
    assert rules.count == 3
    assert diagnostics[0].line == 4
    assert diagnostics[0].message == "only rules with 1,000 wildcards in all are used"


def test_suffixes_and_names_do_not_count_as_wildcards() -> None:
    text = "\n".join(f"*.suffix{number}" for number in range(MAX_RULES))
    rules, diagnostics = parse_ignore_file(text.encode(), ".gitignore")
    assert (rules.count, diagnostics) == (MAX_RULES, [])


def test_no_rules_are_false() -> None:
    assert not parse_rules([])
    assert parse_rules(["a"])
