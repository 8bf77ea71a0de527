"""Facts have one spelling on both sides."""

from __future__ import annotations

from typing import Any

import pytest

from leafmark.index.filter_terms import (
    MAX_META_FACTS,
    canonical,
    fact,
    language_fact,
    meta_facts,
    meta_prefix,
)


@pytest.mark.parametrize(
    ("value", "spelling"),
    [
        ("  Two   Words\n", "two words"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        (3, "3"),
        (3.0, "3"),
        (2.5, "2.5"),
        (-0.0, "0"),
        (True, "true"),
        (False, "false"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (10**30, str(10**30)),
        ("2026-01-01", "2026-01-01"),
        ("x" * 40, "x" * 40),
        ("X" * 41, "x" * 16 + "…3164596d"),
        ("", ""),
    ],
)
def test_canonical(value: object, spelling: str) -> None:
    assert canonical(value) == spelling


@pytest.mark.parametrize(
    ("metadata", "terms"),
    [
        ({}, []),
        ({"a": None, "b": [], "c": {}}, []),
        ({"Status": "Draft"}, ["meta.status=draft"]),
        ({"n": [1, 1.0, "1"]}, ["meta.n=1"]),
        ({"a": {"b": {"c": [True, None]}}}, ["meta.a.b.c=true"]),
        ({"odd": "\ud800"}, ["meta.odd=?"]),
        ({1: "x"}, ["meta.1=x"]),
    ],
)
def test_meta_facts(metadata: dict[Any, Any], terms: list[str]) -> None:
    assert meta_facts(metadata) == terms


def test_meta_facts_are_bounded() -> None:
    assert len(meta_facts({"n": list(range(5000))})) == MAX_META_FACTS
    deep: Any = "x"
    for _ in range(50):
        deep = {"k": deep}
    assert meta_facts(deep) == []


def test_prefixes_begin_the_terms() -> None:
    assert meta_facts({"Some Key": 1}) == [f"{meta_prefix('some key')}1"]
    assert fact("tree", "docs") == "tree=docs"


@pytest.mark.parametrize(
    ("first", "second"),
    [("py", "Python"), ("js", "javascript"), ("YML", "yaml"), ("sh", "bash"), ("C++", "cpp")],
)
def test_languages_have_one_name(first: str, second: str) -> None:
    assert language_fact(first) == language_fact(second)


def test_an_unknown_language_keeps_its_name() -> None:
    assert language_fact("Zig") == "lang=zig"
