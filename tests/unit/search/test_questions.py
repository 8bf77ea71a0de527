"""Questions: stop words need not match, and what matches some words fills up behind."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from support.library import Library

from leafmark.index.analysis import LANGUAGES
from leafmark.model import Hint
from leafmark.query import parse_query
from leafmark.render.hint_texts import word_hint
from leafmark.search import SearchOptions, search
from leafmark.search.stop_words import stop_words

SOURCES = {
    "a.md": "# Retries\n\nConfigure how often the client tries again.\n",
    "b.md": "# Client\n\nThe client talks to the server.\n",
    "c.md": "# Server\n\nRestart the server nightly.\n",
    "d.md": "# To be\n\nTo be or not to be.\n",
    "e.md": "# Logging out\n\nLog in first.\n",
}


DOUBT = Hint("doubtful")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("index"), t=SOURCES)


def _tiers(library: Library, *queries: str, **params: Any) -> tuple[list[str], list[str]]:
    """The ids of strict and of relaxed results, without the name of the tree."""
    flat: dict[str, Any] = {"aggregation": False, "cutoff_ratio": 0.0}
    results = library.search(*queries, **(flat | params)).results
    ids = [(result.relaxed, result.entry.id.removeprefix("t:")) for result in results]
    assert [relaxed for relaxed, _ in ids] == sorted(relaxed for relaxed, _ in ids)
    return [name for relaxed, name in ids if not relaxed], [n for relaxed, n in ids if relaxed]


def test_stop_words_need_not_match(library: Library) -> None:
    strict, _ = _tiers(library, "how do I configure the retries?", strict=True)
    assert strict == ["a.md#retries"]


def test_a_name_in_a_title_is_found_by_its_parts(tmp_path: Path) -> None:
    sources = {"a.md": "# API\n\n## printRoutes()\n\nPrints a tree.\n", "b.md": "Some routes.\n"}
    library = Library(tmp_path, t=sources)
    assert library.find("title:routes") == ["a.md#printroutes"]
    assert library.find('"print routes"') == ["a.md#printroutes"]
    assert library.find("printRoutes") == ["a.md#printroutes"]
    assert library.find("body:print -title:routes") == []
    document = next(one for one in library.search("routes").results if one.entry.path == "a.md")
    assert (document.entry.id, document.whole) == ("t:a.md", False)
    assert [part.entry.title for part in document.with_constituents()][-1] == "printRoutes()"


@pytest.mark.parametrize(
    ("query", "strict"),
    [
        ('"the client"', ["a.md#retries", "b.md#client"]),
        ('"how" client', ["a.md#retries"]),
        ('"how" server', []),
        ("body:the client", ["b.md#client", "a.md#retries"]),
        ("to be", ["d.md", "d.md#to-be"]),
        ("not", ["d.md#to-be"]),
        ("the client AND how", ["a.md#retries"]),
        ("the client AND nightly", []),
    ],
)
def test_stop_words_that_are_stated_must_match(
    library: Library, query: str, strict: list[str]
) -> None:
    assert sorted(_tiers(library, query, strict=True)[0]) == sorted(strict)


def test_a_stop_word_counts_where_a_keyword_query_has_it(library: Library) -> None:
    """`log out` asks for `log`, and what has both words comes first."""
    strict, _ = _tiers(library, "log out")
    assert set(strict[:2]) == {"e.md", "e.md#logging-out"}


def test_what_matches_some_words_fills_the_list(library: Library) -> None:
    strict, relaxed = _tiers(library, "configure retries server nightly")
    assert strict == []
    assert set(relaxed) >= {"a.md#retries", "c.md#server"}
    assert _tiers(library, "configure retries server nightly", strict=True) == ([], [])


def test_strict_matches_come_first_whatever_they_score(library: Library) -> None:
    strict, relaxed = _tiers(library, "client server")
    assert strict == ["b.md#client"]
    assert {"c.md#server", "c.md", "b.md"} <= set(relaxed)


def test_enough_strict_matches_are_not_filled_up(library: Library) -> None:
    assert _tiers(library, "client server", limit=1) == (["b.md#client"], [])


@pytest.mark.parametrize(
    ("share", "found"), [(0.0, True), (0.25, True), (0.5, True), (0.51, False)]
)
def test_the_share_of_words_that_must_match(library: Library, share: float, found: bool) -> None:
    """Two of these four words stand in one chunk, never three."""
    _, relaxed = _tiers(library, "configure retries nightly zebras", relax_share=share)
    assert ("a.md#retries" in relaxed) is found


@pytest.mark.parametrize(
    "query",
    [
        "quantum chromodynamics lagrangian",
        "zzzqqx blorft",
        "what is the mass of a neutron?",
        "zqx jkv wvb",
        "cliente~0 xyzzyx",
    ],
)
def test_a_query_about_nothing_finds_nothing(library: Library, query: str) -> None:
    assert _tiers(library, query) == ([], [])


def test_a_relaxed_match_does_not_rest_on_a_short_correction(library: Library) -> None:
    """`lag` is one letter from `log`, which is no reason to show what logs out."""
    assert _tiers(library, "lag zebra") == ([], [])
    assert _tiers(library, "servre zebra")[1] != []


def test_a_stated_part_is_not_relaxed(library: Library) -> None:
    _, relaxed = _tiers(library, '"talks to" retries zebra nightly')
    assert relaxed == []
    _, relaxed = _tiers(library, '"talks to" client zebra')
    assert relaxed == ["b.md#client"]
    strict, relaxed = _tiers(library, "client OR zebra")
    assert (set(strict), relaxed) == ({"b.md", "b.md#client", "a.md#retries"}, [])


def _hints(library: Library, *queries: str, **params: Any) -> tuple[Hint, ...]:
    """The hints as they are worded, but for the counts of what is not shown."""
    return worded(library.search(*queries, **params).hints)


def worded(hints: Iterable[Hint]) -> tuple[Hint, ...]:
    kept = (hint for hint in hints if hint.code not in ("more", "cut"))
    return tuple(Hint(hint.code, word_hint(hint)) for hint in kept)


@pytest.mark.parametrize("sort", ["path", "mtime", "score"])
@pytest.mark.parametrize("limit", [2, 10])
def test_what_matches_all_words_comes_first_in_any_order(
    tmp_path: Path, sort: str, limit: int
) -> None:
    sources = {"a.md": "one lion\n", "b.md": "one zebra\n", "c.md": "zebra and lion\n"}
    answer = Library(tmp_path, t=sources).search("lion zebra", sort=sort, limit=limit)
    first, *others = [result.entry.path for result in answer.results]
    assert first == "c.md"
    assert others == ["a.md", "b.md"][: limit - 1] or sort != "path"
    assert worded(answer.hints) == (
        Hint("relaxed", "the last results match some of the words only; --strict leaves these out"),
    )


def test_hints_are_true_where_a_model_has_put_some_first(tmp_path: Path) -> None:
    sources = {"a.md": "one lion\n", "b.md": "one zebra\n", "c.md": "zebra and lion\n"}
    library = Library(tmp_path, t=sources)
    for limit in (2, 10):
        answer = search(
            library.reader,
            [parse_query("lion zebra")],
            SearchOptions(limit=limit),
            read_source=library.read,
            rerank=lambda texts: [float("and" not in text) for text in texts],
        )
        assert [one.relaxed for one in answer.results] == [True, True, False][:limit]
        assert worded(answer.hints) == (
            Hint("relaxed", "some results match some of the words only; --strict leaves these out"),
        )


def test_hints_say_what_was_done(library: Library) -> None:
    relaxed = "--strict leaves these out"
    assert _hints(library, "client") == ()
    assert _hints(library, "client server") == (
        Hint("relaxed", f"the last results match some of the words only; {relaxed}"),
    )
    assert _hints(library, "nightly retries zebras") == (
        *worded([DOUBT]),
        Hint("unknown-word", "“zebras” occurs nowhere"),
        Hint("relaxed", "nothing matches all words; the results match some of them"),
    )
    assert _hints(library, "recofigure", strict=True) == (
        Hint("unknown-word", "“recofigure” occurs nowhere"),
    )
    assert _hints(library, "cleint", strict=True) == (
        Hint("corrected", "“cleint” occurs nowhere; searched for client"),
    )
    assert _hints(library, "=>") == (
        Hint("no-words", "the query holds no word that can be looked up"),
    )
    assert _hints(library, "client", "server") == (
        Hint(
            "topics",
            "each argument was searched as a topic of its own; "
            "put the words into one pair of quotes to require them together",
        ),
    )
    assert _hints(library, "the client", "server") == ()


@pytest.mark.parametrize(
    ("query", "matched", "option"),
    [
        ("client nightly", "some of them", None),
        ('"client talks" server nightly', "the quoted text and some of the other words", None),
        ("client -be nightly", "some of them", None),
        ("client nightly -title:be -restarting", "some of them", None),
    ],
)
def test_what_else_was_asked_of_relaxed_matches_is_told(
    library: Library, query: str, matched: str, option: str | None
) -> None:
    said = f"nothing matches all words; the results match {matched}"
    hints = [hint for hint in _hints(library, query) if hint.code in ("relaxed", "option")]
    expected = [Hint("relaxed", said), *([Hint("option", option)] if option else [])]
    assert hints == expected


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("log -S", '-S leaves out what holds “S”; "-S" in quotes looks for it'),
        ("log -G", None),  # nothing holds it
        ("log -S -nas", '-S leaves out what holds “S”; "-S" in quotes looks for it'),
        ("log -nas", None),
        ("-S zeppelin", None),  # nothing is found
    ],
)
def test_a_letter_that_left_something_out_is_told_beside_matches(
    tmp_path: Path, query: str, told: str | None
) -> None:
    sources = {"a.md": "log -S text, nas\n", "b.md": "log --graph\n", "c.md": "log -S, too\n"}
    hints = _hints(Library(tmp_path, t=sources), query)
    assert [each.message for each in hints if each.code == "option"] == ([told] if told else [])


def _no_field(names: str, words: str, key: str) -> Hint:
    said = f"no field is called {names}, so {words} taken as text"
    return Hint("unknown-field", f"{said}; write meta.{key}: for a key of the front matter")


def test_a_name_that_no_field_has_is_told(library: Library) -> None:
    once = _no_field("talks", "“talks:to” was", "talks")
    assert _hints(library, "talks:to")[0] == once
    assert _hints(library, "title:server OR (talks:to)^2")[0] == once
    assert _hints(library, "client -talks:to", strict=True) == (once,)
    assert _hints(library, "client", "talks:t*") == (_no_field("talks", "“talks:t*” was", "talks"),)
    assert _hints(library, r"talks\:to")[:1] != (once,)
    assert _hints(library, '"talks:to"')[:1] != (once,)
    several = "the:client OR talks:to OR talks:x OR retries:y OR so:z"
    assert _hints(library, several, strict=True)[0] == _no_field(
        "the or talks or retries", "“the:client” and “talks:to” and “retries:y” were", "the"
    )


def test_an_id_in_a_query_is_said_to_be_one(tmp_path: Path) -> None:
    library = Library(
        tmp_path, docs={"a.md": "# A\n\nThe client.\n\n# B\n\nText.\n\n# C\n\nText.\n"}
    )
    for query in ("docs:a.md#a", "client docs:a.md#a"):
        hint = next(each for each in _hints(library, query) if each.code == "unknown-field")
        assert hint.message == (
            "no field is called docs, so “docs:a.md#a” was taken as text; "
            "write id:docs:a.md#a for the chunk with that id, or tree:docs to search that tree"
        )
    assert [each.entry.id for each in library.search("id:docs:a.md#a").results] == ["docs:a.md#a"]


def test_a_word_with_a_colon_means_what_it_means_in_a_text(library: Library) -> None:
    expected = _tiers(library, '"talks to"', strict=True)
    assert expected[0] != []
    for query in ("talks:to", r"talks\:to", "talks::to"):
        assert _tiers(library, query, strict=True) == expected


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_has_stop_words(language: str) -> None:
    words = stop_words(language)
    assert len(words) >= 50
    assert all(word == word.lower() and word.isprintable() and " " not in word for word in words)


def test_stop_words_are_those_of_the_index(tmp_path: Path) -> None:
    library = Library(tmp_path, t={})
    library.settings = type(library.settings)("german", {"t": "german"})
    library.put("t", {"a.md": "# Start\n\nDer Dienst startet.\n", "b.md": "# The die\n\ncast\n"})
    assert _tiers(library, "wie startet der Dienst?", strict=True)[0] == ["a.md#start"]
    assert _tiers(library, "the", strict=True)[0] != []


def test_two_languages_in_one_index(tmp_path: Path) -> None:
    """Each tree is searched by its own stems and stop words, filters and negations too."""
    library = Library(tmp_path, en={}, de={})
    library.settings = type(library.settings)("both", {"en": "english", "de": "german"})
    library.put("en", {"a.md": "Houses are built.\n", "b.md": "die cast toys\n"})
    library.put("de", {"c.md": "Die Häuser werden gebaut.\n", "d.md": "Spielzeug aus Blech\n"})
    assert library.find("house", strict=True) == ["a.md"]
    assert library.find("haus", strict=True) == ["c.md"]
    assert library.find("die toys", strict=True) == ["b.md"]
    assert library.find("die häuser", strict=True) == ["c.md"]
    assert sorted(library.find("house OR haus")) == ["a.md", "c.md"]
    assert library.find("tree:de -häuser") == ["d.md"]
    assert sorted(library.find("tree:de OR tree:en")) == ["a.md", "b.md", "c.md", "d.md"]
    for result in library.search("house OR haus", aggregation=False).results:
        assert result.match_ranges != ()


def test_a_correction_in_two_languages_is_told_once(bilingual: Library) -> None:
    bilingual.put("en", {"e.md": "# Create\n\nCreate a certain one.\n"})
    bilingual.put("de", {"f.md": "# Create\n\nCreate heißt erzeugen.\n"})
    (hint,) = [hint for hint in bilingual.search("crete").hints if hint.code == "corrected"]
    assert word_hint(hint) == "“crete” occurs nowhere; searched for create"


@pytest.fixture
def bilingual(tmp_path: Path) -> Library:
    library = Library(tmp_path, en={}, de={})
    library.settings = type(library.settings)("both", {"en": "english", "de": "german"})
    library.put("en", {"a.md": "# The die\n\nIt is cast, and how.\n"})
    library.put("de", {"c.md": "# Suche\n\nSo findet man, was man will.\n\n## Mehr\n\nDie Wie.\n"})
    return library


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Wie findet die Suche etwas?", "c.md#suche"),
        ("how is the die cast?", "a.md#the-die"),  # one stop word of German shows nothing
    ],
)
def test_the_stop_words_of_a_question_are_those_of_its_language_in_all_trees(
    bilingual: Library, question: str, found: str
) -> None:
    assert bilingual.find(question)[0] == found


def test_a_stop_word_of_one_language_is_not_said_to_occur_nowhere(bilingual: Library) -> None:
    for question in ("Was ist eine Giraffe?", "die Giraffe?"):
        hints = _hints(bilingual, question)
        assert Hint("unknown-word", "“Giraffe” occurs nowhere") in hints
        assert [hint.code for hint in hints].count("unknown-word") == 1


@pytest.mark.parametrize(
    ("query", "is_doubtful"),
    [
        ("restart the server nightly", False),  # strict
        ("configure client retries nightly", False),  # most of it is there
        ("server quantum chromodynamics lagrangian", True),
        ("xylophone quantum chromodynamics", False),  # nothing is found: nothing to doubt
        ("quantum nightli", True),  # all that is found is a guess
        ("restrat cliemt", True),  # some text has both, but both are guesses
        ("server nightli", False),
        ("server first restart", False),
        ("server first restrat", True),  # a guess holds less than the word itself
        ("client retries quantum", True),  # two of three words, or 0.6 of what they say
        ("how often does the client configure quantum retries chromodynamics", False),  # 4 of 6
        ('"->" configure client retries nightly', False),  # nothing to look for is in the quotes
    ],
)
def test_an_answer_that_holds_little_of_what_was_asked_is_doubtful(
    library: Library, query: str, is_doubtful: bool
) -> None:
    answer = library.search(query, relax_share=0.2)
    assert (DOUBT in answer.hints) is is_doubtful
    assert bool(answer.results) is (query != "xylophone quantum chromodynamics")


@pytest.mark.parametrize(
    ("text", "is_doubtful"),
    [
        ("The valve, the valve, a pump and the pump. Valves for pumps.", False),  # it is about them
        (f"The valve and the pump {' '.join(f'word{n}' for n in range(250))}.", True),
    ],
)
def test_words_that_are_only_mentioned_leave_a_doubt(
    tmp_path: Path, text: str, is_doubtful: bool
) -> None:
    others = {f"{n}.md": f"# Oil {n}\n\nOil of cask {n}.\n" for n in range(9)}
    library = Library(tmp_path, t=others | {"a.md": "# Fuel\n\nFuel.\n", "b.md": text})
    answer = library.search("fuel valve pump", relax_share=0.2)
    assert answer.results[0].relaxed
    assert (DOUBT in answer.hints) is is_doubtful


def test_an_answer_is_not_doubtful_where_one_match_lacks_only_a_common_word(tmp_path: Path) -> None:
    sources = {f"{number}.md": f"Oil of cask {number}.\n" for number in range(9)}
    library = Library(tmp_path, t=sources | {"b.md": "The valve, the pump and the hose.\n"})
    answer = library.search("oil valve pump hose", relax_share=0.2, cutoff_ratio=0.0)
    assert len(answer.results) > 3
    assert DOUBT not in answer.hints
    lacking = library.search("oil valve pump jerrycan", relax_share=0.2, cutoff_ratio=0.0)
    assert DOUBT in lacking.hints


def test_what_is_quoted_and_found_counts_against_doubt(tmp_path: Path) -> None:
    sources = {
        "a.md": "# Upload\n\nNo such bucket: the gateway refused it.\n",
        "b.md": "# Page\n\nThe page shows a button.\n",
        "c.md": "# Deployment\n\nEach deployment shows its gateway.\n",
    }
    library = Library(tmp_path, t=sources)
    asked = '"no such bucket" shows at the gateway'
    answer = library.search(asked)
    assert [(result.entry.id, result.relaxed) for result in answer.results] == [("t:a.md", True)]
    assert DOUBT not in answer.hints
    assert DOUBT in library.search(f"{asked} deployment quantum chromodynamics").hints


def test_an_answer_is_no_more_doubtful_where_another_topic_is_answered(library: Library) -> None:
    codes = [
        hint.code
        for hint in library.search(
            "server quantum chromodynamics lagrangian", "restart nightly", relax_share=0.2
        ).hints
    ]
    assert "doubtful" not in codes


@pytest.mark.parametrize("query", ["lamps vs lanterns", "lamp versus lantern"])
def test_what_is_compared_counts_not_that_it_is(tmp_path: Path, query: str) -> None:
    sources = {
        "both.md": "# Light\n\nA lamp stands still, and a lantern is carried by somebody.\n",
        "other.md": "# Oil vs gas\n\nOil versus gas: the one for a lamp, the other not at all.\n",
    }
    assert Library(tmp_path, t=sources).search(query).results[0].entry.path == "both.md"
