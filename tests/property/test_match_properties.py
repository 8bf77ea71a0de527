"""Match ranges against an oracle that analyses every body whole, for every kind of match."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.library import Library

from leafmark.index import IndexOptions
from leafmark.index.analysis import Analyzer, analyzer_for
from leafmark.model import Result

_WORDS = """
handling handles handle Handled nightly night Nächte naïve cafés 日本 日本語 ภาษา snake_case
std::vector e-mail the of how x configuration configured résumé İstanbul Straße don't v1.2 a\u0301
ม้าลาย हिन्दी re\u0301sume\u0301
"""
WORDS = _WORDS.split()

_QUERY_WORDS = """
handling|nightly|naive|naïve|日本|本語|snake_case|vector|case|the|confgiured|hadnling|configura*
night*|日*|handle~1|e-mail|café|1.2|"the handling"|"handles of"|"日本語"|"snake case"|straße
how|don't|ม้าลาย|हिन्दी|re\u0301sume\u0301
"""
QUERY_WORDS = _QUERY_WORDS.strip().replace("\n", "|").split("|")


@pytest.fixture(scope="module", params=["english", "german", None], ids=str)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Library:
    rng = random.Random(5)

    def some(most: int) -> str:
        words = rng.choices(WORDS, k=rng.randint(1, most))
        return "".join(
            word + rng.choice([" ", " ", ", ", "\n", "\r\n", "-", ". "]) for word in words
        )

    sources: dict[str, str | bytes] = {
        f"{number}.md": f"---\ntitle: {some(2).split()[0]}\n---\n# {some(2)!r}\n\n{some(60)}\n"
        for number in range(24)
    }
    sources["bad.md"] = b"# Bad\n\nhandling \xff\xfe nightly \xe6\x97 handled\n"
    library = Library(tmp_path_factory.mktemp("index"))
    library.settings = IndexOptions("ranges", {"t": request.param})
    library.put("t", sources)
    return library


def _results(results: Sequence[Result]) -> Iterator[Result]:
    for result in results:
        yield result
        yield from _results(result.constituents)


def _tokens(analyzer: Analyzer, body: bytes) -> dict[tuple[int, int], str]:
    """The terms of a body by their bytes, marks after them included.

    Bad bytes count one each, as in the file.
    """
    text = body.decode("utf-8", "surrogateescape")
    shown = text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    edges = [0]
    for character in shown:
        edges.append(edges[-1] + len(character.encode("utf-8", "surrogateescape")))
    plain = "".join("\ufffd" if "\ud800" <= one <= "\udfff" else one for one in shown)
    marks = {at for at, one in enumerate(plain) if unicodedata.category(one) in ("Mn", "Mc", "Me")}
    found = {}
    for token in analyzer.tokens(plain):
        end = next(at for at in range(token.end, len(plain) + 1) if at not in marks)
        found[edges[token.start], edges[end]] = token.term
    return found


@pytest.mark.parametrize("seed", range(40))
def test_a_range_is_one_of_a_term_that_was_looked_for(library: Library, seed: int) -> None:
    rng = random.Random(seed)
    queries = [
        " ".join(rng.choices(QUERY_WORDS, k=rng.randint(1, 3)))
        for _ in range(rng.choice([1, 1, 2]))
    ]
    wishes: dict[str, Any] = {"limit": 30, "cutoff_ratio": 0.0, "aggregation": rng.random() < 0.5}
    analyzer = analyzer_for(library.reader.languages[0].name)
    for result in _results(library.search(*queries, **wishes).results):
        body = result.body_bytes or b""
        tokens = _tokens(analyzer, body)
        ends = {end for _, end in tokens}
        starts = {start for start, _ in tokens}
        for start, end in result.match_ranges:
            # ranges that touch are one; so each begins with a token and ends with one
            assert start in starts, (queries, result.entry.id, body[start:end])
            assert end in ends, (queries, result.entry.id, body[start:end])
        marked = [result.snippet.text[start:end] for start, end in result.snippet.ranges]
        assert all(mark.strip() for mark in marked)
        assert not result.match_ranges or result.snippet.ranges


@pytest.mark.parametrize("word", ["handling", "nightly", "日本", "naïve", "snake_case", "straße"])
def test_every_place_of_a_word_is_marked(library: Library, word: str) -> None:
    analyzer = analyzer_for(library.reader.languages[0].name)
    wanted = analyzer.terms(word)
    answer = library.search(word, limit=50, cutoff_ratio=0.0, fuzzy_distance=0, aggregation=False)
    assert answer.results
    for result in answer.results:
        body = result.body_bytes or b""
        skipped = body.find(b"---\n", 4) + 4 if body.startswith(b"---") else 0
        places = sorted(_tokens(analyzer, body).items())
        terms = [term for _, term in places]
        expected: set[int] = set()
        for at in range(len(places) - len(wanted) + 1):
            here = places[at : at + len(wanted)]
            if terms[at : at + len(wanted)] == wanted and here[0][0][0] >= skipped:
                expected |= {byte for (start, end), _ in here for byte in range(start, end)}
        marked = {byte for start, end in result.match_ranges for byte in range(start, end)}
        assert marked == expected, (word, result.entry.id)


def test_stop_words_are_marked_only_where_nothing_else_is_asked(tmp_path: Path) -> None:
    library = Library(
        tmp_path, t={"a.md": "# A\n\nThe mirror of the share.\n", "b.md": "# Mirror\n\nThe one.\n"}
    )
    marked = {}
    for result in library.search("the mirror", aggregation=False, cutoff_ratio=0.0).results:
        body = result.body_bytes or b""
        marked[result.entry.id] = [body[start:end] for start, end in result.match_ranges]
    assert marked["t:a.md#a"] == [b"mirror"]
    assert marked["t:b.md#mirror"] == []  # it is the title that matches
    for result in library.search("the of", aggregation=False, cutoff_ratio=0.0).results:
        body = result.body_bytes or b""
        marked[result.entry.id] = [body[start:end] for start, end in result.match_ranges]
    assert marked["t:a.md#a"] == [b"The", b"of", b"the"]
    (result,) = library.search('"of the share"', aggregation=False).results
    assert [(result.body_bytes or b"")[start:end] for start, end in result.match_ranges] == [
        b"of",
        b"the",
        b"share",
    ]


def test_no_highlight_tears_a_mark_from_its_letter(tmp_path: Path) -> None:
    """The analyzer drops the tone mark of the first letter."""
    library = Library(tmp_path, t={"a.md": "# A\n\nวิ่ง ม้าลายวิ่ง\n"})
    (result,) = library.search("ม้าลาย", aggregation=False).results
    assert [
        (result.body_bytes or b"")[start:end].decode() for start, end in result.match_ranges
    ] == ["ม้าลาย"]
    assert result.snippet.html == "วิ่ง <b>ม้าลาย</b>วิ่ง"
