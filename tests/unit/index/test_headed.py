"""Texts with the titles above them, as the index takes them."""

from __future__ import annotations

from leafmark.index.analyzer import analyzer_for
from leafmark.index.headed import BETWEEN, headed

ENGLISH = analyzer_for("english")


def test_titles_stand_before_the_text_without_the_documents() -> None:
    path = ("Guide", "Windows", "Auto-start")
    body, _ = headed(ENGLISH, path, "Open the settings.")
    assert body == f"Windows{BETWEEN}Auto-start{BETWEEN}Open the settings."


def test_terms_of_the_titles_alone_are_told() -> None:
    _, above = headed(ENGLISH, ("Guide", "Installing on Windows"), "How to install it on Linux.")
    assert above == ["instal on", "window"]


def test_what_stands_below_no_section_is_as_it_was() -> None:
    assert headed(ENGLISH, ("Guide",), "Open the settings.") == ("Open the settings.", [])


def test_titles_in_any_script_are_prepared_as_texts_are() -> None:
    text = ENGLISH.for_index("設定を開く。")
    body, above = headed(ENGLISH, ("Guide", "設定"), text)
    assert ENGLISH.terms(body)[:2] == ["設", "定"]
    assert above == []


def test_phrases_of_the_titles_alone_are_told_where_the_text_has_their_words() -> None:
    path = ("Guide", "Set up farm", "Up the barn")
    _, above = headed(ENGLISH, path, "Set up the barn. This sums up farm work, and the rest.")
    assert above == ["set up farm"]


def test_what_is_too_long_or_too_far_above_is_not_read_with_every_text() -> None:
    long = "word " * 400
    levels = [f"level{number}" for number in range(100)]
    text, _ = headed(ENGLISH, ("Guide", long, *levels), "Open it.")
    assert text == f"{BETWEEN.join(levels[-16:])}{BETWEEN}Open it."
