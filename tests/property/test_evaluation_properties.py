"""Metrics against a second computation that counts bytes one by one."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from leafmark.evaluation import (
    JudgedQuery,
    Passage,
    Read,
    judgment_record,
    measure,
    parse_judgments,
)
from leafmark.evaluation.judgments import Reference
from leafmark.evaluation.metrics import covers, overlaps
from leafmark.evaluation.results import Resampler

_spans = st.tuples(st.sampled_from("de"), st.integers(0, 40), st.integers(1, 20))
passages = _spans.map(lambda each: Passage(each[0], each[1], each[1] + each[2]))
reads = st.tuples(_spans, st.integers(0, 3000)).map(
    lambda each: Read(each[0][0], each[0][1], each[0][1] + each[0][2], each[1])
)


def _bytes(part: Passage | Read) -> set[tuple[str, int]]:
    return {(part.doc_id, at) for at in range(part.start, part.end)}


@given(reads, passages)
def test_relevance_counts_bytes(read: Read, passage: Passage) -> None:
    shared = len(_bytes(read) & _bytes(passage))
    shorter = min(len(_bytes(read)), len(_bytes(passage)))
    assert overlaps(read, passage) is (shared > 0 and shared >= shorter / 2)
    assert covers(read, passage) is (shared >= len(_bytes(passage)) / 2)


@given(st.lists(reads, max_size=12), st.lists(passages, min_size=1, max_size=3))
def test_metrics_count_bytes(results: list[Read], wanted: list[Passage]) -> None:
    values = measure(results, wanted)
    assert all(0 <= value <= 1 for value in values.values())
    seen = set().union(*map(_bytes, results))
    if sum(result.tokens for result in results) <= 2000:
        recall = sum(len(seen & _bytes(each)) / len(_bytes(each)) for each in wanted) / len(wanted)
        assert abs(values["recall-2000t"] - recall) < 1e-9
    relevant = [any(overlaps(result, each) for each in wanted) for result in results[:10]]
    assert values["hit@10"] == any(relevant)
    assert values["hit@1"] == any(relevant[:1])
    assert values["cover-mrr@10"] <= 1
    assert values["overlap-mrr@10"] >= values["cover-mrr@10"] or any(
        read.end - read.start < each.end - each.start for read in results for each in wanted
    )


@given(st.lists(reads, max_size=8), st.lists(passages, min_size=1, max_size=3), st.data())
def test_what_stands_behind_the_answer_does_not_change_its_rank(
    results: list[Read], wanted: list[Passage], data: st.DataObject
) -> None:
    more = data.draw(st.lists(reads, max_size=3))
    before, after = measure(results, wanted), measure([*results, *more], wanted)
    for name in ("overlap-mrr@10", "cover-mrr@10", "rr500"):
        assert after[name] == before[name] or before[name] == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(1, 9))
def test_an_interval_holds_the_mean_and_is_the_same_again(values: list[float], seed: int) -> None:
    first = Resampler(seed=seed, resamples=200)
    first.estimate([0.0] * 7)
    found = first.estimate(values)
    assert found == Resampler(seed=seed, resamples=200).estimate(values)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert first.difference(values, values)[:3] == (0, 0, 0)


_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
_titles = st.lists(_text.filter(str.strip), min_size=1, max_size=2).map(tuple)
references = st.one_of(
    _text.filter(str.strip).map(Reference),
    st.tuples(_text, _titles, _text.filter(str.strip), st.floats(0.5, 100)).map(
        lambda each: Reference(path=each[0], section=each[1], quote=each[2], grade=each[3])
    ),
    st.tuples(_text, st.integers(0, 9), st.integers(10, 99)).map(
        lambda each: Reference(path=each[0], start=each[1], end=each[2])
    ),
)
judged = st.tuples(
    _text.filter(str.strip),
    st.lists(references, max_size=3).map(tuple),
    _text,
    _text,
    _text,
    st.booleans(),
).map(lambda each: JudgedQuery(*each))


@given(st.lists(judged, max_size=4))
def test_queries_are_read_back_as_they_were_written(queries: list[JudgedQuery]) -> None:
    written = "".join(json.dumps(judgment_record(query)) + "\n" for query in queries)
    read = parse_judgments(written, "q.jsonl")
    assert [query._replace(location="") for query in read] == queries
