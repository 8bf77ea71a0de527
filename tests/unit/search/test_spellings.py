"""Text of one spelling is found by the other: é as one character or two, Ａ and A."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from support.library import Library

from leafmark.index import IndexOptions
from leafmark.render.hint_texts import word_hint

BODY = "The café in Ångström street serves データ and 한국 soup, très bon; ＡＰＩ, ｶﾞｲﾄﾞ.\n"
PAGE = f"---\ntags: [café]\n---\n# Café ペン\n\n{BODY}"


def _apart(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    sources = {"a.md": PAGE, "b.md": _apart(PAGE) + "\nApart.\n", "c.md": "# Other\n\nA cafe.\n"}
    return Library(tmp_path_factory.mktemp("index"), t=sources)


@pytest.mark.parametrize("spell", [str, _apart])
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("ångström", ["Ångström"]),
        ("angström~0", []),
        ("ångst*", ["Ångström"]),
        ('"café in Ångström"', ["café", "in", "Ångström"]),
        ("body:データ", ["データ"]),
        ("한국", ["한국"]),
        ("API", ["ＡＰＩ"]),
        ("ａｐｉ", ["ＡＰＩ"]),
        ("ガイド", ["ｶﾞｲﾄﾞ"]),
        ("title:ペン", []),
    ],
)
def test_either_spelling_finds_both(
    library: Library, query: str, words: list[str], spell: type[str]
) -> None:
    results = library.search(spell(query), aggregation=False).results
    found = {result.entry.path for result in results}
    assert found == ({"a.md", "b.md"} if words or query.startswith("title") else set())
    for result in results:
        assert result.body_bytes is not None
        marked = [result.body_bytes[start:end].decode() for start, end in result.match_ranges]
        spelt = _apart if result.entry.path == "b.md" else str
        assert "".join(marked) == spelt("".join(words))


@pytest.mark.parametrize("spell", [str, _apart])
def test_titles_and_tags_are_compared_alike(library: Library, spell: type[str]) -> None:
    for wish in ({"section": (spell("café ペン"),)}, {"tags": (spell("Café"),)}):
        results = library.search("serves", aggregation=False, **wish).results
        assert {result.entry.path for result in results} == {"a.md", "b.md"}


@pytest.mark.parametrize("spell", [str, _apart])
@pytest.mark.parametrize("wish", ["path:résumé", "id:résumé.md#größe", "under:t:résumé.md"])
@pytest.mark.parametrize("on_disk", [str, _apart])
def test_names_are_found_in_either_spelling(
    tmp_path: Path, wish: str, spell: type[str], on_disk: type[str]
) -> None:
    path = on_disk("résumé.md")
    library = Library(tmp_path, t={path: on_disk("# Größe\n\nOil.\n"), "b.md": "# B\n\nOil.\n"})
    assert library.find(f"{spell(wish)} oil") == [on_disk("résumé.md#größe")]


@pytest.mark.parametrize("spell", [str, _apart])
def test_a_snippet_marks_what_matches(library: Library, spell: type[str]) -> None:
    for result in library.search(spell("ångström très"), aggregation=False).results:
        snippet = result.snippet
        marked = [snippet.text[start:end] for start, end in snippet.ranges]
        spelt = _apart if result.entry.path == "b.md" else str
        assert marked == [spelt("Ångström"), spelt("très")]


def test_a_mark_that_was_not_typed_is_put_on_in_any_language(tmp_path: Path) -> None:
    text = "# Notes\n\nMaría margin mario paris.\n\n# Facturación\n\nUn año.\n"
    library = Library(tmp_path, t={"a.md": text})
    assert library.find("Maria") == library.find("maría") == ["a.md#notes"]
    assert library.find("facturacion") == ["a.md#facturación"]
    (hint,) = library.search("Maria").hints
    assert word_hint(hint) == "“Maria” occurs nowhere; searched for maría, mario"


MARKED = "הַשּׁ\u05b8לוֹם בא. قال المُسْتَخدِم للكتـــاب. کتاب‌های ۱۲. İzinler. Doku\u00admente. ΟΔΟΣ.\n"


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("השלום", "הַשּׁ\u05b8לוֹם"),
        ("المستخدم", "المُسْتَخدِم"),
        ("للكتاب", "للكتـــاب"),
        ("كتاب", "کتاب"),
        ("12", "۱۲"),
        ("izinler", "İzinler"),
        ("Dokumente", "Doku\u00admente"),
        ("dokum*", "Doku\u00admente"),
        ("οδος", "ΟΔΟΣ"),
    ],
)
def test_what_is_mostly_left_out_need_not_be_typed(tmp_path: Path, query: str, word: str) -> None:
    library = Library(tmp_path, t={"a.md": MARKED, "b.md": "Other.\n"})
    (result,) = library.search(f"({query})~0" if query[-1] != "*" else query).results
    assert result.body_bytes is not None
    ((start, end),) = result.match_ranges
    assert result.body_bytes[start:end].decode() == word


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("huong dan", ["Hướng", "dẫn"]),
        ("dat", ["đặt"]),
        ("zolty", ["Żółty"]),
        ("prilis", ["příliš"]),
        ("strasse", ["Straße"]),
        ("groesse", ["Größe"]),
        ("ueberpruefen", ["überprüfen"]),
        ("ığdır", ["IĞDIR"]),
        ("δισκος", ["δίσκος"]),
        ("huong~1", []),
        ("huong~0", []),
    ],
)
@pytest.mark.parametrize("language", ["english", "german"])
def test_any_number_of_missing_marks_is_one_typing_error(
    tmp_path: Path, query: str, words: list[str], language: str
) -> None:
    page = "Hướng dẫn cài đặt. Żółty. příliš. Straße, Größe, überprüfen. IĞDIR. δίσκος\n"
    library = Library(tmp_path)
    library.settings = IndexOptions("library", {"t": language})
    library.put("t", {"a.md": page, "b.md": "Other.\n"})
    results = library.search(query).results
    assert [one.entry.path for one in results] == ["a.md"] * bool(words)
    for one in results:
        assert one.body_bytes is not None
        marked = [one.body_bytes[start:end].decode() for start, end in one.match_ranges]
        assert marked == words
