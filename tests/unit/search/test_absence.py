"""Why a chunk is not among the results: each phase that can lose it, and what shows it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from support.library import Library

from leafmark.query import format_query, parse_query, parse_topics
from leafmark.render.explaining import word_reason
from leafmark.search import SearchOptions
from leafmark.search.lookup import find_chunk
from leafmark.search.present import Texts
from leafmark.search.whynot import Absence, explain_missing

FILLER = "".join(f"\n## Step {n}\n\nTurn the crank {'gently ' * n}\n" for n in range(30))
SOURCES = {
    "guide.md": (
        "---\ntags: [ops]\n---\n# Guide\n\nAbout the engine.\n\n"
        "## Oil\n\nChange the oil weekly.\n\n### Filter\n\nChange the filter, too.\n\n"
        "## Fuel\n\nBuy petrol monthly.\n"
    ),
    "copy.md": "# Copy\n\n## Fuel\n\nBuy petrol monthly.\n",
    "steps.md": f"# Steps\n{FILLER}",
    "weak.md": "# Weak\n\n" + "Words and words. " * 60 + "A carburettor, once.\n",
    "pump.md": "# Pump\n\nOn pumps.\n\n## Valve\n\nOpen the valve.\n\n## Hose\n\nA hose.\n",
    "twin.md": "# Gauge\n\nThe gauge has a dial.\n",
    "other.md": "# Gauge\n\nThe gauge has a dial.\n",
    "strong.md": "# Carburettor\n\nThe carburettor mixes.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("index"), t=SOURCES, u={"x.md": "# X\n\nPetrol.\n"})


def ask(library: Library, name: str, *queries: str, **params: Any) -> Absence:
    reader = library.reader
    target = find_chunk(reader, name if ":" in name else f"t:{name}")
    assert target is not None
    topics = parse_topics(queries) if len(queries) > 1 else [parse_query(queries[0])]
    wishes: dict[str, Any] = {"aggregation": False} | params
    return explain_missing(
        reader, topics, SearchOptions(**wishes), target, Texts(reader, library.read)
    )


def test_a_result_is_told_with_its_rank(library: Library) -> None:
    found = ask(library, "guide.md#oil", "oil weekly")
    assert (found.reasons, found.rank) == ((), 1)
    assert found.shown is not None
    assert found.shown.entry.id == "t:guide.md#oil"


def test_of_a_section_what_lies_below_it_counts(library: Library) -> None:
    found = ask(library, "guide.md", "filter")
    assert found.shown is not None
    assert found.shown.entry.id == "t:guide.md#filter"


def test_an_introduction_is_the_section_itself(tmp_path: Path) -> None:
    """It is a result, if not the first one of those that lie below it."""
    steps = "".join(f"## Step {number}\n\n{'Turn the wheel. ' * 60}\n\n" for number in range(4))
    text = f"# Mill\n\nIt grinds corn, corn and corn.\n\n{steps}## Corn\n\nIt is corn.\n"
    library = Library(tmp_path, t={"mill.md": text})
    found = ask(library, "mill.md#mill", "corn", aggregation=True, cutoff_ratio=0.1)
    assert found.shown is not None
    assert (found.shown.introduction, found.shown.entry.id) == (True, "t:mill.md#mill")
    assert found.rank == 2


def test_words_that_it_lacks_and_those_like_them(library: Library) -> None:
    found = ask(library, "guide.md#oil", "oil AND weeklee AND petrol", fuzzy_distance=0)
    (reason,) = found.reasons
    assert (reason.lost_at, reason.id) == ("match", "t:guide.md#oil")
    assert word_reason(reason) == "it lacks “weeklee”, “petrol”"
    assert [(part.text, part.chunks, part.near) for part in reason.unmatched] == [
        ("weeklee", 0, ("weekly",)),
        ("petrol", 3, ()),
    ]
    assert found.without == ("weeklee", "petrol")


def test_what_a_query_leaves_out(library: Library) -> None:
    found = ask(library, "pump.md#valve", "open -valve")
    (reason,) = found.reasons
    assert (reason.lost_at, word_reason(reason)) == (
        "match",
        "it has “valve”, which the query leaves out",
    )
    assert found.without == ("-valve",)


@pytest.mark.parametrize(
    ("params", "name", "remedy"),
    [
        ({"trees": ("u",)}, "--tree", {"trees": ()}),
        ({"tags": ("dev",)}, "--tag", {"tags": ()}),
        ({"since": 4e9}, "--since", {"since": None}),
        ({"section": ("Fuel",)}, "--section", {"section": ()}),
        ({"trees": ("u",), "tags": ("dev",)}, "--tree and --tag", {"trees": (), "tags": ()}),
        ({"trees": ("t",), "tags": ("dev",), "section": ("Oil",)}, "--tag", {"tags": ()}),
    ],
)
def test_filters_of_the_command_line(
    library: Library, params: dict[str, Any], name: str, remedy: dict[str, Any]
) -> None:
    found = ask(library, "guide.md#oil", "oil", **params)
    (reason,) = found.reasons
    verb = "leave" if " and " in name else "leaves"
    assert (reason.lost_at, word_reason(reason)) == ("filter", f"{name} {verb} it out")
    assert found.remedy == remedy


def test_filters_of_the_query(library: Library) -> None:
    found = ask(library, "guide.md#oil", "weekly path:copy tree:t")
    (reason,) = found.reasons
    assert (reason.lost_at, word_reason(reason)) == ("filter", "it lacks “path:copy”")
    assert found.without == ("path:copy",)


def test_all_words_are_asked_for(library: Library) -> None:
    found = ask(library, "pump.md#valve", "open the valve daily or weekly", strict=True)
    (reason,) = found.reasons
    assert reason.lost_at == "strict"
    assert word_reason(reason) == "it lacks “daily”, “weekly”; --strict leaves it out"
    assert found.remedy == {"strict": False}


def test_a_match_of_some_words_is_cut_off_behind_many_of_all(library: Library) -> None:
    found = ask(library, "steps.md#step-0", "crank gently", limit=3)
    (reason,) = found.reasons
    assert (reason.lost_at, reason.rank) == ("cutoff", 30)
    assert found.remedy["max_results"] >= 30


def test_below_the_candidates(library: Library) -> None:
    found = ask(library, "steps.md#step-29", "crank", limit=2, candidate_limit=10)
    (reason,) = found.reasons
    assert (reason.lost_at, reason.of) == ("candidates", 30)
    assert reason.rank is not None
    assert reason.rank > 10
    assert word_reason(reason) == (
        f"{reason.rank - 1} chunks match better, and the first 10 are considered"
    )
    assert found.remedy["candidate_limit"] == reason.rank


def test_after_the_elbow(library: Library) -> None:
    found = ask(library, "weak.md", "carburettor")
    (reason,) = found.reasons
    assert (reason.lost_at, reason.id, reason.rank, reason.of) == (
        "cutoff",
        "t:weak.md#weak",
        3,
        3,
    )
    assert reason.ratio is not None
    assert 0 < reason.ratio < 0.5
    assert set(found.remedy) == {"cutoff_ratio"}
    assert 0 < found.remedy["cutoff_ratio"] <= reason.ratio  # there is a lower elbow behind it


def test_after_the_most_results_that_are_kept(library: Library) -> None:
    found = ask(
        library, "steps.md#step-29", "crank", limit=2, max_results=4, cutoff_ratio=0.0,
    )  # fmt: skip
    (reason,) = found.reasons
    assert (reason.lost_at, reason.ratio) == ("cutoff", None)
    assert word_reason(reason) == (
        f"it is match {reason.rank}, and 4 are kept where scores do not fall sharply"
    )


def test_merged_into_a_larger_result(library: Library) -> None:
    found = ask(library, "pump.md#valve", "open valve", aggregation=True)
    (reason,) = found.reasons
    assert (reason.lost_at, reason.by) == ("merged", "t:pump.md")
    assert word_reason(reason) == f"it is part of t:pump.md (result {reason.rank})"
    assert found.remedy == {"aggregation": False}


def test_the_same_text_as_another_result(library: Library) -> None:
    found = ask(library, "guide.md#fuel", "petrol", trees=("t",))
    shown = ask(library, "copy.md#fuel", "petrol", trees=("t",))
    assert shown.rank is not None
    (reason,) = found.reasons
    assert (reason.lost_at, reason.id, reason.by) == (
        "duplicate",
        "t:guide.md#fuel",
        "t:copy.md#fuel",
    )
    assert word_reason(reason) == (
        f"it has the same text as t:copy.md#fuel (result {shown.rank}), and is named beside it"
    )
    assert (found.remedy, found.without, found.added) == ({}, (), "under:t:guide.md#fuel")


def test_part_of_what_has_the_same_text_as_another_result(library: Library) -> None:
    found = ask(library, "twin.md#gauge", "gauge dial", aggregation=True)
    (reason,) = found.reasons
    assert (reason.lost_at, reason.id, reason.by) == ("duplicate", "t:twin.md", "t:other.md")
    assert word_reason(reason) == (
        "it is part of t:twin.md, which has the same text as t:other.md (result 1), "
        "and is named beside it"
    )
    assert found.added == "under:t:twin.md#gauge"


def test_after_the_last_result_shown(library: Library) -> None:
    found = ask(
        library, "steps.md#step-9", "crank", limit=2, max_results=40, cutoff_ratio=0.0,
    )  # fmt: skip
    (reason,) = found.reasons
    assert reason.lost_at == "limit"
    assert word_reason(reason) == f"it is result {reason.rank}, and 2 are shown"
    assert found.remedy == {"limit": reason.rank}


def test_each_topic_has_its_reason_the_nearest_first(library: Library) -> None:
    found = ask(library, "weak.md", "petrol", "carburettor")
    assert [(reason.topic, reason.lost_at) for reason in found.reasons] == [
        (1, "cutoff"),
        (0, "match"),
    ]


WORDS = ["change", "oil", "petrol", "crank", "gently", "carburettor", "the", "wheel", "weekly"]


@pytest.mark.parametrize("seed", range(40))
def test_what_is_said_to_show_it_does(library: Library, seed: int) -> None:
    rng = random.Random(seed)
    query = " ".join(rng.sample(WORDS, rng.randint(1, 4)))
    if rng.random() < 0.3:
        query += " -" + rng.choice(WORDS)
    params = SearchOptions(
        limit=rng.randint(1, 4),
        candidate_limit=rng.choice([5, 100]),
        strict=rng.random() < 0.3,
        aggregation=rng.random() < 0.7,
        trees=rng.choice([(), (), ("t",), ("u",)]),
    )
    reader = library.reader
    chunks = [entry for doc in reader.documents() for entry in reader.chunks_of(doc.doc_id)]
    target = rng.choice(chunks)
    topic = parse_query(query)
    found = explain_missing(reader, [topic], params, target, Texts(reader, library.read))
    asked = {name: getattr(params, name) for name in SearchOptions._fields}
    results = [one.entry for one in library.search(query, **asked).results]
    below = [
        one.id
        for one in chunks
        if one.doc_id == target.doc_id and target.position <= one.position <= target.last_position
    ]
    assert bool(found.reasons) == (not any(one.id in below for one in results))
    if not found.reasons or not (found.remedy or found.without):
        return
    kept = [part for part in _parts(topic) if part not in found.without]
    changed = params._replace(**found.remedy)
    again = {name: getattr(changed, name) for name in SearchOptions._fields}
    shown = [one.entry.id for one in library.search(" ".join(kept), **again).results]
    assert any(each in below for each in shown), (query, found)


def _parts(topic: Any) -> list[str]:
    return [format_query(part) for part in getattr(topic, "operands", (topic,))]


def test_a_changed_source_has_no_near_words(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"a.md": "# A\n\nChange weekly.\n"})
    library.texts["t", "a.md"] = "# A\n\nOther.\n"
    found = ask(library, "a.md#a", "weeklee", fuzzy_distance=0)
    assert found.reasons[0].unmatched[0].near == ()


def test_of_text_without_spaces_the_words_are_told_that_lack(tmp_path: Path) -> None:
    sources = {"a.md": "# 路由\n\n配置路由的前缀。\n", "b.md": "# 密钥\n\n存储密钥。\n"}
    library = Library(tmp_path, t=sources)
    (reason,) = ask(library, "a.md#路由", "如何配置密钥的前缀", strict=True).reasons
    assert word_reason(reason) == "it lacks “密钥”; --strict leaves it out"
    assert [(part.text, part.chunks) for part in reason.unmatched] == [("密钥", 2)]
