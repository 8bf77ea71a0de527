"""The words one edit away: which letters they are made of."""

from __future__ import annotations

import pytest

from leafmark.search.spelling import alphabet_of, edits_of


@pytest.mark.parametrize(
    ("typed", "language", "meant"),
    [
        ("gruse", "german", "gruße"),
        ("gruse", "english", None),
        ("uber", "english", "über"),
        ("привте", "english", "привет"),
        ("привт", "english", "привет"),
        ("καλημρα", "english", "καλημέρα"),
        ("שלם", "english", "שלום"),
        ("नमसते", "english", "नमस्ते"),
        ("x", "english", None),
    ],
)
def test_letters_are_those_of_the_word_s_script_and_of_the_language(
    typed: str, language: str, meant: str | None
) -> None:
    found = edits_of(typed, language)
    assert meant in found if meant else "gruße" not in found
    assert typed not in found
    assert all(len(each) > 1 for each in found)


def test_a_letter_alone_has_no_edits() -> None:
    assert edits_of("x") == []


def test_alphabets_of_other_scripts_leave_out_what_is_no_small_letter() -> None:
    assert [(each[0], each[-1], len(each)) for each in map(alphabet_of, "αж")] == [
        ("ά", "ώ", 35),
        ("а", "џ", 48),
    ]
    devanagari = alphabet_of("न")
    assert devanagari[0] == "\u0900"
    assert {"न", "\u093e"} < {*devanagari}
    assert not {*"०।"} & {*devanagari}
