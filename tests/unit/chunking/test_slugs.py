"""Slugs: GitHub's anchors for any Unicode, and the numbering of repeats."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from leafmark.chunking.slugs import (
    distinct_slugs,
    dropped_characters,
    github_slug,
    number_slugs,
    slug_of,
)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Hello World", "hello-world"),
        ("What's new?", "whats-new"),
        ("a - b", "a---b"),
        ("  two  spaces ", "--two--spaces-"),
        ("snake_case and kebab-case", "snake_case-and-kebab-case"),
        ("C++ & C#", "c--c"),
        ("v1.2.3", "v123"),
        ("Überraschung ß", "überraschung-ß"),
        ("中文 标题", "中文-标题"),
        ("日本語、です。", "日本語です"),
        ("हिन्दी", "हिन्दी"),  # marks stay
        ("cafe\u0301", "cafe\u0301"),
        ("x‿y", "x‿y"),  # connector punctuation
        ("²³ ½", "-"),  # numbers that are no decimal digits go
        ("Ⅳ ⅳ", "ⅳ-ⅳ"),  # letter numbers stay
        ("Ⓐ 🅰", "ⓐ-🅰"),  # Alphabetic symbols
        ("٣ عربى", "٣-عربى"),
        ("🎉 Party", "-party"),
        ("tab\there", "tabhere"),
        ("no\u00a0break", "nobreak"),
        ("☕️ Tea", "\ufe0f-tea"),  # a variation selector is a mark
        ("", ""),
        ("!?", ""),
    ],
)
def test_github_slug(text: str, slug: str) -> None:
    assert github_slug(text) == slug


def test_the_table_agrees_with_pythons_own_categories() -> None:
    """For what both know: what Python has not heard of yet is left out."""
    kept = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"}
    symbols = {*range(0x24B6, 0x24EA), *range(0x1F130, 0x1F14A), *range(0x1F150, 0x1F16A)}
    symbols |= set(range(0x1F170, 0x1F18A))  # Other_Alphabetic
    dropped = dropped_characters()
    for code in range(0x80, sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if category not in ("Cn", "Cs"):
            assert (dropped.match(chr(code)) is None) == (category in kept or code in symbols), code


def test_collapse() -> None:
    assert slug_of(" A & B -- c ", "collapse") == "a-b-c"


def test_an_empty_slug_is_called_heading() -> None:
    assert slug_of("!", "github") == "heading"
    assert slug_of(" ! ", "collapse") == "heading"


@pytest.mark.parametrize(
    ("names", "slugs"),
    [
        ([], []),
        (["a", "b"], ["a", "b"]),
        (
            ["echo", "echo", "echo-1", "echo-1", "echo"],
            ["echo", "echo-1", "echo-1-1", "echo-1-2", "echo-2"],
        ),
        (["a-1", "a", "a"], ["a-1", "a", "a-2"]),
        (["heading", "heading"], ["heading", "heading-1"]),
    ],
)
def test_numbering(names: list[str], slugs: list[str]) -> None:
    assert number_slugs(names, [None] * len(names)) == slugs


@pytest.mark.parametrize(
    ("names", "slugs"),
    [
        (["top", "<top"], ["top-1", "top"]),
        (["<top", "<top", "top"], ["top", "top-1", "top-2"]),
        (["<top-1", "top", "top"], ["top-1", "top", "top-2"]),
        (["<B", "b"], ["B", "b"]),
    ],
)
def test_anchors_of_the_page_come_first(names: list[str], slugs: list[str]) -> None:
    anchors = [name[1:] if name.startswith("<") else None for name in names]
    assert number_slugs([name.removeprefix("<") for name in names], anchors) == slugs


@pytest.mark.parametrize("style", ["github", "collapse"])
@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["One", "Two words", "A_b-c 1.2", "&"],
        ["A", "", "B", "!"],
        ["A", "naïve", "ΩB"],
        ["A\nb", "C"],  # no heading has a line feed in it, but nothing forbids one
    ],
)
def test_slugs_made_at_once_are_those_of_each_text(texts: list[str], style: str) -> None:
    none = [None] * len(texts)
    slugs = [slug_of(text, style) for text in texts]
    if len(set(slugs)) < len(slugs):
        slugs = number_slugs(slugs, none)
    assert distinct_slugs(texts, anchors=none, paths=none, style=style) == slugs


def test_an_anchor_or_path_stands_in_place_of_the_text() -> None:
    found = distinct_slugs(
        ["Set up", "run", "Set up"],
        anchors=["set-up", None, None],
        paths=[None, "Tool.run", None],
        style="github",
    )
    assert found == ["set-up", "Tool.run", "set-up-1"]
