"""Scores: BM25 against its formula, weights, places, order of indexing, and their explanation."""

from __future__ import annotations

import math
import string
from pathlib import Path
from typing import Any

import pytest
from support.library import Library

from leafmark.index.analysis import BETWEEN
from leafmark.model import Factor
from leafmark.search.spelling import MAX_PREFIXED

K1, B = 1.2, 0.75
"""The engine's parameters of BM25."""

TEXTS = {
    "1.txt": "alpha beta beta gamma",
    "2.txt": "beta delta",
    "3.txt": "alpha alpha alpha delta epsilon zeta eta theta",
    "4.txt": "iota kappa alpha beta",
}

WORDS_ALONE: dict[str, Any] = {
    "titles_weight": 0.0, "path_weight": 0.0, "tags_weight": 0.0, "nearness": 0.0,
    "completeness": 0.0, "role_factor": 1.0, "names_first": False,
    "aggregation": False, "cutoff_ratio": 0.0,
}  # fmt: skip
"""Nothing but the words of the texts counts."""


def bm25(texts: list[list[str]], records: int, query: list[str]) -> list[float]:
    """BM25 of each text, summed over the words of the query; `records` is N.

    The record of the whole index counts as one word.
    """
    mean = (sum(map(len, texts)) + 1) / records
    scores = []
    for text in texts:
        score = 0.0
        for word in query:
            df, tf = sum(word in other for other in texts), text.count(word)
            idf = math.log(1 + (records - df + 0.5) / (df + 0.5))
            score += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * len(text) / mean))
        scores.append(score)
    return scores


@pytest.mark.parametrize("query", ["alpha", "beta", "alpha beta", "delta beta", "theta"])
def test_scores_are_those_of_the_formula(tmp_path: Path, query: str) -> None:
    """A text is read behind its title; records that are no chunks count in N and mean length."""
    library = Library(tmp_path, t=TEXTS)
    titles = {one.path: one.title for one in library.reader.documents()}
    terms = library.reader.languages[0].analyzer.terms
    texts = [[*terms(titles[path]), BETWEEN, *text.split()] for path, text in TEXTS.items()]
    records = library.reader.scored_count
    expected = dict(zip(TEXTS, bm25(texts, records, query.split()), strict=True))
    answer = library.search(query, strict=True, **WORDS_ALONE)
    matched = [path for path, text in TEXTS.items() if set(query.split()) <= set(text.split())]
    assert sorted(one.entry.path for one in answer.results) == matched
    for result in answer.results:
        assert result.score == pytest.approx(expected[result.entry.path], rel=1e-3)


def test_titles_above_are_read_with_a_text(tmp_path: Path) -> None:
    source = "# Harbor\n\n## Crane\n\nIt lifts.\n\n## Quay\n\nIt is long.\n"
    library = Library(tmp_path, t={"a.md": source})
    found = library.find("harbor quay", titles_weight=0.0)
    assert found[0] == "a.md#quay"
    assert library.search("harbor quay").results[0].relaxed is False


def test_a_word_of_a_title_is_as_rare_as_it_is_in_bodies(tmp_path: Path) -> None:
    """Each stands in one title: but one of them in every body, too."""
    sources = {f"{n}.md": "# Chapter\n\nusual words here\n" for n in range(9)}
    sources |= {"a.md": "# Usual\n\nalpha\n", "b.md": "# Rare\n\nbeta\n"}
    library = Library(tmp_path, t=sources)

    def score(word: str) -> float:
        return library.search(f"title:{word}", aggregation=False).results[0].score

    assert score("usual") < score("rare") / 2


def test_a_question_does_not_drown_the_body(tmp_path: Path) -> None:
    """The section that answers comes before those whose titles and paths repeat a word of it."""
    sources = {
        "client/client.md": "# Client\n\nThe client.\n\n## Client setup\n\nInstall it.\n",
        "net.md": "# Network\n\nWhen a request fails, configure retries for the client here.\n",
    }
    library = Library(tmp_path, t=sources)
    assert library.find("how do I configure the retries for the client?")[0] == "net.md#network"


def test_local_trees_come_first_by_an_exact_factor(tmp_path: Path) -> None:
    library = Library(tmp_path, near={"a.md": "word one\n"}, far={"a.md": "word two\n"})
    answer = library.search("word", local=("near",), aggregation=False, explain=True)
    near, far = answer.results
    assert near.entry.tree == "near"
    assert near.score == pytest.approx(1.5 * far.score, rel=1e-3)
    assert Factor("local_boost", 1.5, "multiply") in near.factors
    (same,) = {r.score for r in library.search("word", local=("near",), local_boost=1.0).results}
    assert same == far.score


def test_the_boost_decides_who_is_a_candidate(tmp_path: Path) -> None:
    far = {f"{n:02}.md": "word\n" for n in range(20)}
    library = Library(tmp_path, near={"long.md": "word " + "filler " * 30}, far=far)
    answer = library.search(
        "word", local=("near",), local_boost=50, limit=1, candidate_limit=5, aggregation=False
    )
    assert answer.results[0].entry.tree == "near"


def combined(factors: tuple[Factor, ...]) -> float:
    """The score that factors make: sums, times what multiplies; parts make their factor."""
    total = sum(factor.value for factor in factors if factor.operation == "add")
    for factor in factors:
        if factor.parts:
            assert combined(factor.parts) == pytest.approx(factor.value, rel=1e-3)
        if factor.operation == "multiply":
            total *= factor.value
    return total


@pytest.mark.parametrize(
    "query",
    [
        "word",
        "word other",
        "word^2.5 other",
        '"word other"',
        "wor*",
        "wrod",
        "word OR id:t:c.md",
        "title:word",
        "tree:t",
        "what is the word of other things",
        "unusuals",
        "word other unusual-unknown",
    ],
)
@pytest.mark.parametrize("params", [{}, {"aggregation": False}, {"merge_bonus": 0.1}])
def test_factors_make_the_score(tmp_path: Path, query: str, params: dict[str, Any]) -> None:
    library = Library(
        tmp_path,
        t={
            "a.md": "# Word\n\nword other\n\n## Other\n\nother word word\n",
            "b.md": "# More\n\nwords unusual\n\n## unusuals\n\nunusualy\n",
            "c.md": "# C\n\nno match\n",
            "changelog.md": "# Changes\n\nother word\n",
        },
        u={"d.md": "word other\n"},
    )
    answer = library.search(query, local=("t",), explain=True, cutoff_ratio=0.0, **params)
    assert answer.results
    for result in answer.results:
        assert combined(result.factors) == pytest.approx(result.score, rel=2e-3)


@pytest.mark.parametrize("count", [30, 270])
def test_ties_are_settled_by_id_wherever_they_are_cut(tmp_path: Path, count: int) -> None:
    """Equal texts, indexed in any order and in many commits, give one answer."""
    names = [f"{n:03}.md" for n in range(count)]
    half, third = count // 2, count // 3
    answers = set()
    for number, order in enumerate((names, names[::-1], names[half:] + names[:half])):
        library = Library(tmp_path / str(number), t={})
        for at in range(0, len(order), third):
            library.put("t", {path: f"word {path}\n" for path in order[at : at + third]})
        found = library.search("word", limit=3, candidate_limit=15, max_results=7).results
        answers.add(tuple(result.entry.path for result in found))
    assert answers == {("000.md", "001.md", "002.md")}


def test_an_edited_index_scores_as_a_fresh_one(tmp_path: Path) -> None:
    """Deleted chunks count in the engine's statistics until it merges; not in ours."""
    old = {f"{n}.md": f"# Old\n\nrare word {n} text\n" for n in range(40)}
    new = {f"{n}.md": f"# New\n\nplain word {n} text\n" for n in range(20)}
    kept = {"keep.md": "# Keep\n\nrare word text\n"}
    edited = Library(tmp_path / "edited", t={})
    edited.put("t", old | kept)
    edited.put("t", new, remove=tuple(path for path in old if path not in new))
    fresh = Library(tmp_path / "fresh", t=new | kept)
    assert edited.reader.counts.deleted > 0
    queries = (
        "rare",
        "word text",
        "plain word",
        '"plain word"',
        "raer",
        "wor*",
        "what is the word",
    )
    for query in queries:
        one, other = (
            library.search(query, aggregation=False, cutoff_ratio=0.0).results
            for library in (edited, fresh)
        )
        assert [each.entry.id for each in one] == [each.entry.id for each in other], query
        for left, right in zip(one, other, strict=True):
            assert left.score == pytest.approx(right.score, rel=0.02), query


def test_words_of_deleted_chunks_occur_nowhere(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"a.md": "recieve\n", "b.md": "receive\n"})
    library.put("t", {"a.md": "nothing\n"})
    assert library.find("recieve") == ["b.md"]
    library = Library(tmp_path / "2", t={"a.md": "giraffe leaves\n", "b.md": "trees\n"})
    library.put("t", {"a.md": "hippo leaves\n"})
    assert library.reader.counts.deleted > 0
    for query in ("giraffe", "giraffe leaves", '"giraffe leaves"~0'):
        hints = library.search(query, cutoff_ratio=0.0, strict=True).hints
        assert "unknown-word" in [hint.code for hint in hints], query


def test_a_prefix_of_many_words_finds_all_of_them_after_some_were_deleted(tmp_path: Path) -> None:
    """So many words begin with it that the rarest are looked for otherwise."""
    letters = string.ascii_lowercase
    words = [f"conf{a}{b}zo" for a in letters for b in letters][: MAX_PREFIXED + 10]
    texts = {
        f"{word}.md": f"{word} {word if at % 3 else 'once'}\n" for at, word in enumerate(words)
    }
    gone = [f"{word}.md" for word in words[:40:3]]
    left = {path: text for path, text in texts.items() if path not in gone}
    edited = Library(tmp_path / "edited", t=texts)
    edited.put("t", {}, remove=tuple(gone))
    assert edited.reader.counts.deleted > 0
    fresh = Library(tmp_path / "fresh", t=left)
    found = edited.find("body:conf*", limit=100)
    assert set(found) == left.keys()
    assert found == fresh.find("body:conf*", limit=100)


def _words_in_three_texts_each() -> dict[str, str]:
    letters = string.ascii_lowercase
    words = [f"conf{a}{b}zo" for a in letters for b in letters][:MAX_PREFIXED]
    return {f"{at}-{n}.md": f"{word} here\n" for at, word in enumerate(words) for n in range(3)}


def test_a_rare_word_matches_a_common_beginning_like_the_others(tmp_path: Path) -> None:
    rare = {"rare.md": "A confusion, error_confusion.\n"}
    library = Library(tmp_path, t=_words_in_three_texts_each() | rare)
    for query in ("conf*", "body:conf*", "conf* path:rare", "error_conf* path:rare"):
        found = library.search(query, limit=500, max_results=500, explain=True).results
        (result,) = [each for each in found if each.entry.path == "rare.md"]
        assert result.score == pytest.approx(combined(result.factors), rel=1e-3), query
        assert 0.5 < result.score / found[0].score <= 1, query
    (result,) = library.search("conf* path:rare").results
    body = result.body_bytes or b""
    marked = [body[start:end] for start, end in result.match_ranges]
    assert marked == [b"confusion", b"confusion"]


def test_a_rare_word_of_a_title_is_no_word_of_the_body_below_it(tmp_path: Path) -> None:
    rare = {"rare.md": "# Confusion\n\nText.\n", "both.md": "# Confusion\n\nMuch confusion.\n"}
    library = Library(tmp_path, t=_words_in_three_texts_each() | rare)
    names = ("rare.md", "both.md")
    found = library.find("body:conf*", limit=500, candidate_limit=500, max_results=500)
    assert [name for name in names for each in found if each.startswith(name)] == ["both.md"]


def test_a_tag_counts_as_much_where_few_documents_have_any(tmp_path: Path) -> None:
    tagged = "---\ntags: [work, incident]\n---\nThe queue stood still.\n"
    plain = {f"{number}.md": f"Words, number {number}.\n" for number in range(40)}
    others = {name: f"---\ntags: [home, garden]\n---\n{text}" for name, text in plain.items()}
    scores = []
    for place, rest in (("few", plain), ("all", others)):
        library = Library(tmp_path / place, t={"a.md": tagged, "b.md": "Work.\n", **rest})
        answer = library.search("work", cutoff_ratio=0.0, tags_weight=1.0)
        found = {one.entry.path: one.score for one in answer.results}
        assert found.keys() == {"a.md", "b.md"}
        scores.append(found["a.md"])
    assert scores[0] == scores[1] > 2
