"""What an answer carries: texts, ranges, snippets, citations, duplicates, phases."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from support.library import Library

from leafmark.model import Answer, Phase, Result
from leafmark.render.hint_texts import word_hint
from leafmark.search.citations import format_citation

SOURCES: dict[str, str | bytes] = {
    "guide.md": (
        "---\ntitle: Guide\ntags: [setup]\n---\nPreamble words.\n\n# Guide\n\n"
        "Install it with pip. Configuring happens later.\n\n## Error handling\n\n"
        "Handlers handle errors. An error-handling handler handles.\n\n## Other\n\nNothing.\n"
    ),
    "bytes.md": "# Bytes\n\nÄöü café ".encode() + b"\xff wort, " + "naïve wort.\n".encode(),
    "cjk.md": "# 日本\n\n全文検索エンジンは検索が速い。\n",
    "crlf.md": b"# Lines\r\n\r\none\r\n\r\ntwo needles\r\rthree\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("index"), t=SOURCES)


def _one(answer: Answer, name: str) -> Result:
    return next(result for result in answer.results if result.entry.id == f"t:{name}")


def _marked(library: Library, query: str, name: str, **params: Any) -> list[str]:
    """The bytes of the body that matched, as text."""
    flat: dict[str, Any] = {"aggregation": False, "cutoff_ratio": 0.0}
    result = _one(library.search(query, **(flat | params)), name)
    assert result.body_bytes is not None
    ends = 0
    for start, end in result.match_ranges:
        assert ends <= start < end
        ends = end
    return [
        result.body_bytes[start:end].decode("utf-8", "replace")
        for start, end in result.match_ranges
    ]


@pytest.mark.parametrize(
    ("query", "name", "marked"),
    [
        ("configure", "guide.md#guide", ["Configuring"]),
        ("handle", "guide.md#error-handling", ["handle", "handling", "handles"]),
        ("handle~0", "guide.md#error-handling", ["handle", "handling", "handles"]),
        ('"error handling"', "guide.md#error-handling", ["error", "handling"]),
        ("error-handling", "guide.md#error-handling", ["error", "handling"]),
        ("erors", "guide.md#error-handling", ["errors", "error"]),
        (
            "handl*",
            "guide.md#error-handling",
            ["Handlers", "handle", "handling", "handler", "handles"],
        ),
        ("handling*", "guide.md#error-handling", ["handling"]),
        ("title:error", "guide.md#error-handling", []),
        ("errors -nothing", "guide.md#error-handling", ["errors", "error"]),
        ("検索", "cjk.md#日本", ["検索", "検索"]),
        ("wort", "bytes.md#bytes", ["wort", "wort"]),
        ("naïve", "bytes.md#bytes", ["naïve"]),
        ("preamble", "guide.md", ["Preamble"]),
        ("setup", "guide.md", []),
    ],
)
def test_match_ranges(library: Library, query: str, name: str, marked: list[str]) -> None:
    assert _marked(library, query, name) == marked


def test_a_phrase_is_marked_only_where_it_stands(tmp_path: Path) -> None:
    text = "fox quick. " + "x " * 300 + "the quick\nbrown - fox, brown quick fox"
    library = Library(tmp_path, t={"a.txt": text})
    (result,) = library.search('"quick brown fox"').results
    data = text.encode()
    assert [data[a:b] for a, b in result.match_ranges] == [b"quick", b"brown", b"fox"]
    assert result.snippet.html.endswith(
        "the <b>quick</b> <b>brown</b> - <b>fox</b>, brown quick fox"
    )


def test_front_matter_is_never_in_a_snippet(library: Library) -> None:
    result = _one(library.search("setup", aggregation=False), "guide.md")
    assert result.snippet.text == "Preamble words."
    assert result.body is not None
    assert result.body.startswith("---\ntitle: Guide\n")


def test_bytes_that_are_not_text_are_shown_as_such(library: Library) -> None:
    result = _one(library.search("wort", aggregation=False), "bytes.md#bytes")
    assert result.snippet.html == "Äöü café \ufffd <b>wort</b>, naïve <b>wort</b>."
    assert result.body == "\nÄöü café \ufffd wort, naïve wort.\n"


def test_lines_and_columns_of_a_body(library: Library) -> None:
    result = _one(library.search("needles", aggregation=False), "crlf.md#lines")
    assert result.body_places == ((2, 1),)


def test_citations_hash_the_span(library: Library) -> None:
    for result in library.search("errors OR wort").results:
        data = library.read(result.document)
        assert data is not None
        assert result.citation is not None
        name, _, rest = result.citation.rpartition("@")
        digest, _, extent = rest.partition(":")
        start, _, end = extent.partition("-")
        span = data[int(start) : int(end)]
        assert name == result.entry.id
        assert hashlib.sha256(span).hexdigest() == result.span_sha256
        assert result.span_sha256 is not None
        assert result.span_sha256.startswith(digest)
        assert len(digest) == 12


@pytest.mark.parametrize(
    ("name", "cited"),
    [
        ("t:a b.md", "t:a%20b.md"),
        ("t:a(1)[x].md#it’s", "t:a%281%29%5Bx%5D.md#it%E2%80%99s"),
        ("t:naïve/日本.md#x", "t:naïve/日本.md#x"),
        ("t:a%25.md", "t:a%25.md"),
    ],
)
def test_a_citation_ends_where_it_stands(name: str, cited: str) -> None:
    assert format_citation(name, "f" * 64, 1, 20) == f"{cited}@ffffffffffff:1-20"


def test_aggregates_keep_their_parts(library: Library) -> None:
    answer = library.search("errors nothing", cutoff_ratio=0.0)
    (result,) = answer.results
    assert result.entry.id == "t:guide.md"
    assert result.relaxed
    assert [one.entry.id for one in result.constituents] == ["t:guide.md#guide"]
    inner = result.constituents[0].constituents
    assert {one.entry.id for one in inner} == {"t:guide.md#error-handling", "t:guide.md#other"}
    assert all(one.snippet.ranges for one in inner)
    assert result.snippet == result.constituents[0].snippet == inner[0].snippet


def test_the_snippet_of_an_aggregate_is_its_own_match(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"a.md": "# A\n\nown needle\n\n## B\n\nneedle below\n"})
    (result,) = library.search("needle").results
    assert result.constituents
    names = {result.entry.id: result}
    while result.constituents:
        result = result.constituents[0]
        names[result.entry.id] = result
    assert names["t:a.md#a"].snippet.html == "own <b>needle</b>"


def test_a_document_that_matches_as_a_whole(library: Library) -> None:
    (result,) = library.search("tags:setup", cutoff_ratio=0.9, candidate_limit=1, limit=1).results
    answer = library.search("id:t:guide.md tags:setup", aggregation=False)
    assert [one.whole for one in answer.results] == [True]
    assert not result.whole or not result.constituents
    assert [one.whole for one in library.search("preamble", aggregation=False).results] == [False]
    assert [one.whole for one in library.search("id:t:guide.md").results] == [False]


@pytest.mark.parametrize("query", ["harbor", "tags:harbor", "path:ships.md harbor"])
def test_a_large_document_that_matches_by_path_or_tags_alone_is_one_result(
    tmp_path: Path, query: str
) -> None:
    def text(title: str, first: int) -> str:
        said = (f"{f'Words of number {number} stand here. ' * 40}" for number in range(first, 9))
        parts = "".join(f"## Part {number}\n\n{words}\n\n" for number, words in enumerate(said))
        return f"---\ntags: [harbor]\n---\n# {title}\n\n{parts}"

    sources = {"ships.md": text("Ships", 3), "boats.md": text("Boats", 4)}
    library = Library(tmp_path, t=sources)
    answer = library.search(query)
    found = {(one.entry.id, one.whole, one.constituents) for one in answer.results}
    assert ("t:ships.md", True, ()) in found
    assert len(found) == (1 if "ships" in query else 2)


def test_a_document_as_a_whole_shows_how_it_begins(tmp_path: Path) -> None:
    files = {
        "clock.md": "# Clock\n\nQuartz runs slow in the cold.\n\n## Winter\n\nA watch stops.\n",
        "lamp.md": "Gas gives a soft light.\n\n# Lamp\n\nIt burns all night.\n",
    }
    library = Library(tmp_path, t=files)
    for query, begins in (("clock", "Quartz runs slow"), ("lamp", "Gas gives a soft")):
        [result] = library.search(query).results
        assert (result.whole, result.constituents, result.match_ranges) == (True, (), ())
        assert result.snippet.text.startswith(begins)
        assert result.snippet.ranges == ()


def test_no_document_matches_as_a_whole_whose_sections_match_by_title(tmp_path: Path) -> None:
    text = "---\ntitle: Tents\n---\n\nRead on.\n\n# Buying a tent\n\nx\n\n# Mending a tent\n\ny\n"
    library = Library(tmp_path, t={"tents.md": text})
    for query in ("title:tent", 'title:"a tent"', "title:ten*", "title:(tent OR yurt)"):
        (result,) = library.search(query).results
        below = {one.entry.title for one in result.constituents}
        assert (result.whole, below) == (False, {"Buying a tent", "Mending a tent"}), query
        assert not any(one.match_ranges for one in result.constituents)
    assert not library.search("title:tent body:read").results[0].constituents


def test_no_document_matches_as_a_whole_beside_a_section_that_does(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"harbor.md": "Words.\n\n# One\n\nharbor\n\n# Two\n\nx\n"})
    answer = library.search("harbor", aggregation=False, cutoff_ratio=0.0)
    found = {one.entry.id: one.whole for one in answer.results}
    assert found.keys() == {"t:harbor.md", "t:harbor.md#one", "t:harbor.md#two"}
    assert not any(found.values())
    library = Library(tmp_path / "2", t={"harbor.md": "Words.\n\n# One\n\nx\n\n# Two\n\ny\n"})
    answer = library.search("harbor", aggregation=False, cutoff_ratio=0.0)
    assert {one.entry.id: one.whole for one in answer.results} == {
        "t:harbor.md": True,
        "t:harbor.md#one": False,
        "t:harbor.md#two": False,
    }


def test_a_changed_source_has_no_texts(tmp_path: Path) -> None:
    library = Library(tmp_path, t={"a.md": "# A\n\napple\n", "b.md": "# B\n\napple pie\n"})
    library.texts["t", "a.md"] = "# C\n\nno fruit at all\n"
    answer = library.search("apple", aggregation=False, cutoff_ratio=0.0)
    stale, fresh = sorted(answer.results, key=lambda result: result.entry.id)
    assert (stale.stale, fresh.stale) == (True, False)
    assert (stale.body, stale.body_bytes, stale.citation, stale.span_sha256) == (None,) * 4
    assert (stale.snippet.text, stale.match_ranges, stale.body_places) == ("", (), ())
    assert fresh.body == "\napple pie\n"
    message = (
        "a result is from a source that has changed since, or cannot be read now; "
        "`leafmark index` says which"
    )
    assert [word_hint(hint) for hint in answer.hints] == [message]


def test_equal_texts_are_shown_once(tmp_path: Path) -> None:
    text = "# A\n\napple\n"
    library = Library(tmp_path, t={"b.md": text, "a.md": text, "c.md": "# C\n\nother apple\n"})
    answer = library.search("apple", aggregation=False, cutoff_ratio=0.0)
    assert [(one.entry.id, one.also_in) for one in answer.results] == [
        ("t:a.md#a", ("t:b.md#a",)),
        ("t:c.md#c", ()),
    ]
    library.texts["t", "b.md"] = "changed"
    ids = [one.entry.id for one in library.search("apple", aggregation=False).results]
    assert ids == ["t:a.md#a", "t:b.md#a", "t:c.md#c"]


def test_topics_are_joined(library: Library) -> None:
    answer = library.search("pip", "later", "needles", aggregation=False)
    both = _one(answer, "guide.md#guide")
    assert both.body_bytes is not None
    assert [both.body_bytes[a:b] for a, b in both.match_ranges] == [b"pip", b"later"]
    assert both.snippet.html == ("Install it with <b>pip</b>. Configuring happens <b>later</b>.")
    assert [one.entry.id for one in answer.results if one.entry.path == "crlf.md"] == [
        "t:crlf.md#lines"
    ]
    assert answer.expressions == ("pip", "later", "needles")


def test_a_topic_without_a_result_is_named(library: Library) -> None:
    def told(*topics: str, **params: Any) -> list[str]:
        hints = library.search(*topics, **params).hints
        return [word_hint(hint) for hint in hints if hint.code == "missing-topic"]

    topics = ("error handling", "needles two", "zeppelin hangar")
    behind = "no result is for “{}”, as others match better; search for it by itself"
    found = library.search(*topics[:2]).results
    assert (found[0].entry.path, found[-1].entry.path) == ("guide.md", "crlf.md")
    assert told(*topics[:2]) == []
    assert told(*topics) == ["no result is for “zeppelin hangar”"]
    assert told(*topics[:2], limit=1) == [behind.format("needles two")]
    assert told("zeppelin hangar", "airship mast") == []
    assert told("error handling", "path:crlf", limit=1) == []


def test_phases_and_counts(library: Library) -> None:
    answer = library.search("errors", "wort")
    assert [phase.name for phase in answer.phases] == [
        "candidates",
        "cutoff",
        "topics",
        "aggregation",
        "introductions",
        "large",
        "ancestors",
        "duplicates",
        "documents",
        "limit",
    ]
    assert answer.phases[0] == Phase("candidates", 2, 2)
    assert answer.counts["returned"] == len(answer.results)
    assert list(answer.counts) == [
        "candidates",
        "after_cutoff",
        "after_aggregation",
        "ranked",
        "returned",
    ]
    for before, after in zip(answer.phases[1:], answer.phases[2:], strict=False):
        assert before.after == after.before


def _large_guide(tmp_path: Path) -> Library:
    steps = [f"## Step {number}\n\n{'Turn the wheel. ' * 60}\n" for number in range(4)]
    text = "# Mill\n\nA mill grinds corn.\nIt needs wind.\n\n" + "\n".join(steps)
    return Library(tmp_path, t={"mill.md": text})


def test_an_introduction_is_cited_and_read_by_itself(tmp_path: Path) -> None:
    library = _large_guide(tmp_path)
    (result,) = library.search("corn").results
    assert (result.id, result.introduction, result.whole) == ("t:mill.md#mill", True, False)
    assert result.body == "\nA mill grinds corn.\nIt needs wind.\n\n"
    entry = result.entry
    source = library.texts["t", "mill.md"]
    assert isinstance(source, str)
    assert source[: entry.byte_end].endswith("It needs wind.\n\n")
    assert (entry.line_start, entry.line_end) == (1, 5)
    cited = hashlib.sha256(source[entry.byte_start : entry.byte_end].encode()).hexdigest()
    assert result.citation == format_citation(result.id, cited, entry.byte_start, entry.byte_end)


def test_the_snippet_of_an_aggregate_shows_its_own_match_where_no_constituent_has_one(
    tmp_path: Path,
) -> None:
    """Its own match was cut off; the sections below it match by their titles alone."""
    own = f"{'word ' * 90}quern {'word ' * 90}"
    library = Library(tmp_path, t={"mill.md": f"{own}\n\n## Stones of a quern\n\nTurn.\n"})
    (result,) = library.search("quern", cutoff_ratio=0.9).results
    assert result.id == "t:mill.md"
    (part,) = result.constituents
    assert (part.id, part.match_ranges) == ("t:mill.md#stones-of-a-quern", ())
    assert [result.snippet.text[start:end] for start, end in result.snippet.ranges] == ["quern"]


@pytest.mark.parametrize(("sort", "paths"), [("path", ["a", "b", "c"]), ("score", ["c", "a", "b"])])
def test_sorting(tmp_path: Path, sort: str, paths: list[str]) -> None:
    texts = {"a.txt": "word one two", "b.txt": "word one two three", "c.txt": "word"}
    library = Library(tmp_path, t=texts)
    results = library.search("word", sort=sort).results
    assert [one.entry.path[0] for one in results] == paths
    assert [one.rank for one in results] == [1, 2, 3]


@pytest.mark.parametrize("other", ["", " All is said."])
def test_what_stands_for_copies_and_versions_is_for_their_topics_too(
    tmp_path: Path, other: str
) -> None:
    text = "# Oil\n\nThe lantern needs a wick and some oil.\n" + "Trim it at dusk by hand. " * 9
    library = Library(tmp_path, t={"1.0/a.md": text, "2.0/a.md": text + other})
    for topics in (("lantern path:1.0/", "wick path:2.0/"), ("wick path:1.0/", "oil path:2.0/")):
        answer = library.search(*topics)
        assert len(answer.results) == 1
        assert [hint.code for hint in answer.hints if hint.code == "missing-topic"] == []
