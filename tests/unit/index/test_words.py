"""Words as people write and read them: their readings, their beginnings, their parts."""

from __future__ import annotations

from collections import Counter

import pytest

from leafmark.index.analysis import analyzer_for
from leafmark.index.words import Vocabulary

ENGLISH = analyzer_for("english")

TEXTS = {
    "english": [
        "Authentication uses tokens. Authorization comes later.",
        "The configuration lies in a file. Configurations differ; one configuration is enough.",
        "Set the environment before you configure. A drop down menu, the file name, send raw "
        "transaction.",
        "Each repository has an owner. Repositories grow.",
    ],
    "german": ["Die Datenbank hat eine Verbindung.", "Ein Fehler der Verbindungen. Die Arbeit."],
}


def _vocabulary(language: str) -> Vocabulary:
    analyzer = analyzer_for(language)
    texts = TEXTS[language]
    counts = Counter(term for text in texts for term in set(analyzer.terms(text)))
    return Vocabulary(
        analyzer,
        counts.__getitem__,
        lambda begin: [(term, n) for term, n in sorted(counts.items()) if term.startswith(begin)],
        lambda term: [text for text in texts if term in analyzer.terms(text)],
    )


@pytest.mark.parametrize(
    ("word", "readings"),
    [
        ("word", ["word"]),
        ("UTF-8", ["utf 8", "utf8"]),
        ("utf8", ["utf8", "utf 8"]),
        ("SHA256", ["sha256", "sha 256"]),
        ("PEP8", ["pep8", "pep 8"]),
        ("drop-down", ["drop down", "dropdown"]),
        ("node.js", ["node js", "nodej"]),
        ("read_csv", ["read csv", "readcsv"]),
        ("RawTransaction", ["rawtransact", "raw transact"]),
        ("pandas.readCsv", ["panda readcsv", "pandasreadcsv", "panda read csv"]),
        ("@scope/x", ["scope x", "scopex"]),
        ("v1.4.2", ["v1 4 2", "v142"]),
        ("i18n", ["i18n"]),
        ("C++", ["c++"]),
        ("C#", ["c#"]),
        ("HEAD^", ["head^ head"]),
        ("HEAD~1", ["head~ head 1", "head~ head"]),
        (".NET", [".net net", "net"]),
        ("->", []),
    ],
)
def test_a_word_is_looked_for_in_each_way_it_is_written(word: str, readings: list[str]) -> None:
    assert [" ".join(terms) for terms in ENGLISH.readings(word)] == readings


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("auth", ["authentication", "authorization"]),
        ("config", ["configuration"]),
        ("configurati", ["configuration"]),
        ("env", ["environment"]),
        ("Repo", ["repository"]),
        ("owner", []),
        ("xyz", []),
    ],
)
def test_a_beginning_has_words_of_the_documents(typed: str, words: list[str]) -> None:
    assert _vocabulary("english").beginnings(typed) == words


def test_a_stem_is_called_by_its_most_usual_word() -> None:
    vocabulary = _vocabulary("english")
    assert vocabulary.words_of("configur") == ["configuration", "configurations", "configure"]
    assert vocabulary.word_of("repositori") == "repository"
    assert vocabulary.word_of("nothing") == "nothing"


@pytest.mark.parametrize(
    ("word", "split"),
    [
        ("dropdown", ("drop", "down")),
        ("FileName", ("file", "name")),
        ("sendrawtransaction", ("send", "raw", "transact")),
    ],
)
def test_a_joined_word_may_be_several(word: str, split: tuple[str, ...]) -> None:
    vocabulary = _vocabulary("english")
    assert next(vocabulary.splits(word)) == split
    assert {*split} <= {*vocabulary.parts_of(word)}


def test_a_name_is_found_inside_longer_ones() -> None:
    texts = Counter(ENGLISH.terms("SendRawTransaction, getRawTransactions and RawTransaction"))
    vocabulary = Vocabulary(
        ENGLISH,
        texts.__getitem__,
        lambda _: texts.items(),
        holding=lambda text: [term for term in texts if text in term],
    )
    expected = ["getrawtransact", "sendrawtransact"]
    assert vocabulary.names_with("RawTransaction") == expected
    assert vocabulary.names_with("raw_transactions") == expected
    assert vocabulary.names_with("and") == []


def test_only_words_that_occur_make_up_a_joined_one() -> None:
    assert list(_vocabulary("english").splits("dropship")) == []


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("Datenbankverbindung", ("datenbank", "verbindung")),
        ("Verbindungsfehler", ("verbindung", "fehler")),
        ("Datenbankverbindungsfehler", ("datenbank", "verbindung", "fehler")),
        ("Datenbankserver", ()),
        ("Arbeit", ()),
    ],
)
def test_the_parts_of_a_compound_are_words(word: str, parts: tuple[str, ...]) -> None:
    assert _vocabulary("german").compound(word) == parts
