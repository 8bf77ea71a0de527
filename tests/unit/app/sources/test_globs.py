"""Globs: what one pattern matches, and that no pattern is slow."""

from __future__ import annotations

import pytest

from leafmark.app.sources.ignore import alternatives, glob_expression, matcher, unescaped

MATCHES = [
    ("*.md", "a.md", True),
    ("*.md", "docs/a.md", False),
    ("docs/*.md", "docs/a.md", True),
    ("docs/*.md", "docs/a/b.md", False),
    ("docs/**/*.md", "docs/b.md", True),
    ("docs/**/*.md", "docs/a/a/b.md", True),
    ("docs/**/*.md", "docs.md", False),
    ("**/x", "x", True),
    ("**/x", "a/b/x", True),
    ("**/x", "a/bx", False),
    ("a/**", "a/b/c", True),
    ("a/**", "a", False),
    ("a/**/b/**/c", "a/b/b/x/c", True),
    ("a/**/b/**/c", "a/x/c", False),
    # a `**` that is not a whole part of the path is a `*`
    ("a/b**c/d", "a/bxxc/d", True),
    ("a/x*b**c", "a/xb/c", False),
    # but after the plain beginning of a pattern git takes it as folders
    ("foo**/bar", "foox/y/bar", True),
    ("?", "a", True),
    ("?", "ä", True),
    ("?", "/", False),
    ("a?b", "a/b", False),
    ("[a-c]x", "bx", True),
    ("[!a-c]x", "bx", False),
    ("[^a-c]x", "dx", True),
    ("[!x]", "/", False),
    ("[]a]", "]", True),
    ("[a-]", "-", True),
    ("[z-a]", "m", False),
    ("[[:digit:]]", "7", True),
    ("[[:alpha:]_]x", "_x", True),
    ("[[:nonsense:]]", "a", False),
    ("[[:a]", ":", True),
    (r"[\]]", "]", True),
    ("[&&a]", "&", True),
    ("[a", "[a", False),
    (r"\*", "*", True),
    (r"\*", "a", False),
    ("trailing\\", "trailing\\", False),
    ("*a*b*", "xaxbx", True),
    ("*a*b*", "xbxax", False),
    # the last part must reach the end although an earlier place fits too
    ("*ab", "abab", True),
    ("*a*a", "a", False),
    ("*.tar.*", "a.tar.gz", True),
    ("line*end", "line\nend", True),
]


@pytest.mark.parametrize(("pattern", "path", "fits"), MATCHES)
def test_a_pattern_matches_as_in_git(pattern: str, path: str, fits: bool) -> None:
    expression = glob_expression(pattern)
    assert (expression is not None and matcher(expression)(path)) is fits


@pytest.mark.parametrize("pattern", ["[a", "x[", "trailing\\", "[[:nonsense:]]", "[a\\"])
def test_a_malformed_pattern_matches_nothing(pattern: str) -> None:
    assert glob_expression(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "plain"),
    [("a.md", "a.md"), (r"\#a", "#a"), (r"a\\b", r"a\b"), ("a*", None), (r"a\*b*", None)],
)
def test_a_pattern_without_wildcards_is_a_name(pattern: str, plain: str | None) -> None:
    assert unescaped(pattern) == plain


HOSTILE = [
    "*a" * 20 + "c",
    "**/a/" * 12 + "x",
    "a*" * 400 + "b",
    "**/*a" * 100 + "/b",
    "[!b]*" * 99 + "b",
]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_hostile_pattern_cannot_backtrack(pattern: str) -> None:
    """Between two stars every part is atomic: without backtracking no pattern explodes.

    With backtracking the first of these takes minutes, and the suite's time limit ends it.
    """
    expression = glob_expression(pattern)
    assert expression is not None
    assert not matcher(expression)("a" * 250)
    assert not matcher(expression)("/".join(["a"] * 500))


@pytest.mark.parametrize(
    ("pattern", "same"),
    [
        ("[Dd]ebug[Pp]ublic", ["Debugpublic", "DebugPublic", "debugPublic", "debugpublic"]),
        ("a", ["a"]),
        ("[a", ["[a"]),
        ("[ab][", ["[ab]["]),
        (r"\[ab]", [r"\[ab]"]),
        ("[!a]", ["[!a]"]),
        ("[^a]", ["[^a]"]),
        ("[a-c]", ["[a-c]"]),
        ("[*]", ["[*]"]),
        ("[a/]", ["[a/]"]),
        ("[]a]", ["[]a]"]),
        ("[[:alpha:]]", ["[[:alpha:]]"]),
        ("[abcdefgh][abcdefghi]", ["[abcdefgh][abcdefghi]"]),
    ],
)
def test_plain_brackets_are_written_out(pattern: str, same: list[str]) -> None:
    assert sorted(alternatives(pattern)) == sorted(same)
