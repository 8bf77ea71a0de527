"""The settings: their defaults are those of the rooms they steer, and values are checked."""

from __future__ import annotations

import pytest

from leafmark.app.settings import SETTINGS, ChunkingSettings
from leafmark.chunking import PRESETS, ChunkingOptions
from leafmark.errors import ConfigError
from leafmark.model.option_types import check_value, parse_value


def test_the_defaults_of_chunking_are_those_of_its_room() -> None:
    assert ChunkingSettings()._asdict() == ChunkingOptions()._asdict() | {"preset": "none"}
    assert SETTINGS["chunking.preset"].choices == ("none", *PRESETS)


def test_every_setting_has_a_line_about_it_and_a_default_that_it_accepts() -> None:
    for setting in SETTINGS.values():
        assert setting.option.doc
        assert not setting.option.doc.endswith(".")
        if setting.default is not None:
            assert check_value(setting, setting.default) == setting.default


@pytest.mark.parametrize(
    ("name", "value", "held"),
    [
        ("search.limit", 1, 1),
        ("search.cutoff_ratio", 1, 1.0),
        ("search.cutoff_ratio", 0, 0.0),
        ("index.follow_symlinks", True, True),
        ("search.grain", "section", "section"),
        ("index.dir", "x", "x"),
    ],
)
def test_values_that_fit(name: str, value: object, held: object) -> None:
    got = check_value(SETTINGS[name], value)
    assert (got, type(got)) == (held, type(held))


BAD = [
    ("search.limit", 0, "0", "a whole number from 1 to 10000"),
    ("search.limit", 2.0, "2.0", "a whole number from 1 to 10000"),
    ("search.limit", True, "true", "a whole number from 1 to 10000"),
    ("search.limit", "ten", '"ten"', "a whole number from 1 to 10000"),
    ("chunking.min_tokens", 2**63, "9223372036854775808", "a whole number of at least 0"),
    ("search.cutoff_ratio", 1.5, "1.5", "a number from 0 to 1"),
    ("search.cutoff_ratio", float("nan"), "nan", "a number from 0 to 1"),
    ("search.local_boost", float("inf"), "inf", "a number above 0"),
    ("search.local_boost", 0, "0", "a number above 0"),
    ("search.cutoff_ratio", -0.5, "-0.5", "a number from 0 to 1"),
    ("search.grain", "page", '"page"', "one of auto, piece, section, document"),
    ("index.follow_symlinks", 1, "1", "true or false"),
    ("index.dir", "", '""', "a text that is not empty"),
    ("chunking.tokenizer", ["a"] * 50, "['a', 'a',", "a text that is not empty"),
]


@pytest.mark.parametrize(("name", "value", "shown", "accepted"), BAD)
def test_a_value_that_does_not_fit_is_named_with_those_that_do(
    name: str, value: object, shown: str, accepted: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        check_value(SETTINGS[name], value, location="leafmark.toml:3")
    assert caught.value.message.startswith(f"{name} is {shown}")
    assert len(caught.value.message) < 100
    assert caught.value.location == "leafmark.toml:3"
    assert caught.value.hint == f"{name} must be {accepted}"


def test_a_number_too_large_for_a_float_is_refused() -> None:
    with pytest.raises(ConfigError):
        check_value(SETTINGS["search.local_boost"], 10**400)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("search.limit", " 5 ", 5),
        ("search.limit", "1_000", 1000),
        ("search.cutoff_ratio", "0.25", 0.25),
        ("index.follow_symlinks", "Yes", True),
        ("index.follow_symlinks", "off", False),
        ("search.stemmer", "german", "german"),
    ],
)
def test_texts_are_read_as_the_settings_type(name: str, text: str, value: object) -> None:
    assert parse_value(SETTINGS[name], text, location="x") == value


@pytest.mark.parametrize("text", ["0_1", "-0_1", "٠.٥"])
def test_a_number_is_not_guessed(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_value(SETTINGS["search.cutoff_ratio"], text, location="x")
    assert caught.value.message == f'search.cutoff_ratio is "{text}"'


def test_a_text_that_is_no_value_is_shown_as_it_is() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_value(SETTINGS["search.limit"], "many", location="LEAFMARK_SEARCH_LIMIT")
    assert caught.value.message == 'search.limit is "many"'
    assert caught.value.location == "LEAFMARK_SEARCH_LIMIT"
    assert caught.value.hint == "search.limit must be a whole number from 1 to 10000"
