"""Other forms of words: which ones, and what a search makes of them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from support.library import Library

from leafmark.index import LANGUAGES, analyzer_for
from leafmark.search.spelling import derived_terms


@pytest.mark.parametrize(
    ("typed", "other"),
    [
        ("wrote", "written"),
        ("write", "wrote"),
        ("chosen", "choice"),
        ("indices", "index"),
        ("lives", "life"),
        ("parser", "parse"),
        ("parse", "parser"),
        ("runner", "run"),
        ("run", "runner"),
        ("Reader", "read"),
        ("wait", "waiter"),
        ("editor", "edit"),
        ("edit", "editor"),
        ("carrier", "carry"),
        ("carry", "carrier"),
        ("serialise", "serialize"),
        ("serialized", "serialised"),
        ("organisation", "organization"),
        ("analyse", "analyze"),
        ("colours", "color"),
        ("behavior", "behaviour"),
        ("centre", "center"),
        ("center", "centre"),
        ("catalog", "catalogue"),
        ("dialogue", "dialog"),
        ("license", "licence"),
        ("aliases", "alias"),
        ("alias", "aliases"),
        ("embedding", "embed"),
        ("embed", "embedding"),
        ("queue", "queued"),
        ("queuing", "queue"),
        ("reference", "referenced"),
        ("referencing", "reference"),
        ("menu", "menus"),
        ("menus", "menu"),
        ("SDKs", "sdk"),
        ("rfc", "rfcs"),
        ("cli", "clis"),
    ],
)
def test_another_form(typed: str, other: str) -> None:
    (stem,) = analyzer_for("english").terms(other)
    assert stem in dict(derived_terms(typed, "english"))


@pytest.mark.parametrize("typed", ["user", "us", "over", "x1", "wört", "", "naïve"])
def test_no_form_that_is_another_word(typed: str) -> None:
    assert derived_terms(typed, "english") == ()


@pytest.mark.parametrize(
    ("typed", "other"), [("https", "http"), ("http", "https"), ("SMTPS", "smtp")]
)
def test_a_protocol_is_no_plural(typed: str, other: str) -> None:
    assert other not in dict(derived_terms(typed, "english"))


def test_the_own_stem_is_no_other_form() -> None:
    assert derived_terms("generator", "english") == ()
    assert "choic" not in dict(derived_terms("choices", "english"))


def test_other_languages_have_none() -> None:
    for language in (LANGUAGES - {"english"}) | {None}:
        assert derived_terms("wrote", language) == ()


SOURCES = {
    "a.md": "# Storage\n\nThe file is written once.\n",
    "b.md": "# Loading\n\nEach parser has a colour.\n",
    "c.md": "# Rest\n\nWe write letters.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("index"), t=SOURCES)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("write", ["c.md#rest", "a.md#storage"]),
        ("written", ["a.md#storage", "c.md#rest"]),
        ("parse color", ["b.md#loading"]),
        ("write~0", ["c.md#rest"]),
        ('"we wrote"', []),
        ("letters -written", ["c.md#rest"]),
        ("body:parse", ["b.md#loading"]),
    ],
)
def test_a_word_finds_its_other_forms_behind_itself(
    library: Library, query: str, found: list[str]
) -> None:
    assert library.find(query, strict=True) == found


def test_forms_of_a_word_that_occurs_nowhere_are_no_corrections(library: Library) -> None:
    assert sorted(library.find("wrote", strict=True)) == ["a.md#storage", "c.md#rest"]
    assert library.search("wrote", strict=True).hints == ()


def test_they_can_be_left_out(library: Library) -> None:
    assert library.find("written", derived_words=False) == ["a.md#storage"]


def test_they_are_marked_and_explained(library: Library) -> None:
    (result,) = library.search("parse color", explain=True, aggregation=False).results
    assert result.body_bytes is not None
    marked = [result.body_bytes[start:end] for start, end in result.match_ranges]
    assert marked == [b"parser", b"colour"]
    assert {factor.name for factor in result.factors} >= {"parse", "color"}
    added = sum(each.value for each in result.factors if each.operation == "add")
    others = (each.value for each in result.factors if each.operation == "multiply")
    assert added * math.prod(others) == pytest.approx(result.score, rel=1e-6)


def test_a_form_that_was_deleted_stands_in_no_way_of_a_correction(tmp_path: Path) -> None:
    library = Library(tmp_path, t=SOURCES | {"d.md": "# D\n\nHe sought it.\n"})
    assert library.find("seek") == ["d.md#d"]
    library.put("t", {"e.md": "# E\n\nThe seed grows.\n"}, remove=("d.md",))
    assert library.find("seek") == ["e.md#e"]
