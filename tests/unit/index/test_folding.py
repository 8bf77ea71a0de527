"""Spellings that are read as the same text: what they become, and where that stood."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leafmark.index.analysis import analyzer_for
from leafmark.index.folding import Places, fold, is_folded

SAMPLES = [
    "café naïve Ångström",
    "がぎぐ ペ ゔ",
    "한국어 텍스트",
    "Việt Nam, được",
    "ộ q̣̇ x",
    "ABC １２３",
    "ﾃﾞｰﾀ ｱﾉﾃｰｼｮﾝ",
    "ﾡￂ 한글",
    "日本語の café と ＡＰＩ",
    "שָׁל\u05d5\u05b9ם עוֹלָם Ångström",
    "Doku\u00admente für İstanbul",
]


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("plain", "plain"),
        ("café", "café"),
        ("cafe\u0301", "café"),
        ("か\u3099", "が"),
        ("ｶﾞ", "ガ"),
        ("ＡＰＩ１２", "API12"),
        ("（，）", "（，）"),  # signs are no parts of words, and keep their width
        ("\u1112\u1161\u11ab", "한"),
        ("\u212b", "Å"),
        ("①", "①"),
        ("שָׁל\u05d5\u05b9ם", "שלום"),
        ("المُسْتَخدِم الكتـــاب", "المستخدم الكتاب"),
        ("ا\u0653", "آ"),
        ("کتاب‌های یک", "كتاب‌هاي يك"),
        ("\u0661\u0662 \u06f1\u06f2 \u0967\u0968 \u0e51\u0e52", "12 12 12 12"),
        ("İstanbul I\u0307", "Istanbul I"),
        ("Doku\u00admen\u00adte e\u00ad\u0301", "Dokumente é"),
    ],
)
def test_what_a_text_becomes(text: str, folded: str) -> None:
    assert fold(text) == folded
    assert is_folded(text) == (text == folded)


def _pairs() -> st.SearchStrategy[str]:
    marks = "\u0301\u0308\u0323\u3099\u1161\u11a8\uff9e\u0345\u00ad\u0640\u0654\u0307"
    letters = "Iא\u0627\u06cc\u0967ae oÅ日が\uff76\uff21\u1100\u09c7\u09be.\n"
    return st.text(st.sampled_from(letters + marks), max_size=12)


@given(st.one_of(_pairs(), st.text(max_size=20)))
def test_places_are_those_of_what_was_given(text: str) -> None:
    folded, places = fold(text), Places(text)
    if folded:
        start, end = places.original(0, len(folded))
        assert (fold(text[:start]), end) == ("", len(text))
    ends = [places.original(0, at)[1] for at in range(len(folded) + 1)]
    starts = [places.original(at, at)[0] for at in range(len(folded) + 1)]
    assert ends == sorted(ends)
    assert starts == sorted(starts)
    for at in range(len(folded)):
        start, end = places.original(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert folded[at] in fold(text[start:end])


@given(st.one_of(_pairs(), st.sampled_from(SAMPLES), st.text(max_size=20)))
@example("\uffbf\uffc0\uffd8").via("gaps among the letters of half width")
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert is_folded(fold(text))


@pytest.mark.parametrize("text", SAMPLES)
@pytest.mark.parametrize("language", ["english", "french", None])
def test_both_spellings_have_the_same_terms_each_in_its_place(
    text: str, language: str | None
) -> None:
    analyzer = analyzer_for(language)
    apart = unicodedata.normalize("NFD", text)
    assert apart != text or not is_folded(text)
    usual = analyzer.tokens(fold(text))
    assert [token.term for token in analyzer.tokens(apart)] == [token.term for token in usual]
    assert analyzer.terms(apart) == analyzer.terms(text) == [token.term for token in usual]
    for one, other in zip(analyzer.tokens(apart), usual, strict=True):
        assert fold(apart[one.start : one.end]) == fold(text)[other.start : other.end]
        assert one.position == other.position
