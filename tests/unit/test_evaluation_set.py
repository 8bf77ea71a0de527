"""The shipped queries are what docs/evaluation.md says of them; the documents are not needed."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

from leafmark.evaluation import HALVES, JudgedQuery, half_of, parse_judgments

EVAL = Path(__file__).parents[2] / "eval"


def _queries() -> list[JudgedQuery]:
    files = sorted((EVAL / "queries").glob("*.jsonl"))
    return [
        query
        for file in files
        for query in parse_judgments(file.read_text(encoding="utf-8"), file.name)
    ]


def test_enough_queries_of_every_kind() -> None:
    queries = _queries()
    assert len(queries) >= 150
    assert sum(not query.answers for query in queries) >= 20
    assert len({(query.tree, query.query) for query in queries}) == len(queries)
    kinds = Counter(query.kind for query in queries)
    assert set(kinds) == {
        "question",
        "keywords",
        "error",
        "identifier",
        "typo",
        "foreign",
        "paraphrase",
    }
    assert not any(query.draft for query in queries)


def test_every_query_says_where_it_belongs() -> None:
    trees = tomllib.loads((EVAL / "leafmark.toml").read_text(encoding="utf-8"))["tree"]
    for query in _queries():
        assert query.tree in trees, query.location
        assert query.language, query.location


def test_halves_hold_about_as_much() -> None:
    counts = Counter(half_of(query.query) for query in _queries() if query.answers)
    assert set(counts) == set(HALVES)
    assert min(counts.values()) >= 0.4 * sum(counts.values())
