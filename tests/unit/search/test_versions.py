"""Versions of a page: what is joined, which is shown, and how the others are named."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.candidates import make_entry, match
from support.library import Library

from leafmark.model import Candidate, Entry
from leafmark.render.hint_texts import word_hint
from leafmark.search.versions import fold_repeats, join_versions, other_version_filter

WORDS = "one two three four five six seven eight nine ten"


def _join(
    *found: Candidate, texts: Mapping[str, str] | None = None
) -> list[tuple[str, list[str], list[str]]]:
    """What is shown, its copies and its other versions; texts not given are alike."""
    said = texts or {}

    def read(entry: Entry) -> str:
        return said.get(entry.path, WORDS)

    joined = join_versions(found, read, read)
    return [
        (one.entry.path, [*one.also_in], [other.path for other in one.other_versions])
        for one in joined
    ]


def _found(path: str, score: float = 1.0, *, relaxed: bool = False, **fields: object) -> Candidate:
    return match(make_entry(path=path, **fields), score, relaxed=relaxed)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("9/a.md", "10/a.md"),
        ("docs/v1.9/a.md", "docs/v1.10/a.md"),
        ("docs/v5.6.x/a.md", "docs/latest/a.md"),
        ("docs/dev/a.md", "docs/1.0/a.md"),
        ("llvm-9/a.md", "llvm-15/a.md"),
        ("docs/v1.2/a.md", "docs/a.md"),
        ("versioned_docs/version-3.x/a.md", "docs/a.md"),
        ("versioned_docs/version-3.x/a.md", "versioned_docs/version-4.x/a.md"),
        ("notes/2023-12/a.md", "notes/2024-01/a.md"),
    ],
)
def test_of_equals_the_newest_is_shown(older: str, newer: str) -> None:
    expected: list[tuple[str, list[str], list[str]]] = [(newer, [f"t:{older}"], [])]
    assert _join(_found(older), _found(newer)) == expected
    assert _join(_found(newer), _found(older)) == expected
    assert _join(_found(older, 1.02), _found(newer)) == expected


def test_what_answers_better_is_shown_whatever_its_version() -> None:
    assert _join(_found("v1/a.md", 1.1), _found("v2/a.md")) == [("v1/a.md", ["t:v2/a.md"], [])]
    strict, relaxed = _found("v1/a.md"), _found("v2/a.md", 9.0, relaxed=True)
    assert _join(strict, relaxed) == [("v1/a.md", ["t:v2/a.md"], [])]


def test_what_reads_nearly_the_same_is_named_apart() -> None:
    found = [_found(f"v{number}/a.md") for number in (1, 2, 3)]
    texts = {"v1/a.md": WORDS.replace("ten", "10")}
    assert _join(*found, texts=texts) == [("v3/a.md", ["t:v2/a.md"], ["v1/a.md"])]


def test_what_says_something_else_is_shown_too() -> None:
    found = [_found(f"v{number}/a.md") for number in (1, 2, 3)]
    texts = {"v1/a.md": WORDS.replace("ten", "10").replace("nine", "9")}
    assert _join(*found, texts=texts) == [("v1/a.md", [], []), ("v3/a.md", ["t:v2/a.md"], [])]


@pytest.mark.parametrize(
    "paths",
    [
        ("staging/a.md", "production/a.md"),
        ("en/a.md", "fr/a.md"),
        ("v1/a.md", "v2/b.md"),
        ("v1/x/a.md", "v2/y/a.md"),
        ("1.4.txt", "1.5.txt"),
        ("v1/a.md", "v1/a.md"),
    ],
)
def test_what_is_called_otherwise_is_no_version(paths: tuple[str, str]) -> None:
    assert [path for path, *_ in _join(*map(_found, paths))] == sorted(paths)


def test_a_section_of_another_title_is_no_version() -> None:
    one = _found("v1/a.md", kind="section", title="Minimum", slug="minimum")
    other = _found("v2/a.md", kind="section", title="Maximum", slug="maximum")
    assert len(_join(one, other)) == 2


def test_only_what_is_called_alike_is_read() -> None:
    def read(_entry: Entry) -> str:
        raise AssertionError("this need not be read")

    found = [_found("a.md", 3.0), _found("b.md", 2.0), _found("v1/c.md")]
    assert join_versions(found, read, read) == found


def test_a_version_may_be_a_tree() -> None:
    found = [_found("a.md", tree=name) for name in ("api-v1", "api-v2")]
    (joined,) = join_versions(found, lambda entry: WORDS, lambda entry: entry.tree)
    (other,) = joined.other_versions
    assert (joined.entry.tree, other.tree) == ("api-v2", "api-v1")
    assert other_version_filter(joined.entry, other) == "tree:api-v1"


@pytest.mark.parametrize(
    ("shown", "other", "expected"),
    [
        ("v2/guide/a.md", "v1/guide/a.md", "path:v1/"),
        ("docs/a.md", "docs/v1 old/a.md", 'path:"docs/v1 old/"'),
        ("docs/v2/a.md", "docs/a.md", "path:docs/"),
        ("docs/a.md", "docs/all.md", "path:docs/all.md"),
    ],
)
def test_what_keeps_to_another_version(shown: str, other: str, expected: str) -> None:
    entries = make_entry(path=shown), make_entry(path=other)
    assert other_version_filter(*entries) == expected


def test_a_search_shows_a_page_of_several_versions_once(tmp_path: Path) -> None:
    lines = "\n".join(f"Line {number} tells of wort and yeast." for number in range(20))
    pages = {f"v{number}/beer.md": f"# Beer\n\n{lines}\n" for number in (8, 9, 10)}
    pages["v8/beer.md"] += "\nThe end.\n"
    library = Library(tmp_path, t=pages)
    answer = library.search("wort yeast")
    (found,) = answer.results
    assert found.entry.path == "v10/beer.md"
    assert found.also_in == ("t:v9/beer.md",)
    assert [entry.id for entry in found.other_versions] == ["t:v8/beer.md"]
    (hint,) = answer.hints
    assert (hint.code, word_hint(hint)) == (
        "versions",
        "text that is nearly the same in several versions or languages is shown once; "
        "path:v8/ in the query selects another",
    )
    (phase,) = (phase for phase in answer.phases if phase.name == "duplicates")
    assert (phase.before, phase.after, phase.note) == (
        3,
        1,
        "results with the same text are shown once, "
        "and those of several versions, languages or formats",
    )
    (found,) = library.search("wort yeast path:v8/").results
    assert found.entry.path == "v8/beer.md"


@pytest.mark.parametrize(
    ("pages", "after", "note"),
    [
        (("a.md", "b.md"), 1, "results with the same text are shown once"),
        (("a.md",), 1, ""),
    ],
)
def test_the_phase_says_what_was_joined(
    tmp_path: Path, pages: tuple[str, ...], after: int, note: str
) -> None:
    library = Library(tmp_path, t=dict.fromkeys(pages, "# Beer\n\nOf wort and yeast.\n"))
    (phase,) = (each for each in library.search("wort").phases if each.name == "duplicates")
    assert (phase.before, phase.after, phase.note) == (len(pages), after, note)


def test_a_page_in_several_languages_is_shown_once(tmp_path: Path) -> None:
    """In the main language, whichever matches best."""
    text = "The valve lets through what comes, and the valve stops it again: {}.\n"
    said = {"en": "at times", "de": "valve valve", "pt-BR": "valve", "fr": "valve valve valve"}
    pages = {f"docs/{code}/a.md": f"# Valve\n\n{text.format(end)}" for code, end in said.items()}
    library = Library(tmp_path, t=pages)
    (found,) = library.search("valve").results
    assert found.entry.path == "docs/en/a.md"
    assert {entry.path for entry in found.other_versions} == pages.keys() - {"docs/en/a.md"}


def test_where_the_query_is_in_its_language_a_translation_is_shown(tmp_path: Path) -> None:
    library = Library(tmp_path, t={})
    library.settings = type(library.settings)("both", {"t": "english", "de": "german"})
    library.put("de", {"x.md": "# Andere\n\nNoch etwas.\n"})
    pages = {
        "docs/a.md": "# Cron\n\nHow the service starts the cron.\n",
        "docs/de/a.md": "# Cron\n\nWie der Dienst den Cron startet.\n",
    }
    library.put("t", pages)
    for query, path in (
        ("wie startet der Dienst den cron?", "docs/de/a.md"),
        ("how does the service start the cron?", "docs/a.md"),
    ):
        assert library.search(query).results[0].entry.path == path, query


def test_of_versions_that_say_something_else_the_newer_comes_first(tmp_path: Path) -> None:
    text = "The valve lets through what comes"
    pages = {
        "v1/a.md": f"# Guide\n\n{text}. "
        "Then it stops all of it when no one looks at what it does here.\n",
        "v2/a.md": f"# Guide\n\n{text}. Since then it has learned to sing and to dance a little.\n",
    }
    answer = Library(tmp_path, t=pages).search("valve", aggregation=False)
    assert [one.entry.path for one in answer.results] == ["v2/a.md", "v1/a.md"]


def _section(path: str, title: str, score: float) -> Candidate:
    at, slug = int(10 * score), f"a{score}"
    entry = make_entry(
        position=at, last_position=at, path=path, title=title, slug=slug, kind="section"
    )
    return match(entry, score)


def _fold(*found: Candidate, **sizes: int) -> list[tuple[str, str, list[str]]]:
    """What is shown where texts are alike if the ends of their titles are, and for what it stands.

    `sizes` are the chunks of documents.
    """

    def read(entry: Entry) -> str:
        return f"{entry.title} {WORDS.replace('ten', entry.title[-1:])}"

    return [
        (one.entry.path, one.entry.title, [other.path for other in one.other_versions])
        for one in fold_repeats(found, read, read, lambda entry: sizes[entry.path])
    ]


def test_a_section_that_several_documents_have_is_shown_once_in_the_smallest() -> None:
    found = (
        _section("all.html", "9.2 Close", 4.0),
        _section("close.html", "1. Close", 3.9),
        _section("all.html", "9.1 Open", 3.0),
        _section("open.html", "1. Open", 2.9),
        _section("most.html", "8.1 Open", 2.5),
    )
    sizes = {"all.html": 9, "most.html": 8, "open.html": 2, "close.html": 2}
    assert _fold(*found, **sizes) == [
        ("close.html", "1. Close", ["all.html"]),
        ("open.html", "1. Open", ["all.html", "most.html"]),
    ]


def test_a_page_of_its_own_is_shown_before_a_smaller_list_of_all_pages() -> None:
    in_list, page = _section("list.html", "1. Open", 4.0), _section("open.html", "Open", 3.9)
    page = page._replace(entry=page.entry._replace(section_path=("Open",)))
    assert _fold(in_list, page, **{"list.html": 2, "open.html": 9}) == [
        ("open.html", "Open", ["list.html"])
    ]


def test_what_answers_better_is_shown_whatever_the_size_of_its_document() -> None:
    found = _section("large.html", "2. Open", 4.0), _section("small.html", "Open", 3.0)
    assert _fold(*found, **{"large.html": 9, "small.html": 1}) == [
        ("large.html", "2. Open", ["small.html"])
    ]


def test_what_is_called_otherwise_stays_and_what_one_document_repeats_is_shown_once() -> None:
    found = (
        _section("a.html", "Open", 4.0),
        _section("a.html", "Open", 3.0),
        _section("b.html", "Open all", 2.0),
    )
    assert [path for path, *_ in _fold(*found, **{"a.html": 2, "b.html": 1})] == [
        "a.html",
        "b.html",
    ]


def _manual(name: str, verb: str) -> dict[str, str]:
    """A page of a manual, as it is written and as it is published with more around it."""
    sections = {
        "Synopsis": f"`{name} [--valve]`",
        "Description": f"{verb} the valve of a basin.",
        "Options": f"`--valve`: the valve to {verb.lower()} first.",
    }
    source = "".join(f"## {title}\n\n{text}\n\n" for title, text in sections.items())
    page = "".join(f"<h2>{title}</h2><p>{text}</p>" for title, text in sections.items())
    return {
        f"src/{name}.md": f"# {name}(1)\n\n{source}",
        f"built/{name}.html": f"<html><title>{name}(1)</title><body><h1>{name}(1) Manual Page</h1>"
        f"{page}<h2>Author</h2><p>{name} was written long ago.</p></body></html>",
    }


def test_a_document_in_two_formats_is_shown_in_one(tmp_path: Path) -> None:
    library = Library(tmp_path, t=_manual("lock", "Closes") | _manual("flush", "Opens"))
    found = library.search("valve", aggregation=False).results
    assert {one.entry.path for one in found} == {"src/lock.md", "src/flush.md"}
    for one in found:
        assert [other.title for other in one.other_versions] == [one.entry.title]
        assert one.other_versions[0].path.startswith("built/")
    (author,) = library.search("written long ago lock", aggregation=False, strict=True).results
    assert author.entry.path == "built/lock.html"


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(
            {
                "a.md": _manual("a", "Opens")["src/a.md"],
                "b.html": _manual("b", "x")["built/b.html"],
            },
            id="pages of one form about two commands",
        ),
        pytest.param(
            {"a.md": "# Valve\n\nHow the valve is made.\n", "a.txt": "The valve was mended.\n"},
            id="documents without sections",
        ),
        pytest.param(
            {
                "v1/a.md": _manual("a", "Opens")["src/a.md"],
                "v2/a.html": _manual("a", "Closes and shuts at once")["built/a.html"],
            },
            id="two versions",
        ),
    ],
)
def test_what_is_only_called_alike_is_no_other_format(
    tmp_path: Path, pages: dict[str, str]
) -> None:
    found = Library(tmp_path, t=pages).search("valve", aggregation=False).results
    assert {one.entry.path for one in found} == set(pages)
    assert not any(one.other_versions for one in found)


def test_only_versions_of_one_page_have_a_filter(tmp_path: Path) -> None:
    text = f"# 1. Valves\n\nA valve opens and closes: {' '.join(map(str, range(30)))}.\n"
    other = f"# All\n\n{'Other things. ' * 400}\n\n#{text.replace('1.', '7.')}"
    answer = Library(tmp_path, t={"valves.md": text, "all.md": other}).search("valve")
    assert [one.entry.path for one in answer.results] == ["valves.md"]
    assert "versions" not in [hint.code for hint in answer.hints]


def test_part_of_a_result_stands_for_what_repeats_it(tmp_path: Path) -> None:
    opens, closes = (
        f"It {does} with a spanner: {' '.join(map(str, range(first, first + 30)))}.\n"
        for does, first in (("opens", 0), ("closes", 50))
    )
    page = (
        f"# Parts\n\nAll.\n\n## Valve\n\nIt.\n\n### Open\n\n{opens}\n### Close\n\n{closes}\n"
        "## Care\n\nOil.\n\n## Price\n\nHigh.\n"
    )
    others = "".join(f"## Other {n}\n\nOther things, {n}.\n\n" for n in range(9))
    book = f"# All\n\nText.\n\n## 7 Open\n\n{opens}\n{others}"
    (found,) = Library(tmp_path, t={"valves.md": page, "all.md": book}).search("spanner").results
    assert found.entry.id == "t:valves.md#valve"
    assert [one.id for one in found.other_versions] == ["t:all.md#7-open"]


def test_versions_that_are_joined_leave_no_place_of_a_page_empty(tmp_path: Path) -> None:
    lines = "\n".join(f"Line {number} tells of wort and yeast." for number in range(20))
    pages = {
        f"v{version}/beer{page}.md": f"# Beer {page}\n\n{lines}\nOnly {page} is about {page}.\n"
        for version in range(8)
        for page in "abcdefghijkl"
    }
    library = Library(tmp_path, t=pages)
    answers = [library.search("wort yeast", offset=offset) for offset in (0, 5, 10, 12)]
    assert [len(answer.results) for answer in answers] == [10, 7, 2, 0]
    assert "cut" not in {hint.code for answer in answers for hint in answer.hints}
    shown = {result.entry.path for answer in (answers[0], answers[2]) for result in answer.results}
    assert len(shown) == 12


def test_what_fills_a_page_in_another_order_has_its_place_in_it(tmp_path: Path) -> None:
    pages = {
        f"v{version}/beer{page}.md": f"# Beer {page}\n\n"
        + "\n".join(f"Line {line} of {page} tells of wort and yeast." for line in range(9 + at))
        for version in range(8)
        for at, page in enumerate("abcdefghijkl")
    }
    library = Library(tmp_path, t=pages)
    paths = [result.entry.path for result in library.search("wort yeast", sort="path").results]
    assert (len(paths), paths) == (10, sorted(paths))
