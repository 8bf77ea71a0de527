"""Texts with the titles above them, as the index takes them."""

from __future__ import annotations

from leafmark.index.analysis import BETWEEN, analyzer_for
from leafmark.index.text_with_titles import MAX_TITLES, terms_from_titles, titles_above

ENGLISH = analyzer_for("english")


def above(path: tuple[str, ...], body: str) -> list[str]:
    return terms_from_titles(titles_above(ENGLISH, path), ENGLISH.for_index(body))


def text(path: tuple[str, ...], body: str) -> str:
    titles = titles_above(ENGLISH, path[-MAX_TITLES:]).titles
    return f" {BETWEEN} ".join([*titles, ENGLISH.for_index(body)])


def test_titles_stand_before_the_text() -> None:
    path = ("Guide", "Windows", "Auto-start")
    found = text(path, "Open the settings.")
    assert found == f"guid {BETWEEN} window {BETWEEN} auto start {BETWEEN} open the set"


def test_terms_of_the_titles_alone_are_told() -> None:
    path = ("Guide", "Installing on Windows")
    assert above(path, "How to install it on Linux.") == ["guid", "instal on", "window"]


def test_what_has_no_title_is_as_it_was() -> None:
    assert text((), "Open the settings.") == "open the set"
    assert above((), "Open the settings.") == []


def test_titles_in_any_script_are_prepared_as_texts_are() -> None:
    path = ("Guide", "設定")
    assert text(path, "設定を開く。") == f"guid {BETWEEN} 設 定 {BETWEEN} 設 定 を 開 く"
    assert above(path, "設定を開く。") == ["guid"]


def test_phrases_of_the_titles_alone_are_told_where_the_text_has_their_words() -> None:
    path = ("Guide", "Set up farm", "Up the barn")
    body = "Set up the barn. This sums up farm work, and the rest."
    assert above(path, body) == ["guid", "set up farm"]


def test_a_phrase_that_repeats_one_term_is_told_like_any_other() -> None:
    assert above(("Guide", "Set set"), "A set.") == ["guid", "set set"]
    assert above(("Guide", "Set set set"), "A set set.") == ["guid", "set set set"]


def test_no_phrase_goes_from_one_title_to_the_next() -> None:
    path = ("Guide", "Set up", "farm work")
    assert above(path, "Farm: set up a barn, work.") == ["farm work", "guid"]


def test_what_is_too_long_or_too_far_above_is_not_read_with_every_text() -> None:
    long = "word " * 400
    levels = [f"level{number}" for number in range(100)]
    found = text(("Guide", long, *levels), "Open it.")
    assert found == f" {BETWEEN} ".join([*levels[-16:], "open it"])
