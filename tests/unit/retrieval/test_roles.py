"""Tests and catalogs of translations count less than what they go with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from leafmark.retrieval.meaning import Place, Usual
from leafmark.retrieval.params import Mode
from support.library import Library

from leafmark.model import Factor, is_secondary
from leafmark.query import parse_query
from leafmark.retrieval import SearchParams, search

TESTS = """
    tests/test_pool.py                  tests/fixtures/answer.json      tests/data/lyrics.txt
    src/pool/_tests/helpers.py          pkg/__tests__/pool.js           src/__mocks__/fs.ts
    tests.py                            app/tests.py                    src/conftest.py
    pool/test_pool.py                   pool_test.go                    src/pool_test.cc
    src/pool.test.ts                    src/pool.spec.js                lib/pool_spec.rb
    t/basic.t                           test/run.sh                     packages/web/test/pool.mjs
    src/test/java/org/Pool.java         src/main/PoolTest.java          Pool/PoolTests.cs
    pool/testdata/bad.json              staticfiles_tests/cases.css     src/parser_tests.rs
"""
CATALOGS = """
    po/de.po                            django/conf/locale/de/LC_MESSAGES/django.po
    locale/app.pot                      src/locales/de.json             public/i18n/de.yaml
    app/src/main/res/values-de/strings.xml                              translations/messages.de.xlf
    src/main/resources/i18n/messages_de.properties                      lib/l10n/app_de.arb
    de.lproj/Main.strings               browser/locales/de/menu.ftl     _locales/de/messages.json
"""
COMPLETIONS = """
    doc/bash-completion.sh              contrib/completion/git-completion.bash
    completions/_restic                 completion/zsh/_rg              completions/rg.elv
    share/bash_completion.d/tool        fish_completions/tool.fish      completions/tool.ps1
"""
OTHERS = """
    locales/README.md                   src/locale.py                   i18n/index.ts
    tests/report.Rmd                    tests/testthat/usage.qmd        po/README.md
    src/completion/engine.py            docs/completions/zsh.md         src/completion.rs
    templates/page.ftl                  docs/i18n/de/index.md           src/locale/parser.go
    config/settings.json                src/values/colors.xml           docs/locale.txt
    src/pool.py                         tests/README.md                 docs/tests/index.rst
    django/test/client.py               testing/pool.py                 src/contest.py
    src/latest.js                       docs/how_to_test.txt            spec/language.txt
    src/attest.go                       protest/pool.py                 test.md
    src/testimony.py                    src/Contest.java                tests/index.html
    lib/test.py                         src/fastest.ts                  src/tests_of.py
"""


@pytest.mark.parametrize("path", TESTS.split())
def test_what_a_runner_reads_is_secondary(path: str) -> None:
    assert is_secondary(f"tree:{path}")


@pytest.mark.parametrize("path", CATALOGS.split())
def test_what_translators_write_is_secondary(path: str) -> None:
    assert is_secondary(f"tree:{path}")


@pytest.mark.parametrize("path", COMPLETIONS.split())
def test_what_shells_complete_by_is_secondary(path: str) -> None:
    assert is_secondary(f"tree:{path}")


@pytest.mark.parametrize("path", OTHERS.split())
def test_other_paths_are_none(path: str) -> None:
    assert not is_secondary(f"tests:{path}")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("tests/pool.txt", "The pool gives connections.\n"),
        ("locale/pool.po", 'msgid "The pool gives connections."\n'),
    ],
)
def test_what_they_go_with_comes_before_them(tmp_path: Path, path: str, source: str) -> None:
    said = "The pool gives connections, and takes them back when they are closed.\n"
    library = Library(tmp_path, t={"pool.txt": said, path: source})
    assert library.find("pool connections") == ["pool.txt", path]
    assert library.find("pool connections", secondary_boost=1) == [path, "pool.txt"]


def test_the_factor_is_exact_and_explained(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"tests/a.txt": "word one\n", "b.txt": "word two\n"})
    answer = library.search("word", explain=True, aggregation=False, secondary_boost=0.8)
    plain, test = answer.results
    assert test.entry.doc_id == "t:tests/a.txt"
    assert test.score == pytest.approx(0.8 * plain.score, rel=1e-3)
    assert (
        Factor("secondary_boost", 0.8, "multiply", "a test, translations or completions")
        in test.factors
    )
    assert not any(factor.name == "secondary_boost" for factor in plain.factors)


def test_questions_keep_it(tmp_path: Path) -> None:
    """Words nearby are added before: see `surroundings`."""
    text = "The pool.\n\nIt gives connections to {}.\n"
    library = Library(
        tmp_path, t={"tests/a.txt": text.format("them"), "b.txt": text.format("those")}
    )
    answer = library.search("pool connections database", explain=True, aggregation=False)
    plain, test = answer.results
    assert test.relaxed
    assert test.score == pytest.approx(0.6 * plain.score, rel=1e-3)  # each is rounded


def test_ties_that_a_limit_cuts_do_not_decide(tmp_path: Path) -> None:
    """Of equal matches the engine gives those of one segment first, here those of late names."""
    tests = {f"tests/{n:03}.txt": f"word a{n}\n" for n in range(80)}
    library = Library(tmp_path, t=tests)
    for names in (range(30, 60), range(30)):
        library.put("t", {f"{n:03}.txt": f"word b{n} c{n}\n" for n in names})
    found = [one.entry.path for one in library.search("word", limit=5, aggregation=False).results]
    assert found == [f"{n:03}.txt" for n in range(5)]


def test_where_all_are_tests_nothing_changes(tmp_path: Path) -> None:
    sources = {f"tests/{n}.txt": "word " + "other " * n + "\n" for n in range(5)}
    library = Library(tmp_path, t=sources)
    assert library.find("word") == library.find("word", secondary_boost=1)


class _AllNear:
    """Every chunk means the same."""

    damaged = False

    def __init__(self, *places: Place):
        self.places = places

    def nearest(self, *_: object) -> list[_Near]:
        return [_Near(place, 0.5) for place in self.places]

    def similarities(self, _text: str, places: Sequence[Place]) -> list[float]:
        return [0.5 for _ in places]

    def documents(self, *_: object) -> list[_Near]:
        return []

    def document_similarity(self, *_: object) -> None:
        return None

    def usual(self, _text: str) -> Usual:
        return Usual(0.0, 0.1, 0.2, 1.0)


class _Near(NamedTuple):
    place: Place
    similarity: float


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_what_a_test_means_counts_less_too(tmp_path: Path, mode: Mode) -> None:
    library = Library(tmp_path, t={"tests/a.txt": "word one\n", "b.txt": "word two\n"})
    answer = search(
        library.reader,
        [parse_query("word")],
        SearchParams(mode=mode, aggregation=False, explain=True),
        read_source=library.read,
        meaning=_AllNear(("t:tests/a.txt", 0), ("t:b.txt", 0)),
    )
    plain, test = answer.results
    assert test.entry.doc_id == "t:tests/a.txt"
    assert test.score == pytest.approx(0.6 * plain.score, rel=1e-3)
    assert (
        Factor("secondary_boost", 0.6, "multiply", "a test, translations or completions")
        in test.factors
    )
