"""Sections that have all words come first, in one piece or cut into several; and words near."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.library import Library

from leafmark.chunking import ChunkingOptions

PIECES = ChunkingOptions(max_tokens=60, target_tokens=60, min_tokens=0)


def _paragraphs(*words: str) -> str:
    """A paragraph for each word: so long that each is a piece of its own."""
    filler = "Some other things are told at length here, none of which was asked for by anyone. "
    return "".join(f"The {word} is told of in this place. {filler * 2}\n\n" for word in words)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    sources = {
        "cut.md": f"# Harbours\n\n## Whole\n\n{_paragraphs('kestrel', 'lantern', 'mandolin')}",
        "often.md": f"# Birds\n\n## Many\n\n{_paragraphs('kestrel', 'kestrel lantern', 'kestrel')}",
        "one.md": "# Things\n\n## Mandolins\n\nA mandolin, another mandolin.\n",
    }
    sources |= {f"{n}.md": f"# Part {n}\n\n{_paragraphs('other')}" for n in range(8)}
    return Library(tmp_path_factory.mktemp("index"), cutting=PIECES, t=sources)


def test_that_a_section_was_cut_costs_it_no_match(library: Library) -> None:
    pieces = [one for one in library.reader.chunks_of("t:cut.md") if one.kind == "piece"]
    assert len(pieces) > 1
    (first, *_) = library.search("kestrel lantern mandolin").results
    assert (first.entry.path, first.relaxed) == ("cut.md", False)


def test_strict_asks_for_all_words_of_the_section(library: Library) -> None:
    results = library.search("kestrel lantern mandolin", strict=True).results
    assert results
    assert {one.entry.path for one in results} == {"cut.md"}


def test_words_at_the_ends_of_a_long_section_are_not_said_together(tmp_path: Path) -> None:
    """Unless all words are asked for: then the section is shown, wherever in it they stand."""
    long = _paragraphs("kestrel", *["other"] * 12, "lantern")
    sources = {"a.md": f"# Log\n\n{long}", "b.md": f"# Note\n\n{_paragraphs('kestrel', 'lantern')}"}
    library = Library(tmp_path, cutting=PIECES, t=sources)
    relaxed = {one.entry.path: one.relaxed for one in library.search("kestrel lantern").results}
    assert relaxed == {"b.md": False, "a.md": True}
    strict = library.search("kestrel lantern", strict=True).results
    assert {one.entry.path for one in strict} == {"a.md", "b.md"}


def test_a_few_keywords_stand_behind_what_has_them_all(library: Library) -> None:
    for query in ("mandolin kestrel", "lantern mandolin"):
        relaxed = [one.relaxed for one in library.search(query, cutoff_ratio=0.0).results]
        assert relaxed == sorted(relaxed), query
        assert not relaxed[0], query


def test_all_words_of_a_question_only_add_to_the_score(library: Library) -> None:
    """A question is no list of required words: what says most of it may come first."""
    question = "what is a kestrel with the lantern of a mandolin"
    gains = []
    for completeness in (0.0, 1.0):
        answer = library.search(
            question, explain=True, aggregation=False, cutoff_ratio=0.0, completeness=completeness
        )
        names = {
            factor.name
            for one in answer.results
            if one.entry.path == "cut.md"
            for factor in one.factors
        }
        gains.append("completeness" in names)
    assert gains == [False, True]


@pytest.mark.parametrize("query", ["copper kettle", "the copper kettle?"])
def test_words_near_each_other_count_more(tmp_path: Path, query: str) -> None:
    apart = "A kettle stands here. " + "Nothing else is told of it in this text. " * 4 + "A copper."
    near = "A copper kettle. " + "Nothing else is told of it in this text at all. " * 4 + "Stands."
    library = Library(tmp_path, t={"a.txt": f"{apart}\n", "b.txt": f"{near}\n"})
    assert library.find(query)[0] == "b.txt"
    assert library.find(query, nearness=0.0)[0] == "a.txt"


def test_words_beside_each_other_count_more_than_near_ones(tmp_path: Path) -> None:
    rest = "Nothing else is told of it in this text. " * 4
    library = Library(
        tmp_path,
        t={
            "a.txt": f"The copper of a kettle. {rest}\n",
            "b.txt": f"The copper kettle of a {rest}\n",
            "c.txt": f"The copper. {rest} The kettle of a\n",
        },
    )
    answer = library.search("copper kettle", explain=True, aggregation=False, cutoff_ratio=0.0)
    gains = {
        one.entry.path: next((each.value for each in one.factors if each.name == "nearness"), 0.0)
        for one in answer.results
    }
    assert gains["b.txt"] > gains["a.txt"] > gains["c.txt"] == 0


def test_strict_matches_are_found_behind_any_number_of_better_partial_ones(tmp_path: Path) -> None:
    long = "Of many other things we tell at length. " * 60
    words = ("amber", "beryl")
    sources = {f"{word}{n}.txt": f"{word} {word} {n}\n" for word in words for n in range(220)}
    sources["long.txt"] = f"{long}amber {long}beryl {long}\n"
    library = Library(tmp_path, t=sources)
    assert library.find("amber beryl", strict=True) == ["long.txt"]
    assert library.find("amber beryl")[0] == "long.txt"
