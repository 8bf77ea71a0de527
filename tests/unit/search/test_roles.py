"""What repeats, tests or lists other texts counts less than what it goes with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from support.library import Library

from leafmark.index.roles import ROLES, role_number
from leafmark.model import Factor
from leafmark.query import parse_query
from leafmark.search import SearchOptions, search
from leafmark.search.fuse import ChunkRef, Usual
from leafmark.search.options import Mode

PATHS = {
    "tests": """
    tests/test_pool.py                  tests/fixtures/answer.json      tests/data/lyrics.txt
    src/pool/_tests/helpers.py          pkg/__tests__/pool.js           src/__mocks__/fs.ts
    tests.py                            app/tests.py                    src/conftest.py
    pool/test_pool.py                   pool_test.go                    src/pool_test.cc
    src/pool.test.ts                    src/pool.spec.js                lib/pool_spec.rb
    t/basic.t                           test/run.sh                     packages/web/test/pool.mjs
    src/test/java/org/Pool.java         src/main/PoolTest.java          Pool/PoolTests.cs
    pool/testdata/bad.json              staticfiles_tests/cases.css     src/parser_tests.rs
""",
    "catalog": """
    po/de.po                            django/conf/locale/de/LC_MESSAGES/django.po
    locale/app.pot                      src/locales/de.json             public/i18n/de.yaml
    app/src/main/res/values-de/strings.xml                              translations/messages.de.xlf
    src/main/resources/i18n/messages_de.properties                      lib/l10n/app_de.arb
    de.lproj/Main.strings               browser/locales/de/menu.ftl     _locales/de/messages.json
""",
    "completion": """
    doc/bash-completion.sh              contrib/completion/git-completion.bash
    completions/_restic                 completion/zsh/_rg              completions/rg.elv
    share/bash_completion.d/tool        fish_completions/tool.fish      completions/tool.ps1
""",
    "changelog": """
    CHANGELOG.md                        docs/changes.rst                docs/release-notes.md
    docs/whatsnew/3.4.rst               doc/release-1.2.html            releases/4.2.txt
    html/dist.news.html                 dist.news.old.html
""",
    "licence": "LICENSE docs/license.md COPYING licenses.html third-party_notices.txt AUTHORS",
    "listing": """
    genindex.html genindex-A.html py-modindex.html allclasses-index.html 404.html
    java/class-use/List.html
""",
    "carried": """
    api/pool.pb.go pool_pb2.py lib/pool.g.dart src/__generated__/pool.ts src/pool_generated.rs
    _static/jquery.js themes/js/vendor/jquery-1.9.1.js site/search.min.js
""",
    "print": "singlehtml/index.html site/print_page.html llms-full.md html/_sources/a.rst.txt",
    "translation": "docs/de/guide.md README.zh-CN.md docs/pt-BR/a/b.md pages.fr/tar.md",
    "code": "lib/pool.ex proto/pool.proto src/Pool.hs web/pool.vue infra/main.tf",
    "glossary": "docs/glossary.rst terminology/words.md",
    "": """
    src/locale.py                       i18n/index.ts                   po/README.md
    tests/report.Rmd                    tests/testthat/usage.qmd        docs/en/guide.md
    src/completion/engine.py            docs/completions/zsh.md         src/completion.rs
    templates/page.ftl                  src/locale/parser.go            docs/index.html
    config/settings.json                src/values/colors.xml           docs/locale.txt
    src/pool.py    heise.de/a.html      tests/README.md                 docs/tests/index.rst
    django/test/client.py               testing/pool.py                 src/contest.py
    src/latest.js                       docs/how_to_test.txt            spec/language.txt
    src/attest.go                       protest/pool.py                 test.md
    src/testimony.py                    src/Contest.java                tests/index.html
    lib/test.py                         src/fastest.ts                  src/tests_of.py
    tutorial/classes.html               items/functions.html            commands/print.html
    concepts/namespaces.md              usage/search.md                 notes/all.md
""",
}


@pytest.mark.parametrize(
    ("path", "role"), [(path, role) for role, paths in PATHS.items() for path in paths.split()]
)
def test_paths_tell_roles(path: str, role: str) -> None:
    assert ROLES[role_number(f"tree:{path}", "Guide", {})] == role


def test_a_blank_in_a_path_is_as_good_as_a_hyphen() -> None:
    assert ROLES[role_number("tree:Release notes/v1.4.md", "1.4", {})] == "changelog"


@pytest.mark.parametrize(
    ("title", "role"),
    [
        ("2. Older news", "changelog"),
        ("Release notes", "changelog"),
        ("What's New In Pool 3.4", "changelog"),
        ("What is new?", "changelog"),
        ("Pool What's New 2003 through 2015", "changelog"),
        ("Pool change history 2003 - 2015", "changelog"),
        ("Change the history of a branch", ""),
        ("pool3delta - what's new for pool 3", "changelog"),
        ("Pool — changelog", "changelog"),
        ("Pool Release 3.38.4 On 2022-05-04", "changelog"),
        ("Release History Of Pool", "changelog"),
        ("Installing release 4.2", ""),
        ("What is a new line?", ""),
        ("Release the lock", ""),
        ("pooltoc - table of contents", "listing"),
        ("Keyword Crossreference", "listing"),
        ("Index — B-trees", ""),
        ("Search: how it works", ""),
        ("Table of Contents", "listing"),
        ("Index", "listing"),
        ("Contents", "listing"),
        ("Page not found", "listing"),
        ("404", "listing"),
        ("Site map", "listing"),
        ("Search results", "listing"),
        ("MIT License", "licence"),
        ("Copyright", "licence"),
        ("Terms and Conditions", "licence"),
        ("Revision history", "changelog"),
        ("Terminology of pools", "glossary"),
        ("Glossary", "glossary"),
        ("Indexing", ""),
        ("Change a password", ""),
    ],
)
def test_titles_tell_roles(title: str, role: str) -> None:
    assert ROLES[role_number("tree:page.html", title, {})] == role


@pytest.mark.parametrize(
    ("path", "title", "role"),
    [
        ("docs/SUMMARY.md", "Summary", "listing"),
        ("html/functions_b.html", "Pool", ""),
        ("html/globals_b.html", "Pool", "listing"),
        ("html/functions.html", "Functions", "listing"),
        ("usage/find.md", "Search", "listing"),
        ("man7/all.7", "lamp.index(7) - List all manual pages of lamps", "listing"),
        ("man7/x.7", "lamp.directives(7) - Index of settings", "listing"),
        ("links.md", "Links", ""),
    ],
)
def test_some_names_tell_lists_of_what_has_links_alone(path: str, title: str, role: str) -> None:
    assert ROLES[role_number(f"tree:{path}", title, {}, lambda: (500, 100))] == role
    assert ROLES[role_number(f"tree:{path}", title, {}, lambda: (500, 10))] == ""


def test_some_names_tell_books_of_what_is_as_long() -> None:
    for path in ("api/all.html", "book/print.html"):
        assert ROLES[role_number(f"tree:{path}", "Pool", {}, lambda: (300_000, 900))] == "print"
        assert ROLES[role_number(f"tree:{path}", "Pool", {}, lambda: (3_000, 9))] == ""


def test_a_page_called_like_a_list_is_one_if_it_has_links_alone(tmp_path: Path) -> None:
    entries = "".join(f"<li><a href='pool.html#m{n}'>dim_lamp{n}</a> : Pool" for n in range(40))
    said = "<p>How dim_lamp is called, and what it gives back when the light has gone out.</p>" * 9
    texts = {
        "functions.html": f"<title>All</title><h1>All members</h1><ul>{entries}</ul>",
        "guide/functions.html": f"<title>Dim</title><h1>How to dim</h1>{said}",
    }
    library = Library(tmp_path, t=texts)
    first = library.search("dim_lamp3", explain=True).results[0]
    assert first.entry.path == "functions.html"
    assert "listing" in str(first.factors)
    first = library.search("light gone out", explain=True).results[0]
    assert first.entry.path == "guide/functions.html"
    assert "listing" not in str(first.factors)


def test_a_page_may_say_so_itself() -> None:
    assert ROLES[role_number("tree:page.html", "Page", {"noindex": True})] == "listing"
    copied = {"canonical": "https://pool.example/guide.html"}
    assert ROLES[role_number("tree:page.html", "Page", copied)] == "print"


SAID = "The pool gives connections, and takes them back when they are closed.\n"


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("tests/pool.txt", "The pool gives connections.\n"),
        ("locale/pool.po", 'msgid "The pool gives connections."\n'),
        ("CHANGELOG.md", "The pool gives connections.\n"),
    ],
)
def test_what_they_go_with_comes_before_them(tmp_path: Path, path: str, source: str) -> None:
    library = Library(tmp_path, t={"guide.txt": SAID, path: source})
    first = [library.find("pool connections", role_factor=each)[0] for each in (0.6, 1.0)]
    assert first == ["guide.txt", path]


def test_the_factor_is_exact_and_explained(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"tests/a.txt": "word one\n", "b.txt": "word two\n"})
    answer = library.search("word", explain=True, aggregation=False, role_factor=0.8)
    plain, test = answer.results
    assert test.entry.doc_id == "t:tests/a.txt"
    assert test.score == pytest.approx(0.8 * plain.score, rel=0.02)  # the paths differ
    assert Factor("tests", 0.8, "multiply") in test.factors
    assert not any(factor.name == "tests" for factor in plain.factors)


def test_a_document_that_is_asked_for_by_name_keeps_its_place(tmp_path: Path) -> None:
    library = Library(
        tmp_path, t={"guide.txt": "The changelog is kept.\n" * 3, "CHANGELOG.md": SAID}
    )
    assert library.find("changelog")[0] == "CHANGELOG.md"


def test_of_those_with_one_name_what_repeats_others_comes_last(tmp_path: Path) -> None:
    sources = {
        "completions/block.fish": "complete -c block\n" * 3,
        "cmds/block.md": "# block - wait\n",
    }
    found = Library(tmp_path, t=sources).find("block")
    assert found == ["cmds/block.md", "completions/block.fish"]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("pool size 2.1", "guide.md"),
        ("what's new about pool size in 2.1", "CHANGELOG.md"),
        ("pool size changelog", "CHANGELOG.md"),
        ("when was the pool size added", "CHANGELOG.md"),
        ("since which version has the pool a size", "CHANGELOG.md"),
        ("pool licence terms", "LICENSE.md"),
        ("pool terms", "guide.md"),
    ],
)
def test_a_query_may_ask_for_what_repeats_others(tmp_path: Path, query: str, path: str) -> None:
    sources = {
        "guide.md": "# The pool\n\nTerms of use: a pool has a size, as of 2.1 any. Ask for more.\n",
        "CHANGELOG.md": "# Changelog\n\n## 2.1\n\nNew: the pool has a size, any size. Ask.\n",
        "LICENSE.md": "# Licence\n\nThe terms of the pool, and terms of the licence. Ask.\n",
    }
    assert Library(tmp_path, t=sources).search(query).results[0].entry.path == path


REPOSITORY = {
    "docs/conflicts.md": "# Conflicts\n\n"
    "Conflicts are stored in the commit as they are. A stored conflict is shown with signs around "
    "it, and conflicts stay stored until they are resolved.\n",
    "lib/conflicts.py": "def conflict_store(store, conflict):\n    store.conflict(conflict)\n",
    "tests/test_conflicts.py": "def test_it():\n    # resolved conflicts have no markers\n"
    + "    assert other(1) == thing\n" * 30,
    **{f"docs/{n}.md": f"# Page {n}\n\nSomething else.\n" for n in range(9)},
}


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("how are conflicts stored", "docs/conflicts.md"),
        ("stored conflicts", "lib/conflicts.py"),
        ("what are markers of resolved conflicts", "docs/conflicts.md"),
        ("where are conflicts stored", "lib/conflicts.py"),
        ("function that stores conflicts", "lib/conflicts.py"),
        ("conflict_store", "lib/conflicts.py"),
        ("the conflicts are not stored", "lib/conflicts.py"),
        ("conflict store", "lib/conflicts.py"),
    ],
)
def test_documents_answer_a_question_before_code_unless_code_is_asked_for(
    tmp_path: Path, query: str, path: str
) -> None:
    assert Library(tmp_path, t=REPOSITORY).search(query).results[0].entry.path == path


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
    assert library.find("word") == library.find("word", role_factor=1.0)


class _AllNear:
    """Every chunk means the same, but for those with similarities of their own."""

    damaged = False

    def __init__(self, *places: ChunkRef, similarities: Mapping[ChunkRef, float] | None = None):
        self.places = places
        self.own = similarities or {}

    def nearest(self, *_: object) -> list[_Near]:
        return [_Near(place, 0.5) for place in self.places]

    def similarities(self, _text: str, places: Sequence[ChunkRef]) -> list[float]:
        return [self.own.get(place, 0.5) for place in places]

    def documents(self, *_: object) -> list[_Near]:
        return []

    def prepare(self, *_: object) -> None:
        """Nothing."""

    def document_similarity(self, *_: object) -> None:
        return None

    def usual(self, _text: str) -> Usual:
        return Usual(0.0, 0.1, 0.2, 1.0)

    @property
    def late(self) -> int:
        return 0


class _Near(NamedTuple):
    place: ChunkRef
    similarity: float


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_what_a_test_means_counts_less_too(tmp_path: Path, mode: Mode) -> None:
    library = Library(tmp_path, t={"tests/a.txt": "word one\n", "b.txt": "word two\n"})
    answer = search(
        library.reader,
        [parse_query("word")],
        SearchOptions(mode=mode, aggregation=False, explain=True),
        read_source=library.read,
        meaning=_AllNear(("t:tests/a.txt", 0), ("t:b.txt", 0)),
    )
    plain, test = answer.results
    assert test.entry.doc_id == "t:tests/a.txt"
    assert test.score == pytest.approx(0.6 * plain.score, rel=0.02)


@pytest.mark.parametrize(
    ("query", "first"),
    [("pump valve", "both.txt"), ("how do I open the pump by its small valve", "near.txt")],
)
def test_of_few_words_what_has_all_comes_first_whatever_is_near(
    tmp_path: Path, query: str, first: str
) -> None:
    words = "Of other things, as long as it takes. " * 9
    sources = {"both.txt": f"A pump.\n\n{words}\nA valve.\n", "near.txt": "The pump opens.\n"}
    library = Library(tmp_path, t=sources)
    answer = search(
        library.reader,
        [parse_query(query)],
        SearchOptions(mode="hybrid"),
        read_source=library.read,
        meaning=_AllNear(("t:near.txt", 0), similarities={("t:both.txt", 0): 0.1}),
    )
    assert answer.results[0].entry.path == first


TRANSLATED = {
    "docs/en/cache.md": "# Caching\n\nKeep what was made in the Redis store.\n",
    "docs/de/cache.md": "# Zwischenspeicher\n\nWas gemacht wurde, liegt in der Redis Ablage.\n",
    "docs/ja/cache.md": "# キャッシュの設定\n\nRedis に保存されます。\n",
    "docs/en/other.md": "# Redis and others\n\nRedis, of Redis, die Redis Ablage of Redis.\n",
}


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("Zwischenspeicher", "docs/de/cache.md"),
        ("wie liegt der Zwischenspeicher in der Redis Ablage", "docs/de/cache.md"),
        ("キャッシュの設定", "docs/ja/cache.md"),
        ("キャッシュ Redis", "docs/ja/cache.md"),
        ("Caching", "docs/en/cache.md"),
        ("Redis store", "docs/en/cache.md"),
    ],
)
def test_a_translation_is_found_in_its_own_language(tmp_path: Path, query: str, path: str) -> None:
    results = Library(tmp_path, t=TRANSLATED).search(query).results
    assert results[0].entry.path == path
