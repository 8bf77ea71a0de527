"""What holds for every list of candidates and every text."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from support.candidates import Forest, all_matched, count_by, match, shape

from leafmark.model import GRAINS, Candidate
from leafmark.search.grain import aggregate, bring_to_grain, drop_large, filter_ancestors
from leafmark.search.options import SearchOptions
from leafmark.search.order import elbow_cutoff, rank_order
from leafmark.search.snippets import Match, byte_ranges, join_ranges, make_snippet

scores = st.floats(0.01, 100.0).map(lambda score: round(score, 2))


def _outline(children: Any) -> Any:
    return st.tuples(
        st.just("?"),
        st.lists(st.tuples(st.integers(0, 3), children), max_size=4),
    )


outlines: st.SearchStrategy[Any] = st.recursive(st.just(("?", [])), _outline, max_leaves=14)


def _named(outline: Any, depth: int, numbers: Any) -> list[Any]:
    """An outline with a title of its own for every node, and levels that skip."""
    _, children = outline
    named: list[Any] = [(f"n{next(numbers)}", depth)]
    return named + [_named(child, depth + 1 + skip, numbers) for skip, child in children]


@st.composite
def forests(draw: st.DrawFn) -> tuple[Forest, list[Candidate]]:
    """Up to three documents, and some of their chunks as candidates, with ties.

    Chunks with nothing below them may be pieces.
    """
    forest = Forest()
    for path in ["a.md", "a.md.md", "b"][: draw(st.integers(1, 3))]:
        forest.add(path, _named(draw(outlines), 0, iter(range(1000))))
    for key, entry in forest.entries.items():
        if entry.depth and entry.position == entry.last_position and draw(st.booleans()):
            forest.entries[key] = entry._replace(kind="piece", piece=1)
    entries = list(forest.entries.values())
    chosen = draw(st.lists(st.sampled_from(entries), unique=True, max_size=12))
    few = st.one_of(scores, st.sampled_from([1.0, 2.0]))
    return forest, [match(entry, draw(few), relaxed=draw(st.booleans())) for entry in chosen]


params = st.builds(
    SearchOptions,
    aggregation_threshold=st.sampled_from([0.0, 0.34, 0.5, 1.0]),
    aggregation_min_matches=st.integers(1, 3),
    max_merge_depth=st.integers(0, 2),
    aggregation_max_tokens=st.sampled_from([0, 1]),
    merge_bonus=st.sampled_from([0.0, 0.1]),
)


def _merge(forest: Forest, candidates: list[Candidate], settings: SearchOptions) -> list[Candidate]:
    merged, _ = aggregate(
        candidates, settings, find_parent=forest.find_parent, measure_text=count_by({})
    )
    return filter_ancestors(merged)[0]


@given(st.lists(scores), st.floats(0, 1), st.integers(1, 30))
def test_cutoff_is_a_prefix_that_ends_at_the_first_drop(
    values: list[float], ratio: float, most: int
) -> None:
    values.sort(reverse=True)
    kept = elbow_cutoff(values, ratio=ratio, max_results=most)
    drops = [at for at in range(1, len(values)) if values[at] < ratio * values[at - 1]]
    assert kept == (drops[0] if drops else min(len(values), max(most, min(1, len(values)))))


@given(forests(), params)
def test_no_result_lies_under_another_and_none_is_lost(
    made: tuple[Forest, list[Candidate]], settings: SearchOptions
) -> None:
    forest, candidates = made
    results = _merge(forest, candidates, settings)
    ids = {one.entry.id for one in results}
    assert len(ids) == len(results)
    for one in results:
        assert not ids & {above.id for above in forest.ancestors(one.entry)}
    assert all_matched(results) == all_matched(candidates)


@given(forests(), params)
def test_constituents_lie_under_their_result(
    made: tuple[Forest, list[Candidate]], settings: SearchOptions
) -> None:
    forest, candidates = made
    waiting = _merge(forest, candidates, settings)
    while waiting:
        one = waiting.pop()
        for inner in one.constituents:
            assert one.entry in forest.ancestors(inner.entry)
            assert one.relaxed <= inner.relaxed
            assert inner.relaxed > one.relaxed or one.score >= inner.score
            waiting.append(inner)


@given(forests(), params, st.sampled_from(GRAINS), st.randoms(use_true_random=False))
def test_the_order_of_candidates_decides_nothing(
    made: tuple[Forest, list[Candidate]],
    settings: SearchOptions,
    grain: Any,
    shuffler: random.Random,
) -> None:
    forest, candidates = made
    settings = SearchOptions(grain=grain, merge_bonus=settings.merge_bonus)
    find: dict[str, Any] = {
        "find_parent": forest.find_parent,
        "measure_text": count_by({}),
        "introduce": forest.introduce,
    }
    first, _ = bring_to_grain(candidates, settings, **find)
    shuffled = list(candidates)
    shuffler.shuffle(shuffled)
    second, _ = bring_to_grain(shuffled, settings, **find)
    assert first == second
    assert all_matched(first) == all_matched(candidates)
    ranks = [rank_order(one) for one in first]
    assert ranks == sorted(ranks)


@given(forests())
def test_without_merging_nothing_changes_but_the_order(
    made: tuple[Forest, list[Candidate]],
) -> None:
    forest, candidates = made
    found, phases = bring_to_grain(
        candidates,
        SearchOptions(aggregation=False),
        find_parent=forest.find_parent,
        measure_text=count_by({}),
        introduce=forest.introduce,
    )
    assert sorted(map(str, shape(found))) == sorted(one.entry.id for one in candidates)
    assert phases == []


signs = st.sampled_from("ab é日\u0301\n👩\u200d\udcff_")
texts = st.one_of(st.text(signs, max_size=80), st.text(signs, min_size=40, max_size=80))


@st.composite
def matched_texts(draw: st.DrawFn) -> tuple[str, list[Match]]:
    text = draw(texts)
    places, lengths = st.integers(0, len(text)), st.one_of(st.integers(1, 4), st.integers(1, 80))
    made = draw(st.lists(st.tuples(places, lengths, st.integers(0, 3)), max_size=8))
    ranges = [(at, min(at + length, len(text)), word) for at, length, word in made]
    return text, sorted(match for match in ranges if match[0] < match[1])


@given(matched_texts(), st.integers(1, 60))
@example((" _", [(0, 1, 0), (0, 1, 1), (0, 2, 0)]), 1).via("white space alone matched")
def test_snippets_show_text_and_their_ranges_lie_in_it(
    made: tuple[str, list[Match]], size: int
) -> None:
    text, matches = made
    snippet = make_snippet(text, matches, size=size)
    last = 0
    for start, end in snippet.ranges:
        assert last <= start < end <= len(snippet.text)
        last = end
        assert " ".join(snippet.text[start:end].split()) in " ".join(text.split())
    longest = max((end - start for start, end, _ in matches), default=0)
    clusters = max(map(len, text.replace(" ", "\n").split("\n")), default=0)
    assert len(snippet.text) <= max(size, 3 * longest) + 6 * clusters + 10


@given(matched_texts())
def test_byte_ranges_hold_the_bytes_of_the_characters(made: tuple[str, list[Match]]) -> None:
    text, matches = made
    ranges = join_ranges((start, end) for start, end, _ in matches)
    raw = text.encode("utf-8", "surrogateescape")
    for (start, end), (first, last) in zip(ranges, byte_ranges(text, ranges), strict=True):
        assert raw[first:last] == text[start:end].encode("utf-8", "surrogateescape")
    assert all(a[1] < b[0] for a, b in pairwise(ranges))


@given(forests(), st.integers(1, 3))
def test_what_is_too_large_gives_way_only_to_what_stays(
    made: tuple[Forest, list[Candidate]], size: int
) -> None:
    forest, candidates = made
    sizes = {entry.id: len(entry.id) % 3 for entry in forest.entries.values()}
    kept, _ = drop_large(candidates, size, count_by(sizes))
    ids = {one.entry.id for one in kept}
    for one in candidates:
        if one.entry.id not in ids:
            assert sizes[one.entry.id] > size
            below = [k for k in kept if one.entry in forest.ancestors(k.entry)]
            assert below or any(one.entry in forest.ancestors(other.entry) for other in candidates)
    assert [one for one in candidates if one.entry.id in ids] == kept
