"""Key terms against a count made by hand, and the query that is made of them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from support.library import Library

from leafmark.index import IndexOptions
from leafmark.model import WeightedText
from leafmark.query import format_query
from leafmark.search.keyterms import find_key_terms, query_for

SOURCES = {
    "a.md": "# Retries\n\nThe client retries uploads.\n",
    "b.md": "# Client\n\nA client talks to servers.\n",
    "c.md": "# Mirror\n\nMirrors copy shares. The client waits, from 2024 or 12_000 zq.\n",
}
OTHERS = {"d.md": "# Server\n\nServers restart. Retries again.\n"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("index"), t=SOURCES, u=OTHERS)


def test_a_score_is_weight_times_rarity(library: Library) -> None:
    texts = [
        WeightedText("path", "retry", 3.0),
        WeightedText("body", "retries retrying; the client, client's", 1.0),
    ]
    terms = find_key_terms(library.reader, texts, limit=5)
    by_word = {term.word: term for term in terms}
    total = sum(counts.chunks for counts in library.reader.trees.values())
    retries, client = by_word["retry"], by_word["client"]
    assert (retries.chunks, retries.sources) == (2, ("path", "body"))
    assert retries.weight == pytest.approx(3.0 + 1 + math.log(2))
    assert retries.score == pytest.approx(
        retries.weight * math.log(1 + (total - 2 + 0.5) / (2 + 0.5))
    )
    assert client.weight == pytest.approx(1 + math.log(2))
    assert [term.score for term in terms] == sorted((t.score for t in terms), reverse=True)


def test_stop_words_short_words_numbers_and_unknown_words_are_no_terms(library: Library) -> None:
    texts = [WeightedText("body", "the a to zq 2024 12_000 xylophone of client", 1.0)]
    assert [term.word for term in find_key_terms(library.reader, texts, limit=9)] == ["client"]
    assert find_key_terms(library.reader, texts, limit=9, ignored={"client"}) == []


def test_names_count_whole_and_in_parts(library: Library) -> None:
    texts = [WeightedText("symbols", "MirrorClient retry_upload parseXMLServer", 1.0)]
    words = {term.word for term in find_key_terms(library.reader, texts, limit=9)}
    assert words == {"mirror", "client", "retry", "upload", "server"}


def test_only_the_chosen_trees_count(library: Library) -> None:
    texts = [WeightedText("body", "servers retries mirrors", 1.0)]
    terms = find_key_terms(library.reader, texts, limit=9, trees=("u",))
    assert {term.word: term.chunks for term in terms} == {"servers": 2, "retries": 1}


def test_words_that_stand_only_in_what_is_left_out_find_nothing(library: Library) -> None:
    texts = [WeightedText("body", "mirrors client", 1.0)]
    terms = find_key_terms(library.reader, texts, limit=9, without=("t:c.md",))
    assert {term.word: term.chunks for term in terms} == {"client": 3}


def test_the_best_are_kept(library: Library) -> None:
    texts = [WeightedText("body", "client mirror mirror servers", 1.0)]
    assert len(find_key_terms(library.reader, texts, limit=2)) == 2
    assert find_key_terms(library.reader, [], limit=2) == []


def test_the_query_weighs_words_and_leaves_out_ids(library: Library) -> None:
    texts = [WeightedText("body", "mirror mirror client", 1.0)]
    terms = find_key_terms(library.reader, texts, limit=2)
    query = query_for(terms, without=["t:a.md"], apart=["t:b.md"])
    assert format_query(query) == "(mirror^1 OR client^0.591) -under:t:a.md -id:t:b.md"


def test_an_index_of_several_languages_is_asked_in_each(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.settings = IndexOptions("two", {"t": "english", "u": "german"})
    library.put("t", {"a.md": "# Garden\n\nHouses stand.\n"})
    library.put("u", {"b.md": "# Garten\n\nDie Häuser stehen.\n"})
    texts = [WeightedText("body", "houses häuser", 1.0)]
    terms = find_key_terms(library.reader, texts, limit=9)
    assert {term.word for term in terms} == {"houses", "häuser"}


def test_words_without_spaces_are_terms(tmp_path: Path) -> None:
    sources = {
        "a.md": "# 心跳\n\n心跳间隔可以配置。\n",
        "b.md": "# 路由\n\n配置路由。ジョブを待つ。\n",
    }
    library = Library(tmp_path, t=sources)
    texts = [WeightedText("body", "如何配置心跳的间隔？ジョブ", 1.0)]
    terms = find_key_terms(library.reader, texts, limit=9)
    assert {term.word: term.chunks for term in terms} == {
        "配置": 2,
        "心跳": 2,
        "间隔": 1,
        "ジョブ": 1,
    }
    assert sorted(library.find(format_query(query_for(terms)))) == [
        "a.md",
        "a.md#心跳",
        "b.md#路由",
    ]
