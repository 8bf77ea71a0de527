"""The shipped queries are what docs/quality.md says of them; the documents are not needed."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from leafmark.evaluation import HALVES, JudgedQuery, half_of, parse_judgments

ROOT = Path(__file__).parents[2]
EVAL = ROOT / "eval"
KINDS = {"question", "keywords", "error", "identifier", "typo", "foreign", "paraphrase"}


def _queries(folder: str = "queries") -> list[JudgedQuery]:
    files = sorted((EVAL / folder).glob("*.jsonl"))
    return [
        query
        for file in files
        for query in parse_judgments(file.read_text(encoding="utf-8"), file.name)
    ]


def test_enough_queries_of_every_kind() -> None:
    queries = _queries()
    assert len(queries) >= 500
    assert len({(query.tree, query.query) for query in queries}) == len(queries)
    kinds = Counter(query.kind for query in queries)
    assert set(kinds) == KINDS
    assert kinds["paraphrase"] >= 50
    unanswered = Counter(query.tree for query in queries if not query.answers)
    assert min(unanswered[query.tree] for query in queries) >= 8
    assert not any(query.draft for query in queries)


def test_every_query_says_where_it_belongs() -> None:
    trees = tomllib.loads((EVAL / "leafmark.toml").read_text(encoding="utf-8"))["tree"]
    for query in _queries():
        assert query.tree in trees, query.location
        assert query.language, query.location


def test_every_set_is_fetched_and_asked_about() -> None:
    packages = _packages()
    for project in ("", "languages", "held_back", "more", "code", "blind", "later", "confirm"):
        queries = _queries(str(Path(project, "queries")))
        settings = (EVAL / project / "leafmark.toml").read_text(encoding="utf-8")
        trees = tomllib.loads(settings)["tree"]
        assert {package.tree for package in packages if package.project == project} == set(trees)
        assert {query.tree for query in queries} == set(trees)


def test_other_languages_have_queries_of_every_kind() -> None:
    queries = _queries("languages/queries")
    assert len({query.query for query in queries}) == len(queries)
    assert {query.kind for query in queries} == KINDS
    assert sum(not query.answers for query in queries) >= 8
    text = " ".join((ROOT / "docs" / "quality.md").read_text(encoding="utf-8").split())
    names = {"pymorphy2": "Russian", "openclaw": "Chinese", "annofabcli": "Japanese"}
    counts = Counter(query.tree for query in queries)
    assert counts.keys() == names.keys()
    assert all(f"{counts[tree]} queries in {name}" in text for tree, name in names.items())


def test_queries_of_later_sets_are_of_every_kind_and_counted() -> None:
    folders = ("held_back", "more", "code", "blind", "later", "confirm")
    queries = [query for folder in folders for query in _queries(f"{folder}/queries")]
    assert not any(query.draft for query in queries)
    assert all(query.language for query in queries)
    asked = Counter(query.tree for query in queries)
    unanswered = Counter(query.tree for query in queries if not query.answers)
    for tree in asked:
        assert unanswered[tree] >= 5, tree
        kinds = {query.kind for query in queries if query.tree == tree}
        assert kinds >= KINDS - {"foreign"}, tree
    text = (ROOT / "docs" / "quality.md").read_text(encoding="utf-8")
    counted = re.findall(r"^\| ([\w-]+) \| \d+ \| (\d+) \| (\d+) \| .*\w \|$", text, re.MULTILINE)
    said = {name.lower(): (int(count), int(lacking)) for name, count, lacking in counted}
    assert said == {tree: (asked[tree], unanswered[tree]) for tree in asked}


def _packages() -> Any:
    spec = importlib.util.spec_from_file_location("fetch", EVAL / "fetch.py")
    assert spec is not None
    assert spec.loader is not None
    fetch = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fetch)
    return fetch.PACKAGES


def test_the_documentation_counts_what_is_there() -> None:
    text = (ROOT / "docs" / "quality.md").read_text(encoding="utf-8")
    queries = _queries()
    total = re.search(
        r"`eval/queries/` holds (\d+) queries .*?, and (\d+)\s+paraphrases", text, re.DOTALL
    )
    assert total is not None
    paraphrases = sum(query.kind == "paraphrase" for query in queries)
    assert (int(total[1]), int(total[2])) == (len(queries), paraphrases)
    unanswered = re.search(r"(\d+)\s+of\s+them nothing answers", text)
    assert unanswered is not None
    assert int(unanswered[1]) == sum(not query.answers for query in queries)
    named = {
        name.lower(): int(count)
        for name, count in re.findall(r"^\| (\w+) \|.*\| (\d+) \|$", text, re.MULTILINE)
    }
    assert named == Counter(query.tree for query in queries)


def test_halves_hold_about_as_much() -> None:
    counts = Counter(half_of(query.query) for query in _queries() if query.answers)
    assert set(counts) == set(HALVES)
    assert min(counts.values()) >= 0.4 * sum(counts.values())
