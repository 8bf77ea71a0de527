"""The text pipeline: what becomes a term, and where it stands."""

from __future__ import annotations

import pytest

from leafmark.index.analysis import LANGUAGES, MAX_TOKEN_CHARS, Analyzer, analyzer_for

ENGLISH = analyzer_for("english")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Error-Handling in Rust", ["error", "handl", "in", "rust"]),
        ("snake_case DEC-0054 @scope/x", ["snake", "case", "dec", "0054", "scope", "x"]),
        ("std::vector<T> a.b,c", ["std", "vector", "t", "a", "b", "c"]),
        ("Größe ÉTÉ naïve", ["größe", "été", "naïv"]),
        ("検索engine日本語", ["検", "索", "engin", "日", "本", "語"]),
        ("ภาษาไทย", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย"]),
        ("한국어 텍스트", ["한", "국", "어", "텍", "스", "트"]),
        ("カタカナ ひらがな", list("カタカナひらがな")),
        ("ພາສາລາວ", list("ພາສາລາວ")),
        ("𠀀𠀁x", ["𠀀", "𠀁", "x"]),
        ("", []),
        ("— … 🙂", []),
        ("half \ud800 pair", ["half", "pair"]),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert ENGLISH.terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("C++ is not C", ["c++", "is", "not", "c"]),
        ("C++17, Objective-C++; “C#” F#.", ["c++", "17", "object", "c++", "c#", "f#"]),
        (
            "page#c a/c#intro c++filt abc++ C+ # x",
            ["page", "c", "a", "c", "intro", "c", "filt", "abc", "c", "x"],
        ),
        ("HEAD^ HEAD~3, 2^32", ["head^", "head", "head~", "head", "3", "2^", "2", "32"]),
        ("a^b ~~old~~ [^1] ~/x é^2", ["a", "b", "old", "1", "x", "é^", "é", "2"]),
        ("on .NET (.gitignore)", ["on", ".net", "net", ".gitignor", "gitignor"]),
        (
            "a.b ...and x) .map(y) ~/.bashrc",
            ["a", "b", "and", "x", "map", "y", ".bashrc", "bashrc"],
        ),
        ("C++语言 für .NET", ["c++", "语", "言", "für", ".net", "net"]),
    ],
)
def test_names_keep_the_signs_that_make_them(text: str, terms: list[str]) -> None:
    tokens = ENGLISH.tokens(text)
    assert ENGLISH.terms(text) == terms == [token.term for token in tokens]
    assert [token.position for token in tokens] == list(range(len(terms)))
    assert [text[t.start : t.end].lower() for t in tokens if t.term[-1] in "+#"] == [
        term for term in terms if term[-1] in "+#"
    ]
    wanted = {"c++", ".net", "c"}
    assert ENGLISH.find(text, wanted.__contains__) == [t for t in tokens if t.term in wanted]


def test_no_language_means_no_stemming() -> None:
    assert analyzer_for(None).terms("Handled handling") == ["handled", "handling"]


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("arabic", "الكتاب", "كتاب"),
        ("danish", "husene", "huset"),
        ("dutch", "boeken", "boek"),
        ("english", "handling", "handled"),
        ("finnish", "talossa", "talosta"),
        ("french", "continuellement", "continuelle"),
        ("german", "Häuser", "Hauses"),
        ("greek", "άνθρωπος", "ανθρώπους"),
        ("hungarian", "házakban", "házaknak"),
        ("italian", "abbandonata", "abbandonato"),
        ("norwegian", "bøkene", "bøker"),
        ("portuguese", "meninas", "meninos"),
        ("romanian", "cărțile", "cărților"),
        ("russian", "книгами", "книгах"),
        ("spanish", "niños", "niñas"),
        ("swedish", "böckerna", "böcker"),
        ("tamil", "புத்தகங்கள்", "புத்தகம்"),
        ("turkish", "kitaplar", "kitapları"),
    ],
)
def test_every_language_joins_forms_of_a_word(language: str, first: str, second: str) -> None:
    analyzer = analyzer_for(language)
    assert analyzer.terms(first)[0] == analyzer.terms(second)[0]
    assert analyzer_for(None).terms(first) != analyzer_for(None).terms(second)


def test_a_mark_ends_no_word_in_tamil() -> None:
    assert len(analyzer_for("tamil").terms("புத்தகங்கள்")) == 1
    assert len(analyzer_for("tamil").terms("மின்னஞ்சல் புத்தகங்கள்")) == 2


def test_there_are_eighteen_languages() -> None:
    assert len(LANGUAGES) == 18
    assert all(analyzer_for(language).terms("x") == ["x"] for language in LANGUAGES)


def test_an_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no stemmer") as caught:
        Analyzer("klingon")
    assert str(caught.value) == f"no stemmer for 'klingon': one of {', '.join(sorted(LANGUAGES))}"


@pytest.mark.parametrize("letter", ["a", "é", "я", "க", "𐐨", "5"])
def test_tokens_are_dropped_by_characters_in_every_script(letter: str) -> None:
    analyzer = analyzer_for(None)
    longest = letter * MAX_TOKEN_CHARS
    assert analyzer.terms(f"x {longest} y") == ["x", longest, "y"]
    assert analyzer.terms(f"x {longest}{letter} y") == ["x", "y"]


def test_a_long_run_loses_only_its_long_tokens() -> None:
    text = f"https://example.org/{'a' * 41}/docs?{'b' * 40}={'é' * 41}"
    assert analyzer_for(None).terms(text) == ["https", "example", "org", "docs", "b" * 40]


@pytest.mark.parametrize(
    "text",
    [
        "Error-Handling in Rust",
        f"one {'x' * 50} two",
        f"eins {'ä' * 50} zwei",
        "検索 engine 日本語テスト, ok",
        "x" * 41 + "日本",
        "a\u0301 cafe\u0301 İstanbul ﬁne ǅ",
    ],
)
def test_tokens_stand_where_they_say(text: str) -> None:
    tokens = ENGLISH.tokens(text)
    assert [token.term for token in tokens] == ENGLISH.terms(text)
    for token in tokens:
        assert ENGLISH.terms(text[token.start : token.end]) == [token.term]
    assert [token.position for token in tokens] == list(range(len(tokens)))


@pytest.mark.parametrize("text", ["Handled, handling and hands", "Handled — handling, 日本"])
def test_find_gives_the_tokens_of_the_wanted_terms(text: str) -> None:
    wanted = {"handl", "日"}
    expected = [token for token in ENGLISH.tokens(text) if token.term in wanted]
    assert expected
    assert ENGLISH.find(text, wanted.__contains__) == expected
    assert ENGLISH.find(text, {"absent"}.__contains__) == []


def test_find_asks_once_per_term() -> None:
    asked: list[str] = []

    def wanted(term: str) -> bool:
        asked.append(term)
        return False

    ENGLISH.find("word other " * 500, wanted)
    assert sorted(asked) == ["other", "word"]


def test_words_that_are_too_long_are_dropped_and_runs_of_words_are_not() -> None:
    dashed = "—".join(["één", "twee", "drie"] * 5)
    assert analyzer_for(None).terms(f"{'x' * 41} {dashed} ok") == ["één", "twee", "drie"] * 5 + [
        "ok"
    ]
    assert analyzer_for(None).terms(f"{'x' * 41} {'y' * 40}.ok") == ["y" * 40, "ok"]


def test_an_index_gets_the_terms() -> None:
    text = f"Häuser, handling 日本 {'x' * 41} OK"
    assert ENGLISH.for_index(text) == "häuser handl 日 本 ok"


@pytest.mark.parametrize(
    "text", ["Straße_1 in Köln\n" * 9, "ein langes-Wort " * 9, "日本 語\nx" * 9, "a" * 99]
)
@pytest.mark.parametrize("size", [1, 20, 50])
def test_a_long_text_has_the_terms_of_its_portions(
    text: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = ENGLISH.terms(text)
    monkeypatch.setattr("leafmark.index.analysis.PORTION_CHARS", size)

    assert ENGLISH.terms(text) == expected


@pytest.mark.parametrize("language", ["greek", "english", None])
def test_a_word_in_capitals_ends_with_the_final_sigma(language: str | None) -> None:
    analyzer = analyzer_for(language)
    capitals, small = analyzer.tokens("ΟΔΟΣ, ΣΟΣ Σ 漢Σ"), analyzer.tokens("οδος, σος σ 漢σ")
    assert capitals == small
    assert analyzer.terms("ΟΔΟΣ") == [capitals[0].term]
