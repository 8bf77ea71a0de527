"""What an empty answer says: each hint whole, and only where it is true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.library import Library

from leafmark.render.hint_texts import word_hint

SOURCES = {
    "guides/backups.md": "---\ntags: [backup, ops]\n---\n# Backups\n\nMake a backup nightly.\n",
    "guides/access.md": "# Access\n\nReset the password.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "api.md": "---\nstatus: Draft\n---\n# Api\n\nThe server answers.\n\n```python\nx\n```\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("index"), t=SOURCES)


def test_a_section_whose_parts_hold_it_is_told_how_to_take_them_in(tmp_path: Path) -> None:
    page = "# News\n\n## 1.2\n\nA release.\n\n### Fixes\n\nThe server.\n\n## 1.1\n\nThe server.\n"
    library = Library(tmp_path, t={"changes.md": page})
    told = "without --section 1.2, there would be 2 matches"
    below = "with --section '1.2 > **', which includes the levels below, there would be 1 match"
    assert hints(library, "server", section=("1.2",)) == [
        ("section-below", below),
        ("filter", told),
    ]
    elsewhere = [("filter", told.replace("1.2", "A*"))]
    assert hints(library, "server", section=("A*",)) == elsewhere


@pytest.mark.parametrize(
    ("query", "fuzzy_distance", "code", "words"),
    [
        ("lattice", 1, "spelling", ["latency"]),
        ("observabillities", 0, "spelling", ["observability"]),
        ("kubernates", 0, "spelling", ["kubernetes"]),
        ("observabillity", 1, "corrected", ["observability"]),
        ("kubernates", 1, "corrected", ["kubernetes"]),
    ],
)
def test_words_of_the_documents_are_offered_and_no_stems(
    tmp_path: Path, query: str, fuzzy_distance: int, code: str, words: list[str]
) -> None:
    tagged = "---\ntags: [observability]\n---\n# Latency\n\nOf all latencies.\n"
    library = Library(tmp_path, t={"kubernetes/notes.md": tagged})
    found = library.search(query, fuzzy_distance=fuzzy_distance).hints
    assert {hint.code: hint.values.get("words") for hint in found}[code] == words


def hints(library: Library, *queries: str, **params: Any) -> list[tuple[str, str]]:
    answer = library.search(*queries, **params)
    assert answer.results == ()
    return [(hint.code, word_hint(hint)) for hint in answer.hints]


@pytest.mark.parametrize(
    ("query", "params", "expected"),
    [
        (
            "bakcuups",
            {"fuzzy_distance": 0},
            [
                ("unknown-word", "“bakcuups” occurs nowhere"),
                ("spelling", "the index has words like “bakcuups”: backups"),
            ],
        ),
        ("zzzzzz", {}, [("unknown-word", "“zzzzzz” occurs nowhere")]),
        ("`zzzzzz`?", {}, [("unknown-word", "“zzzzzz” occurs nowhere")]),
        (
            "backup",
            {"tags": ("opps",)},
            [
                ("unknown-tag", "no document has the tag opps; the nearest: ops"),
                ("filter", "without --tag opps, there would be 2 matches"),
            ],
        ),
        (
            "server",
            {"tags": ("ops",), "since": 4e9},
            [("filter", "without --tag ops and --since, there would be 1 match")],
        ),
        (
            "backup path:guidez/",
            {},
            [
                (
                    "unknown-path",
                    "no path begins with guidez/; the nearest: "
                    "guides/, guides/access.md, guides/backups.md",
                ),
                ("filter", "without path:guidez/, there would be 2 matches"),
            ],
        ),
        (
            "backup tree:tt",
            {},
            [
                ("unknown-tree", "there is no tree named tt"),
                ("filter", "without tree:tt, there would be 2 matches"),
            ],
        ),
        (
            "backup under:t:guides/backup.md",
            {},
            [
                (
                    "unknown-id",
                    "nothing indexed is called t:guides/backup.md; "
                    "the nearest: t:guides/backups.md",
                ),
                ("filter", "without under:t:guides/backup.md, there would be 2 matches"),
            ],
        ),
        ("backup has:table", {}, [("filter", "without has:table, there would be 2 matches")]),
        ("backup -nightly -backups", {}, [("filter", "without -backups, there would be 1 match")]),
        (
            "backup password",
            {"strict": True},
            [("strict", "without --strict, there would be 3 matches of some of the words")],
        ),
        (
            "backup AND password",
            {},
            [("apart", "each part of the query occurs somewhere, but never together")],
        ),
        (
            '"nightly backup"',
            {},
            [
                (
                    "phrase",
                    "the words of “nightly backup” stand next to each other nowhere; "
                    "without the quotes, there would be 1 match",
                )
            ],
        ),
        (
            "server title:(api AND nightly_backup)",
            {},
            [
                ("unknown-word", "“nightly_backup” occurs in no title"),
                ("filter", "without title:(api AND nightly_backup), there would be 1 match"),
            ],
        ),
        (
            "server nightly_backup",
            {"strict": True},
            [
                ("strict", "without --strict, there would be 3 matches of some of the words"),
            ],
        ),
        ("job.nothing", {}, [("unknown-word", "“job.nothing” occurs nowhere")]),
        (
            '"backup nightly"',
            {"section": ("Access",)},
            [("filter", "without --section Access, there would be 1 match")],
        ),
        (
            'server "zeppelin"',
            {},
            [
                ("unknown-word", "“zeppelin” occurs nowhere"),
                ("filter", 'without "zeppelin", there would be 1 match'),
            ],
        ),
        (
            'title:"api access"',
            {},
            [("phrase", "the words of “api access” stand next to each other in no title")],
        ),
        ("title:password", {}, [("unknown-word", "“password” occurs in no title")]),
        ("tags:server", {}, [("unknown-word", "“server” occurs in no tag")]),
        ("zepp*", {}, [("unknown-word", "“zepp*” occurs nowhere")]),
        ("zz", {}, [("unknown-word", "“zz” occurs nowhere")]),
        (
            "path:GUIDES/",
            {},
            [
                (
                    "unknown-path",
                    "no path begins with GUIDES/; the nearest: "
                    "guides/, guides/access.md, guides/backups.md",
                )
            ],
        ),
        (
            "under:guides",
            {},
            [
                (
                    "unknown-id",
                    "nothing indexed is called guides; path:guides/ admits all in that folder",
                )
            ],
        ),
        (
            "lang:pyhton",
            {},
            [("unknown-language", "there is no code in pyhton; the nearest: python")],
        ),
        (
            "format:markdow",
            {},
            [("unknown-format", "no document has the format markdow; the nearest: markdown")],
        ),
        ("has:list", {}, [("unknown-kind", "no chunk holds a list")]),
        (
            "meta.stauts:draft",
            {},
            [("unknown-key", "no document has the metadata stauts; the nearest: status")],
        ),
        (
            "meta.status:drat",
            {},
            [("unknown-value", "no document has meta.status:drat; the nearest: draft")],
        ),
        ("meta.status:>x", {}, [("unknown-value", "no document has meta.status:>x")]),
    ],
)
def test_what_is_said(
    library: Library, query: str, params: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert hints(library, query, **params) == expected


def test_an_empty_index_is_told(tmp_path: Path) -> None:
    assert hints(Library(tmp_path, t={"a.md": " \n"}), "x") == [
        (
            "nothing-indexed",
            "there are no documents to search; -C DIR searches another folder, "
            "`leafmark status -v` says what is left out of this one",
        ),
    ]


@pytest.mark.parametrize("path", ["guides/", "./guides/", "././guides", "./"])
def test_a_path_may_begin_as_shells_complete_it(library: Library, path: str) -> None:
    assert library.search(f"backup path:{path}").results


def test_an_answer_with_results_says_nothing_of_it(library: Library) -> None:
    assert library.search("backup tags:ops").hints == ()


def test_a_filter_that_stands_as_a_topic_of_its_own(library: Library) -> None:
    hint = library.search("backup", "path:guides/").hints[0]
    assert (hint.code, word_hint(hint)) == (
        "filter-topic",
        "path:guides/ was searched as a topic of its own, and found all that it admits; "
        "put it into the same quotes as the words that it should filter",
    )


def test_what_only_deleted_documents_had_is_unknown(tmp_path: Path) -> None:
    plain = "---\ntags: [ops]\n---\n# A\n\nThe server answers.\n"
    rich = "---\ntags: [opps]\nstatus: draft\n---\n# A\n\nAnswers.\n\n```rust\nx\n```\n"
    library = Library(tmp_path, t={f"{name}.md": plain for name in "abcdef"} | {"g.md": rich})
    library.put("t", {"g.md": plain})
    assert library.reader.counts.deleted > 0
    for query, params, message in (
        ("server", {"tags": ("opps",)}, "no document has the tag opps; the nearest: ops"),
        ("server", {"tags": ("oops",)}, "no document has the tag oops; the nearest: ops"),
        ("meta.status:draft", {}, "no document has the metadata status"),
        ("lang:rust", {}, "there is no code in rust"),
        ("has:code", {}, "no chunk holds code"),
    ):
        assert message in [said for _, said in hints(library, query, **params)]


def test_a_tree_without_documents_is_known(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"a.md": "zebra\n"}, empty={})
    library.put("t", {"b.md": "more\n"})
    empty, unknown = "there is nothing in the tree empty", "there is no tree named empti"
    assert ("empty-tree", empty) in hints(library, "zebra tree:empty")
    assert ("empty-tree", empty) in hints(library, "zebra", trees=("empty",))
    assert ("unknown-tree", f"{unknown}; the nearest: empty") in hints(library, "zebra tree:empti")
