"""What a query matches: words, phrases, fields, filters, and what is forgiven."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.library import Library

from leafmark.index import IndexOptions
from leafmark.render.hint_texts import word_hint
from leafmark.search.spelling import MAX_ASKED_FOR, MAX_CORRECTIONS

SOURCES = {
    "fox.md": "# Animals\n\nThe quick brown fox.\n\n## Dogs\n\nLazy dogs sleep.\n",
    "handle.md": "---\ntags: [Errors, api]\n---\n# Handling\n\nHandle the error_code, DEC-0054.\n",
    "mail/receive.md": "# Mail\n\nWe receive and configure parcels.\n",
    "code.md": "# Code\n\n```python\nprint(1)\n```\n\n## Grid\n\n| a |\n|---|\n| 1 |\n",
    "steps.md": "# Steps\n\n1. Go:\n\n   ```sh\n   run\n   ```\n",
    "meta.md": "---\nstatus: Draft\nn: 5\ndate: 2026-03-01\nat: 2026-03-01T10:00:00Z\n---\n"
    "# Numbers\n\nvalue q\n",
    "ferry.txt": "The ferry leaves at noon.\n",
    "cjk.md": "# 文書\n\n日本語の検索エンジン\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("index"), t=SOURCES)


CASES: list[tuple[str, str, list[str]]] = [
    ("a word", "sleep", ["fox.md#dogs"]),
    ("by its stem", "sleeping", ["fox.md#dogs"]),
    ("in a title", "animals", ["fox.md", "fox.md#animals", "fox.md#dogs"]),
    ("in a path", "mail", ["mail/receive.md#mail", "mail/receive.md"]),
    ("in tags", "tags:api", ["handle.md", "handle.md#handling"]),
    ("both words", "lazy sleep", ["fox.md#dogs"]),
    ("either word", "sleep OR parcels", ["mail/receive.md#mail", "fox.md#dogs"]),
    ("not a word", "fox -brown", ["fox.md", "fox.md#dogs"]),
    ("a group", "(lazy OR quick) sleep", ["fox.md#dogs"]),
    ("a phrase", '"brown fox"', ["fox.md#animals"]),
    ("a phrase in the other order", '"fox brown"', []),
    ("a phrase of one word", '"parcels"', ["mail/receive.md#mail"]),
    ("a word of parts is a phrase", "error_code", ["handle.md#handling"]),
    ("parts in the other order are another word", "code_error", []),
    ("with a hyphen", "DEC-0054", ["handle.md#handling"]),
    ("scripts without spaces", "検索", ["cjk.md#文書"]),
    ("not their letters apart", "索検", []),
    ("in one field", "title:dogs", ["fox.md#dogs"]),
    ("not in another", "body:animals", []),
    ("a prefix", "parc*", ["mail/receive.md#mail"]),
    ("a prefix longer than the stem", "configura*", ["mail/receive.md#mail"]),
    ("a prefix that ends within the ending", "body:receivin*", ["mail/receive.md#mail"]),
    ("a prefix of nothing", "zebr*", []),
    ("a prefix in a word of parts", "error_co*", ["handle.md#handling"]),
    ("a tree", "tree:t fox sleep", ["fox.md#dogs"]),
    ("another tree", "tree:other fox", []),
    ("a path", "path:mail/", ["mail/receive.md", "mail/receive.md#mail"]),
    ("a path as it is spelt", "path:Mail/", []),
    ("a path with signs", "path:fox.m", ["fox.md", "fox.md#animals", "fox.md#dogs"]),
    ("a sign of patterns is itself", "path:fo.", []),
    ("a path of Windows", "path:.\\mail\\rec", ["mail/receive.md", "mail/receive.md#mail"]),
    ("an id", "id:t:fox.md#dogs", ["fox.md#dogs"]),
    ("an ordinal", "id:t:fox.md.2", ["fox.md#dogs"]),
    ("an unknown id", "id:t:fox.md#cats", []),
    ("what stands before the sections", "id:t:fox.md#preamble", ["fox.md"]),
    ("below it there is no section", "under:fox.md#preamble", ["fox.md"]),
    ("below an id", "under:t:fox.md#animals", ["fox.md#animals", "fox.md#dogs"]),
    ("below a citation", "under:t:fox.md#dogs@0123456789ab:3-9", ["fox.md#dogs"]),
    ("below a leaf", "under:t:fox.md#dogs", ["fox.md#dogs"]),
    ("code", "has:code", ["code.md#code", "steps.md#steps"]),
    ("code in the items of a list", "has:code has:list lang:sh", ["steps.md#steps"]),
    ("a table", "has:table", ["code.md#grid"]),
    ("a language by another name", "lang:py", ["code.md#code"]),
    ("documents of a format", "format:Text", ["ferry.txt"]),
    ("metadata", "meta.status:draft", ["meta.md", "meta.md#numbers"]),
    ("metadata, as a number", "meta.n:5.0", ["meta.md", "meta.md#numbers"]),
    ("a range", "meta.n:3..7", ["meta.md", "meta.md#numbers"]),
    ("outside a range", "meta.n:>5", []),
    ("dates", "meta.date:>2026-01-01", ["meta.md", "meta.md#numbers"]),
    ("a time on a day", "meta.at:2026-03-01", ["meta.md", "meta.md#numbers"]),
    ("a time in a month", "meta.at:2026-03", ["meta.md", "meta.md#numbers"]),
    ("a time up to a day", "meta.at:<=2026-03-01", ["meta.md", "meta.md#numbers"]),
    ("a time after a day", "meta.at:>2026-03-01", []),
    ("a time on another day", "meta.at:2026-03-02", []),
    ("a filter that is not met", "value -meta.status:draft", []),
    (
        "filters in order of id",
        "path:mail/ OR id:t:fox.md",
        [
            "fox.md",
            "mail/receive.md",
            "mail/receive.md#mail",
        ],
    ),
    (
        "a filter beside a word",
        "fox OR id:t:code.md",
        [
            "fox.md#animals",
            "fox.md",
            "fox.md#dogs",
            "code.md",
        ],
    ),
    ("a boost changes no match", "sleep^3", ["fox.md#dogs"]),
    ("a word corrected", "foz", ["fox.md#animals", "fox.md", "fox.md#dogs"]),
    ("a letter is missing", "parcls", ["mail/receive.md#mail"]),
    ("each part of it", "errro-cdoe", ["handle.md#handling"]),
    ("parts that occur are not", "brown_code", []),
    ("nor any of a phrase", '"eror code"', []),
    ("nor one with a number", "DEC-0055", []),
    ("nor what may not be", "eror_code~0", []),
    ("neighbours are swapped", "recieve", ["mail/receive.md#mail", "mail/receive.md"]),
    ("two errors, unasked", "prcls", []),
    ("two errors, asked for", "prcls~2", ["mail/receive.md#mail"]),
    ("as many errors as the word found has letters", "jqj~2", []),
    ("as many as the word typed has", "x~1", []),
    ("no correction wanted", "parcls~0", []),
    ("not in phrases", '"brown foz"', []),
    ("in phrases when asked for", '"brown foz"~1', ["fox.md#animals"]),
    ("not in numbers", "0055", []),
    ("not in negations", "fox -slep", ["fox.md#animals", "fox.md", "fox.md#dogs"]),
    ("no shorter than three", "fo", []),
    ("a word without letters asks for nothing", "=> sleep", ["fox.md#dogs"]),
    ("nothing to look for", "=>", []),
    ("front matter is no text", "draft", []),
]


@pytest.mark.parametrize(("name", "query", "expected"), CASES, ids=[case[0] for case in CASES])
def test_matching(library: Library, name: str, query: str, expected: list[str]) -> None:
    assert sorted(library.find(query, strict=True)) == sorted(expected)


def test_every_error_of_one_edit_is_forgiven(library: Library) -> None:
    for typo in ("recieve", "recive", "receeive", "receivr", "rceive", "eceive", "xreceive"):
        assert "mail/receive.md#mail" in library.find(typo), typo


def test_distance_0_switches_corrections_off(library: Library) -> None:
    assert library.find("recieve", fuzzy_distance=0) == []


PARAMS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("trees", {"trees": ("t",)}, ["fox.md#dogs"]),
    ("other trees", {"trees": ("u",)}, []),
    ("tags", {"tags": ("API",)}, []),
    ("since before", {"since": 1_600_000_000}, ["fox.md#dogs"]),
    ("since after", {"since": 1_800_000_000}, []),
]


@pytest.mark.parametrize(("name", "params", "expected"), PARAMS)
def test_parameters_filter(
    library: Library, name: str, params: dict[str, Any], expected: list[str]
) -> None:
    assert library.find("sleep", **params) == expected


def test_edits_that_are_asked_for_find_more_words_than_a_typing_error_does(tmp_path: Path) -> None:
    words = [f"{letter}ax" for letter in "bcdfghjklmnp"]
    library = Library(tmp_path, t={f"{word}.txt": f"{word}\n" for word in words})
    assert len(words) > MAX_CORRECTIONS
    assert library.find("body:zax~1") == [f"{word}.txt" for word in words]
    assert len(library.find("body:zax")) == MAX_CORRECTIONS


def test_words_one_edit_away_come_before_frequent_ones_two_edits_away(tmp_path: Path) -> None:
    far = [f"ham{one}{other}r" for one in "bcdfghjk" for other in "bcdfghjk"]
    assert len(far) > MAX_ASKED_FOR
    common = {f"{at}-{word}.txt": f"Of {word}\n" for word in far for at in range(2)}
    library = Library(tmp_path, t=common | {"near.txt": "A fammer.\n"})
    for distance, query in ((2, "hammer"), (1, "hammer~2")):
        found = library.find(query, fuzzy_distance=distance, limit=500, candidate_limit=500)
        assert "near.txt" in found, query


def test_a_word_is_corrected_to_what_is_frequent_now(tmp_path: Path) -> None:
    """What deleted chunks had counts in the engine until it merges; not in what is meant."""
    plural = {f"{n}.md": "a fog\n" for n in range(9)}
    library = Library(tmp_path, t=plural | {"a.md": "a fox\n", "b.md": "a fox\n", "c.md": "x\n"})
    library.put("t", {}, remove=tuple(sorted(plural)[1:]))
    assert library.reader.counts.deleted > 0
    assert [word_hint(hint) for hint in library.search("foz").hints] == [
        "“foz” occurs nowhere; searched for fox, fog"
    ]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("enviroment", "environment"),
        ("immediatly", "immediately"),
        ("permision", "permission"),
        ("supress", "suppress"),
    ],
)
def test_a_correction_is_told_as_the_word_that_lost_a_letter(
    tmp_path: Path, typed: str, meant: str
) -> None:
    """Of the words one edit away that have the stem: `environent`, `immediably`, `supness`."""
    (hint,) = Library(tmp_path, t={"a.md": f"Say {meant}.\n"}).search(typed).hints
    assert word_hint(hint) == f"“{typed}” occurs nowhere; searched for {meant}"


def test_a_common_or_short_word_is_not_widened(tmp_path: Path) -> None:
    sources = {f"{n}.md": "handling\n" for n in "abcd"} | {
        "e.md": "handlings cat\n",
        "f.md": "car\n",
    }
    library = Library(tmp_path, t=sources)
    assert library.find("cat") == ["e.md"]


def test_no_word_is_corrected_to_a_remnant_of_one(tmp_path: Path) -> None:
    """The stem of `caed` is `ca`: one edit from what was typed, and not what was meant."""
    library = Library(
        tmp_path, t={"a.md": "# A\n\nThe CA signs.\n", "b.md": "# B\n\nIt is based.\n"}
    )
    (hint,) = library.search("baed").hints
    assert word_hint(hint) == "“baed” occurs nowhere; searched for based"
    library = Library(tmp_path / "2", t={"a.md": "# A\n\nThe CA signs.\n"})
    assert library.search("baed").results == ()
    assert library.search("caa").results


@pytest.mark.parametrize(
    ("language", "text", "query", "marked"),
    [
        ("german", "Eine Prüfung.", "prüf*", ["Prüfung"]),
        ("german", "Eine Prüfung.", "pruf*", ["Prüfung"]),
        ("german", "Die Straßen.", "straß*", ["Straßen"]),
        ("spanish", "La búsqueda.", "bús*", ["búsqueda"]),
        ("french", "Le système.", "systè*", ["système"]),
        ("greek", "Ο λόγος.", "λό*", ["λόγος"]),
        ("swedish", "Ett får. En far.", "får*", ["får"]),
        ("german", "Das ist erforderlich.", "erforderlic*", ["erforderlich"]),
        ("german", "Er fordert. Das ist erforderlich.", "erforderlic*", ["erforderlich"]),
        ("spanish", "Se incluye.", "incluy*", ["incluye"]),
        ("russian", "Настройками.", "настройк*", ["Настройками"]),
        ("english", "A hopeless case.", "hopeles*", ["hopeless"]),
    ],
)
def test_a_prefix_finds_words_whatever_the_stemmer_takes_away(
    tmp_path: Path, language: str, text: str, query: str, marked: list[str]
) -> None:
    library = Library(tmp_path)
    library.settings = IndexOptions("library", {"t": language})
    library.put("t", {"a.md": f"{text}\n", "b.md": "Other.\n"})
    results = library.search(query).results
    assert [each.entry.path for each in results] == ["a.md"]
    body = results[0].body_bytes or b""
    assert [body[start:end].decode() for start, end in results[0].match_ranges] == marked


def test_text_without_spaces_is_a_phrase_with_an_operator(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"a.md": "3段目です\n", "b.md": "段目の3\n", "c.md": "other\n"})
    assert sorted(library.find("3段目", strict=True)) == ["a.md", "b.md"]
    for query in ("3段目 OR zebra", "3段目 AND です", "(3段目)^2", "(3段目)~0"):
        assert library.find(query, strict=True) == ["a.md"], query
    assert sorted(library.find("段目 -3段目", strict=True)) == ["b.md"]
