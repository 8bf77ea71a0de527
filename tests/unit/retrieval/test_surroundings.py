"""Relaxed matches are raised by the words that they lack and that stand near them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from leafmark.retrieval.weights import FARTHER, RAISED_MATCHES
from support.library import Library

from leafmark.model import Result
from leafmark.retrieval import surroundings

FILLER = "Nothing of that is said here, only filler.\n"


def chapters(*bodies: str) -> str:
    return "# Guide\n\n" + "".join(
        f"## Part {number}\n\n{body}\n" for number, body in enumerate(bodies, 1)
    )


def results(library: Library, query: str, **params: Any) -> dict[str, Result]:
    flat: dict[str, Any] = {"aggregation": False, "cutoff_ratio": 0.0, "explain": True}
    found = library.search(query, **(flat | params)).results
    return {result.entry.id.removeprefix("t:"): result for result in found}


def nearby(result: Result) -> float:
    """What the surroundings added."""
    return sum(one.value for one in result.factors if one.name == "nearby")


def in_body(library: Library, word: str, name: str) -> float:
    """The score of one word in the body of a chunk, by a search for nothing else."""
    return results(library, f"body:{word}", limit=50)[name].factors[0].value


@pytest.mark.parametrize(("between", "share"), [(0, 1.0), (1, FARTHER), (2, 0.0)])
def test_a_word_counts_less_the_farther_away_it_stands(
    tmp_path: Path, between: int, share: float
) -> None:
    text = chapters("A harbor.", *[FILLER] * between, "The timeout.")
    library = Library(tmp_path, t={"a.md": text, "b.md": "# Other\n\nWords.\n"})
    last = f"a.md#part-{between + 2}"
    found = results(library, "harbor timeout")
    expected = 0.4 * share * in_body(library, "harbor", "a.md#part-1")
    assert nearby(found[last]) == pytest.approx(expected, rel=1e-6)
    back = 0.4 * share * in_body(library, "timeout", last)
    assert nearby(found["a.md#part-1"]) == pytest.approx(back, rel=1e-6)


def test_the_piece_beside_the_subject_comes_first(tmp_path: Path) -> None:
    """Both speak of a timeout, and only one of them of that of a harbor."""
    sources = {
        "a.md": chapters("The crane lifts.", "Its timeout is long."),
        "b.md": chapters("The harbor waits.", "Its timeout is brief."),
        **{f"{n}.md": f"# Other\n\nCrane, harbor, filler {n}.\n" for n in range(3)},
    }
    library = Library(tmp_path, t=sources)
    found = [name for name in library.find("harbor timeout ships") if name.endswith("part-2")]
    assert found == ["b.md#part-2", "a.md#part-2"]
    plainly = library.find("harbor timeout ships", nearby_weight=0.0)
    assert [name for name in plainly if name.endswith("part-2")] == found[::-1]


def test_a_word_of_the_own_body_has_no_surroundings(tmp_path: Path) -> None:
    text = chapters("A harbor.", "Harbor, harbor, harbor.")
    library = Library(tmp_path, t={"a.md": text, "b.md": "# Other\n\nA zebra.\n"})
    found = results(library, "harbor zebra")
    assert sorted(found) == ["a.md#part-1", "a.md#part-2", "b.md#other"]
    assert [nearby(one) for one in found.values()] == [0, 0, 0]


def test_nothing_is_raised_where_a_chunk_matches_all_words(tmp_path: Path) -> None:
    text = chapters("A harbor.", "The timeout.", "Harbor timeouts.")
    library = Library(tmp_path, t={"a.md": text})
    found = results(library, "harbor timeout")
    assert {name: one.relaxed for name, one in found.items()} == {
        "a.md#part-3": False,
        "a.md#part-1": True,
        "a.md#part-2": True,
    }
    assert [nearby(one) for one in found.values()] == [0, 0, 0]


def test_the_local_boost_raises_what_is_added_too(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"a.md": chapters("A harbor.", "The timeout.")})
    usual = results(library, "harbor timeout")
    boosted = results(library, "harbor timeout", local=("t",))
    assert {name: one.score for name, one in boosted.items()} == {
        name: pytest.approx(1.5 * one.score, rel=1e-3) for name, one in usual.items()
    }
    assert [nearby(one) for one in boosted.values()] == [nearby(one) for one in usual.values()]


@pytest.mark.parametrize("documents", [RAISED_MATCHES // 4, RAISED_MATCHES])
def test_none_of_those_is_raised_that_tie_at_the_end(tmp_path: Path, documents: int) -> None:
    """Which of them come first would depend on where they lie in the index."""
    text = "# One\n\nharbor x{0}\n\n# Other\n\ncrane y{0}\n"
    sources = {f"{number:02}.md": text.format(number) for number in range(documents)}
    best = {"z.md": "# One\n\nharbor crane\n\n# Other\n\nship here\n"}
    found = results(Library(tmp_path, t=sources | best), "harbor crane ship", limit=50)
    raised = {name for name, one in found.items() if nearby(one)}
    if 2 * documents < RAISED_MATCHES:
        assert raised == set(found)
        assert len(found) == 2 * documents + 2
    else:
        assert raised == {"z.md#one", "z.md#other"}
        assert len(found) > RAISED_MATCHES


def test_a_word_that_stands_nearly_everywhere_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = chapters("A harbor.", "The timeout.", "A harbor.", "A harbor.")
    library = Library(tmp_path, t={"a.md": text, "b.md": "# Other\n\nWords.\n"})
    assert nearby(results(library, "harbor timeout")["a.md#part-2"]) > 0
    monkeypatch.setattr(surroundings, "_MOST", 3)
    assert nearby(results(library, "harbor timeout")["a.md#part-2"]) == 0


def test_the_explanation_says_what_was_added(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"a.md": chapters("A harbor.", "The timeout.")})
    factors = results(library, "harbor timeout")["a.md#part-2"].factors
    assert [(one.name, one.operation, one.how) for one in factors[1:2]] == [
        ("nearby", "add", "words that its body lacks, near it × nearby_weight"),
    ]
