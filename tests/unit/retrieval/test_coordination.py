"""Relaxed matches are raised by how many of the words asked for they hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from leafmark.retrieval.meaning import Place, Usual
from leafmark.retrieval.weights import COORDINATED_MATCHES
from support.library import Library

from leafmark.index import IndexOptions
from leafmark.model import Result
from leafmark.query import parse_query
from leafmark.retrieval import SearchParams, coordination, search

FILLER = "Nothing of that is said here, only filler.\n"


def results(library: Library, query: str, **params: Any) -> dict[str, Result]:
    flat: dict[str, Any] = {"aggregation": False, "cutoff_ratio": 0.0, "explain": True}
    found = library.search(query, **(flat | params)).results
    return {result.entry.id.removeprefix("t:"): result for result in found}


def share(result: Result) -> float:
    """The share of the words that the result was raised for."""
    factors = [one.value for one in result.factors if one.name == "coordinated"]
    return round(math.log(factors[0]) / 0.9, 4) if factors else 0.0


SOURCES = {
    "a.md": "# Harbor\n\nShips.\n\n## Crane\n\nIt lifts.\n\n## Timeouts\n\nOf the crane.\n",
    "b.md": "# Yard\n\nThe crane. The crane.\n",
    "c.md": f"# Other\n\n{FILLER}",
}


def test_a_text_its_title_and_that_of_its_document_hold_words(tmp_path: Path) -> None:
    library = Library(tmp_path, t=SOURCES)
    found = results(library, "harbor crane timeout winter")
    assert {name: share(one) for name, one in found.items()} == {
        "a.md#timeouts": 0.75,
        "a.md#crane": 0.5,
        "a.md": 0.25,
        "a.md#harbor": 0.25,
        "b.md#yard": 0.25,
    }


def test_what_holds_more_words_comes_before_what_says_one_often(tmp_path: Path) -> None:
    words = ["harbor", "crane", "quay", "mole"]
    long = " ".join(f"word{number}" for number in range(6))
    sources = {
        "a.md": f"# One\n\nA harbor, a crane and a mole. {long}\n",
        "b.md": "# Two\n\nQuay. Quay.\n",
        **{f"{n}-{word}.md": f"The {word} {n}.\n" for n in range(9) for word in words},
    }
    library = Library(tmp_path, t=sources)
    asked = "harbor crane quay mole winter"
    without, found = library.find(asked, coordination=0.0), library.find(asked)
    assert without.index("b.md#two") < without.index("a.md#one")
    assert found.index("a.md#one") < found.index("b.md#two")


def test_nothing_is_raised_where_a_chunk_matches_all_words(tmp_path: Path) -> None:
    library = Library(tmp_path, t=SOURCES)
    found = results(library, "crane timeout")
    assert {name: one.relaxed for name, one in found.items()} == {
        "a.md#timeouts": False,
        "a.md#crane": True,
        "b.md#yard": True,
    }
    assert {share(one) for one in found.values()} == {0.0}


@pytest.mark.parametrize("words", [11, 12, 13, 25])
def test_any_number_of_words_is_counted(tmp_path: Path, words: int) -> None:
    """A score holds the bits of 12 words; more are looked for by several searches."""
    every = [f"quay{number}" for number in range(words)]
    sources = {
        "a.md": f"# All\n\n{' '.join(every[:-1])}\n",
        "b.md": f"# Last\n\n{' '.join(every[-4:])}\n",
    }
    found = results(Library(tmp_path, t=sources), " ".join(every))
    assert share(found["a.md#all"]) == pytest.approx((words - 1) / words, abs=1e-3)
    assert share(found["b.md#last"]) == pytest.approx(4 / words, abs=1e-3)


def test_a_correction_holds_the_word_that_was_meant(tmp_path: Path) -> None:
    found = results(Library(tmp_path, t=SOURCES), "harbor tiemout winter")
    assert share(found["a.md#timeouts"]) == round(2 / 3, 4)


def test_documents_with_a_great_many_chunks_are_looked_into_by_chunk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(tmp_path, t=SOURCES)
    asked = "harbor crane timeout winter"
    usual = {name: one.score for name, one in results(library, asked).items()}
    searches: list[int] = []
    looked = coordination._matches

    def counted(reader: Any, within: list[Any], *rest: Any) -> Any:
        searches.append(len(within))
        return looked(reader, within, *rest)

    monkeypatch.setattr(coordination, "_MOST", 3)
    monkeypatch.setattr(coordination, "_matches", counted)
    assert {name: one.score for name, one in results(library, asked).items()} == usual
    assert searches == [2, 6]  # documents, chunks


def test_every_language_counts_its_own_words(tmp_path: Path) -> None:
    """One index of two languages has two compiled queries, each with words of its own."""
    library = Library(tmp_path)
    library.settings = IndexOptions("library", {"t": "english", "de": "german"})
    library.put("t", {"a.md": "# Harbor\n\nThe cranes.\n"})
    library.put("de", {"b.md": "# Kran\n\nDie Kräne am Harbor.\n"})
    found = results(library, "harbor crane kran winter")
    assert share(found["a.md#harbor"]) == 0.5
    assert share(found["de:b.md#kran"]) == 0.5


@pytest.mark.parametrize("documents", [COORDINATED_MATCHES // 4, COORDINATED_MATCHES])
def test_none_of_those_is_raised_that_tie_at_the_end(tmp_path: Path, documents: int) -> None:
    """Which of them come first would depend on where they lie in the index."""
    text = "# One\n\nharbor x{0}\n"
    sources = {f"{number:02}.md": text.format(number) for number in range(documents)}
    best = {"z.md": "# Best\n\nharbor crane\n"}
    found = results(Library(tmp_path, t=sources | best), "harbor crane ship", limit=80)
    raised = {name for name, one in found.items() if share(one)}
    assert len(found) == documents + 1
    assert raised == (set(found) if documents < COORDINATED_MATCHES else {"z.md#best"})


def test_the_explanation_says_what_a_score_was_multiplied_by(tmp_path: Path) -> None:
    found = results(Library(tmp_path, t=SOURCES), "harbor crane timeout winter")
    factors = {one.name: one for one in found["a.md#timeouts"].factors}
    assert factors["coordinated"].operation == "multiply"
    assert factors["coordinated"].value == pytest.approx(math.exp(0.9 * 0.75))
    assert factors["coordinated"].how == "e^(coordination × the share of the words that it holds)"


def test_without_a_weight_nothing_is_counted(tmp_path: Path) -> None:
    found = results(Library(tmp_path, t=SOURCES), "harbor crane timeout winter", coordination=0.0)
    assert {share(one) for one in found.values()} == {0.0}


class _NothingNear:
    """A meaning in which no text is near the query."""

    damaged = False

    def nearest(self, *_: object) -> list[Any]:
        return []

    def similarities(self, _text: str, places: Sequence[Place]) -> list[float]:
        return [0.0 for _ in places]

    def documents(self, *_: object) -> list[Any]:
        return []

    def document_similarity(self, *_: object) -> None:
        return None

    def usual(self, _text: str) -> Usual:
        return Usual(0.0, 0.1, 0.2, 1.0)


def test_the_words_of_a_search_by_meaning_are_raised_too(tmp_path: Path) -> None:
    library = Library(tmp_path, t=SOURCES)
    answer = search(
        library.reader,
        [parse_query("harbor crane timeout winter")],
        SearchParams(mode="hybrid", aggregation=False, explain=True),
        read_source=library.read,
        meaning=_NothingNear(),
    )
    first = answer.results[0]
    assert first.entry.id == "t:a.md#timeouts"
    (words,) = [one for one in first.factors if one.name == "words"]
    raised = {one.name: one.value for one in words.parts}["coordinated"]
    assert raised == pytest.approx(math.exp(0.9 * 0.75))
