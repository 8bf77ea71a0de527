"""Search over generated queries and texts, against oracles that are slow and obvious."""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.library import Library
from support.matcher import Chunk, distance, matches

from leafmark.index import IndexOptions, IndexReader
from leafmark.index.analysis import Analyzer, analyzer_for
from leafmark.index.embedded.querying import Vocabulary, within_distance
from leafmark.index.folding import bare
from leafmark.query import (
    Expression,
    Field,
    Filter,
    Fuzzy,
    Not,
    Phrase,
    Prefix,
    Range,
    Term,
    all_of,
    any_of,
)
from leafmark.search import SearchOptions, search
from leafmark.search.highlight import PhraseFinder, Place, WordFinder, scan
from leafmark.search.spelling import edits_of
from leafmark.search.vocabulary import vocabulary_of

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "mu", "nu", "tau"]
WORDS += ["alphabet", "betas", "betatron"]
EVERYTHING = SearchOptions(
    limit=1000,
    candidate_limit=1000,
    max_results=1000,
    cutoff_ratio=0.0,
    aggregation=False,
    strict=True,
    fuzzy_distance=0,
)


@cache
def _library() -> tuple[Library, IndexReader, dict[str, Chunk]]:
    """Some documents of random words, and what the oracle knows of their chunks."""
    rng = random.Random(7)

    def some(most: int) -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(0, most)))

    sources = {}
    for number in range(25):
        folder = rng.choice(["", "alpha/", "mu/nu/"])
        sections = "".join(
            f"{'#' * rng.randint(1, 3)} {some(2)} {rng.choice(WORDS)}\n\n{some(6)}\n\n"
            for _ in range(rng.randint(0, 4))
        )
        tags = " ".join(rng.sample(WORDS, rng.randint(0, 2)))
        front = f"---\ntags: {tags or '[]'}\nn: {number}\n---\n"
        sources[f"{folder}{number}-{rng.choice(WORDS)}.md"] = f"{front}{some(4)}\n\n{sections}"
    library = Library(Path(tempfile.mkdtemp()), t={})
    library.settings = IndexOptions("plain", {"t": None})
    library.put("t", sources)
    reader = library.reader
    chunks = {}
    for document in reader.documents():
        data = library.read(document)
        assert data is not None
        for entry in reader.chunks_of(document.doc_id):
            body = b"".join(data[start:end] for start, end in entry.body_spans).decode()
            chunks[entry.id] = Chunk(
                {
                    "title": entry.title,
                    "tags": " ".join(document.tags),
                    "path": entry.path,
                    "body": body.rpartition("---\n")[2],
                },
                {
                    "tree": "t",
                    "path": entry.path,
                    "id": entry.id,
                    "meta.n": document.metadata["n"],
                },
                entry.section_path,
                [
                    other.id
                    for other in reader.chunks_of(document.doc_id)
                    if other.position <= entry.position <= other.last_position
                ],
            )
    return library, reader, chunks


def _of_number(value: str | Range) -> Filter:
    return Filter("meta.n", value)


numbers: list[str | Range] = ["7", "7.0", "x", Range("3", "9"), Range("20", include_low=False)]

words = st.sampled_from([*WORDS, "omega", "md"]).map(Term)
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join).map(Phrase)
prefixes = st.sampled_from(["a", "al", "be", "beta", "betat", "x", "alpha-b", "mu-n"]).map(Prefix)
parts = st.lists(st.sampled_from(WORDS), min_size=2, max_size=2).map("-".join).map(Term)
leaves = st.one_of(words, phrases, prefixes, parts)
typos = st.builds(
    Fuzzy,
    st.sampled_from(["gama", "detla", "epsilom", "epslom", "tua", "mu"]).map(Term),
    st.integers(0, 2),
)
fielded = st.builds(
    Field,
    st.sampled_from(["title", "tags", "body"]),
    st.one_of(leaves, st.lists(leaves, min_size=2, max_size=3).map(any_of)),
)
filters = st.one_of(
    st.sampled_from(["alpha/", "mu/nu", "1", "9-", "x"]).map(lambda path: Filter("path", path)),
    st.integers(0, 400).map(
        lambda n: Filter("under", sorted(_library()[2])[n % len(_library()[2])])
    ),
    st.integers(0, 400).map(lambda n: Filter("id", sorted(_library()[2])[n % len(_library()[2])])),
    st.sampled_from(["t", "u"]).map(lambda tree: Filter("tree", tree)),
    st.sampled_from(numbers).map(_of_number),
)
asked = st.one_of(leaves, typos, fielded, filters)


def _nested(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(inner, min_size=2, max_size=3)
    negated = st.builds(
        lambda kept, left_out: all_of([kept, Not(left_out)]),
        inner,
        inner.filter(lambda node: not isinstance(node, Not)),
    )
    return st.one_of(several.map(any_of), several.map(all_of), negated)


expressions: st.SearchStrategy[Expression] = st.recursive(asked, _nested, max_leaves=6)


@given(expressions)
def test_a_query_matches_what_the_oracle_says(expression: Expression) -> None:
    library, reader, chunks = _library()
    answer = search(reader, [expression], EVERYTHING, read_source=library.read)
    found = sorted(id for one in answer.results for id in (one.entry.id, *one.also_in))
    assert found == sorted(id for id, chunk in chunks.items() if matches(expression, chunk))
    assert all(not one.relaxed and one.score > 0 for one in answer.results)


@settings(max_examples=25)
@given(st.lists(expressions, min_size=1, max_size=3), st.integers(1, 5))
def test_ranges_and_snippets_lie_in_their_texts(topics: list[Expression], limit: int) -> None:
    library, reader, _ = _library()
    answer = search(
        reader, topics, SearchOptions(limit=limit, explain=True), read_source=library.read
    )
    assert len(answer.results) <= limit
    assert [one.rank for one in answer.results] == [*range(1, len(answer.results) + 1)]
    waiting = list(answer.results)
    while waiting:
        one = waiting.pop()
        waiting += one.constituents
        assert one.body_bytes is not None
        edges = [edge for pair in one.match_ranges for edge in pair]
        assert edges == sorted(set(edges))
        assert not edges or edges[-1] <= len(one.body_bytes)
        assert all(0 <= a < b <= len(one.snippet.text) for a, b in one.snippet.ranges)


LETTERS = "abcdeéßİΣσ日本ด.-_ '’\u0301\u00ad1\n"
texts = st.one_of(
    st.text(st.sampled_from(LETTERS), max_size=60),
    st.lists(
        st.sampled_from(
            ["Handling", "handles", "the", "dying", "die", "skies", "sky", "naïve", "日本"]
        ),
        max_size=12,
    ).map(" ".join),
    st.text(st.sampled_from("日本語ดี\u0e48\u3099、 a1"), max_size=40),
    st.text(st.characters(codec="utf-8"), max_size=30),
)


@pytest.mark.parametrize("language", [None, "english", "german", "dutch", "greek", "arabic"])
@given(text=texts, data=st.data())
def test_words_are_found_as_by_analysing_everything(
    language: str | None, text: str, data: st.DataObject
) -> None:
    analyzer = analyzer_for(language)
    tokens = analyzer.tokens(text)
    known = sorted({token.term for token in tokens}) or ["none"]
    terms = data.draw(st.sets(st.sampled_from([*known, "other"])))
    expected = [Place(t.start, t.end, t.term) for t in tokens if t.term in terms]
    found = WordFinder(terms, analyzer).find(scan(text, analyzer))
    assert sorted(found) == sorted(expected)  # several words may stand in one place


@given(text=texts, size=st.integers(2, 4), at=st.integers(0, 60))
@example("\u0e35\u0e35\u0e48\u3099", 2, 0).via("two words in one place")
@example("0:0^0", 2, 2).via("the second reading of a word with signs")
def test_phrases_are_found_where_their_terms_stand_beside_each_other(
    text: str, size: int, at: int
) -> None:
    analyzer: Analyzer = analyzer_for("english")
    tokens = analyzer.tokens(text)
    if len(tokens) < 2:
        return
    size = min(size, len(tokens))
    at %= len(tokens) - size + 1
    phrase = [token.term for token in tokens[at : at + size]]
    expected = [
        Place(token.start, token.end, token.term)
        for start in range(len(tokens) - size + 1)
        for token in tokens[start : start + size]
        if [each.term for each in tokens[start : start + size]] == phrase
    ]
    assert PhraseFinder(phrase, analyzer).find(scan(text, analyzer)) == expected


short = st.text(st.sampled_from("abc"), min_size=1, max_size=6)


@given(short)
def test_edits_are_the_words_one_edit_away(word: str) -> None:
    found = edits_of(word)
    assert len(found) == len(set(found))
    assert all(distance(word, each) == 1 for each in found)
    near = {left + letter + right for left, right in [(word[:2], word[2:])] for letter in "abz"}
    assert (near if len(word) > 1 else set()) - {word} <= set(found)
    assert not any(len(each) == 1 for each in found)


@given(short, st.lists(short), st.integers(1, 2))
def test_the_band_holds_what_is_near(word: str, others: list[str], most: int) -> None:
    assert within_distance(word, others, most) == [
        other
        for other in others
        if (edits := distance(word, other)) <= most and edits < min(len(word), len(other))
    ]


near_words = st.text(st.sampled_from("abcdeйと\U00020000z9"), min_size=1, max_size=7)


@given(near_words, st.sets(near_words, max_size=30), st.integers(0, 2))
def test_the_vocabulary_misses_no_word_that_is_near(word: str, words: set[str], most: int) -> None:
    vocabulary = Vocabulary(lambda _field: words, ["body"])
    assert set(vocabulary.near(word, most)) == set(within_distance(word, words, most))


accented = st.text(st.sampled_from("aäAèsßłk"), min_size=1, max_size=5)


@given(accented, st.sets(accented, max_size=30))
def test_words_are_alike_but_for_their_marks(word: str, words: set[str]) -> None:
    vocabulary = Vocabulary(lambda _field: words, ["body"])
    expected = {each for each in words if bare(each) == bare(word)}
    assert set(vocabulary.alike([bare(word)])) == expected


@given(st.sampled_from(["", *(word[:length] for word in WORDS for length in (1, 2, 4))]))
def test_the_same_terms_occur_looked_up_by_a_beginning(beginning: str) -> None:
    reader = _library()[1]
    field = reader.languages[0].body
    known = vocabulary_of(reader)
    terms = [*reader.languages[0].analyzer.terms(" ".join(WORDS)), "absent"]
    expected = [term for term in terms if known.frequency(field, term)]
    assert expected
    alike = {term for term in terms if beginning and term.startswith(beginning)}
    others = [term for term in terms if term not in alike]
    found = known.occurring(field, others, alike, beginning=beginning)
    assert sorted(found) == sorted(expected)


def test_what_is_remembered_is_made_once_and_let_go_in_time() -> None:
    known = vocabulary_of(_library()[1])
    made: list[int] = []

    def remember(number: int) -> int:
        def make() -> int:
            made.append(number)
            return -number

        return known.remembered(number, make)

    assert [remember(number) for number in (1, 2, 1)] == [-1, -2, -1]
    assert made == [1, 2]
    for number in range(1000):
        assert remember(number) == -number
    assert remember(1) == -1
    assert made.count(1) == 2
